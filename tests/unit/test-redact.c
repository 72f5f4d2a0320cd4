/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The redaction of names: each rule, and that patterns, units and shapes are preserved. */
#include <string.h>

#include "redact/pseudonym.h"
#include "report/name/cgroupkey.h"
#include "report/name/pattern.h"
#include "report/name/unit.h"

#define MOST 4000
#define WORD_LETTERS 15
#define ID "3f2a9c04be11d07745aa90c1d2e3f4a53f2a9c04be11d07745aa90c1d2e3f4a5"
#define UID "8b1d6a3e-42f0-4c5b-9d07-e1a2b3c4d5f6"
#define SLICE_UID "8b1d6a3e_42f0_4c5b_9d07_e1a2b3c4d5f6"

static const guint8 key[] = "a key that no one can guess", other_key[] = "another";

static char *redact(PseudonymLaw law, const char *text)
{
	g_autoptr(Pseudonyms) pseudonyms = pseudonyms_new(key, sizeof key);
	GString *out = g_string_new(NULL);

	pseudonyms_append(pseudonyms, out, law, text, strlen(text), MOST);
	return g_string_free(out, FALSE);
}

/* Replaces each pseudonym of a word by "W". */
static char *mask(const char *text)
{
	GString *out = g_string_new(NULL);

	while (*text) {
		gsize n = strspn(text, "GHJKLMNPQRSTVWXZ");
		gboolean is_word = n == WORD_LETTERS;

		g_string_append_c(out, is_word ? 'W' : *text);
		text += is_word ? n : 1;
	}
	return g_string_free(out, FALSE);
}

/* expected: '~' matches a hexadecimal digit, '?' one to eight decimal digits, '%' 64 hexadecimal
 * digits; other characters match themselves. */
static gboolean is_like(const char *text, const char *expected)
{
	for (; *expected; expected++) {
		gsize least = *expected == '%' ? 64 : 1;
		gsize most = *expected == '?' ? 8 : least, n = 0;

		if (!strchr("~?%", *expected)) {
			if (*text++ != *expected)
				return FALSE;
			continue;
		}
		while (n < most &&
		       (*expected == '?' ? g_ascii_isdigit(*text) : g_ascii_isxdigit(*text))) {
			text++;
			n++;
		}
		if (n < least)
			return FALSE;
	}
	return *text == '\0';
}

