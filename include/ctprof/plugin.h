/* SPDX-License-Identifier: 0BSD */
/*
 * The ctprof plugin interface: the part common to every kind of plugin.
 *
 * C99 and <stdint.h> only.  A plugin is a shared object that exports one
 * symbol, ctprof_plugin_entry_v1, defined by the CTPROF_PLUGIN macro below.  It
 * uses no symbols of ctprof, which is called the host here; instead, the host
 * passes a table of functions (struct ctprof_host) to the plugin's open().
 *
 * Rules for every struct of the interface:
 *
 *  - The first member is struct_size: the size the writer compiled with, in
 *    bytes.  The receiver zeroes its own copy and takes the smaller of the two
 *    sizes, so structs only ever grow at the end and 0 or NULL must mean "not
 *    given".  Members named reserved are 0.
 *  - To step through an array of structs, use the struct_size of its first
 *    element.
 *  - Enumerations are passed as uint32_t and are numbered with gaps.
 *  - A string is NUL-terminated UTF-8 unless a length is given with it; text
 *    from the host's kernel and processes is bytes of any value.
 *  - Pointers are borrowed for the duration of the call, except for the
 *    descriptor, its strings, needs, options and ops, and metric definitions,
 *    which must remain valid while the plugin is loaded.
 *  - Functions return 0 or a negative errno.  A plugin explains a negative
 *    return with host->error() first.
 */
#ifndef CTPROF_PLUGIN_H
#define CTPROF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incompatible changes increase it and rename the exported symbol; plugins of
 * another major version are rejected. */
#define CTPROF_ABI_MAJOR 1u
/* Increases with every appended member; informative. */
#define CTPROF_ABI_MINOR 6u

/* CTPROF_EXPORT makes a symbol visible; CTPROF_PRINTF has the compiler check
 * the arguments of a printf-like function. */
#if defined(__GNUC__)
#define CTPROF_EXPORT __attribute__((visibility("default")))
#define CTPROF_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CTPROF_EXPORT
#define CTPROF_PRINTF(fmt, first)
#endif

/* The kind of a plugin: struct ctprof_plugin.kind. */
enum ctprof_kind {
	CTPROF_KIND_SOURCE = 10, /* fills metric slots; ops is struct ctprof_source_ops */
	CTPROF_KIND_SINK = 20,   /* writes captures or reports; ops is struct ctprof_sink_ops */
};

/* How the host may call collect(): struct ctprof_plugin.thread_model. */
enum ctprof_thread_model {
	CTPROF_THREADS_SERIAL = 10,     /* one call at a time, from any worker */
	CTPROF_THREADS_PER_WORKER = 20, /* concurrent calls, each worker with its own context */
};

/* The cost of a capture with the plugin's groups on: struct ctprof_plugin.cost. */
enum ctprof_cost {
	CTPROF_COST_CHEAP = 10,     /* at most a few microseconds of CPU per thread */
	CTPROF_COST_MODERATE = 20,  /* tens of microseconds per thread, or a little per process */
	CTPROF_COST_EXPENSIVE = 30, /* grows with the memory of the captured processes */
};

/* The kind of a need: struct ctprof_need.kind.  A capability that no plugin declares is
 * not available, even to root: plugins do not run as user 0. */
enum ctprof_need_kind {
	CTPROF_NEED_CAPABILITY = 10, /* name is "CAP_..." */
	CTPROF_NEED_KCONFIG = 20,    /* name is "CONFIG_..." */
	CTPROF_NEED_SYSCTL = 30,     /* name is "kernel...."; why states the required value */
	CTPROF_NEED_FILE = 40,       /* name is a path below a root: "proc/<tgid>/task/<tid>/io" */
};

/* struct ctprof_need.flags */
/* A capability that only probe() and start() use: the host drops it after the
 * start() of the last source, unless another plugin needs it for longer.  Since
 * 1.3. */
#define CTPROF_NEED_UNTIL_STARTED 1u

