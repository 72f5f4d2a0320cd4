/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "hangcheck.h"
#include "row/batch.h"

#define DIRENT_BYTES 32768
/* Maximum listings of a process's threads that are merged; the result is then taken as it is. */
#define MAX_LISTINGS 8
#define SPARE_FILES 64

struct walk {
	const Root *root;
	GArray *tgids;        /* gint32, ascending */
	HangCheck *hangcheck; /* NULL: none */
	enum hangcheck_answer answer;
	guint next;           /* index of the process to be listed next */
	const GArray *listed; /* WalkThread; threads of other processes are read from the root */
	guint listed_at;      /* index in listed of the next process's first thread */
	gint32 tgid;          /* process whose threads are being returned; 0: none */
	GArray *tids;         /* threads of that process, in ascending order */
	guint tid_at;         /* index of the first thread not yet returned */
	char *dirents;
	gsize max_open; /* task directories open at once */
	gboolean only_leaders, is_chosen;
	guint refused; /* number of processes */
	int failure;   /* positive errno that ended the walk early; 0: none */
};

static gint compare_pids(gconstpointer a, gconstpointer b)
{
	gint32 x = *(const gint32 *)a, y = *(const gint32 *)b;

	return (x > y) - (x < y);
}

static void sort_unique(GArray *pids)
{
	guint kept = 0;

	g_array_sort(pids, compare_pids);
	for (guint i = 0; i < pids->len; i++) {
		gint32 pid = g_array_index(pids, gint32, i);

		if (kept == 0 || g_array_index(pids, gint32, kept - 1) != pid)
			g_array_index(pids, gint32, kept++) = pid;
	}
	g_array_set_size(pids, kept);
}

/* Returns a directory entry's name as a positive PID; 0: it is not one. */
static gint32 pid_of_name(const char *name)
{
	guint64 pid;
	gboolean is_pid =
		name[0] != '0' && g_ascii_string_to_unsigned(name, 10, 1, G_MAXINT32, &pid, NULL);

	return is_pid ? (gint32)pid : 0;
}

/* Appends the numeric names in a directory to pids; 0 or -errno. */
static int list_pids(Walk *walk, int fd, GArray *pids)
{
	for (;;) {
		ssize_t got = getdents64(fd, walk->dirents, DIRENT_BYTES);

		if (got <= 0)
			return got < 0 ? -errno : 0;
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const void *)(walk->dirents + at);
			gint32 pid = pid_of_name(entry->d_name);

			if (pid > 0)
				g_array_append_val(pids, pid);
			at += entry->d_reclen;
		}
	}
}

static guint64 count_links(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (guint64)st.st_nlink : 0;
}

/*
 * Lists a process's threads.  The kernel ends or shortens a listing if the thread
 * at its current position exits (fs/proc/base.c next_tid, first_tid), so living
 * threads can be missed.  The directory's link count shows how many there are
 * (proc_task_getattr: 2 + nr_threads): a listing is complete if it has that many
 * and the count has not changed meanwhile; until then, listings are merged.
 */
static void list_tids(Walk *walk, int task_fd)
{
	GArray *tids = walk->tids;

	g_array_set_size(tids, 0);
	for (guint i = 0; i < MAX_LISTINGS; i++) {
		guint64 links = count_links(task_fd);
		guint before = tids->len;

		if (list_pids(walk, task_fd, tids) < 0 || !root_is_live(walk->root))
			break;
		if (links == count_links(task_fd) && tids->len - before + 2 >= links)
			break;
		lseek(task_fd, 0, SEEK_SET);
	}
	sort_unique(tids);
}

/* Takes only the leader; the source that reads it finds out whether it has ended. */
static void take_leader(Walk *walk, gint32 tgid)
{
	g_array_set_size(walk->tids, 0);
	g_array_append_val(walk->tids, tgid);
}

/* Takes the threads that a source has listed for the process; FALSE: it listed none. */
static gboolean take_from_list(Walk *walk, gint32 tgid)
{
	const GArray *listed = walk->listed;
	const WalkThread *thread;

	g_array_set_size(walk->tids, 0);
	while (walk->listed_at < listed->len &&
	       (thread = &g_array_index(listed, WalkThread, walk->listed_at))->tgid <= tgid) {
		if (thread->tgid == tgid)
			g_array_append_val(walk->tids, thread->tid);
		walk->listed_at++;
	}
	return walk->tids->len > 0;
}

