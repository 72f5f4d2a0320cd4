/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sentence.h"

#include "ctprof/sentence.h"

struct sentence {
	struct ctprof_sentence data;
	GArray *pieces;   /* struct ctprof_piece */
	GPtrArray *terms; /* struct ctprof_term[], an array for each piece with terms */
	char *text;       /* NULL: not requested yet */
};

Sentence *sentence_new(guint32 role)
{
	Sentence *sentence = g_new0(Sentence, 1);

	sentence->data.struct_size = sizeof sentence->data;
	sentence->data.role = role;
	sentence->pieces = g_array_new(FALSE, FALSE, sizeof(struct ctprof_piece));
	sentence->terms = g_ptr_array_new_with_free_func(g_free);
	return sentence;
}

void sentence_free(Sentence *sentence)
{
	g_array_unref(sentence->pieces);
	g_ptr_array_unref(sentence->terms);
	g_free(sentence->text);
	g_free(sentence);
}

void sentence_add(Sentence *sentence, guint32 flags, const char *words,
		  const struct ctprof_term *terms, guint n)
{
	struct ctprof_piece piece = {
		.struct_size = sizeof piece, .flags = flags, .words = words, .n_terms = n};

	if (n > 0) {
		gpointer copy = g_memdup2(terms, n * sizeof *terms);

		g_ptr_array_add(sentence->terms, copy);
		piece.terms = copy;
	}
	g_array_append_val(sentence->pieces, piece);
}

const struct ctprof_sentence *sentence_data(Sentence *sentence)
{
	sentence->data.n_pieces = sentence->pieces->len;
	sentence->data.pieces = (const void *)sentence->pieces->data;
	return &sentence->data;
}

const char *sentence_text(Sentence *sentence)
{
	const struct ctprof_wording all = {.width = 0};
	const struct ctprof_sentence *data = sentence_data(sentence);

	if (!sentence->text) {
		gsize size = ctprof_sentence_write(data, &all, NULL, 0) + 1;

		sentence->text = g_malloc(size);
		(void)ctprof_sentence_write(data, &all, sentence->text, size);
	}
	return sentence->text;
}
