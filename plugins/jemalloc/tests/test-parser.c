/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the process that reads files of other users: what it may do, and what a malicious file
 * costs. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakehost.h"
#include "hostile.h"
#include "parser.h"
#include "sandbox.h"

#define PROGRAM BUILD_DIR "/ctprof-jemalloc-examine"
#define BUDGET_NS G_GUINT64_CONSTANT(400000000)
#define MIB (G_GUINT64_CONSTANT(1) << 20)

struct rig {
	FakeHost *fake;
	struct parser parser;
	char *path;
};

static void set_up(struct rig *rig, gconstpointer data)
{
	(void)data;
	rig->fake = fake_host_new("/proc", NULL, NULL, TRUE);
	rig->parser = (struct parser){.host = fake_host_table(rig->fake), .program = PROGRAM};
	int fd = g_file_open_tmp("ctprof-parser-XXXXXX", &rig->path, NULL);
	g_assert_cmpint(fd, >=, 0);
	close(fd);
}

static void tear_down(struct rig *rig, gconstpointer data)
{
	(void)data;
	parser_stop(&rig->parser);
	fake_host_free(rig->fake);
	g_unlink(rig->path);
	g_free(rig->path);
	/* No child remains. */
	g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1);
}

/* Returns the answer about the file at path. */
static int ask(struct rig *rig, const char *path, enum examine_question question,
	       guint64 *budget_ns)
{
	struct examine_request request = {.question = question, .object = {.has_tsd = true}};
	struct examine_answer answer;
	int fd = g_open(path, O_RDONLY | O_CLOEXEC, 0);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(parser_ask(&rig->parser, fd, &request, budget_ns, &answer), ==, 0);
	close(fd);
	return answer.rc;
}

/* Asserts that an ordinary file is answered. */
static void assert_serves(struct rig *rig)
{
	guint64 budget_ns = BUDGET_NS;

	g_assert_cmpint(ask(rig, "/proc/self/exe", EXAMINE_OBJECT, &budget_ns), ==, 0);
	g_assert_cmpuint(budget_ns, <, BUDGET_NS);
	g_assert_cmpuint(budget_ns, >, 0);
}

/* ---- hostile files ------------------------------------------------------ */

struct bomb {
	const char *name;
	enum examine_question question;
	int rc;
	guint64 size;
	guint n; /* how often to repeat the section */
	struct hostile_section section;
	struct hostile_piece pieces[3];
};

static const guchar gnu_zlib[] = "ZLIB\0\0\0\1\0\0\0\0\x78\x9c";
static const Elf64_Chdr compressed = {.ch_type = ELFCOMPRESS_ZLIB,
				      .ch_size = G_GUINT64_CONSTANT(6) << 30};

static const struct bomb bombs[] = {
	{"overlapping symbol tables",
	 EXAMINE_OBJECT,
	 -EFBIG,
	 256 * MIB,
	 16,
	 {.name = ".symtab", .type = SHT_SYMTAB, .size = 256 * MIB, .entsize = 24},
	 {{0}}},
	{"many smaller tables",
	 EXAMINE_OBJECT,
	 -EFBIG,
	 4 * MIB,
	 60000,
	 {.name = ".rela", .type = SHT_RELA, .flags = SHF_ALLOC, .size = 4 * MIB, .entsize = 24},
	 {{0}}},
	{"GNU's compressed sections",
	 EXAMINE_DWARF,
	 -EFBIG,
	 MIB,
	 4,
	 {.name = ".zdebug_info", .type = SHT_PROGBITS, .offset = 4096, .size = 65536},
	 {{4096, gnu_zlib, sizeof gnu_zlib}}},
	{"compressed sections",
	 EXAMINE_DWARF,
	 -EFBIG,
	 MIB,
	 4,
	 {.name = ".debug_info",
	  .type = SHT_PROGBITS,
	  .flags = SHF_COMPRESSED,
	  .offset = 4096,
	  .size = 65536},
	 {{4096, &compressed, sizeof compressed}}},
	{"compressed sections of another name",
	 EXAMINE_DWARF,
	 -EFBIG,
	 MIB,
	 4,
	 {.name = ".gnu.debuglto_.debug_info",
	  .type = SHT_PROGBITS,
	  .flags = SHF_COMPRESSED,
	  .offset = 4096,
	  .size = 65536},
	 {{4096, &compressed, sizeof compressed}}},
	{"a file too large to map",
	 EXAMINE_OBJECT,
	 -EFBIG,
	 2048 * MIB,
	 1,
	 {.name = ".symtab", .type = SHT_SYMTAB, .entsize = 24},
	 {{0}}},
};

