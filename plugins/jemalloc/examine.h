/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Questions about a file of another user, answered by a process with no other rights
 * (examine-main.c).  There is no state: each question comes with the file's descriptor.
 */
#pragma once

#include <stdint.h>

#include "facts.h"

enum examine_question {
	EXAMINE_OBJECT, /* its facts */
	EXAMINE_DWARF,  /* offsets, from its own debug information */
	EXAMINE_DEBUG,  /* offsets, from this debug file of an object */
	EXAMINE_CODE,   /* offsets, from its code */
};

struct examine_request {
	uint32_t question; /* enum examine_question */
	uint32_t is_exe;
	struct elf_facts object; /* the answer to EXAMINE_OBJECT; unused for that question */
};

struct examine_answer {
	int32_t rc;             /* 0 or -errno; -EFBIG: exceeds a limit */
	struct elf_facts facts; /* of EXAMINE_OBJECT */
	struct offsets offsets; /* answer to the others: offsets in the object's TLS block */
};

/* Answers a question about the file, in this process. */
void examine(int fd, const struct examine_request *request, struct examine_answer *ret);
