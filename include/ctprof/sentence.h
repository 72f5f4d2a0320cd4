/* SPDX-License-Identifier: 0BSD */
/*
 * Sentences in words, as ctprof's own sinks write them: pieces that do not fit are left
 * out, long names are cut, numbers have three digits.  Since 1.6.
 */
#ifndef CTPROF_SENTENCE_H
#define CTPROF_SENTENCE_H

#include "numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns that a cut name takes, and to which a label is padded. */
#define CTPROF_WORDING_NAME 24
#define CTPROF_WORDING_LABEL 8
/* Size of a buffer for a time, with its NUL. */
#define CTPROF_WORDING_TIME 64

/* How a sentence is written. */
struct ctprof_wording {
	uint64_t width; /* columns available; 0: no limit, and no name is cut */
	/* Writes a time, in seconds since 1970, to ret_text as local time, with the name of
	 * the time zone if has_zone.  NULL: times are written in UTC. */
	void (*clock)(double seconds, int has_zone, char ret_text[CTPROF_WORDING_TIME]);
};

/* Text being written to a buffer; bytes that do not fit are only counted. */
struct ctprof_wording_text {
	char *text;
	size_t size, length; /* in bytes: of the buffer, and of the text */
	uint64_t columns;    /* width of the text if it is UTF-8; names may contain any bytes */
};

static inline void ctprof_wording_put(struct ctprof_wording_text *out, const char *from,
				      const char *to)
{
	for (; from < to; from++, out->length++) {
		if (out->length < out->size)
			out->text[out->length] = *from;
		out->columns += ((unsigned char)*from & 0xc0) != 0x80;
	}
}

static inline const char *ctprof_wording_end_of(const char *text)
{
	while (*text)
		text++;
	return text;
}

static inline void ctprof_wording_say(struct ctprof_wording_text *out, const char *text)
{
	ctprof_wording_put(out, text, ctprof_wording_end_of(text));
}

