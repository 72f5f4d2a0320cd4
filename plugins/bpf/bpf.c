/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/source.h"

#include "cgroup-paths.h"
#include "classes.h"
#include "clock.h"
#include "condition.h"
#include "decode.h"
#include "descriptor.h"
#include "exits.h"
#include "file.h"
#include "hold.h"
#include "instance.h"
#include "kernel-types.h"
#include "metrics.h"
#include "need.h"
#include "option.h"
#include "passwd.h"
#include "policy.h"
#include "sets.h"
#include "slots.h"
#include "smaps-put.h"
#include "sweep.h"

#define MOST_CPUS (8u * RECORD_CPUS_BYTES)
#define OWN_CGROUP_BYTES 8192u

struct bpf {
	const struct ctprof_host *host;
	uint32_t slots[N_RECORD_VALUES];
	uint32_t texts[N_TEXTS];
	uint32_t labels[N_LABELS];
	uint32_t tallies[N_TALLIES];
	struct smaps_slots smaps;
	struct exits exits;
	enum condition_when when;

	/* Set in start(). */
	struct decode_rules rules;
	uint16_t wanted[N_RECORD_VALUES]; /* enum record_value */
	size_t n_wanted;
	bool wanted_text[N_TEXTS];
	struct passwd_names passwd;
	uint32_t online[MOST_CPUS];
	size_t n_online; /* 0: unknown */
	struct sweep *sweep;

	/* Set when the first threads are read. */
	pthread_mutex_t lock;
	bool swept;
	bool is_whole;           /* all threads were read */
	bool no_cgroups;         /* threads here have no v2 cgroup */
	bool no_v1;              /* threads here have no v1 cgroup */
	atomic_bool new_cgroups; /* some cgroup's path was not known */
	struct cgroups *cgroups;
	struct sets sets;
	struct classes classes; /* guarded by lock */
	_Atomic uint64_t left;
};

/* ---- open and close --------------------------------------------------- */

static int register_metrics(struct bpf *self)
{
	const struct ctprof_host *host = self->host;
	int r = slots_declare(host, bpf_metrics, N_RECORD_VALUES, self->slots);

	if (r == 0)
		r = slots_declare(host, bpf_texts, N_TEXTS, self->texts);
	if (r == 0)
		r = slots_declare(host, bpf_labels, N_LABELS, self->labels);
	if (r == 0)
		r = slots_declare(host, bpf_tallies, N_TALLIES, self->tallies);
	if (r == 0)
		r = exits_declare(&self->exits, host);
	self->smaps = (struct smaps_slots){
		.map = self->texts[TEXT_SMAPS_MAP],
		.state = self->texts[TEXT_SMAPS_STATE],
		.source = self->texts[TEXT_SMAPS_SOURCE],
	};
	return r;
}

static int bpf_open(const struct ctprof_host *host, void **ret_self)
{
	struct bpf *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	self->when = condition_option(host);
	(void)pthread_mutex_init(&self->lock, NULL);
	sets_init(&self->sets);
	return instance_give(self, register_metrics(self), ret_self);
}

static void bpf_close(void *data)
{
	struct bpf *self = data;

	exits_close(&self->exits);
	sweep_free(self->sweep);
	cgroups_free(self->cgroups);
	sets_clear(&self->sets);
	passwd_clear(&self->passwd);
	(void)pthread_mutex_destroy(&self->lock);
	instance_free(self);
}

/* ---- doctor ----------------------------------------------------------- */

/* The decision for a capture of the whole host, in words. */
static const char *describe(const struct bpf *self)
{
	bool pays = condition_pays(self->when, condition_count_threads(self->host));

	if (self->when == WHEN_NEVER)
		return "bpf.when=never: not used";
	if (self->when == WHEN_ALWAYS)
		return "bpf.when=always: used";
	return pays ? "bpf.when=auto: used, as there are " OPTION_TEXT(
			      CONDITION_THREADS) " threads or more"
		    : "bpf.when=auto: not used, as there are fewer than " OPTION_TEXT(
			      CONDITION_THREADS) " threads";
}

