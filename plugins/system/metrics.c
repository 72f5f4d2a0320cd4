/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "descriptor.h"
#include "parse.h"

#define HOST(kind, unit, name, gates_, help, origin, ...)                                          \
	METRIC_ROW(kind, unit, HOST, "system." name, "system", help, origin, .gates = gates_,      \
		   .flags = CTPROF_METRIC_QUIET, __VA_ARGS__)
#define STAT(kind, unit, name, help, origin, ...)                                                  \
	HOST(kind, unit, name, NULL, help, "stat (show_stat): " origin, __VA_ARGS__)
#define CPU(name, help, origin, ...)                                                               \
	STAT(COUNTER, TICKS, "cpu." name, help, "cpu, " origin, __VA_ARGS__)
#define LOAD(kind, unit, name, help, origin)                                                       \
	HOST(kind, unit, "load." name, NULL, help, "loadavg (loadavg_proc_show): " origin)
#define LOAD_AVERAGE(name, time)                                                                   \
	LOAD(GAUGE, CENTIPERCENT, name, "load average of " time "; 100 % is one thread",           \
	     "calc_global_load()")
#define VMSTAT(unit, name, gates, help, function, ...)                                             \
	HOST(COUNTER, unit, "vmstat." name, gates, help,                                           \
	     "vmstat (vmstat_show): " name ", " function, __VA_ARGS__)
#define PAGING(name, help, function, ...) VMSTAT(NONE, name, NULL, help, function, __VA_ARGS__)
#define SCAN(name, help) PAGING(name, help, "shrink_inactive_list()")
#define REFAULT(name, help) PAGING(name, help, "workingset_refault()", WORSE)
#define SWAP(name, help, function) VMSTAT(NONE, name, "SWAP", help, function, WORSE)
#define ZSWAP(name, help, function) VMSTAT(NONE, name, "ZSWAP", help, function)
#define THP(name, help, function) VMSTAT(NONE, name, "TRANSPARENT_HUGEPAGE", help, function)
#define COMPACT(name, help)                                                                        \
	VMSTAT(NONE, name, "COMPACTION", help, "__alloc_pages_direct_compact()", WORSE)
#define NUMA(name, help, function) VMSTAT(NONE, name, "NUMA_BALANCING", help, function)
#define MEMORY(name, help, origin)                                                                 \
	HOST(LEVEL, KIB, name, NULL, help, "meminfo (meminfo_proc_show): " origin)
#define DISKS(name, help, sectors)                                                                 \
	HOST(COUNTER, BYTES, "disk." name, NULL,                                                   \
	     help ", without devices on top of others or in memory",                               \
	     "diskstats (diskstats_show): sum of " sectors " sectors of 512 bytes")
#define DISK(kind, unit, name, help, origin)                                                       \
	METRIC_ROW(kind, unit, OBJECT, "disk_" name, "system-disks", help,                         \
		   "diskstats (diskstats_show): " origin, .flags = CTPROF_METRIC_QUIET)
#define DISK_IO(unit, name, help, origin)                                                          \
	DISK(COUNTER, unit, name, help, origin ", blk_account_io_done()")
#define NET(unit, name, help, ...)                                                                 \
	METRIC_ROW(COUNTER, unit, OBJECT, "net_" name, "system-net", help,                         \
		   "net/dev (dev_seq_printf_stats): dev_get_stats()",                              \
		   .flags = CTPROF_METRIC_QUIET, __VA_ARGS__)

