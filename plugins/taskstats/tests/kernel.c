/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>

gsize kernel_stats_size(guint16 version)
{
	static const guint16 sizes[] = {328, 344, 352, 368, 400, 416, 432, 560, 560, 688, 704};

	g_assert_true(version >= 8 && version - 8u < G_N_ELEMENTS(sizes));
	return sizes[version - 8];
}

guint64 kernel_stats_word(gsize offset)
{
	return 0x10000 + offset;
}

void kernel_stats_set(GByteArray *stats, gsize offset, guint64 value)
{
	g_assert_cmpuint(offset + sizeof value, <=, stats->len);
	memcpy(stats->data + offset, &value, sizeof value);
}

GByteArray *kernel_stats(guint16 version, gsize len)
{
	GByteArray *stats = g_byte_array_new();

	g_byte_array_set_size(stats, (guint)len);
	if (len)
		memset(stats->data, 0, len);
	for (gsize offset = 0; offset + 8 <= len; offset += 8)
		kernel_stats_set(stats, offset, kernel_stats_word(offset));
	if (len >= sizeof version)
		memcpy(stats->data, &version, sizeof version);
	return stats;
}

static void append_attribute(GByteArray *out, guint16 type, const void *data, guint len)
{
	const struct nlattr attr = {.nla_len = (guint16)(sizeof attr + len), .nla_type = type};

	g_byte_array_append(out, (const guint8 *)&attr, sizeof attr);
	g_byte_array_append(out, data, len);
}

static GByteArray *message(guint16 type, guint32 seq, const void *body, guint len)
{
	const struct nlmsghdr nl = {.nlmsg_len = (guint32)sizeof nl + len,
				    .nlmsg_type = type,
				    .nlmsg_seq = seq,
				    .nlmsg_pid = 4711};
	GByteArray *out = g_byte_array_new();

	g_byte_array_append(out, (const guint8 *)&nl, sizeof nl);
	return g_byte_array_append(out, body, len);
}

static GByteArray *reply_about(guint16 family, guint32 seq, gint32 id, const GByteArray *stats,
			       guint16 id_type, guint16 group_type)
{
	const struct genlmsghdr genl = {.cmd = TASKSTATS_CMD_NEW,
					.version = TASKSTATS_GENL_VERSION};
	g_autoptr(GByteArray) group = g_byte_array_new();
	g_autoptr(GByteArray) body = g_byte_array_new();

	append_attribute(group, id_type, &id, sizeof id);
	append_attribute(group, TASKSTATS_TYPE_STATS, stats->data, stats->len);
	g_byte_array_append(body, (const guint8 *)&genl, sizeof genl);
	append_attribute(body, group_type, group->data, group->len);
	return message(family, seq, body->data, body->len);
}

GByteArray *kernel_reply(guint16 family, guint32 seq, gint32 tid, const GByteArray *stats)
{
	return reply_about(family, seq, tid, stats, TASKSTATS_TYPE_PID, TASKSTATS_TYPE_AGGR_PID);
}

GByteArray *kernel_totals(guint16 family, guint32 seq, gint32 tgid, const GByteArray *stats)
{
	return reply_about(family, seq, tgid, stats, TASKSTATS_TYPE_TGID, TASKSTATS_TYPE_AGGR_TGID);
}

GByteArray *kernel_error(guint32 seq, gint32 error)
{
	const struct nlmsgerr body = {.error = error};

	return message(NLMSG_ERROR, seq, &body, sizeof body);
}
