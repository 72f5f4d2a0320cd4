/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examine.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code.h"
#include "debuginfo.h"
#include "elfobj.h"

/* Larger files are not mapped. */
#define MAX_FILE_BYTES (INT64_C(1) << 30)
/* Checksums are not computed for larger files. */
#define MAX_SUMMED_BYTES ((size_t)64 << 20)

struct file {
	char *data;
	size_t size;
	Elf *elf;
};

static void file_clear(struct file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->data)
		munmap(file->data, file->size);
}

/* Makes the sections' headers writable: elf_compress() writes to the header of a section that it
 * inflates; in most files the headers come last. */
static int make_headers_writable(const struct file *file)
{
	Elf64_Ehdr header;

	if (file->size < sizeof header)
		return 0;
	memcpy(&header, file->data, sizeof header);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = header.e_shoff & ~(page - 1);
	return at >= file->size || mprotect(file->data + at, file->size - at,
					    PROT_READ | PROT_WRITE) == 0
		       ? 0
		       : -EFBIG;
}

/* If the owner now truncates the file, this process is killed by SIGBUS. */
static int file_map(int fd, struct file *ret)
{
	off_t size = lseek(fd, 0, SEEK_END);

	if (size <= 0 || size > MAX_FILE_BYTES)
		return size > 0 ? -EFBIG : -EINVAL;
	void *data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	ret->data = data;
	ret->size = (size_t)size;
	int rc = make_headers_writable(ret);
	ret->elf = rc == 0 ? elf_memory(ret->data, ret->size) : NULL;
	return rc < 0 ? rc : ret->elf ? 0 : -EINVAL;
}

/* In an executable without symbols, jemalloc can only be recognised by its messages; a scan for
 * them is worthwhile if it has a malloc of its own, or all of libc. */
static bool worth_scanning(const struct elf_facts *facts, bool is_exe)
{
	return facts->has_tsd || facts->has_mallctl ||
	       (is_exe && !facts->has_symtab && (facts->defines_malloc || !facts->has_interpreter));
}

static int answer_object(const struct file *file, bool is_exe, struct elf_facts *ret)
{
	int rc = elfobj_parse(file->elf, ret);

	if (rc == 0 && worth_scanning(ret, is_exe))
		elfobj_scan_strings(file->data, file->size, ret);
	return rc;
}

/* Computes the CRC-32 used by .gnu_debuglink (that of zlib). */
static uint32_t crc_of(const unsigned char *data, size_t len)
{
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
	}
	for (size_t i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

/* Whether the file, parsed as debug, was split from the object: it has the same build-id or, if the
 * object has none, the checksum in the object's .gnu_debuglink. */
static bool belongs(const struct elf_facts *object, const struct elf_facts *debug,
		    const struct file *file)
{
	if (object->machine != debug->machine || object->is_64 != debug->is_64)
		return false;
	if (object->build_id_len > 0)
		return object->build_id_len == debug->build_id_len &&
		       memcmp(object->build_id, debug->build_id, object->build_id_len) == 0;
	return object->debuglink[0] != '\0' && file->size <= MAX_SUMMED_BYTES &&
	       crc_of((const unsigned char *)file->data, file->size) == object->debuglink_crc;
}

static int answer_dwarf(const struct file *file, const struct elf_facts *object, bool is_debug,
			struct offsets *ret)
{
	struct elf_facts debug = {0};
	struct offsets fields;

	if (is_debug && (elfobj_parse(file->elf, &debug) < 0 || !belongs(object, &debug, file)))
		return -ENODATA;
	/* The debug file may have the symbol that was stripped from the object. */
	if (!object->has_tsd && !debug.has_tsd)
		return -ENODATA;
	int rc = debuginfo_find_offsets(file->elf, &fields);
	if (rc < 0)
		return rc;
	return facts_place_in_block(object, object->has_tsd ? object->tsd_value : debug.tsd_value,
				    fields, ret)
		       ? 0
		       : -ENODATA;
}

void examine(int fd, const struct examine_request *request, struct examine_answer *ret)
{
	__attribute__((cleanup(file_clear))) struct file file = {0};
	const struct elf_facts *object = &request->object;

	*ret = (struct examine_answer){.rc = file_map(fd, &file)};
	if (ret->rc < 0)
		return;
	switch (request->question) {
	case EXAMINE_OBJECT:
		ret->rc = answer_object(&file, request->is_exe, &ret->facts);
		break;
	case EXAMINE_CODE:
		ret->rc = code_find_offsets(file.elf, file.data, file.size, object, &ret->offsets);
		break;
	default:
		ret->rc = answer_dwarf(&file, object, request->question == EXAMINE_DEBUG,
				       &ret->offsets);
		break;
	}
}
