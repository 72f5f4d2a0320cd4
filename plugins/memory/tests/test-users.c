/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests names of users: each is looked up once, with a time limit. */
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../users.h"

#define PATIENCE_NS 100000000000u
#define STUCK_UID 13u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static gboolean is_open;
static guint asked, ended;

static bool ask(uint32_t uid, char ret_name[USERS_NAME_SIZE])
{
	pthread_mutex_lock(&lock);
	asked++;
	while (uid == STUCK_UID && !is_open)
		pthread_cond_wait(&changed, &lock);
	ended++;
	pthread_mutex_unlock(&lock);
	(void)snprintf(ret_name, USERS_NAME_SIZE, "user%u", uid);
	return uid != 99;
}

static void clear(struct users *users)
{
	users_clear(users);
}

#define USERS __attribute__((cleanup(clear))) struct users

static void test_names(void)
{
	USERS users;

	users_init(&users);
	asked = 0;
	users_start(&users, ask, PATIENCE_NS);
	g_assert_cmpstr(users_name(&users, 1), ==, "user1");
	g_assert_cmpstr(users_name(&users, 2), ==, "user2");
	g_assert_cmpstr(users_name(&users, 1), ==, "user1");
	g_assert_cmpstr(users_name(&users, 99), ==, "99");
	g_assert_cmpstr(users_name(&users, 99), ==, "99");
	g_assert_cmpuint(asked, ==, 3);
}

/* For a recorded tree, names are not looked up. */
static void test_numbers(void)
{
	USERS users;

	users_init(&users);
	g_assert_cmpstr(users_name(&users, 0), ==, "0");
	g_assert_cmpstr(users_name(&users, 4294967295u), ==, "4294967295");
}

/* After one question without an answer there are no more; the thread that was asked ends by itself,
 * after everything is freed. */
static void test_stuck(void)
{
	guint n;

	asked = ended = 0;
	{
		USERS users;

		users_init(&users);
		users_start(&users, ask, 20000000);
		g_assert_cmpstr(users_name(&users, STUCK_UID), ==, "13");
		g_assert_cmpstr(users_name(&users, 1), ==, "1");
	}
	/* Under load, the thread may begin only after the wait for it has ended. */
	for (guint i = 0; i < 6000; i++) {
		pthread_mutex_lock(&lock);
		n = asked;
		pthread_mutex_unlock(&lock);
		if (n > 0)
			break;
		g_usleep(10000);
	}
	pthread_mutex_lock(&lock);
	g_assert_cmpuint(asked, ==, 1);
	is_open = TRUE;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (guint i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		n = ended;
		pthread_mutex_unlock(&lock);
		if (n > 0)
			break;
		g_usleep(10000);
	}
	g_assert_cmpuint(n, ==, 1);
}

static void test_system(void)
{
	char name[USERS_NAME_SIZE];

	if (users_ask_system(getuid(), name))
		g_assert_cmpstr(name, ==, g_get_user_name());
	else
		g_test_skip("this user has no name");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/users/names", test_names);
	g_test_add_func("/memory/users/numbers", test_numbers);
	g_test_add_func("/memory/users/stuck", test_stuck);
	g_test_add_func("/memory/users/system", test_system);
	return g_test_run();
}
