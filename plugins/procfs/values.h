/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A value in a kernel file, and the parser of each notation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "policy.h"
#include "text.h"

/* The text is borrowed from the file's buffer or from store, so the struct must not be copied. */
struct value {
	uint32_t why;  /* enum ctprof_absence; CTPROF_PRESENT: bits or text is set */
	bool negative; /* it is absent because the kernel printed a negative duration */
	uint64_t bits; /* a number; if signed, its two's complement */
	struct text text;
	char store[POLICY_NAME_BYTES];
};

/* raw is trimmed but not yet checked; sets why, and bits or text. */
typedef void value_parse_fn(struct text raw, struct value *ret);

/* Sets a value that its file lacks. */
void value_set_missing(struct value *ret);

value_parse_fn value_parse_u64;
value_parse_fn value_parse_u32;
value_parse_fn value_parse_i32;
value_parse_fn value_parse_i64;
value_parse_fn value_parse_first;    /* the first of several u32 */
value_parse_fn value_parse_flag;     /* 0 or another number */
value_parse_fn value_parse_letter;   /* the first character */
value_parse_fn value_parse_dotted;   /* "ms.nsnsns" or plain ns, as ns */
value_parse_fn value_parse_policy;   /* number of a scheduling policy, as its name */
value_parse_fn value_parse_verbatim; /* the bytes themselves */