/* The file is refused before it costs anything. */
static void test_bomb(struct rig *rig, gconstpointer data)
{
	const struct bomb *bomb = data;
	g_autofree struct hostile_section *sections = g_new(struct hostile_section, bomb->n);
	guint64 budget_ns = BUDGET_NS;
	struct rusage children;

	for (guint i = 0; i < bomb->n; i++)
		sections[i] = bomb->section;
	hostile_write(rig->path, NULL, bomb->size, bomb->pieces, sections, bomb->n);
	assert_serves(rig);
	g_assert_cmpint(ask(rig, rig->path, bomb->question, &budget_ns), ==, bomb->rc);
	g_assert_cmpuint(budget_ns, >, 0);
	assert_serves(rig);
	parser_stop(&rig->parser);
	g_assert_cmpint(getrusage(RUSAGE_CHILDREN, &children), ==, 0);
	g_assert_cmpint(children.ru_maxrss, <, 128 << 10);
}

/* The bits that do not make whole bytes yet, lowest first, as in deflate. */
struct bits {
	GByteArray *out;
	guint32 pending;
	guint n;
};

static void put_bits(struct bits *bits, guint32 value, guint n)
{
	bits->pending |= value << bits->n;
	for (bits->n += n; bits->n >= 8; bits->n -= 8, bits->pending >>= 8) {
		guint8 byte = (guint8)bits->pending;

		g_byte_array_append(bits->out, &byte, 1);
	}
}

/* Compresses zeros to 13 bits for 258 of them: first a byte, then repeated copies of the previous
 * byte.  Codes are written from their highest bit. */
static GByteArray *deflate_zeros(guint64 size)
{
	static const guchar zlib[] = {0x78, 0x9c};
	struct bits bits = {.out = g_byte_array_new()};

	g_byte_array_append(bits.out, zlib, sizeof zlib);
	put_bits(&bits, 3, 3);    /* the last block, with fixed codes */
	put_bits(&bits, 0x0c, 8); /* 0 */
	for (guint64 i = 0; i < size / 258; i++)
		put_bits(&bits, 0xa3, 13); /* 258 bytes, copied from 1 byte before */
	put_bits(&bits, 0, 7);             /* the end; the checksum is missing */
	put_bits(&bits, 0, 32);
	return bits.out;
}

/* A reader that trusts the header stays within 64 MiB; one that does not inflates a gigabyte. */
static void test_inflates_further(struct rig *rig, gconstpointer data)
{
	static const guchar gnu[] = "ZLIB\0\0\0\0\4\0\0\0";
	const Elf64_Chdr header = {
		.ch_type = ELFCOMPRESS_ZLIB, .ch_size = 64 * MIB, .ch_addralign = 1};
	gboolean is_gnu = data != NULL;
	gsize head = is_gnu ? sizeof gnu - 1 : sizeof header;
	g_autoptr(GByteArray) stream = deflate_zeros(1024 * MIB);
	const struct hostile_piece pieces[] = {{4096, is_gnu ? (gconstpointer)gnu : &header, head},
					       {4096 + head, stream->data, stream->len},
					       {0, NULL, 0}};
	const struct hostile_section section = {.name = is_gnu ? ".zdebug_info" : ".debug_info",
						.type = SHT_PROGBITS,
						.flags = is_gnu ? 0 : SHF_COMPRESSED,
						.offset = 4096,
						.size = head + stream->len};
	guint64 budget_ns = 10 * BUDGET_NS;
	struct rusage children;

	hostile_write(rig->path, NULL, 4096 + head + stream->len, pieces, &section, 1);
	g_assert_cmpint(ask(rig, rig->path, EXAMINE_DWARF, &budget_ns), ==, -ENODATA);
	assert_serves(rig);
	parser_stop(&rig->parser);
	g_assert_cmpint(getrusage(RUSAGE_CHILDREN, &children), ==, 0);
	g_assert_cmpint(children.ru_maxrss, <, 160 << 10);
}

/* Writes four million symbols that share one name of a megabyte. */
static void write_endless(const struct rig *rig)
{
	const guint64 table = 90 * MIB;
	g_autofree char *name = g_malloc(MIB);
	g_autofree Elf64_Sym *symbols = g_new0(Elf64_Sym, table / sizeof *symbols);
	const struct hostile_piece pieces[] = {
		{4096, symbols, table}, {4096 + table, name, MIB}, {0, NULL, 0}};
	const struct hostile_section sections[] = {
		{.name = ".symtab",
		 .type = SHT_SYMTAB,
		 .offset = 4096,
		 .size = table,
		 .entsize = sizeof *symbols,
		 .link = 2},
		{.name = ".strtab", .type = SHT_STRTAB, .offset = 4096 + table, .size = MIB},
	};

	memset(name, 'n', MIB);
	name[0] = name[MIB - 1] = '\0';
	for (gsize i = 0; i < table / sizeof *symbols; i++)
		symbols[i] = (Elf64_Sym){
			.st_name = 1, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_TLS), .st_shndx = 1};
	hostile_write(rig->path, NULL, 4096 + table + MIB, pieces, sections, 2);
}