/* A requirement of a plugin: a capability, a kernel option, a sysctl or a file. */
struct ctprof_need {
	uint32_t struct_size;
	uint32_t kind; /* enum ctprof_need_kind */
	/* 1: nothing works without it; 0: some values are absent without it. */
	uint32_t required;
	uint32_t reserved;
	const char *name; /* see enum ctprof_need_kind */
	const char *why;  /* what it provides, one clause: "io of other users' threads" */
	uint32_t flags;   /* CTPROF_NEED_*.  Since 1.3. */
};

/* The type of an option: struct ctprof_option.type.  host->option() returns the
 * value in the form in parentheses, however the user wrote it. */
enum ctprof_option_type {
	CTPROF_OPTION_BOOL = 10,  /* yes or no ("1", "0"); as a long option it takes no value */
	CTPROF_OPTION_WORD = 20,  /* one of words (that word) */
	CTPROF_OPTION_TIME = 30,  /* 500ms, 1.5s, 2 (nanoseconds, decimal) */
	CTPROF_OPTION_SIZE = 40,  /* 4096, 512MiB, 4GiB (bytes, decimal) */
	CTPROF_OPTION_COUNT = 50, /* a whole number (decimal) */
	CTPROF_OPTION_REAL = 55,  /* a number such as 0.9 (as written) */
	CTPROF_OPTION_PATH = 60,  /* a file (as written: bytes) */
	CTPROF_OPTION_TEXT = 70,  /* anything else (as written: UTF-8) */
};

/* struct ctprof_option.flags */
#define CTPROF_OPTION_LIST 1u     /* several values of the type, separated by commas */
#define CTPROF_OPTION_OPTIONAL 2u /* --NAME alone means --NAME=default_value */
/* Limits the cost of reading: also an option of commands other than capture
 * that read this host ("ctprof memory"). */
#define CTPROF_OPTION_COST 4u

/* A word that an option of type WORD takes. */
struct ctprof_option_word {
	uint32_t struct_size;
	uint32_t reserved;
	const char *name; /* without blanks and commas */
	const char *help; /* a few words, shown in parentheses; NULL: the name says enough */
	/* Slot groups that the word requests, separated by commas; NULL: none. */
	const char *groups;
};

/*
 * An option of a plugin: -O PLUGIN.name=value.  The host checks every value
 * against it before it opens the plugin, and rejects options that the plugin
 * does not declare; help, completion and 'ctprof plugins NAME' are generated
 * from it.  Since 1.2; options of a plugin with an earlier minor are passed on
 * as written, unchecked.
 */
struct ctprof_option {
	uint32_t struct_size;
	uint32_t type;    /* enum ctprof_option_type */
	uint32_t flags;   /* CTPROF_OPTION_* */
	uint32_t n_words; /* number of elements of words; type WORD: at least 1; otherwise 0 */
	/* Smallest and largest value of COUNT, REAL, TIME (nanoseconds) and SIZE
	 * (bytes); most 0: no limit. */
	uint64_t least;
	uint64_t most;
	const char *name; /* [a-z][a-z0-9-]{0,31}, unique in the plugin */
	/* Commands that capture also accept the option as --long_name, which has
	 * the form of name; NULL: they do not.  Sources that declare the same
	 * long_name all get the value; their declarations must agree in type,
	 * flags, words and range. */
	const char *long_name;
	const char *placeholder; /* the value in the help text: "TIME"; NULL: by type */
	/* The value that the plugin uses without the option, as a user would write
	 * it, for the help text; NULL: there is none.  host->option() returns NULL
	 * in either case. */
	const char *default_value;
	const char *help; /* one clause, no full stop; the host adds words and default */
	const struct ctprof_option_word *words; /* n_words elements, or NULL */
};

