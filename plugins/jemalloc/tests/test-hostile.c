/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes made against whoever looks at them: they lose their own values, and
 * no other process does. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"
#include "rig.h"

#define MIB (G_GUINT64_CONSTANT(1) << 20)
/* Of the file; behind all of the program. */
#define SYMBOLS (4 * MIB)
#define NAMES (SYMBOLS + 4096)
#define LINK (NAMES + 4096)

struct trap {
	const char *name;
	const char *tag;
	void (*lay)(const char *folder);
	guint n_tables; /* further symbol tables, one over the other */
	guint64 table_size;
};

/* ---- files beside the program ------------------------------------------- */

/* An ELF file with nothing in it, of 1 GiB. */
static void lay_debug_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	hostile_write(path, NULL, 1024 * MIB - 4096, NULL, NULL, 0);
}

static void lay_debug_files(const char *folder)
{
	g_autofree char *inner = g_build_filename(folder, ".debug", NULL);

	g_assert_cmpint(g_mkdir(inner, 0700), ==, 0);
	lay_debug_file(folder, "y.debug");
	lay_debug_file(folder, ".debug/y.debug");
	lay_debug_file(folder, "program.debug");
	lay_debug_file(folder, "program.debuginfo");
}

static void lay_fifo(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "y.debug", NULL);
	g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);

	g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
	g_assert_cmpint(symlink("fifo", path), ==, 0);
}

static const struct trap traps[] = {
	{"symbol tables over a hole", "object-unparsed", NULL, 16, 256 * MIB},
	{"sparse debug files", "dwarf-parse-failure", lay_debug_files, 0, 0},
	{"a link to a FIFO", "dwarf-parse-failure", lay_fifo, 0, 0},
};

/* ---- the program -------------------------------------------------------- */

/* `sleep`, with jemalloc's symbol and a debug link, and without a build-id. */
static void lay_program(const struct trap *trap, const char *path)
{
	static const char link[16] = "y.debug", names[] = "\0je_tsd_tls";
	const Elf64_Sym symbols[] = {
		{0},
		{.st_name = 1,
		 .st_info = ELF64_ST_INFO(STB_LOCAL, STT_TLS),
		 .st_shndx = 1,
		 .st_size = 2632},
	};
	const struct hostile_piece pieces[] = {{SYMBOLS, symbols, sizeof symbols},
					       {NAMES, names, sizeof names},
					       {LINK, link, sizeof link},
					       {0, NULL, 0}};
	struct hostile_section sections[3 + 16] = {
		{.name = ".symtab",
		 .type = SHT_SYMTAB,
		 .offset = SYMBOLS,
		 .size = sizeof symbols,
		 .entsize = sizeof symbols[0],
		 .link = 2},
		{.name = ".strtab", .type = SHT_STRTAB, .offset = NAMES, .size = sizeof names},
		{.name = ".gnu_debuglink",
		 .type = SHT_PROGBITS,
		 .offset = LINK,
		 .size = sizeof link},
	};

	for (guint i = 0; i < trap->n_tables; i++) {
		sections[3 + i] = sections[0];
		sections[3 + i].size = trap->table_size;
	}
	g_autofree char *sleep = g_find_program_in_path("sleep");
	hostile_write(path, sleep, MAX(LINK + 4096, SYMBOLS + trap->table_size), pieces, sections,
		      3 + trap->n_tables);
}

static void end_program(const GPid *pid)
{
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
}

static void remove_folder(char **folder)
{
	const char *argv[] = {"rm", "-rf", *folder, NULL};

	g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
	g_free(*folder);
}

static GPid start_program(const char *path)
{
	const char *argv[] = {path, "1000", NULL};
	GError *error = NULL;
	GPid pid;

	g_spawn_async(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
		      &pid, &error);
	g_assert_no_error(error);
	return pid;
}

static void assert_trapped(Rig *rig, const char *tag)
{
	rig_collect_summary(rig);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.dominant_failure"), ==, tag);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 1);
}

static void test_trap(gconstpointer data)
{
	const struct trap *trap = data;
	g_autofree char *plain = rig_built("tests/jemalloc-worker-plain");
	g_autofree char *library = rig_built("tests/libtoy-tsd.so");
	const char *argv[] = {plain, "quiet", "3", library, NULL};
	__attribute__((cleanup(remove_folder))) char *folder =
		g_dir_make_tmp("ctprof-hostile-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "program", NULL);
	g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct rusage children;
	char events[4096];

	if (!rig_need(plain, "the build's worker"))
		return;
	lay_program(trap, path);
	if (trap->lay)
		trap->lay(folder);
	(void)inotify_add_watch(watch, fifo, IN_OPEN);
	g_autoptr(RigWorker) worker = rig_worker_new(argv, NULL);
	__attribute__((cleanup(end_program))) GPid pid = start_program(path);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	rig_collect(rig, pid);
	g_assert_cmpuint(rig->tids->len, ==, 1);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "jemalloc_measured"), ==, 0);
	assert_trapped(rig, trap->tag);
	g_assert_cmpint(read(watch, events, sizeof events), ==, -1); /* nobody opened it */
	close(watch);
	rig_collect(rig, worker->pid);
	rig_assert_truth(rig, worker);
	/* The parser is the only child that has ended here. */
	g_clear_pointer(&rig, rig_free);
	g_assert_cmpint(getrusage(RUSAGE_CHILDREN, &children), ==, 0);
	g_assert_cmpint(children.ru_maxrss, <, 128 << 10);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(traps); i++) {
		g_autofree char *path = g_strdup_printf("/jemalloc/hostile/%s", traps[i].name);

		g_test_add_data_func(path, &traps[i], test_trap);
	}
	return g_test_run();
}