/* The parser is stopped in time, and answers about the next file. */
static void test_endless(struct rig *rig, gconstpointer data)
{
	guint64 budget_ns = BUDGET_NS;

	(void)data;
	write_endless(rig);
	g_assert_cmpint(ask(rig, rig->path, EXAMINE_OBJECT, &budget_ns), ==, -ETIME);
	g_assert_cmpuint(budget_ns, ==, 0);
	assert_serves(rig);
}

static pid_t raised;

/* A parser is not reaped before the host knows it, as its PID may then be reused. */
static void note_raise(const struct ctprof_host *host, int32_t pid, int raise)
{
	siginfo_t info = {.si_pid = 0};

	(void)host;
	g_assert_cmpint(raised, ==, raise ? 0 : pid);
	g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), ==, 0);
	raised = raise ? pid : 0;
}

static void note_progress(const struct ctprof_host *host)
{
	(void)host;
}

/* While the parser lives, it is scheduled like the threads that wait for it. */
static void test_raised(struct rig *rig, gconstpointer data)
{
	struct ctprof_host host = *rig->parser.host;
	guint64 budget_ns = BUDGET_NS;

	(void)data;
	host.raise = note_raise;
	host.progress = note_progress;
	rig->parser.host = &host;
	write_endless(rig);
	assert_serves(rig);
	g_assert_cmpint(raised, ==, rig->parser.pid);
	g_assert_cmpint(ask(rig, rig->path, EXAMINE_OBJECT, &budget_ns), ==, -ETIME);
	g_assert_cmpint(raised, ==, 0);
	assert_serves(rig);
	g_assert_cmpint(raised, ==, rig->parser.pid);
	parser_stop(&rig->parser);
	g_assert_cmpint(raised, ==, 0);
}

/* If the parser is killed, as by SIGBUS when a file is truncated, another one starts. */
static void test_killed(struct rig *rig, gconstpointer data)
{
	guint64 budget_ns = BUDGET_NS;

	(void)data;
	assert_serves(rig);
	kill(rig->parser.pid, SIGKILL);
	g_assert_cmpint(ask(rig, "/proc/self/exe", EXAMINE_OBJECT, &budget_ns), ==, -EBADMSG);
	assert_serves(rig);
}

static gpointer ask_and_end(gpointer rig)
{
	assert_serves(rig);
	return NULL;
}

/* It ends with the thread that started it, though its socket stays open. */
static void test_ends_with_thread(struct rig *rig, gconstpointer data)
{
	int status = 0;

	(void)data;
	g_thread_join(g_thread_new("asks", ask_and_end, rig));
	g_assert_cmpint(waitpid(rig->parser.pid, &status, 0), ==, rig->parser.pid);
	g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	rig->parser.pid = 0;
	close(rig->parser.fd);
}

/* ---- its rights --------------------------------------------------------- */

/* Runs in a child: makes calls that only an allow-list refuses, and one that is allowed. */
static int try_calls(void)
{
	struct stat st;

	if (sandbox_enter() < 0)
		return -1;
	if (open("/dev/null", O_RDONLY) >= 0 || errno != EPERM)
		return 1;
	if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 2;
	if (syscall(SYS_getpid) >= 0 || errno != EPERM)
		return 3;
	if (fstat(STDIN_FILENO, &st) >= 0 || errno != EPERM)
		return 4;
	if (mmap(NULL, 1, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 5;
	return lseek(-1, 0, SEEK_SET) < 0 && errno == EBADF ? 0 : 6;
}

static void test_allow_list(struct rig *rig, gconstpointer data)
{
	int status = 0;

	(void)rig;
	(void)data;
	pid_t child = fork();
	/* Not _exit(), before which a sanitizer makes calls that are refused. */
	if (child == 0)
		syscall(SYS_exit_group, try_calls());
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
}

static void assert_limit(const struct rig *rig, __rlimit_resource_t resource, guint64 most)
{
	struct rlimit limit;

	g_assert_cmpint(prlimit(rig->parser.pid, resource, NULL, &limit), ==, 0);
	g_assert_cmpuint(limit.rlim_max, <=, most);
}

/* It has its socket, two of /dev/null, and perhaps still the file, but none that is open here. */
static void assert_descriptors(const struct rig *rig)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/fd", (int)rig->parser.pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	/* Only root can look into a process that is not dumpable. */
	g_assert_true(dir || geteuid() != 0);
	while (dir && (name = g_dir_read_name(dir)))
		g_assert_true(name[0] == '.' || (strlen(name) == 1 && name[0] <= '3'));
}

static void test_rights(struct rig *rig, gconstpointer data)
{
	static const char *const lines[] = {"CapPrm:\t0000000000000000\n",
					    "CapEff:\t0000000000000000\n", "NoNewPrivs:\t1\n",
					    "Seccomp:\t2\n"};
	g_autofree char *text = NULL;
	int inherited = fcntl(STDERR_FILENO, F_DUPFD, 100);

	(void)data;
	assert_serves(rig);
	close(inherited);
	g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)rig->parser.pid);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
		g_assert_nonnull(strstr(text, lines[i]));
	assert_descriptors(rig);
	assert_limit(rig, RLIMIT_DATA, 320 * MIB);
	assert_limit(rig, RLIMIT_AS, 2048 * MIB);
	/* A file of another user is read by another process. */
	pid_t before = rig->parser.pid;
	assert_serves(rig);
	g_assert_cmpint(rig->parser.pid, ==, before);
	if (geteuid() != 0 || chown(rig->path, 65534, 65534) < 0)
		return;
	guint64 budget_ns = BUDGET_NS;
	g_assert_cmpint(ask(rig, rig->path, EXAMINE_OBJECT, &budget_ns), ==, -EINVAL);
	g_assert_cmpint(rig->parser.pid, !=, before);
}

