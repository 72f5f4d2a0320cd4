/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rule about a disk that is busy while threads wait for it. */
#include <math.h>
#include <string.h>

#include "rules.h"

#define KTHREADD 2 /* the parent of all kernel threads */

#define LEAST_BUSY_DISK 90.0  /* percent of the time */
#define LEAST_IN_FLIGHT 4.0   /* requests: a single one keeps a disk busy */
#define LEAST_AWAIT 0.005     /* s: disks that serve many requests at a time answer sooner */
#define LEAST_STALL 50.0      /* percent of the time: at least half a thread waits */
#define LEAST_OF_DISKS 0.8    /* share of all disks, to attribute the host's numbers to this one */
#define LEAST_OF_TRANSFER 0.5 /* share of the disk's transfers, for a pool to be named */
#define MOST_OF_READS 0.5     /* share of a pool's reads: it may have done all of them elsewhere */

/* The load of a disk, per second; NAN: not known. */
typedef struct load {
	gdouble requests, read, written, busy_us;
	gdouble in_flight; /* mean number of requests in progress, from their durations */
} Load;

/* Returns the seconds between the readings of the disks: they are read at the end of each capture,
 * but a window lasts from one begin to the next. */
static gdouble seconds_of(const Digest *digest)
{
	const CaptureFacts *captures = digest->draft->plan->options->captures;

	return digest->seconds > 0 ? digest->seconds + captures[1].taken_s - captures[0].taken_s
				   : 0;
}

/* Whether the device is in memory, or reads a file or other disks with requests of its own: the
 * kernel counts those beside the requests of the threads. */
static gboolean is_upper(const char *name)
{
	return g_regex_match_simple("^(loop|nullb|ram|zd|zloop|zram)\\d", name, G_REGEX_RAW, 0);
}

static gdouble rate_of(const Digest *digest, const Pair *disk, const char *metric)
{
	struct ctprof_value values[SIDES];

	for (guint side = 0; side < SIDES; side++)
		values[side] =
			draft_value(digest->draft, TABLE_SINGLE_OBJECTS, disk->sides, side, metric);
	/* A disk that appears in the window may have counted for longer, but a loop device that was
	 * never used is not listed. */
	const struct ctprof_value grown =
		value_growth(CTPROF_COUNTER, &values[0], &values[1],
			     !disk->sides[0] && is_upper(object_name(disk)));
	return grown.type == CTPROF_VALUE_NUMBER ? (gdouble)grown.number / seconds_of(digest) : NAN;
}

static Load load_of(const Digest *digest, const Pair *disk)
{
	return (Load){
		.requests =
			rate_of(digest, disk, "disk_reads") + rate_of(digest, disk, "disk_writes"),
		.read = rate_of(digest, disk, "disk_read_bytes"),
		.written = rate_of(digest, disk, "disk_write_bytes"),
		.busy_us = rate_of(digest, disk, "disk_busy_time"),
		.in_flight = (rate_of(digest, disk, "disk_read_time") +
			      rate_of(digest, disk, "disk_write_time")) /
			     1e6,
	};
}

/* Whether the device is on top of disks, a path to a disk, or in memory. */
static gboolean is_stacked(const char *name)
{
	return is_upper(name) ||
	       g_regex_match_simple("^(bcache|dm-|drbd|md|nvme\\d+c)", name, G_REGEX_RAW, 0);
}

const Pair *disk_find(const Digest *digest)
{
	const GPtrArray *single_objects = digest->draft->single_objects;
	const Pair *busiest = NULL;
	gdouble most = 0, all = 0;

	for (guint i = 0; seconds_of(digest) > 0 && i < single_objects->len; i++) {
		const Pair *disk = g_ptr_array_index(single_objects, i);

		if (strcmp(disk->key.names[0], DISK_GROUP) != 0 || is_stacked(object_name(disk)))
			continue;
		gdouble in_flight = fmax(load_of(digest, disk).in_flight, 0);
		busiest = in_flight > most ? disk : busiest;
		most = fmax(in_flight, most);
		all += in_flight;
	}
	return most >= LEAST_OF_DISKS * all ? busiest : NULL;
}

void disk_read_upper(Digest *digest)
{
	const GPtrArray *single_objects = digest->draft->single_objects;

	for (guint i = 0; seconds_of(digest) > 0 && i < single_objects->len; i++) {
		const Pair *device = g_ptr_array_index(single_objects, i);

		if (strcmp(device->key.names[0], DISK_GROUP) == 0 && is_upper(object_name(device)))
			digest->host.upper_read += rate_of(digest, device, "disk_read_bytes");
	}
}

static gboolean is_kernel(const Digest *digest, const CostLine *line)
{
	const struct ctprof_value parent = draft_value(digest->draft, TABLE_THREADS,
						       line->group->sides, digest->newest, "ppid");

	return parent.type == CTPROF_VALUE_NUMBER && parent.number == KTHREADD;
}

