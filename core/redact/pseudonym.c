/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pseudonym.h"

#include <string.h>

#include "base/texts.h"

#define DIGEST_BYTES 32
/* 60 bits: among a million words, the chance of any collision is 1 in 2000000. */
#define WORD_LETTERS 15
#define COMM_LENGTH 15 /* TASK_COMM_LEN without its 0 */
/* No vowels, so no word of any language; no hexadecimal digits. */
#define LETTERS "GHJKLMNPQRSTVWXZ"
#define FINGERPRINT_DIGITS 8
/* Minimum digits of a hexadecimal number: shorter ones would collide. */
#define HEX_LEAST 14
#define HEX_MOST 64
/* The digits of a pod's uid before its first dash. */
#define POD_DIGITS 8
#define MAX_WORDS 65536

struct pseudonyms {
	GHmac *keyed;
	GHashTable *words; /* word -> pseudonym */
};

/* Prefixes of the hashed data, which keep its uses apart. */
enum domain { DOMAIN_WORD = 'w', DOMAIN_DIGITS = 'd', DOMAIN_KEY = 'k' };

Pseudonyms *pseudonyms_new(const guint8 *key, gsize size)
{
	Pseudonyms *self = g_new0(Pseudonyms, 1);

	self->keyed = g_hmac_new(G_CHECKSUM_SHA256, key, size);
	self->words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return self;
}

void pseudonyms_free(Pseudonyms *self)
{
	g_hmac_unref(self->keyed);
	g_hash_table_unref(self->words);
	g_free(self);
}

static void digest(const Pseudonyms *self, enum domain domain, const char *text, gsize len,
		   guint8 ret[DIGEST_BYTES])
{
	const guint8 head = (guint8)domain;
	gsize size = DIGEST_BYTES;
	GHmac *hmac = g_hmac_copy(self->keyed);

	g_hmac_update(hmac, &head, sizeof head);
	g_hmac_update(hmac, (const guchar *)text, (gssize)len);
	g_hmac_get_digest(hmac, ret, &size);
	g_hmac_unref(hmac);
}

static char *make_word(const Pseudonyms *self, const char *text, gsize len)
{
	guint8 bytes[DIGEST_BYTES];
	char *word = g_malloc0(WORD_LETTERS + 1);

	digest(self, DOMAIN_WORD, text, len, bytes);
	for (gsize i = 0; i < WORD_LETTERS; i++)
		word[i] = LETTERS[bytes[i] % (sizeof LETTERS - 1)];
	return word;
}

static void append_word(Pseudonyms *self, GString *out, const char *text, gsize len)
{
	g_autofree char *key = g_strndup(text, len);
	char *word = g_hash_table_lookup(self->words, key);

	if (!word) {
		if (g_hash_table_size(self->words) >= MAX_WORDS)
			g_hash_table_remove_all(self->words);
		word = make_word(self, text, len);
		g_hash_table_insert(self->words, g_steal_pointer(&key), word);
	}
	g_string_append(out, word);
}

char *pseudonyms_fingerprint(const Pseudonyms *self)
{
	guint8 bytes[DIGEST_BYTES];
	GString *out = g_string_new(NULL);

	digest(self, DOMAIN_KEY, "", 0, bytes);
	for (gsize i = 0; i < FINGERPRINT_DIGITS / 2; i++)
		g_string_append_printf(out, "%02x", bytes[i]);
	return g_string_free(out, FALSE);
}

/* ---- numbers that are names: ids, addresses --------------------------------------- */

static gboolean is_hex(char c)
{
	return g_ascii_isxdigit(c);
}

static gboolean is_of_address(char c)
{
	return g_ascii_isxdigit(c) || c == ':' || c == '.';
}

/* True for characters of words; all others are separators. */
static gboolean is_of_word(char c)
{
	return g_ascii_isalnum(c) || (guchar)c >= 0x80;
}

/* Replaces a group of digits: the same number of them (least at least, HEX_MOST at most) and
 * the same kind: decimal digits, letters or both. */
