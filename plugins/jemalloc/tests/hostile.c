/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hostile.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void put(int fd, guint64 offset, gconstpointer data, gsize len)
{
	g_assert_cmpint(pwrite(fd, data, len, (off_t)offset), ==, (gssize)len);
}

/* Replaces a PT_NOTE, which no program needs to run. */
static void put_tls(int fd, const char *image, const Elf64_Ehdr *header)
{
	for (guint i = 0; i < header->e_phnum; i++) {
		guint64 at = header->e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr ph;

		memcpy(&ph, image + at, sizeof ph);
		if (ph.p_type != PT_NOTE)
			continue;
		ph = (Elf64_Phdr){.p_type = PT_TLS, .p_flags = PF_R, .p_memsz = 4096, .p_align = 8};
		put(fd, at, &ph, sizeof ph);
		return;
	}
}

static void put_sections(int fd, guint64 at, const struct hostile_section *sections, guint n)
{
	/* The null section, the given ones, and the names. */
	g_autofree Elf64_Shdr *headers = g_new0(Elf64_Shdr, n + 2);
	g_autoptr(GString) names = g_string_new_len("", 1);

	for (guint i = 0; i < n; i++) {
		headers[i + 1] = (Elf64_Shdr){
			.sh_name = (guint32)names->len,
			.sh_type = sections[i].type,
			.sh_flags = sections[i].flags,
			.sh_offset = sections[i].offset,
			.sh_size = sections[i].size,
			.sh_link = sections[i].link,
			.sh_entsize = sections[i].entsize,
			.sh_addralign = 1,
		};
		g_string_append_len(names, sections[i].name, (gssize)strlen(sections[i].name) + 1);
	}
	headers[n + 1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = at + (n + 2) * sizeof *headers,
		.sh_size = names->len,
		.sh_addralign = 1,
	};
	put(fd, at, headers, (n + 2) * sizeof *headers);
	put(fd, headers[n + 1].sh_offset, names->str, names->len);
}

void hostile_write(const char *path, const char *program, guint64 size,
		   const struct hostile_piece *pieces, const struct hostile_section *sections,
		   guint n)
{
	g_autofree char *image = NULL;
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
#ifdef __aarch64__
		.e_machine = EM_AARCH64,
#else
		.e_machine = EM_X86_64,
#endif
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof header,
	};
	gsize len = 0;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	g_assert_cmpint(fd, >=, 0);
	if (program) {
		g_assert_true(g_file_get_contents(program, &image, &len, NULL));
		memcpy(&header, image, sizeof header);
		put(fd, 0, image, len);
		put_tls(fd, image, &header);
	}
	size = (MAX(size, len) + 7) & ~G_GUINT64_CONSTANT(7);
	for (; pieces && pieces->data; pieces++)
		put(fd, pieces->offset, pieces->data, pieces->len);
	header.e_shoff = size;
	header.e_shentsize = sizeof(Elf64_Shdr);
	header.e_shnum = (Elf64_Half)(n + 2);
	header.e_shstrndx = (Elf64_Half)(n + 1);
	put(fd, 0, &header, sizeof header);
	put_sections(fd, size, sections, n);
	close(fd);
}
