/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "cleanup.h"
#include "file.h"
#include "tls.h"

static void fail(struct target *target, enum tag tag)
{
	target->tag = tag;
	target->absence = tag_rows[tag].absence;
}

/* Fails with err, a negative errno of reading a file of the process. */
static void fail_file(struct target *target, enum tag tag, int err)
{
	target->tag = tag;
	target->absence = file_absence(-err);
}

/* Fails with err, a negative errno of reading its memory. */
static void fail_memory(struct target *target, enum tag tag, int err)
{
	fail(target, err == -EPERM ? TAG_MEMORY_DENIED : err == -ESRCH ? TAG_THREAD_EXITED : tag);
}

/* ---- the objects -------------------------------------------------------- */

/* The result of searching the mapped files. */
struct search {
	const struct object *holder;
	uint64_t holder_bias;
	const struct object *loader; /* has _rtld_global */
	uint64_t loader_bias;
	const struct object *libc; /* has the descriptors */
	bool unreadable;           /* a file that is jemalloc by name */
	bool unparsed;             /* a file that may be */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_jemalloc_name(const char *path)
{
	return strstr(base_name(path), "jemalloc") != NULL;
}

static bool is_libc_name(const char *path)
{
	const char *name = base_name(path);

	return strncmp(name, "ld", 2) == 0 || strncmp(name, "libc.so", 7) == 0 ||
	       strncmp(name, "libc-2.", 7) == 0;
}

/* Whether new is better than old: an object with known offsets takes precedence over one without
 * them. */
static bool is_better(const struct object *old, const struct object *new)
{
	return new->tag != TAG_JEMALLOC_NOT_FOUND &&
	       (!old || (old->tag != TAG_OK && new->tag == TAG_OK));
}

static void take_object(struct search *search, const struct object *object,
			const struct maps_file *file)
{
	uint64_t bias;

	if (!object->facts || !facts_bias(object->facts, file->start, file->offset, &bias))
		return;
	if (is_better(search->holder, object)) {
		search->holder = object;
		search->holder_bias = bias;
	}
	if (!search->loader && object->facts->rtld_global != 0) {
		search->loader = object;
		search->loader_bias = bias;
	}
	if (!search->libc && facts_describe_threads(&object->facts->thread_db))
		search->libc = object;
}

static void search_maps(struct target *target, struct objects *objects, const struct maps *maps,
			const struct file_id *exe, bool (*wanted)(const char *path),
			struct search *search)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct maps_file *file = &maps->files[i];
		const struct object *object;

		if ((file->dev == exe->dev && file->ino == exe->ino) ||
		    (wanted && !wanted(file->path)))
			continue;
		int rc = objects_get_mapped(objects, &target->process, file, &object);
		if (rc == 0 && object->tag == TAG_OBJECT_UNPARSED)
			search->unparsed = true;
		if (rc == 0)
			take_object(search, object, file);
		else if (is_jemalloc_name(file->path))
			search->unreadable = true;
	}
}

/* ---- the threads -------------------------------------------------------- */

static void find_thread_lists(struct target *target, const struct search *search)
{
	/* Locates the dynamic linker's data by the offsets that libc gives. */
	if (!search->loader || !search->libc)
		return;
	const struct elf_facts *loader = search->loader->facts;

	target->db = &search->libc->facts->thread_db;
	target->rtld.global = search->loader_bias + loader->rtld_global;
	target->rtld.debug = loader->r_debug ? search->loader_bias + loader->r_debug : 0;
	target->lists = (struct thread_lists){
		.used = target->rtld.global + target->db->dl_stack_used,
		.user = target->rtld.global + target->db->dl_stack_user,
	};
}

/* In a static program, the executable itself has the lists and the descriptors. */
static void find_static_lists(struct target *target, const struct object *exe,
			      const struct maps *maps, const struct file_id *id)
{
	const struct elf_facts *facts = exe->facts;
	uint64_t bias;

	if (!facts || !facts->dl_stack_used || !facts->dl_stack_user ||
	    !facts_describe_threads(&facts->thread_db))
		return;
	for (size_t i = 0; i < maps->n; i++) {
		const struct maps_file *file = &maps->files[i];

		if (file->dev != id->dev || file->ino != id->ino ||
		    !facts_bias(facts, file->start, file->offset, &bias))
			continue;
		target->db = &facts->thread_db;
		target->lists = (struct thread_lists){
			.used = bias + facts->dl_stack_used,
			.user = bias + facts->dl_stack_user,
		};
		return;
	}
}

/* ---- the block ---------------------------------------------------------- */

/* Whether a static block of this size can be at that offset. */
static bool is_plausible(const struct elf_facts *facts, int64_t offset)
{
	uint64_t size = facts->tls.memsz, limit = UINT64_C(1) << 30;

	return offset < 0 ? -(uint64_t)offset >= size && -(uint64_t)offset <= limit
			  : offset >= 16 && (uint64_t)offset <= limit;
}

/* The dynamic linker has resolved the library's own GOT: try that first, as it works with every
 * libc. */
static int place_by_slot(const struct target *target, const struct elf_facts *facts, uint64_t bias,
			 struct tls_place *ret)
{
	uint64_t value;

	if (facts->slot.kind == ELF_SLOT_NONE)
		return -ENOENT;
	int rc = remote_read_u64(&target->remote, bias + facts->slot.vaddr, &value);
	if (rc < 0)
		return rc;
	if (facts->slot.kind == ELF_SLOT_MODULE)
		return target->db ? rtld_module_place(&target->remote, target->db, &target->rtld,
						      value, ret)
				  : -ENOTSUP;
	int64_t offset = (int64_t)(value - facts->slot.addend);
	if (!is_plausible(facts, offset))
		return -EINVAL;
	*ret = (struct tls_place){.offset = offset};
	return 0;
}

