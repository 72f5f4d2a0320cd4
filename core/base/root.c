/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "fd.h"

#define N_TREES 3
/* A file that is next to the executable only in a build tree. */
#define BUILD_TREE_MARK "ctprof-build-tree"
/* The longest file is /proc/stat on a host with thousands of CPUs. */
#define SMALL_FILE_BYTES (1u << 20)
#define NS_PER_S G_GUINT64_CONSTANT(1000000000)
/* Later than any clock will show, yet small enough that the sum of two does not overflow. */
#define MAX_SECONDS G_GUINT64_CONSTANT(1000000000)

/* The only place that knows where the kernel's trees are mounted. */
static const struct tree {
	guint32 which;
	const char *word; /* first in the paths of CTPROF_NEED_FILE */
	const char *usual;
	const char *option;
	gboolean required;
} trees[N_TREES] = {
	{CTPROF_ROOT_PROC, "proc", "/proc", "--proc-root", TRUE},
	{CTPROF_ROOT_SYS, "sys", "/sys", "--sys-root", FALSE},
	{CTPROF_ROOT_CGROUP, "cgroup", "/sys/fs/cgroup", "--cgroup-root", FALSE},
};

struct root {
	int fds[N_TREES];
	char *paths[N_TREES];
	gboolean live;
};

static gboolean open_tree(Root *root, guint i, const char *given, GError **error)
{
	const char *path = given ? given : root->live ? trees[i].usual : NULL;

	if (!path && trees[i].required)
		return error_set_usage(error, "a recorded tree needs %s", trees[i].option);
	root->paths[i] = g_strdup(path ? path : "");
	if (!path)
		return TRUE;
	root->fds[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root->fds[i] >= 0 || (!given && !trees[i].required))
		return TRUE;
	return error_set_errno(error, errno, "%s '%s'", trees[i].option, path);
}

Root *root_open(const char *proc, const char *sys, const char *cgroup, GError **error)
{
	const char *given[N_TREES] = {proc, sys, cgroup};
	g_autoptr(Root) root = g_new0(Root, 1);

	root->live = !proc && !sys && !cgroup;
	for (guint i = 0; i < N_TREES; i++)
		root->fds[i] = -ENOENT;
	for (guint i = 0; i < N_TREES; i++)
		if (!open_tree(root, i, given[i], error))
			return NULL;
	return g_steal_pointer(&root);
}

void root_free(Root *root)
{
	for (guint i = 0; i < N_TREES; i++) {
		if (root->fds[i] >= 0)
			close(root->fds[i]);
		g_free(root->paths[i]);
	}
	g_free(root);
}

static int tree_index(guint32 which)
{
	for (int i = 0; i < N_TREES; i++)
		if (trees[i].which == which)
			return i;
	return -1;
}

int root_fd(const Root *root, guint32 which)
{
	int i = tree_index(which);

	if (i < 0)
		return -EINVAL;
	return root->fds[i] >= 0 ? root->fds[i] : -ENOENT;
}

const char *root_path(const Root *root, guint32 which)
{
	int i = tree_index(which);

	return i >= 0 ? root->paths[i] : "";
}

gboolean root_is_live(const Root *root)
{
	return root->live;
}

static char *read_small(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	g_autofree char *buf = g_malloc(SMALL_FILE_BYTES);
	ssize_t got = read(fd, buf, SMALL_FILE_BYTES - 1);
	close(fd);
	if (got < 0)
		return NULL;
	buf[got] = '\0';
	if (got > 0 && buf[got - 1] == '\n')
		buf[got - 1] = '\0';
	return g_steal_pointer(&buf);
}

char *root_read(const Root *root, const char *path)
{
	return read_small(root->fds[0], path);
}

/* Parses "15.82 2.49" as 15.82 s and returns ns; 0: not a time. */
static guint64 parse_uptime(const char *text)
{
	char *end;
	guint64 seconds = g_ascii_strtoull(text, &end, 10);

	if (end == text || seconds > MAX_SECONDS || end[0] != '.' || !g_ascii_isdigit(end[1]) ||
	    !g_ascii_isdigit(end[2]))
		return 0;
	guint64 hundredths =
		(guint64)(g_ascii_digit_value(end[1]) * 10 + g_ascii_digit_value(end[2]));
	return seconds * NS_PER_S + hundredths * (NS_PER_S / 100);
}

/* Returns the boot time in seconds since 1970; 0: unknown. */
static guint64 parse_boot(const char *stat)
{
	const char *line = strstr(stat, "\nbtime ");
	guint64 seconds = line ? g_ascii_strtoull(line + strlen("\nbtime "), NULL, 10) : 0;

	return seconds <= MAX_SECONDS * 10 ? seconds : 0;
}

RootTime root_time(const Root *root)
{
	RootTime time = {.realtime_ns = clock_ns(CLOCK_REALTIME)};

	if (root->live) {
		time.boottime_ns = clock_ns(CLOCK_BOOTTIME);
		return time;
	}
	g_autofree char *uptime = root_read(root, "uptime");
	g_autofree char *stat = root_read(root, "stat");
	guint64 boot = stat ? parse_boot(stat) : 0;
	time.boottime_ns = uptime ? parse_uptime(uptime) : 0;
	if (boot > 0 && time.boottime_ns > 0)
		time.realtime_ns = boot * NS_PER_S + time.boottime_ns;
	return time;
}

