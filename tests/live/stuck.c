/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes processes hang in the kernel, by a FUSE file system that leaves some requests
 * unanswered: "stuck DIR KIND=N...".  Prints their PIDs as JSON, kills them at the end of its
 * standard input, and prints the number of requests made by other processes meanwhile.
 *
 *   mmap  N that map memory over a dirty page of such a file: the kernel writes the page
 *         back first, with the process's mmap lock held
 *   exe   N that run a program on that file system, which no longer answers
 *   exec  N that execute another program with a close-on-exec file of it open: the kernel
 *         sends the server a flush request with exec_update_lock held
 *   exit  N that exit with such a file open: the flush request is not answered either
 *   late  as exec, after the file DIR.go appears; then DIR.gone is created
 *
 * The following only hang processes that open their files or read their memory:
 *
 *   overlay  N that map code from an overlay whose lower layer is that file system
 *   detach   N that map code from it; it is then unmounted while in use
 *   page     N whose thread list continues in a page of such a file that was never read;
 *            with the library $STUCK_LIBRARY
 *   lock     N with two threads that wait for a mutex in a page of such a file, which was then
 *            dropped
 *
 * Without root, everything is done in a user namespace.  $STUCK_FUSE names the device instead
 * of /dev/fuse.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX 1200
#define REQUEST_BYTES (256u * 1024)
#define PROGRAM "/bin/sleep"
/* Files numbered from here on: closing them is never answered. */
#define CLINGS 1000u

/* Shared by the server and the process that starts the others. */
static struct {
	volatile int silent;   /* requests are no longer answered */
	volatile int n_stuck;  /* requests that were never answered, or will not be */
	volatile int n_late;   /* processes that are not stuck yet */
	volatile int n_prying; /* requests by other processes since it is silent */
	pid_t pids[MAX];
	volatile int n_pids;
} * shared;

static const char *dir;
static char *program;
static size_t program_size;

static void die(const char *what)
{
	fprintf(stderr, "stuck: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void load_program(void)
{
	struct stat st;
	int fd = open(PROGRAM, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0)
		die(PROGRAM);
	program_size = (size_t)st.st_size;
	program = malloc(program_size);
	if (!program || read(fd, program, program_size) != (ssize_t)program_size)
		die(PROGRAM);
	close(fd);
}

/* ---- files beside the directory ------------------------------------------------ */

static const char *mark_path(const char *suffix)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s%s", dir, suffix);
	return path;
}

static void put_mark(const char *suffix)
{
	close(open(mark_path(suffix), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

/* ---- the file system: each name but the root is a copy of the program -------- */

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1,
		.size = node == FUSE_ROOT_ID ? 0 : program_size,
		.blksize = 4096,
	};
}

static void reply(int fuse, uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof header + size), .error = -error, .unique = unique};
	struct iovec parts[] = {{&header, sizeof header}, {(void *)(uintptr_t)data, size}};

	/* ENOENT: the requesting process was killed meanwhile. */
	if (writev(fuse, parts, size > 0 ? 2 : 1) < 0 && errno != ENOENT)
		die("answer");
}

static void answer_read(int fuse, uint64_t unique, const struct fuse_read_in *in)
{
	size_t at = in->offset < program_size ? in->offset : program_size;
	size_t left = program_size - at;

	reply(fuse, unique, 0, program + at, left < in->size ? left : in->size);
}

/* Whether the kernel or one of our processes made the request. */
static int is_own(uint32_t pid)
{
	int own = pid == 0;

	for (int i = 0; i < shared->n_pids; i++)
		own = own || (uint32_t)shared->pids[i] == pid;
	return own;
}

static void answer(int fuse, const struct fuse_in_header *in)
{
	const struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
					   .minor = FUSE_KERNEL_MINOR_VERSION,
					   .max_write = 65536,
					   .max_background = MAX};
	/* Names are numbers, with a node each, so that no process waits for another. */
	uint64_t node = FUSE_ROOT_ID + 1 + strtoul((const char *)(in + 1), NULL, 10);
	const struct fuse_entry_out entry = {
		.nodeid = node, .generation = 1, .attr = attributes(node)};
	const struct fuse_attr_out attr = {.attr = attributes(in->nodeid)};
	const struct fuse_open_out opened = {.fh = 1};
	const struct fuse_statfs_out statfs = {.st = {.bsize = 4096, .namelen = 255}};

	if (shared->silent) {
		if (!is_own(in->pid))
			shared->n_prying++;
		if (in->opcode == FUSE_FLUSH && shared->n_late > 0 && --shared->n_late == 0)
			put_mark(".gone");
		return;
	}
	switch (in->opcode) {
	case FUSE_INIT:
		reply(fuse, in->unique, 0, &init, sizeof init);
		break;
	case FUSE_LOOKUP:
		reply(fuse, in->unique, 0, &entry, sizeof entry);
		break;
	case FUSE_SETATTR:
	case FUSE_GETATTR:
		reply(fuse, in->unique, 0, &attr, sizeof attr);
		break;
	case FUSE_OPEN:
		reply(fuse, in->unique, 0, &opened, sizeof opened);
		break;
	case FUSE_READ:
		answer_read(fuse, in->unique, (const void *)(in + 1));
		break;
	case FUSE_STATFS:
		reply(fuse, in->unique, 0, &statfs, sizeof statfs);
		break;
	case FUSE_FLUSH:
		if (in->nodeid >= CLINGS)
			shared->n_stuck++;
		else
			reply(fuse, in->unique, 0, NULL, 0);
		break;
	case FUSE_WRITE:
		shared->n_stuck++;
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(fuse, in->unique, ENOSYS, NULL, 0);
	}
}

