/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF files of the host, each looked at once for all processes. */
#pragma once

#include "facts.h"
#include "layout.h"
#include "maps.h"
#include "process.h"
#include "tally.h"

/* What is known of a file; never changes once handed out. */
struct object {
	enum tag tag;            /* TAG_OK: offsets are good; TAG_JEMALLOC_NOT_FOUND; or why not */
	struct offsets offsets;  /* in the object's TLS block */
	bool is_static;          /* an executable that maps no library */
	struct elf_facts *facts; /* of what jemalloc or the thread list needs; else NULL */
};

struct objects;

/* NULL when memory is short. */
struct objects *objects_new(void);
void objects_free(struct objects *objects);

/* A file as maps names it; see struct maps_file. */
struct file_id {
	uint64_t dev;
	uint64_t ino;
};

/*
 * The process's executable, or a file it maps.  0, or -errno when the file could
 * not be opened or read: that is the process's own trouble and not remembered.
 * ret lives as long as objects.
 */
int objects_get_exe(struct objects *objects, const struct process *process, struct file_id *ret_id,
		    const struct object **ret);
int objects_get_mapped(struct objects *objects, const struct process *process,
		       const struct maps_file *file, const struct object **ret);
