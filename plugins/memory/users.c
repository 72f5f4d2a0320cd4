/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "users.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helper.h"
#include "hold.h"
#include "lane.h"

/* Entries of passwd that are longer are taken for none. */
#define ENTRY_SIZE 4096u
/* Directory services bring libraries of their own. */
#define STACK_SIZE (1024u * 1024)
#define NS_PER_S 1000000000u

struct user {
	struct user *next;
	uint32_t uid;
	char name[USERS_NAME_SIZE];
};

/* The thread that asks, and what it shares with who waits for it. */
struct clerk {
	pthread_t thread;
	users_ask_fn *ask;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock. */
	bool busy;  /* with uid */
	bool ended; /* no more questions; when it is left behind, it cleans up */
	bool alone;
	uint32_t uid;
	bool found;
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

static void clerk_free(struct clerk *clerk)
{
	(void)pthread_cond_destroy(&clerk->changed);
	(void)pthread_mutex_destroy(&clerk->lock);
	free(clerk);
}

/* false when there will be no more questions. */
static bool clerk_wait(struct clerk *clerk, uint32_t *ret_uid)
{
	HOLD(&clerk->lock);
	while (!clerk->busy && !clerk->ended)
		(void)pthread_cond_wait(&clerk->changed, &clerk->lock);
	*ret_uid = clerk->uid;
	return !clerk->ended;
}

static void clerk_tell(struct clerk *clerk, bool found, const char *name)
{
	HOLD(&clerk->lock);
	clerk->found = found;
	if (found)
		memcpy(clerk->name, name, USERS_NAME_SIZE);
	clerk->busy = false;
	(void)pthread_cond_broadcast(&clerk->changed);
}

static void *clerk_run(void *data)
{
	struct clerk *clerk = data;
	uint32_t uid;

	while (clerk_wait(clerk, &uid)) {
		char name[USERS_NAME_SIZE] = "";
		bool found = clerk->ask(uid, name);

		clerk_tell(clerk, found, name);
	}
	(void)pthread_mutex_lock(&clerk->lock);
	bool alone = clerk->alone;
	(void)pthread_mutex_unlock(&clerk->lock);
	if (alone)
		clerk_free(clerk);
	return NULL;
}

void users_start(struct users *users, users_ask_fn *ask, uint64_t timeout_ns)
{
	struct clerk *clerk = calloc(1, sizeof *clerk);
	pthread_condattr_t attr;

	if (!clerk)
		return;
	clerk->ask = ask;
	(void)pthread_mutex_init(&clerk->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&clerk->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	if (helper_start(&clerk->thread, STACK_SIZE, clerk_run, clerk) < 0) {
		clerk_free(clerk);
		return;
	}
	users->clerk = clerk;
	users->timeout_ns = timeout_ns;
}

/* Ends it, or leaves it behind when it does not come back. */
static void clerk_end(struct clerk *clerk, bool alone)
{
	if (alone)
		helper_pin_code();
	(void)pthread_mutex_lock(&clerk->lock);
	clerk->ended = true;
	clerk->alone = alone;
	pthread_t thread = clerk->thread;
	(void)pthread_cond_broadcast(&clerk->changed);
	(void)pthread_mutex_unlock(&clerk->lock);
	if (alone) {
		(void)pthread_detach(thread);
		return;
	}
	(void)pthread_join(thread, NULL);
	clerk_free(clerk);
}

enum clerk_answer { CLERK_FOUND, CLERK_NOT_FOUND, CLERK_LATE };

static enum clerk_answer clerk_ask(struct clerk *clerk, uint32_t uid, uint64_t timeout_ns,
				   char ret_name[USERS_NAME_SIZE])
{
	uint64_t until = lane_clock_ns() + timeout_ns;
	struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
				    .tv_nsec = (long)(until % NS_PER_S)};

	HOLD(&clerk->lock);
	clerk->uid = uid;
	clerk->busy = true;
	(void)pthread_cond_broadcast(&clerk->changed);
	while (clerk->busy)
		if (pthread_cond_timedwait(&clerk->changed, &clerk->lock, &deadline))
			break;
	if (clerk->busy)
		return CLERK_LATE;
	if (!clerk->found)
		return CLERK_NOT_FOUND;
	memcpy(ret_name, clerk->name, USERS_NAME_SIZE);
	return CLERK_FOUND;
}

/* ---- the users -------------------------------------------------------- */

void users_init(struct users *ret)
{
	*ret = (struct users){.first = NULL};
	(void)pthread_mutex_init(&ret->lock, NULL);
}

void users_clear(struct users *users)
{
	if (users->clerk)
		clerk_end(users->clerk, false);
	while (users->first) {
		struct user *user = users->first;

		users->first = user->next;
		free(user);
	}
	(void)pthread_mutex_destroy(&users->lock);
}

static void look_up(struct users *users, struct user *user)
{
	enum clerk_answer answer = CLERK_NOT_FOUND;

	if (users->clerk)
		answer = clerk_ask(users->clerk, user->uid, users->timeout_ns, user->name);
	if (answer == CLERK_LATE) {
		clerk_end(users->clerk, true);
		users->clerk = NULL;
	}
	if (answer != CLERK_FOUND)
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
