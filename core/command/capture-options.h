/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of the commands that capture, and of those that put pseudonyms in place of names. */
#pragma once

#include "command-line.h"

/* Options of capture and stat. */
extern const Option capturing_options[];
/* Options that limit the cost of a capture, also of memory. */
extern const Option capturing_cost_options[];
/* --redact, of commands that can do without. */
extern const Option redacting_options[];
/* --key-file. */
extern const Option redacting_key_options[];
