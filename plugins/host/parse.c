/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parse.h"

#include <string.h>

bool host_parse_colon(const char *text, size_t len, const char *key, bool first_block,
		      struct text *ret_value)
{
	struct text rest = {text, len};
	struct text line, name, value;

	while (text_take_line(&rest, &line)) {
		if (first_block && text_trim(line).len == 0)
			return false;
		if (!text_split(line, ':', &name, &value) || value.len == 0 ||
		    !text_equal(name, key))
			continue;
		*ret_value = value;
		return true;
	}
	return false;
}

bool host_parse_amount(struct text value, const char *unit, uint64_t *ret)
{
	struct text number, word, more;
	uint64_t amount;

	if (!text_take_token(&value, &number) || !text_u64(number, &amount))
		return false;
	bool named = text_take_token(&value, &word);
	if (named != (unit != NULL) || (named && !text_equal(word, unit)) ||
	    text_take_token(&value, &more))
		return false;
	*ret = amount;
	return true;
}

bool host_parse_word(const char *text, size_t len, size_t n, struct text *ret_word)
{
	struct text rest = {text, len};
	struct text word;

	for (size_t i = 0; i <= n; i++)
		if (!text_take_token(&rest, &word))
			return false;
	*ret_word = word;
	return true;
}

bool host_parse_is_since(struct text release, uint64_t major, uint64_t minor)
{
	uint64_t own_major, own_minor;

	if (!text_take_u64(&release, &own_major) || !text_starts(release, "."))
		return false;
	release = (struct text){release.p + 1, release.len - 1};
	return text_take_u64(&release, &own_minor) &&
	       (own_major > major || (own_major == major && own_minor >= minor));
}

/* Whether text is the concatenation of before, option and after. */
static bool is_joined(struct text text, const char *before, const char *option, const char *after)
{
	size_t head = strlen(before), tail = strlen(after);

	if (!text_starts(text, before) || text.len < head + tail)
		return false;
	struct text middle = {text.p + head, text.len - head - tail};
	return text_equal(middle, option) && memcmp(middle.p + middle.len, after, tail) == 0;
}

const char *host_parse_config(const char *text, size_t len, const char *option)
{
	struct text rest = {text, len};
	struct text line;

	while (text_take_line(&rest, &line)) {
		line = text_trim(line);
		if (is_joined(line, "", option, "=y"))
			return "on";
		if (is_joined(line, "# ", option, " is not set"))
			return "off";
	}
	return "unknown";
}
