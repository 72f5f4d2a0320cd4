/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tally.h"

#include <string.h>

#include "ctprof/plugin.h"

const struct tag_row tag_rows[TAG_COUNT] = {
	[TAG_OK] = {"ok", false, false, CTPROF_PRESENT},
	[TAG_PID_MISSING] = {"pid-missing", true, false, CTPROF_ABSENT_VANISHED},
	[TAG_READLINK_FAILURE] = {"readlink-failure", false, false, CTPROF_ABSENT_UNSUPPORTED},
	[TAG_MAPS_READ_FAILURE] = {"maps-read-failure", true, false, CTPROF_ABSENT_INVALID},
	[TAG_OBJECT_UNREADABLE] = {"object-unreadable", true, false, CTPROF_ABSENT_DENIED},
	[TAG_OBJECT_UNPARSED] = {"object-unparsed", true, false, CTPROF_ABSENT_INVALID},
	[TAG_JEMALLOC_NOT_FOUND] = {"jemalloc-not-found", false, false, CTPROF_ABSENT_INAPPLICABLE},
	[TAG_JEMALLOC_STRIPPED] = {"jemalloc-stripped", true, false, CTPROF_ABSENT_UNSUPPORTED},
	[TAG_ARCH_MISMATCH] = {"arch-mismatch", true, false, CTPROF_ABSENT_UNSUPPORTED},
	[TAG_DWARF_PARSE_FAILURE] = {"dwarf-parse-failure", true, false, CTPROF_ABSENT_UNSUPPORTED},
	[TAG_CODE_UNKNOWN] = {"code-unknown", true, false, CTPROF_ABSENT_UNSUPPORTED},
	[TAG_TLS_UNRESOLVED] = {"tls-unresolved", true, false, CTPROF_ABSENT_INVALID},
	[TAG_TLS_ARITHMETIC] = {"tls-arithmetic", true, false, CTPROF_ABSENT_INVALID},
	[TAG_THREAD_LIST_UNSUPPORTED] = {"thread-list-unsupported", true, false,
					 CTPROF_ABSENT_UNSUPPORTED},
	[TAG_THREAD_NOT_LISTED] = {"thread-not-listed", true, false, CTPROF_ABSENT_UNSUPPORTED},
	[TAG_THREAD_EXITED] = {"thread-exited", false, false, CTPROF_ABSENT_VANISHED},
	[TAG_MEMORY_DENIED] = {"memory-denied", true, true, CTPROF_ABSENT_DENIED},
	[TAG_PROCESS_VM_READV] = {"process-vm-readv", true, false, CTPROF_ABSENT_INVALID},
	[TAG_UNSTABLE_VALUE] = {"unstable-value", true, false, CTPROF_ABSENT_INVALID},
	[TAG_PTRACE_SEIZE] = {"ptrace-seize", true, true, CTPROF_ABSENT_DENIED},
	[TAG_PTRACE_INTERRUPT] = {"ptrace-interrupt", true, true, CTPROF_ABSENT_DENIED},
	[TAG_WAITPID] = {"waitpid", true, false, CTPROF_ABSENT_TIMEOUT},
	[TAG_GET_REGSET] = {"get-regset", true, false, CTPROF_ABSENT_INVALID},
	[TAG_PROCESS_STUCK] = {"process-stuck", true, false, CTPROF_ABSENT_TIMEOUT},
};

static void count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void tally_process(struct tally *tally, enum tag tag)
{
	count(&tally->walked);
	count(tag == TAG_OK ? &tally->detected : &tally->tags[tag]);
}

void tally_thread(struct tally *tally, enum tag tag)
{
	count(tag == TAG_OK ? &tally->ok : &tally->tags[tag]);
}

struct tally_summary tally_summarise(const struct tally *tally)
{
	struct tally_summary out = {
		.walked = tally->walked,
		.detected = tally->detected,
		.ok = tally->ok,
		.dominant = TAG_OK,
	};
	uint64_t most = 0, privilege = 0;

	for (enum tag tag = TAG_OK + 1; tag < TAG_COUNT; tag++) {
		uint64_t n = tally->tags[tag];

		if (n == 0 || !tag_rows[tag].actionable)
			continue;
		out.failed += n;
		privilege += tag_rows[tag].privilege ? n : 0;
		/* In a tie the name that sorts first wins, so that two captures of
		 * one host agree. */
		if (n > most ||
		    (n == most && strcmp(tag_rows[tag].name, tag_rows[out.dominant].name) < 0)) {
			most = n;
			out.dominant = tag;
		}
	}
	out.by_privilege = out.failed > 0 && privilege >= out.failed - privilege;
	return out;
}
