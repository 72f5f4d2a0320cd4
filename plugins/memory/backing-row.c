/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backing-row.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 4096u /* host->object()'s limit */
#define SUFFIX_MAX 48u

static struct amount backing_amount(const struct backing *backing,
				    const struct backing_column *column)
{
	struct amount amount = {0};

	if ((backing->present & column->required) != column->required)
		return (struct amount){.absent = CTPROF_ABSENT_UNSUPPORTED};
	for (unsigned i = 0; i < VMA_N_FIELDS; i++)
		if (column->fields & 1u << i)
			amount.bytes = amount_sum(amount.bytes, backing->bytes[i]);
	return amount;
}

void backing_put_columns(const struct object_row *row, const struct backing *backing,
			 const struct backing_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		object_row_put_amount(row, columns[i].metric, backing_amount(backing, &columns[i]));
}

/* ---- names ------------------------------------------------------------- */

struct name {
	size_t len;
	char bytes[NAME_BYTES_MAX];
};

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return text_order((struct text){x->bytes, x->len}, (struct text){y->bytes, y->len});
}

static void append(struct name *name, struct text text)
{
	size_t room = sizeof name->bytes - name->len;
	size_t len = text.len < room ? text.len : room;

	if (len > 0)
		memcpy(name->bytes + name->len, text.p, len);
	name->len += len;
}

static int claim(struct objects *objects, const struct name *name)
{
	size_t size = offsetof(struct name, bytes) + name->len;

	return pool_add_copy(&objects->names, name, size, by_name);
}

int backing_claim_name(struct objects *objects, struct text text)
{
	struct name name = {0};

	append(&name, text);
	return claim(objects, &name);
}

/* Makes a name unique.  A path may be crafted to look like a name with this suffix: the suffix is
 * then appended again, if there is room. */
static int make_unique(const struct objects *objects, const struct identity *identity,
		       struct name *name)
{
	char suffix[SUFFIX_MAX];

	(void)snprintf(suffix, sizeof suffix, " #%" PRIu32 ":%" PRIu32 ":%" PRIu64, identity->major,
		       identity->minor, identity->inode);
	while (pool_find(&objects->names, name, by_name)) {
		if (name->len + strlen(suffix) > sizeof name->bytes)
			return -ENAMETOOLONG;
		append(name, text_of(suffix));
	}
	return 0;
}

int backing_row_add(struct objects *objects, enum object_group_id group, struct ctprof_batch *batch,
		    const char *prefix, const struct backing *backing, struct object_row *ret)
{
	struct name name;

	name.len = 0;
	append(&name, text_of(prefix));
	append(&name, classify_label((struct text){backing->label, backing->label_len}));
	int result = make_unique(objects, &backing->identity, &name);
	if (result == 0)
		result = object_row_add(objects, group, batch, (struct text){name.bytes, name.len},
					ret);
	return result < 0 ? result : claim(objects, &name);
}

void backing_report_dropped(const struct objects *objects)
{
	const struct ctprof_host *host = objects->host;
	const struct holders *holders = &objects->holders;

	if (holders->dropped > 0)
		host->log(host, CTPROF_LOG_WARNING,
			  "%" PRIu64 " mappings or objects are missing: %s", holders->dropped,
			  holders->out_of_memory ? "out of memory" : "too many");
}
