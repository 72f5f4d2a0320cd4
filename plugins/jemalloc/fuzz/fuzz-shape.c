/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The input is a plan of an ELF file: which sections it has, what their headers claim and what they
 * contain, so that every input gets past the headers.  The parser must answer within its limits of
 * time and memory.  In a build for libFuzzer, the code is called directly, and libFuzzer bounds its
 * time and memory.
 */
#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cleanup.h"
#include "examine.h"
#include "plan.h"
#ifndef FUZZ_IN_PROCESS
#include "fakehost.h"
#include "parser.h"
#endif

#define MAX_SECTIONS 24u
#define MAX_SEGMENTS 6u
#define HEADERS_AT (MAX_SEGMENTS * sizeof(Elf64_Phdr) + sizeof(Elf64_Ehdr))
#define PIECE 2048u
#define BUDGET_NS UINT64_C(100000000)
#define SLACK_NS UINT64_C(50000000)
#define MAX_RSS_KIB (400ul << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the contents of a section ------------------------------------------ */

static const char names[] =
	"\0.symtab\0.dynsym\0.strtab\0.rela.dyn\0.note.gnu.build-id\0.gnu_debuglink\0.debug_info\0"
	".debug_abbrev\0.debug_str\0.zdebug_info\0.zdebug_abbrev\0.debug_line\0"
	"je_tsd_tls\0mallctlnametomib\0_rtld_global\0_r_debug\0_thread_db_pthread_list\0malloc\0"
	"allocatedp\0deallocatedp\0tsd_s\0"
	"cant_access_tsd_items_directly_use_a_getter_or_setter_thread_allocated\0"
	"cant_access_tsd_items_directly_use_a_getter_or_setter_thread_deallocated";

/* Returns the offset of the n-th name. */
static uint32_t name_at(unsigned n)
{
	size_t at = 0;

	for (n %= 24; n > 0 && at < sizeof names; n--)
		at += strlen(names + at) + 1;
	return (uint32_t)(at < sizeof names ? at : 0);
}

static void fill_symbols(struct plan *plan, uint8_t *to)
{
	for (size_t i = 0; i < PIECE / sizeof(Elf64_Sym) && plan->left > 0; i++) {
		Elf64_Sym symbol = {
			.st_name = name_at(next(plan)),
			.st_info = next(plan),
			.st_shndx = next(plan),
			.st_value = next_number(plan),
		};

		memcpy(to + i * sizeof symbol, &symbol, sizeof symbol);
	}
}

static void fill_relocations(struct plan *plan, uint8_t *to)
{
	for (size_t i = 0; i < PIECE / sizeof(Elf64_Rela) && plan->left > 0; i++) {
		Elf64_Rela rela = {
			.r_offset = next_number(plan),
			.r_info = next(plan),
			.r_addend = (int64_t)next_number(plan),
		};

		memcpy(to + i * sizeof rela, &rela, sizeof rela);
	}
}

static void fill_compressed(struct plan *plan, uint8_t *to)
{
	Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, next_number(plan), 1};

	memcpy(to, &header, sizeof header);
	memcpy(to + sizeof header, "\x78\x9c", 2);
	for (size_t i = sizeof header + 2; i < 256; i++)
		to[i] = next(plan);
}

static void fill_gnu_compressed(struct plan *plan, uint8_t *to)
{
	memcpy(to, "ZLIB", 4);
	for (size_t i = 4; i < 12; i++)
		to[i] = next(plan);
	memcpy(to + 12, "\x78\x9c", 2);
	for (size_t i = 14; i < 256; i++)
		to[i] = next(plan);
}

/* Fills units, or abbreviations, with a few different bytes, so that they fit together. */
static void fill_dwarf(struct plan *plan, uint8_t *to)
{
	uint32_t length = 256;
	uint16_t version = (uint16_t)(2 + next(plan) % 4);

	memcpy(to, &length, sizeof length);
	memcpy(to + 4, &version, sizeof version);
	for (size_t i = 6; i < 260; i++)
		to[i] = next(plan) % 64;
}

static void fill_any(struct plan *plan, uint8_t *to)
{
	for (size_t i = 0; i < 256; i++)
		to[i] = next(plan);
}

static void (*const fillers[])(struct plan *, uint8_t *) = {
	fill_symbols, fill_relocations, fill_compressed, fill_gnu_compressed, fill_dwarf, fill_any,
};

/* ---- the file ----------------------------------------------------------- */

static void put_segments(struct plan *plan, uint8_t *image, unsigned n)
{
	static const uint32_t types[] = {PT_LOAD, PT_LOAD, PT_TLS, PT_INTERP, PT_NOTE};

	for (unsigned i = 0; i < n; i++) {
		Elf64_Phdr ph = {
			.p_type = types[next(plan) % 5],
			.p_flags = next(plan),
			.p_offset = next_number(plan),
			.p_vaddr = next_number(plan),
			.p_filesz = next_number(plan),
			.p_memsz = next_number(plan),
			.p_align = next_number(plan),
		};

		memcpy(image + sizeof(Elf64_Ehdr) + i * sizeof ph, &ph, sizeof ph);
	}
}

