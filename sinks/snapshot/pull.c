/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pull.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unescape.h"
#include "utf8.h"

/* Small enough that unpacked text is still in the nearest caches. */
#define FIRST_SIZE (32 * 1024)
/* A window with less free space than this grows before it is filled. */
#define LEAST_ROOM 4096
#define FOUND_MAX 40
/* A code point written as two escapes. */
#define ESCAPE_MAX 12

/* The window now holds n bytes. */
static void pull_set_end(struct pull *pull, size_t n)
{
	pull->end = pull->buffer + n;
	memset(pull->buffer + n, '\0', PULL_NULS);
}

int pull_init(struct pull *pull)
{
	pull->size = FIRST_SIZE;
	pull->buffer = malloc(pull->size + PULL_NULS);
	if (!pull->buffer || json_init(&pull->unescaped, JSON_ROOM) < 0) {
		pull_free(pull);
		return -ENOMEM;
	}
	pull_rewind(pull);
	return 0;
}

void pull_free(struct pull *pull)
{
	free(pull->buffer);
	json_free(&pull->unescaped);
	pull->buffer = NULL;
}

void pull_rewind(struct pull *pull)
{
	pull->p = pull->buffer;
	pull_set_end(pull, 0);
	pull->base = 0;
	pull->ended = false;
	pull->error = 0;
	pull->depth = 0;
}

void pull_stop(struct pull *pull, int error)
{
	if (!pull->error)
		pull->error = error;
	/* The window is now empty and stays empty. */
	pull->ended = true;
	pull->p = pull->buffer;
	pull_set_end(pull, 0);
}

static void pull_report(struct pull *pull, uint64_t offset, const char *sentence)
{
	if (!pull->error)
		pull->fault(pull->context, offset, sentence);
	pull_stop(pull, -EBADMSG);
}

static uint64_t pull_offset(const struct pull *pull, const char *at)
{
	return pull->base + (uint64_t)(at - pull->buffer);
}

/* Reports "expected EXPECTED in WHERE, found FOUND". */
static void pull_report_found(struct pull *pull, const char *at, const char *expected,
			      const char *found)
{
	char sentence[256];

	(void)snprintf(sentence, sizeof sentence, "expected %s in %s, found %s", expected,
		       pull->where, found);
	pull_report(pull, pull_offset(pull, at), sentence);
}

void pull_fail(struct pull *pull, const char *expected)
{
	unsigned char c = (unsigned char)*pull->p;
	char found[16];

	if (pull->p == pull->end)
		(void)snprintf(found, sizeof found, "end of data");
	else if (c > ' ' && c < 0x7f)
		(void)snprintf(found, sizeof found, "'%c'", c);
	else
		(void)snprintf(found, sizeof found, "byte 0x%02x", c);
	pull_report_found(pull, pull->p, expected, found);
}

/* The raw text, unlike its decoded meaning, may contain anything. */
void pull_fail_at(struct pull *pull, const char *at, const char *expected, struct text found)
{
	char shown[FOUND_MAX + 4];
	size_t n = found.len < FOUND_MAX ? found.len : FOUND_MAX;

	for (size_t i = 0; i < n; i++)
		shown[i] = '?';
	for (size_t i = 0; i < n; i++)
		if (found.p[i] >= ' ' && found.p[i] < 0x7f)
			shown[i] = found.p[i];
	memcpy(shown + n, n < found.len ? "..." : "", n < found.len ? 4 : 1);
	pull_report_found(pull, at, expected, n > 0 ? shown : "nothing");
}

void pull_fail_twice(struct pull *pull, struct text key)
{
	char found[FOUND_MAX];
	int n = snprintf(found, sizeof found, "a second %.*s", (int)(key.len & 0xff), key.p);

	pull_fail_at(pull, pull->p, "each key once", (struct text){found, (size_t)n});
}

void pull_fail_limit(struct pull *pull, uint64_t most, const char *what)
{
	char sentence[256];

	(void)snprintf(sentence, sizeof sentence,
		       "expected at most %" PRIu64 " %s in %s, found more", most, what,
		       pull->where);
	pull_report(pull, pull_offset(pull, pull->p), sentence);
}