static int bpf_probe(void *data)
{
	const struct bpf *self = data;
	struct ctprof_finding finding = FINDING_WORKS("bpf");
	struct condition_advice advice;

	finding.why = describe(self);
	if (condition_examine(self->host, &advice))
		finding_set(&finding, CTPROF_FAILS, advice.why, advice.remedy);
	self->host->finding(self->host, &finding);
	return 0;
}

/* ---- start ------------------------------------------------------------ */

static void read_online(struct bpf *self)
{
	char text[4096];
	ssize_t got = file_read_root(self->host, CTPROF_ROOT_SYS, "devices/system/cpu/online", text,
				     sizeof text);

	if (got > 0)
		self->n_online = text_cpu_list(text_trim((struct text){text, (size_t)got}),
					       self->online, MOST_CPUS);
	if (self->n_online > 0 && self->online[self->n_online - 1] >= MOST_CPUS)
		self->n_online = 0;
}

static void settle(struct bpf *self)
{
	const struct ctprof_host *host = self->host;

	self->rules = (struct decode_rules){
		.tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK),
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
		.statistics = file_is_on(host, "sys/kernel/sched_schedstats", false),
		/* Before 5.14 there is no sysctl; each thread's record shows whether it was
		 * counted. */
		.delays = file_is_on(host, "sys/kernel/task_delayacct", true),
	};
	for (uint16_t i = 0; i < N_RECORD_VALUES; i++)
		if (host->wanted(host, self->slots[i]))
			self->wanted[self->n_wanted++] = i;
	for (unsigned i = 0; i < N_TEXTS; i++)
		self->wanted_text[i] = host->wanted(host, self->texts[i]);
	if (self->wanted_text[TEXT_USER])
		passwd_read(host, &self->passwd);
	read_online(self);
}

static int load(struct bpf *self)
{
	uint32_t last_cpu = self->n_online ? self->online[self->n_online - 1] : 0;
	struct sweep_setting setting = {
		.n_values = self->rules.delays       ? N_RECORD_VALUES
			    : self->rules.statistics ? FIRST_BLOCK_DELAY
						     : FIRST_STATISTIC,
		.has_averages = slots_wanted(self->host, &self->slots[VALUE_util_avg],
					     VALUE_util_est - VALUE_util_avg + 1),
		.cpus_bytes = (last_cpu / 64 + 1) * 8,
		.ends_bytes = exits_wanted(&self->exits) ? exits_room(&self->exits) : 0,
	};
	struct types types;

	types_open(self->host, &types);
	setting.types = types.bytes;
	setting.types_len = types.len;
	int r = sweep_load(&setting, &self->sweep);
	types_close(&types);
	if (r == 0)
		return 0;
	struct condition_advice advice = condition_explain(r);
	return condition_refuse(self->host, &advice);
}

static int bpf_start(void *data)
{
	struct bpf *self = data;
	const struct ctprof_host *host = self->host;
	struct condition_advice advice;

	if (self->when == WHEN_NEVER) {
		host->error(host, "bpf.when=never");
		return -EOPNOTSUPP;
	}
	/* Used even for a few threads: no other source knows all CPU time of threads that end. */
	if (host->live(host) && self->when == WHEN_AUTO && !exits_wanted(&self->exits) &&
	    !condition_pays(self->when, condition_count_captured(host))) {
		host->error(host,
			    "bpf.when=auto: it saves time from %d threads on, and there are fewer "
			    "(-O bpf.when=always)",
			    CONDITION_THREADS);
		return -EOPNOTSUPP;
	}
	if (condition_examine(host, &advice))
		return condition_refuse(self->host, &advice);
	settle(self);
	return load(self);
}

/* ---- the sweep -------------------------------------------------------- */

