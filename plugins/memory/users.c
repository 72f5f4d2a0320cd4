/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "users.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The entries of passwd that are longer are shown as numbers. */
#define ENTRY_SIZE 4096u
#define NAME_SIZE 256u

struct user {
	struct user *next;
	uint32_t uid;
	char name[NAME_SIZE];
};

void users_init(struct users *ret)
{
	ret->first = NULL;
	(void)pthread_mutex_init(&ret->lock, NULL);
}

void users_clear(struct users *users)
{
	while (users->first) {
		struct user *user = users->first;

		users->first = user->next;
		free(user);
	}
	(void)pthread_mutex_destroy(&users->lock);
}

static void look_up(const struct users *users, uint32_t uid, char ret[NAME_SIZE])
{
	struct passwd entry, *found = NULL;
	char buf[ENTRY_SIZE];

	if (users->live)
		(void)getpwuid_r(uid, &entry, buf, sizeof buf, &found);
	if (found && found->pw_name[0] && strlen(found->pw_name) < NAME_SIZE)
		(void)snprintf(ret, NAME_SIZE, "%s", found->pw_name);
	else
		(void)snprintf(ret, NAME_SIZE, "%" PRIu32, uid);
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
	user->next = users->first;
	look_up(users, uid, user->name);
	users->first = user;
	return user;
}

const char *users_name(struct users *users, uint32_t uid)
{
	(void)pthread_mutex_lock(&users->lock);
	const struct user *user = find(users, uid);
	(void)pthread_mutex_unlock(&users->lock);
	return user ? user->name : NULL;
}
