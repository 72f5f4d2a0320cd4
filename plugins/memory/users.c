/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "users.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "async.h"
#include "cleanup.h"
#include "clock.h"
#include "hold.h"

/* Longer entries of passwd are ignored. */
#define ENTRY_SIZE 4096u
/* How often the deadline is checked while waiting. */
#define LOOKS 8u

struct user {
	struct user *next;
	uint32_t uid;
	char name[USERS_NAME_SIZE];
};

/* If the caller stops waiting, the thread that looks the name up owns and frees it. */
struct question {
	users_ask_fn *ask;
	uint32_t uid;
	char name[USERS_NAME_SIZE];
};

bool users_ask_system(uint32_t uid, char ret_name[USERS_NAME_SIZE])
{
	struct passwd entry, *found = NULL;
	char buf[ENTRY_SIZE];

	(void)getpwuid_r(uid, &entry, buf, sizeof buf, &found);
	if (!found || !found->pw_name[0] || strlen(found->pw_name) >= USERS_NAME_SIZE)
		return false;
	(void)snprintf(ret_name, USERS_NAME_SIZE, "%s", found->pw_name);
	return true;
}

/* ---- the helper ------------------------------------------------------- */

static int ask_question(void *data, void **context)
{
	struct question *question = data;

	(void)context;
	return question->ask(question->uid, question->name) ? 0 : ENOENT;
}

static const struct async_consumer helper = {.ask = ask_question, .drop = free};

/* Waits for the answer; false: the lookup was abandoned, or was never started. */
static bool await_helper(struct users *users)
{
	struct async_limits job_limits = {.timeout_ns = users->timeout_ns};
	uint64_t until = clock_now() + users->timeout_ns, ns;
	unsigned i;
	int r;

	do {
		r = async_wait(users->async, users->timeout_ns / LOOKS);
		if (async_take(users->async, &i))
			return true;
		if (async_abandon(users->async, &job_limits, &i, &ns)) {
			async_close(users->async);
			users->async = NULL;
			return false;
		}
	} while ((r == 0 && clock_now() < until) || !async_cancel(users->async, &i));
	return false;
}

/* Returns false if there is no such name, or no answer in time. */
static bool ask_helper(struct users *users, uint32_t uid, char ret_name[USERS_NAME_SIZE])
{
	AUTO_FREE struct question *question = calloc(1, sizeof *question);
	struct async_job *job = async_job(users->async, 0);

	if (!question)
		return false;
	*question = (struct question){.ask = users->ask, .uid = uid};
	*job = (struct async_job){.fd = -1, .consumer = &helper, .data = question};
	async_submit(users->async, 0);
	bool answered = await_helper(users);
	if (!users->async)
		question = NULL;
	if (!answered || job->err != 0)
		return false;
	memcpy(ret_name, question->name, USERS_NAME_SIZE);
	return true;
}

/* ---- the users -------------------------------------------------------- */

void users_init(struct users *ret)
{
	*ret = (struct users){.first = NULL};
	(void)pthread_mutex_init(&ret->lock, NULL);
}

void users_start(struct users *users, users_ask_fn *ask, uint64_t timeout_ns)
{
	users->ask = ask;
	users->timeout_ns = timeout_ns;
	(void)async_open(NULL, -1, &users->async);
}

void users_clear(struct users *users)
{
	if (users->async)
		async_close(users->async);
	while (users->first) {
		struct user *user = users->first;

		users->first = user->next;
		free(user);
	}
	(void)pthread_mutex_destroy(&users->lock);
}

static void look_up(struct users *users, struct user *user)
{
	if (!users->async || !ask_helper(users, user->uid, user->name))
		(void)snprintf(user->name, sizeof user->name, "%" PRIu32, user->uid);
}

static const struct user *find(struct users *users, uint32_t uid)
{
	struct user *user = users->first;

	while (user && user->uid != uid)
		user = user->next;
	if (user)
		return user;
	user = malloc(sizeof *user);
	if (!user)
		return NULL;
	user->uid = uid;
	look_up(users, user);
	user->next = users->first;
	users->first = user;
	return user;
}

const char *users_name(struct users *users, uint32_t uid)
{
	HOLD(&users->lock);
	const struct user *user = find(users, uid);
	return user ? user->name : NULL;
}