gboolean root_write(const Root *root, const char *path, const char *text, GError **error)
{
	int fd = openat(root->fds[0], path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(error, errno, "'%s/%s'", root->paths[0], path);
	ssize_t put = write(fd, text, strlen(text));
	int err = errno;
	close(fd);
	return put >= 0 || error_set_errno(error, err, "'%s/%s'", root->paths[0], path);
}

char *root_program_dir(void)
{
	g_autofree char *exe = g_file_read_link("/proc/self/exe", NULL);

	return exe ? g_path_get_dirname(exe) : NULL;
}

char *root_build_tree(void)
{
	g_autofree char *dir = root_program_dir();
	g_autofree char *mark = dir ? g_build_filename(dir, BUILD_TREE_MARK, NULL) : NULL;

	return mark && g_file_test(mark, G_FILE_TEST_EXISTS) ? g_steal_pointer(&dir) : NULL;
}

static guint64 read_peak_rss(int dirfd, const char *path)
{
	g_autofree char *status = read_small(dirfd, path);
	const char *line = status ? strstr(status, "\nVmHWM:") : NULL;

	return line ? g_ascii_strtoull(line + strlen("\nVmHWM:"), NULL, 10) * 1024 : 0;
}

guint64 root_own_peak_rss(const Root *root)
{
	struct rusage own;

	/* ru_maxrss includes the program that exec replaced; a better value is
	 * available only from the running kernel. */
	if (!root->live)
		return getrusage(RUSAGE_SELF, &own) == 0 ? (guint64)own.ru_maxrss * 1024 : 0;
	return read_peak_rss(root->fds[0], "self/status");
}

guint64 root_own_rss(void)
{
	return read_peak_rss(AT_FDCWD, "/proc/self/status");
}

guint64 root_own_address_space(void)
{
	g_autofree char *statm = read_small(AT_FDCWD, "/proc/self/statm");
	guint64 pages = statm ? g_ascii_strtoull(statm, NULL, 10) : 0;

	return pages * (guint64)sysconf(_SC_PAGESIZE);
}

gboolean root_maps_user(guint32 uid)
{
	g_autofree char *map = read_small(AT_FDCWD, "/proc/self/uid_map");
	g_auto(GStrv) lines = g_strsplit(map ? map : "", "\n", -1);
	guint64 inside, outside, count;

	for (guint i = 0; lines[i]; i++)
		if (sscanf(lines[i],
			   "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
			   &inside, &outside, &count) == 3 &&
		    uid >= inside && uid - inside < count)
			return TRUE;
	/* Without a map, there is only one user namespace. */
	return !map;
}

const char *root_fd_path(char ret[ROOT_FD_PATH_MAX], int fd)
{
	g_snprintf(ret, ROOT_FD_PATH_MAX, "/proc/thread-self/fd/%d", fd);
	return ret;
}

/* Returns the path of a descriptor of the calling thread; NULL if unknown. */
static char *path_of(int fd)
{
	char link[ROOT_FD_PATH_MAX];
	char *path = g_file_read_link(root_fd_path(link, fd), NULL);

	/* The directory's process may have ended meanwhile. */
	if (path && g_str_has_suffix(path, " (deleted)"))
		path[strlen(path) - strlen(" (deleted)")] = '\0';
	return path;
}

char *root_name_file(const Root *root, int dirfd, const char *path)
{
	g_autofree char *base = path_of(dirfd);
	g_autofree char *full = base ? g_canonicalize_filename(path, base) : NULL;
	char *name = NULL;
	gsize longest = 0;

	for (guint i = 0; full && i < N_TREES; i++) {
		g_autofree char *tree = root->fds[i] >= 0 ? path_of(root->fds[i]) : NULL;
		gsize len = tree ? strlen(tree) : 0;

		if (len <= longest || strncmp(full, tree, len) != 0 ||
		    (full[len] && full[len] != '/'))
			continue;
		longest = len;
		g_free(name);
		name = g_strconcat(trees[i].word, full + len, NULL);
	}
	return name;
}

static int count_entries(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	int n = 0;

	while (dir && g_dir_read_name(dir))
		n++;
	return n;
}

int root_own_descriptors(void)
{
	return count_entries("/proc/thread-self/fd");
}

int root_own_threads(void)
{
	return count_entries("/proc/self/task");
}

char root_state(int proc, const char *directory)
{
	static const char mark[] = "\nState:\t";
	g_autofree char *path = g_build_filename(directory, "status", NULL);
	g_autofree char *status = read_small(proc, path);
	/* The kernel escapes line ends in Name, so this is the real line. */
	const char *line = status ? strstr(status, mark) : NULL;

	return line ? line[sizeof mark - 1] : '?';
}

static gboolean shows_own_pids(void)
{
	char self[16] = "";

	return readlink("/proc/self", self, sizeof self - 1) > 0 &&
	       g_ascii_strtoll(self, NULL, 10) == getpid();
}

char root_thread_state(pid_t pid, pid_t tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d", (int)pid, (int)tid);

	return shows_own_pids() ? root_state(AT_FDCWD, path) : '?';
}

void root_each_own_thread(void (*each)(pid_t tid, gconstpointer data), gconstpointer data)
{
	AUTO_FD dir =
		shows_own_pids() ? open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_Alignas(struct dirent64) char entries[4096];
	ssize_t got;

	while (dir >= 0 && (got = getdents64(dir, entries, sizeof entries)) > 0)
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			if (g_ascii_isdigit(entry->d_name[0]))
				each((pid_t)g_ascii_strtoll(entry->d_name, NULL, 10), data);
			at += entry->d_reclen;
		}
}

GArray *root_list_own_children(void)
{
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_autofree char *text = NULL;

	if (!shows_own_pids() ||
	    !g_file_get_contents("/proc/thread-self/children", &text, NULL, NULL))
		return pids;
	for (char *at = text, *end; *at; at = end) {
		pid_t pid = (pid_t)g_ascii_strtoll(at, &end, 10);

		if (end == at)
			break;
		g_array_append_val(pids, pid);
	}
	return pids;
}
