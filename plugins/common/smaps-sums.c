/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps-sums.h"

#include <stddef.h>
#include <string.h>

#include "text.h"

/* Whether the text is a key: a mapping's heading has blanks or a dash before its first colon. */
static bool is_key(struct text key)
{
	if (key.len == 0 || key.len > SMAPS_KEY_LEN_MAX)
		return false;
	for (size_t i = 0; i < key.len; i++)
		if (key.p[i] <= ' ' || key.p[i] >= 0x7f || key.p[i] == '-')
			return false;
	return true;
}

static bool has_no_sum(struct text key)
{
	static const char *const constants[] = {"KernelPageSize", "MMUPageSize", "THPeligible",
						"ProtectionKey"};

	for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
		if (text_equal(key, constants[i]))
			return true;
	return false;
}

static bool sum_is(const struct smaps_sum *sum, struct text key)
{
	return sum->key_len == key.len && memcmp(sum->key, key.p, key.len) == 0;
}

/* Returns the key's sum, which is added if new; NULL if there is no room. */
static struct smaps_sum *sum_of(struct smaps_sums *sums, struct text key)
{
	/* Every mapping lists the same keys in the same order. */
	for (uint32_t i = 0; i < sums->n; i++) {
		uint32_t at = (sums->hint + i) % sums->n;

		if (sum_is(&sums->sums[at], key)) {
			sums->hint = at + 1;
			return &sums->sums[at];
		}
	}
	if (sums->n == SMAPS_KEYS_MAX)
		return NULL;
	struct smaps_sum *sum = &sums->sums[sums->n++];
	memcpy(sum->key, key.p, key.len);
	sum->key_len = (uint8_t)key.len;
	sum->kib = 0;
	return sum;
}

static void line_add(struct smaps_sums *sums, struct text line)
{
	struct text key, rest, token;
	uint64_t kib;

	if (!text_split(line, ':', &key, &rest) || !is_key(key) ||
	    !text_take_token(&rest, &token) || !text_u64(token, &kib) ||
	    (sums->per_mapping && has_no_sum(key)))
		return;
	struct smaps_sum *sum = sum_of(sums, key);
	if (sum && __builtin_add_overflow(sum->kib, kib, &sum->kib))
		sum->kib = UINT64_MAX;
}

void smaps_sums_reset(struct smaps_sums *sums, bool per_mapping)
{
	/* Sums are initialised when their keys appear. */
	memset(sums, 0, offsetof(struct smaps_sums, sums));
	sums->per_mapping = per_mapping;
}

size_t smaps_sums_add(void *sums, const char *text, size_t len, bool last)
{
	const char *nl = len > 0 && !last ? memrchr(text, '\n', len) : NULL;
	size_t usable = last ? len : nl ? (size_t)(nl + 1 - text) : 0;
	struct text rest = {text, usable};
	struct text line;

	while (text_take_line(&rest, &line))
		line_add(sums, line);
	return usable;
}

const uint64_t *smaps_sums_find(const struct smaps_sums *sums, const char *key)
{
	struct text wanted = text_of(key);

	for (uint32_t i = 0; i < sums->n; i++)
		if (sum_is(&sums->sums[i], wanted))
			return &sums->sums[i].kib;
	return NULL;
}
