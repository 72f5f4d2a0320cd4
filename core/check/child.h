/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a step of a check in a process of its own: a crash or hang of the plugin there is only a
 * finding. */
#pragma once

#include <glib.h>

enum check_result { CHECK_OK, CHECK_FAIL, CHECK_NOTE };

typedef struct check_finding {
	guint32 result; /* enum check_result */
	char *check;
	char *text;
} CheckFinding;

/* Findings, elements CheckFinding *. */
GPtrArray *check_findings_new(void);
void check_findings_add(GPtrArray *findings, guint32 result, const char *check, const char *text);
guint check_findings_failed(const GPtrArray *findings);

typedef void (*CheckStep)(gconstpointer data);

/*
 * Runs step in a child and adds its findings; if it does not return within
 * timeout_s, or not at all, the check of that name fails.  Call while the
 * process has one thread.
 */
void check_run_child(CheckStep step, gconstpointer data, const char *check, guint timeout_s,
		     GPtrArray *findings);

/* Adds a finding; call inside a step, from any thread. */
void check_report(enum check_result result, const char *check, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
/* Notes the function of the plugin that is called next; op is static text. */
void check_report_op(const char *op);
