/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers for the host's files.  Pure: nothing is opened here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Finds the first non-empty value of a "key : value" line; first_block: only before the first blank
 * line. */
bool host_parse_colon(const char *text, size_t len, const char *key, bool first_block,
		      struct text *ret_value);
/* Parses "123" or, if there is a unit, "123 kB". */
bool host_parse_amount(struct text value, const char *unit, uint64_t *ret);
/* Finds the n-th word (from 0) of a line such as "Linux version 6.1.0 (...)". */
bool host_parse_word(const char *text, size_t len, size_t n, struct text *ret_word);
/* Whether a release ("6.1.0-50-amd64") is known to be major.minor or later;
 * false if it is not a release. */
bool host_parse_is_since(struct text release, uint64_t major, uint64_t minor);
/* Returns the state of an option in a kernel configuration: "on" (=y), "off", "unknown". */
const char *host_parse_config(const char *text, size_t len, const char *option);