static void find_library_place(struct target *target, const struct search *search)
{
	const struct elf_facts *facts = search->holder->facts;
	int rc = place_by_slot(target, facts, search->holder_bias, &target->place);

	if (rc < 0 && rc != -EPERM && rc != -ESRCH && target->db)
		rc = rtld_find_place(&target->remote, target->db, &target->rtld, facts->machine,
				     search->holder_bias, &target->place);
	if (rc < 0)
		fail_memory(target, TAG_TLS_UNRESOLVED, rc);
}

/* ---- all together ------------------------------------------------------- */

/* Must be called before the process's memory is read; false if the memory cannot be read. */
static bool open_memory(struct target *target)
{
	const struct ctprof_host *host = target->process.files.host;
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/pagemap", target->process.files.via);
	int fd = host->open_file(host, target->process.files.task_fd, path);
	if (fd < 0)
		fail_file(target, fd == -EACCES ? TAG_MEMORY_DENIED : TAG_PROCESS_VM_READV, fd);
	target->remote.pagemap = fd;
	return fd >= 0;
}

/* Sets the tag of a process whose executable does not contain jemalloc and
 * whose libraries were searched. */
static void take_library(struct target *target, const struct search *search)
{
	target->holder = search->holder;
	if (!search->holder)
		fail(target, search->unreadable ? TAG_OBJECT_UNREADABLE
			     : search->unparsed ? TAG_OBJECT_UNPARSED
						: TAG_JEMALLOC_NOT_FOUND);
	else if (search->holder->tag != TAG_OK)
		fail(target, search->holder->tag);
	else if (open_memory(target))
		find_library_place(target, search);
}

static void resolve_in_maps(struct target *target, struct objects *objects,
			    const struct object *exe, const struct file_id *id)
{
	__attribute__((cleanup(maps_clear))) struct maps maps = {0};
	struct search search = {0};
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/maps", target->process.files.via);
	int rc = maps_read(target->process.files.host, target->process.files.task_fd, path, &maps);
	if (rc < 0) {
		fail_file(target, TAG_MAPS_READ_FAILURE, rc);
		return;
	}
	search_maps(target, objects, &maps, id, is_libc_name, &search);
	if (!target->holder)
		search_maps(target, objects, &maps, id, is_jemalloc_name, &search);
	if (!target->holder && !search.holder)
		search_maps(target, objects, &maps, id, NULL, &search);
	if (exe->is_static)
		find_static_lists(target, exe, &maps, id);
	else
		find_thread_lists(target, &search);
	if (!target->holder)
		take_library(target, &search);
}

/* Opens the executable through the leader or, if that has exited and lost its memory, through
 * another thread. */
static int open_exe(struct target *target, struct objects *objects, int32_t other,
		    struct file_id *ret_id, const struct object **ret)
{
	int rc = objects_get_exe(objects, &target->process, ret_id, ret);

	if ((rc != -ENOENT && rc != -ESRCH) || other == target->process.files.via)
		return rc;
	target->process.files.via = other;
	target->remote.pid = other;
	return objects_get_exe(objects, &target->process, ret_id, ret);
}

static void resolve(struct target *target, struct objects *objects, int32_t other)
{
	const struct object *exe;
	struct file_id id;
	int rc = open_exe(target, objects, other, &id, &exe);

	if (rc < 0) {
		fail_file(target, TAG_READLINK_FAILURE, rc);
		if (!process_has_memory(&target->process))
			target->absence = CTPROF_ABSENT_INAPPLICABLE;
		return;
	}
	if (exe->tag != TAG_OK && (exe->tag != TAG_JEMALLOC_NOT_FOUND || exe->is_static)) {
		fail(target, exe->tag);
		return;
	}
	if (exe->tag == TAG_OK) {
		if (!open_memory(target))
			return;
		target->holder = exe;
		if (!tls_exe_offset(exe->facts->machine, &exe->facts->tls, &target->place.offset)) {
			fail(target, TAG_TLS_ARITHMETIC);
			return;
		}
	}
	resolve_in_maps(target, objects, exe, &id);
	if (target->tag == TAG_OK)
		target->nested = process_is_nested(&target->process) == 1;
}

void target_enter(struct target *target, struct objects *objects, struct parser *parser,
		  const struct ctprof_target *row, int32_t other, bool needs_threads)
{
	struct stat st;
	bool exists = row->task_fd >= 0 && fstat(row->task_fd, &st) == 0;
	bool known = exists && target->tgid == row->tgid && target->task_ino == st.st_ino;
	int32_t via = known && target->process.files.via != row->tgid ? other : row->tgid;

	if (!known)
		target_clear(target);
	target->process = (struct process){
		.files = {parser->host, parser->mounts, row->task_fd, via}, .parser = parser};
	target->remote = (struct remote){via, target->remote.pagemap, process_vm_readv};
	target->tgid = row->tgid;
	if (!exists)
		fail(target, TAG_PID_MISSING);
	if (!exists || known)
		return;
	target->task_ino = st.st_ino;
	resolve(target, objects, other);
	if (target->tag == TAG_OK && needs_threads && !target->db)
		fail(target, TAG_THREAD_LIST_UNSUPPORTED);
}

void target_clear(struct target *target)
{
	threads_clear(&target->threads);
	cleanup_fd(&target->remote.pagemap);
	*target = TARGET_INIT;
}
