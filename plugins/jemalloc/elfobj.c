/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elfobj.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

/* Larger than all tables of the largest real files. */
#define MAX_TABLE_BYTES (UINT64_C(96) << 20)
#define MAX_SECTIONS 65536u
#define MAX_SCAN_BYTES (UINT64_C(64) << 20)

/* ---- program headers ---------------------------------------------------- */

static void take_segment(struct elf_facts *facts, const GElf_Phdr *ph)
{
	switch (ph->p_type) {
	case PT_LOAD:
		if (facts->n_loads < FACTS_MAX_LOADS)
			facts->loads[facts->n_loads++] = (struct elf_load){
				.vaddr = ph->p_vaddr,
				.offset = ph->p_offset,
				.filesz = ph->p_filesz,
				.writable = (ph->p_flags & PF_W) != 0,
			};
		break;
	case PT_TLS:
		facts->has_tls = true;
		facts->tls = (struct tls_segment){ph->p_vaddr, ph->p_memsz, ph->p_align};
		break;
	case PT_INTERP:
		facts->has_interpreter = true;
		break;
	default:
		break;
	}
}

static void read_segments(Elf *elf, struct elf_facts *facts)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i <= INT16_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &ph))
			take_segment(facts, &ph);
}

/* ---- glibc's descriptors ------------------------------------------------ */

/* A descriptor is {bits, nelem, offset}; a size is one word. */
struct descriptor {
	const char *name; /* after "_thread_db_" */
	size_t member;
	size_t word;
};

#define DESCRIPTOR(name, member, word)                                                             \
	{                                                                                          \
		name, offsetof(struct elf_thread_db, member), word                                 \
	}

static const struct descriptor descriptors[] = {
	DESCRIPTOR("pthread_list", pthread_list, 2),
	DESCRIPTOR("pthread_tid", pthread_tid, 2),
	DESCRIPTOR("sizeof_pthread", sizeof_pthread, 0),
	DESCRIPTOR("list_t_next", list_next, 2),
	DESCRIPTOR("list_t_prev", list_prev, 2),
	DESCRIPTOR("rtld_global__dl_stack_used", dl_stack_used, 2),
	DESCRIPTOR("rtld_global__dl_stack_user", dl_stack_user, 2),
	DESCRIPTOR("rtld_global__dl_tls_dtv_slotinfo_list", dl_slotinfo, 2),
	DESCRIPTOR("link_map_l_tls_offset", link_map_tls_offset, 2),
	DESCRIPTOR("link_map_l_tls_modid", link_map_tls_modid, 2),
};

/* An upper bound for the size of glibc's structs. */
#define MAX_DESCRIBED 65536u
#define N_DESCRIPTORS (sizeof descriptors / sizeof descriptors[0])

static void take_descriptor(Elf *elf, struct elf_facts *facts, const char *name, uint64_t vaddr)
{
	for (size_t i = 0; i < N_DESCRIPTORS; i++) {
		const struct descriptor *d = &descriptors[i];
		uint64_t at, size = (d->word + 1) * sizeof(uint32_t);

		if (strcmp(name, d->name) != 0 || !facts_file_offset(facts, vaddr, size, &at) ||
		    at > INT64_MAX)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)at, size, ELF_T_WORD);
		if (!data || data->d_size < size)
			return;
		uint32_t word;
		memcpy(&word, (const char *)data->d_buf + d->word * sizeof word, sizeof word);
		if (word > MAX_DESCRIBED)
			return;
		memcpy((char *)&facts->thread_db + d->member, &word, sizeof word);
		facts->thread_db.found |= UINT32_C(1) << i;
		return;
	}
}

/* ---- symbols ------------------------------------------------------------ */

bool elfobj_is_tsd_name(const char *name)
{
	static const char suffix[] = "_tsd_tls";
	size_t len = strlen(name), tail = sizeof suffix - 1;

	return strcmp(name, suffix + 1) == 0 ||
	       (len > tail && strcmp(name + len - tail, suffix) == 0);
}

struct address_symbol {
	const char *name;
	size_t member;
};

static const struct address_symbol address_symbols[] = {
	{"_rtld_global", offsetof(struct elf_facts, rtld_global)},
	{"_r_debug", offsetof(struct elf_facts, r_debug)},
	{"_dl_stack_used", offsetof(struct elf_facts, dl_stack_used)},
	{"_dl_stack_user", offsetof(struct elf_facts, dl_stack_user)},
};

static void take_data_symbol(Elf *elf, struct elf_facts *facts, const char *name, uint64_t value)
{
	static const char prefix[] = "_thread_db_";

	if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
		take_descriptor(elf, facts, name + sizeof prefix - 1, value);
		return;
	}
	for (size_t i = 0; i < sizeof address_symbols / sizeof address_symbols[0]; i++)
		if (strcmp(name, address_symbols[i].name) == 0)
			memcpy((char *)facts + address_symbols[i].member, &value, sizeof value);
}