/* If the user's limits are lower than the parser's own, they stay: ctprof has given up the right to
 * raise them. */
static void test_limited(struct rig *rig, gconstpointer data)
{
	static const char script[] = "#!/bin/sh\nulimit -v 1000000\nulimit -d 200000\n"
				     "exec " PROGRAM "\n";
	struct rlimit limits[2];

	(void)data;
	(void)prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0); /* EPERM: not held anyway */
	g_assert_true(g_file_set_contents(rig->path, script, -1, NULL));
	g_assert_cmpint(chmod(rig->path, 0700), ==, 0);
	rig->parser.program = rig->path;
	assert_serves(rig);
	g_assert_cmpint(prlimit(rig->parser.pid, RLIMIT_AS, NULL, &limits[0]), ==, 0);
	g_assert_cmpint(prlimit(rig->parser.pid, RLIMIT_DATA, NULL, &limits[1]), ==, 0);
	g_assert_cmpuint(limits[0].rlim_cur, ==, 1000000 * 1024);
	g_assert_cmpuint(limits[1].rlim_cur, ==, 200000 * 1024);
}

/* The program is not a parser, or does not exist. */
static void test_no_parser(struct rig *rig, gconstpointer data)
{
	guint64 budget_ns = BUDGET_NS;

	(void)data;
	rig->parser.program = "/bin/true";
	g_assert_cmpint(ask(rig, rig->path, EXAMINE_OBJECT, &budget_ns), ==, -EBADMSG);
	rig->parser.program = "/nonexistent";
	g_assert_cmpint(parser_check("/nonexistent"), ==, -ENOENT);
	g_assert_cmpint(ask(rig, rig->path, EXAMINE_OBJECT, &budget_ns), ==, -EBADMSG);
	g_assert_cmpint(chmod(rig->path, 0777), ==, 0);
	g_assert_cmpint(parser_check(rig->path), ==, -EPERM);
	g_assert_cmpint(parser_check(PROGRAM), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(bombs); i++) {
		g_autofree char *path = g_strdup_printf("/jemalloc/parser/%s", bombs[i].name);

		g_test_add(path, struct rig, &bombs[i], set_up, test_bomb, tear_down);
	}
	g_test_add("/jemalloc/parser/inflates further than it says", struct rig, NULL, set_up,
		   test_inflates_further, tear_down);
	g_test_add("/jemalloc/parser/inflates further than it says, GNU", struct rig, "GNU", set_up,
		   test_inflates_further, tear_down);
	g_test_add("/jemalloc/parser/endless", struct rig, NULL, set_up, test_endless, tear_down);
	g_test_add("/jemalloc/parser/raised", struct rig, NULL, set_up, test_raised, tear_down);
	g_test_add("/jemalloc/parser/killed", struct rig, NULL, set_up, test_killed, tear_down);
	g_test_add("/jemalloc/parser/ends with its thread", struct rig, NULL, set_up,
		   test_ends_with_thread, tear_down);
	g_test_add("/jemalloc/parser/allow-list", struct rig, NULL, set_up, test_allow_list,
		   tear_down);
	g_test_add("/jemalloc/parser/rights", struct rig, NULL, set_up, test_rights, tear_down);
	g_test_add("/jemalloc/parser/limited", struct rig, NULL, set_up, test_limited, tear_down);
	g_test_add("/jemalloc/parser/no parser", struct rig, NULL, set_up, test_no_parser,
		   tear_down);
	return g_test_run();
}