/* Dies with the first process, however it ends: without the server nothing stays stuck. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(1);
}

static void serve(int fuse)
{
	void *request = malloc(REQUEST_BYTES);

	while (request && (read(fuse, request, REQUEST_BYTES) > 0 || errno == EINTR ||
			   errno == ENOENT || errno == EAGAIN))
		answer(fuse, request);
	_exit(0);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void enter_user_namespace(void)
{
	unsigned user = geteuid(), group = getegid();
	char ids[32];

	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER) != 0)
		die("a user namespace");
	put("/proc/self/setgroups", "deny");
	snprintf(ids, sizeof ids, "0 %u 1", user);
	put("/proc/self/uid_map", ids);
	snprintf(ids, sizeof ids, "0 %u 1", group);
	put("/proc/self/gid_map", ids);
}

/* Mounts the file system in a new mount namespace, so that it goes away with the processes. */
static int mount_fuse(void)
{
	const char *device = getenv("STUCK_FUSE");
	char options[128];

	/* The device must be opened in the user namespace that mounts. */
	if (geteuid() != 0)
		enter_user_namespace();
	int fuse = open(device ? device : "/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse < 0)
		die("the device fuse");
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 fuse);
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("stuck", dir, "fuse.stuck", MS_NOSUID | MS_NODEV, options) != 0)
		die("mount");
	return fuse;
}

/* ---- the processes -------------------------------------------------------- */

static void get_stuck_in_mmap(int number)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%d", dir, number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		die(path);
	close(fd);
	page[0] = 1;
	(void)mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	_exit(0);
}

static void run_program(int number)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%d", dir, number);
	execl(path, "stuck-exe", "100000", (char *)NULL);
	die(path);
}

static void open_cling(int number)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%u", dir, CLINGS + (unsigned)number);
	if (open(path, O_RDONLY | O_CLOEXEC) < 0)
		die(path);
}

static void become_program(void)
{
	execl(PROGRAM, PROGRAM, "100000", (char *)NULL);
	die(PROGRAM);
}

static void get_stuck_in_exec(int number)
{
	open_cling(number);
	become_program();
}

static void get_stuck_late(int number)
{
	open_cling(number);
	__atomic_add_fetch(&shared->n_late, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&shared->n_stuck, 1, __ATOMIC_SEQ_CST);
	while (access(mark_path(".go"), F_OK) != 0)
		usleep(1000);
	become_program();
}

static void get_stuck_in_exit(int number)
{
	open_cling(number);
	_exit(0);
}

/* Sleeps forever, under the name that is_at_rest() looks for. */
static void rest(int number)
{
	char name[16];

	snprintf(name, sizeof name, "%d", number);
	prctl(PR_SET_NAME, name);
	for (;;)
		pause();
}

/* Maps a page of a file of the file system mounted on the directory where, without reading it. */
static char *map_file(const char *where, int number, int access)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%d", where, number);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *page = mmap(NULL, 4096, access, MAP_PRIVATE, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		die(path);
	close(fd);
	return page;
}

static void execute_of_overlay(int number)
{
	char options[4096];

	snprintf(options, sizeof options, "lowerdir=%s,upperdir=/mnt/u,workdir=/mnt/w", dir);
	if (mount("none", "/mnt", "tmpfs", 0, NULL) != 0 || mkdir("/mnt/u", 0755) != 0 ||
	    mkdir("/mnt/w", 0755) != 0 || mkdir("/mnt/m", 0755) != 0 ||
	    mount("none", "/mnt/m", "overlay", 0, options) != 0)
		die("overlay");
	map_file("/mnt/m", number, PROT_READ | PROT_EXEC);
	rest(number);
}

static void execute_of_detached(int number)
{
	map_file(dir, number, PROT_READ | PROT_EXEC);
	if (umount2(dir, MNT_DETACH) != 0)
		die("umount2");
	rest(number);
}

/* Returns the offset from glibc's field description for debuggers: bits, number, offset. */
static uint32_t offset_of(const char *name)
{
	const uint32_t *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		die(name);
	return found[2];
}