/* A full window grows: callers limit what they keep in it. */
static bool pull_make_room(struct pull *pull, size_t kept)
{
	if (pull->size - kept >= LEAST_ROOM)
		return true;
	char *buffer = realloc(pull->buffer, pull->size * 2 + PULL_NULS);
	if (!buffer)
		return false;
	pull->buffer = buffer;
	pull->size *= 2;
	return true;
}

/* Reads more of the text; the part from *keep, at or before the next byte,
 * stays in the window and may move with it.  False at the end. */
static bool pull_take(struct pull *pull, const char **keep)
{
	size_t kept = (size_t)(pull->end - *keep);
	size_t at = (size_t)(pull->p - *keep);
	int64_t n = -ENOMEM;

	if (pull->ended)
		return false;
	pull->base += (uint64_t)(*keep - pull->buffer);
	memmove(pull->buffer, *keep, kept);
	if (pull_make_room(pull, kept))
		n = pull->fill(pull->context, pull->buffer + kept, pull->size - kept);
	*keep = pull->buffer;
	if (n < 0) {
		pull_stop(pull, (int)n);
		return false;
	}
	pull->ended = n == 0;
	pull->p = pull->buffer + at;
	pull_set_end(pull, kept + (size_t)n);
	return n > 0;
}

/* Reads more, keeping all unread text, until at least n bytes are there; false at the end. */
static bool pull_need(struct pull *pull, size_t n)
{
	const char *keep = pull->p;

	while ((size_t)(pull->end - pull->p) < n)
		if (!pull_take(pull, &keep))
			return false;
	return true;
}

char pull_peek_far(struct pull *pull)
{
	for (;;) {
		char c = *pull->p;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			pull->p++;
		else if (pull->p < pull->end || !pull_need(pull, 1))
			return *pull->p;
	}
}

void pull_open(struct pull *pull, char open, struct pull_list *ret_list)
{
	*ret_list = (struct pull_list){.close = open == '{' ? '}' : ']'};
	if (pull_peek(pull) != open)
		pull_fail(pull, open == '{' ? "'{'" : "'['");
	else if (pull->depth >= pull->max_depth)
		pull_fail_limit(pull, pull->max_depth, "levels of nesting");
	else
		pull->p++;
	pull->depth++;
}

bool pull_more_far(struct pull *pull, struct pull_list *list)
{
	char c = pull_peek(pull);

	if (c == list->close && !pull->error) {
		pull->p++;
		pull->depth--;
		return false;
	}
	if (!list->begun) {
		list->begun = true;
		return !pull->error;
	}
	if (c == ',')
		pull->p++;
	else
		pull_fail(pull, list->close == '}' ? "',' or '}'" : "',' or ']'");
	return !pull->error;
}

/* Bytes inside a string that need no further check. */
static const bool plain[256] = {[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... 0x7f] = true};

/* Whether the eight bytes at p are all plain; may be false for 0x7f and for plain bytes next to
 * special ones. */
static bool pull_is_plain(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t word, quotes, slashes;

	memcpy(&word, p, sizeof word);
	quotes = word ^ ones * '"';
	slashes = word ^ ones * '\\';
	/* Subtracting from a smaller byte borrows into its top bit. */
	return ((word | (word - ones * ' ') | (quotes - ones) | (slashes - ones)) & tops) == 0;
}

/* Skips one byte or sequence that is not plain, except the closing quote. */
static void pull_pass_odd(struct pull *pull, const char **start, bool *escaped)
{
	bool valid = true;

	if ((size_t)(pull->p - *start) - 1 > pull->max_string) {
		pull_fail_limit(pull, pull->max_string, "bytes of a string");
		return;
	}
	while (pull->end - pull->p < 4 && pull_take(pull, start))
		;
	unsigned char c = (unsigned char)*pull->p;
	size_t left = (size_t)(pull->end - pull->p);
	if (left == 0 || (c == '\\' && left == 1)) {
		pull->p = pull->end;
		pull_fail(pull, "'\"'");
	} else if (c == '\\') {
		*escaped = true;
		pull->p += 2;
	} else if (c < ' ') {
		pull_fail(pull, "no control byte");
	} else if (c >= 0x80) {
		size_t n = utf8_measure((const uint8_t *)pull->p, left, &valid);

		if (valid)
			pull->p += n;
		else
			pull_fail(pull, "UTF-8");
	}
}

