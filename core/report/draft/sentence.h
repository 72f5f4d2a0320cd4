/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sentences as data, while they are made: pieces of text with numbers and names in them. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

typedef struct sentence Sentence;

/* role: enum ctprof_sentence_role. */
Sentence *sentence_new(guint32 role);
void sentence_free(Sentence *sentence);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sentence, sentence_free)

/* Adds a piece; words and the texts of terms must outlive the sentence. */
void sentence_add(Sentence *sentence, guint32 flags, const char *words,
		  const struct ctprof_term *terms, guint n);
/* Add a piece with the terms, made by the functions below, as further arguments. */
#define SAY_AS(sentence, flags, words, ...)                                                        \
	sentence_add(sentence, flags, words, (const struct ctprof_term[]){__VA_ARGS__},            \
		     sizeof((const struct ctprof_term[]){__VA_ARGS__}) /                           \
			     sizeof(struct ctprof_term))
#define SAY(sentence, words, ...) SAY_AS(sentence, 0, words, __VA_ARGS__)
#define SAY_APART(sentence, words, ...) SAY_AS(sentence, CTPROF_PIECE_APART, words, __VA_ARGS__)
#define TELL(sentence, words) sentence_add(sentence, 0, words, NULL, 0)
/* Nothing may be added afterwards. */
const struct ctprof_sentence *sentence_data(Sentence *sentence);
/* Returns the whole sentence as text, with times in UTC; the sentence owns it. */
const char *sentence_text(Sentence *sentence);

static inline struct ctprof_term term_text(guint32 form, const char *text)
{
	return (struct ctprof_term){
		.struct_size = sizeof(struct ctprof_term), .form = form, .text = text};
}

static inline struct ctprof_term term_name(const char *name)
{
	return term_text(CTPROF_TERM_NAME, name);
}

/* Makes a number that is not evidence. */
static inline struct ctprof_term term_plain(guint32 form, guint32 ladder, gdouble number)
{
	return (struct ctprof_term){.struct_size = sizeof(struct ctprof_term),
				    .form = form,
				    .ladder = ladder,
				    .number = number};
}

static inline struct ctprof_term term_whole(gdouble number)
{
	return term_plain(CTPROF_TERM_WHOLE, CTPROF_LADDER_NONE, number);
}

static inline struct ctprof_term term_short(guint32 ladder, gdouble number)
{
	return term_plain(CTPROF_TERM_SHORT, ladder, number);
}

/* Makes a term evidence, by giving it a name for machines. */
static inline struct ctprof_term term_of(const char *name, const char *unit,
					 struct ctprof_term term)
{
	term.name = name;
	term.unit = unit;
	return term;
}

static inline struct ctprof_term term_count(const char *name, const char *unit, gdouble value)
{
	return term_of(name, unit, term_whole(value));
}

static inline struct ctprof_term term_cpus(const char *name, gdouble value)
{
	return term_of(name, "cpus", term_short(CTPROF_LADDER_NONE, value));
}

static inline struct ctprof_term term_ns(const char *name, gdouble value)
{
	return term_of(name, "ns", term_short(CTPROF_LADDER_NS, value));
}

static inline struct ctprof_term term_rate(const char *name, const char *unit, gdouble value)
{
	return term_of(name, unit, term_short(CTPROF_LADDER_UNITLESS, value));
}

static inline struct ctprof_term term_bytes(const char *name, const char *unit, gdouble value)
{
	return term_of(name, unit, term_short(CTPROF_LADDER_BYTES, value));
}
