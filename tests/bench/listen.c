/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures the cost of ctprof listening for threads that end: listen N RUNS has N processes end,
 * RUNS times without and with a listener in turn, and prints medians.  The listener is the
 * plugin's, drained every 50 ms, as ctprof drains it.  It judges nothing; exit status 77: listening
 * is not possible here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fakehost.h"

#define MAX_RUNS 100
#define PARALLEL "4"
#define DRAIN_US 50000
#define SKIPPED 77

/* Costs of one run, in µs per exit. */
struct cost {
	double wall, cpu, listener;
	guint64 received, lost;
};

typedef struct {
	FakeHost *host;
	const struct ctprof_source_ops *ops;
	void *self;
	gint stop; /* atomic */
	double cpu_s;
} Listener;

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const struct ctprof_source_ops *load(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("CTPROF_BUILD"), "ctprof-taskstats.so", NULL);
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct ctprof_plugin *(*entry)(void);
	void *symbol = module ? dlsym(module, "ctprof_plugin_entry_v1") : NULL;

	if (!symbol)
		return NULL;
	memcpy(&entry, &symbol, sizeof entry);
	return entry()->ops;
}

static gpointer drain(gpointer data)
{
	Listener *listener = data;

	while (!g_atomic_int_get(&listener->stop)) {
		g_usleep(DRAIN_US);
		listener->ops->drain(listener->self);
	}
	listener->cpu_s = seconds(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static gboolean begin(Listener *listener, const struct ctprof_source_ops *ops)
{
	*listener = (Listener){.ops = ops, .host = fake_host_new("/proc", "/sys", NULL, TRUE)};
	if (ops->open(fake_host_table(listener->host), &listener->self) < 0)
		return FALSE;
	return ops->start(listener->self) >= 0 && ops->listen(listener->self) >= 0;
}

static guint64 tally(Listener *listener, const char *name)
{
	struct ctprof_batch *batch = fake_host_batch(listener->host, CTPROF_SCOPE_CAPTURE);

	listener->ops->collect(listener->self, NULL, batch);
	return fake_host_u64(listener->host, 0, name);
}

static double number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtod(at + strlen(key), NULL) : 0;
}

/* Runs in a process of its own: if the parent forked all the time, each page that a thread writes
 * to would be copied. */
static struct cost churn(const char *n)
{
	g_autofree char *program =
		g_build_filename(g_getenv("CTPROF_BUILD"), "tests/live/churner", NULL);
	char *arguments[] = {program, (char[]){"exit"}, g_strdup(n), (char[]){PARALLEL}, NULL};
	g_autofree char *out = NULL;

	if (!g_spawn_sync(NULL, arguments, NULL, 0, NULL, NULL, &out, NULL, NULL, NULL))
		return (struct cost){0};
	g_free(arguments[2]);
	double exits = number_of(out, "\"n\":");
	return (struct cost){
		.wall = number_of(out, "\"wall_us\":") / exits,
		.cpu = (number_of(out, "\"children_user_us\":") +
			number_of(out, "\"children_system_us\":")) /
		       exits,
	};
}

static struct cost run(const char *n, Listener *listener)
{
	GThread *thread = listener ? g_thread_new("drain", drain, listener) : NULL;
	struct cost cost = churn(n);

	if (!listener)
		return cost;
	g_atomic_int_set(&listener->stop, 1);
	g_thread_join(thread);
	cost.received = tally(listener, "exits_received");
	cost.lost = tally(listener, "exits_lost");
	cost.listener = listener->cpu_s * 1e6 / (double)MAX(cost.received, 1);
	return cost;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(const struct cost *costs, guint n, gsize offset)
{
	double values[MAX_RUNS];

	for (guint i = 0; i < n; i++)
		memcpy(&values[i], (const char *)&costs[i] + offset, sizeof values[i]);
	qsort(values, n, sizeof values[0], compare);
	return values[n / 2];
}

#define MEDIAN(costs, n, member) median(costs, n, offsetof(struct cost, member))

static void print(const struct cost *off, const struct cost *on, guint runs)
{
	guint64 received = 0, lost = 0;

	for (guint i = 0; i < runs; i++) {
		received += on[i].received;
		lost += on[i].lost;
	}
	printf("us an exit, medians of %u runs: wall %.1f without a listener, %.1f with; CPU of "
	       "the exiting side %.1f, %.1f (goal: 3 more); CPU of the listener %.2f a record "
	       "(goal: 2)\n",
	       runs, MEDIAN(off, runs, wall), MEDIAN(on, runs, wall), MEDIAN(off, runs, cpu),
	       MEDIAN(on, runs, cpu), MEDIAN(on, runs, listener));
	printf("%.0f exits/s; %" G_GUINT64_FORMAT " records received, %" G_GUINT64_FORMAT " lost\n",
	       1e6 / MEDIAN(on, runs, wall), received, lost);
}

int main(int argc, char **argv)
{
	static struct cost off[MAX_RUNS], on[MAX_RUNS];
	const char *n = argc > 1 ? argv[1] : "20000";
	guint runs = argc > 2 ? (guint)strtoul(argv[2], NULL, 10) : 5;
	const struct ctprof_source_ops *ops = load();

	if (!ops || runs == 0 || runs > MAX_RUNS)
		return ops ? 2 : SKIPPED;
	for (guint i = 0; i < runs; i++) {
		Listener listener;

		off[i] = run(n, NULL);
		if (!begin(&listener, ops)) {
			fprintf(stderr, "%s\n", fake_host_error(listener.host));
			return SKIPPED;
		}
		on[i] = run(n, &listener);
		ops->close(listener.self);
		fake_host_free(listener.host);
	}
	print(off, on, runs);
	return 0;
}
