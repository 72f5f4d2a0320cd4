/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtld.h"

#include <elf.h>
#include <errno.h>

#include "tls.h"

/* Longer lists are invalid. */
#define MAX_OBJECTS 8192
#define MAX_SLOTINFO_LISTS 64
#define MAX_MODULES 65536u
#define MAX_TLS_OFFSET (UINT64_C(1) << 30)

/* <link.h>: public since the first glibc, 64-bit. */
#define R_DEBUG_MAP 8u
#define LINK_MAP_ADDR 0u
#define LINK_MAP_NEXT 24u

/* struct dtv_slotinfo_list: len, next, then {gen, map} by module. */
#define SLOTINFO_NEXT 8u
#define SLOTINFO_FIRST 16u
#define SLOTINFO_SIZE 16u

/* dtv_t: two words.  [-1].counter is the number of entries, [0].counter the
 * generation, [module].pointer.val the block. */
#define DTV_ENTRY 16u
#define DTV_UNALLOCATED UINT64_MAX

/* The members of elf_thread_db that a lookup needs; bits as in elfobj.c's table. */
#define HAS_SLOTINFO (UINT32_C(1) << 7)
#define HAS_LINK_MAP (UINT32_C(3) << 8)

static int find_link_map(const struct remote *remote, uint64_t debug, uint64_t bias, uint64_t *ret)
{
	uint64_t map;
	int rc = remote_read_u64(remote, debug + R_DEBUG_MAP, &map);

	for (int i = 0; rc == 0 && map != 0 && i < MAX_OBJECTS; i++) {
		uint64_t address, next;
		struct remote_piece pieces[] = {
			{.address = map + LINK_MAP_ADDR, .buf = &address, .len = sizeof address},
			{.address = map + LINK_MAP_NEXT, .buf = &next, .len = sizeof next},
		};

		rc = remote_read_many(remote, pieces, 2);
		if (rc < 0 || pieces[0].rc < 0 || pieces[1].rc < 0)
			return rc < 0 ? rc : -EFAULT;
		if (address == bias) {
			*ret = map;
			return 0;
		}
		map = next;
	}
	return rc < 0 ? rc : -ENOENT;
}

/* Reads the generation in which a module was added (elf/dl-tls.c, _dl_add_to_slotinfo()). */
static int read_generation(const struct remote *remote, uint64_t list_pointer, uint64_t module,
			   uint64_t *ret)
{
	uint64_t list, len, first = 0;
	int rc = remote_read_u64(remote, list_pointer, &list);

	for (int i = 0; rc == 0 && list != 0 && i < MAX_SLOTINFO_LISTS; i++) {
		rc = remote_read_u64(remote, list, &len);
		if (rc < 0 || len > MAX_MODULES)
			return rc < 0 ? rc : -EINVAL;
		if (module - first < len)
			return remote_read_u64(
				remote, list + SLOTINFO_FIRST + (module - first) * SLOTINFO_SIZE,
				ret);
		first += len;
		rc = remote_read_u64(remote, list + SLOTINFO_NEXT, &list);
	}
	return rc < 0 ? rc : -ENOENT;
}

int rtld_module_place(const struct remote *remote, const struct elf_thread_db *db,
		      const struct rtld *rtld, uint64_t module, struct tls_place *ret)
{
	struct tls_place place = {.dynamic = true, .module = module};

	if (!rtld->global || !(db->found & HAS_SLOTINFO))
		return -ENOTSUP;
	if (module == 0 || module > MAX_MODULES)
		return -EINVAL;
	int rc = read_generation(remote, rtld->global + db->dl_slotinfo, module, &place.generation);
	if (rc == 0)
		*ret = place;
	return rc;
}

int rtld_find_place(const struct remote *remote, const struct elf_thread_db *db,
		    const struct rtld *rtld, uint16_t machine, uint64_t bias, struct tls_place *ret)
{
	uint64_t map, offset, module;

	if (!rtld->debug || (db->found & HAS_LINK_MAP) != HAS_LINK_MAP)
		return -ENOTSUP;
	int rc = find_link_map(remote, rtld->debug, bias, &map);
	if (rc == 0)
		rc = remote_read_u64(remote, map + db->link_map_tls_offset, &offset);
	if (rc == 0)
		rc = remote_read_u64(remote, map + db->link_map_tls_modid, &module);
	if (rc < 0)
		return rc;
	/* 0 and -1 are NO_TLS_OFFSET and FORCED_DYNAMIC_TLS_OFFSET (-1 and -2 on
	 * aarch64, whose blocks may begin at 0): not static. */
	if (offset == 0 || offset > MAX_TLS_OFFSET)
		return rtld_module_place(remote, db, rtld, module, ret);
	*ret = (struct tls_place){
		.offset = machine == EM_X86_64 ? -(int64_t)offset : (int64_t)offset,
	};
	return 0;
}

int rtld_block_address(const struct remote *remote, const struct tls_place *place, uint16_t machine,
		       uint64_t tp, uint64_t *ret)
{
	uint64_t dtv, count, generation, block;

	if (!place->dynamic) {
		if (__builtin_add_overflow(tp, place->offset, &block))
			return -ERANGE;
		*ret = block;
		return 0;
	}
	int rc = remote_read_u64(remote, tls_dtv_pointer(machine, tp), &dtv);
	if (rc == 0)
		rc = remote_read_u64(remote, dtv - DTV_ENTRY, &count);
	if (rc == 0)
		rc = remote_read_u64(remote, dtv, &generation);
	if (rc < 0)
		return rc;
	if (place->module > count || generation < place->generation) {
		*ret = 0;
		return 0;
	}
	rc = remote_read_u64(remote, dtv + place->module * DTV_ENTRY, &block);
	if (rc == 0)
		*ret = block == DTV_UNALLOCATED ? 0 : block;
	return rc;
}