static void find_cgroups(struct bpf *self)
{
	char buf[OWN_CGROUP_BYTES];
	struct live_record own;
	bool is_taken;
	ssize_t got = file_read_root(self->host, CTPROF_ROOT_PROC, "self/cgroup", buf, sizeof buf);
	struct text own_path = cgroups_parse_own((struct text){buf, got > 0 ? (size_t)got : 0});

	self->no_cgroups = got >= 0 && own_path.len == 0;
	self->no_v1 = got > 0 && !cgroup_lines_have_v1((struct text){buf, (size_t)got});
	if (own_path.len > 0 && sweep_find(self->sweep, getpid(), getpid(), &own, &is_taken))
		self->cgroups = cgroups_new(self->host, own.record.cgroup, own_path);
}

/* The first worker that calls this reads all threads; the others wait for it. */
static void sweep_once(struct bpf *self)
{
	HOLD(&self->lock);

	if (self->swept)
		return;
	int r = sweep_run(self->sweep);
	self->is_whole = r == 0;
	if (r < 0)
		self->host->log(self->host, CTPROF_LOG_INFO, "not all threads could be read: %s",
				strerror(-r));
	if (!self->cgroups && (self->wanted_text[TEXT_CGROUP] || self->wanted_text[TEXT_CGROUP_V1]))
		find_cgroups(self);
	classes_init(&self->classes, self->host);
	self->swept = true;
}

/* ---- one thread ------------------------------------------------------- */

/* The row being filled. */
struct cell {
	struct bpf *self;
	struct ctprof_batch *batch;
	uint64_t row;
	const struct record *record;
	const unsigned char *cpus;
	struct decoded *decoded;
};

static void put_values(const struct cell *cell)
{
	const struct bpf *self = cell->self;
	const struct ctprof_host *host = self->host;

	for (size_t i = 0; i < self->n_wanted; i++) {
		unsigned value = self->wanted[i];

		if (cell->decoded->why[value] != DECODE_LEFT)
			bpf_metric_put(host, cell->batch, cell->row, self->slots[value], value,
				       cell->decoded->why[value], cell->decoded->value[value]);
	}
}

static void put_text(const struct cell *cell, enum bpf_text text, const char *p, size_t len)
{
	const struct bpf *self = cell->self;

	if (self->wanted_text[text])
		self->host->put_text(cell->batch, cell->row, self->texts[text], p, len);
}

/* The names of kernel threads are longer than comm, and are left to procfs. */
static void put_names(const struct cell *cell)
{
	const struct record *record = cell->record;

	if (!(record->flags & RECORD_KERNEL_THREAD))
		put_text(cell, TEXT_COMM, record->comm, sizeof record->comm);
	if (!(record->flags & RECORD_LEADER_KERNEL))
		put_text(cell, TEXT_PCOMM, record->pcomm, sizeof record->pcomm);
	if (record->tid == record->tgid)
		passwd_put(&cell->self->passwd, cell->self->host, cell->batch, cell->row,
			   cell->self->texts[TEXT_USER], record->value[VALUE_uid]);
}

/* proc_cgroup_show() shows "/" in v1 once a thread has begun to end. */
static bool find_v1(const struct cell *cell, const char *path, struct set *ret)
{
	struct bpf *self = cell->self;

	*ret = (struct set){.n = 0};
	if (self->no_v1)
		return true;
	if (cell->record->flags & RECORD_EXITING)
		return path && strcmp(path, "/") == 0;
	return sets_find(&self->sets, self->host, ctprof_batch_target(cell->batch, cell->row),
			 cell->record->css_set, path, ret);
}

static void put_cgroup_v1(const struct cell *cell, const char *path)
{
	const struct ctprof_host *host = cell->self->host;
	uint32_t slot = cell->self->texts[TEXT_CGROUP_V1];
	struct set set;

	if (!find_v1(cell, path, &set))
		return;
	if (set.n == 0)
		host->put_absent(cell->batch, cell->row, slot, CTPROF_ABSENT_INAPPLICABLE);
	else
		host->put_map(cell->batch, cell->row, slot, set.entries, set.n);
}

static void put_cgroup(const struct cell *cell)
{
	const struct bpf *self = cell->self;
	const char *path = self->cgroups ? cgroups_find(self->cgroups, cell->record->cgroup) : NULL;

	if (self->cgroups && !path)
		atomic_store(&cell->self->new_cgroups, true);
	if (self->no_cgroups)
		self->host->put_absent(cell->batch, cell->row, self->texts[TEXT_CGROUP],
				       CTPROF_ABSENT_UNSUPPORTED);
	else if (path)
		put_text(cell, TEXT_CGROUP, path, strlen(path));
	if (self->wanted_text[TEXT_CGROUP_V1])
		put_cgroup_v1(cell, path);
}