/* clang-format off */
const struct ctprof_metric system_metrics[SYSTEM_N_METRICS] = {
	CPU("user", "time of all CPUs in user mode, guests included", "account_user_time()"),
	CPU("nice", "user-mode time of threads with a nice value above 0", "account_user_time()"),
	CPU("system", "time of all CPUs in the kernel", "account_system_time()"),
	CPU("idle", "time of all CPUs with nothing to run, an estimate that may fall", "get_idle_time()"),
	CPU("iowait", "idle time while threads of that CPU had I/O in progress, an estimate that may fall", "get_iowait_time()"),
	CPU("irq", "time of all CPUs in interrupts", "account_system_index_time()"),
	CPU("softirq", "time of all CPUs in soft interrupts", "account_system_index_time()"),
	CPU("steal", "time in which the hypervisor ran something else", "account_steal_time()", WORSE),
	CPU("guest", "part of user in which guests ran", "account_guest_time()"),
	CPU("guest_nice", "part of nice in which guests ran", "account_guest_time()"),
	STAT(LEVEL, NONE, "cpu.online", "CPUs that run threads", "lines cpuN, cpu_online_mask"),
	STAT(COUNTER, NONE, "intr", "interrupts", "intr, kstat_incr_irq_this_cpu()"),
	STAT(COUNTER, NONE, "ctxt", "context switches", "ctxt, __schedule()"),
	STAT(LABEL, NONE, "btime", "when the host was booted, in seconds since 1970", "btime, getboottime64()"),
	STAT(COUNTER, NONE, "processes", "processes and threads created", "processes, copy_process()"),
	STAT(LEVEL, NONE, "procs_running", "threads running or ready to run", "procs_running, nr_running()"),
	STAT(LEVEL, NONE, "procs_blocked", "threads waiting for I/O", "procs_blocked, nr_iowait()", WORSE_BY(10)),
	STAT(COUNTER, NONE, "softirq", "soft interrupts", "softirq, kstat_incr_softirqs_this_cpu()"),

	LOAD_AVERAGE("avg1", "1 minute"),
	LOAD_AVERAGE("avg5", "5 minutes"),
	LOAD_AVERAGE("avg15", "15 minutes"),
	LOAD(LEVEL, NONE, "runnable", "threads running or ready to run", "nr_running()"),
	LOAD(LEVEL, NONE, "threads", "threads on the host", "nr_threads, copy_process()"),

	VMSTAT(KIB, "pgpgin", NULL, "read from block devices", "submit_bio()"),
	VMSTAT(KIB, "pgpgout", NULL, "written to block devices", "submit_bio()"),
	SWAP("pswpin", "pages swapped in", "count_swpin_vm_event()"),
	SWAP("pswpout", "pages swapped out", "count_swpout_vm_event()"),
	ZSWAP("zswpin", "pages read from zswap", "zswap_load()"),
	ZSWAP("zswpout", "pages stored in zswap", "zswap_store()"),
	PAGING("pgfault", "page faults, major ones included", "mm_account_fault()"),
	PAGING("pgmajfault", "page faults that waited for I/O", "filemap_fault(), do_swap_page()", WORSE_BY(100)),
	PAGING("allocstall", "allocations that had to reclaim memory", "do_try_to_free_pages()"),
	SCAN("pgscan_kswapd", "pages scanned by kswapd"),
	SCAN("pgscan_direct", "pages scanned by allocating threads"),
	SCAN("pgscan_khugepaged", "pages scanned by khugepaged"),
	SCAN("pgscan_proactive", "pages scanned for memory.reclaim"),
	SCAN("pgsteal_kswapd", "pages reclaimed by kswapd"),
	SCAN("pgsteal_direct", "pages reclaimed by allocating threads"),
	SCAN("pgsteal_khugepaged", "pages reclaimed by khugepaged"),
	SCAN("pgsteal_proactive", "pages reclaimed for memory.reclaim"),
	PAGING("pgscan_direct_throttle", "allocations that waited for kswapd", "throttle_direct_reclaim()", WORSE),
	PAGING("oom_kill", "processes killed for lack of memory", "__oom_kill_process()", WORSE_BY(1)),
	REFAULT("workingset_refault_anon", "anonymous pages needed again after reclaim"),
	REFAULT("workingset_refault_file", "file pages needed again after reclaim"),
	REFAULT("workingset_activate_anon", "refaulted anonymous pages activated at once"),
	REFAULT("workingset_activate_file", "refaulted file pages activated at once"),
	COMPACT("compact_stall", "allocations that had to compact memory"),
	COMPACT("compact_fail", "of them, failed"),
	THP("thp_fault_alloc", "huge pages allocated by faults", "do_huge_pmd_anonymous_page()"),
	THP("thp_fault_fallback", "faults that got small pages instead", "do_huge_pmd_anonymous_page()"),
	NUMA("numa_hint_faults", "faults that sample where memory is used", "do_numa_page()"),
	NUMA("numa_pages_migrated", "pages moved to the node that uses them", "migrate_misplaced_folio()"),

	MEMORY("memory.total", "memory that the kernel manages", "MemTotal, si_meminfo()"),
	MEMORY("memory.available", "memory available without swapping, an estimate", "MemAvailable, si_mem_available()"),
	MEMORY("swap.total", "size of the swap areas", "SwapTotal, si_swapinfo()"),
	MEMORY("swap.free", "free part of it", "SwapFree, si_swapinfo()"),
	MEMORY("memory.shared", "shared memory and files of tmpfs, without swapped-out pages", "Shmem, si_meminfo()"),

	DISKS("read_bytes", "read from all disks", "read"),
	DISKS("write_bytes", "written to all disks", "write"),

	DISK_IO(NONE, "reads", "reads completed", "read ios"),
	DISK_IO(BYTES, "read_bytes", "read from the disk", "read sectors of 512 bytes"),
	DISK_IO(US, "read_time", "sum of the times reads took", "read ticks in ms"),
	DISK_IO(NONE, "writes", "writes completed", "write ios"),
	DISK_IO(BYTES, "write_bytes", "written to the disk", "write sectors of 512 bytes"),
	DISK_IO(US, "write_time", "sum of the times writes took", "write ticks in ms"),
	DISK(LEVEL, NONE, "in_flight", "requests under way", "in flight, part_in_flight()"),
	DISK(COUNTER, US, "busy_time", "time with a request in progress", "io_ticks in ms, update_io_ticks()"),

	NET(BYTES, "rx_bytes", "received"),
	NET(NONE, "rx_packets", "packets received"),
	NET(NONE, "rx_errors", "packets received with errors", WORSE_BY(100)),
	NET(NONE, "rx_drops", "packets dropped or missed when received", WORSE_BY(100)),
	NET(BYTES, "tx_bytes", "sent"),
	NET(NONE, "tx_packets", "packets sent"),
	NET(NONE, "tx_errors", "packets that could not be sent", WORSE_BY(100)),
	NET(NONE, "tx_drops", "packets dropped before they were sent", WORSE_BY(100)),
};
/* clang-format on */