/* The descriptor: everything the host knows about a plugin before open(). */
struct ctprof_plugin {
	uint32_t struct_size;
	uint32_t abi_major;    /* CTPROF_ABI_MAJOR the plugin was compiled with */
	uint32_t abi_minor;    /* CTPROF_ABI_MINOR the plugin was compiled with */
	uint32_t kind;         /* enum ctprof_kind */
	uint32_t thread_model; /* enum ctprof_thread_model; sinks: always SERIAL */
	uint32_t cost;         /* enum ctprof_cost */
	uint32_t n_needs;      /* number of elements of needs */
	uint32_t reserved;
	const char *name;    /* [a-z][a-z0-9-]{0,31}, unique; the file is ctprof-NAME.so */
	const char *version; /* of the plugin, free form */
	const char *summary; /* one line, no full stop */
	const struct ctprof_need *needs; /* n_needs elements, or NULL */
	const void *ops; /* struct ctprof_source_ops or struct ctprof_sink_ops, by kind */
	/* Options of the plugin, n_options elements, or NULL.  Since 1.2. */
	const struct ctprof_option *options;
	uint32_t n_options; /* number of elements of options */
	/* Order among sources that fill the same slot: smaller numbers first, 0
	 * after all others; equal ones by name.  Since 1.2. */
	uint32_t preference;
};

/* C linkage for the entry function of a plugin in C++. */
#ifdef __cplusplus
#define CTPROF_EXTERN_C extern "C"
#else
#define CTPROF_EXTERN_C
#endif

/*
 * Exports a descriptor (struct ctprof_plugin).  Once per plugin, at file scope,
 * in C or in C++:
 *	CTPROF_PLUGIN(my_descriptor)
 */
#define CTPROF_PLUGIN(descriptor)                                                                  \
	CTPROF_EXTERN_C CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v1(void);    \
	CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v1(void)                     \
	{                                                                                          \
		return &(descriptor);                                                              \
	}

/* ---- metrics ---------------------------------------------------------- */

/* The type of a value and how a group of rows folds into one value, which depends only on the kind.
 * Absent values are not folded. */
enum ctprof_metric_kind {
	CTPROF_COUNTER = 10,  /* uint64, saturating sum; only grows while its row exists */
	CTPROF_LEVEL = 15,    /* uint64, saturating sum; an amount held now, so it has no rate */
	CTPROF_PEAK = 20,     /* uint64, max */
	CTPROF_LOW = 30,      /* uint64, min over present rows that are not 0 */
	CTPROF_GAUGE = 40,    /* uint64, max */
	CTPROF_ORDINAL = 50,  /* int64, [min, max] */
	CTPROF_CATEGORY = 60, /* text, char or bool by unit; most frequent value, then smallest */
	CTPROF_CPUSET = 70, /* set of CPU numbers; the range of their count, and the set if equal */
	CTPROF_MAP = 80,    /* text to uint64 (to text with unit TEXT); saturating sum per key */
	/* Counts of values by size, in the buckets of histogram.h; sum per bucket, each of
	 * which only grows while its row exists.  The unit is that of the values.  Since
	 * 1.6; earlier hosts reject such a metric. */
	CTPROF_HISTOGRAM = 85,
	CTPROF_LABEL = 90, /* names or describes the row; never folded; type by unit */
};

/* The buckets of a HISTOGRAM: struct ctprof_metric.buckets.  Since 1.6. */
enum ctprof_buckets {
	CTPROF_BUCKETS_QUARTERS = 10, /* four in each doubling: histogram.h */
};

/* The unit of a value.  Values are stored in it and scaled only for display. */
enum ctprof_unit {
	CTPROF_UNIT_NONE = 10,         /* a plain number */
	CTPROF_UNIT_NS = 20,           /* nanoseconds */
	CTPROF_UNIT_US = 25,           /* microseconds */
	CTPROF_UNIT_TICKS = 30,        /* USER_HZ ticks, 100 per second */
	CTPROF_UNIT_BYTES = 40,        /* bytes */
	CTPROF_UNIT_KIB = 45,          /* units of 1024 bytes */
	CTPROF_UNIT_TEXT = 50,         /* bytes without NUL */
	CTPROF_UNIT_CHAR = 60,         /* one ASCII character, put as uint64 */
	CTPROF_UNIT_BOOL = 70,         /* 0 or 1, put as uint64 */
	CTPROF_UNIT_CPUS = 80,         /* CPU numbers */
	CTPROF_UNIT_CENTIPERCENT = 90, /* hundredths of a percent */
};

