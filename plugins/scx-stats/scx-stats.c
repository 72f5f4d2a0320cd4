/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the statistics that the running BPF scheduler offers through its socket (scx_stats). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/source.h"
#include "descriptor.h"
#include "instance.h"
#include "link.h"
#include "need.h"
#include "option.h"
#include "slots.h"
#include "stats.h"

#define GROUP "scx-stats"
#define SOCKET "/var/run/scx/root/stats"
#define DEADLINE_MS 1000
#define NS_PER_MS UINT64_C(1000000)
#define ASK_META "{\"req\":\"stats_meta\",\"args\":{}}\n"
#define ASK_STATS "{\"req\":\"stats\",\"args\":{\"target\":\"top\"}}\n"
#define REMEDY "start a scheduler that has statistics, such as scx_layered"

#define OWN(kind, unit, name, help, ...)                                                           \
	METRIC_ROW(kind, unit, OBJECT, "stats_" name, GROUP, help,                                 \
		   "answer to stats: the scheduler's own code", .gates = "SCHED_CLASS_EXT",        \
		   __VA_ARGS__)

/* The maps are in the order of enum stats_kind. */
enum { STRUCT = N_STATS_KINDS, N_OBJECT, MEANINGS = N_OBJECT, N_METRICS };

static const struct ctprof_metric metrics[N_METRICS] = {
	[STATS_NUMBERS] = OWN(MAP, NONE, "numbers", "its whole numbers, by the scheduler's names"),
	[STATS_PERCENT] = OWN(MAP, CENTIPERCENT, "percent", "its percentages"),
	[STATS_THOUSANDTHS] = OWN(MAP, NONE, "thousandths", "its other fractions, in thousandths"),
	[STATS_TEXTS] = OWN(MAP, TEXT, "texts", "its texts, and its numbers below 0",
			    .flags = CTPROF_METRIC_QUIET),
	[STRUCT] = OWN(LABEL, TEXT, "struct", "the scheduler's name for this kind of object",
		       .flags = CTPROF_METRIC_QUIET),
	[MEANINGS] = METRIC_ROW(MAP, TEXT, HOST, "scx_stats.meanings", GROUP,
				"what each name means, in the scheduler's words",
				"answer to stats_meta: the scheduler's own code",
				.gates = "SCHED_CLASS_EXT", .flags = CTPROF_METRIC_ON_DEMAND),
};

struct scx_stats {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
	struct link link;
	struct stats stats;
	struct stats_entries entries;
	bool was_asked; /* in this capture */
	uint32_t next;  /* the next object to add */
};

static int scx_stats_open(const struct ctprof_host *host, void **ret_self)
{
	struct scx_stats *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	self->link.fd = -1;
	return instance_give(self, slots_declare(host, metrics, N_METRICS, self->slots), ret_self);
}

static void scx_stats_close(void *self)
{
	struct scx_stats *stats = self;

	link_close(&stats->link);
	stats_clear(&stats->stats);
	instance_free(self);
}

/* ---- the connection --------------------------------------------------------- */

static const char *path_of(const struct scx_stats *self)
{
	const char *given = self->host->option(self->host, "socket");

	return given ? given : SOCKET;
}

static int connect_to(struct scx_stats *self)
{
	if (!self->host->live(self->host))
		return -EOPNOTSUPP;
	return link_open(&self->link, path_of(self),
			 option_u64(self->host, "deadline", DEADLINE_MS * NS_PER_MS));
}

static int scx_stats_probe(void *data)
{
	struct scx_stats *self = data;
	const struct ctprof_host *host = self->host;
	int result = connect_to(self);

	if (result == -EOPNOTSUPP)
		finding_put(host, GROUP, CTPROF_FAILS,
			    "only a running scheduler answers, not a recorded root", NULL);
	else if (result == -EACCES || result == -EPERM)
		finding_put(host, GROUP, CTPROF_FAILS,
			    "the scheduler's socket is not open to this user",
			    "run as root, or CAP_DAC_OVERRIDE");
	else if (result < 0)
		finding_put(host, GROUP, CTPROF_FAILS, "no scheduler listens on " SOCKET, REMEDY);
	else
		finding_put(host, GROUP, CTPROF_WORKS, NULL, NULL);
	link_close(&self->link);
	return 0;
}

/* Reports why start() failed; any failure other than a refusal means that no such scheduler is
 * running. */