static void test_laws(void)
{
	static const struct {
		PseudonymLaw law;
		const char *text, *like; /* see is_like() */
	} cases[] = {
		{LAW_KEEP, "SCHED_OTHER", "SCHED_OTHER"},
		{LAW_NAME, "", ""},
		{LAW_NAME, "nginx", "W"},
		{LAW_NAME, "worker-17", "W-17"},
		{LAW_NAME, "worker17", "W17"},
		{LAW_NAME, "4Hz", "4W"},
		{LAW_NAME, "python3.11", "W3.11"},
		{LAW_NAME, "(sd-pam)", "(W-W)"},
		{LAW_NAME, "x86emu", "W"},
		{LAW_NAME, "1000", "1000"},
		{LAW_NAME, "<b>&</script>", "<W>&</W>"},
		{LAW_NAME, "na\xc3\xafve \xff\xfe", "W W"},
		{LAW_NAME, "\n\t\"\\", "\n\t\"\\"},
		{LAW_NAME, "deadbeef", "W"},
		{LAW_NAME, "job f3", "W ~~~~~~~~~~~~~~"},
		{LAW_NAME, "docker", "W"},
		{LAW_NAME, "ctprof-worker", "ctprof-W"},
		{LAW_NAME, "db@10.0.0.7:5432", "W@0.?.?.?:5432"},
		{LAW_NAME, "ip-10-0-0-7", "W-0-?-?-?"},
		{LAW_NAME, "1.2.3", "1.2.3"},
		{LAW_NAME, "v1.2.3", "W1.2.3"},
		{LAW_NAME, "0000:00:1f.2", "0000:00:~~~~~~~~~~~~~~.2"},
		{LAW_NAME, "gw fe80::1ff:2", "W ~~~~~~~~~~~~~~::~~~~~~~~~~~~~~:~~~~~~~~~~~~~~"},
		{LAW_NAME, "52:54:00:aa:bb:cc",
		 "~~~~~~~~~~~~~~:~~~~~~~~~~~~~~:~~~~~~~~~~~~~~:~~~~~~~~~~~~~~:~~~~~~~~~~~~~~:~~~~~~~~~~~~~~"},
		{LAW_CGROUP, "/", "/"},
		{LAW_CGROUP, "/system.slice/nginx.service", "/system.slice/W.service"},
		{LAW_CGROUP, "/user.slice/user-1000.slice/user@1000.service/init.scope",
		 "/user.slice/user-1000.slice/user@1000.service/init.scope"},
		{LAW_CGROUP, "/system.slice/sshd@3-10.0.0.1:22-10.0.0.2:50000.service",
		 "/system.slice/W@3-0.?.?.?:22-0.?.?.?:50000.service"},
		{LAW_CGROUP, "/x@fe80::1.service", "/W@~~~~~~~~~~~~~~::~~~~~~~~~~~~~~.service"},
		{LAW_CGROUP, "/docker/" ID, "/docker/%"},
		{LAW_CGROUP, "/kubepods/besteffort/pod" UID,
		 "/kubepods/besteffort/pod~~~~~~~~-~~~~-~~~~-~~~~-~~~~~~~~~~~~"},
		{LAW_PATH, "4711 [heap]", "4711 [heap]"},
		{LAW_PATH, "[anon:my arena]", "[anon:W W]"},
		{LAW_PATH, "/memfd:secret (deleted)", "/memfd:W (deleted)"},
		{LAW_PATH, "/dev/zero (deleted) #0:1:537828", "/dev/zero (deleted) #0:1:537828"},
		{LAW_PATH, "/home/al.ice/lib.so.6", "/W/W.W/W.W.6"},
		{LAW_COMMAND, "/usr/bin/psql --password=hunter2 10.0.0.7", "/W/W/W W"},
		{LAW_COMMAND, "init", "W"},
		{LAW_OPAQUE, "card 4711 0815", "W"},
		{LAW_OPAQUE, "-", "W"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *made = redact(cases[i].law, cases[i].text);
		g_autofree char *masked = mask(made);

		if (!is_like(masked, cases[i].like))
			g_error("'%s' became '%s', not '%s'", cases[i].text, masked, cases[i].like);
	}
}

/* With one key, a word has the same pseudonym everywhere; with another key it has another. */
static void test_words(void)
{
	g_autoptr(Pseudonyms) pseudonyms = pseudonyms_new(key, sizeof key);
	g_autoptr(Pseudonyms) others = pseudonyms_new(other_key, sizeof other_key);
	g_autofree char *word = redact(LAW_NAME, "nginx");
	g_autofree char *path = redact(LAW_PATH, "/usr/sbin/nginx");
	g_autofree char *unit = redact(LAW_CGROUP, "nginx.service");
	g_autofree char *again = redact(LAW_OPAQUE, "nginx");
	g_autofree char *mine = pseudonyms_fingerprint(pseudonyms);
	g_autofree char *theirs = pseudonyms_fingerprint(others);
	g_autoptr(GString) other = g_string_new(NULL);

	g_assert_true(g_str_has_suffix(path, word));
	g_assert_true(g_str_has_prefix(unit, word));
	g_assert_cmpstr(again, ==, word);
	pseudonyms_append(others, other, LAW_NAME, "nginx", 5, MOST);
	g_assert_cmpstr(other->str, !=, word);
	g_assert_cmpstr(mine, !=, theirs);
}

/* A word is made of the HMAC-SHA256 of 'w' and the word: a letter for the low half of each byte. */
static void test_hmac(void)
{
	g_autofree char *hex = g_compute_hmac_for_data(G_CHECKSUM_SHA256, key, sizeof key,
						       (const guchar *)"wnginx", 6);
	g_autofree char *made = redact(LAW_NAME, "nginx");

	g_assert_cmpuint(strlen(made), ==, WORD_LETTERS);
	for (gsize i = 0; i < WORD_LETTERS; i++)
		g_assert_cmpint(made[i], ==,
				"GHJKLMNPQRSTVWXZ"[g_ascii_xdigit_value(hex[2 * i + 1])]);
}

/* The digests of these have a common prefix: 40 bits of one, 24 of the other, are too few to
 * distinguish all names of a fleet. */
static void test_no_two_are_one(void)
{
	static const struct {
		PseudonymLaw law;
		const char *a, *b;
	} cases[] = {
		{LAW_OPAQUE, "name 221824", "name 1084139"},
		{LAW_NAME, "10.0.4.230", "10.0.44.56"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *a = redact(cases[i].law, cases[i].a);
		g_autofree char *b = redact(cases[i].law, cases[i].b);

		g_assert_cmpstr(a, !=, b);
	}
}

/* Text that is too long becomes a single word, so that a reader accepts it. */
static void test_limit(void)
{
	g_autoptr(GString) path = g_string_new(NULL);

	while (path->len < MOST)
		g_string_append(path, "/a");
	g_autofree char *made = redact(LAW_PATH, path->str);
	g_autofree char *masked = mask(made);
	g_assert_cmpstr(masked, ==, "/W");
}

/* Draws names from few bytes, so that many coincide.  Two have the same pattern, or the same
 * cgroup shape, if and only if their pseudonyms have. */
static char *draw_name(GRand *rand)
{
	static const char *const parts[] = {"a", "b",  "f", "g",  "0",   "1",        "9",
					    "-", "_",  ".", "/",  "@",   "\xc3\xa9", "#",
					    " ", "-7", "w", "f0", "pod", ".service"};
	GString *name = g_string_new(NULL);

	for (gint32 n = g_rand_int_range(rand, 1, 8); n > 0; n--)
		g_string_append(name, parts[g_rand_int_range(rand, 0, G_N_ELEMENTS(parts))]);
	return g_string_free(name, FALSE);
}

static void assert_same(GHashTable *table, char *from, char *to)
{
	const char *known = g_hash_table_lookup(table, from);

	if (known)
		g_assert_cmpstr(known, ==, to);
	g_hash_table_replace(table, from, to);
}

static void check_folding(PseudonymLaw law, char *(*fold)(const char *))
{
	g_autoptr(GHashTable) after =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GHashTable) before =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (guint i = 0; i < 20000; i++) {
		g_autofree char *name = draw_name(rand);
		g_autofree char *made = redact(law, name);

		assert_same(after, fold(name), fold(made));
		assert_same(before, fold(made), fold(name));
		g_assert_true(g_utf8_validate(made, -1, NULL));
	}
}

static char *itself(const char *name)
{
	return g_strdup(name);
}

static void test_folding(void)
{
	check_folding(LAW_NAME, itself);
	check_folding(LAW_NAME, pattern_key);
	check_folding(LAW_CGROUP, cgroup_skeleton);
}

/* Units are found in redacted paths. */
static void test_units(void)
{
	static const struct {
		const char *path, *unit;
	} cases[] = {
		{"/system.slice/nginx.service", "W"},
		{"/system.slice", "system.slice"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-firefox-4711.scope",
		 "W"},
		{"/system.slice/docker-" ID ".scope", "docker ########"},
		{"/docker/" ID, "docker ########"},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" SLICE_UID
		 ".slice/cri-containerd-" ID ".scope",
		 "pod ########"},
		{"/lxc.payload.web/init.scope", "lxc W"},
		{"/machine.slice/machine-vm.scope", "machine W"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *made = redact(LAW_CGROUP, cases[i].path);
		g_autofree char *unit = unit_of_cgroup(made);
		char *space = strchr(unit, ' ');

		if (strchr(cases[i].unit, '#'))
			for (char *p = space + 1; *p; p++)
				*p = g_ascii_isxdigit(*p) ? '#' : *p;
		g_autofree char *masked = mask(unit);
		g_assert_cmpstr(masked, ==, cases[i].unit);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/redact/laws", test_laws);
	g_test_add_func("/redact/words", test_words);
	g_test_add_func("/redact/hmac", test_hmac);
	g_test_add_func("/redact/no-two-are-one", test_no_two_are_one);
	g_test_add_func("/redact/limit", test_limit);
	g_test_add_func("/redact/folding", test_folding);
	g_test_add_func("/redact/units", test_units);
	return g_test_run();
}
