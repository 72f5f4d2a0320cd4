/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "users.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "hold.h"
#include "lane.h"

/* Entries of passwd that are longer are taken for none. */
#define ENTRY_SIZE 4096u

struct user {
	struct user *next;
	uint32_t uid;
	char name[USERS_NAME_SIZE];
};

/* Who waits no longer leaves it to the thread that asks. */
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

/* ---- the clerk -------------------------------------------------------- */

static int ask_question(void *data)
{
	struct question *question = data;

	return question->ask(question->uid, question->name) ? 0 : ENOENT;
}

static const struct lane_consumer clerk = {.ask = ask_question, .drop = free};

/* False: there is no such name, or it did not come in time. */
static bool ask_clerk(struct users *users, uint32_t uid, char ret_name[USERS_NAME_SIZE])
{
	AUTO_FREE struct question *question = calloc(1, sizeof *question);
	struct lane_job *job = lane_job(users->lane, 0);

	if (!question)
		return false;
	*question = (struct question){.ask = users->ask, .uid = uid};
	*job = (struct lane_job){.fd = -1, .consumer = &clerk, .data = question};
	lane_submit(users->lane, 1);
	if (lane_wait(users->lane, users->timeout_ns).done == 0 && lane_truncate(users->lane) == 0)
		return false; /* it has not even begun */
	if (lane_abandon(users->lane, 0)) {
		question = NULL;
		users->lane = NULL;
		return false;
	}
	if (job->err == 0)
		memcpy(ret_name, question->name, USERS_NAME_SIZE);
	return job->err == 0;
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
	(void)lane_open(NULL, &users->lane);
}

void users_clear(struct users *users)
{
	if (users->lane)
		lane_close(users->lane);
	while (users->first) {
		struct user *user = users->first;

		users->first = user->next;
		free(user);
	}
	(void)pthread_mutex_destroy(&users->lock);
}

static void look_up(struct users *users, struct user *user)
{
	if (!users->lane || !ask_clerk(users, user->uid, user->name))
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
