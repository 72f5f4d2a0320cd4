/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>
#include <string.h>

#include "../parse.h"

#define CPU_OLD "cpu  1096 26 1495 249"
#define HEADINGS                                                                                   \
	"Inter-|   Receive                                                |  Transmit\n"           \
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets "      \
	"errs drop fifo colls carrier compressed\n"

/* Returns all rows of a text: values in the order of the metrics, '-' unsupported, '?' invalid;
 * those of devices follow the name; rows are separated by ';'. */
static char *rows_text(system_take *take, gsize n, gboolean devices, const char *text)
{
	struct system_rows rows = {.rest = {text, strlen(text)}};
	struct slots_value values[SYSTEM_N_METRICS];
	GString *out = g_string_new(NULL);

	while (take(&rows, values)) {
		if (out->len)
			g_string_append(out, "; ");
		if (devices)
			g_string_append_printf(out, "%.*s ", (int)rows.name.len, rows.name.p);
		for (gsize i = 0; i < n; i++) {
			if (i)
				g_string_append_c(out, ' ');
			if (values[i].why == CTPROF_PRESENT)
				g_string_append_printf(out, "%" G_GUINT64_FORMAT, values[i].number);
			else
				g_string_append_c(
					out, values[i].why == CTPROF_ABSENT_INVALID ? '?' : '-');
		}
	}
	return g_string_free(out, FALSE);
}

struct parse_case {
	const char *text, *rows;
};

#define STAT_ABSENT "- - - - - - - - - - - - - - - - - -"

static const struct parse_case stat_cases[] = {
	{"cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2\ncpu7 1 2\nintr 11 12 13\nctxt 14\nbtime 15\n"
	 "processes 16\nprocs_running 17\nprocs_blocked 18\nsoftirq 19 20 21\n",
	 "1 2 3 4 5 6 7 8 9 10 2 11 14 15 16 17 18 19"},
	/* Linux 2.4: four kinds of time, no line for each CPU, other lines. */
	{CPU_OLD "\npage 1 2\nswap 1 2\nintr 5\ndisk_io: (3,0):(1,2,3)\nctxt 6\n",
	 "1096 26 1495 249 - - - - - - - 5 6 - - - - -"},
	/* More columns than the known ones. */
	{"cpu 1 2 3 4 5 6 7 8 9 10 11 12\ncpu0 1\n", "1 2 3 4 5 6 7 8 9 10 1 - - - - - - -"},
	{"cpu 18446744073709551615 18446744073709551616 -1 0x4\nctxt 18446744073709551615\n",
	 "18446744073709551615 ? ? ? - - - - - - - - 18446744073709551615 - - - - -"},
	{"ctxt\nbtime x\nprocesses \nprocs_runn 4\ncpu\n", "- - - - - - - - - - - - - ? - - - -"},
	{"\n\x01\xff=\n \n", STAT_ABSENT},
	{"", ""},
};

static const struct parse_case load_cases[] = {
	{"3.41 0.75 0.05 17/88 256\n", "34100 7500 500 17 88"},
	{"0.00 0.00 0.00 1/1 1\n", "0 0 0 1 1"},
	{"99999.99 1844674407370955.16 1844674407370955.17 1/2\n",
	 "999999900 18446744073709551600 ? 1 2"},
	{"1 1.5 -1.00 5 6\n", "? ? ? - -"},
	{"1.00 1.x0 1.001 /3\n", "10000 ? ? ? 3"},
	{"1.00 2.00\n", "10000 20000 - - -"},
	{"\n", "- - - - -"},
	{"", ""},
};

#define VMSTAT_REST " - - - - - - - - - -"

static const struct parse_case vmstat_cases[] = {
	{"nr_free_pages 9\npgpgin 1\npgpgout 2\npswpin 3\npswpout 4\nzswpin 5\nzswpout 6\n"
	 "allocstall_dma 1\nallocstall_dma32 2\nallocstall_normal 3\nallocstall_movable 4\n"
	 "pgfault 7\npgmajfault 8\npgscan_kswapd 11\npgscan_direct 12\npgscan_khugepaged 13\n"
	 "pgscan_direct_throttle 14\npgsteal_kswapd 15\noom_kill 16\n",
	 "1 2 3 4 5 6 7 8 10 11 12 13 - 15 - - - 14 16" VMSTAT_REST},
	/* Before 4.10 there is one number. */
	{"allocstall 5\npgfaults 1\npgfaul 2\nxpgfault 3\n",
	 "- - - - - - - - 5 - - - - - - - - - -" VMSTAT_REST},
	/* A part of a sum is invalid, or the sum is too large. */
	{"allocstall_dma 5\nallocstall_normal x\npgfault 1 2\npgmajfault 1.5\n",
	 "- - - - - - 1 ? ? - - - - - - - - - -" VMSTAT_REST},
	{"allocstall_dma 18446744073709551615\nallocstall_normal 1\nallocstall_movable 1\npgfault\n",
	 "- - - - - - - - ? - - - - - - - - - -" VMSTAT_REST},
	{"", ""},
};