/* The subject of a value, which determines the batches that have its slot. */
enum ctprof_scope {
	CTPROF_SCOPE_THREAD = 10,  /* thread batches: one row per thread */
	CTPROF_SCOPE_EXIT = 15,    /* one row per thread that ended: host->exited().  Since 1.3 */
	CTPROF_SCOPE_PROCESS = 20, /* thread batches, in the leader's row only */
	CTPROF_SCOPE_MM = 30,      /* as PROCESS, for values of the address space */
	CTPROF_SCOPE_CGROUP = 40,  /* one row per distinct cgroup of the captured threads */
	CTPROF_SCOPE_OBJECT = 45,  /* one row per object that the source adds with host->object() */
	CTPROF_SCOPE_HOST = 50,    /* one row, collected before the first thread */
	CTPROF_SCOPE_CAPTURE = 60, /* one row, collected after the last thread: tallies */
};

/* struct ctprof_metric.flags */
#define CTPROF_METRIC_ON_DEMAND 1u /* off unless requested by metric or group name */
#define CTPROF_METRIC_UNLIMITED 2u /* UINT64_MAX means "no limit" */
/* Hidden unless requested: a group of objects is shown only if the user names it
 * as a section, a value of the host only if the user names the section of the
 * host, and a value of a thread or process only if the user names the metric.
 * Since 1.2. */
#define CTPROF_METRIC_QUIET 4u
/* A counter of a thread that restarts at 0 when the process executes another
 * program, such as a memory allocator's; the kernel's counters do not.  Since
 * 1.3. */
#define CTPROF_METRIC_RESTARTS 8u
/* A value of a thread that does not change while the thread does not run.  In a
 * recording it is not read again if a source lists the thread as the same (struct
 * ctprof_listing).  Since 1.4. */
#define CTPROF_METRIC_STILL 16u

/* Whether a change of a metric is good or bad: struct ctprof_metric.polarity. */
enum ctprof_polarity {
	CTPROF_POLARITY_NEUTRAL = 0, /* neither: it depends on the workload */
	CTPROF_MORE_IS_WORSE = 10,
	CTPROF_MORE_IS_BETTER = 20,
};

/*
 * A metric, declared once by the source that fills it.  Names are unique among
 * the metrics of one kind of row (thread, process and mm scope; exit; cgroup;
 * host; capture; object).  A metric of exit scope that counts the same as one
 * of thread scope must have the same name, kind and unit, so that reports can
 * add the two.  Two sources may declare the same name for one kind of row if
 * kind, unit, scope and group agree: they then share the slot, and the first
 * source in the host's order of preference that puts a value wins.
 */
struct ctprof_metric {
	uint32_t struct_size;
	uint32_t kind;  /* enum ctprof_metric_kind */
	uint32_t unit;  /* enum ctprof_unit */
	uint32_t scope; /* enum ctprof_scope */
	uint32_t flags; /* CTPROF_METRIC_* */
	/* Position in lists, ascending; 0: after the ranked ones, in the order of
	 * registration.  Ranks below 1000 are reserved for ctprof's own plugins. */
	uint32_t rank;
	/* [a-z][a-z0-9_.]{0,63}; in cgroup, host and capture scope a dot nests:
	 * "memory.current" is the member current of the object memory. */
	const char *name;
	/* Slot group: users switch metrics on and off by group.  Well known:
	 * identity sched io smaps delay jemalloc cgroup psi scx host memory;
	 * others are [a-z][a-z0-9-]{0,31}. */
	const char *group;
	/* Scheduler class the value is limited to: "cfs-only", "non-ext",
	 * "fair-policy"; NULL: any. */
	const char *tag;
	/* Kernel options it needs, without CONFIG_, separated by blanks; NULL: none. */
	const char *gates;
	const char *help;   /* one clause, no full stop */
	const char *origin; /* kernel file and field, and the function that counts it */
	/* Whether reports call an increase worse or better (enum ctprof_polarity); only
	 * for numbers and maps of numbers.  Since 1.6. */
	uint32_t polarity;
	/* A change is called worse or better only if it is at least gate_percent percent
	 * of the baseline and also at least gate, in the metric's unit.  0: 5 percent,
	 * and an amount that depends on the unit (1 ms, 1 MiB, 1000, a twentieth of a
	 * ratio).  Since 1.6. */
	uint32_t gate_percent;
	uint64_t gate;
	uint32_t buckets; /* HISTOGRAM: enum ctprof_buckets; otherwise 0.  Since 1.6. */
	uint32_t reserved_after_buckets;
};

