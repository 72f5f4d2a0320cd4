/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <errno.h>
#include <limits.h>

#include "cleanup.h"
#include "debugfile.h"
#include "parser.h"

/* 0, -ENODATA: not found this way, or the result of parser_ask(). */
static int by_build_id(const struct layout_job *job, struct offsets *ret)
{
	struct offsets found;

	return known_by_build_id(job->facts->machine, job->facts->build_id,
				 job->facts->build_id_len, &found) &&
			       facts_place_in_block(job->facts, 0, found, ret)
		       ? 0
		       : -ENODATA;
}

static int ask(const struct layout_job *job, int fd, enum examine_question question,
	       struct offsets *ret)
{
	struct examine_request request = {.question = question, .object = *job->facts};
	struct examine_answer answer;

	if (*job->budget_ns == 0)
		return -ETIME;
	int rc = parser_ask(job->process->parser, fd, &request, job->budget_ns, &answer);
	if (rc < 0 || answer.rc < 0)
		return rc < 0 ? rc : answer.rc;
	return facts_place_in_block(job->facts, 0, answer.offsets, ret) ? 0 : -EBADMSG;
}

static int by_dwarf(const struct layout_job *job, struct offsets *ret)
{
	return job->facts->has_tsd ? ask(job, job->fd, EXAMINE_DWARF, ret) : -ENODATA;
}

static int by_debug_file(const struct layout_job *job, const char *path, struct offsets *ret)
{
	AUTO_FD there = process_open_path(job->process, path);
	int rc = there < 0 ? -ENODATA : ask(job, there, EXAMINE_DEBUG, ret);

	if (rc != -ENODATA)
		return rc;
	AUTO_FD here = process_open_own_path(job->process, path);
	return here < 0 ? -ENODATA : ask(job, here, EXAMINE_DEBUG, ret);
}

static int by_debug_files(const struct layout_job *job, struct offsets *ret)
{
	char path[PATH_MAX];
	int result = -ENODATA;

	for (size_t i = 0; i < DEBUGFILE_CANDIDATES; i++) {
		if (!debugfile_candidate(job->facts, job->path, i, path, sizeof path))
			continue;
		int rc = by_debug_file(job, path, ret);
		if (rc == 0)
			return 0;
		result = rc == -ENODATA ? result : rc;
	}
	return result;
}

static int by_version(const struct layout_job *job, struct offsets *ret)
{
	const struct elf_facts *facts = job->facts;
	/* Without its symbol, the struct can only be located if it is the whole
	 * block. */
	uint64_t base = facts->has_tsd ? facts->tsd_value : 0;
	uint64_t size = facts->has_tsd ? facts->tsd_size : facts->tls.memsz;
	struct offsets fields;

	return known_by_version(facts->machine, facts->version, size, facts->has_tsd, &fields) &&
			       facts_place_in_block(facts, base, fields, ret)
		       ? 0
		       : -ENODATA;
}

static int by_code(const struct layout_job *job, struct offsets *ret)
{
	return ask(job, job->fd, EXAMINE_CODE, ret);
}

enum tag layout_find(const struct layout_job *job, struct offsets *ret)
{
	static int (*const ways[])(const struct layout_job *, struct offsets *) = {
		by_build_id, by_dwarf, by_debug_files, by_version, by_code,
	};
	const struct elf_facts *facts = job->facts;
	bool unparsed = false;

	if (!facts->is_64 || facts->machine != tls_native_machine())
		return TAG_ARCH_MISMATCH;
	if (!facts->has_tls)
		return TAG_TLS_UNRESOLVED; /* built with --disable-tls */
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		int rc = ways[i](job, ret);

		if (rc == 0)
			return TAG_OK;
		/* -EINVAL: not a debug file. */
		unparsed = unparsed || (rc != -ENODATA && rc != -EINVAL);
	}
	return unparsed             ? TAG_OBJECT_UNPARSED
	       : facts->has_mallctl ? TAG_CODE_UNKNOWN
	       : facts->has_tsd     ? TAG_DWARF_PARSE_FAILURE
				    : TAG_JEMALLOC_STRIPPED;
}