static int fail_to_start(const struct scx_stats *self, int result)
{
	self->host->error(self->host, "%s: %s", path_of(self),
			  result == -EOPNOTSUPP ? "a recorded root has no running scheduler"
						: strerror(-result));
	return result == -EACCES || result == -EPERM ? result : -EOPNOTSUPP;
}

static int scx_stats_start(void *data)
{
	struct scx_stats *self = data;
	size_t length;
	int result = connect_to(self);

	result = result < 0 ? result : link_ask(&self->link, ASK_META, &length);
	if (result < 0)
		return fail_to_start(self, result);
	const char *why = stats_take_meta(&self->stats, self->link.answer, length);
	if (!why)
		return 0;
	self->host->error(self->host, "%s: %s", path_of(self), why);
	return -EOPNOTSUPP;
}

/* ---- collecting ---------------------------------------------------------------- */

/* Requests the statistics, once for each capture; 0, or -errno after reporting the reason. */
static int ask(struct scx_stats *self)
{
	size_t length;

	self->was_asked = true;
	int result = link_ask(&self->link, ASK_STATS, &length);
	if (result < 0) {
		self->host->error(self->host, "%s: %s", path_of(self), strerror(-result));
		return result;
	}
	const char *why = stats_take_answer(&self->stats, self->link.answer, length);
	if (why) {
		self->host->error(self->host, "%s: %s", path_of(self), why);
		return -EBADMSG;
	}
	if (self->stats.is_cut)
		self->host->log(self->host, CTPROF_LOG_WARNING,
				"the scheduler has too many statistics: some are left out");
	return 0;
}

static bool put_object(struct scx_stats *self, struct ctprof_batch *batch,
		       const struct stats_object *object)
{
	const struct ctprof_host *host = self->host;
	struct text name = stats_struct(&self->stats, object);
	uint64_t row;

	if (host->object(batch, GROUP, object->name, strlen(object->name), &row) < 0)
		return false;
	stats_read(&self->stats, object, &self->entries);
	for (unsigned kind = 0; kind < N_STATS_KINDS; kind++)
		if (self->entries.n[kind] > 0)
			host->put_map(batch, row, self->slots[kind], self->entries.entries[kind],
				      self->entries.n[kind]);
		else
			host->put_absent(batch, row, self->slots[kind], CTPROF_ABSENT_INAPPLICABLE);
	host->put_text(batch, row, self->slots[STRUCT], name.p, name.len);
	return true;
}

static int collect_objects(struct scx_stats *self, struct ctprof_batch *batch)
{
	int result = self->was_asked ? 0 : ask(self);

	if (result < 0)
		return result;
	while (self->next < self->stats.n &&
	       put_object(self, batch, &self->stats.objects[self->next]))
		self->next++;
	return 0;
}

static void collect_meanings(struct scx_stats *self, struct ctprof_batch *batch)
{
	if (!self->host->wanted(self->host, self->slots[MEANINGS]))
		return;
	stats_explain(&self->stats, &self->entries);
	self->host->put_map(batch, 0, self->slots[MEANINGS], self->entries.entries[STATS_TEXTS],
			    self->entries.n[STATS_TEXTS]);
}

static int scx_stats_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)context;
	if (batch->scope == CTPROF_SCOPE_OBJECT)
		return collect_objects(self, batch);
	collect_meanings(self, batch);
	return 0;
}

/* If the scheduler was replaced, it has closed the connection: connect to its successor. */
static int scx_stats_again(void *data)
{
	struct scx_stats *self = data;

	self->was_asked = false;
	self->next = 0;
	self->stats.n = 0;
	if (self->link.fd < 0)
		(void)scx_stats_start(self);
	return 0;
}

static const struct ctprof_option options[] = {
	OPTION(PATH, "socket", "socket of the scheduler", .default_value = SOCKET),
	OPTION(TIME, "deadline", "longest wait for an answer",
	       .default_value = OPTION_TEXT(DEADLINE_MS) "ms", .least = NS_PER_MS),
};

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(KCONFIG, "CONFIG_SCHED_CLASS_EXT", "the sched_ext class"),
	NEED_PARTLY_TO_START("CAP_DAC_OVERRIDE",
			     "to connect to a socket that only root may write to"),
};

SOURCE_PLUGIN("scx-stats", SERIAL, CHEAP, "statistics that the running BPF scheduler offers",
	      SOURCE_OPS(.open = scx_stats_open, .close = scx_stats_close, .probe = scx_stats_probe,
			 .start = scx_stats_start, .collect = scx_stats_collect,
			 .again = scx_stats_again),
	      SOURCE_OPTIONS(options))