/* Reads a string between its quotes, without decoding it. */
static bool pull_raw_string(struct pull *pull, const char *expected, struct text *ret_raw,
			    bool *ret_escaped)
{
	bool escaped = false;

	if (pull_peek(pull) != '"') {
		pull_fail(pull, expected);
		return false;
	}
	const char *start = pull->p++;
	for (;;) {
		while (pull_is_plain(pull->p))
			pull->p += sizeof(uint64_t);
		while (plain[(unsigned char)*pull->p])
			pull->p++;
		if (*pull->p == '"')
			break;
		pull_pass_odd(pull, &start, &escaped);
		if (pull->error)
			return false;
	}
	struct text raw = {start + 1, (size_t)(pull->p - start) - 1};
	if (raw.len > pull->max_string) {
		pull_fail_limit(pull, pull->max_string, "bytes of a string");
		return false;
	}
	pull->p++;
	*ret_raw = raw;
	*ret_escaped = escaped;
	return true;
}

static bool pull_unescape(struct pull *pull, struct text raw, struct text *ret_text)
{
	struct json *out = &pull->unescaped;

	out->used = 0;
	size_t good = unescape(raw, out);
	if (out->error) {
		pull_stop(pull, out->error);
	} else if (good < raw.len) {
		size_t left = raw.len - good;
		struct text rest = {raw.p + good, left < ESCAPE_MAX ? left : ESCAPE_MAX};

		pull_fail_at(pull, rest.p, "an escape of JSON", rest);
	}
	*ret_text = (struct text){out->data, out->used};
	return !pull->error;
}

static bool pull_any_string(struct pull *pull, const char *expected, struct text *ret_text)
{
	struct text raw;
	bool escaped;

	if (!pull_raw_string(pull, expected, &raw, &escaped))
		return false;
	if (escaped)
		return pull_unescape(pull, raw, ret_text);
	*ret_text = raw;
	return true;
}

bool pull_string(struct pull *pull, struct text *ret_text)
{
	return pull_any_string(pull, "a string", ret_text);
}

/* Copies text from the window. */
static bool pull_keep(struct pull *pull, struct text *text)
{
	struct json *own = &pull->unescaped;

	if (text->p == own->data)
		return true;
	own->used = 0;
	json_raw(own, text->p, text->len);
	if (own->error)
		pull_stop(pull, own->error);
	text->p = own->data;
	return !pull->error;
}

static bool pull_colon(struct pull *pull)
{
	if (pull_peek(pull) != ':') {
		pull_fail(pull, "':'");
		return false;
	}
	pull->p++;
	return true;
}

bool pull_key(struct pull *pull, struct text *ret_key)
{
	struct text key;

	if (!pull_any_string(pull, "a key", &key))
		return false;
	/* The window may move during the search for the colon. */
	if (*pull->p != ':' && !pull_keep(pull, &key))
		return false;
	*ret_key = key;
	return pull_colon(pull);
}

static bool pull_word(struct pull *pull, const char *word)
{
	size_t len = strlen(word);

	(void)pull_peek(pull);
	(void)pull_need(pull, len);
	if ((size_t)(pull->end - pull->p) < len || memcmp(pull->p, word, len) != 0)
		return false;
	pull->p += len;
	return true;
}

bool pull_bool(struct pull *pull, bool *ret_value)
{
	bool value = pull_word(pull, "true");

	if (!value && !pull_word(pull, "false")) {
		pull_fail(pull, "true or false");
		return false;
	}
	*ret_value = value;
	return true;
}

