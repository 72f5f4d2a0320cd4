/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each process takes, as a side's rows bring it: the input of categories. */
#pragma once

#include <glib.h>

#include "report/name/categories.h"
#include "row/registry.h"

/* How shared memory's swap is split between who maps it. */
typedef enum swap_share {
	SHARE_BY_OBJECT, /* by device and inode */
	SHARE_BY_NAME,   /* by name, mapping by mapping */
} SwapShare;

/* Where a row holds what is asked of it; see the table in category-intake.c. */
enum category_slot {
	CATEGORY_SLOT_CMDLINE,
	CATEGORY_SLOT_PCOMM,
	CATEGORY_SLOT_MEMORY_STATE,
	CATEGORY_SLOT_SMAPS_STATE,
	CATEGORY_SLOT_PSS,
	CATEGORY_SLOT_SWAP_PSS,
	CATEGORY_SLOT_SWAP,
	CATEGORY_SLOT_ROLLUP,
	CATEGORY_SLOT_SHARE,
	CATEGORY_SLOT_SHARE_BY_NAME,
	CATEGORY_SLOT_UNREADABLE,
	N_CATEGORY_SLOTS
};

typedef struct category_member {
	gint32 pid;
	guint category;
	gboolean has_pss, has_swap_pss;
	guint64 pss, swap_pss;
} CategoryMember;

typedef struct category_intake {
	Categories *categories; /* borrowed */
	SwapShare share;
	gint slots[N_CATEGORY_SLOTS];
	GArray *list;       /* CategoryMember, as they came */
	GHashTable *shares; /* pid -> guint64, of shared memory's swap */
	GArray *pssless;    /* gint32: the first pids without PSS */
	gboolean has_shares;
	gboolean has_swap;  /* some process has some */
	guint64 unreadable; /* processes whose mappings are in no share */
} CategoryIntake;

void category_intake_init(CategoryIntake *intake, Categories *categories);
void category_intake_clear(CategoryIntake *intake);
/* Finds the metrics; before the rows, once. */
void category_intake_bind(CategoryIntake *intake, const Registry *registry);
/* Takes row i of any scope. */
void category_intake_add(CategoryIntake *intake, const struct ctprof_rows *rows, guint64 i);

/* An array of CategorySum, one for each category. */
GArray *category_intake_fold(const CategoryIntake *intake);
/* What the sums lack, a sentence each (char *, owned). */
GPtrArray *category_intake_list_gaps(const CategoryIntake *intake);
