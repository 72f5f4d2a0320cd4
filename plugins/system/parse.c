/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parse.h"

#include <string.h>

#define N_CPU_COLUMNS 10u
#define STAT_ONLINE N_CPU_COLUMNS
#define N_LOAD_AVERAGES 3u
#define N_DEVICE_VALUES 8u
/* Two of them, for a disk. */
#define DISK_READ_BYTES 1u
#define DISK_WRITE_BYTES 4u
#define MAX_NAME 255u
#define ALLOCSTALL "allocstall"

static void clear(struct slots_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (struct slots_value){0, CTPROF_ABSENT_UNSUPPORTED};
}

static struct slots_value to_value(struct text number, uint64_t scale)
{
	struct slots_value value = {0, CTPROF_PRESENT};

	if (!text_u64(number, &value.number) ||
	    __builtin_mul_overflow(value.number, scale, &value.number))
		value.why = CTPROF_ABSENT_INVALID;
	return value;
}

static void add(struct slots_value *sum, struct slots_value value)
{
	if (sum->why == CTPROF_ABSENT_UNSUPPORTED)
		*sum = value;
	else if (value.why != CTPROF_PRESENT ||
		 __builtin_add_overflow(sum->number, value.number, &sum->number))
		sum->why = CTPROF_ABSENT_INVALID;
}

/* ---- values of the host ------------------------------------------------ */

/* Adds a line "KEY NUMBER" to the metric named prefix KEY. */
static void add_line(struct text key, struct text line, size_t first, size_t end,
		     const char *prefix, struct slots_value *values)
{
	struct text number;

	if (!text_take_token(&line, &number))
		return;
	for (size_t i = first; i < end; i++)
		if (text_equal(key, system_metrics[i].name + strlen(prefix)))
			add(&values[i - first], to_value(number, 1));
}

bool system_take_stat(struct system_rows *rows, struct slots_value *ret)
{
	bool any = rows->rest.len > 0;
	struct text line, key, token;

	clear(ret, SYSTEM_LOAD - SYSTEM_STAT);
	while (text_take_line(&rows->rest, &line)) {
		if (!text_take_token(&line, &key))
			continue;
		if (text_equal(key, "cpu"))
			for (size_t i = 0; i < N_CPU_COLUMNS && text_take_token(&line, &token); i++)
				ret[i] = to_value(token, 1);
		else if (text_starts(key, "cpu"))
			add(&ret[STAT_ONLINE], (struct slots_value){1, CTPROF_PRESENT});
		else
			add_line(key, line, SYSTEM_STAT, SYSTEM_LOAD, "system.", ret);
	}
	return any;
}

/* Converts "3.41" threads to hundredths of a percent of one thread. */
static struct slots_value to_load(struct text token)
{
	struct slots_value sum = {0, CTPROF_ABSENT_INVALID};
	struct text whole, part;

	if (text_split(token, '.', &whole, &part) && part.len == 2) {
		sum = to_value(whole, 10000);
		add(&sum, to_value(part, 100));
	}
	return sum;
}

bool system_take_load(struct system_rows *rows, struct slots_value *ret)
{
	struct text line, token, runnable, threads;

	clear(ret, SYSTEM_VMSTAT - SYSTEM_LOAD);
	if (!text_take_line(&rows->rest, &line))
		return false;
	for (size_t i = 0; i < N_LOAD_AVERAGES && text_take_token(&line, &token); i++)
		*ret++ = to_load(token);
	if (text_take_token(&line, &token) && text_split(token, '/', &runnable, &threads)) {
		ret[0] = to_value(runnable, 1);
		ret[1] = to_value(threads, 1);
	}
	rows->rest.len = 0;
	return true;
}

bool system_take_vmstat(struct system_rows *rows, struct slots_value *ret)
{
	bool any = rows->rest.len > 0;
	struct text line, key;

	clear(ret, SYSTEM_MEMORY - SYSTEM_VMSTAT);
	while (text_take_line(&rows->rest, &line)) {
		if (!text_take_token(&line, &key))
			continue;
		if (text_starts(key, ALLOCSTALL)) /* since 4.10, there is one for each zone */
			key.len = strlen(ALLOCSTALL);
		add_line(key, line, SYSTEM_VMSTAT, SYSTEM_MEMORY, "system.vmstat.", ret);
	}
	return any;
}

