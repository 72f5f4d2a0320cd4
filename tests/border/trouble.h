/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults named VERB-OP, such as "crash-open", that end the process or never return. */
#pragma once

#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile uintptr_t trouble_nowhere = 8;

static void trouble_crash(void)
{
	*(volatile char *)trouble_nowhere = 0;
}

static int trouble_recurse(volatile char *caller)
{
	volatile char frame[4096];

	frame[0] = *caller;
	return trouble_nowhere ? trouble_recurse(frame) + frame[0] : 0;
}

static void trouble_overflow(void)
{
	volatile char first = 0;

	trouble_recurse(&first);
}

static void trouble_exit(void)
{
	exit(0);
}

/* Exits without the handlers that exit() would run. */
static void trouble_quit(void)
{
	_exit(0);
}

static void trouble_hang(void)
{
	while (trouble_nowhere)
		pause();
}

/* Never returns, and uses a whole CPU. */
static void trouble_spin(void)
{
	while (trouble_nowhere)
		continue;
}

static void *trouble_run(void *nothing)
{
	trouble_crash();
	return nothing;
}

/* Crashes in a thread unknown to the host. */
static void trouble_elsewhere(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, trouble_run, NULL) == 0)
		pthread_join(thread, NULL);
}

/* Overwrites all writable shared memory of the process, and crashes. */
static void trouble_scribble(void)
{
	static const char odd_numbers[] = {1, 1, 1, 0}; /* and short texts */
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned long from, to;

	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx rw-s", &from, &to) == 2 && strstr(line, " rw-s "))
			for (char *at = (char *)from; at < (char *)to; at += sizeof odd_numbers)
				memcpy(at, odd_numbers, sizeof odd_numbers);
	abort();
}

/* Returns in two processes. */
static void trouble_fork(void)
{
	if (fork() == 0)
		trouble_nowhere++;
}

static void trouble_stop(void)
{
	raise(SIGSTOP);
}

/* Stops like the terminal does. */
static void trouble_tstp(void)
{
	raise(SIGTSTP);
}

static void trouble_ttin(void)
{
	raise(SIGTTIN);
}

static void *trouble_run_later(void *nothing)
{
	usleep(300000);
	raise(SIGSTOP);
	return nothing;
}

/* Stops the process later, outside of any call of the plugin. */
static void trouble_later(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, trouble_run_later, NULL) == 0)
		pthread_detach(thread);
}

static void trouble_move(void)
{
	if (chdir("/") < 0)
		abort();
}

static void trouble_alarm(void)
{
	alarm(1);
}

static void trouble_wake(void)
{
	raise(SIGALRM);
}

static void trouble_close(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

static int trouble_reaches(int fd)
{
	struct stat st;

	return fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* Writes to each file that is not its own. */
static void trouble_stray(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if (trouble_reaches(fd) && write(fd, "stray", 5) != 5)
			abort();
}

static void trouble_seek(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if (trouble_reaches(fd))
			(void)lseek(fd, 3, SEEK_SET);
}

/* Writes with pwrite(), which does not move the offset. */
static void trouble_patch(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if (trouble_reaches(fd) && pwrite(fd, "stray", 5, 0) != 5)
			abort();
}

/* Writes to a pipe whose read end is closed. */
static void trouble_pipe(void)
{
	int ends[2];

	if (pipe(ends) < 0)
		abort();
	close(ends[0]);
	if (write(ends[1], "", 1) == 1)
		abort();
	close(ends[1]);
}

/* Fills all writable shared memory of the process with byte. */
static void trouble_fill(int byte)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned long from, to;

	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx rw-s", &from, &to) == 2 && strstr(line, " rw-s "))
			memset((void *)from, byte, to - from);
	if (maps)
		fclose(maps);
}

static void trouble_ones(void)
{
	trouble_fill(1);
	trouble_hang();
}

static void trouble_full(void)
{
	trouble_fill(0xff);
}

/* Starts a process that outlives the capture and writes its PID to TOY_VICTIM. */
static void trouble_leave(void)
{
	pid_t pid = fork();

	if (pid == 0 && setsid() > 0 && fork() == 0) {
		FILE *file = fopen(getenv("TOY_VICTIM"), "we");

		if (file) {
			fprintf(file, "%d\n", (int)getpid());
			fclose(file);
		}
		/* Otherwise ctprof would also wait for this process to return. */
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		sleep(100);
	}
	if (pid == 0)
		_exit(0);
	for (int i = 0; i < 1000 && access(getenv("TOY_VICTIM"), F_OK) != 0; i++)
		usleep(1000);
}

/* Writes beyond its allocation, so that a later malloc() or free() crashes. */
static void trouble_spoil(void)
{
	volatile char *small = malloc(24);

	for (size_t i = 0; small && i < 32; i++)
		small[i] = 0x5a;
}

/* ---- actions a plugin has no right to: it crashes if they succeed ----------- */

static void trouble_unless(int refused)
{
	if (!refused)
		abort();
}

static void trouble_open(const char *path, int flags)
{
	trouble_unless(open(path, flags | O_CLOEXEC) < 0);
}

static void trouble_shadow(void)
{
	trouble_open("/etc/shadow", O_RDWR);
}

/* Opens the setting of the program that the kernel runs as root to dump core. */
static void trouble_core(void)
{
	trouble_open("/proc/sys/kernel/core_pattern", O_WRONLY);
}

static void trouble_memory(void)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%d/mem", getppid());
	trouble_open(path, O_RDWR);
}