static void append_digits(const Pseudonyms *self, GString *out, const char *group, gsize len,
			  gsize least)
{
	gsize n_decimal = 0, n = CLAMP(len, least, HEX_MOST);
	gboolean is_upper = FALSE;
	guint8 bytes[DIGEST_BYTES];

	digest(self, DOMAIN_DIGITS, group, len, bytes);
	for (gsize i = 0; i < len; i++) {
		n_decimal += g_ascii_isdigit(group[i]) ? 1 : 0;
		is_upper |= g_ascii_isupper(group[i]);
	}
	for (gsize i = 0; i < n; i++) {
		guint byte = bytes[i % DIGEST_BYTES] >> (i < DIGEST_BYTES ? 0 : 4);
		gboolean is_decimal = n_decimal == len || (n_decimal > 0 && i == n - 1);
		gboolean is_letter = n_decimal == 0 || (n_decimal < len && i == 0);
		guint digit = is_decimal ? byte % 10 : is_letter ? 10 + byte % 6 : byte & 15;

		g_string_append_c(out, (is_upper ? "0123456789ABCDEF" : "0123456789abcdef")[digit]);
	}
}

/* Applies append_digits() to all groups of an id or address. */
static void append_groups(const Pseudonyms *self, GString *out, const char *text, gsize len,
			  gsize least)
{
	for (const char *p = text, *end = text + len; p < end;) {
		gsize group = texts_span(p, end, is_hex);

		if (group > 0)
			append_digits(self, out, p, group, least);
		else
			g_string_append_c(out, *p);
		p += MAX(group, 1);
	}
}

/* Returns the length of the uuid at p, divided by dashes or (in slices) underscores, or 0. */
static gsize uuid_length(const char *p, const char *end)
{
	static const guint8 groups[] = {8, 4, 4, 4, 12};
	const char *at = p;

	for (gsize i = 0; i < G_N_ELEMENTS(groups); i++) {
		if (texts_span(at, end, is_hex) != groups[i])
			return 0;
		at += groups[i];
		if (i + 1 == G_N_ELEMENTS(groups))
			break;
		if (at == end || (*at != '-' && *at != '_') || *at != p[groups[0]])
			return 0;
		at++;
	}
	return at < end && is_of_word(*at) ? 0 : (gsize)(at - p);
}

/* Returns the length of an address like "10.0.0.7" or "10-0-0-7" at p, or 0. */
static gsize ipv4_length(const char *p, const char *end)
{
	const char *at = p;
	char divider = 0;

	for (guint i = 0; i < 4; i++) {
		gsize digits = texts_span(at, end, texts_is_digit);

		if (digits < 1 || digits > 3)
			return 0;
		at += digits;
		if (i == 3)
			break;
		if (at == end || !strchr(".-_", *at) || (divider && *at != divider))
			return 0;
		divider = *at++;
	}
	return at < end && is_of_word(*at) ? 0 : (gsize)(at - p);
}

/* Returns the length of an address such as "fe80::1" or "52:54:00:12:34:56" at p, or 0. */
static gsize colons_length(const char *p, const char *end)
{
	gsize len = texts_span(p, end, is_of_address), colons = 0, digits = 0;
	gboolean is_short = FALSE;

	/* "fe80::1.service" ends before the word that follows. */
	if (p + len < end && is_of_word(p[len]))
		while (len > 0 && is_hex(p[len - 1]))
			len--;
	while (len > 0 && !is_hex(p[len - 1]))
		len--;
	for (gsize i = 0; i < len; i++) {
		colons += p[i] == ':' ? 1 : 0;
		digits += g_ascii_isdigit(p[i]) ? 1 : 0;
		is_short |= i > 0 && p[i] == ':' && p[i - 1] == ':';
	}
	return digits > 0 && (colons >= 4 || (colons >= 2 && is_short)) ? len : 0;
}

/* The result is not a valid address: its numbers are larger, to avoid collisions. */
static void append_ipv4(const Pseudonyms *self, GString *out, const char *text, gsize len)
{
	char divider = text[texts_span(text, text + len, texts_is_digit)];
	guint8 bytes[DIGEST_BYTES];

	digest(self, DOMAIN_DIGITS, text, len, bytes);
	g_string_append_c(out, '0');
	for (gsize i = 0; i < 3; i++)
		g_string_append_printf(
			out, "%c%u", divider,
			(guint)(bytes[3 * i] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i + 2]));
}

