/* SPDX-License-Identifier: 0BSD */
/*
 * ctprof plugin border, part common to every kind of plugin.
 *
 * C99 and <stdint.h> only.  A plugin is a shared object that exports one
 * symbol, ctprof_plugin_entry_v1, made by the CTPROF_PLUGIN macro below, and
 * resolves no symbol of the host: everything the host offers arrives as a
 * table of functions (struct ctprof_host) in the plugin's open().
 *
 * Rules of the border, valid for every struct here:
 *
 *  - The first member is struct_size: the size the writer compiled with.  The
 *    receiver zeroes its own copy and takes the smaller of the two sizes, so
 *    structs only ever grow at the end and 0 / NULL must mean "not given".
 *  - Arrays of structs are walked with the struct_size of their first element.
 *  - Enumerations travel as uint32_t and are numbered with gaps.
 *  - A string is NUL-terminated UTF-8 unless a length stands beside it; text
 *    that comes from the host is bytes, of any value.
 *  - Pointers handed over are borrowed for the duration of the call, except
 *    the descriptor, its strings, needs, ops and metric definitions, which
 *    must live as long as the plugin is loaded.
 *  - Functions return 0 or a negative errno; the sentence that explains a
 *    negative one is given to host->error() before returning.
 */
#ifndef CTPROF_PLUGIN_H
#define CTPROF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Breaks with the exported symbol's name; a plugin of another major is refused. */
#define CTPROF_ABI_MAJOR 1u
/* Grows with every appended member; informative. */
#define CTPROF_ABI_MINOR 0u

#if defined(__GNUC__)
#define CTPROF_EXPORT __attribute__((visibility("default")))
#define CTPROF_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CTPROF_EXPORT
#define CTPROF_PRINTF(fmt, first)
#endif

/* What a plugin is: struct ctprof_plugin.kind. */
enum ctprof_kind {
	CTPROF_KIND_SOURCE = 10, /* fills metric slots; ops is struct ctprof_source_ops */
	CTPROF_KIND_SINK = 20,   /* writes what was captured; ops is struct ctprof_sink_ops */
};

/* How the host may call collect(): struct ctprof_plugin.thread_model. */
enum ctprof_thread_model {
	CTPROF_THREADS_SERIAL = 10,     /* one call at a time, from any worker */
	CTPROF_THREADS_PER_WORKER = 20, /* workers call at once, each with its own context */
};

/* What a plugin costs the host when its groups are on: struct ctprof_plugin.cost. */
enum ctprof_cost {
	CTPROF_COST_CHEAP = 10,     /* at most a few microseconds of CPU a thread */
	CTPROF_COST_MODERATE = 20,  /* tens of microseconds a thread, or a little a process */
	CTPROF_COST_EXPENSIVE = 30, /* grows with the memory of what it looks at */
};

/* What a need is about: struct ctprof_need.kind. */
enum ctprof_need_kind {
	CTPROF_NEED_CAPABILITY = 10, /* name is "CAP_..." */
	CTPROF_NEED_KCONFIG = 20,    /* name is "CONFIG_..." */
	CTPROF_NEED_SYSCTL = 30,     /* name is "kernel....", value in why */
	CTPROF_NEED_FILE = 40,       /* name is a path below a root: "proc/<tgid>/task/<tid>/io" */
};

/* One thing a plugin needs from the kernel, the user or the system. */
struct ctprof_need {
	uint32_t struct_size;
	uint32_t kind; /* enum ctprof_need_kind */
	/* 1: nothing works without it; 0: some values are absent without it. */
	uint32_t required;
	uint32_t reserved;
	const char *name; /* see enum ctprof_need_kind */
	const char *why;  /* what it gives, one clause: "io of other users' threads" */
};

