/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vma-header.h"

static bool parse_hex_pair(struct text token, char separator, uint64_t *ret_left,
			   uint64_t *ret_right)
{
	struct text left, right;

	return text_split(token, separator, &left, &right) && text_hex(left, ret_left) &&
	       text_hex(right, ret_right);
}

/* Parses "rw-s". */
static bool parse_permissions(struct text token, char ret[4])
{
	static const char set[4] = {'r', 'w', 'x', 's'};
	static const char clear[4] = {'-', '-', '-', 'p'};

	if (token.len != 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (token.p[i] != set[i] && token.p[i] != clear[i])
			return false;
	memcpy(ret, token.p, 4);
	return true;
}

/* Skips the blanks between the inode and the path, which may itself end with blanks; a mapping
 * without a path may have them after its inode. */
static struct text skip_blanks(struct text rest)
{
	while (rest.len > 0 && rest.p[0] == ' ')
		rest = (struct text){rest.p + 1, rest.len - 1};
	return rest;
}

bool vma_parse_header(struct text line, struct vma_header *ret)
{
	struct vma_header header;
	struct text field[5];
	uint64_t major, minor;

	/* Most lines are not headers, as their first byte shows. */
	if (line.len == 0 || text_hex_digit(line.p[0]) < 0)
		return false;
	for (size_t i = 0; i < 5; i++)
		if (!text_take_token(&line, &field[i]))
			return false;
	if (!parse_hex_pair(field[0], '-', &header.start, &header.end) ||
	    header.end < header.start || !parse_permissions(field[1], header.permissions) ||
	    !text_hex(field[2], &header.offset) || !parse_hex_pair(field[3], ':', &major, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX || !text_u64(field[4], &header.inode))
		return false;
	header.major = (uint32_t)major;
	header.minor = (uint32_t)minor;
	header.path = skip_blanks(line);
	*ret = header;
	return true;
}
