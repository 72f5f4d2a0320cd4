/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "limits.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/root.h"
#include "base/ui.h"
#include "crash.h"

#define NO_THREAD                                                                                  \
	"cannot start another thread (see 'ulimit -u', 'ulimit -v', and the limits of its cgroup)"
#define LEAST_STACK (256u * 1024)
#define LEAST_MEMORY (64u << 20)
/* With less address space than this, threads get stacks of SCARCE_STACK and share one heap. */
#define SCARCE_MEMORY (1u << 30)
#define SCARCE_STACK (1u << 20)
/* malloc() maps 1 MiB or more at a time, libraries map some as well, and threads may free some. */
#define SPARE (8u << 20)
#define USUAL_MEMORY (1u << 30)

guint64 limits_memory = G_MAXUINT64;

static char why[256] = "out of memory (see 'ulimit -v', and the limits of its cgroup)";

const char *limits_describe(void)
{
	return why;
}

/* Does not use stdio, which allocates memory to print to a descriptor: a thread that crashed within
 * malloc() holds malloc's lock, and would wait for ever. */
static void say(const char *text)
{
	char line[sizeof why + 16] = "ctprof: ";

	g_strlcat(line, text, sizeof line);
	g_strlcat(line, "\n", sizeof line);
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* no one reads it */
}

/* GLib ends the process if it cannot get memory or start a thread.  No plugin is to blame for
 * that. */
static void on_log(const char *domain, GLogLevelFlags level, const char *message, gpointer nothing)
{
	gboolean is_fatal = (level & G_LOG_LEVEL_ERROR) && g_strcmp0(domain, "GLib") == 0;
	gboolean no_thread = is_fatal && strstr(message, "creating thread");

	if (!no_thread && !(is_fatal && strstr(message, "failed to allocate"))) {
		g_log_default_handler(domain, level, message, nothing);
		return;
	}
	say(no_thread ? NO_THREAD : why);
	crash_fail();
}

static gboolean has_room(gsize bytes)
{
	void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/* GLib needs memory to report that memory is exhausted, and crashes; no plugin is to blame. */
static gboolean is_out_of_memory(void)
{
	if (has_room(SPARE))
		return FALSE;
	say(why);
	return TRUE;
}

gboolean limits_check_room(GError **error)
{
	return has_room(2 * SPARE) || error_set_failed(error, "%s", why);
}

gboolean limits_check_memory(GError **error)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur >= LEAST_MEMORY ||
	       error_set_failed(error,
				"the address space is limited to %ju MiB, but %u MiB are needed "
				"to load the plugins (see 'ulimit -v')",
				(uintmax_t)limit.rlim_cur >> 20, LEAST_MEMORY >> 20);
}

/* Every thread gets a stack of the same limit as the first one, unless it asks for less. */
static void check_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= LEAST_STACK)
		return;
	ui_error("the stack is limited to %ju KiB, but %u KiB are needed (see 'ulimit -s')",
		 (uintmax_t)limit.rlim_cur / 1024, LEAST_STACK / 1024);
	exit(EXIT_FAILED);
}

/* By default each thread reserves 64 MiB or more of heap and 8 MiB of stack, but uses little. */
static void save_addresses(void)
{
	struct rlimit limit;
	pthread_attr_t attributes;
	gsize stack = 0;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur >= SCARCE_MEMORY ||
	    pthread_getattr_default_np(&attributes) != 0)
		return;
	(void)mallopt(M_ARENA_MAX, 1);
	if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack > SCARCE_STACK &&
	    pthread_attr_setstacksize(&attributes, SCARCE_STACK) == 0)
		(void)pthread_setattr_default_np(&attributes);
	(void)pthread_attr_destroy(&attributes);
}

/* With a handler, a write beyond RLIMIT_FSIZE fails.  Unlike SIG_IGN, no program that is
 * executed inherits it. */
static void on_large_file(int number)
{
	(void)number;
}

void limits_init(void)
{
	struct sigaction large = {.sa_handler = on_large_file}, before;

	sigemptyset(&large.sa_mask);
	if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &large, NULL);
	g_log_set_default_handler(on_log, NULL);
	crash_excuse = is_out_of_memory;
	save_addresses();
	check_stack();
}

void limits_set_memory(void)
{
	guint64 ram = (guint64)sysconf(_SC_PHYS_PAGES) * (guint64)sysconf(_SC_PAGESIZE);
	guint64 bytes = limits_memory == G_MAXUINT64 ? MIN(USUAL_MEMORY, ram / 2) : limits_memory;
	struct rlimit limit;
	guint64 now = root_own_address_space();

	/* A sanitizer reserves most of the address space at the start. */
	if (bytes == 0 || now == 0 || now > G_MAXUINT32 || getrlimit(RLIMIT_AS, &limit) < 0 ||
	    (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < now + bytes))
		return;
	limit.rlim_cur = now + bytes;
	if (setrlimit(RLIMIT_AS, &limit) < 0)
		return;
	g_autofree char *size = ui_format_size(bytes);
	g_snprintf(why, sizeof why, "out of memory: this takes more than %s (raise --max-memory)",
		   size);
}