/*
 * Why a value is absent.  Never put 0 in its place: a source that cannot read a
 * value puts the reason.  A slot that was never put is UNSUPPORTED.  Only
 * INAPPLICABLE is not a loss: such a row is complete without the value.
 */
enum ctprof_absence {
	CTPROF_PRESENT = 0,             /* there is a value */
	CTPROF_ABSENT_UNSUPPORTED = 10, /* this kernel has no such value */
	CTPROF_ABSENT_DENIED = 20,      /* the kernel refused: EACCES, EPERM */
	CTPROF_ABSENT_VANISHED = 30,    /* the thread or process ended between two reads */
	CTPROF_ABSENT_TIMEOUT = 40,     /* a deadline or budget ran out */
	CTPROF_ABSENT_INVALID = 50,     /* read, but not in the format the kernel promises */
	CTPROF_ABSENT_SKIPPED = 60,     /* not requested, or left out to save time */
	/* The value does not apply to the row, so nothing is lost: the PSS of a
	 * kernel thread, or a value of the process in the row of a thread other
	 * than the leader. */
	CTPROF_ABSENT_INAPPLICABLE = 70,
};

/* An entry of a map, as put and as stored.  The unit of the metric decides
 * whether text or number is used. */
struct ctprof_map_entry {
	const char *key;   /* key_len bytes without NUL */
	const char *text;  /* unit TEXT: text_len bytes; otherwise NULL */
	uint32_t key_len;  /* 1 to 255 */
	uint32_t text_len; /* at most 65535 */
	uint64_t number;   /* other units */
};

/* ---- batches ---------------------------------------------------------- */

/* struct ctprof_target.flags */
#define CTPROF_TARGET_LEADER 1u /* tid == tgid */
/* Rows for sinks only: a thread whose values and states are all those of the
 * previous sample.  Since 1.4. */
#define CTPROF_TARGET_SAME 2u

/* The subject of one row of a batch. */
struct ctprof_target {
	uint32_t struct_size;
	uint32_t flags; /* CTPROF_TARGET_* */
	/* Thread batches: the process; exit batches: the process, or 0 if
	 * unknown; otherwise 0. */
	int32_t tgid;
	int32_t tid; /* thread and exit batches: the thread; otherwise 0 */
	/* Thread batches: descriptor of the directory <proc root>/<tgid>/task,
	 * borrowed for the call.  It pins the process: a process that reuses the
	 * pid cannot be read through it.  Otherwise -1. */
	int32_t task_fd;
	uint32_t path_len; /* bytes of path, without its NUL */
	/* cgroup batches: the path as the kernel prints it; object batches: the
	 * name of the object; path_len bytes and a NUL.  Otherwise NULL. */
	const char *path;
	/* Object batches: the slot group of the object; otherwise NULL.  Since 1.1. */
	const char *group;
};

/*
 * Rows to fill.  Thread batches are ordered by (tgid, tid) and may span
 * processes; a process with many threads may span batches.
 */
struct ctprof_batch {
	uint32_t struct_size;
	uint32_t scope; /* CTPROF_SCOPE_THREAD, _EXIT, _CGROUP, _OBJECT, _HOST or _CAPTURE */
	/* Number of rows, at least 1; exit and object batches: those added so far. */
	uint64_t n;
	const struct ctprof_target *targets; /* n targets: use ctprof_batch_target() */
	void *handle;                        /* for the host only */
};

/* Returns the target of row i < batch->n, also if the host's struct
 * ctprof_target is larger than the one the plugin was compiled with. */
static inline const struct ctprof_target *ctprof_batch_target(const struct ctprof_batch *batch,
							      uint64_t i)
{
	const char *base = (const char *)batch->targets;

	return (const struct ctprof_target *)(const void *)(base + i * batch->targets->struct_size);
}

/* ---- the host table --------------------------------------------------- */

/* The level of a message: host->log(). */
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
	CTPROF_WORKS = 10,  /* every value can be read */
	CTPROF_PARTLY = 20, /* some values are absent */
	CTPROF_FAILS = 30,  /* all values are absent */
};