/* The descriptor: the one place that tells what a plugin is and needs. */
struct ctprof_plugin {
	uint32_t struct_size;
	uint32_t abi_major;    /* CTPROF_ABI_MAJOR the plugin was compiled with */
	uint32_t abi_minor;    /* CTPROF_ABI_MINOR likewise */
	uint32_t kind;         /* enum ctprof_kind */
	uint32_t thread_model; /* enum ctprof_thread_model; sinks: always SERIAL */
	uint32_t cost;         /* enum ctprof_cost */
	uint32_t n_needs;      /* elements of needs */
	uint32_t reserved;
	const char *name;    /* [a-z][a-z0-9-]{0,31}, unique; the file is ctprof-NAME.so */
	const char *version; /* the plugin's own, free form */
	const char *summary; /* one line, no full stop */
	const struct ctprof_need *needs;
	const void *ops; /* by kind: see source.h, sink.h */
};

/*
 * Exports a descriptor.  Once per plugin, at file scope:
 *	CTPROF_PLUGIN(my_descriptor)
 */
#define CTPROF_PLUGIN(descriptor)                                                                  \
	CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v1(void);                    \
	CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v1(void)                     \
	{                                                                                          \
		return &(descriptor);                                                              \
	}

/* ---- metrics ---------------------------------------------------------- */

/* The kind decides, alone, how a group of rows is folded into one value. */
enum ctprof_metric_kind {
	CTPROF_COUNTER = 10,  /* uint64, saturating sum */
	CTPROF_PEAK = 20,     /* uint64, max */
	CTPROF_LOW = 30,      /* uint64, min over present rows that are not 0 */
	CTPROF_GAUGE = 40,    /* uint64, max */
	CTPROF_ORDINAL = 50,  /* int64, [min, max] */
	CTPROF_CATEGORY = 60, /* text, char or bool by unit; mode, ties to the smallest */
	CTPROF_CPUSET = 70,   /* set of CPU numbers; affinity summary */
	CTPROF_MAP = 80,      /* text to uint64 (to text with unit TEXT); per-key saturating sum */
	CTPROF_LABEL = 90,    /* names or qualifies the row; never folded; type by unit */
};

enum ctprof_unit {
	CTPROF_UNIT_NONE = 10,         /* a number of things */
	CTPROF_UNIT_NS = 20,           /* nanoseconds */
	CTPROF_UNIT_US = 25,           /* microseconds */
	CTPROF_UNIT_TICKS = 30,        /* USER_HZ ticks, 100 a second */
	CTPROF_UNIT_BYTES = 40,        /* bytes */
	CTPROF_UNIT_KIB = 45,          /* units of 1024 bytes */
	CTPROF_UNIT_TEXT = 50,         /* bytes without NUL */
	CTPROF_UNIT_CHAR = 60,         /* one ASCII character, put as uint64 */
	CTPROF_UNIT_BOOL = 70,         /* 0 or 1, put as uint64 */
	CTPROF_UNIT_CPUS = 80,         /* CPU numbers */
	CTPROF_UNIT_CENTIPERCENT = 90, /* hundredths of a percent */
};

/* What one value describes.  Decides which batches carry the slot. */
enum ctprof_scope {
	CTPROF_SCOPE_THREAD = 10,
	CTPROF_SCOPE_PROCESS = 20, /* in thread batches, on the leader's row only */
	CTPROF_SCOPE_MM = 30,      /* in thread batches, on the leader's row only */
	CTPROF_SCOPE_CGROUP = 40,  /* one row per distinct cgroup of the captured threads */
	CTPROF_SCOPE_HOST = 50,    /* one row, collected before the first thread */
	CTPROF_SCOPE_CAPTURE = 60, /* one row, collected after the last thread: tallies */
};

/* struct ctprof_metric.flags */
#define CTPROF_METRIC_ON_DEMAND 1u /* off unless asked for by metric or group name */
#define CTPROF_METRIC_UNLIMITED 2u /* UINT64_MAX means "no limit" */

/*
 * A metric, declared once by the source that fills it.  Names are unique among
 * the metrics of one sort of row (thread, process and mm scope; cgroup; host;
 * capture).  Two sources may declare one name there when kind, unit, scope and
 * group agree: they then share the slot, and the first in the host's order of
 * preference that puts a value wins.
 */
