/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "objects.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "async.h"
#include "cleanup.h"
#include "debugfile.h"
#include "foreign.h"
#include "hold.h"
#include "parser.h"

#define BUCKETS 4096u
/* More ELF files than any host executes; further ones are not remembered. */
#define MAX_OBJECTS 200000u
/* CPU time for all questions about a file, and for all files of one owner; once that is used up, a
 * file gets only the time that ordinary files need. */
#define FILE_NS UINT64_C(250000000)
#define OWNER_NS UINT64_C(250000000)
#define ROOT_NS UINT64_C(2000000000)
#define LATE_FILE_NS UINT64_C(5000000)
/* Beyond this multiple of the owner's time, the owner's files are not read. */
#define LATE_SHARE 4
/* Further owners share the last entry. */
#define MAX_OWNERS 256u
/* How often to check whether another worker's examination makes progress. */
#define WAIT_NS 1000000

/* The identity of an open file, from fstat().  Users cannot give one of their files the identity of
 * another user's: the kernel sets ctime, so a file that reuses the number differs. */
struct identity {
	uint64_t dev; /* as maps has it */
	uint64_t ino;
	uint64_t uid;
	uint64_t size;
	int64_t mtime, mtime_ns, ctime, ctime_ns;
};

/* An answer is stored under the identities of all files that it is derived from, so it is the same
 * for every process.  The files that a process maps are determined for each process. */
struct key {
	struct identity file;
	struct identity debug;
	uint64_t by_debug; /* false: the answer is from the file itself */
	uint64_t is_exe;
};

enum state {
	STATE_NEW,     /* not examined yet, or the last attempt failed to open it */
	STATE_LOADING, /* one worker examines it, the others wait */
	STATE_READY,
};

struct entry {
	struct entry *next;
	struct key key;
	enum state state;
	/* The sample in which a process was seen to map the file under the numbers of its identity:
	 * other processes that map these numbers need not open it. */
	uint64_t mapped_in;
	_Atomic uint64_t moved_ns; /* LOADING: time of the last progress */
	struct object object;
};

/* An owner of examined files, and the CPU time that all of them took. */
struct owner {
	uid_t uid;
	uint64_t used_ns;
};

struct objects {
	struct ctprof_host host; /* a copy, which outlives the source */
	int proc;                /* its root */
	struct foreign_mounts mounts;
	char helper[4096];
	_Atomic unsigned refs;
	_Atomic uint64_t sample;
	pthread_mutex_t lock;
	pthread_cond_t loaded;
	size_t n_owners;
	struct owner owners[MAX_OWNERS];
	size_t n;
	struct entry *buckets[BUCKETS];
};

/* Replaces the host's function in the copy, as the original may use memory that is already
 * freed. */
static int proc_root(const struct ctprof_host *host, uint32_t which)
{
	const struct objects *objects = (const void *)host;

	return which == CTPROF_ROOT_PROC ? objects->proc : -ENOENT;
}

struct objects *objects_new(const struct ctprof_host *host, const char *helper)
{
	struct objects *out = calloc(1, sizeof *out);

	if (!out)
		return NULL;
	memcpy(&out->host, host,
	       host->struct_size < sizeof out->host ? host->struct_size : sizeof out->host);
	out->host.root = proc_root;
	out->proc = host->root(host, CTPROF_ROOT_PROC);
	foreign_mounts_init(&out->mounts, host);
	(void)snprintf(out->helper, sizeof out->helper, "%s", helper);
	atomic_init(&out->refs, 1);
	atomic_init(&out->sample, 1);
	pthread_mutex_init(&out->lock, NULL);
	hold_init_condition(&out->loaded);
	return out;
}

struct objects *objects_ref(struct objects *objects)
{
	atomic_fetch_add(&objects->refs, 1);
	return objects;
}

void objects_again(struct objects *objects)
{
	atomic_fetch_add(&objects->sample, 1);
}

void objects_lend(struct objects *objects, struct parser *ret)
{
	*ret = (struct parser){
		.host = &objects->host, .mounts = &objects->mounts, .program = objects->helper};
}

void objects_unref(struct objects *objects)
{
	if (!objects || atomic_fetch_sub(&objects->refs, 1) > 1)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct entry *entry = objects->buckets[i], *next; entry; entry = next) {
			next = entry->next;
			if (!entry->key.by_debug)
				free(entry->object.facts); /* otherwise another entry's */
			free(entry);
		}
	}
	foreign_mounts_clear(&objects->mounts);
	pthread_cond_destroy(&objects->loaded);
	pthread_mutex_destroy(&objects->lock);
	free(objects);
}

/* ---- looking at a file -------------------------------------------------- */

static struct owner *find_owner(struct objects *objects, uid_t uid)
{
	for (size_t i = 0; i < objects->n_owners; i++)
		if (objects->owners[i].uid == uid)
			return &objects->owners[i];
	if (objects->n_owners < MAX_OWNERS)
		objects->owners[objects->n_owners++].uid = uid;
	return &objects->owners[objects->n_owners - 1];
}