bool pull_null(struct pull *pull)
{
	return pull_peek(pull) == 'n' && pull_word(pull, "null");
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* RFC 8259, section 6.  An integer has neither fraction nor exponent. */
static bool is_number(struct text text, bool *ret_integer)
{
	const char *end = text.p + text.len;
	const char *first = text.len > 0 && text.p[0] == '-' ? text.p + 1 : text.p;
	const char *p = skip_digits(first, end);
	bool integer = p == end;

	if (p == first || (*first == '0' && p - first > 1))
		return false;
	if (p < end && *p == '.') {
		first = ++p;
		p = skip_digits(p, end);
		if (p == first)
			return false;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p += p + 1 < end && (p[1] == '+' || p[1] == '-') ? 2 : 1;
		first = p;
		p = skip_digits(p, end);
		if (p == first)
			return false;
	}
	*ret_integer = integer;
	return p == end;
}

/* Reads the characters of a number. */
static bool pull_raw_number(struct pull *pull, const char *expected, struct text *ret_raw,
			    bool *ret_integer)
{
	char c = pull_peek(pull);
	const char *start = pull->p;

	if (c != '-' && !is_digit(c)) {
		pull_fail(pull, expected);
		return false;
	}
	do {
		while (is_digit(*pull->p) || (*pull->p && strchr("+-.eE", *pull->p)))
			pull->p++;
	} while (pull->p == pull->end && (size_t)(pull->p - start) <= pull->max_string &&
		 pull_take(pull, &start));
	struct text raw = {start, (size_t)(pull->p - start)};
	if (!pull->error && !is_number(raw, ret_integer))
		pull_fail_at(pull, start, "a number", raw);
	*ret_raw = raw;
	return !pull->error;
}

bool pull_integer_far(struct pull *pull, int64_t min, uint64_t max, const char *expected,
		      uint64_t *ret_bits)
{
	struct text raw;
	bool integer, fits;
	uint64_t value = 0;

	if (!pull_raw_number(pull, expected, &raw, &integer))
		return false;
	bool negative = raw.p[0] == '-';
	struct text digits = {raw.p + negative, raw.len - negative};
	/* 0 - (uint64_t)min is the largest magnitude of a negative number; "-0" is rejected, as it
	 * is a float to other readers. */
	fits = integer && text_u64(digits, &value) &&
	       (negative ? value > 0 && value <= 0 - (uint64_t)min : value <= max);
	if (!fits) {
		pull_fail_at(pull, raw.p, expected, raw);
		return false;
	}
	*ret_bits = negative ? 0 - value : value;
	return true;
}

static void pull_skip_string(struct pull *pull, const char *expected)
{
	struct text raw;
	bool escaped;

	if (pull_raw_string(pull, expected, &raw, &escaped) && escaped)
		(void)pull_unescape(pull, raw, &raw);
}

/* Skips a list, up to the nesting limit of the text. */
static void pull_skip_list(struct pull *pull, char open)
{
	struct pull_list list;

	pull_open(pull, open, &list);
	while (pull_more(pull, &list)) {
		if (open == '{') {
			pull_skip_string(pull, "a key");
			(void)pull_colon(pull);
		}
		pull_skip(pull);
	}
}

static void pull_skip_word(struct pull *pull, const char *word)
{
	if (!pull_word(pull, word))
		pull_fail(pull, word);
}

void pull_skip_far(struct pull *pull)
{
	char c = pull_peek(pull);
	struct text raw;
	bool integer;

	if (c == '{' || c == '[')
		pull_skip_list(pull, c);
	else if (c == '"')
		pull_skip_string(pull, "a string");
	else if (c == 't' || c == 'f' || c == 'n')
		pull_skip_word(pull, c == 't' ? "true" : c == 'f' ? "false" : "null");
	else
		(void)pull_raw_number(pull, "a value", &raw, &integer);
}

bool pull_scalar(struct pull *pull, struct text *ret_text)
{
	char c = pull_peek(pull);
	bool integer, value;

	if (c == '"')
		return pull_string(pull, ret_text);
	if (c == '-' || is_digit(c))
		return pull_raw_number(pull, "a value", ret_text, &integer);
	if ((c != 't' && c != 'f') || !pull_bool(pull, &value)) {
		pull_skip(pull);
		return false;
	}
	*ret_text = value ? (struct text){"true", 4} : (struct text){"false", 5};
	return true;
}

void pull_finish(struct pull *pull)
{
	if (pull_peek(pull) != '\0' || pull->p < pull->end)
		pull_fail(pull, "nothing more");
}