/* How one slot group of a source works on this host: host->finding(). */
struct ctprof_finding {
	uint32_t struct_size;
	uint32_t state;     /* enum ctprof_finding_state */
	const char *group;  /* slot group */
	const char *why;    /* cause, one clause; NULL if it works */
	const char *remedy; /* a command, capability or kernel option; NULL: none known */
};

/*
 * The functions that the host offers.  The pointer given to open() stays valid
 * until close() has returned.  Every function may be called from any thread
 * unless its comment says otherwise.  The first argument is always that
 * pointer, or the batch.
 */
struct ctprof_host {
	uint32_t struct_size;
	uint32_t abi_minor; /* CTPROF_ABI_MINOR of the host */
	void *handle;       /* for the host only */

	/* Prints a message for the user (level: enum ctprof_log_level).  The host
	 * puts the plugin's name in front, escapes control bytes and adds a line
	 * end. */
	void (*log)(const struct ctprof_host *host, uint32_t level, const char *format, ...)
		CTPROF_PRINTF(3, 4);
	/* Explains, in one sentence, the negative errno about to be returned.  The
	 * last call before the return counts. */
	void (*error)(const struct ctprof_host *host, const char *format, ...) CTPROF_PRINTF(2, 3);

	/* Returns the directory descriptor of a root (enum ctprof_root), borrowed
	 * until close(), or -errno. */
	int (*root)(const struct ctprof_host *host, uint32_t which);
	/* Returns 1 if the roots are those of the running kernel, 0 for recorded
	 * trees.  Only if 1 may the plugin use system calls, sockets or the memory
	 * of other processes to read values. */
	int (*live)(const struct ctprof_host *host);
	/* Opens a file below dirfd for reading (close-on-exec, non-blocking).
	 * Returns a descriptor that the plugin must close, or -errno.  Plugins
	 * must open files only this way, so that their needs can be checked.
	 * With AT_FDCWD: a file that the user names (CTPROF_OPTION_PATH), opened
	 * with the rights of that user only; -EISDIR or -ENODEV if it is neither
	 * a file nor a pipe.  Open it once: for root, a second open may fail
	 * with -EACCES, since plugins do not run as user 0. */
	int (*open_file)(const struct ctprof_host *host, int dirfd, const char *path);
	/* Returns the value of an option of this plugin (key "smaps" for
	 * -O NAME.smaps=...), in the form of its type, borrowed until close(), or
	 * NULL if it is not given. */
	const char *(*option)(const struct ctprof_host *host, const char *key);

	/* Declares a metric and sets *ret_slot to its slot.  Only in open().
	 * Returns 0; -EINVAL: malformed; -EEXIST: the name is taken by a metric
	 * that differs in kind, unit, scope or group; -EBUSY: not in open().  The
	 * host explains these itself. */
	int (*metric)(const struct ctprof_host *host, const struct ctprof_metric *metric,
		      uint32_t *ret_slot);
	/* Returns 1 if the values of the slot are wanted, otherwise 0.  The
	 * answer does not change from start() on, except between two captures:
	 * see again(). */
	int (*wanted)(const struct ctprof_host *host, uint32_t slot);
	/* Reports how a slot group works on this host.  Only in probe(). */
	void (*finding)(const struct ctprof_host *host, const struct ctprof_finding *finding);

