/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <limits.h>

#include "cleanup.h"
#include "debugfile.h"
#include "debuginfo.h"

/* From the struct to the block it is in; false unless both counters are 8-byte
 * numbers inside the block. */
static bool place_in_block(const struct elf_facts *facts, uint64_t base, struct offsets fields,
			   struct offsets *ret)
{
	struct offsets out;
	uint64_t span, end;

	if (__builtin_add_overflow(base, fields.allocated, &out.allocated) ||
	    __builtin_add_overflow(base, fields.deallocated, &out.deallocated) ||
	    __builtin_add_overflow(out.deallocated, sizeof(uint64_t), &end) ||
	    !tls_span(out.allocated, out.deallocated, &span) || end > facts->tls.memsz ||
	    out.allocated % sizeof(uint64_t) != 0 || out.deallocated % sizeof(uint64_t) != 0)
		return false;
	*ret = out;
	return true;
}

static bool by_build_id(const struct layout_job *job, struct offsets *ret)
{
	struct offsets found;

	return known_by_build_id(job->facts->machine, job->facts->build_id,
				 job->facts->build_id_len, &found) &&
	       place_in_block(job->facts, 0, found, ret);
}

static bool by_dwarf(const struct layout_job *job, struct offsets *ret)
{
	struct offsets fields;

	return job->facts->has_tsd && debuginfo_find_offsets(job->elf, &fields) == 0 &&
	       place_in_block(job->facts, job->facts->tsd_value, fields, ret);
}

/* One separate debug file; it may also hold the symbol the object has lost. */
static bool by_debug_fd(const struct layout_job *job, int fd, struct offsets *ret)
{
	AUTO_ELF *elf = elf_begin(fd, ELF_C_READ, NULL);
	AUTO_FREE struct elf_facts *debug = malloc(sizeof *debug);
	const struct elf_facts *facts = job->facts;
	struct offsets fields;

	if (!elf || !debug || elfobj_parse(elf, debug) < 0 || !debugfile_belongs(facts, debug, fd))
		return false;
	if (!facts->has_tsd && !debug->has_tsd)
		return false;
	uint64_t base = facts->has_tsd ? facts->tsd_value : debug->tsd_value;
	return debuginfo_find_offsets(elf, &fields) == 0 &&
	       place_in_block(facts, base, fields, ret);
}

static bool by_debug_files(const struct layout_job *job, struct offsets *ret)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < DEBUGFILE_CANDIDATES; i++) {
		if (!debugfile_candidate(job->facts, job->path, i, path, sizeof path))
			continue;
		AUTO_FD there = process_open_path(job->process, path);
		if (there >= 0 && by_debug_fd(job, there, ret))
			return true;
		AUTO_FD here = process_open_own_path(job->process, path);
		if (here >= 0 && by_debug_fd(job, here, ret))
			return true;
	}
	return false;
}

static bool by_version(const struct layout_job *job, struct offsets *ret)
{
	const struct elf_facts *facts = job->facts;
	/* Without its symbol the struct can only be told from the rest of the
	 * block when it is all of it. */
	uint64_t base = facts->has_tsd ? facts->tsd_value : 0;
	uint64_t size = facts->has_tsd ? facts->tsd_size : facts->tls.memsz;
	struct offsets fields;

	return known_by_version(facts->machine, facts->version, size, facts->has_tsd, &fields) &&
	       place_in_block(facts, base, fields, ret);
}

static bool by_calibration(const struct layout_job *job, struct offsets *ret)
{
	return !job->is_exe && job->facts->has_mallctl &&
	       calibrate(job->calibrations, job->process, job->path, job->fd, job->facts, ret);
}

enum tag layout_find(const struct layout_job *job, struct offsets *ret)
{
	static bool (*const ways[])(const struct layout_job *, struct offsets *) = {
		by_build_id, by_dwarf, by_debug_files, by_version, by_calibration,
	};
	const struct elf_facts *facts = job->facts;

	if (!facts->is_64 || facts->machine != tls_native_machine())
		return TAG_ARCH_MISMATCH;
	if (!facts->has_tls)
		return TAG_TLS_UNRESOLVED; /* built with --disable-tls */
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		if (ways[i](job, ret))
			return TAG_OK;
	return facts->has_tsd || facts->has_mallctl ? TAG_DWARF_PARSE_FAILURE
						    : TAG_JEMALLOC_STRIPPED;
}