bool system_take_memory(struct system_rows *rows, struct slots_value *ret)
{
	/* In the order of the metrics. */
	static const char *const keys[] = {"MemTotal", "MemAvailable", "SwapTotal", "SwapFree",
					   "Shmem"};
	bool any = rows->rest.len > 0;
	struct text line, key, rest, number;

	clear(ret, SYSTEM_DISKS - SYSTEM_MEMORY);
	while (text_take_line(&rows->rest, &line)) {
		if (!text_split(line, ':', &key, &rest) || !text_take_token(&rest, &number))
			continue;
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
			if (text_equal(key, keys[i]))
				add(&ret[i], to_value(number, 1));
	}
	return any;
}

/* ---- devices ----------------------------------------------------------- */

/* Takes the columns at these (ascending) indices of a line, multiplied by scale. */
static void take_columns(struct text line, const uint8_t *at, const uint16_t *scale,
			 struct slots_value *ret)
{
	struct text token;

	clear(ret, N_DEVICE_VALUES);
	for (size_t i = 0, next = 0; next < N_DEVICE_VALUES && text_take_token(&line, &token); i++)
		if (i == at[next]) {
			ret[next] = to_value(token, scale[next]);
			next++;
		}
}

static bool is_name(struct text name)
{
	return name.len >= 1 && name.len <= MAX_NAME && !memchr(name.p, '\0', name.len);
}

/* Whether name is a partition of disk: "sda1" of "sda", "nvme0n1p1" of "nvme0n1".  The kernel lists
 * partitions after their disk, and inserts a p if the name of the disk ends in a digit. */
static bool is_partition(struct text name, struct text disk)
{
	uint64_t number;

	if (disk.len == 0 || name.len <= disk.len || memcmp(name.p, disk.p, disk.len) != 0)
		return false;
	const char *rest = name.p + disk.len;
	char last = disk.p[disk.len - 1];
	bool numbered = last >= '0' && last <= '9';
	return (!numbered || *rest++ == 'p') &&
	       text_u64((struct text){rest, (size_t)(name.p + name.len - rest)}, &number);
}

/* Whether a device is a spare one: drivers create ram, loop and nbd devices in advance; most are
 * never used. */
static bool is_spare(struct text major, const struct slots_value *values)
{
	return (text_equal(major, "1") || text_equal(major, "7") || text_equal(major, "43")) &&
	       values[0].number == 0 && values[3].number == 0;
}

bool system_take_disk(struct system_rows *rows, struct slots_value *ret)
{
	static const uint8_t at[N_DEVICE_VALUES] = {0, 2, 3, 4, 6, 7, 8, 9};
	static const uint16_t scale[N_DEVICE_VALUES] = {1, 512, 1000, 1, 512, 1000, 1, 1000};
	struct text line, major, minor;

	while (text_take_line(&rows->rest, &line)) {
		if (!text_take_token(&line, &major) || !text_take_token(&line, &minor) ||
		    !text_take_token(&line, &rows->name) || !is_name(rows->name) ||
		    is_partition(rows->name, rows->disk))
			continue;
		rows->disk = rows->name;
		take_columns(line, at, scale, ret);
		if (!is_spare(major, ret))
			return true;
	}
	return false;
}

/* Whether the device is on top of disks, a path to a disk, or in memory: the disk has the same I/O,
 * or none has. */
static bool is_stacked(struct text name)
{
	static const char *const kinds[] = {"bcache", "dm-", "drbd", "loop", "md", "ram", "zram"};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (text_starts(name, kinds[i]))
			return true;
	return text_starts(name, "nvme") && memchr(name.p, 'c', name.len);
}

bool system_take_disks(struct system_rows *rows, struct slots_value *ret)
{
	static const struct slots_value none = {0, CTPROF_PRESENT};
	struct slots_value disk[N_DEVICE_VALUES];
	bool any = rows->rest.len > 0;

	clear(ret, SYSTEM_DISK - SYSTEM_DISKS);
	while (system_take_disk(rows, disk)) {
		bool is_disk = !is_stacked(rows->name);

		add(&ret[0], is_disk ? disk[DISK_READ_BYTES] : none);
		add(&ret[1], is_disk ? disk[DISK_WRITE_BYTES] : none);
	}
	return any;
}

bool system_take_net(struct system_rows *rows, struct slots_value *ret)
{
	static const uint8_t at[N_DEVICE_VALUES] = {0, 1, 2, 3, 8, 9, 10, 11};
	static const uint16_t scale[N_DEVICE_VALUES] = {1, 1, 1, 1, 1, 1, 1, 1};
	struct text line, rest;

	while (text_take_line(&rows->rest, &line))
		/* The two headings have no colon. */
		if (text_split(line, ':', &rows->name, &rest) && is_name(rows->name)) {
			take_columns(rest, at, scale, ret);
			return true;
		}
	return false;
}
