/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <errno.h>
#include <limits.h>

#include "cleanup.h"
#include "debugfile.h"
#include "parser.h"

/* Returns 0; -ENODATA if the offsets cannot be found this way; or the result of parser_ask(). */
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

int layout_ask_debug(const struct layout_job *job, struct offsets *ret)
{
	return ask(job, job->fd, EXAMINE_DEBUG, ret);
}

/* The file named by the build-id is the only one opened below ctprof's own root. */
static int by_own_debug_file(const struct layout_job *job, struct offsets *ret)
{
	char path[PATH_MAX];

	if (!debugfile_candidate(job->facts, "", DEBUGFILE_BUILD_ID, path, sizeof path))
		return -ENODATA;
	AUTO_FD fd = foreign_open_own(&job->process->files, path);
	return fd < 0 ? -ENODATA : ask(job, fd, EXAMINE_DEBUG, ret);
}

static int by_version(const struct layout_job *job, struct offsets *ret)
{
	const struct elf_facts *facts = job->facts;
	/* Without its symbol, the struct can be located only if it is the whole block. */
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
		by_build_id, by_dwarf, by_own_debug_file, by_version, by_code,
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

bool layout_lacks_debug(const struct object *object)
{
	return object->facts && object->facts->has_tls &&
	       (object->tag == TAG_DWARF_PARSE_FAILURE || object->tag == TAG_CODE_UNKNOWN ||
		object->tag == TAG_JEMALLOC_STRIPPED || object->tag == TAG_OBJECT_UNPARSED);
}