static void put_section(struct plan *plan, uint8_t *image, unsigned i, uint64_t headers)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM,   SHT_RELA,  SHT_NOTE,
					 SHT_STRTAB, SHT_PROGBITS, SHT_NOBITS};
	uint8_t odd = next(plan);
	Elf64_Shdr sh = {
		.sh_name = name_at(next(plan)),
		.sh_type = types[next(plan) % 7],
		.sh_flags =
			(next(plan) & 3 ? 0 : SHF_COMPRESSED) | (next(plan) & 1 ? SHF_ALLOC : 0),
		.sh_offset = HEADERS_AT + i * PIECE,
		.sh_size = PIECE,
		.sh_link = 1, /* the names */
		.sh_entsize = 24,
		.sh_addralign = 8,
	};

	fillers[next(plan) % (sizeof fillers / sizeof fillers[0])](plan, image + sh.sh_offset);
	if (odd & 1)
		sh.sh_size = next_number(plan);
	if (odd & 2)
		sh.sh_offset = next_number(plan);
	if (odd & 4)
		sh.sh_link = next(plan);
	memcpy(image + headers + i * sizeof sh, &sh, sizeof sh);
}

static void build(struct plan *plan, uint8_t *image)
{
	unsigned n = 2 + next(plan) % (MAX_SECTIONS - 2), segments = next(plan) % MAX_SEGMENTS;
	uint64_t headers = FILE_BYTES - MAX_SECTIONS * sizeof(Elf64_Shdr);
	Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = next(plan) & 1 ? EM_AARCH64 : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof eh,
		.e_shoff = headers,
		.e_ehsize = sizeof eh,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)n,
		.e_shstrndx = 1,
	};
	Elf64_Shdr strings = {
		.sh_type = SHT_STRTAB,
		.sh_offset = HEADERS_AT + PIECE,
		.sh_size = sizeof names,
		.sh_addralign = 1,
	};

	memcpy(image, &eh, sizeof eh);
	put_segments(plan, image, segments);
	memcpy(image + strings.sh_offset, names, sizeof names);
	memcpy(image + headers + sizeof strings, &strings, sizeof strings);
	for (unsigned i = 2; i < n; i++)
		put_section(plan, image, i, headers);
}

/* ---- questions ---------------------------------------------------------- */

static void check(const struct examine_answer *answer)
{
	if (answer->rc == 0 && !facts_are_sound(&answer->facts))
		abort();
}

#ifdef FUZZ_IN_PROCESS
static void ask(int fd, const struct examine_request *request, struct examine_answer *ret)
{
	examine(fd, request, ret);
	check(ret);
}
#else
static struct parser parser;

/* Returns the peak memory of the running parser. */
static unsigned long peak_kib(void)
{
	char path[32], line[256];
	unsigned long kib = 0;

	snprintf(path, sizeof path, "/proc/%d/status", (int)parser.pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	if (file)
		(void)fclose(file);
	return kib;
}

static void ask(int fd, const struct examine_request *request, struct examine_answer *ret)
{
	uint64_t budget_ns = BUDGET_NS + SLACK_NS;

	if (!parser.program) {
		parser.host = fake_host_table(fake_host_new("/proc", NULL, NULL, TRUE));
		parser.program = BUILD_DIR "/ctprof-jemalloc-examine";
	}
	if (parser_ask(&parser, fd, request, &budget_ns, ret) != 0)
		abort();
	check(ret);
	/* A file of this size must neither kill the parser nor use up its time or memory. */
	if (ret->rc == -ETIME || ret->rc == -ETIMEDOUT || ret->rc == -EBADMSG ||
	    budget_ns < SLACK_NS || peak_kib() > MAX_RSS_KIB)
		abort();
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t image[FILE_BYTES];
	struct plan plan = {data, size};
	struct examine_request request = {.question = EXAMINE_OBJECT, .is_exe = size & 1};
	struct examine_answer answer;
	AUTO_FD fd = memfd_create("shape", MFD_CLOEXEC);

	memset(image, 0, sizeof image);
	build(&plan, image);
	if (fd < 0 || write(fd, image, sizeof image) != (ssize_t)sizeof image)
		abort();
	elf_version(EV_CURRENT);
	ask(fd, &request, &answer);
	request.object = answer.facts;
	request.object.has_tsd = true;
	for (request.question = EXAMINE_DWARF; request.question <= EXAMINE_CODE; request.question++)
		ask(fd, &request, &answer);
	return 0;
}
