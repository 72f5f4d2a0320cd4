/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names become pseudonyms, word by word, by a keyed hash: the same word becomes the same one
 * wherever it occurs.  Separators between words stay, and so do numbers, so that names with one
 * pattern (report/name/pattern.h) have one afterwards.  A text that looks like an address or the id
 * of a container becomes another of the same shape.
 */
#pragma once

#include <glib.h>

/* HMAC takes any; a key that is given must not be guessed. */
#define PSEUDONYM_KEY_BYTES 32

/* How a text is replaced. */
typedef enum pseudonym_law {
	LAW_OPAQUE, /* one word, with its numbers: what is not known is not shown */
	LAW_KEEP,   /* itself: a word of the kernel's or of ours, or a number */
	LAW_NAME,   /* each word another */
	LAW_KERNEL, /* the same, but what kernel threads are called after */
	LAW_CGROUP, /* the same, but what systemd and container runtimes build paths of */
	LAW_PATH,   /* the same, but the kernel's names of memory of no file: "[heap]" */
	/* The program as a path, its arguments as one word: these are full of secrets. */
	LAW_COMMAND,
} PseudonymLaw;

typedef struct pseudonyms Pseudonyms;

Pseudonyms *pseudonyms_new(const guint8 *key, gsize size);
void pseudonyms_free(Pseudonyms *pseudonyms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pseudonyms, pseudonyms_free)

/* Appends what the text becomes, ASCII unless it is kept, most bytes at most: one word
 * for all of it where that would be more. */
void pseudonyms_append(Pseudonyms *pseudonyms, GString *out, PseudonymLaw law, const char *text,
		       gsize len, gsize most);
/* Tells keys apart, and nothing else of them. */
char *pseudonyms_fingerprint(const Pseudonyms *pseudonyms);
