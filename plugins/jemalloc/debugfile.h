/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Possible paths of separate debug files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "facts.h"

/* Candidates have numbers, from 0. */
#define DEBUGFILE_CANDIDATES 6u
/* The candidate that depends only on the object's build-id. */
#define DEBUGFILE_BUILD_ID 0u

/* Writes candidate number `which` for an object at path; false if there is none. */
bool debugfile_candidate(const struct elf_facts *facts, const char *path, size_t which, char *buf,
			 size_t size);
