/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meaning of a text, which sinks show by a colour or a class. */
#pragma once

enum style {
	STYLE_NONE,
	STYLE_HEADER,
	STYLE_MORE,      /* a value that grew */
	STYLE_LESS,      /* a value that shrank */
	STYLE_LEVEL,     /* a value that stayed the same */
	STYLE_MUCH_MORE, /* a value that grew by more than half */
	STYLE_MUCH_LESS,
	STYLE_OLD, /* age */
	STYLE_AGED,
	STYLE_YOUNG,
	STYLE_ROOT, /* headings of a tree, by depth */
	STYLE_BRANCH,
	STYLE_TWIG,
	STYLE_PROCESS,
	STYLE_COMPUTED,
	STYLE_NOTE,
	STYLE_NAME,
	N_STYLES,
};
