/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "psi-parse.h"

#include "ctprof/plugin.h"
#include "text.h"

#define FIELDS_PER_LINE (PSI_VALUES / 2)

/* The snapshot's averages are 16 bits wide. */
#define MAX_CENTIPERCENT 65535u

/* Parses "12.34" as 1234.  psi_show() always prints two decimals; fewer or more are accepted as
 * well, and the third and later are cut off. */
static bool parse_centipercent(struct text number, uint64_t *ret)
{
	struct text whole = number, fraction = {number.p, 0};
	uint64_t integer, centi = 0;

	text_split(number, '.', &whole, &fraction);
	if (fraction.len > 2)
		fraction.len = 2;
	if (!text_u64(whole, &integer) || integer > UINT32_MAX)
		return false;
	if (fraction.len > 0 && (fraction.p[0] == '+' || !text_u64(fraction, &centi)))
		return false;
	centi = integer * 100 + (fraction.len == 1 ? centi * 10 : centi);
	*ret = centi < MAX_CENTIPERCENT ? centi : MAX_CENTIPERCENT;
	return true;
}

static const struct field {
	const char *key;
	bool (*parse)(struct text value, uint64_t *ret);
} fields[FIELDS_PER_LINE] = {
	{"avg10", parse_centipercent},
	{"avg60", parse_centipercent},
	{"avg300", parse_centipercent},
	{"total", text_u64},
};

static void parse_field(struct text token, struct slots_value *values)
{
	struct text key, number;

	if (!text_split(token, '=', &key, &number))
		return;
	for (size_t i = 0; i < FIELDS_PER_LINE; i++)
		if (text_equal(key, fields[i].key))
			values[i].why = fields[i].parse(number, &values[i].number)
						? CTPROF_PRESENT
						: CTPROF_ABSENT_INVALID;
}

/* Returns the index of the line's first value, or -1 for a line of another class. */
static int first_value(struct text class)
{
	if (text_equal(class, "some"))
		return 0;
	return text_equal(class, "full") ? FIELDS_PER_LINE : -1;
}

void psi_parse_pressure(const char *text, size_t len, struct slots_value ret[PSI_VALUES])
{
	struct text rest = {text, len};
	struct text line, token;
	bool known = false;

	for (size_t i = 0; i < PSI_VALUES; i++)
		ret[i] = (struct slots_value){.why = CTPROF_ABSENT_UNSUPPORTED};
	while (text_take_line(&rest, &line)) {
		int first = text_take_token(&line, &token) ? first_value(token) : -1;

		if (first < 0)
			continue;
		known = true;
		while (text_take_token(&line, &token))
			parse_field(token, &ret[first]);
	}
	for (size_t i = 0; i < PSI_VALUES && !known; i++)
		ret[i].why = CTPROF_ABSENT_INVALID;
}
