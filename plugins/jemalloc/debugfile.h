/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Separate debug files: where they may lie. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "facts.h"

/* Candidates, by number from 0. */
#define DEBUGFILE_CANDIDATES 6u

/* The which-th path for an object at path; false when it has no such one. */
bool debugfile_candidate(const struct elf_facts *facts, const char *path, size_t which, char *buf,
			 size_t size);
