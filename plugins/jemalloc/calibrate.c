/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "cleanup.h"
#include "text.h"
#include "tls.h"

#define ANSWER_MS 3000
#define MAX_ANSWERS 64u

struct answer {
	uint16_t machine;
	size_t build_id_len;
	uint8_t build_id[ELFOBJ_MAX_BUILD_ID];
	bool known; /* or asked in vain */
	struct offsets offsets;
};

struct calibrations {
	pthread_mutex_t lock; /* held while the helper runs: one at a time */
	const char *helper;
	size_t n;
	struct answer answers[MAX_ANSWERS];
};

struct calibrations *calibrations_new(const char *helper)
{
	struct calibrations *out = calloc(1, sizeof *out);

	if (!out)
		return NULL;
	pthread_mutex_init(&out->lock, NULL);
	out->helper = helper;
	return out;
}

void calibrations_free(struct calibrations *calibrations)
{
	if (!calibrations)
		return;
	pthread_mutex_destroy(&calibrations->lock);
	free(calibrations);
}

bool calibrate_parse_answer(const char *text, size_t len, uint64_t memsz, struct offsets *ret)
{
	struct text rest = {text, len}, token;
	uint64_t numbers[3], span;

	if (len == 0 || text[len - 1] != '\n')
		return false;
	rest.len--;
	for (size_t i = 0; i < 3; i++)
		if (!text_take_token(&rest, &token) || !text_u64(token, &numbers[i]))
			return false;
	if (rest.len > 0 || numbers[2] != memsz || !tls_span(numbers[0], numbers[1], &span) ||
	    numbers[1] > memsz || memsz - numbers[1] < sizeof(uint64_t))
		return false;
	*ret = (struct offsets){numbers[0], numbers[1]};
	return true;
}

/* ---- the helper --------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* All the helper says until it ends or its time is up. */
static size_t read_answer(int fd, char *buf, size_t size)
{
	int64_t deadline = now_ms() + ANSWER_MS, left;
	size_t used = 0;

	while (used < size && (left = deadline - now_ms()) > 0) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

		if (poll(&poll_fd, 1, (int)left) <= 0)
			continue;
		ssize_t got = read(fd, buf + used, size - used);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	return used;
}

static void end_actions(posix_spawn_file_actions_t *actions)
{
	posix_spawn_file_actions_destroy(actions);
}

static void end_attributes(posix_spawnattr_t *attributes)
{
	posix_spawnattr_destroy(attributes);
}

/* Starts the helper: the library as descriptor 3, the answer on 1. */
static bool spawn_helper(const char *helper, int library, int answer, const char *prefix,
			 pid_t *ret_pid)
{
	char name[] = "ctprof-jemalloc-probe", mode[] = "load",
	     symbol[sizeof(((struct elf_facts *)NULL)->prefix)];
	char *argv[] = {name, mode, symbol, NULL}, *envp[] = {NULL};
	__attribute__((cleanup(end_actions))) posix_spawn_file_actions_t actions;
	__attribute__((cleanup(end_attributes))) posix_spawnattr_t attributes;
	sigset_t none, all;

	snprintf(symbol, sizeof symbol, "%s", prefix);
	sigemptyset(&none);
	sigfillset(&all);
	if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
		return false;
	return posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
	       posix_spawn_file_actions_adddup2(&actions, answer, 1) == 0 &&
	       posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
	       posix_spawn_file_actions_adddup2(&actions, library, 3) == 0 &&
	       posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
	       posix_spawnattr_setsigdefault(&attributes, &all) == 0 &&
	       posix_spawnattr_setpgroup(&attributes, 0) == 0 &&
	       posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
							     POSIX_SPAWN_SETSIGDEF |
							     POSIX_SPAWN_SETPGROUP) == 0 &&
	       posix_spawn(ret_pid, helper, &actions, &attributes, argv, envp) == 0;
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

bool calibrate_run(const char *helper, int fd, const struct elf_facts *facts, struct offsets *ret)
{
	int ends[2];
	char answer[128];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	AUTO_FD reading = ends[0];
	{
		AUTO_FD low = ends[1];
		/* Above 3, so that no dup2() of the child overwrites another. */
		AUTO_FD writing = fcntl(low, F_DUPFD_CLOEXEC, 10);
		AUTO_FD library = fcntl(fd, F_DUPFD_CLOEXEC, 10);

		if (writing < 0 || library < 0 ||
		    !spawn_helper(helper, library, writing, facts->prefix, &pid))
			return false;
	}
	size_t len = read_answer(reading, answer, sizeof answer);
	reap(pid);
	return calibrate_parse_answer(answer, len, facts->tls.memsz, ret);
}

/* ---- trust -------------------------------------------------------------- */

static bool is_roots_alone(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == 0 && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool is_trusted(int own_fd, int object_fd)
{
	struct stat own, object;

	return own_fd >= 0 && fstat(own_fd, &own) == 0 && fstat(object_fd, &object) == 0 &&
	       own.st_dev == object.st_dev && own.st_ino == object.st_ino && is_roots_alone(&own);
}

/* A helper anybody else could replace is not run either. */
static bool is_helper_trusted(const char *helper)
{
	struct stat st;

	return helper && stat(helper, &st) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static struct answer *find_answer(struct calibrations *calibrations, const struct elf_facts *facts)
{
	for (size_t i = 0; i < calibrations->n; i++) {
		struct answer *answer = &calibrations->answers[i];

		if (answer->machine == facts->machine &&
		    answer->build_id_len == facts->build_id_len &&
		    memcmp(answer->build_id, facts->build_id, facts->build_id_len) == 0)
			return answer;
	}
	return NULL;
}

static void unlock(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}

bool calibrate(struct calibrations *calibrations, const struct process *process, const char *path,
	       int object_fd, const struct elf_facts *facts, struct offsets *ret)
{
	AUTO_FD own = process_open_own_path(process, path);
	bool trusted = is_trusted(own, object_fd) && is_helper_trusted(calibrations->helper);

	if (facts->build_id_len == 0)
		return trusted && calibrate_run(calibrations->helper, own, facts, ret);
	pthread_mutex_lock(&calibrations->lock);
	__attribute__((cleanup(unlock), unused)) pthread_mutex_t *held = &calibrations->lock;
	struct answer *answer = find_answer(calibrations, facts);
	if (!answer) {
		/* What is not trusted is not remembered: the host's own copy may
		 * come along later. */
		if (!trusted || calibrations->n == MAX_ANSWERS)
			return false;
		answer = &calibrations->answers[calibrations->n++];
		answer->machine = facts->machine;
		answer->build_id_len = facts->build_id_len;
		memcpy(answer->build_id, facts->build_id, facts->build_id_len);
		answer->known = calibrate_run(calibrations->helper, own, facts, &answer->offsets);
	}
	if (answer->known)
		*ret = answer->offsets;
	return answer->known;
}
