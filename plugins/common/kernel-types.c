/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel-types.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf-condition.h"
#include "cleanup.h"
#include "file.h"
#include "list.h"

/* Begins the suffix of a type name that distinguishes versions of the type (CO-RE). */
#define FLAVOUR "___"
/* The programs need about a hundred. */
#define MOST_KEPT 4096u
#define MOST_MODIFIERS 32
/* The file has about 6 MB; larger ones are not read. */
#define MOST_BYTES ((size_t)64 << 20)

struct name {
	const char *p;
	size_t len;
};

struct names {
	struct name *name;
	size_t n, room;
};

struct cut {
	/* The kernel's types. */
	const char *types, *strings;
	uint32_t types_len, strings_len;
	uint32_t *at; /* by id: offset in types; 0: void */
	uint32_t n;   /* of ids */
	/* The structs and members that are kept. */
	struct names structs, members;
	uint32_t *new_id; /* by id; 0: not kept */
	uint32_t kept[MOST_KEPT], n_kept;
	struct btf *btf;
};

static void free_cut(struct cut **cut)
{
	free((*cut)->at);
	free((*cut)->new_id);
	free((*cut)->structs.name);
	free((*cut)->members.name);
	btf__free((*cut)->btf);
	free(*cut);
}

/* ---- names ------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->p, y->p, x->len);
}

static bool has_name(const struct names *names, struct name name)
{
	return names->n && bsearch(&name, names->name, names->n, sizeof name, compare_names);
}

/* bpf_core_essential_name_len() */
static struct name without_flavour(const char *text)
{
	const char *end = strstr(text, FLAVOUR);

	return (struct name){text, end && end != text ? (size_t)(end - text) : strlen(text)};
}

static int add_name(struct names *names, struct name name)
{
	if (name.len == 0)
		return 0;
	int r = list_reserve(&names->name, &names->room, names->n + 1, SIZE_MAX, sizeof name);
	if (r == 0)
		names->name[names->n++] = name;
	return r;
}

static void sort_names(const struct names *names)
{
	if (names->n)
		qsort(names->name, names->n, sizeof *names->name, compare_names);
}

static int read_wanted(struct cut *cut, const struct btf *wanted)
{
	int r = 0;

	for (uint32_t id = 1; id < btf__type_cnt(wanted) && r == 0; id++) {
		const struct btf_type *type = btf__type_by_id(wanted, id);

		if (!btf_is_composite(type))
			continue;
		r = add_name(&cut->structs,
			     without_flavour(btf__str_by_offset(wanted, type->name_off)));
		for (uint32_t i = 0; i < btf_vlen(type) && r == 0; i++) {
			const char *name =
				btf__str_by_offset(wanted, btf_members(type)[i].name_off);

			r = add_name(&cut->members, (struct name){name, strlen(name)});
		}
	}
	sort_names(&cut->structs);
	sort_names(&cut->members);
	return r;
}

/* ---- the kernel's types ------------------------------------------------ */

/* Returns the number of bytes after struct btf_type; SIZE_MAX for an unknown kind. */
static size_t size_of_rest(const struct btf_type *type)
{
	size_t n = btf_vlen(type);

	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return sizeof(__u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return SIZE_MAX;
	}
}

static int find_parts(struct cut *cut, const char *bytes, size_t len)
{
	struct btf_header head;

	if (len < sizeof head || len > UINT32_MAX)
		return -EINVAL;
	memcpy(&head, bytes, sizeof head);
	if (head.magic != BTF_MAGIC || head.hdr_len < sizeof head || head.hdr_len > len ||
	    head.hdr_len % 4)
		return -EINVAL;
	bytes += head.hdr_len;
	len -= head.hdr_len;
	if (head.type_off > len || head.type_len > len - head.type_off || head.type_off % 4 ||
	    head.str_off > len || head.str_len > len - head.str_off || head.str_len == 0 ||
	    bytes[head.str_off + head.str_len - 1] != '\0')
		return -EINVAL;
	cut->types = bytes + head.type_off;
	cut->types_len = head.type_len;
	cut->strings = bytes + head.str_off;
	cut->strings_len = head.str_len;
	return 0;
}

