/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests mountinfo, sysvipc, mappings of smaps, and their classification. */
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "../classify.h"
#include "../fold.h"
#include "../sysv.h"
#include "mountinfo.h"

/* ---- mounts ------------------------------------------------------------ */

static void test_mountinfo_line(void)
{
	static const struct {
		const char *line, *device, *point, *type, *source, *options;
	} cases[] = {
		/* vector 10 */
		{"839 811 0:34 / /tmp rw,nosuid,nodev master:17 - tmpfs tmpfs rw,size=65909960k",
		 "0:34", "/tmp", "tmpfs", "tmpfs", "rw,size=65909960k"},
		{"1 2 254:0 / / rw - ext4 /dev/vda rw", "254:0", "/", "ext4", "/dev/vda", "rw"},
		{"1 2 0:3 / /a rw shared:1 master:2 - fuse.x a b,c rw", "0:3", "/a", "fuse.x", "a",
		 "rw"},
		{"1 2 0:3 / /a rw - proc  rw", "0:3", "/a", "proc", "", "rw"},
		/* vector 11 */
		{"839 811 0:34 / /tmp rw tmpfs tmpfs rw", NULL, NULL, NULL, NULL, NULL},
		{"811 0:34 / /tmp - tmpfs tmpfs rw", NULL, NULL, NULL, NULL, NULL},
		{"1 2 0:x / /a rw - proc proc rw", NULL, NULL, NULL, NULL, NULL},
		{"1 2 03 / /a rw - proc proc rw", NULL, NULL, NULL, NULL, NULL},
		{"1 2 0:4294967296 / /a rw - proc proc rw", NULL, NULL, NULL, NULL, NULL},
		{"1 2 0:3 / a rw - proc proc rw", NULL, NULL, NULL, NULL, NULL},
		{"1 2 0:3 / /a rw - proc", NULL, NULL, NULL, NULL, NULL},
		{"", NULL, NULL, NULL, NULL, NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mountinfo info;
		bool good = mountinfo_parse(cases[i].line, strlen(cases[i].line), &info);

		g_assert_true(good == (cases[i].device != NULL));
		if (!good)
			continue;
		g_autofree char *device = g_strdup_printf("%u:%u", info.major, info.minor);
		g_assert_cmpstr(device, ==, cases[i].device);
		g_assert_true(text_equal(info.point, cases[i].point));
		g_assert_true(text_equal(info.type, cases[i].type));
		g_assert_true(text_equal(info.source, cases[i].source));
		g_assert_true(text_equal(info.options, cases[i].options));
	}
}

static void test_unescape(void)
{
	static const char *const cases[][2] = {
		/* vector 12 */
		{"/mnt/a\\040b", "/mnt/a b"},
		{"/b\\134c", "/b\\c"},
		{"/end\\04", "/end\\04"},
		{"/end\\040", "/end "},
		{"/\\134040", "/\\040"},
		{"/\\303\\251", "/\303\251"},
		{"/\303\251\\012", "/\303\251\n"},
		{"/\\000\\400\\09a", "/\\000\\400\\09a"},
		{"", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *plain = g_strdup(cases[i][0]);
		size_t len = mountinfo_unescape((struct text){plain, strlen(plain)}, plain);

		g_assert_true(text_equal((struct text){plain, len}, cases[i][1]));
	}
}

static void test_size(void)
{
	static const struct {
		const char *text;
		bool good;
		guint64 bytes;
	} cases[] = {
		/* vector 13 */
		{"64k", true, 65536},
		{"2m", true, 2097152},
		{"1g", true, 1073741824},
		{"4096", true, 4096},
		{"1TB", true, 1099511627776},
		{"1Pb", true, G_GUINT64_CONSTANT(1) << 50},
		/* vector 14 */
		{"50%", false, 0},
		{"", false, 0},
		{"k", false, 0},
		{"3 g", false, 0},
		{"3gg", false, 0},
		{"3b", false, 0},
		{"99999999999999p", true, G_MAXUINT64},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint64 bytes = 0;

		g_assert_true(mounts_parse_size((struct text){cases[i].text, strlen(cases[i].text)},
						&bytes) == cases[i].good);
		g_assert_cmpuint(bytes, ==, cases[i].bytes);
	}
}

static void parse_mounts(const char *text, struct mounts *ret)
{
	g_assert_cmpint(mounts_parse(strdup(text), strlen(text), ret), ==, 0);
}

/* Returns "POINT=MAJOR:MINOR" of each tmpfs that is listed. */
static char *tmpfs_text(const struct mounts *mounts)
{
	GString *out = g_string_new(NULL);

	for (size_t i = 0; i < mounts->n_tmpfs; i++)
		g_string_append_printf(out, "%s%.*s=%u:%u", i ? " " : "",
				       (int)mounts->tmpfs[i]->point.len, mounts->tmpfs[i]->point.p,
				       mounts->tmpfs[i]->major, mounts->tmpfs[i]->minor);
	return g_string_free(out, FALSE);
}

static void test_tmpfs_mounts(void)
{
	static const struct {
		const char *mountinfo, *tmpfs;
	} cases[] = {
		/* vector 40 */
		{"1 0 0:24 / /run rw - tmpfs t rw\n1 0 0:26 / /run/lock rw - tmpfs t rw\n"
		 "1 0 0:24 / /var/run rw - tmpfs t rw\n",
		 "/run=0:24 /run/lock=0:26"},
		/* Only the mount on top of another is visible. */
		{"1 0 0:23 / /dev/shm rw - tmpfs t rw\n1 0 0:27 / /dev/shm rw - tmpfs t rw\n",
		 "/dev/shm=0:27"},
		{"1 0 0:23 / /a rw - tmpfs t rw\n1 0 8:1 / /a rw - ext4 d rw\n", ""},
		/* A bind mount shows only a part, so even a longer path is preferred. */
		{"1 0 0:24 /x/hosts /e rw - tmpfs t rw\n1 0 0:24 / /run/long rw - tmpfs t rw\n",
		 "/run/long=0:24"},
		{"1 0 0:24 / /b rw - tmpfs t rw\n1 0 0:24 / /a rw - tmpfs t rw\n", "/a=0:24"},
		{"1 0 0:6 / /dev rw - devtmpfs d rw\n1 0 0:7 / /r rw - ramfs r rw\ngarbage\n", ""},
		{"", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mounts mounts;

		parse_mounts(cases[i].mountinfo, &mounts);
		g_autofree char *tmpfs = tmpfs_text(&mounts);
		g_assert_cmpstr(tmpfs, ==, cases[i].tmpfs);
		mounts_clear(&mounts);
	}
}

static void test_tmpfs_limit(void)
{
	struct mounts mounts;

	parse_mounts("1 0 0:34 / /a\\040b rw - tmpfs s\\040t rw,size=50%,size=65909960k\n"
		     "1 0 0:35 / /c rw - tmpfs t rw\n",
		     &mounts);
	g_assert_cmpuint(mounts.n_tmpfs, ==, 2);
	g_assert_true(text_equal(mounts.tmpfs[0]->point, "/a b"));
	g_assert_true(text_equal(mounts.tmpfs[0]->source, "s t"));
	g_assert_cmpuint(mounts.tmpfs[0]->limit.absent, ==, 0);
	g_assert_cmpuint(mounts.tmpfs[0]->limit.bytes, ==, G_GUINT64_CONSTANT(67491799040));
	g_assert_cmpuint(mounts.tmpfs[1]->limit.absent, ==, CTPROF_ABSENT_UNSUPPORTED);
	mounts_clear(&mounts);
}

/* ---- what a mapping is ------------------------------------------------- */

#define DELETED " (deleted)"

static void test_classify(void)
{
	static const struct {
		guint minor; /* of major 0 */
		const char *path, *kind;
	} cases[] = {
		/* vectors 17, 18, 20 */
		{0, "", "anon"},
		{0, "[heap]", "heap"},
		{0, "[stack]", "stack"},
		{0, "[stack:123]", "stack"},
		{0, "[vdso]", "vdso"},
		{0, "[vvar]", "vvar"},
		{0, "[vvar_vclock]", "pseudo"},
		{0, "[vsyscall]", "vsyscall"},
		{0, "[anon:scudo]", "anon"},
		{0, "[anon:/memfd:x]", "anon"},
		{1, "[anon_shmem:x]", "shmem"},
		{0, "[uprobes]", "pseudo"},
		{1, "/SYSV00000000" DELETED, "sysv"},
		{1, "/memfd:cache shard" DELETED, "memfd"},
		{1, "/memfd:", "memfd"},
		{1, "/dev/zero" DELETED, "shmem"},
		{15, "/anon_hugepage" DELETED, "hugetlb"},
		/* The memory of a device driver, or of no file at all. */
		{6, "/dev/zero", "file"},
		{6, "/dev/dri/card0", "file"},
		{14, "anon_inode:[io_uring]", "file"},
		{9, "socket:[123]", "file"},
		{254, "/usr/lib/a.so", "file"},
		{254, "/usr/lib/a.so" DELETED, "file"},
		/* The device decides, not the path, which its owner chose. */
		{254, "/tmp/x", "file"},
		{254, "/memfd:not" DELETED, "file"},
		{254, "/dev/zero" DELETED, "file"},
		{27, "/SYSV00000000" DELETED, "tmpfs"},
		{27, "/anywhere/else" DELETED, "tmpfs"},
		{40, "/r/x", "tmpfs"},
		{41, "/h/x", "hugetlb"},
		/* For an unknown device, the file system at that path decides; vector 19. */
		{99, "/tmp", "tmpfs"},
		{99, "/tmp/a" DELETED, "tmpfs"},
		{99, "/tmp/x/a", "tmpfs"},
		{99, "/tmpfoo/a", "file"},
		{99, "/tmp/disk/a", "file"},
		{99, "/tmp/disk/ram/a", "tmpfs"},
		{99, "/h/huge", "hugetlb"},
		{99, "(unreachable)/x", "file"},
	};
	struct mounts mounts;

	parse_mounts(
		"1 0 0:254 / / rw - ext4 d rw\n1 0 0:6 / /dev rw - devtmpfs d rw\n"
		"1 0 0:26 / /tmp rw - tmpfs t rw\n1 0 0:27 / /tmp/x rw - tmpfs t rw\n"
		"1 0 0:28 / /tmp/disk rw - ext4 t rw\n1 0 0:29 / /tmp/disk/ram rw - tmpfs t rw\n"
		"1 0 0:40 / /r rw - ramfs t rw\n1 0 0:41 / /h rw - hugetlbfs t rw\n",
		&mounts);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text path = {cases[i].path, strlen(cases[i].path)};
		enum object_kind kind = classify_mapping(
			&mounts, mounts_kind_of_device(&mounts, 0, cases[i].minor), path);

		if (strcmp(classify_kind_name(kind), cases[i].kind) != 0)
			g_error("%s on 0:%u is %s, not %s", cases[i].path, cases[i].minor,
				classify_kind_name(kind), cases[i].kind);
		g_assert_true(text_equal(classify_label(path),
					 path.len > 0 ? cases[i].path : "<anonymous>"));
	}
	mounts_clear(&mounts);
}

/* Vector 42: smaps writes devices in hexadecimal, mountinfo in decimal. */
static void test_device_join(void)
{
	static const char line[] = "1000-2000 r--s 00000000 00:1b 7                  /dev/shm/x";
	struct vma_header header;
	struct mounts mounts;

	parse_mounts("1 0 0:27 / /dev/shm rw - tmpfs t rw\n1 0 0:1 / / rw - ext4 d rw\n", &mounts);
	g_assert_true(vma_parse_header((struct text){line, strlen(line)}, &header));
	g_assert_cmpint(mounts_kind_of_device(&mounts, header.major, header.minor), ==,
			MOUNT_TMPFS);
	mounts_clear(&mounts);
}

/* ---- mappings ---------------------------------------------------------- */

static void test_header(void)
{
	static const struct {
		const char *line;
		guint64 size;
		guint major, minor;
		guint64 inode;
		const char *path;
	} cases[] = {
		/* vector 15 */
		{"7f1230000000-7f1230001000 rw-s 00000000 00:01 42 /memfd:cache shard (deleted)",
		 4096, 0, 1, 42, "/memfd:cache shard (deleted)"},
		{"7f1230000000-7f1230001000 r-xp 0001f000 fe:1b 18446744073709551615   /a  ", 4096,
		 254, 27, G_MAXUINT64, "/a  "},
		{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0     [vsyscall]", 4096, 0,
		 0, 0, "[vsyscall]"},
		{"1000-3000 rw-p 00000000 00:00 0 ", 8192, 0, 0, 0, ""},
		{"1000-3000 rw-p 00000000 00:00 0", 8192, 0, 0, 0, ""},
		/* vector 16 */
		{"VmFlags: rd ex mr mw me", 0, 0, 0, 0, NULL},
		{"THPeligible:    0", 0, 0, 0, 0, NULL},
		{"Size:    8 kB", 0, 0, 0, 0, NULL},
		{"abc: 1 2 3 4 5", 0, 0, 0, 0, NULL},
		{"1000-3000 rw-x 00000000 00:00 0", 0, 0, 0, 0, NULL},
		{"1000-3000 rw-p 00000000 0000 0", 0, 0, 0, 0, NULL},
		{"1000-3000 rw-p 00000000 00:00 a", 0, 0, 0, 0, NULL},
		{"1000-3000 rw-p zz 00:00 0", 0, 0, 0, 0, NULL},
		{"3000-1000 rw-p 00000000 00:00 0", 0, 0, 0, 0, NULL},
		{"11112222333344445-3 rw-p 00000000 00:00 0", 0, 0, 0, 0, NULL},
		{"1000 rw-p 00000000 00:00 0", 0, 0, 0, 0, NULL},
		{"1000-3000 rw-p 00000000 00:00", 0, 0, 0, 0, NULL},
		{"1000-3000 rw-p 00000000 100000000:00 0", 0, 0, 0, 0, NULL},
		{"", 0, 0, 0, 0, NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct vma_header header;
		struct text line = {cases[i].line, strlen(cases[i].line)};

		g_assert_true(vma_parse_header(line, &header) == (cases[i].path != NULL));
		if (!cases[i].path)
			continue;
		g_assert_cmpuint(header.end - header.start, ==, cases[i].size);
		g_assert_cmpuint(header.major, ==, cases[i].major);
		g_assert_cmpuint(header.minor, ==, cases[i].minor);
		g_assert_cmpuint(header.inode, ==, cases[i].inode);
		g_assert_true(text_equal(header.path, cases[i].path));
	}
}

#define HEAD(range, perms, device, inode, path)                                                    \
	range " " perms " 00000000 " device " " inode "                    " path "\n"

/* Returns each holding as "label|inode|vmas|Pss|Rss|sharedswap", '-' for missing lines. */
static char *fold_text(const char *smaps, unsigned wanted, size_t piece)
{
	g_autofree struct fold *fold = g_new0(struct fold, 1);
	GString *out = g_string_new(NULL);
	size_t len = strlen(smaps), done = 0, have = 0;

	fold_begin(fold, wanted);
	do {
		have = MIN(have + piece, len - done);
		size_t used = fold_take(fold, smaps + done, have, done + have == len);
		done += used;
		have -= used;
	} while (done < len);
	g_assert_cmpint(fold_finish(fold), ==, 0);
	for (guint i = 0; i < fold->n; i++) {
		const struct holding *h = &fold->holdings[i];
		struct text label = fold_label(fold, h);

		g_string_append_printf(out, "%.*s|%" G_GUINT64_FORMAT "|%" G_GUINT64_FORMAT,
				       (int)label.len, label.p, h->identity.inode, h->vmas);
		for (guint field = VMA_RSS; field <= VMA_PSS; field++)
			if (h->present & 1u << field)
				g_string_append_printf(out, "|%" G_GUINT64_FORMAT, h->bytes[field]);
			else
				g_string_append(out, "|-");
		g_string_append_printf(out, "|%" G_GUINT64_FORMAT "\n", h->shared_swap);
	}
	for (guint i = 0; i < fold->n_named; i++)
		g_string_append_printf(out, "%.*s:%" G_GUINT64_FORMAT "\n",
				       (int)fold->named[i].label_len,
				       fold->labels + fold->named[i].label, fold->named[i].bytes);
	fold_clear(fold);
	return g_string_free(out, FALSE);
}

static void test_fold(void)
{
	static const struct {
		const char *smaps;
		unsigned wanted;
		const char *holdings;
	} cases[] = {
		/* vector 21 */
		{HEAD("1000-2000", "rw-s", "00:01", "42", "/second-name") "Pss: 1 kB\n" HEAD(
			 "2000-3000", "rw-s", "00:01", "42",
			 "/first-name") "Pss: 2 kB\n" HEAD("3000-4000", "rw-s", "00:01", "43",
							   "/first-name") "Pss: 3 kB\n",
		 0, "/first-name|42|2|-|3072|0\n/first-name|43|1|-|3072|0\n"},
		/* An object counts once wherever it is mapped; other memory is kept only on
		 * request. */
		{HEAD("1000-2000", "r--p", "08:01", "5", "/b") "Rss: 1 kB\n" HEAD("2000-3000", "rw-p", "00:00", "0", "[heap]") "Rss: 9 kB\n" HEAD(
			 "3000-4000", "rw-p", "00:00", "0",
			 "") "Rss: 2 kB\n" HEAD("4000-5000", "r--p", "08:01", "5",
						"/b") "Rss: 4 kB\nPss: 4 kB\n" HEAD("5000-6000",
										    "rw-p", "00:00",
										    "0",
										    "") "Rss: 2 kB\n",
		 0, "/b|5|2|5120|4096|0\n"},
		{HEAD("1000-2000", "r--p", "08:01", "5", "/b") "Rss: 1 kB\n" HEAD(
			 "2000-3000", "rw-p", "00:00", "0",
			 "[heap]") "Rss: 9 kB\n" HEAD("3000-4000", "rw-p", "00:00", "0",
						      "") "Rss: 2 kB\n" HEAD("4000-5000", "rw-p",
									     "00:00", "0",
									     "[heap]") "Rss: 2 kB\n" HEAD("5000-6000",
													  "rw-p",
													  "00:00",
													  "0",
													  "") "Rss: 2 kB\n",
		 FOLD_PRIVATE, "|0|2|4096|-|0\n[heap]|0|2|11264|-|0\n/b|5|1|1024|-|0\n"},
		/* The swap of shared mappings counts, that of private ones does not. */
		{HEAD("1000-2000", "rw-s", "00:01", "7", "/m") "Swap: 3 kB\nSwapPss: 9 kB\n" HEAD(
			 "2000-3000", "rw-p", "00:01", "7",
			 "/m") "Swap: 4 kB\n" HEAD("3000-4000", "rw-s", "00:01", "7",
						   "/m") "Swap: 0 kB\n" HEAD("4000-5000", "rw-s",
									     "00:01", "8",
									     "") "Swap: 5 kB\n" HEAD("5000-6000",
												     "rw-s",
												     "00:01",
												     "9",
												     "/no-swap-line"),
		 FOLD_BY_NAME,
		 "/m|7|3|-|-|3072\n|8|1|-|-|5120\n/no-swap-line|9|1|-|-|0\n/m:3072\n/m:0\n"},
		/* vector 66: only line ends are escaped; other bytes are unchanged. */
		{HEAD("1000-2000", "r--p", "08:01", "5", "/a\\012\303\251 \\040\\01") "Rss: 1 kB\n",
		 0, "/a\n\303\251 \\040\\01|5|1|1024|-|0\n"},
		/* Fields before the first mapping, malformed ones, and unknown ones. */
		{"Rss: 7 kB\nPss: 1 kB\n" HEAD(
			 "1000-2000", "r--p", "08:01", "5",
			 "/b") "Rss: x kB\n"
			       "Pss 3 kB\nPss_Anon: 4 kB\nVmFlags: rd ex\nRss:\nPss: 18446744073709551615 kB",
		 0, "/b|5|1|-|18446744073709551615|0\n"},
		{"", 0, ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint piece = 1; piece < 200; piece += 33) {
			g_autofree char *holdings =
				fold_text(cases[i].smaps, cases[i].wanted, piece);

			g_assert_cmpstr(holdings, ==, cases[i].holdings);
		}
}

/* A segment's inode is its ID: 0 is valid, and 42 is not the memfd with that inode. */
static void test_fold_segments(void)
{
	static const char smaps[] =
		HEAD("1000-2000", "rw-s", "00:01", "0", "/SYSV00000000 (deleted)") "Pss: 1 kB\n" HEAD(
			"2000-3000", "rw-s", "00:01", "42",
			"/memfd:a (deleted)") "Pss: 2 kB\n" HEAD("3000-4000", "rw-s", "00:01", "42",
								 "/SYSV0000002a (deleted)") "Pss: 4 kB\n";
	g_autofree char *holdings = fold_text(smaps, 0, sizeof smaps);

	g_assert_cmpstr(holdings, ==,
			"/memfd:a (deleted)|42|1|-|2048|0\n"
			"/SYSV00000000 (deleted)|0|1|-|1024|0\n"
			"/SYSV0000002a (deleted)|42|1|-|4096|0\n");
}

/* A path longer than any that the kernel prints is cut; nothing is written beyond the end. */
static void test_long_path(void)
{
	g_autofree char *path = g_strnfill(3 * VMA_PATH_MAX, 'p');
	g_autofree char *smaps =
		g_strdup_printf("1000-2000 r--p 00000000 08:01 5 /%s\nPss: 1 kB\n", path);
	g_autofree char *holdings = fold_text(smaps, 0, 1u << 20);
	char *behind = strchr(holdings, '|');

	g_assert_cmpint(behind - holdings, ==, VMA_PATH_MAX);
	g_assert_cmpstr(behind, ==, "|5|1|-|1024|0\n");
}

/* ---- System V ---------------------------------------------------------- */

#define SYSV_HEADER                                                                                \
	"       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  " \
	"cgid      atime      dtime      ctime                   rss                  swap\n"

static char *sysv_text(const char *text)
{
	GString *out = g_string_new(NULL);
	struct sysv sysv;

	if (sysv_parse(text, strlen(text), &sysv) < 0)
		return g_string_free(g_string_append(out, "refused"), FALSE);
	for (size_t i = 0; i < sysv.n; i++) {
		for (guint column = 0; column < SYSV_N_COLUMNS; column++) {
			struct amount amount = sysv.segments[i].at[column];

			g_string_append_printf(out, column ? " " : "");
			if (amount.absent)
				g_string_append_printf(out, "!%u", amount.absent);
			else
				g_string_append_printf(out, "%" G_GUINT64_FORMAT, amount.bytes);
		}
		g_string_append_c(out, '\n');
	}
	if (sysv.n_malformed)
		g_string_append_printf(out, "malformed %zu\n", sysv.n_malformed);
	sysv_clear(&sysv);
	return g_string_free(out, FALSE);
}

/* Each: id, key, attaches, owner, size, rss, swap. */
static void test_sysv(void)
{
	static const struct {
		const char *text, *segments;
	} cases[] = {
		/* vector 35 */
		{SYSV_HEADER "0 1 600 4194304 11 12 2 0 0 0 0 1 0 1 2097152 0\n",
		 "1 0 2 0 4194304 2097152 0\n"},
		/* vector 36 */
		{SYSV_HEADER "-559038737 0 600 1 1 1 1 1000 0 0 0 1 0 1 4096 8192\n"
			     "0 x 600 1 1 1 1 0 0 0 0 1 0 1 0 0\n\n",
		 "0 3735928559 1 1000 1 4096 8192\nmalformed 2\n"},
		{SYSV_HEADER
		 "0 7 600 1 1 1 1 0 0 0 0 1 0 1 0 0\n0 3 600 1 1 1 1 0 0 0 0 1 0 1 0 0\n"
		 "0 7 600 2 1 1 1 0 0 0 0 1 0 1 0 0\n0 -3 600\n",
		 NULL},
		{"shmid rss uid\n5 x\n", "5 !10 !10 !50 !10 !50 !10\n"},
		{"uid key\n1 2\n", "refused"},
		{"", "refused"},
		{SYSV_HEADER, ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *segments = sysv_text(cases[i].text);

		if (cases[i].segments) {
			g_assert_cmpstr(segments, ==, cases[i].segments);
			continue;
		}
		/* Ordered by id, each once. */
		g_assert_true(g_str_has_prefix(segments, "3 0 "));
		g_assert_nonnull(strstr(segments, "\n7 0 "));
		g_assert_true(g_str_has_suffix(segments, "\nmalformed 1\n"));
	}
}

static void test_sysv_find(void)
{
	static const char text[] = "shmid nattch\n4 1\n65538 2\n9 3\n";
	struct sysv sysv;

	g_assert_cmpint(sysv_parse(text, strlen(text), &sysv), ==, 0);
	g_assert_cmpuint(sysv_find(&sysv, 65538)->at[SYSV_ATTACHES].bytes, ==, 2);
	g_assert_null(sysv_find(&sysv, 5));
	sysv_clear(&sysv);
	g_assert_null(sysv_find(&sysv, 4));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/mounts/line", test_mountinfo_line);
	g_test_add_func("/memory/mounts/unescape", test_unescape);
	g_test_add_func("/memory/mounts/size", test_size);
	g_test_add_func("/memory/mounts/tmpfs", test_tmpfs_mounts);
	g_test_add_func("/memory/mounts/limit", test_tmpfs_limit);
	g_test_add_func("/memory/classify", test_classify);
	g_test_add_func("/memory/classify/device", test_device_join);
	g_test_add_func("/memory/vma/header", test_header);
	g_test_add_func("/memory/fold", test_fold);
	g_test_add_func("/memory/fold/segments", test_fold_segments);
	g_test_add_func("/memory/fold/long-path", test_long_path);
	g_test_add_func("/memory/sysv", test_sysv);
	g_test_add_func("/memory/sysv/find", test_sysv_find);
	return g_test_run();
}
