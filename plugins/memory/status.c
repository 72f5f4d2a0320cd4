/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "status.h"

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
		ret->at[i] = (struct slots_value){.why = why};
}

static void line_parse(struct text line, struct status *ret)
{
	struct text key, rest, token;

	if (!text_split(line, ':', &key, &rest) || !text_take_token(&rest, &token))
		return;
	for (unsigned i = 0; i < N_STATUS; i++) {
		struct slots_value *value = &ret->at[i];

		/* The first line with a key is the kernel's; ignore later ones. */
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