static uint64_t get_budget(struct objects *objects, uid_t uid)
{
	uint64_t all = uid == 0 ? ROOT_NS : OWNER_NS;
	HOLD(&objects->lock);
	uint64_t used = find_owner(objects, uid)->used_ns;

	return used < all ? FILE_NS : used < LATE_SHARE * all ? LATE_FILE_NS : 0;
}

static void take_used(struct objects *objects, uid_t uid, uint64_t ns)
{
	HOLD(&objects->lock);
	find_owner(objects, uid)->used_ns += ns;
}

static bool can_list_threads(const struct elf_facts *facts)
{
	return facts->rtld_global != 0 || facts->dl_stack_user != 0 ||
	       facts_describe_threads(&facts->thread_db);
}

/* Examines a file; the caller owns ret->facts. */
static int look(const struct process *process, int fd, bool is_exe, uint64_t *budget_ns,
		struct object *ret)
{
	struct examine_request request = {.question = EXAMINE_OBJECT, .is_exe = is_exe};
	struct examine_answer answer;
	const struct elf_facts *facts = &answer.facts;
	int rc = parser_ask(process->parser, fd, &request, budget_ns, &answer);

	if (rc < 0)
		return rc;
	/* A mapped file that is not an ELF file does not contain jemalloc. */
	*ret = (struct object){
		.tag = answer.rc == 0 || answer.rc == -EINVAL ? TAG_JEMALLOC_NOT_FOUND
							      : TAG_OBJECT_UNPARSED,
		.is_static = answer.rc == 0 && is_exe && !facts->has_interpreter,
	};
	if (answer.rc < 0)
		return 0;
	if (facts->has_tsd || facts->has_mallctl || facts->has_strings) {
		struct layout_job job = {process, facts, fd, budget_ns};

		ret->tag = layout_find(&job, &ret->offsets);
	} else if (!can_list_threads(facts)) {
		return 0;
	}
	ret->facts = malloc(sizeof *facts);
	if (!ret->facts)
		return -ENOMEM;
	*ret->facts = *facts;
	return 0;
}

/* Fills in the offsets from a debug file, for an object about which everything else is known. */
static int look_at_debug(const struct process *process, int fd, uint64_t *budget_ns,
			 struct object *ret)
{
	struct layout_job job = {process, ret->facts, fd, budget_ns};
	int rc = layout_ask_debug(&job, &ret->offsets);

	if (rc == 0)
		ret->tag = TAG_OK;
	else if (rc != -ENODATA && rc != -EINVAL)
		ret->tag = TAG_OBJECT_UNPARSED;
	return 0;
}

static int load(struct objects *objects, const struct process *process, int fd, uid_t uid,
		struct entry *entry)
{
	uint64_t budget = get_budget(objects, uid), left = budget;

	if (budget == 0) {
		entry->object.tag = TAG_OBJECT_UNPARSED;
		return 0;
	}
	process->parser->moved_ns = &entry->moved_ns;
	int rc = entry->key.by_debug ? look_at_debug(process, fd, &left, &entry->object)
				     : look(process, fd, entry->key.is_exe, &left, &entry->object);
	process->parser->moved_ns = NULL;
	take_used(objects, uid, budget - left);
	return rc;
}

/* ---- the table ---------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static struct entry **find_bucket(struct objects *objects, uint64_t dev, uint64_t ino)
{
	return &objects->buckets[mix(mix(0, dev), ino) % BUCKETS];
}

static struct entry *find_or_add(struct objects *objects, const struct key *key)
{
	struct entry **bucket = find_bucket(objects, key->file.dev, key->file.ino);

	for (struct entry *entry = *bucket; entry; entry = entry->next)
		if (memcmp(&entry->key, key, sizeof *key) == 0)
			return entry;
	if (objects->n == MAX_OBJECTS)
		return NULL;
	struct entry *entry = calloc(1, sizeof *entry);
	if (!entry)
		return NULL;
	entry->key = *key;
	entry->next = *bucket;
	*bucket = entry;
	objects->n++;
	return entry;
}

/* Waits for another worker's examination, and reports its progress; must be called with the lock
 * held. */
static void await_load(struct objects *objects, struct entry *entry)
{
	uint64_t seen = atomic_load(&entry->moved_ns), moved;

	while (entry->state == STATE_LOADING) {
		(void)hold_wait(&objects->loaded, &objects->lock, clock_now() + WAIT_NS);
		moved = atomic_load(&entry->moved_ns);
		if (moved != seen)
			async_note_progress();
		seen = moved;
	}
}

/* Returns the entry, READY or to be loaded by the caller (LOADING); NULL: out of memory. */
static struct entry *claim(struct objects *objects, const struct key *key, bool *ret_must_load)
{
	HOLD(&objects->lock);
	struct entry *entry = find_or_add(objects, key);

	if (entry)
		await_load(objects, entry);
	*ret_must_load = entry && entry->state == STATE_NEW;
	if (*ret_must_load)
		entry->state = STATE_LOADING;
	return entry;
}

