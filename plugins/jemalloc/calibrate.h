/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking a jemalloc library itself where it keeps the counters. */
#pragma once

#include <stdbool.h>

#include "elfobj.h"
#include "known.h"
#include "process.h"

/* Answers already had, by build-id.  Shared by all workers. */
struct calibrations;

/* helper: path of ctprof-jemalloc-probe.  NULL when memory is short. */
struct calibrations *calibrations_new(const char *helper);
void calibrations_free(struct calibrations *calibrations);

/*
 * Offsets in the TLS block of the library at path.  Loads that file in a helper
 * without privileges, so only one that root owns, nobody else can write, and
 * that is the host's own: the file ctprof itself finds under that path, not one
 * a container brought along.  An answer serves every file of the same build-id.
 */
bool calibrate(struct calibrations *calibrations, const struct process *process, const char *path,
	       int object_fd, const struct elf_facts *facts, struct offsets *ret);

/* The helper's answer, "ALLOCATED DEALLOCATED MEMSZ\n", checked against the
 * size of the block. */
bool calibrate_parse_answer(const char *text, size_t len, uint64_t memsz, struct offsets *ret);

/* Runs helper on the library open as fd; no trust is checked. */
bool calibrate_run(const char *helper, int fd, const struct elf_facts *facts, struct offsets *ret);