/* Appends the replacement of an id or address at p; returns its length, or 0 if not one. */
static gsize append_address(const Pseudonyms *self, GString *out, const char *p, const char *end)
{
	gsize len = uuid_length(p, end);

	if (len > 0) {
		append_groups(self, out, p, len, 0);
	} else if ((len = ipv4_length(p, end)) > 0) {
		append_ipv4(self, out, p, len);
	} else if ((len = colons_length(p, end)) > 0) {
		append_groups(self, out, p, len, HEX_LEAST);
	}
	return len;
}

/* ---- words ------------------------------------------------------------------------- */

/* Reports recognize ctprof by its name, to exclude its own cost. */
static const char *const of_names[] = {"ctprof", NULL};
/* Words in the names of kernel threads and work queues, except the names of devices, hosts
 * and networks. */
static const char *const of_kernel[] = {
	"ACPI",       "H",          "R",          "u",           "acpi",      "addrconf",
	"async",      "ata",        "backlog",    "bio",         "blkcg",     "btrfs",
	"bufio",      "cgroup",     "cifsd",      "cifsiod",     "cleaner",   "closure",
	"conversion", "cpuhp",      "crypt",      "dax",         "delete",    "devfreq",
	"dm",         "dma",        "edac",       "efficient",   "eh",        "endio",
	"events",     "exp",        "ext",        "frag",        "freezable", "gp",
	"handshake",  "highpri",    "hwrng",      "idle",        "inet",      "inject",
	"inodegc",    "io",         "ipv",        "irq",         "jbd",       "kacpid",
	"kauditd",    "kblockd",    "kcompactd",  "kcopyd",      "kcryptd",   "kdamond",
	"kdevtmpfs",  "khugepaged", "khungtaskd", "kintegrityd", "kmpath",    "ksmd",
	"ksoftirqd",  "kstrp",      "kswapd",     "kthread",     "kthreadd",  "kthrotld",
	"kvfree",     "kvm",        "kworker",    "lockd",       "lru",       "md",
	"memcg",      "migration",  "mld",        "mm",          "netns",     "nfsd",
	"nfsiod",     "notify",     "nvme",       "oom",         "par",       "percpu",
	"pm",         "poller",     "pool",       "power",       "preempt",   "psimon",
	"punt",       "quota",      "raid",       "rcu",         "rcub",      "rcuc",
	"rcuog",      "rcuop",      "rcuos",      "reaper",      "reclaim",   "release",
	"reset",      "rpciod",     "rsv",        "rude",        "scsi",      "slub",
	"sync",       "system",     "tasks",      "thermal",     "tmf",       "tpm",
	"trace",      "ttm",        "unbound",    "usb",         "virtio",    "vhost",
	"watchdog",   "watchdogd",  "wg",         "worker",      "workqueue", "wq",
	"writeback",  "xfs",        "xfsaild",    "xfsalloc",    "xprtiod",   "zswap",
	NULL,
};
/* Fixed words in cgroup paths: report/name/unit.c finds units by them. */
static const char *const of_cgroups[] = {
	"system",     "app",     "automount", "background", "besteffort", "burstable",  "conmon",
	"containerd", "cri",     "crio",      "device",     "docker",     "guaranteed", "init",
	"kubepods",   "libpod",  "lxc",       "machine",    "monitor",    "mount",      "nerdctl",
	"path",       "payload", "podman",    "scope",      "service",    "session",    "slice",
	"socket",     "swap",    "target",    "timer",      "user",       NULL,
};
/* The kernel's names for memory in maps and smaps. */
static const char *const of_paths[] = {
	"SYSV",  "anon",     "anonymous", "deleted", "dev",  "heap",    "hugepage",
	"memfd", "shm",      "shmem",     "stack",   "sysv", "uprobes", "vclock",
	"vdso",  "vsyscall", "vvar",      "zero",    NULL,
};

static gboolean is_listed(const char *const *list, const char *text, gsize len)
{
	for (; list && *list; list++)
		if (strlen(*list) == len && memcmp(*list, text, len) == 0)
			return TRUE;
	return FALSE;
}

