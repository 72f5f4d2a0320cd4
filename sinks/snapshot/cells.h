/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of one object, as read.  They are kept until the object has ended: before that it is
 * unknown which of them are placeholders.
 */
#pragma once

#include "pull.h"
#include "shape.h"

struct cell {
	uint64_t bits; /* a number, or the offset of the value in its buffer */
	uint32_t n;    /* bytes, CPUs or entries there */
	uint8_t state;
	bool exact; /* the bytes were given in hex */
	bool grew;  /* a histogram, given by its growth */
};

/* struct cell.state */
enum cell_state {
	CELL_NONE, /* not read */
	CELL_NULL,
	CELL_VALUE,
};

struct cells {
	struct cell *cells;
	uint32_t room;                    /* cells */
	struct json bytes, cpus, entries; /* growing */
	struct ctprof_map_entry *lent;    /* a map being put */
	size_t n_lent;                    /* room in it */
	bool may_grow;                    /* histograms may be given by their growth */
};

/* The row into which values are put. */
struct row {
	const struct ctprof_host *host;
	struct ctprof_batch *batch;
	uint64_t row;
};

/* Returns 0 or -ENOMEM. */
int cells_init(struct cells *cells);
void cells_free(struct cells *cells);
/* Empties the first n cells, one for each member of a shape; stops reading if out of memory. */
void cells_begin(struct cells *cells, struct pull *pull, uint32_t n);

/* Keeps a text of the file, with a NUL, until cells_begin(). */
bool cells_keep(struct cells *cells, struct pull *pull, struct text text, size_t *ret_at);
/* Reads the value of member i; a second one is an error. */
void cells_read(struct cells *cells, struct pull *pull, const struct shape *shape, uint32_t i);
/* Reads the bytes of member i, a text, in hex: they override its text. */
void cells_read_hex(struct cells *cells, struct pull *pull, const struct shape *shape, uint32_t i);

/* Whether member i was read, and not as null or as an impossible value. */
static inline bool cells_has(const struct cells *cells, const struct shape *shape, uint32_t i)
{
	const struct cell *cell = &cells->cells[i];

	if (cell->state == CELL_NULL)
		return shape->members[i].kind == VALUE_LIMIT;
	/* An empty set of CPUs is not a value. */
	if (shape->members[i].kind == VALUE_CPUS && cell->n == 0)
		return false;
	return cell->state == CELL_VALUE || cell->exact;
}

/* Reads the value of a key that is not a member: NAME_hex of a text, otherwise skipped. */
void cells_read_other(struct cells *cells, struct pull *pull, const struct shape *shape,
		      struct text key);
/*
 * Reads an object: its members from `first` to before `end` of the shape, usually in that order,
 * which is the writer's.  other() must read the values of the rest; NULL: they are skipped.
 */
void cells_read_object(struct cells *cells, struct pull *pull, const struct shape *shape,
		       uint32_t first, uint32_t end,
		       void (*other)(struct cells *cells, struct pull *pull, struct text key,
				     void *context),
		       void *context);

/* Returns the text of member i with a NUL, "" if it is missing; valid until the next text is
 * kept. */
struct text cells_text(const struct cells *cells, uint32_t i);
/* Puts the value of member i, which must have a metric; cells_has() must be true. */
int cells_put(struct cells *cells, const struct shape *shape, uint32_t i, const struct row *row);
/*
 * Puts the values of the metrics of a group: those of the capture into rows[1], others into
 * rows[0]. An absent value gets its reason from states or, if it was neither read nor listed
 * there, `unseen`; partial: it then stays unchanged.
 */
void cells_put_all(struct cells *cells, struct pull *pull, const struct shape *shape,
		   const uint8_t *states, uint32_t group, uint8_t unseen, bool partial,
		   const struct row *rows);
