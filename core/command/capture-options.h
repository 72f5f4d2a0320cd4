/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of the commands that capture, and of those that replace names with pseudonyms. */
#pragma once

#include "command-line.h"

/* Options of capture and stat. */
extern const Option capturing_options[];
/* Options that limit the cost of a capture, also used by memory. */
extern const Option capturing_cost_options[];
/* --redact, for commands that redact only on request. */
extern const Option redacting_options[];
/* --key-file. */
extern const Option redacting_key_options[];