/* Uses up the address space, and crashes. */
static void trouble_starve(void)
{
	while (mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		continue;
	trouble_crash();
}

static void trouble_raise(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		abort();
	data[0].effective |= 1u << CAP_DAC_OVERRIDE;
	trouble_unless(syscall(SYS_capset, &head, data) < 0);
}

static void trouble_user(void)
{
	trouble_unless(geteuid() != 0 && setuid(0) < 0 && setgid(0) < 0);
}

static void trouble_attach(void)
{
	trouble_unless(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) < 0);
}

static void trouble_signal(void)
{
	trouble_unless(kill(getppid(), 0) < 0);
}

/* Forges a request to remove a file in the page shared with the supervisor. */
static void trouble_doom(void)
{
	struct {
		unsigned blames, crashed, output, trespass, finished, keys, doomed;
		char path[512];
	} page = {.doomed = 1};
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned long from, to;

	snprintf(page.path, sizeof page.path, "%s", getenv("TOY_VICTIM"));
	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx rw-s", &from, &to) == 2 && strstr(line, " rw-s ") &&
		    to - from > sizeof page)
			memcpy((void *)from, &page, sizeof page);
	raise(SIGKILL);
}

/* A request of delivery.c. */
struct trouble_request {
	unsigned verb, number;
	char name[256], temporary[256];
};

/* Sends it, with these descriptors, to the only socket of the process, the one of the supervisor.
 * Returns that, or -1. */
static int trouble_ask(struct trouble_request *request, const int fds[2])
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {.header = {CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec part = {request, sizeof *request};
	const struct msghdr message = {.msg_iov = &part,
				       .msg_iovlen = 1,
				       .msg_control = &control,
				       .msg_controllen = sizeof control};
	int fd = 3;

	memcpy(CMSG_DATA(&control.header), fds, 2 * sizeof fds[0]);
	while (fd < 1024 && sendmsg(fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof *request)
		fd++;
	return fd < 1024 ? fd : -1;
}

/* Asks the supervisor to give its file TOY_VICTIM/open/file the name TOY_VICTIM/forged. */
static void trouble_forge(void)
{
	struct trouble_request request = {.verb = 0 /* begin */, .number = 1, .name = "forged"};
	const char *folder = getenv("TOY_VICTIM");
	char path[512];
	int answer;

	snprintf(path, sizeof path, "%s/open/file", folder);
	const int fds[] = {open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600),
			   open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	int line = trouble_ask(&request, fds);
	request.verb = 2; /* commit */
	if (line < 0 || send(line, &request, sizeof request, MSG_NOSIGNAL) < 0 ||
	    recv(line, &answer, sizeof answer, 0) != (ssize_t)sizeof answer ||
	    write(fds[0], "asked", 5) != 5)
		abort();
	close(fds[0]);
	close(fds[1]);
}

/* Reads the memory of a process that never releases its mmap lock: not even SIGKILL ends
 * that read. */
static void trouble_freeze_by(const char *pid)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {(void *)getauxval(AT_PHDR), 1};

	(void)process_vm_readv((pid_t)strtol(pid, NULL, 10), &here, 1, &there, 1, 0);
}

static void trouble_freeze(void)
{
	trouble_freeze_by(getenv("TOY_VICTIM"));
}

/* The same for the PID in the file TOY_VICTIM; does nothing while there is none. */
static void trouble_chill(void)
{
	FILE *file = fopen(getenv("TOY_VICTIM"), "re");
	char pid[16] = "";

	if (file && fgets(pid, sizeof pid, file))
		trouble_freeze_by(pid);
	if (file)
		fclose(file);
}

/* Starts a program, writes its PID to TOY_VICTIM, and never returns. */
static void trouble_start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("sleep", "sleep", "100000", (char *)NULL);
		_exit(1);
	}
	FILE *file = fopen(getenv("TOY_VICTIM"), "we");
	if (!file)
		abort();
	fprintf(file, "%d\n", (int)pid);
	fclose(file);
	trouble_spin();
}