static const struct parse_case memory_cases[] = {
	{"MemTotal:       24684392 kB\nMemFree: 1 kB\nMemAvailable: 2 kB\nSwapCached: 9 kB\n"
	 "SwapTotal: 3 kB\nSwapFree:\t4 kB\nDirty: 5 kB\nShmem: 6 kB\nShmemHugePages: 7 kB\n",
	 "24684392 2 3 4 6"},
	/* Before 3.14 the kernel does not estimate the available memory. */
	{"MemTotal: 1 kB\nMemFree: 2 kB\nSwapTotal:0 kB\n", "1 - 0 - -"},
	{"MemTotal 1 kB\nMemTotal: x kB\nSwapFree:\n", "? - - - -"},
	{"", ""},
};

static const struct parse_case disks_cases[] = {
	{"8 0 sda 1 0 2 3 4 0 5 6 7 8 9\n8 1 sda1 1 0 2 3 4 0 5 6 7 8 9\n"
	 "259 0 nvme0n1 1 0 3 3 4 0 6 6 7 8 9\n",
	 "2560 5632"},
	/* On top of disks, paths to a disk, and in memory. */
	{"8 0 sda 1 0 2 3 4 0 5 6 7 8 9\n7 0 loop0 1 0 2 3 4 0 5 6 7 8 9\n"
	 "253 1 dm-1 1 0 2 3 4 0 5 6 7 8 9\n9 0 md127 1 0 2 3 4 0 5 6 7 8 9\n"
	 "259 3 nvme0c1n1 1 0 2 3 4 0 5 6 7 8 9\n254 0 zram0 1 0 2 3 4 0 5 6 7 8 9\n"
	 "1 1 ram1 1 0 2 3 4 0 5 6 7 8 9\n",
	 "1024 2560"},
	{"7 0 loop0 1 0 2 3 4 0 5 6 7 8 9\n", "0 0"},
	{"8 0 sda 1 0 x 3 4 0 5 6 7 8 9\n", "? 2560"},
	{"\n", "- -"},
	{"", ""},
};

static const struct parse_case disk_cases[] = {
	{" 254 0 vda 10 11 12 13 20 21 22 23 3 24 25 30 31 32 33 40 41\n",
	 "vda 10 6144 13000 20 11264 23000 3 24000"},
	/* Before 4.18 there are no discards, before 2.6 fewer columns. */
	{"8 0 sda 10 11 12 13 20 21 22 23 3 24 25\n8 16 sdb 1 2 3 4\n8 32 sdc\n",
	 "sda 10 6144 13000 20 11264 23000 3 24000; sdb 1 1536 4000 - - - - -; "
	 "sdc - - - - - - - -"},
	/* Partitions follow their disk. */
	{"8 0 sda 1 0 1 1 1 0 1 1 0 1 1\n8 1 sda1 2\n8 15 sda15 2\n8 240 sdaa 3\n"
	 "259 0 nvme0n1 4\n259 1 nvme0n1p1 5\n259 2 nvme0n10 6\n179 8 mmcblk0boot0 7\n"
	 "179 9 mmcblk0boot0p 8\n253 1 dm-1 9\n253 10 dm-10 9\n",
	 "sda 1 512 1000 1 512 1000 0 1000; sdaa 3 - - - - - - -; nvme0n1 4 - - - - - - -; "
	 "nvme0n10 6 - - - - - - -; mmcblk0boot0 7 - - - - - - -; "
	 "mmcblk0boot0p 8 - - - - - - -; dm-1 9 - - - - - - -; dm-10 9 - - - - - - -"},
	/* Devices created in advance are left out unless they are used; other idle ones stay. */
	{"7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n7 1 loop1 1 0 8 0 0 0 0 0 0 0 0\n"
	 "1 0 ram0 0 0 0 0 0 0 0 0 0 0 0\n1 1 ram1 0 0 0 0 1 0 0 0 0 0 0\n"
	 "43 0 nbd0 0 0 0 0 0 0 0 0 0 0 0\n253 0 zram0 0 0 0 0 0 0 0 0 0 0 0\n",
	 "loop1 1 4096 0 0 0 0 0 0; ram1 0 0 0 1 0 0 0 0; zram0 0 0 0 0 0 0 0 0"},
	/* Too large for 64 bits when converted to bytes; the largest one that fits. */
	{"8 0 sda 1 0 36028797018963968 4294967295 1 0 36028797018963967 x -1 0\n",
	 "sda 1 ? 4294967295000 1 18446744073709551104 ? ? 0"},
	{"\n8\n8 0\n\x01\xff\n", ""},
	{"", ""},
};