static int open_task(const Walk *walk, gint32 tgid)
{
	char path[32];

	g_snprintf(path, sizeof path, "%d/task", tgid);
	return openat(root_fd(walk->root, CTPROF_ROOT_PROC), path,
		      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the task directory of a process; -1: it has ended, or access is refused.  Any
 * other error ends the walk. */
static int open_next(Walk *walk, gint32 tgid)
{
	int fd = open_task(walk, tgid);

	/* With hidepid=1, /proc refuses access to other users' processes like this. */
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		walk->refused++;
	else if (fd < 0 && errno != ENOENT && errno != ESRCH)
		walk->failure = errno;
	return fd;
}

/* Asks the hangcheck about the process to list next. */
static enum hangcheck_answer check_next(const Walk *walk, gboolean may_wait)
{
	return walk->hangcheck ? hangcheck_ask(walk->hangcheck, walk->next, may_wait)
			       : HANGCHECK_ANSWERS;
}

static gsize hand_out_stuck(Walk *walk, struct ctprof_target *target)
{
	gint32 tgid = g_array_index(walk->tgids, gint32, walk->next++);

	*target = batch_thread(tgid, tgid, -1);
	return 1;
}

/* Finds the next process that still lives; returns its task descriptor.  -1: the walk is
 * at its end, or at a process that is or may be stuck; is_first: waits until that is known. */
static int next_process(Walk *walk, gboolean is_first)
{
	while (walk->next < walk->tgids->len && walk->failure == 0) {
		walk->answer = check_next(walk, is_first);
		if (walk->answer != HANGCHECK_ANSWERS)
			return -1;
		gint32 tgid = g_array_index(walk->tgids, gint32, walk->next++);
		int fd = open_next(walk, tgid);

		if (fd < 0)
			continue;
		if (walk->only_leaders)
			take_leader(walk, tgid);
		else if (!walk->listed || !take_from_list(walk, tgid))
			list_tids(walk, fd);
		if (walk->tids->len > 0) {
			walk->tgid = tgid;
			walk->tid_at = 0;
			return fd;
		}
		close(fd);
	}
	return -1;
}

static gsize hand_out(Walk *walk, int fd, struct ctprof_target *targets, gsize max)
{
	gsize n = MIN(max, walk->tids->len - walk->tid_at);

	for (gsize i = 0; i < n; i++)
		targets[i] = batch_thread(walk->tgid,
					  g_array_index(walk->tids, gint32, walk->tid_at++), fd);
	if (walk->tid_at == walk->tids->len)
		walk->tgid = 0;
	return n;
}

gsize walk_next(Walk *walk, struct ctprof_target *targets, gsize max)
{
	gsize n = 0;

	walk->answer = HANGCHECK_ANSWERS;
	for (gsize opened = 0; n < max && opened < walk->max_open && walk->failure == 0;) {
		/* A process that an earlier call left unfinished is opened again: the
		 * caller may be another thread, with another descriptor table. */
		int fd = walk->tgid ? open_next(walk, walk->tgid) : next_process(walk, n == 0);

		if (fd < 0 && !walk->tgid)
			break;
		if (fd < 0) {
			walk->tgid = 0;
			continue;
		}
		if (n > 0 && walk->tids->len - walk->tid_at > max - n) {
			close(fd);
			break;
		}
		n += hand_out(walk, fd, targets + n, max - n);
		opened++;
	}
	return n == 0 && walk->answer == HANGCHECK_STUCK ? hand_out_stuck(walk, targets) : n;
}

int walk_failure(const Walk *walk)
{
	return walk->failure;
}

/* Returns the thread group of a living thread; 0: unknown. */
static gint32 tgid_of(const Root *root, gint32 tid)
{
	g_autofree char *path = g_strdup_printf("%d/status", tid);
	g_autofree char *status = root_read(root, path);
	/* The kernel escapes line ends in Name, so this is the real line. */
	const char *line = status ? strstr(status, "\nTgid:\t") : NULL;

	return line ? (gint32)g_ascii_strtoll(line + strlen("\nTgid:\t"), NULL, 10) : 0;
}

static gboolean check_pid(const Walk *walk, gint32 pid, GError **error)
{
	int fd = open_task(walk, pid);

	if (fd < 0)
		return error_set_failed(error, "--pid %d: no such process", pid);
	close(fd);
	gint32 tgid = tgid_of(walk->root, pid);
	if (tgid == 0 || tgid == pid)
		return TRUE;
	return error_set_usage(error, "--pid %d: a thread of process %d; give --pid %d", pid, tgid,
			       tgid);
}

static gboolean take_pids(Walk *walk, const GArray *pids, GError **error)
{
	for (guint i = 0; i < pids->len; i++)
		if (!check_pid(walk, g_array_index(pids, gint32, i), error))
			return FALSE;
	g_array_append_vals(walk->tgids, pids->data, pids->len);
	return TRUE;
}

static gboolean find_pids(Walk *walk, GError **error)
{
	const char *path = root_path(walk->root, CTPROF_ROOT_PROC);
	int fd = openat(root_fd(walk->root, CTPROF_ROOT_PROC), ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = fd < 0 ? -errno : list_pids(walk, fd, walk->tgids);

	if (fd >= 0)
		close(fd);
	if (result < 0)
		return error_set_errno(error, -result, "'%s'", path);
	if (walk->tgids->len == 0)
		error_set_failed(error, "'%s' shows no process: is it a proc file system?", path);
	return walk->tgids->len > 0;
}

/* Returns how many task directories may be open; the rest is for the sources' files. */
static gsize choose_max_open(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur == RLIM_INFINITY)
		return G_MAXSIZE;
	return files.rlim_cur > 2 * SPARE_FILES ? files.rlim_cur - SPARE_FILES
						: MAX(files.rlim_cur / 4, 1);
}

static Walk *walk_make(const Root *root)
{
	Walk *walk = g_new0(Walk, 1);

	walk->root = root;
	walk->tgids = g_array_new(FALSE, FALSE, sizeof(gint32));
	walk->tids = g_array_new(FALSE, FALSE, sizeof(gint32));
	walk->dirents = g_malloc(DIRENT_BYTES);
	walk->max_open = choose_max_open();
	return walk;
}

Walk *walk_adopt(Walk *walk, const Root *root, const GArray *threads)
{
	if (!walk) {
		walk = walk_make(root);
		walk->is_chosen = TRUE;
	}
	walk->listed = threads;
	for (guint i = 0; i < threads->len; i++) {
		gint32 tgid = g_array_index(threads, WalkThread, i).tgid;

		if (i == 0 || g_array_index(threads, WalkThread, i - 1).tgid != tgid)
			g_array_append_val(walk->tgids, tgid);
	}
	sort_unique(walk->tgids);
	return walk;
}

Walk *walk_new(const Root *root, const GArray *pids, gboolean only_leaders, GError **error)
{
	g_autoptr(Walk) walk = walk_make(root);

	walk->only_leaders = only_leaders;
	walk->is_chosen = pids != NULL;
	if (!(pids ? take_pids(walk, pids, error) : find_pids(walk, error)))
		return NULL;
	sort_unique(walk->tgids);
	return g_steal_pointer(&walk);
}

/* Returns the processes among pids that are alive; NULL: all have ended. */
static GArray *list_living(const Root *root, const GArray *pids, GError **error)
{
	g_autoptr(GArray) living = g_array_new(FALSE, FALSE, sizeof(gint32));

	for (guint i = 0; i < pids->len; i++) {
		char name[16];

		g_snprintf(name, sizeof name, "%d", g_array_index(pids, gint32, i));
		if (faccessat(root_fd(root, CTPROF_ROOT_PROC), name, F_OK, 0) == 0)
			g_array_append_val(living, g_array_index(pids, gint32, i));
	}
	if (living->len > 0)
		return g_steal_pointer(&living);
	error_set_failed(error,
			 pids->len == 1 ? "process %d has ended"
					: "process %d has ended, as have the others",
			 g_array_index(pids, gint32, 0));
	return NULL;
}

Walk *walk_new_again(const Root *root, const GArray *pids, gboolean only_leaders, GError **error)
{
	g_autoptr(GArray) living = pids ? list_living(root, pids, error) : NULL;

	return living || !pids ? walk_new(root, living, only_leaders, error) : NULL;
}

void walk_start_hangcheck(Walk *walk)
{
	if (root_is_live(walk->root))
		walk->hangcheck = hangcheck_new(walk->root, walk->tgids);
}

void walk_free(Walk *walk)
{
	g_clear_pointer(&walk->hangcheck, hangcheck_free);
	g_array_unref(walk->tgids);
	g_array_unref(walk->tids);
	g_free(walk->dirents);
	g_free(walk);
}

guint64 walk_count_threads(const Walk *walk, guint64 enough)
{
	guint64 n = walk->tgids->len;
	char path[32];
	struct stat st;

	/* Each process has at least one thread; the link count of its directory shows how
	 * many more (proc_task_getattr). */
	for (guint i = 0; !walk->only_leaders && i < walk->tgids->len && n < enough; i++) {
		g_snprintf(path, sizeof path, "%d/task", g_array_index(walk->tgids, gint32, i));
		if (fstatat(root_fd(walk->root, CTPROF_ROOT_PROC), path, &st, 0) == 0 &&
		    st.st_nlink > 3)
			n += (guint64)st.st_nlink - 3;
	}
	return MIN(n, enough);
}

guint walk_refused(const Walk *walk)
{
	return walk->refused;
}

gboolean walk_is_partial(const Walk *walk)
{
	return !walk->is_chosen && root_is_live(walk->root) && walk->tgids->len > 0 &&
	       g_array_index(walk->tgids, gint32, 0) != 1 && (kill(1, 0) == 0 || errno == EPERM);
}

guint walk_processes(const Walk *walk)
{
	return walk->tgids->len;
}

guint walk_processes_done(const Walk *walk)
{
	return walk->next;
}
