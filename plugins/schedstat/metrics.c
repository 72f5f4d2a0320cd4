/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "descriptor.h"
#include "parse.h"

#define ROW(kind, unit, scope, name, group, flags_, help, origin, ...)                             \
	METRIC_ROW(kind, unit, scope, name, group, help, "schedstat (show_schedstat): " origin,    \
		   .gates = "SCHEDSTATS", .flags = flags_, __VA_ARGS__)

/* The same values for the host and for each CPU. */
#define CPU_ROWS(scope, prefix, group)                                                             \
	CPU_ROW(scope, NONE, prefix "yields", group, "calls of sched_yield",                       \
		"yld_count, do_sched_yield()"),                                                    \
		CPU_ROW(scope, NONE, prefix "schedules", group, "calls of the scheduler",          \
			"sched_count, schedule_debug()"),                                          \
		CPU_ROW(scope, NONE, prefix "goidle", group, "calls that left the CPU idle",       \
			"sched_goidle, set_next_task_idle()"),                                     \
		CPU_ROW(scope, NONE, prefix "wakeups", group, "threads woken",                     \
			"ttwu_count, ttwu_stat()"),                                                \
		CPU_ROW(scope, NONE, prefix "wakeups_local", group,                                \
			"threads woken on the CPU that woke them", "ttwu_local, ttwu_stat()"),     \
		CPU_ROW(scope, NS, prefix "run_time_ns", group, "time in which threads ran",       \
			"rq_cpu_time, rq_sched_info_depart()"),                                    \
		CPU_ROW(scope, NS, prefix "delay_ns", group,                                       \
			"sum of the times threads waited on run queues",                           \
			"rq_sched_info.run_delay, rq_sched_info_arrive()", WORSE),                 \
		CPU_ROW(scope, NONE, prefix "timeslices", group, "times a thread began to run",    \
			"rq_sched_info.pcount, rq_sched_info_arrive()")
#define CPU_ROW(scope, unit, name, group, help, origin, ...)                                       \
	ROW(COUNTER, unit, scope, name, group, CTPROF_METRIC_QUIET, help, origin, __VA_ARGS__)

#define LEVEL(name, help, origin)                                                                  \
	ROW(MAP, NONE, HOST, "schedstat." name, "schedstat", CTPROF_METRIC_QUIET,                  \
	    help ", by level of domains", origin)

#define DOMAIN(kind, unit, name, help, origin)                                                     \
	ROW(kind, unit, OBJECT, "domain_" name, "schedstat-domains", CTPROF_METRIC_ON_DEMAND,      \
	    help, origin)
#define COUNT(name, help, origin) DOMAIN(COUNTER, NONE, name, help, origin)
#define BALANCE(when, what, help, column) COUNT(when "_" what, help, column ", sched_balance_rq()")

/* The metrics of balancing; when: the state of the CPU at that time. */
#define BALANCE_ROWS(when, cpu)                                                                    \
	BALANCE(when, "balances", "times balanced for " cpu, "lb_count"),                          \
		BALANCE(when, "balanced", "balances that found nothing to move", "lb_balanced"),   \
		BALANCE(when, "failed", "balances that could not move a thread", "lb_failed"),     \
		BALANCE(when, "imbalance", "imbalance found, in mixed units", "lb_imbalance"),     \
		BALANCE(when, "imbalance_load", "imbalance found, as load", "lb_imbalance_load"),  \
		BALANCE(when, "imbalance_util", "imbalance found, as utilisation",                 \
			"lb_imbalance_util"),                                                      \
		BALANCE(when, "imbalance_task", "imbalance found, in threads",                     \
			"lb_imbalance_task"),                                                      \
		BALANCE(when, "imbalance_misfit", "imbalance found, of threads too big for a CPU", \
			"lb_imbalance_misfit"),                                                    \
		BALANCE(when, "pulled", "threads pulled for " cpu, "lb_gained"),                   \
		BALANCE(when, "pulled_hot", "pulled threads that were cache-hot",                  \
			"lb_hot_gained"),                                                          \
		BALANCE(when, "nobusyq", "times no busier run queue was found", "lb_nobusyq"),     \
		BALANCE(when, "nobusyg", "times no busier group was found", "lb_nobusyg")

const struct ctprof_metric schedstat_metrics[SCHEDSTAT_N_METRICS] = {
	CPU_ROWS(HOST, "schedstat.", "schedstat"),

	LEVEL("balance.busy", "times balanced for busy CPUs", "lb_count, sched_balance_rq()"),
	LEVEL("balance.idle", "times balanced for idle CPUs", "lb_count, sched_balance_rq()"),
	LEVEL("balance.newidle", "times balanced for CPUs about to go idle",
	      "lb_count, sched_balance_rq()"),
	LEVEL("pulled.busy", "threads pulled to busy CPUs", "lb_gained, sched_balance_rq()"),
	LEVEL("pulled.idle", "threads pulled to idle CPUs", "lb_gained, sched_balance_rq()"),
	LEVEL("pulled.newidle", "threads pulled to CPUs about to go idle",
	      "lb_gained, sched_balance_rq()"),
	LEVEL("pushed", "running threads pushed to another CPU",
	      "alb_pushed, active_load_balance_cpu_stop()"),
	LEVEL("wake_remote", "threads woken on a CPU other than the one that woke them",
	      "ttwu_wake_remote, ttwu_stat()"),
	LEVEL("wake_affine", "threads moved to the CPU that woke them, or near it",
	      "ttwu_move_affine, wake_affine()"),

	CPU_ROWS(OBJECT, "cpu_", "schedstat-cpus"),

	BALANCE_ROWS("busy", "the CPU while busy"),
	BALANCE_ROWS("idle", "the CPU while idle"),
	BALANCE_ROWS("newidle", "the CPU when about to go idle"),
	COUNT("active_balances", "times a running thread was to be pushed away",
	      "alb_count, active_load_balance_cpu_stop()"),
	COUNT("active_failed", "active balances that moved no thread",
	      "alb_failed, active_load_balance_cpu_stop()"),
	COUNT("active_pushed", "active balances that moved a thread",
	      "alb_pushed, active_load_balance_cpu_stop()"),
	COUNT("wake_remote", "threads woken from another CPU of the domain",
	      "ttwu_wake_remote, ttwu_stat()"),
	COUNT("wake_affine", "threads moved to the CPU that woke them, or near it",
	      "ttwu_move_affine, wake_affine()"),
	DOMAIN(LABEL, TEXT, "level", "level of the domain: SMT, MC, PKG, NUMA and others",
	       "sd->name"),
	DOMAIN(CPUSET, CPUS, "cpus", "CPUs of the domain", "sched_domain_span()"),
};
