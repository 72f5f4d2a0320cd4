/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json.h"
#include "text.h"

/* Decodes the inside of a JSON string, in which every backslash is followed by a byte.  Returns the
 * length of the valid part of raw: all of it, or the part before an invalid escape such as half a
 * surrogate pair.  out->error is set if out of memory. */
size_t unescape(struct text raw, struct json *out);