static void append_unlisted(Pseudonyms *self, GString *out, const char *const *list,
			    const char *text, gsize len)
{
	if (is_listed(list, text, len))
		g_string_append_len(out, text, (gssize)len);
	else
		append_word(self, out, text, len);
}

/* Appends the text between two separators, classified as in pattern_append(). */
static void append_token(Pseudonyms *self, GString *out, const char *const *list, const char *text,
			 gsize len)
{
	const char *end = text + len;
	gsize digits = texts_span(text, end, texts_is_digit),
	      letters = texts_span(text, end, texts_is_letter);

	if (digits == len) {
		g_string_append_len(out, text, (gssize)len);
	} else if (len >= 2 && texts_span(text, end, texts_is_lower_hex) == len &&
		   texts_span(text, end, texts_is_letter) < len) {
		append_digits(self, out, text, len, HEX_LEAST);
	} else if (letters > 0 &&
		   texts_span(text + letters, end, texts_is_digit) == len - letters) {
		append_unlisted(self, out, list, text, letters);
		g_string_append_len(out, text + letters, (gssize)(len - letters));
	} else if (digits > 0 && texts_span(text + digits, end, texts_is_letter) == len - digits) {
		g_string_append_len(out, text, (gssize)digits);
		append_unlisted(self, out, list, text + digits, len - digits);
	} else {
		append_unlisted(self, out, list, text, len);
	}
}

/* Returns the length of "pod" where a uid follows ("pod3f2a…"), else 0. */
static gsize pod_length(const char *const *list, const char *p, const char *end)
{
	return list == of_cgroups && end - p > 3 && memcmp(p, "pod", 3) == 0 &&
			       texts_span(p + 3, end, is_hex) >= POD_DIGITS
		       ? 3
		       : 0;
}

/* True if text is the start of a listed kernel word: the kernel truncates most names. */
static gboolean is_cut_off(const char *const *list, const char *text, gsize len)
{
	for (guint i = 0; list == of_kernel && list[i]; i++)
		if (strncmp(list[i], text, len) == 0)
			return TRUE;
	return FALSE;
}

static void append_words(Pseudonyms *self, GString *out, const char *const *list, const char *text,
			 gsize len)
{
	for (const char *p = text, *end = text + len; p < end;) {
		gsize n = pod_length(list, p, end);

		if (n > 0 || !is_of_word(*p)) {
			g_string_append_len(out, p, (gssize)MAX(n, 1));
			p += MAX(n, 1);
			n = 0;
		} else if ((n = append_address(self, out, p, end)) == 0) {
			n = texts_span(p, end, is_of_word);
			if (len == COMM_LENGTH && p + n == end && is_cut_off(list, p, n))
				g_string_append_len(out, p, (gssize)n);
			else
				append_token(self, out, list, p, n);
		}
		p += n;
	}
}

/* A process can write anything into its arguments; the first word is assumed to be its program. */
static void append_command(Pseudonyms *self, GString *out, const char *text, gsize len)
{
	const char *blank = memchr(text, ' ', len);
	gsize program = blank ? (gsize)(blank - text) : len;

	append_words(self, out, NULL, text, program);
	if (!blank)
		return;
	g_string_append_c(out, ' ');
	append_word(self, out, blank + 1, len - program - 1);
}

void pseudonyms_append(Pseudonyms *self, GString *out, PseudonymLaw law, const char *text,
		       gsize len, gsize most)
{
	gsize before = out->len;

	if (law == LAW_KEEP || len == 0) {
		g_string_append_len(out, text, (gssize)len);
		return;
	}
	if (law == LAW_COMMAND)
		append_command(self, out, text, len);
	else if (law == LAW_OPAQUE)
		append_word(self, out, text, len);
	else
		append_words(self, out,
			     law == LAW_CGROUP   ? of_cgroups
			     : law == LAW_KERNEL ? of_kernel
			     : law == LAW_PATH   ? of_paths
						 : of_names,
			     text, len);
	if (out->len - before <= most)
		return;
	g_string_truncate(out, before);
	if (text[0] == '/')
		g_string_append_c(out, '/');
	append_word(self, out, text, len);
}