static void take_function(struct elf_facts *facts, const char *name)
{
	static const char suffix[] = "mallctlnametomib";
	size_t len = strlen(name), tail = sizeof suffix - 1;

	if (strcmp(name, "malloc") == 0)
		facts->defines_malloc = true;
	if (len < tail || len - tail >= sizeof facts->prefix ||
	    strcmp(name + len - tail, suffix) != 0)
		return;
	facts->has_mallctl = true;
	memcpy(facts->prefix, name, len - tail);
	facts->prefix[len - tail] = '\0';
}

static void take_symbol(Elf *elf, struct elf_facts *facts, const GElf_Sym *sym, const char *name)
{
	if (sym->st_shndx == SHN_UNDEF)
		return;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_TLS:
		if (facts->has_tsd || !elfobj_is_tsd_name(name))
			return;
		facts->has_tsd = true;
		facts->tsd_value = sym->st_value;
		facts->tsd_size = sym->st_size;
		return;
	case STT_FUNC:
	case STT_GNU_IFUNC:
		take_function(facts, name);
		return;
	case STT_OBJECT:
		if (name[0] == '_')
			take_data_symbol(elf, facts, name, sym->st_value);
		return;
	default:
		return;
	}
}

static void read_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct elf_facts *facts)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	if (!data || sh->sh_entsize == 0)
		return;
	size_t n = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 0; i < n && i < INT32_MAX && gelf_getsym(data, (int)i, &sym); i++) {
		/* elf_strptr() promises a terminated string, or NULL. */
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (name)
			take_symbol(elf, facts, &sym, name);
	}
}

/* ---- relocations, notes, debug link ------------------------------------- */

static enum elf_slot_kind slot_kind(uint16_t machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_TPOFF64    ? ELF_SLOT_TPOFF
		       : type == R_X86_64_DTPMOD64 ? ELF_SLOT_MODULE
						   : ELF_SLOT_NONE;
	case EM_AARCH64:
		return type == R_AARCH64_TLS_TPREL    ? ELF_SLOT_TPOFF
		       : type == R_AARCH64_TLS_DTPMOD ? ELF_SLOT_MODULE
						      : ELF_SLOT_NONE;
	default:
		return ELF_SLOT_NONE;
	}
}

/* Takes the slot from a table of relocations. */
static void take_slot(Elf *elf, Elf_Scn *scn, struct elf_facts *facts)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;

	if (!data)
		return;
	size_t n = data->d_size / gelf_fsize(elf, ELF_T_RELA, 1, EV_CURRENT);
	for (size_t i = 0; i < n && i < INT32_MAX && gelf_getrela(data, (int)i, &rela); i++) {
		enum elf_slot_kind kind = slot_kind(facts->machine, GELF_R_TYPE(rela.r_info));

		/* A relocation with a symbol may refer to another object's block
		 * (errno); one without refers to this object's own. */
		if (kind == ELF_SLOT_NONE || GELF_R_SYM(rela.r_info) != STN_UNDEF)
			continue;
		facts->slot = (struct elf_slot){kind, rela.r_offset, (uint64_t)rela.r_addend};
		if (kind == ELF_SLOT_TPOFF)
			return;
	}
}

static void read_relocations(Elf *elf, struct elf_facts *facts)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (facts->slot.kind != ELF_SLOT_TPOFF && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && (sh.sh_flags & SHF_ALLOC))
			take_slot(elf, scn, facts);
}

static void read_build_id(Elf_Scn *scn, struct elf_facts *facts)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Nhdr note;
	size_t at = 0, name, desc;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
		    memcmp((const char *)data->d_buf + name, "GNU", sizeof "GNU") != 0 ||
		    note.n_descsz < 3 || note.n_descsz > FACTS_MAX_BUILD_ID)
			continue;
		memcpy(facts->build_id, (const char *)data->d_buf + desc, note.n_descsz);
		facts->build_id_len = note.n_descsz;
		return;
	}
}

/* Reads a name, its NUL, padding to a multiple of four, and a CRC-32 of the file. */
static void read_debuglink(Elf_Scn *scn, struct elf_facts *facts)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf)
		return;
	size_t len = strnlen(data->d_buf, data->d_size), crc = (len + 4) & ~(size_t)3;
	if (len == 0 || len >= sizeof facts->debuglink || crc > data->d_size ||
	    data->d_size - crc < sizeof facts->debuglink_crc ||
	    memchr(data->d_buf, '/', len) != NULL || strcmp(data->d_buf, ".") == 0 ||
	    strcmp(data->d_buf, "..") == 0)
		return;
	memcpy(facts->debuglink, data->d_buf, len + 1);
	memcpy(&facts->debuglink_crc, (const char *)data->d_buf + crc, sizeof facts->debuglink_crc);
}

