/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes messages as a kernel of any taskstats version sends them. */
#pragma once

#include <glib.h>

/* Returns the size of struct taskstats, for versions 8 to 18; 18 is invented. */
gsize kernel_stats_size(guint16 version);
/* Returns the 8 bytes at offset of the struct below, which differ for every offset. */
guint64 kernel_stats_word(gsize offset);
/* Returns the first len bytes of a struct that claims to be of that version. */
GByteArray *kernel_stats(guint16 version, gsize len);
void kernel_stats_set(GByteArray *stats, gsize offset, guint64 value);

GByteArray *kernel_reply(guint16 family, guint32 seq, gint32 tid, const GByteArray *stats);
/* Returns the reply for a process. */
GByteArray *kernel_totals(guint16 family, guint32 seq, gint32 tgid, const GByteArray *stats);
/* Returns NLMSG_ERROR with error as it is sent: negative or 0. */
GByteArray *kernel_error(guint32 seq, gint32 error);
