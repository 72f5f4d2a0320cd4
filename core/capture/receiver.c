/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receiver.h"

#include <string.h>

static GArray *list_metrics(const Registry *registry)
{
	g_autoptr(GPtrArray) list = registry_list(registry);
	GArray *infos = g_array_new(FALSE, FALSE, sizeof(struct ctprof_metric_info));

	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);
		struct ctprof_metric_info info = {
			.struct_size = sizeof info,
			.index = metric->index,
			.type = metric->type,
			.wanted = metric->wanted ? 1 : 0,
			.metric = &metric->def,
			.plugin = metric_source(metric),
		};

		if (metric->slot != 0)
			g_array_append_val(infos, info);
	}
	return infos;
}

gboolean receiver_begin(Receiver *receiver, Output *output, struct ctprof_capture *info,
			GError **error)
{
	if (!receiver->sink)
		return TRUE;
	receiver->metrics = list_metrics(receiver->registry);
	info->n_metrics = receiver->metrics->len;
	info->metrics = (const void *)receiver->metrics->data;
	if (receiver->redactor)
		redactor_begin(receiver->redactor, receiver->registry, info);
	return plugin_begin(receiver->sink, output, info, error);
}

/* Passes on the cgroup rows that the redactor has held back, before the rows that follow them. */
static gboolean hand_cgroups(const Receiver *receiver, GError **error)
{
	struct ctprof_rows rows;

	while (redactor_next_cgroup(receiver->redactor, &rows))
		if (!plugin_rows(receiver->sink, &rows, error))
			return FALSE;
	return TRUE;
}

static gboolean hand_redacted(const Receiver *receiver, const struct ctprof_rows *rows,
			      GError **error)
{
	gboolean is_after_cgroups =
		rows->scope == CTPROF_SCOPE_OBJECT || rows->scope == CTPROF_SCOPE_CAPTURE;
	struct ctprof_rows redacted;

	if (is_after_cgroups && !hand_cgroups(receiver, error))
		return FALSE;
	redactor_rows(receiver->redactor, rows, &redacted);
	return redacted.n == 0 || plugin_rows(receiver->sink, &redacted, error);
}

gboolean receiver_rows(const Receiver *receiver, const struct ctprof_rows *rows, GError **error)
{
	if (receiver->sink && receiver->redactor)
		return hand_redacted(receiver, rows, error);
	return receiver->sink ? plugin_rows(receiver->sink, rows, error)
			      : receiver->each(receiver->data, receiver->registry, rows, error);
}

gboolean receiver_end(const Receiver *receiver, const struct ctprof_capture_end *info,
		      GError **error)
{
	struct ctprof_capture_end ended = *info;

	if (!receiver->sink)
		return TRUE;
	if (receiver->redactor && !hand_cgroups(receiver, error))
		return FALSE;
	if (receiver->redactor)
		redactor_end(receiver->redactor, &ended);
	g_autoptr(GArray) filled = list_metrics(receiver->registry);
	/* Keep the address that the sink was given in begin(). */
	memcpy(receiver->metrics->data, filled->data,
	       filled->len * sizeof(struct ctprof_metric_info));
	return plugin_end(receiver->sink, &ended, error);
}

void receiver_clear(Receiver *receiver)
{
	g_clear_pointer(&receiver->metrics, g_array_unref);
}
