/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the source with servers of its own: one that answers, and hostile ones. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "answers.h"
#include "tests/lib/fakehost.h"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

/* What the server sends for each request. */
typedef struct script {
	const char *meta, *stats; /* NULL: nothing; then it closes the connection, or waits */
	gboolean closes;
	gboolean floods;   /* sends bytes endlessly, without a line end */
	gboolean trickles; /* sends one byte every 20 ms */
} Script;

typedef struct server {
	const Script *script;
	char *directory, *path;
	int listener;
	GThread *thread;
	gint n_requests;
} Server;

static void send_text(int fd, const char *text, gsize length, gulong pause_us)
{
	gsize piece = pause_us ? 1 : length;

	for (gsize sent = 0; sent < length; sent += piece) {
		if (send(fd, text + sent, piece, MSG_NOSIGNAL) < 0)
			return;
		if (pause_us)
			g_usleep(pause_us);
	}
}

static void flood(int fd)
{
	static const char zeros[4096] = "0000";

	for (guint i = 0; i < 4096; i++)
		if (send(fd, zeros, sizeof zeros, MSG_NOSIGNAL) < 0)
			return;
}

static void answer(Server *server, int fd, const char *request)
{
	const Script *script = server->script;
	const char *text = strstr(request, "stats_meta") ? script->meta : script->stats;

	if (!text)
		return;
	send_text(fd, text, strlen(text), script->trickles ? 20000 : 0);
	if (script->floods)
		flood(fd);
}

static gpointer serve(gpointer data)
{
	Server *server = data;
	char request[256];
	int fd;

	while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
		ssize_t n;

		while ((n = recv(fd, request, sizeof request - 1, 0)) > 0) {
			request[n] = '\0';
			g_atomic_int_inc(&server->n_requests);
			answer(server, fd, request);
			if (server->script->closes)
				break;
		}
		close(fd);
	}
	return NULL;
}

static Server *server_new(const Script *script)
{
	Server *server = g_new0(Server, 1);
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	server->script = script;
	server->directory = g_dir_make_tmp("ctprof-scx-stats-XXXXXX", NULL);
	server->path = g_build_filename(server->directory, "stats", NULL);
	g_strlcpy(address.sun_path, server->path, sizeof address.sun_path);
	server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_assert_cmpint(bind(server->listener, (struct sockaddr *)&address, sizeof address), ==, 0);
	g_assert_cmpint(listen(server->listener, 4), ==, 0);
	server->thread = g_thread_new("server", serve, server);
	return server;
}

static void server_free(Server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	g_thread_join(server->thread);
	close(server->listener);
	g_unlink(server->path);
	g_rmdir(server->directory);
	g_free(server->path);
	g_free(server->directory);
	g_free(server);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Server, server_free)

static const struct ctprof_source_ops *ops(void)
{
	return ctprof_plugin_entry_v1()->ops;
}

static void *open_source(FakeHost *fake, const char *socket, const char *deadline_ns)
{
	void *self = NULL;

	fake_host_option(fake, "socket", socket);
	fake_host_option(fake, "deadline", deadline_ns);
	g_assert_cmpint(ops()->open(fake_host_table(fake), &self), ==, 0);
	return self;
}

#define WHOLE                                                                                      \
	{                                                                                          \
		.meta = ANSWER(META_RESPONSE) "\n", .stats = ANSWER(STATS_RESPONSE) "\n"           \
	}

static void test_answers(void)
{
	static const Script script = WHOLE;
	g_autoptr(Server) server = server_new(&script);
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, TRUE);
	void *self = open_source(fake, server->path, "5000000000");

	g_assert_cmpint(ops()->start(self), ==, 0);
	struct ctprof_batch *host = fake_host_batch(fake, CTPROF_SCOPE_HOST);
	g_assert_cmpint(ops()->collect(self, NULL, host), ==, 0);
	g_assert_nonnull(strstr(fake_host_string(fake, 0, "scx_stats.meanings"),
				"Group.moves=threads moved"));
	/* Batches become full: collect() is called until it adds nothing. */
	fake_host_room(fake, 3);
	struct ctprof_batch *batch = fake_host_batch(fake, CTPROF_SCOPE_OBJECT);
	g_assert_cmpint(ops()->collect(self, NULL, batch), ==, 0);
	g_assert_cmpuint(fake_host_rows(fake), ==, 3);
	gint64 row = fake_host_find_object(fake, "scx-stats", "groups/batch");
	g_assert_cmpint(row, ==, 2);
	g_assert_cmpstr(fake_host_string(fake, 2, "stats_numbers"), ==, "moves=12");
	g_assert_cmpstr(fake_host_string(fake, 2, "stats_percent"), ==, "util=15025");
	g_assert_cmpstr(fake_host_string(fake, 2, "stats_struct"), ==, "Group");
	g_assert_cmpuint(fake_host_state(fake, 1, "stats_texts"), ==, CTPROF_ABSENT_INAPPLICABLE);
	batch = fake_host_batch(fake, CTPROF_SCOPE_OBJECT);
	g_assert_cmpint(ops()->collect(self, NULL, batch), ==, 0);
	g_assert_cmpuint(fake_host_rows(fake), ==, 1);
	g_assert_cmpint(g_atomic_int_get(&server->n_requests), ==, 2);
	ops()->close(self);
}