struct ctprof_metric {
	uint32_t struct_size;
	uint32_t kind;  /* enum ctprof_metric_kind */
	uint32_t unit;  /* enum ctprof_unit */
	uint32_t scope; /* enum ctprof_scope */
	uint32_t flags; /* CTPROF_METRIC_* */
	/* Place in lists, ascending; 0: behind the ranked ones, as registered.
	 * Ranks below 1000 belong to ctprof's own plugins. */
	uint32_t rank;
	/* [a-z][a-z0-9_.]{0,63}; in cgroup, host and capture scope a dot nests:
	 * "memory.current" is the member current of the object memory. */
	const char *name;
	/* Slot group: the unit in which a user switches metrics on and off.
	 * Well known: identity sched io smaps delay jemalloc cgroup psi scx host
	 * memory; others are free, [a-z][a-z0-9-]{0,31}. */
	const char *group;
	/* Scheduler class the value is limited to: "cfs-only", "non-ext",
	 * "fair-policy"; NULL: any. */
	const char *tag;
	/* Kernel options it needs, without CONFIG_, blank separated; NULL: none. */
	const char *gates;
	const char *help;   /* one clause, no full stop */
	const char *origin; /* kernel file and field, and the function that counts it */
};

/*
 * Why a value is not there.  Never replaced by 0: a source that cannot read
 * says why, one that has nothing to say puts nothing (UNSUPPORTED results).
 */
enum ctprof_absence {
	CTPROF_PRESENT = 0,
	CTPROF_ABSENT_UNSUPPORTED = 10, /* this kernel, or this sort of thread, has no such value */
	CTPROF_ABSENT_DENIED = 20,      /* the kernel refused: EACCES, EPERM */
	CTPROF_ABSENT_VANISHED = 30,    /* the thread or process went away between two reads */
	CTPROF_ABSENT_TIMEOUT = 40,     /* a deadline or budget ran out */
	CTPROF_ABSENT_INVALID = 50,     /* read, but not what the file's format promises */
	CTPROF_ABSENT_SKIPPED = 60, /* not asked for; or a process value on a non-leader's row */
};

/* A map's entry, as put and as stored.  Exactly one of number/text by unit. */
struct ctprof_map_entry {
	const char *key;   /* key_len bytes, none of them NUL */
	const char *text;  /* maps of unit TEXT: text_len bytes; else NULL */
	uint32_t key_len;  /* 1..255 */
	uint32_t text_len; /* at most 65535 */
	uint64_t number;   /* other maps */
};

/* ---- batches ---------------------------------------------------------- */

/* struct ctprof_target.flags */
#define CTPROF_TARGET_LEADER 1u /* tid == tgid */

/* What one row of a batch is about. */
struct ctprof_target {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_TARGET_* */
	int32_t tgid;   /* thread batches; else 0 */
	int32_t tid;    /* thread batches; else 0 */
	/* Thread batches: directory <proc root>/<tgid>/task, borrowed for the
	 * call.  It pins the process: a reused pid cannot be read through it.
	 * -1 elsewhere. */
	int32_t task_fd;
	uint32_t path_len;
	/* cgroup batches: the path as the kernel prints it, path_len bytes and a
	 * NUL behind; else NULL. */
	const char *path;
};

/*
 * Rows to fill.  n >= 1; thread batches are ordered by (tgid, tid) and may
 * span processes; a process of many threads is spread over several batches.
 */
struct ctprof_batch {
	uint32_t struct_size;
	uint32_t scope; /* CTPROF_SCOPE_THREAD, _CGROUP, _HOST or _CAPTURE */
	uint64_t n;     /* rows */
	const struct ctprof_target *targets;
	void *handle; /* the host's */
};

/* Row i's target, whatever size of target the host was compiled with. */
static inline const struct ctprof_target *ctprof_batch_target(const struct ctprof_batch *batch,
							      uint64_t i)
{
	const char *base = (const char *)batch->targets;

	return (const struct ctprof_target *)(const void *)(base + i * batch->targets->struct_size);
}

/* ---- the host table --------------------------------------------------- */

enum ctprof_log_level {
	CTPROF_LOG_WARNING = 10, /* shown unless -q */
	CTPROF_LOG_INFO = 20,    /* shown with -v */
	CTPROF_LOG_DEBUG = 30,   /* shown with -v -v */
};

/* Roots a plugin may read below: host->root(). */
enum ctprof_root {
	CTPROF_ROOT_PROC = 10,   /* usually /proc */
	CTPROF_ROOT_SYS = 20,    /* usually /sys */
	CTPROF_ROOT_CGROUP = 30, /* usually /sys/fs/cgroup */
};

