/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a text says by its looks: a colour, a class. */
#pragma once

enum style {
	STYLE_NONE,
	STYLE_HEADER,
	STYLE_MORE,      /* a value that grew */
	STYLE_LESS,      /* one that shrank */
	STYLE_LEVEL,     /* one that did neither */
	STYLE_MUCH_MORE, /* by more than half */
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