/* Returns the entry of a file that another process was seen to map in this sample, or NULL. */
static struct entry *find_mapped(struct objects *objects, const struct maps_file *file,
				 uint64_t sample)
{
	HOLD(&objects->lock);
	struct entry *entry = *find_bucket(objects, file->dev, file->ino);

	while (entry && (entry->mapped_in != sample || entry->key.file.dev != file->dev ||
			 entry->key.file.ino != file->ino))
		entry = entry->next;
	return entry;
}

/* Notes that a file is mapped; only if its numbers in maps identify it.  On btrfs and overlayfs,
 * fstat() gives other numbers, and two files may share one, so every process opens its own.  The
 * same applies to files not owned by root: during a sample a user can remove one, and the next file
 * gets its number. */
static void note_mapped(struct objects *objects, struct entry *entry, const struct maps_file *file,
			uint64_t sample)
{
	HOLD(&objects->lock);
	if (entry->key.file.uid == 0 && entry->key.file.dev == file->dev &&
	    entry->key.file.ino == file->ino)
		entry->mapped_in = sample;
}

static void settle(struct objects *objects, struct entry *entry, int rc)
{
	HOLD(&objects->lock);
	entry->state = rc < 0 ? STATE_NEW : STATE_READY;
	pthread_cond_broadcast(&objects->loaded);
}

static uint64_t device_of(const struct stat *st)
{
	return (uint64_t)major(st->st_dev) << 32 | minor(st->st_dev);
}

static struct identity identity_of(const struct stat *st)
{
	return (struct identity){
		.dev = device_of(st),
		.ino = st->st_ino,
		.uid = st->st_uid,
		.size = (uint64_t)st->st_size,
		.mtime = st->st_mtim.tv_sec,
		.mtime_ns = st->st_mtim.tv_nsec,
		.ctime = st->st_ctim.tv_sec,
		.ctime_ns = st->st_ctim.tv_nsec,
	};
}

/* Gets the answer for the file opened as fd: on its own (of: NULL), or as the debug file of an
 * object. */
static int get_opened(struct objects *objects, const struct process *process, int fd, bool is_exe,
		      const struct entry *of, struct entry **ret)
{
	struct stat st;
	bool must_load;

	if (fstat(fd, &st) != 0)
		return -errno;
	struct key key = {.file = identity_of(&st), .is_exe = is_exe};
	if (of) {
		key = of->key;
		key.debug = identity_of(&st);
		key.by_debug = true;
	}
	struct entry *entry = claim(objects, &key, &must_load);
	if (!entry)
		return -ENOMEM;
	if (must_load) {
		if (of)
			entry->object = of->object;
		int rc = load(objects, process, fd, st.st_uid, entry);
		settle(objects, entry, rc);
		if (rc < 0)
			return rc;
	}
	*ret = entry;
	return 0;
}

/* If an object alone is not enough, tries debug files that the process has for it.  The result is
 * for this process only: the names, and the files that they lead to, are its own. */
static const struct object *settle_by_names(struct objects *objects, const struct process *process,
					    const char *path, const struct entry *entry)
{
	char candidate[PATH_MAX];
	struct entry *found;

	for (size_t i = 0; i < DEBUGFILE_CANDIDATES; i++) {
		if (!debugfile_candidate(entry->object.facts, path, i, candidate, sizeof candidate))
			continue;
		AUTO_FD fd = foreign_open_below(&process->files, candidate);
		if (fd >= 0 &&
		    get_opened(objects, process, fd, entry->key.is_exe, entry, &found) == 0 &&
		    found->object.tag == TAG_OK)
			return &found->object;
	}
	return &entry->object;
}

int objects_get_exe(struct objects *objects, const struct process *process, struct file_id *ret_id,
		    const struct object **ret)
{
	AUTO_FD fd = process_open_exe(process);
	char path[4096] = "", link[32];
	struct entry *entry;
	int rc = fd < 0 ? fd : get_opened(objects, process, fd, true, NULL, &entry);

	if (rc < 0)
		return rc;
	*ret_id = (struct file_id){.dev = entry->key.file.dev, .ino = entry->key.file.ino};
	*ret = &entry->object;
	snprintf(link, sizeof link, "%d/exe", process->files.via);
	if (layout_lacks_debug(*ret) &&
	    readlinkat(process->files.task_fd, link, path, sizeof path - 1) > 0)
		*ret = settle_by_names(objects, process, path, entry);
	return 0;
}

int objects_get_mapped(struct objects *objects, const struct process *process,
		       const struct maps_file *file, const struct object **ret)
{
	uint64_t sample = atomic_load(&objects->sample);
	struct entry *entry = find_mapped(objects, file, sample);

	if (!entry) {
		AUTO_FD fd = process_open_mapped(process, file);
		int rc = fd < 0 ? fd : get_opened(objects, process, fd, false, NULL, &entry);

		if (rc < 0)
			return rc;
		note_mapped(objects, entry, file, sample);
	}
	*ret = &entry->object;
	if (layout_lacks_debug(*ret))
		*ret = settle_by_names(objects, process, file->path, entry);
	return 0;
}