static const struct parse_case net_cases[] = {
	{HEADINGS
	 "    lo:    10      11    12    13    14     15          16         17       20      "
	 "21    22    23    24     25       26          27\n"
	 "  eth0: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n",
	 "lo 10 11 12 13 20 21 22 23; eth0 1 2 3 4 5 6 7 8"},
	/* Before 2.6.34 a large number is next to the colon, without a blank. */
	{HEADINGS "  eth0:4294967296 2 3 4 0 0 0 0 18446744073709551615 6 7 8 0 0 0 0\n",
	 "eth0 4294967296 2 3 4 18446744073709551615 6 7 8"},
	{HEADINGS "br-1.2@x: 1 2 x 18446744073709551616\nwlan0:\n: 1 2\nno colon 1 2\n",
	 "br-1.2@x 1 2 ? ? - - - -; wlan0 - - - - - - - -"},
	{HEADINGS, ""},
	{"", ""},
};

static const struct parser {
	const char *name;
	system_take *take;
	gsize n;
	gboolean devices;
	const struct parse_case *cases;
	gsize n_cases;
} parsers[] = {
	{"/system/stat", system_take_stat, SYSTEM_LOAD - SYSTEM_STAT, FALSE, stat_cases,
	 G_N_ELEMENTS(stat_cases)},
	{"/system/loadavg", system_take_load, SYSTEM_VMSTAT - SYSTEM_LOAD, FALSE, load_cases,
	 G_N_ELEMENTS(load_cases)},
	{"/system/vmstat", system_take_vmstat, SYSTEM_MEMORY - SYSTEM_VMSTAT, FALSE, vmstat_cases,
	 G_N_ELEMENTS(vmstat_cases)},
	{"/system/meminfo", system_take_memory, SYSTEM_DISKS - SYSTEM_MEMORY, FALSE, memory_cases,
	 G_N_ELEMENTS(memory_cases)},
	{"/system/disks", system_take_disks, SYSTEM_DISK - SYSTEM_DISKS, FALSE, disks_cases,
	 G_N_ELEMENTS(disks_cases)},
	{"/system/diskstats", system_take_disk, SYSTEM_NET - SYSTEM_DISK, TRUE, disk_cases,
	 G_N_ELEMENTS(disk_cases)},
	{"/system/net-dev", system_take_net, SYSTEM_N_METRICS - SYSTEM_NET, TRUE, net_cases,
	 G_N_ELEMENTS(net_cases)},
};

static void test_cases(gconstpointer data)
{
	const struct parser *parser = data;

	for (gsize i = 0; i < parser->n_cases; i++) {
		g_autofree char *rows =
			rows_text(parser->take, parser->n, parser->devices, parser->cases[i].text);

		g_assert_cmpstr(rows, ==, parser->cases[i].rows);
	}
}

/* A name with a NUL is rejected, as it would end early when read as a string. */
static void test_nul_in_name(void)
{
	static const char text[] = "8 0 s\0a 1 2 3\n8 0 sdb 1\n";
	struct system_rows rows = {.rest = {text, sizeof text - 1}};
	struct slots_value values[SYSTEM_N_METRICS];

	g_assert_true(system_take_disk(&rows, values));
	g_assert_true(text_equal(rows.name, "sdb"));
	g_assert_false(system_take_disk(&rows, values));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(parsers); i++)
		g_test_add_data_func(parsers[i].name, &parsers[i], test_cases);
	g_test_add_func("/system/nul-in-name", test_nul_in_name);
	return g_test_run();
}