static void take_section(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, size_t names,
			 struct elf_facts *facts)
{
	switch (sh->sh_type) {
	case SHT_SYMTAB:
		facts->has_symtab = true;
		read_symbols(elf, scn, sh, facts);
		break;
	case SHT_DYNSYM:
		read_symbols(elf, scn, sh, facts);
		break;
	case SHT_NOTE:
		if (facts->build_id_len == 0)
			read_build_id(scn, facts);
		break;
	case SHT_PROGBITS: {
		const char *name = elf_strptr(elf, names, sh->sh_name);

		if (name && strcmp(name, ".gnu_debuglink") == 0)
			read_debuglink(scn, facts);
		break;
	}
	default:
		break;
	}
}

static bool is_table(const GElf_Shdr *sh)
{
	return sh->sh_type == SHT_SYMTAB || sh->sh_type == SHT_DYNSYM || sh->sh_type == SHT_RELA ||
	       sh->sh_type == SHT_NOTE;
}

/* Must be called before any table is read.  The sum of their sizes determines the cost; if it
 * exceeds the file's size, they overlap. */
static int check_tables(Elf *elf)
{
	size_t n = 0, size = 0;
	GElf_Shdr sh;

	(void)elf_rawfile(elf, &size);
	uint64_t left = size < MAX_TABLE_BYTES ? size : MAX_TABLE_BYTES;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)); n++) {
		if (n == MAX_SECTIONS)
			return -EFBIG;
		if (!gelf_getshdr(scn, &sh) || !is_table(&sh))
			continue;
		if (sh.sh_size > left)
			return -EFBIG;
		left -= sh.sh_size;
	}
	return 0;
}

int elfobj_parse(Elf *elf, struct elf_facts *ret)
{
	GElf_Ehdr eh;
	size_t names = 0;
	GElf_Shdr sh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    eh.e_ident[EI_DATA] !=
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB))
		return -EINVAL;
	*ret = (struct elf_facts){
		.machine = eh.e_machine,
		.is_64 = gelf_getclass(elf) == ELFCLASS64,
	};
	read_segments(elf, ret);
	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	int rc = check_tables(elf);
	for (Elf_Scn *scn = NULL; rc == 0 && (scn = elf_nextscn(elf, scn));)
		if (gelf_getshdr(scn, &sh))
			take_section(elf, scn, &sh, names, ret);
	/* Most files do not contain jemalloc, so their relocations do not matter. */
	if (rc == 0 && (ret->has_tsd || ret->has_mallctl))
		read_relocations(elf, ret);
	return rc;
}

/* ---- strings ------------------------------------------------------------ */

/* Takes JEMALLOC_VERSION: "MAJOR.MINOR.BUGFIX-NREV-gGID" with a GID of 40 digits. */
static bool take_version(const char *dash, const char *begin, const char *end,
			 struct elf_facts *facts)
{
	static const char digits[] = "0123456789.-";
	const char *start = dash;
	const char *gid = dash + 2;

	while (start > begin && dash - start < 20 && memchr(digits, start[-1], sizeof digits - 1))
		start--;
	if (end - gid < 40 || dash - start < 7)
		return false;
	for (size_t i = 0; i < 40; i++)
		if (!memchr("0123456789abcdef", gid[i], 16))
			return false;
	snprintf(facts->version, sizeof facts->version, "%.*s", (int)(gid + 40 - start), start);
	return true;
}

static void scan_segment(const char *buf, size_t len, struct elf_facts *facts)
{
	static const char message[] = "<jemalloc>: ";
	const char *end = buf + len, *at = buf;

	if (!facts->has_strings && memmem(buf, len, message, sizeof message - 1))
		facts->has_strings = true;
	while (facts->version[0] == '\0' && (at = memmem(at, (size_t)(end - at), "-g", 2))) {
		if (take_version(at, buf, end, facts))
			return;
		at += 2;
	}
}

void elfobj_scan_strings(const char *data, size_t size, struct elf_facts *facts)
{
	uint64_t left = MAX_SCAN_BYTES;

	for (size_t i = 0; i < facts->n_loads; i++) {
		const struct elf_load *load = &facts->loads[i];
		uint64_t len = load->filesz;

		if (load->writable || load->offset >= size)
			continue;
		len = len < size - load->offset ? len : size - load->offset;
		len = len < left ? len : left;
		left -= len;
		scan_segment(data + load->offset, (size_t)len, facts);
	}
}