	/*
	 * The put functions set the value of a slot in a row, in the unit of its
	 * metric.  Only in collect(), on its batch, from the calling thread; they
	 * copy what their arguments point to.  A slot that another source has
	 * filled, or that is not wanted, is left unchanged.  A slot of another
	 * type or scope, or a row >= n, counts as a failure of the plugin.
	 */
	void (*put_u64)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t value);
	void (*put_i64)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, int64_t value);
	/* text: length bytes, at most 65535; a NUL among them ends the text. */
	void (*put_text)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, const char *text,
			 size_t length);
	/* cpus: n CPU numbers, n >= 1, ascending and unique. */
	void (*put_cpuset)(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
			   const uint32_t *cpus, size_t n);
	/* entries: n entries in any order, with unique keys; n may be 0. */
	void (*put_map)(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
			const struct ctprof_map_entry *entries, size_t n);
	/* Sets the reason why a slot has no value: enum ctprof_absence, not PRESENT. */
	void (*put_absent)(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint32_t why);
	/* Drops the whole row, because its thread has ended. */
	void (*vanished)(struct ctprof_batch *batch, uint64_t row);

	/* Sinks only, from begin() or table() on, and in report(): appends size bytes
	 * to the output.  Returns 0, or -errno if the output cannot be written; the
	 * sink must then return that errno. */
	int (*write)(const struct ctprof_host *host, const void *data, size_t size);

	/* Returns 1 if the slot of that row need not be read, because an earlier
	 * source has put a value, or UNSUPPORTED or INAPPLICABLE, which hold for
	 * every source; otherwise 0.  A source that checks every slot a file
	 * provides need not open files for complete rows.  Only in collect(),
	 * like the put functions.  Since 1.1. */
	int (*filled)(const struct ctprof_batch *batch, uint64_t row, uint32_t slot);
	/*
	 * Adds a row to an object batch, with every slot absent, and sets *ret_row
	 * to its number.  group: a slot group in which the source has declared
	 * metrics of scope OBJECT.  name: length bytes, 1 to 4096, without NUL; it
	 * is unique within the group, and the same object must have the same name
	 * in every capture, since comparing joins objects by name.  Returns 0;
	 * -ENOSPC: the batch is full, return and collect() is called again;
	 * -EINVAL: malformed, counts as a failure of the plugin.  Since 1.1.
	 */
	int (*object)(struct ctprof_batch *batch, const char *group, const char *name,
		      size_t length, uint64_t *ret_row);
	/*
	 * Adds a row to an exit batch, with every slot absent, and sets *ret_row to
	 * its number: one thread that ended since listen().  tgid: its process, or
	 * 0 if unknown; tid: the thread, at least 1; both in the initial PID
	 * namespace.  A tid may occur more than once, since the kernel reuses it.
	 * Returns 0; -ENOSPC: the batch is full, return and collect() is called
	 * again; -EINVAL: malformed, counts as a failure of the plugin.  Since 1.3.
	 */
	int (*exited)(struct ctprof_batch *batch, int32_t tgid, int32_t tid, uint64_t *ret_row);

	/* Returns the number of threads the capture is about to read, or enough if there are more:
	 * it stops counting there.  Approximate, since threads come and go.  Only in start(); 0
	 * elsewhere.  Since 1.3. */
	uint64_t (*count_threads)(const struct ctprof_host *host, uint64_t enough);

	/* Marks the process of that row as stuck for the rest of the capture: reading
	 * one of its files did not end within the deadline.  Only in collect(), on
	 * thread batches.  Since 1.4. */
	void (*mark_stuck)(struct ctprof_batch *batch, uint64_t row);
	/* Returns 1 if a source has marked the process of that row as stuck; otherwise
	 * 0.  A source that checks this before reads that can block (those that need the
	 * process's mmap lock) can put TIMEOUT instead of waiting for the same process
	 * again.  Only in collect().  Since 1.4. */
	int (*is_stuck)(const struct ctprof_batch *batch, uint64_t row);
	/* Sets a histogram, as the put functions above: counts[i] values in bucket i, for
	 * the first n buckets (at most CTPROF_BUCKETS); the others are empty.  Since
	 * 1.6. */
	void (*put_histogram)(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
			      const uint64_t *counts, size_t n);
	/* Reports that collect() has made progress; open_file() does so, too.  The host drops
	 * a plugin that makes no progress for the time of --plugin-timeout.  Only in collect(),
	 * from the calling thread.  Since 1.6. */
	void (*progress)(const struct ctprof_host *host);
	/* raise 1: if ctprof's own threads are scheduled above the load, schedules a child that
	 * the calling thread has started, and waits for, like them.  raise 0: ends that, before
	 * the child is reaped.  The child must end with the thread (PR_SET_PDEATHSIG).  Since
	 * 1.6. */
	void (*raise)(const struct ctprof_host *host, int32_t pid, int raise);
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_PLUGIN_H */
