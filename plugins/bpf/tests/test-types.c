/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests cutting the kernel's types down to those that the programs read. */
#include <glib.h>
#include <string.h>

#include "kernel-types.h"

/* The number of types that the programs do not need, as in the kernel. */
#define N_OTHERS 300

static int check(int r)
{
	g_assert_cmpint(r, >=, 0);
	return r;
}

/* Returns the types that a program declares: two structs, one of them in an old version. */
static struct btf *programs(void)
{
	struct btf *btf = btf__new_empty();
	int number = check(btf__add_int(btf, "int", 4, BTF_INT_SIGNED));

	check(btf__add_struct(btf, "task_struct___old", 64));
	for (const char *const *name = (const char *const[]){"state", "flags", "se", "count", "sum",
							     "next", "mode", NULL};
	     *name; name++)
		check(btf__add_field(btf, *name, number, 0, 0));
	check(btf__add_struct(btf, "task_struct", 64));
	check(btf__add_struct(btf, "pid", 8));
	check(btf__add_field(btf, "numbers", number, 0, 0));
	return btf;
}

static void add_others(struct btf *btf, int number)
{
	for (int i = 0; i < N_OTHERS; i++) {
		g_autofree char *name = g_strdup_printf("other%d", i);

		check(btf__add_struct(btf, name, 8));
		check(btf__add_field(btf, "state", number, 0, 0));
		check(btf__add_field(btf, "unread", number, 32, 0));
		check(btf__add_func_proto(btf, number));
		check(btf__add_func_param(btf, "it", number));
		check(btf__add_enum(btf, NULL, 4));
		check(btf__add_enum_value(btf, name, i));
	}
}

/* Makes a type with each kind of member, some of which are read. */
static struct btf *kernel(void)
{
	struct btf *btf = btf__new_empty();
	int number = check(btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	int word = check(btf__add_int(btf, "long", 8, 0));

	add_others(btf, number);
	int u64 = check(btf__add_typedef(btf, "u64", check(btf__add_const(btf, word))));
	int entity = check(btf__add_struct(btf, "sched_entity", 24));
	check(btf__add_field(btf, "load", word, 0, 0));
	check(btf__add_field(btf, "sum", u64, 128, 0));
	int nameless = check(btf__add_union(btf, NULL, 8));
	check(btf__add_field(btf, "unread", word, 0, 0));
	check(btf__add_field(btf, "count", word, 0, 0));
	int mode = check(btf__add_enum(btf, "mode", 4));
	check(btf__add_enum_value(btf, "ON", 1));
	int array = check(btf__add_array(btf, number, word, 3));
	int flexible = check(btf__add_array(btf, number, number, 0));
	int task = check(btf__add_struct(btf, "task_struct", 80));
	check(btf__add_field(btf, "unread", word, 0, 0));
	check(btf__add_field(btf, NULL, nameless, 64, 0));
	check(btf__add_field(btf, "se", entity, 128, 0));
	check(btf__add_field(btf, "flags", number, 320, 3));
	check(btf__add_field(btf, "mode", mode, 352, 0));
	check(btf__add_field(btf, "state", array, 384, 0));
	int pointer = check(btf__add_ptr(btf, task));
	check(btf__add_struct(btf, "pid", 8));
	check(btf__add_field(btf, "next", pointer, 0, 0));
	check(btf__add_field(btf, "numbers", flexible, 64, 0));
	return btf;
}

/* Describes a type in words: "kind/size(members)". */
static void describe(GString *text, const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	switch (type ? btf_kind(type) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		g_string_append_printf(text, "%u(", type->size);
		for (__u32 i = 0; i < btf_vlen(type); i++) {
			const struct btf_member *member = &btf_members(type)[i];

			g_string_append_printf(text, " %s@%u",
					       btf__str_by_offset(btf, member->name_off),
					       btf_member_bit_offset(type, i));
			if (btf_member_bitfield_size(type, i))
				g_string_append_printf(text, ":%u",
						       btf_member_bitfield_size(type, i));
			g_string_append_c(text, '=');
			describe(text, btf, member->type);
		}
		g_string_append(text, " )");
		break;
	case BTF_KIND_INT:
		g_string_append_printf(text, "int%u%s", type->size,
				       btf_int_encoding(type) & BTF_INT_SIGNED ? "s" : "");
		break;
	case BTF_KIND_ENUM:
		g_string_append_printf(text, "enum%u", type->size);
		break;
	case BTF_KIND_PTR:
		g_string_append(text, "ptr");
		break;
	case BTF_KIND_ARRAY:
		describe(text, btf, btf_array(type)->type);
		g_string_append_printf(text, "[%u]", btf_array(type)->nelems);
		break;
	default:
		g_string_append(text, "?");
	}
}

static void check_struct(const struct btf *btf, const char *name, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	describe(text, btf, (__u32)check(btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT)));
	g_assert_cmpstr(text->str, ==, expected);
}

static void test_cut(void)
{
	struct btf *wanted = programs(), *whole = kernel(), *cut = NULL;
	struct types_target targets[] = {{.name = "pid", .kind = BTF_KIND_STRUCT},
					 {.name = "pid", .kind = BTF_KIND_FUNC}};
	__u32 len;
	const void *bytes = btf__raw_data(whole, &len);

	g_assert_cmpint(types_cut(wanted, bytes, len, targets, G_N_ELEMENTS(targets), &cut), ==, 0);
	g_assert_cmpint((int)targets[0].id, ==,
			btf__find_by_name_kind(whole, "pid", BTF_KIND_STRUCT));
	g_assert_cmpuint(targets[1].id, ==, 0);
	check_struct(cut, "task_struct",
		     "80( @64=8( count@0=int8 ) se@128=24( sum@128=int8 ) flags@320:3=int4s "
		     "mode@352=enum4 state@384=int8[3] )");
	check_struct(cut, "pid", "8( next@0=ptr numbers@64=int4s[0] )");
	g_assert_cmpint(btf__find_by_name_kind(cut, "other7", BTF_KIND_STRUCT), <, 0);
	g_assert_cmpuint(btf__type_cnt(cut), <, 20);
	btf__free(cut);
	btf__free(whole);
	btf__free(wanted);
}

static char *copy(const char *bytes, gsize len)
{
	char *fresh = g_malloc(MAX(len, 1));

	memcpy(fresh, bytes, len);
	return fresh;
}

/* Nothing is read beyond the end, whatever the data claim. */
static void test_broken(void)
{
	struct btf *wanted = programs(), *whole = kernel();
	__u32 len;
	const char *bytes = btf__raw_data(whole, &len);

	for (__u32 at = 0; at < len; at += 4) {
		struct btf *cut = NULL;
		g_autofree char *shorter = copy(bytes, at), *other = copy(bytes, len);

		g_assert_cmpint(types_cut(wanted, shorter, at, NULL, 0, &cut), <, 0);
		memset(other + at, 0xff, MIN(4, len - at));
		if (types_cut(wanted, other, len, NULL, 0, &cut) == 0)
			btf__free(cut);
	}
	btf__free(whole);
	btf__free(wanted);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf/types/cut", test_cut);
	g_test_add_func("/bpf/types/broken", test_broken);
	return g_test_run();
}