static const struct btf_type *type_of(const struct cut *cut, uint32_t id)
{
	return (const struct btf_type *)(const void *)(cut->types + cut->at[id]);
}

static const char *text_of(const struct cut *cut, uint32_t offset)
{
	return offset < cut->strings_len ? cut->strings + offset : "";
}

static int number_types(struct cut *cut)
{
	uint32_t most = cut->types_len / (uint32_t)sizeof(struct btf_type) + 1, at = 0;

	cut->at = calloc(most + 1, sizeof *cut->at);
	cut->new_id = calloc(most + 1, sizeof *cut->new_id);
	if (!cut->at || !cut->new_id)
		return -ENOMEM;
	/* ID 0 is void, which is not in the table. */
	for (cut->n = 1; at < cut->types_len; cut->n++) {
		size_t left = cut->types_len - at;

		if (left < sizeof(struct btf_type))
			return -EINVAL;
		cut->at[cut->n] = at;
		size_t rest = size_of_rest(type_of(cut, cut->n));
		if (rest > left - sizeof(struct btf_type))
			return -EOPNOTSUPP;
		at += (uint32_t)(sizeof(struct btf_type) + rest);
	}
	return 0;
}

/* ---- the kept types ---------------------------------------------------- */

/* Strips modifiers and typedefs, which CO-RE ignores; 0: void, or invalid. */
static uint32_t strip(const struct cut *cut, uint32_t id)
{
	for (int i = 0; i < MOST_MODIFIERS && id > 0 && id < cut->n; i++) {
		const struct btf_type *type = type_of(cut, id);

		if (!btf_is_mod(type) && !btf_is_typedef(type))
			return id;
		id = type->type;
	}
	return 0;
}

/* Returns the new ID; 0 also if the table is full. */
static uint32_t keep(struct cut *cut, uint32_t id)
{
	id = strip(cut, id);
	if (id == 0 || cut->new_id[id] || cut->n_kept == MOST_KEPT)
		return id ? cut->new_id[id] : 0;
	cut->kept[cut->n_kept++] = id;
	cut->new_id[id] = cut->n_kept;
	return cut->n_kept;
}

/* Whether a member is kept.  A member without a name is part of the struct it is in. */
static bool is_kept(const struct cut *cut, const struct btf_member *member)
{
	const char *name = text_of(cut, member->name_off);

	return !*name || has_name(&cut->members, (struct name){name, strlen(name)});
}

static void keep_structs(struct cut *cut)
{
	for (uint32_t id = 1; id < cut->n; id++) {
		const struct btf_type *type = type_of(cut, id);

		if (btf_is_composite(type) && type->name_off &&
		    has_name(&cut->structs, without_flavour(text_of(cut, type->name_off))))
			(void)keep(cut, id);
	}
}

static void keep_members(struct cut *cut, const struct btf_type *type)
{
	const struct btf_member *members = btf_members(type);

	for (uint32_t i = 0; i < btf_vlen(type); i++)
		if (is_kept(cut, &members[i]))
			(void)keep(cut, members[i].type);
}

/* Most types are of another kind, or after the target, so their names are not compared. */
static void find_target(const struct cut *cut, struct types_target *target)
{
	for (uint32_t id = 1; id < cut->n && target->id == 0; id++) {
		const struct btf_type *type = type_of(cut, id);

		if (btf_kind(type) == target->kind &&
		    strcmp(text_of(cut, type->name_off), target->name) == 0)
			target->id = id;
	}
}