static void put_policy(const struct cell *cell)
{
	char store[POLICY_NAME_BYTES];
	struct text name = policy_name((int32_t)cell->record->policy, store);

	put_text(cell, TEXT_POLICY, name.p, name.len);
}

/* Only online CPUs, as sched_getaffinity() reports them. */
static void put_affinity(const struct cell *cell)
{
	const struct bpf *self = cell->self;
	uint32_t cpus[MOST_CPUS];
	size_t n = 0;

	for (size_t i = 0; i < self->n_online; i++) {
		uint32_t cpu = self->online[i];

		if (cell->cpus[cpu / 8] >> cpu % 8 & 1)
			cpus[n++] = cpu;
	}
	if (n > 0)
		self->host->put_cpuset(cell->batch, cell->row, self->texts[TEXT_AFFINITY], cpus, n);
}

static void put_labels(const struct cell *cell)
{
	const struct bpf *self = cell->self;
	uint32_t flags = cell->record->flags;
	const bool labels[N_LABELS] = {
		[LABEL_MEASURED] = true,
		[LABEL_CPU_DELAY] = flags & RECORD_HAS_DELAYS,
		[LABEL_BLOCK_DELAYS] = self->rules.delays && flags & RECORD_DELAYS_COUNTED,
		[LABEL_PEAKS] = flags & RECORD_HAS_PEAKS,
	};

	for (size_t i = 0; i < N_LABELS; i++)
		self->host->put_u64(cell->batch, cell->row, self->labels[i], labels[i]);
}

/* A kernel thread has no memory, which can be reported without reading a file. */
static void put_smaps(const struct cell *cell)
{
	const struct smaps_answer answer = {.row = cell->row, .end = SMAPS_NOT_APPLICABLE};

	if (cell->record->flags & RECORD_KERNEL_THREAD && cell->self->wanted_text[TEXT_SMAPS_STATE])
		smaps_put(cell->self->host, cell->batch, &cell->self->smaps, &answer);
}

static void decide_ext(const struct cell *cell)
{
	struct bpf *self = cell->self;
	bool ext = false;

	if (cell->decoded->why[VALUE_ext_enabled] != DECODE_LEFT ||
	    !self->host->wanted(self->host, self->slots[VALUE_ext_enabled]))
		return;
	HOLD(&self->lock);
	if (classes_ask(&self->classes, self->host, ctprof_batch_target(cell->batch, cell->row),
			cell->record->sched_class, &ext)) {
		cell->decoded->why[VALUE_ext_enabled] = CTPROF_PRESENT;
		cell->decoded->value[VALUE_ext_enabled] = ext;
	}
}

static void put_thread(const struct cell *cell)
{
	decode_record(&cell->self->rules, cell->record, cell->decoded);
	decide_ext(cell);
	put_values(cell);
	put_names(cell);
	put_cgroup(cell);
	put_policy(cell);
	if (cell->self->wanted_text[TEXT_AFFINITY])
		put_affinity(cell);
	put_labels(cell);
	put_smaps(cell);
}

static void collect_threads(struct bpf *self, struct ctprof_batch *batch)
{
	struct live_record live_rec;
	struct decoded decoded;
	uint64_t left = 0;

	sweep_once(self);
	for (uint64_t row = 0; row < batch->n; row++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, row);
		struct cell cell = {self, batch, row, &live_rec.record, live_rec.cpus, &decoded};

		if (sweep_take(self->sweep, target->tgid, target->tid, &live_rec))
			put_thread(&cell);
		else
			left++;
	}
	atomic_fetch_add(&self->left, left);
}

