/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "status.h"

#include <string.h>

/* PF_KTHREAD of include/linux/sched.h. */
#define FLAG_KTHREAD 0x00200000u
/* Columns behind the name, from 0. */
#define STAT_STATE 0u
#define STAT_FLAGS 6u
#define STAT_START 19u

typedef bool take_fn(struct text token, uint64_t *ret);

static bool take_letter(struct text token, uint64_t *ret)
{
	unsigned char letter = (unsigned char)token.p[0];

	*ret = letter;
	return letter > ' ' && letter < 0x7f;
}

static bool take_kib(struct text token, uint64_t *ret)
{
	uint64_t kib;

	return text_u64(token, &kib) && !__builtin_mul_overflow(kib, 1024u, ret);
}

static const struct {
	const char *key;
	take_fn *take;
} lines[N_STATUS] = {
	[STATUS_STATE] = {"State", take_letter},
	[STATUS_PPID] = {"PPid", text_u64},
	[STATUS_UID] = {"Uid", text_u64},
	[STATUS_THREADS] = {"Threads", text_u64},
	[STATUS_VM_HWM] = {"VmHWM", take_kib},
	[STATUS_VM_RSS] = {"VmRSS", take_kib},
	[STATUS_RSS_ANON] = {"RssAnon", take_kib},
	[STATUS_RSS_FILE] = {"RssFile", take_kib},
	[STATUS_RSS_SHMEM] = {"RssShmem", take_kib},
	[STATUS_VM_SWAP] = {"VmSwap", take_kib},
};

void status_set_absent(struct status *ret, uint32_t why)
{
	for (unsigned i = 0; i < N_STATUS; i++)
		ret->at[i] = (struct status_value){.why = why};
}

static void line_parse(struct text line, struct status *ret)
{
	struct text key, rest, token;

	if (!text_split(line, ':', &key, &rest) || !text_take_token(&rest, &token))
		return;
	for (unsigned i = 0; i < N_STATUS; i++) {
		struct status_value *value = &ret->at[i];

		/* The first line of a key is the kernel's. */
		if (value->why != CTPROF_ABSENT_UNSUPPORTED || !text_equal(key, lines[i].key))
			continue;
		value->why = lines[i].take(token, &value->number) ? CTPROF_PRESENT
								  : CTPROF_ABSENT_INVALID;
		return;
	}
}

void status_parse(struct text text, struct status *ret)
{
	struct text line;

	status_set_absent(ret, CTPROF_ABSENT_UNSUPPORTED);
	while (text_take_line(&text, &line))
		line_parse(line, ret);
}

bool status_has_mm(const struct status *status)
{
	return status->at[STATUS_VM_RSS].why != CTPROF_ABSENT_UNSUPPORTED;
}

/* Between the first '(' and the last ')': a name may hold both. */
static bool take_name(struct text *rest, struct stat_line *ret)
{
	const char *begin = rest->len > 0 ? memchr(rest->p, '(', rest->len) : NULL;
	const char *end = rest->len > 0 ? memrchr(rest->p, ')', rest->len) : NULL;

	if (!begin || !end || end < begin)
		return false;
	size_t len = (size_t)(end - begin - 1);
	ret->name_len = (uint8_t)(len < sizeof ret->name ? len : sizeof ret->name);
	memcpy(ret->name, begin + 1, ret->name_len);
	rest->len -= (size_t)(end + 1 - rest->p);
	rest->p = end + 1;
	return true;
}

bool stat_line_parse(struct text text, struct stat_line *ret)
{
	struct stat_line found = {0};
	struct text token;
	uint64_t flags = 0;

	if (!take_name(&text, &found))
		return false;
	for (unsigned column = 0; text_take_token(&text, &token); column++) {
		if (column == STAT_STATE)
			found.state = token.p[0];
		if (column == STAT_FLAGS && !text_u64(token, &flags))
			return false;
		if (column != STAT_START)
			continue;
		if (!text_u64(token, &found.start_ticks))
			return false;
		found.kernel_thread = (flags & FLAG_KTHREAD) != 0;
		*ret = found;
		return true;
	}
	return false;
}
