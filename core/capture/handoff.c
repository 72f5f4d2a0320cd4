/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "handoff.h"

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

gboolean handoff_begin(Handoff *handoff, Output *output, struct ctprof_capture *info,
		       GError **error)
{
	if (!handoff->sink)
		return TRUE;
	handoff->metrics = list_metrics(handoff->registry);
	info->n_metrics = handoff->metrics->len;
	info->metrics = (const void *)handoff->metrics->data;
	if (handoff->redactor)
		redactor_begin(handoff->redactor, handoff->registry, info);
	return plugin_begin(handoff->sink, output, info, error);
}

/* Hands on the cgroup rows that the redactor has held back, before the rows that follow them. */
static gboolean hand_cgroups(const Handoff *handoff, GError **error)
{
	struct ctprof_rows rows;

	while (redactor_next_cgroup(handoff->redactor, &rows))
		if (!plugin_rows(handoff->sink, &rows, error))
			return FALSE;
	return TRUE;
}

static gboolean hand_redacted(const Handoff *handoff, const struct ctprof_rows *rows,
			      GError **error)
{
	gboolean is_after_cgroups =
		rows->scope == CTPROF_SCOPE_OBJECT || rows->scope == CTPROF_SCOPE_CAPTURE;
	struct ctprof_rows redacted;

	if (is_after_cgroups && !hand_cgroups(handoff, error))
		return FALSE;
	redactor_rows(handoff->redactor, rows, &redacted);
	return redacted.n == 0 || plugin_rows(handoff->sink, &redacted, error);
}

gboolean handoff_rows(const Handoff *handoff, const struct ctprof_rows *rows, GError **error)
{
	if (handoff->sink && handoff->redactor)
		return hand_redacted(handoff, rows, error);
	return handoff->sink ? plugin_rows(handoff->sink, rows, error)
			     : handoff->each(handoff->data, handoff->registry, rows, error);
}

gboolean handoff_end(const Handoff *handoff, const struct ctprof_capture_end *info, GError **error)
{
	struct ctprof_capture_end told = *info;

	if (!handoff->sink)
		return TRUE;
	if (handoff->redactor && !hand_cgroups(handoff, error))
		return FALSE;
	if (handoff->redactor)
		redactor_end(handoff->redactor, &told);
	g_autoptr(GArray) filled = list_metrics(handoff->registry);
	/* Keep the address that the sink was given in begin(). */
	memcpy(handoff->metrics->data, filled->data,
	       filled->len * sizeof(struct ctprof_metric_info));
	return plugin_end(handoff->sink, &told, error);
}

void handoff_clear(Handoff *handoff)
{
	g_clear_pointer(&handoff->metrics, g_array_unref);
}