/* A recording requests the statistics once for each sample, over one connection. */
static void test_again(void)
{
	static const Script script = WHOLE;
	g_autoptr(Server) server = server_new(&script);
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, TRUE);
	void *self = open_source(fake, server->path, "5000000000");

	g_assert_cmpint(ops()->start(self), ==, 0);
	for (guint i = 0; i < 3; i++) {
		struct ctprof_batch *batch = fake_host_batch(fake, CTPROF_SCOPE_OBJECT);

		g_assert_cmpint(ops()->collect(self, NULL, batch), ==, 0);
		g_assert_cmpuint(fake_host_rows(fake), ==, 4);
		batch = fake_host_batch(fake, CTPROF_SCOPE_OBJECT);
		g_assert_cmpint(ops()->collect(self, NULL, batch), ==, 0);
		g_assert_cmpuint(fake_host_rows(fake), ==, 0);
		(void)fake_host_batch(fake, CTPROF_SCOPE_OBJECT);
		g_assert_cmpint(ops()->again(self), ==, 0);
	}
	g_assert_cmpint(g_atomic_int_get(&server->n_requests), ==, 4);
	ops()->close(self);
}

static void test_nobody_listens(void)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, TRUE);
	void *self = open_source(fake, "/nonexistent/stats", "1000000000");

	g_assert_cmpint(ops()->start(self), ==, -EOPNOTSUPP);
	g_assert_cmpstr(fake_host_error(fake), ==, "/nonexistent/stats: No such file or directory");
	g_assert_cmpint(ops()->probe(self), ==, 0);
	g_assert_nonnull(strstr(fake_host_findings(fake), "scx-stats 30 no scheduler listens on "));
	ops()->close(self);
}

static void test_recorded_root(void)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	void *self = open_source(fake, "/nonexistent/stats", "1000000000");

	g_assert_cmpint(ops()->start(self), ==, -EOPNOTSUPP);
	g_assert_cmpstr(fake_host_error(fake), ==,
			"/nonexistent/stats: a recorded root has no running scheduler");
	ops()->close(self);
}

/* With each server, start() or collect() fails in time, with a reason. */
static void test_hostile(void)
{
	static const struct {
		Script script;
		int started, collected;
		const char *why;
	} cases[] = {
		{{.meta = NULL}, -EOPNOTSUPP, 0, "Connection timed out"},
		{{.meta = NULL, .closes = TRUE}, -EOPNOTSUPP, 0, "Connection reset by peer"},
		{{.meta = "", .floods = TRUE}, -EOPNOTSUPP, 0, "Message too long"},
		{{.meta = ANSWER(META_RESPONSE) "\n", .trickles = TRUE},
		 -EOPNOTSUPP,
		 0,
		 "Connection timed out"},
		{{.meta = "\n"}, -EOPNOTSUPP, 0, "the answer is not JSON, or too large"},
		{{.meta = ANSWER(META_RESPONSE) "\n" ANSWER(META_RESPONSE) "\n"},
		 -EOPNOTSUPP,
		 0,
		 "Bad message"},
		{{.meta = ANSWER(META_RESPONSE) "\n", .stats = NULL},
		 0,
		 -ETIMEDOUT,
		 "Connection timed out"},
		{{.meta = ANSWER(META_RESPONSE) "\n", .stats = "{\"errno\":5,\"args\":{}}\n"},
		 0,
		 -EBADMSG,
		 "the scheduler refuses the request"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Server) server = server_new(&cases[i].script);
		g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, TRUE);
		/* A flood must end before the deadline. */
		const char *deadline = cases[i].script.floods ? "60000000000" : "300000000";
		void *self = open_source(fake, server->path, deadline);

		g_assert_cmpint(ops()->start(self), ==, cases[i].started);
		if (cases[i].started == 0) {
			struct ctprof_batch *batch = fake_host_batch(fake, CTPROF_SCOPE_OBJECT);

			g_assert_cmpint(ops()->collect(self, NULL, batch), ==, cases[i].collected);
			g_assert_cmpuint(fake_host_rows(fake), ==, 0);
		}
		g_assert_true(g_str_has_suffix(fake_host_error(fake), cases[i].why));
		ops()->close(self);
	}
}

static void test_long_path(void)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, TRUE);
	g_autofree char *path = g_strnfill(200, 'x');
	void *self = open_source(fake, path, "1000000000");

	g_assert_cmpint(ops()->start(self), ==, -EOPNOTSUPP);
	g_assert_true(g_str_has_suffix(fake_host_error(fake), "File name too long"));
	ops()->close(self);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scx-stats/answers", test_answers);
	g_test_add_func("/scx-stats/again", test_again);
	g_test_add_func("/scx-stats/nobody-listens", test_nobody_listens);
	g_test_add_func("/scx-stats/recorded-root", test_recorded_root);
	g_test_add_func("/scx-stats/hostile", test_hostile);
	g_test_add_func("/scx-stats/long-path", test_long_path);
	return g_test_run();
}
