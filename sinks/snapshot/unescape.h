/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json.h"
#include "text.h"

/* The inside of a JSON string, in which every backslash is followed by a byte,
 * without its escapes.  Returns how much of raw was sound: all, or up to an escape
 * that is none, such as half a surrogate pair.  out->error tells of lost memory. */
size_t unescape(struct text raw, struct json *out);