static void have_page_in_list(int number)
{
	const char *library = getenv("STUCK_LIBRARY");
	char *global = dlsym(RTLD_DEFAULT, "_rtld_global");

	/* Like a process of an ordinary user, whom fusermount lets mount a server. */
	if (geteuid() == 0 &&
	    (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0 ||
	     prctl(PR_SET_DUMPABLE, 1) != 0))
		die("another user");
	if (!library || !global || !dlopen(library, RTLD_NOW))
		die(library ? dlerror() : "STUCK_LIBRARY");
	char *head = global + offset_of("_thread_db_rtld_global__dl_stack_user");
	char *page = map_file(dir, number, PROT_READ | PROT_WRITE);
	char *node = page + 2048;
	memcpy(head + offset_of("_thread_db_list_t_prev"), &node, sizeof node);
	rest(number);
}

static void *wait_for_lock(void *lock)
{
	(void)pthread_mutex_lock(lock);
	return NULL;
}

/* Counts the threads that are in a system call with the address as first argument. */
static int count_waiters(const void *address)
{
	DIR *tasks = opendir("/proc/self/task");
	char path[300], line[128], sought[32];
	int n = 0;

	snprintf(sought, sizeof sought, " %p ", address);
	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		snprintf(path, sizeof path, "/proc/self/task/%s/syscall", entry->d_name);
		FILE *file = fopen(path, "re");
		if (!file)
			continue;
		n += fgets(line, sizeof line, file) && strstr(line, sought);
		fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

static void wait_in_dropped_page(int number)
{
	pthread_mutex_t *lock = (void *)map_file(dir, number, PROT_READ | PROT_WRITE);
	pthread_t thread;
	char path[4096];

	pthread_mutex_init(lock, NULL);
	pthread_mutex_lock(lock);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, wait_for_lock, lock) != 0)
			die("a thread");
	while (count_waiters(lock) < 2)
		usleep(1000);
	snprintf(path, sizeof path, "%s/%d", dir, number);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || madvise(lock, 4096, MADV_DONTNEED) != 0 ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		die(path);
	close(fd);
	rest(number);
}

struct kind {
	const char *name;
	void (*run)(int number);
	int asks; /* sends the server a request that is not answered */
};

static const struct kind kinds[] = {
	{"mmap", get_stuck_in_mmap, 1},     {"exe", run_program, 0},
	{"exec", get_stuck_in_exec, 1},     {"exit", get_stuck_in_exit, 1},
	{"late", get_stuck_late, 1},        {"page", have_page_in_list, 0},
	{"overlay", execute_of_overlay, 0}, {"detach", execute_of_detached, 0},
	{"lock", wait_in_dropped_page, 0},
};

static const struct kind *find_kind(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strlen(kinds[i].name) == len && strncmp(kinds[i].name, word, len) == 0)
			return &kinds[i];
	fprintf(stderr, "stuck: '%s' is not a kind\n", word);
	exit(2);
}

/* Whether the process sleeps in its program; its name is then the number. */
static int is_at_rest(int number)
{
	char path[64], line[512] = "", name[32];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)shared->pids[number]);
	file = fopen(path, "re");
	if (!file)
		return 0;
	(void)!fgets(line, sizeof line, file);
	fclose(file);
	snprintf(name, sizeof name, " (%d) S ", number);
	return strstr(line, name) != NULL;
}

/* Starts the processes of one KIND=N; returns how many requests will stay unanswered. */
static int start(const char *word)
{
	size_t len = strcspn(word, "=");
	const struct kind *kind = find_kind(word, len);
	long n = word[len] ? strtol(word + len + 1, NULL, 10) : 0;

	for (long i = 0; i < n && shared->n_pids < MAX; i++) {
		int number = shared->n_pids;
		pid_t self = getpid(), pid = fork();

		if (pid == 0) {
			end_with(self);
			kind->run(number);
		}
		shared->pids[number] = pid;
		shared->n_pids++;
		while (!kind->asks && !is_at_rest(number)) {
			if (waitpid(pid, NULL, WNOHANG) == pid)
				exit(1);
			usleep(1000);
		}
	}
	return kind->asks ? (int)n : 0;
}

int main(int argc, char **argv)
{
	int n_asked = 0;

	if (argc < 3)
		return 2;
	dir = argv[1];
	/* The reader of our output may have exited. */
	signal(SIGPIPE, SIG_IGN);
	load_program();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	int fuse = mount_fuse();
	pid_t self = getpid(), server = fork();
	if (server == 0) {
		end_with(self);
		serve(fuse);
	}
	close(fuse);
	for (int i = 2; i < argc; i++)
		n_asked += start(argv[i]);
	while (shared->n_stuck < n_asked)
		usleep(1000);
	shared->silent = 1;
	printf("{\"pids\": [");
	for (int i = 0; i < shared->n_pids; i++)
		printf("%s%d", i ? ", " : "", (int)shared->pids[i]);
	printf("]}\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	printf("%d\n", shared->n_prying);
	fflush(stdout);
	for (int i = 0; i < shared->n_pids; i++)
		kill(shared->pids[i], SIGKILL);
	/* Without the server all pending requests fail. */
	kill(server, SIGKILL);
	while (wait(NULL) > 0)
		continue;
	return 0;
}