/* Returns the first byte at or after text that begins a UTF-8 character. */
static inline const char *ctprof_wording_character(const char *text)
{
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

static inline void ctprof_wording_name(struct ctprof_wording_text *out, const char *name,
				       int may_cut)
{
	struct ctprof_wording_text whole = {NULL, 0, 0, 0};
	const char *end = ctprof_wording_end_of(name);

	ctprof_wording_say(&whole, name);
	if (!may_cut || whole.columns <= CTPROF_WORDING_NAME) {
		ctprof_wording_put(out, name, end);
		return;
	}
	ctprof_wording_put(out, name, ctprof_wording_character(name + CTPROF_WORDING_NAME / 2));
	ctprof_wording_say(out, "\xe2\x80\xa6");
	ctprof_wording_put(out, ctprof_wording_character(end - CTPROF_WORDING_NAME / 2 + 1), end);
}

/* Writes a number with 0, 1 or 2 decimals; "-" if its digits do not fit. */
static inline void ctprof_wording_number(struct ctprof_wording_text *out, double number,
					 int decimals)
{
	double magnitude = (number < 0 ? -number : number) * (decimals == 0   ? 1
							      : decimals == 1 ? 10
									      : 100);
	char text[CTPROF_SHORT_ROOM] = "-";

	if (magnitude < 1e18) {
		uint64_t digits = (uint64_t)magnitude;
		double rest = magnitude - (double)digits;

		digits += rest > 0.5 || (!(rest < 0.5) && digits % 2 == 1);
		ctprof_short_write(text, number < 0 && digits > 0, digits, decimals, "");
	}
	ctprof_wording_say(out, text);
}

static inline void ctprof_wording_time(struct ctprof_wording_text *out,
				       const struct ctprof_wording *how,
				       const struct ctprof_term *term)
{
	uint64_t of_day = (uint64_t)term->number % 86400;
	unsigned int parts[] = {(unsigned int)(of_day / 3600), (unsigned int)(of_day / 60 % 60),
				(unsigned int)(of_day % 60)};
	int has_zone = term->form == CTPROF_TERM_TIME_ZONE;
	char text[CTPROF_WORDING_TIME] = "00:00:00";

	for (unsigned int i = 0; i < 3; i++) {
		text[3 * i] = (char)('0' + parts[i] / 10);
		text[3 * i + 1] = (char)('0' + parts[i] % 10);
	}
	if (how->clock)
		how->clock(term->number, has_zone, text);
	ctprof_wording_say(out, text);
	ctprof_wording_say(out, has_zone && !how->clock ? " UTC" : "");
}

static inline void ctprof_wording_term(struct ctprof_wording_text *out,
				       const struct ctprof_wording *how,
				       const struct ctprof_term *term)
{
	uint64_t from = out->columns;
	char text[CTPROF_SHORT_ROOM];

	switch (term->form) {
	case CTPROF_TERM_TEXT:
	case CTPROF_TERM_LABEL:
	case CTPROF_TERM_NAME:
		ctprof_wording_name(out, term->text,
				    how->width > 0 && term->form == CTPROF_TERM_NAME);
		break;
	case CTPROF_TERM_TIME:
	case CTPROF_TERM_TIME_ZONE:
		ctprof_wording_time(out, how, term);
		break;
	case CTPROF_TERM_PADDED:
		ctprof_wording_say(out, term->number < 99.5 ? " " : "");
		ctprof_wording_say(out, term->number < 9.5 ? " " : "");
		ctprof_wording_number(out, term->number, 0);
		break;
	case CTPROF_TERM_WHOLE:
		ctprof_wording_number(out, term->number, 0);
		break;
	case CTPROF_TERM_GIB:
		ctprof_wording_number(out, term->number / 1073741824.0, 1);
		break;
	case CTPROF_TERM_HUNDREDTHS:
		ctprof_wording_number(out, term->number, 2);
		break;
	default:
		ctprof_number_short(term->ladder, term->number, text);
		ctprof_wording_say(out, text);
	}
	while (term->form == CTPROF_TERM_LABEL && out->columns < from + CTPROF_WORDING_LABEL)
		ctprof_wording_say(out, " ");
}

/* Returns element i of an array whose structs may be larger than those of this header. */
static inline const void *ctprof_wording_element(const void *first, uint64_t i)
{
	return (const char *)first + i * *(const uint32_t *)first;
}

static inline void ctprof_wording_piece(struct ctprof_wording_text *out,
					const struct ctprof_wording *how,
					const struct ctprof_piece *piece)
{
	const char *words = piece->words, *from = words;
	uint64_t n = 0;

	if (piece->flags & CTPROF_PIECE_APART && out->length > 0)
		ctprof_wording_say(out, "   ");
	for (; *words; words++) {
		if (words[0] != '{' || words[1] != '}')
			continue;
		ctprof_wording_put(out, from, words);
		if (n < piece->n_terms)
			ctprof_wording_term(out, how,
					    (const struct ctprof_term *)ctprof_wording_element(
						    piece->terms, n++));
		from = words + 2;
		words++;
	}
	ctprof_wording_put(out, from, words);
}

/* Writes a list, the pieces first to last: its first n entries, an ellipsis if there are
 * more, and the piece that ends the list. */
static inline void ctprof_wording_list(struct ctprof_wording_text *out,
				       const struct ctprof_wording *how,
				       const struct ctprof_sentence *sentence, uint64_t first,
				       uint64_t last, uint64_t n)
{
	for (uint64_t i = first; i <= last && i < sentence->n_pieces; i++) {
		if (i == first + n && i < last)
			ctprof_wording_say(out, ", \xe2\x80\xa6");
		if (i < first + n || i == last)
			ctprof_wording_piece(out, how,
					     (const struct ctprof_piece *)ctprof_wording_element(
						     sentence->pieces, i));
	}
}

static inline uint64_t ctprof_wording_end(const struct ctprof_sentence *sentence, uint64_t first)
{
	while (first < sentence->n_pieces &&
	       ((const struct ctprof_piece *)ctprof_wording_element(sentence->pieces, first))
			       ->flags &
		       CTPROF_PIECE_ENTRY)
		first++;
	return first;
}

/*
 * Writes the sentence to text, as snprintf() does: at most size bytes with the NUL.
 * Returns the length of the whole sentence in bytes, without the NUL.  Names are not
 * escaped: the caller must escape the text.
 */
static inline size_t ctprof_sentence_write(const struct ctprof_sentence *sentence,
					   const struct ctprof_wording *how, char *text,
					   size_t size)
{
	struct ctprof_wording_text out = {text, size, 0, 0};
	uint64_t first = 0;

	while (first < sentence->n_pieces) {
		const struct ctprof_wording_text before = out;
		uint64_t last = ctprof_wording_end(sentence, first), n = last - first + 1;

		do {
			out = before;
			ctprof_wording_list(&out, how, sentence, first, last, --n);
		} while (n > 0 && how->width > 0 && out.columns > how->width);
		/* The first piece is written even if it is too wide. */
		if (first > 0 && how->width > 0 && out.columns > how->width) {
			out = before;
			break;
		}
		first = last + 1;
	}
	if (size > 0)
		text[out.length < size ? out.length : size - 1] = '\0';
	return out.length;
}

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_SENTENCE_H */