static void put_tallies(const struct bpf *self, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = self->host;
	const char *when = condition_words[self->when].name;

	exits_put_tallies(&self->exits, batch);
	if (!self->swept)
		return;
	host->put_text(batch, 0, self->tallies[TALLY_WHEN], when, strlen(when));
	host->put_u64(batch, 0, self->tallies[TALLY_THREADS], sweep_count(self->sweep));
	host->put_u64(batch, 0, self->tallies[TALLY_LEFT], atomic_load(&self->left));
	host->put_u64(batch, 0, self->tallies[TALLY_SPAN], sweep_span(self->sweep));
}

static int bpf_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct bpf *self = data;

	(void)context;
	if (batch->scope == CTPROF_SCOPE_THREAD)
		collect_threads(self, batch);
	if (batch->scope == CTPROF_SCOPE_EXIT) {
		sweep_once(self);
		return exits_collect(&self->exits, batch, &self->rules, self->cgroups);
	}
	if (batch->scope == CTPROF_SCOPE_CAPTURE)
		put_tallies(self, batch);
	return 0;
}

static int bpf_list(void *data, const struct ctprof_listing *listing)
{
	struct bpf *self = data;

	sweep_once(self);
	if (!self->is_whole)
		return -EAGAIN;
	sweep_list(self->sweep, listing);
	return 0;
}

static int bpf_listen(void *data)
{
	struct bpf *self = data;

	return exits_listen(&self->exits, self->sweep);
}

static int bpf_drain(void *data)
{
	struct bpf *self = data;

	return exits_drain(&self->exits);
}

/* The paths of cgroups are read again if one was not known. */
static int bpf_again(void *data)
{
	struct bpf *self = data;
	int r = sweep_again(self->sweep);

	if (r < 0) {
		struct condition_advice advice = condition_explain(r);

		return condition_refuse(self->host, &advice);
	}
	if (atomic_exchange(&self->new_cgroups, false)) {
		cgroups_free(self->cgroups);
		self->cgroups = NULL;
	}
	/* The address may belong to another css_set by now. */
	sets_clear(&self->sets);
	sets_init(&self->sets);
	exits_again(&self->exits);
	self->swept = false;
	atomic_store(&self->left, 0);
	return 0;
}

static const struct ctprof_need needs[] = {
	NEED_TO_START("CAP_BPF", "to load programs into the kernel"),
	NEED_TO_START("CAP_PERFMON", "to let them read the kernel's memory"),
	BPF_NEEDS,
	NEED_PARTLY(FILE, "sys/kernel/sched_ext/state", "whether a sched_ext scheduler runs"),
	NEED_PARTLY(FILE, "sys/devices/system/cpu/online", "CPUs a thread may run on"),
	NEED_PARTLY(FILE, "proc/self/cgroup", "the paths of cgroups"),
	NEED_PARTLY(FILE, "proc/loadavg", "how many threads there are"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/sched", "whether its class is sched_ext"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cgroup", "paths in v1 controllers"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/stat", "whether a thread still runs"),
	NEED_PARTLY(FILE, "proc/sys/kernel/sched_schedstats", "whether the statistics are on"),
	NEED_PARTLY(FILE, "proc/sys/kernel/task_delayacct", "whether delays are counted"),
	NEED_PARTLY(FILE, "cgroup/<path>", "the paths of cgroups"),
};

static const struct ctprof_option options[] = {
	OPTION(WORD, "when", "whether to read threads by BPF programs", .default_value = "auto",
	       OPTION_WORDS(condition_words)),
	OPTION(SIZE, EXITS_OPTION, "Size of the buffer for records of threads that ended",
	       .default_value = EXITS_BUFFER, .least = EXITS_BUFFER_MIN, .most = EXITS_BUFFER_MAX),
};

SOURCE_PLUGIN(
	"bpf", PER_WORKER, CHEAP,
	"The thread values of procfs and taskstats, read by BPF programs in a fraction of the time",
	SOURCE_OPS(.open = bpf_open, .close = bpf_close, .probe = bpf_probe, .start = bpf_start,
		   .collect = bpf_collect, .listen = bpf_listen, .drain = bpf_drain,
		   .again = bpf_again, .list = bpf_list),
	SOURCE_OPTIONS(options), .preference = 5)
