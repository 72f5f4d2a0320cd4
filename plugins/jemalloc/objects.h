/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Examines the ELF files of the host, each once for all processes. */
#pragma once

#include "facts.h"
#include "layout.h"
#include "maps.h"
#include "process.h"
#include "tally.h"

struct objects;

/* Files are opened through this host, and examined by this program.  NULL: out
 * of memory. */
struct objects *objects_new(const struct ctprof_host *host, const char *helper);
/* Helpers may hold a reference for longer than the source lives. */
struct objects *objects_ref(struct objects *objects);
void objects_unref(struct objects *objects);
/* Prepares for another sample: files are identified again by their numbers in maps. */
void objects_again(struct objects *objects);
/* Initialises a parser with this host and program. */
void objects_lend(struct objects *objects, struct parser *ret);

/* A file as maps names it; see struct maps_file. */
struct file_id {
	uint64_t dev;
	uint64_t ino;
};

/*
 * Gets the process's executable, or a file it maps.  0, or -errno if the file could not be opened
 * or read: that depends on the process and is not remembered.  ret is valid as long as objects.
 */
int objects_get_exe(struct objects *objects, const struct process *process, struct file_id *ret_id,
		    const struct object **ret);
int objects_get_mapped(struct objects *objects, const struct process *process,
		       const struct maps_file *file, const struct object **ret);