/* Each kept type may add further ones, which this loop then reaches. */
static void keep_parts(struct cut *cut)
{
	for (uint32_t i = 0; i < cut->n_kept; i++) {
		const struct btf_type *type = type_of(cut, cut->kept[i]);

		if (btf_is_composite(type)) {
			keep_members(cut, type);
		} else if (btf_is_array(type)) {
			(void)keep(cut, btf_array(type)->type);
			(void)keep(cut, btf_array(type)->index_type);
		}
	}
}

/* ---- writing ----------------------------------------------------------- */

static int write_composite(const struct cut *cut, const struct btf_type *type, const char *name)
{
	const struct btf_member *members = btf_members(type);
	int r = btf_is_struct(type) ? btf__add_struct(cut->btf, name, type->size)
				    : btf__add_union(cut->btf, name, type->size);

	for (uint32_t i = 0; i < btf_vlen(type) && r >= 0; i++)
		if (is_kept(cut, &members[i]))
			r = btf__add_field(cut->btf, text_of(cut, members[i].name_off),
					   (int)cut->new_id[strip(cut, members[i].type)],
					   btf_member_bit_offset(type, i),
					   btf_member_bitfield_size(type, i));
	return r;
}

/* Writes a type without the target of a pointer and the constants of an enum, which are not
 * needed. */
static int write_type(const struct cut *cut, const struct btf_type *type)
{
	const char *name = text_of(cut, type->name_off);

	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return write_composite(cut, type, name);
	case BTF_KIND_INT:
		return btf__add_int(cut->btf, name, type->size, btf_int_encoding(type));
	case BTF_KIND_PTR:
		return btf__add_ptr(cut->btf, 0);
	case BTF_KIND_ARRAY:
		return btf__add_array(cut->btf,
				      (int)cut->new_id[strip(cut, btf_array(type)->index_type)],
				      (int)cut->new_id[strip(cut, btf_array(type)->type)],
				      btf_array(type)->nelems);
	case BTF_KIND_ENUM:
		return btf__add_enum(cut->btf, name, type->size);
	case BTF_KIND_ENUM64:
		return btf__add_enum64(cut->btf, name, type->size, btf_kflag(type));
	default:
		return btf__add_fwd(cut->btf, "other", BTF_FWD_STRUCT);
	}
}

static int write_types(struct cut *cut)
{
	int r = 0;

	if (cut->n_kept == MOST_KEPT)
		return -E2BIG;
	cut->btf = btf__new_empty();
	if (!cut->btf)
		return -errno;
	for (uint32_t i = 0; i < cut->n_kept && r >= 0; i++)
		r = write_type(cut, type_of(cut, cut->kept[i]));
	return r < 0 ? r : 0;
}

int types_cut(const struct btf *wanted, const void *bytes, size_t len, struct types_target *targets,
	      size_t n_targets, struct btf **ret)
{
	__attribute__((cleanup(free_cut))) struct cut *cut = calloc(1, sizeof *cut);
	int r = cut ? find_parts(cut, bytes, len) : -ENOMEM;

	if (r == 0)
		r = read_wanted(cut, wanted);
	if (r == 0)
		r = number_types(cut);
	if (r < 0)
		return r;
	keep_structs(cut);
	keep_parts(cut);
	for (size_t i = 0; i < n_targets; i++)
		find_target(cut, &targets[i]);
	r = write_types(cut);
	if (r < 0)
		return r;
	*ret = cut->btf;
	cut->btf = NULL;
	return 0;
}

/* ---- the file ---------------------------------------------------------- */

/* Maps the file, which the kernel allows from Linux 6.16 on. */
static bool map_file(const struct ctprof_host *host, struct types *types)
{
	int sys = host->root(host, CTPROF_ROOT_SYS);
	AUTO_FD fd = sys < 0 ? -1 : host->open_file(host, sys, BPF_TYPES_FILE);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	*types = (struct types){.bytes = map, .len = (size_t)st.st_size, .is_map = true};
	return true;
}