/* The kernel's own threads read from disks for those devices. */
gdouble disk_reads(const Digest *digest, const CostLine *line)
{
	gdouble read = digest_cost(line, digest->newest, COST_READ);
	gdouble upper = is_kernel(digest, line) ? 0 : digest->host.upper_read;

	return upper > MOST_OF_READS * read ? 0 : read - upper;
}

/* Returns the threads of a pool that wait: by their delays, or else those in uninterruptible sleep
 * at both ends, if the pool used files in between.  Waits of the kernel's own threads, which write
 * back, hold no one up. */
static gdouble waiting_threads(const Digest *digest, const CostLine *line)
{
	guint newest = digest->newest;
	gdouble delay = digest_cost(line, newest, COST_DISK_WAIT);
	gdouble transfer =
		digest_cost(line, newest, COST_READ) + digest_cost(line, newest, COST_WRITE);

	if (is_kernel(digest, line))
		return 0;
	if (delay >= LEAST_DISK_WAIT)
		return delay;
	return digest->host.io_pressure >= LEAST_STALL && transfer > 0
		       ? MIN(digest_cost(line, 0, COST_BLOCKED),
			     digest_cost(line, newest, COST_BLOCKED))
		       : 0;
}

/* Returns the amount dirtied, less the amount dropped before it was written. */
static gdouble written_bytes(const Digest *digest, const CostLine *line)
{
	return digest_cost(line, digest->newest, COST_WRITE) -
	       digest_cost(line, digest->newest, COST_CANCELLED);
}

/* Returns the pool with the largest value; NULL: all values are 0. */
static const CostLine *find_most(const Digest *digest,
				 gdouble (*ask)(const Digest *digest, const CostLine *line),
				 gdouble *ret_most)
{
	const CostLine *most = NULL;

	*ret_most = 0;
	for (guint i = 0; i < digest->lines->len; i++) {
		gdouble amount = ask(digest, digest_line(digest, i));

		most = amount > *ret_most ? digest_line(digest, i) : most;
		*ret_most = MAX(amount, *ret_most);
	}
	return most;
}

static gdouble cost_disk(const Subject *subject)
{
	gdouble waiting;

	(void)find_most(subject->digest, waiting_threads, &waiting);
	return waiting;
}

static gdouble measure_disk(const Subject *subject)
{
	const Load load = load_of(subject->digest, subject->object);

	return load.in_flight >= LEAST_IN_FLIGHT && load.in_flight >= LEAST_AWAIT * load.requests &&
			       cost_disk(subject) > 0
		       ? CLAMP(load.busy_us / 1e4, 0, 100)
		       : NAN;
}

static void add_victim(const Digest *digest, Sentence *sentence)
{
	gdouble n;
	const CostLine *line = find_most(digest, waiting_threads, &n);

	if (digest_cost(line, digest->newest, COST_DISK_WAIT) >= LEAST_DISK_WAIT)
		SAY(sentence, "; {} threads of {} wait for block I/O",
		    term_of("held_up", "threads", term_short(0, n)), term_name(line->name));
	else
		SAY(sentence,
		    "; threads wait for I/O {} % of the time, with {} of {} in state D at both ends",
		    term_count("stalled", "percent", digest->host.io_pressure),
		    term_count("blocked", "threads", n), term_name(line->name));
}

/* Adds the pool that reads most or, if the disk writes more than it reads, writes most.  The disk
 * writes later than the pool does. */
static void add_culprit(const Digest *digest, Sentence *sentence, const Load *load)
{
	gboolean reads = load->read > load->written;
	gdouble host = reads ? digest->host.read : digest->host.written;
	gdouble disk = MAX(load->read, load->written), most;
	const CostLine *line = find_most(digest, reads ? disk_reads : written_bytes, &most);

	if (line && most >= LEAST_OF_TRANSFER * disk && disk >= LEAST_OF_DISKS * host)
		SAY(sentence, reads ? "; {} reads {}/s of it" : "; {} writes {}/s to files",
		    term_name(line->name),
		    term_bytes("transferred", "bytes/s", reads ? MIN(most, disk) : most));
}

static void say_disk(const Subject *subject, Sentence *sentence)
{
	const Load load = load_of(subject->digest, subject->object);

	SAY(sentence, "disk {} is busy {} % of the time", term_name(subject->name),
	    term_count("busy", "percent", subject->value));
	SAY(sentence, ": {} requests/s take {} each", term_rate("requests", "1/s", load.requests),
	    term_ns("await", load.in_flight / load.requests * 1e9));
	SAY(sentence, ", {}/s read, {}/s written", term_bytes("disk_read", "bytes/s", load.read),
	    term_bytes("disk_written", "bytes/s", load.written));
	add_victim(subject->digest, sentence);
	add_culprit(subject->digest, sentence, &load);
}

const Rule disk_rules[] = {
	{"disk-busy", "percent", LEAST_BUSY_DISK, measure_disk, say_disk, .cost = cost_disk},
	{.name = NULL},
};
