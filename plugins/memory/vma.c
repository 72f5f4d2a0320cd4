/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vma.h"

#include <string.h>

#include "amount.h"

#define KIB 1024u

static const char *const field_names[VMA_N_FIELDS] = {
	[VMA_SIZE] = "Size",
	[VMA_RSS] = "Rss",
	[VMA_PSS] = "Pss",
	[VMA_SHARED_CLEAN] = "Shared_Clean",
	[VMA_SHARED_DIRTY] = "Shared_Dirty",
	[VMA_PRIVATE_CLEAN] = "Private_Clean",
	[VMA_PRIVATE_DIRTY] = "Private_Dirty",
	[VMA_ANONYMOUS] = "Anonymous",
	[VMA_SHARED_HUGETLB] = "Shared_Hugetlb",
	[VMA_PRIVATE_HUGETLB] = "Private_Hugetlb",
	[VMA_SWAP] = "Swap",
};

static void finish_vma(struct vma_reader *reader)
{
	if (reader->inside)
		reader->found(reader->data, &reader->vma);
	reader->inside = false;
}

/* Copies a path.  The kernel escapes only line ends in it (seq_file_path() and "\n"). */
static struct text keep_path(struct vma_reader *reader, struct text path)
{
	static const char line_end[] = {'\\', '0', '1', '2'};
	size_t used = 0;

	while (path.len > 0 && used < VMA_PATH_MAX) {
		bool escaped = path.len >= sizeof line_end &&
			       memcmp(path.p, line_end, sizeof line_end) == 0;
		size_t step = escaped ? sizeof line_end : 1;

		/* The kernel does not print NUL, but a recorded file may contain
		 * anything. */
		reader->path[used++] = escaped ? '\n' : path.p[0] ? path.p[0] : '?';
		path = (struct text){path.p + step, path.len - step};
	}
	return (struct text){reader->path, used};
}

static void begin_vma(struct vma_reader *reader, const struct vma_header *header)
{
	finish_vma(reader);
	reader->inside = true;
	reader->hint = 0;
	reader->vma = (struct vma){.header = *header};
	reader->vma.header.path = keep_path(reader, header->path);
}

/* Finds the field with that key, starting at the expected one as all mappings have the same order;
 * VMA_N_FIELDS: unknown. */
static unsigned find_field(unsigned hint, struct text key)
{
	for (unsigned i = 0; i < VMA_N_FIELDS; i++) {
		unsigned field = (hint + i) % VMA_N_FIELDS;

		if (text_equal(key, field_names[field]))
			return field;
	}
	return VMA_N_FIELDS;
}

static void take_value(struct vma_reader *reader, struct text line)
{
	struct text key, rest, token;
	struct vma *vma = &reader->vma;
	uint64_t kib;

	if (!reader->inside || !text_split(line, ':', &key, &rest))
		return;
	unsigned field = find_field(reader->hint, key);
	if (field == VMA_N_FIELDS || !text_take_token(&rest, &token) || !text_u64(token, &kib))
		return;
	reader->hint = field + 1;
	vma->present |= 1u << field;
	vma->bytes[field] = amount_product(kib, KIB);
}

void vma_reader_init(struct vma_reader *ret, void (*found)(void *data, const struct vma *vma),
		     void *data)
{
	ret->found = found;
	ret->data = data;
	ret->inside = false;
}

size_t vma_reader_take(struct vma_reader *reader, const char *text, size_t len, bool last)
{
	const char *nl = len > 0 && !last ? memrchr(text, '\n', len) : NULL;
	size_t usable = last ? len : nl ? (size_t)(nl + 1 - text) : 0;
	struct text rest = {text, usable};
	struct vma_header header;
	struct text line;

	while (text_take_line(&rest, &line)) {
		if (vma_parse_header(line, &header))
			begin_vma(reader, &header);
		else
			take_value(reader, line);
	}
	if (last)
		finish_vma(reader);
	return usable;
}