void types_open(const struct ctprof_host *host, struct types *ret)
{
	char *text;

	if (map_file(host, ret))
		return;
	ssize_t got = file_load_records(host, CTPROF_ROOT_SYS, BPF_TYPES_FILE, MOST_BYTES, &text);
	*ret = got < 0 ? (struct types){.len = 0}
		       : (struct types){.bytes = text, .len = (size_t)got};
}

void types_close(struct types *types)
{
	if (types->is_map)
		(void)munmap(types->bytes, types->len);
	else
		free(types->bytes);
}

/* ---- loading ----------------------------------------------------------- */

static int give_target(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	const struct types_target *target = (const void *)cookie;

	options->attach_btf_id = target->id;
	return target->id ? bpf_program__set_type(program, BPF_PROG_TYPE_TRACING) : -ENOENT;
}

/* Before 1.3, libbpf must not be left without any handler: it would use freed memory. */
static int keep_handler(void)
{
	static int kept;

	if (kept <= 0)
		kept = libbpf_register_prog_handler("ctprof", BPF_PROG_TYPE_UNSPEC, 0, NULL);
	return kept;
}

/* For programs of BPF_PROG_TYPE_TRACING, libbpf reads all types of the kernel, megabytes, only to
 * find the ID of the target.  With these handlers they get that type when they are loaded. */
static int add_handlers(const struct types_user *user, int ret_handlers[TYPES_TARGETS])
{
	int r = keep_handler();

	for (unsigned i = 0; i < user->n_targets && r >= 0; i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, options, .cookie = (long)&user->targets[i],
			    .prog_prepare_load_fn = give_target);

		r = ret_handlers[i] = libbpf_register_prog_handler(
			user->targets[i].section, BPF_PROG_TYPE_RAW_TRACEPOINT,
			user->targets[i].attach, &options);
	}
	return r;
}

static void remove_handlers(const int handlers[TYPES_TARGETS])
{
	for (unsigned i = 0; i < TYPES_TARGETS; i++)
		if (handlers[i] > 0)
			(void)libbpf_unregister_prog_handler(handlers[i]);
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, bytes, len);

		if (written < 0 && errno != EINTR)
			return -errno;
		bytes += written > 0 ? written : 0;
		len -= written > 0 ? (size_t)written : 0;
	}
	return 0;
}

/* Writes the types that the programs need. */
static int offer_types(const struct types_user *user, const struct btf *own, const void *kernel,
		       size_t kernel_len, int fd)
{
	struct btf *cut;
	uint32_t len;
	int r = types_cut(own, kernel, kernel_len, user->targets, user->n_targets, &cut);

	if (r < 0)
		return r;
	const char *bytes = btf__raw_data(cut, &len);
	r = bytes ? write_all(fd, bytes, len) : -ENOMEM;
	btf__free(cut);
	return r;
}

static int load_cut(const struct types_user *user, const void *bytes, size_t len)
{
	char path[32];
	struct bpf_object *object;
	LIBBPF_OPTS(bpf_object_open_opts, options);
	AUTO_FD fd = memfd_create("types", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	(void)snprintf(path, sizeof path, "/dev/fd/%d", fd);
	options.btf_custom_path = path;
	int r = user->open(user->data, &options, &object);
	r = r < 0 ? r : offer_types(user, bpf_object__btf(object), bytes, len, fd);
	return r < 0 ? r : user->load(user->data);
}

int types_load(const struct types_user *user, const void *bytes, size_t len)
{
	int handlers[TYPES_TARGETS] = {0};
	struct bpf_object *object;
	LIBBPF_OPTS(bpf_object_open_opts, options);
	int r;

	if (bytes) {
		r = add_handlers(user, handlers);
		r = r < 0 ? r : load_cut(user, bytes, len);
		remove_handlers(handlers);
	} else {
		r = user->open(user->data, &options, &object);
		r = r < 0 ? r : user->load(user->data);
	}
	return r;
}