/* How well a slot group works on this host: struct ctprof_finding.state. */
enum ctprof_finding_state {
	CTPROF_WORKS = 10,
	CTPROF_PARTLY = 20,
	CTPROF_FAILS = 30,
};

/* A source's answer about one of its slot groups, given in probe(). */
struct ctprof_finding {
	uint32_t struct_size;
	uint32_t state;     /* enum ctprof_finding_state */
	const char *group;  /* slot group */
	const char *why;    /* cause, one clause; NULL when it works */
	const char *remedy; /* a command, capability or kernel option; NULL: none known */
};

/*
 * What the host lends.  The pointer given to open() stays valid until close()
 * has returned; every function may be called from any thread unless it says
 * otherwise.  First argument everywhere: that same pointer, or the batch.
 */
struct ctprof_host {
	uint32_t struct_size;
	uint32_t abi_minor; /* the host's CTPROF_ABI_MINOR */
	void *handle;       /* the host's own */

	/* A message for the user.  The plugin's name is put before it, control
	 * bytes are escaped, a line end is added. */
	void (*log)(const struct ctprof_host *host, uint32_t level, const char *format, ...)
		CTPROF_PRINTF(3, 4);
	/* The sentence that explains the negative errno about to be returned. */
	void (*error)(const struct ctprof_host *host, const char *format, ...) CTPROF_PRINTF(2, 3);

	/* Borrowed directory descriptor of a root (enum ctprof_root), or -errno. */
	int (*root)(const struct ctprof_host *host, uint32_t which);
	/* 1 when the roots show the running kernel: only then may a system call,
	 * a socket or another process's memory be asked.  0 for recorded trees. */
	int (*live)(const struct ctprof_host *host);
	/* Opens a file for reading below dirfd, close-on-exec.  Returns a
	 * descriptor the plugin closes, or -errno.  Plugins open files in no
	 * other way, so that their needs can be checked. */
	int (*open_file)(const struct ctprof_host *host, int dirfd, const char *path);
	/* The value of an option of this plugin ("smaps" for -O NAME.smaps=...),
	 * or NULL.  Lives until close(). */
	const char *(*option)(const struct ctprof_host *host, const char *key);

	/* Declares a metric and gives its slot.  Only inside open().
	 * -EINVAL: malformed; -EEXIST: the name is taken by an unlike metric. */
	int (*metric)(const struct ctprof_host *host, const struct ctprof_metric *metric,
		      uint32_t *ret_slot);
	/* 1 when somebody wants the slot's values; constant once start() is called. */
	int (*wanted)(const struct ctprof_host *host, uint32_t slot);
	/* Tells how a slot group works here.  Only inside probe(). */
	void (*finding)(const struct ctprof_host *host, const struct ctprof_finding *finding);

	/*
	 * Values.  Only inside collect(), on its batch, from the calling thread;
	 * what is pointed to is copied.  A slot that another source has filled
	 * already, or nobody wants, is left alone.  A slot of another type or
	 * scope, or a row >= n, counts as a failure of the plugin.
	 */
	void (*put_u64)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t value);
	void (*put_i64)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, int64_t value);
	/* length bytes, at most 65535; a NUL among them ends the text. */
	void (*put_text)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, const char *text,
			 size_t length);
	/* n CPU numbers, ascending, each once; n >= 1. */
	void (*put_cpuset)(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
			   const uint32_t *cpus, size_t n);
	/* n entries in any order, keys unique; n may be 0. */
	void (*put_map)(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
			const struct ctprof_map_entry *entries, size_t n);
	/* Says why a slot has no value (enum ctprof_absence, not PRESENT). */
	void (*put_absent)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint32_t why);
	/* The thread is gone: the whole row is dropped. */
	void (*vanished)(struct ctprof_batch *batch, uint64_t row);

	/* Sinks only, between begin() and end(): appends to the output.  -errno
	 * when it cannot be written; the sink then gives up with that errno. */
	int (*write)(const struct ctprof_host *host, const void *data, size_t size);
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_PLUGIN_H */
