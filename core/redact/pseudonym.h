/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replaces names with pseudonyms, word by word, using a keyed hash: a word gets the same pseudonym
 * wherever it occurs.  Separators and numbers are kept, so names that share a pattern
 * (report/name/pattern.h) still share one afterwards.  Text that looks like an address or a
 * container id is replaced by text of the same shape.
 */
#pragma once

#include <glib.h>

/* HMAC accepts any key size; a key supplied by the user must not be guessable. */
#define PSEUDONYM_KEY_BYTES 32

/* How a text is replaced. */
typedef enum pseudonym_law {
	LAW_OPAQUE, /* one word for the whole text, with its numbers: hides unknown text */
	LAW_KEEP,   /* kept: a word of the kernel or of ctprof, or a number */
	LAW_NAME,   /* each word is replaced */
	LAW_KERNEL, /* word by word, but keeps the words in names of kernel threads */
	LAW_CGROUP, /* word by word, but keeps the words of systemd and container runtimes */
	LAW_PATH,   /* word by word, but keeps the kernel's names for memory: "[heap]" */
	/* The program word by word; all arguments as one word, since they often contain secrets. */
	LAW_COMMAND,
} PseudonymLaw;

typedef struct pseudonyms Pseudonyms;

Pseudonyms *pseudonyms_new(const guint8 *key, gsize size);
void pseudonyms_free(Pseudonyms *pseudonyms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pseudonyms, pseudonyms_free)

/* Appends the replacement of text, in ASCII unless it is kept.  If it would be longer than
 * most bytes, one word replaces the whole text (LAW_KEEP is not limited). */
void pseudonyms_append(Pseudonyms *pseudonyms, GString *out, PseudonymLaw law, const char *text,
		       gsize len, gsize most);
/* Returns a new text that differs between keys, and reveals nothing else about them. */
char *pseudonyms_fingerprint(const Pseudonyms *pseudonyms);