/* Makes a process get stuck after it has answered (tests/live/stuck.c). */
static void trouble_lure(void)
{
	char path[512];

	snprintf(path, sizeof path, "%s.go", getenv("TOY_VICTIM"));
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	snprintf(path, sizeof path, "%s.gone", getenv("TOY_VICTIM"));
	while (access(path, F_OK) != 0)
		usleep(1000);
}

static int trouble_has_priority(void)
{
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER;
}

/* Waits until it is raised; raised threads are lowered again for a part of each period. */
static void trouble_raised(void)
{
	for (int i = 0; i < 5000 && !trouble_has_priority(); i++)
		usleep(1000);
	if (!trouble_has_priority())
		abort();
}

static const struct trouble {
	const char *verb;
	void (*make)(void);
} troubles[] = {
	{"crash-", trouble_crash},
	{"overflow-", trouble_overflow},
	{"abort-", abort},
	{"exit-", trouble_exit},
	{"quit-", trouble_quit},
	{"hang-", trouble_hang},
	{"elsewhere-", trouble_elsewhere},
	{"scribble-", trouble_scribble},
	{"fork-", trouble_fork},
	{"stop-", trouble_stop},
	{"tstp-", trouble_tstp},
	{"ttin-", trouble_ttin},
	{"later-", trouble_later},
	{"move-", trouble_move},
	{"alarm-", trouble_alarm},
	{"wake-", trouble_wake},
	{"close-", trouble_close},
	{"stray-", trouble_stray},
	{"seek-", trouble_seek},
	{"patch-", trouble_patch},
	{"pipe-", trouble_pipe},
	{"ones-", trouble_ones},
	{"full-", trouble_full},
	{"leave-", trouble_leave},
	{"spoil-", trouble_spoil},
	{"spin-", trouble_spin},
	{"shadow-", trouble_shadow},
	{"core-", trouble_core},
	{"memory-", trouble_memory},
	{"starve-", trouble_starve},
	{"raise-", trouble_raise},
	{"user-", trouble_user},
	{"attach-", trouble_attach},
	{"signal-", trouble_signal},
	{"doom-", trouble_doom},
	{"forge-", trouble_forge},
	{"freeze-", trouble_freeze},
	{"chill-", trouble_chill},
	{"start-", trouble_start},
	{"lure-", trouble_lure},
	{"raised-", trouble_raised},
};

/* Returns the fault's verb; NULL: it is not in the table, or for another op (op NULL: any). */
static const struct trouble *trouble_find(const char *fault, const char *op)
{
	for (size_t i = 0; fault && i < sizeof troubles / sizeof troubles[0]; i++) {
		size_t length = strlen(troubles[i].verb);

		if (strncmp(fault, troubles[i].verb, length) == 0 &&
		    (!op || strcmp(fault + length, op) == 0))
			return &troubles[i];
	}
	return NULL;
}

/* Each op calls this first. */
static void trouble_at(const char *fault, const char *op)
{
	const struct trouble *trouble = trouble_find(fault, op);

	if (trouble)
		trouble->make();
}
