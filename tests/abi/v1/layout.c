/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ABI 1 as it was released, in numbers, for 64-bit machines. Compiled against
 * the headers of then and of now: a struct may only grow at its end, a number
 * may not change. Nothing here is ever edited; what is new goes behind it.
 */
#include "ctprof/plugin.h"
#include "ctprof/sink.h"
#include "ctprof/source.h"

#define AT_LEAST(type, size) _Static_assert(sizeof(struct type) >= (size), #type " shrank")
#define EXACTLY(type, size) _Static_assert(sizeof(struct type) == (size), #type " changed its size")
#define MEMBER(type, member, offset, size)                                                         \
	_Static_assert(offsetof(struct type, member) == (offset) &&                                \
			       sizeof(((struct type *)0)->member) == (size),                       \
		       #type "." #member " moved or changed its size")
#define VALUE(name, number) _Static_assert((name) == (number), #name " changed")

_Static_assert(CTPROF_ABI_MAJOR == 1, "another major needs a folder of its own");

/* A struct that tells its own size may be longer now; one that does not, never. */
AT_LEAST(ctprof_need, 32);
MEMBER(ctprof_need, struct_size, 0, 4);
MEMBER(ctprof_need, kind, 4, 4);
MEMBER(ctprof_need, required, 8, 4);
MEMBER(ctprof_need, reserved, 12, 4);
MEMBER(ctprof_need, name, 16, 8);
MEMBER(ctprof_need, why, 24, 8);

AT_LEAST(ctprof_plugin, 72);
MEMBER(ctprof_plugin, struct_size, 0, 4);
MEMBER(ctprof_plugin, abi_major, 4, 4);
MEMBER(ctprof_plugin, abi_minor, 8, 4);
MEMBER(ctprof_plugin, kind, 12, 4);
MEMBER(ctprof_plugin, thread_model, 16, 4);
MEMBER(ctprof_plugin, cost, 20, 4);
MEMBER(ctprof_plugin, n_needs, 24, 4);
MEMBER(ctprof_plugin, reserved, 28, 4);
MEMBER(ctprof_plugin, name, 32, 8);
MEMBER(ctprof_plugin, version, 40, 8);
MEMBER(ctprof_plugin, summary, 48, 8);
MEMBER(ctprof_plugin, needs, 56, 8);
MEMBER(ctprof_plugin, ops, 64, 8);

AT_LEAST(ctprof_metric, 72);
MEMBER(ctprof_metric, struct_size, 0, 4);
MEMBER(ctprof_metric, kind, 4, 4);
MEMBER(ctprof_metric, unit, 8, 4);
MEMBER(ctprof_metric, scope, 12, 4);
MEMBER(ctprof_metric, flags, 16, 4);
MEMBER(ctprof_metric, rank, 20, 4);
MEMBER(ctprof_metric, name, 24, 8);
MEMBER(ctprof_metric, group, 32, 8);
MEMBER(ctprof_metric, tag, 40, 8);
MEMBER(ctprof_metric, gates, 48, 8);
MEMBER(ctprof_metric, help, 56, 8);
MEMBER(ctprof_metric, origin, 64, 8);

EXACTLY(ctprof_map_entry, 32);
MEMBER(ctprof_map_entry, key, 0, 8);
MEMBER(ctprof_map_entry, text, 8, 8);
MEMBER(ctprof_map_entry, key_len, 16, 4);
MEMBER(ctprof_map_entry, text_len, 20, 4);
MEMBER(ctprof_map_entry, number, 24, 8);

AT_LEAST(ctprof_target, 32);
MEMBER(ctprof_target, struct_size, 0, 4);
MEMBER(ctprof_target, flags, 4, 4);
MEMBER(ctprof_target, tgid, 8, 4);
MEMBER(ctprof_target, tid, 12, 4);
MEMBER(ctprof_target, task_fd, 16, 4);
MEMBER(ctprof_target, path_len, 20, 4);
MEMBER(ctprof_target, path, 24, 8);

AT_LEAST(ctprof_batch, 32);
MEMBER(ctprof_batch, struct_size, 0, 4);
MEMBER(ctprof_batch, scope, 4, 4);
MEMBER(ctprof_batch, n, 8, 8);
MEMBER(ctprof_batch, targets, 16, 8);
MEMBER(ctprof_batch, handle, 24, 8);

AT_LEAST(ctprof_finding, 32);
MEMBER(ctprof_finding, struct_size, 0, 4);
MEMBER(ctprof_finding, state, 4, 4);
MEMBER(ctprof_finding, group, 8, 8);
MEMBER(ctprof_finding, why, 16, 8);
MEMBER(ctprof_finding, remedy, 24, 8);

AT_LEAST(ctprof_host, 152);
MEMBER(ctprof_host, struct_size, 0, 4);
MEMBER(ctprof_host, abi_minor, 4, 4);
MEMBER(ctprof_host, handle, 8, 8);
MEMBER(ctprof_host, log, 16, 8);
MEMBER(ctprof_host, error, 24, 8);
MEMBER(ctprof_host, root, 32, 8);
MEMBER(ctprof_host, live, 40, 8);
MEMBER(ctprof_host, open_file, 48, 8);
MEMBER(ctprof_host, option, 56, 8);
MEMBER(ctprof_host, metric, 64, 8);
MEMBER(ctprof_host, wanted, 72, 8);
MEMBER(ctprof_host, finding, 80, 8);
MEMBER(ctprof_host, put_u64, 88, 8);
MEMBER(ctprof_host, put_i64, 96, 8);
MEMBER(ctprof_host, put_text, 104, 8);
MEMBER(ctprof_host, put_cpuset, 112, 8);
MEMBER(ctprof_host, put_map, 120, 8);
MEMBER(ctprof_host, put_absent, 128, 8);
MEMBER(ctprof_host, vanished, 136, 8);
MEMBER(ctprof_host, write, 144, 8);

AT_LEAST(ctprof_source_ops, 64);
MEMBER(ctprof_source_ops, struct_size, 0, 4);
MEMBER(ctprof_source_ops, reserved, 4, 4);
MEMBER(ctprof_source_ops, open, 8, 8);
MEMBER(ctprof_source_ops, close, 16, 8);
MEMBER(ctprof_source_ops, probe, 24, 8);
MEMBER(ctprof_source_ops, start, 32, 8);
MEMBER(ctprof_source_ops, worker_open, 40, 8);
MEMBER(ctprof_source_ops, worker_close, 48, 8);
MEMBER(ctprof_source_ops, collect, 56, 8);

EXACTLY(ctprof_text, 8);
MEMBER(ctprof_text, length, 0, 4);
MEMBER(ctprof_text, bytes, 4, 1);

EXACTLY(ctprof_cpus, 8);
MEMBER(ctprof_cpus, n, 0, 4);
MEMBER(ctprof_cpus, cpus, 4, 4);

EXACTLY(ctprof_map, 40);
MEMBER(ctprof_map, n, 0, 8);
MEMBER(ctprof_map, entries, 8, 32);

AT_LEAST(ctprof_metric_info, 32);
MEMBER(ctprof_metric_info, struct_size, 0, 4);
MEMBER(ctprof_metric_info, index, 4, 4);
MEMBER(ctprof_metric_info, type, 8, 4);
MEMBER(ctprof_metric_info, wanted, 12, 4);
MEMBER(ctprof_metric_info, metric, 16, 8);
MEMBER(ctprof_metric_info, plugin, 24, 8);

AT_LEAST(ctprof_fact, 24);
MEMBER(ctprof_fact, struct_size, 0, 4);
MEMBER(ctprof_fact, reserved, 4, 4);
MEMBER(ctprof_fact, key, 8, 8);
MEMBER(ctprof_fact, value, 16, 8);

AT_LEAST(ctprof_capture, 72);
MEMBER(ctprof_capture, struct_size, 0, 4);
MEMBER(ctprof_capture, jobs, 4, 4);
MEMBER(ctprof_capture, realtime_ns, 8, 8);
MEMBER(ctprof_capture, monotonic_ns, 16, 8);
MEMBER(ctprof_capture, n_metrics, 24, 8);
MEMBER(ctprof_capture, metrics, 32, 8);
MEMBER(ctprof_capture, n_options, 40, 8);
MEMBER(ctprof_capture, options, 48, 8);
MEMBER(ctprof_capture, version, 56, 8);
MEMBER(ctprof_capture, kernel, 64, 8);

AT_LEAST(ctprof_rows, 48);
MEMBER(ctprof_rows, struct_size, 0, 4);
MEMBER(ctprof_rows, scope, 4, 4);
MEMBER(ctprof_rows, n, 8, 8);
MEMBER(ctprof_rows, n_slots, 16, 8);
MEMBER(ctprof_rows, targets, 24, 8);
MEMBER(ctprof_rows, values, 32, 8);
MEMBER(ctprof_rows, states, 40, 8);

AT_LEAST(ctprof_plugin_report, 64);
MEMBER(ctprof_plugin_report, struct_size, 0, 4);
MEMBER(ctprof_plugin_report, state, 4, 4);
MEMBER(ctprof_plugin_report, kind, 8, 4);
MEMBER(ctprof_plugin_report, reserved, 12, 4);
MEMBER(ctprof_plugin_report, batches, 16, 8);
MEMBER(ctprof_plugin_report, failures, 24, 8);
MEMBER(ctprof_plugin_report, cpu_ns, 32, 8);
MEMBER(ctprof_plugin_report, name, 40, 8);
MEMBER(ctprof_plugin_report, version, 48, 8);
MEMBER(ctprof_plugin_report, why, 56, 8);

AT_LEAST(ctprof_capture_end, 80);
MEMBER(ctprof_capture_end, struct_size, 0, 4);
MEMBER(ctprof_capture_end, reserved, 4, 4);
MEMBER(ctprof_capture_end, realtime_ns, 8, 8);
MEMBER(ctprof_capture_end, monotonic_ns, 16, 8);
MEMBER(ctprof_capture_end, threads, 24, 8);
MEMBER(ctprof_capture_end, processes, 32, 8);
MEMBER(ctprof_capture_end, vanished, 40, 8);
MEMBER(ctprof_capture_end, cpu_ns, 48, 8);
MEMBER(ctprof_capture_end, peak_rss_bytes, 56, 8);
MEMBER(ctprof_capture_end, n_plugins, 64, 8);
MEMBER(ctprof_capture_end, plugins, 72, 8);

AT_LEAST(ctprof_sink_ops, 48);
MEMBER(ctprof_sink_ops, struct_size, 0, 4);
MEMBER(ctprof_sink_ops, reserved, 4, 4);
MEMBER(ctprof_sink_ops, open, 8, 8);
MEMBER(ctprof_sink_ops, close, 16, 8);
MEMBER(ctprof_sink_ops, begin, 24, 8);
MEMBER(ctprof_sink_ops, rows, 32, 8);
MEMBER(ctprof_sink_ops, end, 40, 8);

VALUE(CTPROF_KIND_SOURCE, 10);
VALUE(CTPROF_KIND_SINK, 20);
VALUE(CTPROF_THREADS_SERIAL, 10);
VALUE(CTPROF_THREADS_PER_WORKER, 20);
VALUE(CTPROF_COST_CHEAP, 10);
VALUE(CTPROF_COST_MODERATE, 20);
VALUE(CTPROF_COST_EXPENSIVE, 30);
VALUE(CTPROF_NEED_CAPABILITY, 10);
VALUE(CTPROF_NEED_KCONFIG, 20);
VALUE(CTPROF_NEED_SYSCTL, 30);
VALUE(CTPROF_NEED_FILE, 40);
VALUE(CTPROF_COUNTER, 10);
VALUE(CTPROF_PEAK, 20);
VALUE(CTPROF_LOW, 30);
VALUE(CTPROF_GAUGE, 40);
VALUE(CTPROF_ORDINAL, 50);
VALUE(CTPROF_CATEGORY, 60);
VALUE(CTPROF_CPUSET, 70);
VALUE(CTPROF_MAP, 80);
VALUE(CTPROF_LABEL, 90);
VALUE(CTPROF_UNIT_NONE, 10);
VALUE(CTPROF_UNIT_NS, 20);
VALUE(CTPROF_UNIT_US, 25);
VALUE(CTPROF_UNIT_TICKS, 30);
VALUE(CTPROF_UNIT_BYTES, 40);
VALUE(CTPROF_UNIT_KIB, 45);
VALUE(CTPROF_UNIT_TEXT, 50);
VALUE(CTPROF_UNIT_CHAR, 60);
VALUE(CTPROF_UNIT_BOOL, 70);
VALUE(CTPROF_UNIT_CPUS, 80);
VALUE(CTPROF_UNIT_CENTIPERCENT, 90);
VALUE(CTPROF_SCOPE_THREAD, 10);
VALUE(CTPROF_SCOPE_PROCESS, 20);
VALUE(CTPROF_SCOPE_MM, 30);
VALUE(CTPROF_SCOPE_CGROUP, 40);
VALUE(CTPROF_SCOPE_HOST, 50);
VALUE(CTPROF_SCOPE_CAPTURE, 60);
VALUE(CTPROF_PRESENT, 0);
VALUE(CTPROF_ABSENT_UNSUPPORTED, 10);
VALUE(CTPROF_ABSENT_DENIED, 20);
VALUE(CTPROF_ABSENT_VANISHED, 30);
VALUE(CTPROF_ABSENT_TIMEOUT, 40);
VALUE(CTPROF_ABSENT_INVALID, 50);
VALUE(CTPROF_ABSENT_SKIPPED, 60);
VALUE(CTPROF_LOG_WARNING, 10);
VALUE(CTPROF_LOG_INFO, 20);
VALUE(CTPROF_LOG_DEBUG, 30);
VALUE(CTPROF_ROOT_PROC, 10);
VALUE(CTPROF_ROOT_SYS, 20);
VALUE(CTPROF_ROOT_CGROUP, 30);
VALUE(CTPROF_WORKS, 10);
VALUE(CTPROF_PARTLY, 20);
VALUE(CTPROF_FAILS, 30);
VALUE(CTPROF_METRIC_ON_DEMAND, 1);
VALUE(CTPROF_METRIC_UNLIMITED, 2);
VALUE(CTPROF_TYPE_U64, 10);
VALUE(CTPROF_TYPE_I64, 20);
VALUE(CTPROF_TYPE_TEXT, 30);
VALUE(CTPROF_TYPE_CPUS, 40);
VALUE(CTPROF_TYPE_MAP, 50);
VALUE(CTPROF_STATE_LIVE, 10);
VALUE(CTPROF_STATE_LEFT_OUT, 20);
VALUE(CTPROF_STATE_FAILED, 30);
