/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target without libFuzzer, so that it is tested with every compiler
 * and in every test run: on each seed as it is, then on mutations that depend
 * only on the seeds (ordered by name) and on their own number.
 *
 *	fuzz-NAME [-n COUNT] [FILE-OR-FOLDER...]
 *
 * When the target dies, its input is left in crash-NAME in the working directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	SEED_MAX = 256 * 1024,        /* a longer file is cut */
	SEEDS_MAX = 1024,             /* further files are left out */
	INPUT_MAX = 4096,             /* size of a mutation; of longer seeds, a part is used */
	TOTAL_MAX = 64 * 1024 * 1024, /* bytes of mutations, bounds the run's time */
	ROUNDS_MAX = 8,               /* changes in one mutation */
	HANG_S = 120,                 /* CPU seconds of a whole run */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sanitizers call this before they end the program. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed seeds[SEEDS_MAX];
static size_t n_seeds;

/* The current input, for the report of a crash. */
static const uint8_t *current_data;
static size_t current_size;
static char crash_path[256];

static void crash_report(void)
{
	static const char said[] = "fuzz: the input is in ";
	int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool kept = fd >= 0 && write(fd, current_data, current_size) == (ssize_t)current_size;

	if (kept && write(STDERR_FILENO, said, sizeof(said) - 1) > 0 &&
	    write(STDERR_FILENO, crash_path, strlen(crash_path)) > 0)
		(void)!write(STDERR_FILENO, "\n", 1);
}

static void crash_on_signal(int number)
{
	crash_report();
	/* SA_RESETHAND: this time the signal ends the process. */
	raise(number);
}

static void crash_watch(const char *program)
{
	static const int deadly[] = {SIGABRT, SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	/* A sanitizer itself reports all signals except the first two. */
	size_t n = __sanitizer_set_death_callback ? 2 : sizeof(deadly) / sizeof(deadly[0]);
	struct sigaction action = {.sa_handler = crash_on_signal, .sa_flags = (int)SA_RESETHAND};
	const char *slash = strrchr(program, '/');

	snprintf(crash_path, sizeof(crash_path), "crash-%s", slash ? slash + 1 : program);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(crash_report);
	for (size_t i = 0; i < n; i++)
		sigaction(deadly[i], &action, NULL);
}

static void free_bytes(uint8_t **bytes)
{
	free(*bytes);
}

/* Copies the input to memory of exactly its size, so that a sanitizer detects reads beyond it. */
static void try_input(const uint8_t *data, size_t size)
{
	__attribute__((cleanup(free_bytes))) uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		abort();
	memcpy(exact, data, size);
	current_data = exact;
	current_size = size;
	LLVMFuzzerTestOneInput(exact, size);
	current_size = 0;
}

static void seed_add(const uint8_t *data, size_t size)
{
	struct seed *seed = &seeds[n_seeds];

	if (n_seeds == SEEDS_MAX)
		return;
	seed->data = malloc(size ? size : 1);
	if (!seed->data)
		abort();
	memcpy(seed->data, data, size);
	seed->size = size;
	n_seeds++;
}

static void seeds_free(void)
{
	while (n_seeds)
		free(seeds[--n_seeds].data);
}

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static int seed_load(const char *path)
{
	static uint8_t buffer[SEED_MAX];
	__attribute__((cleanup(close_file))) FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	seed_add(buffer, fread(buffer, 1, sizeof(buffer), file));
	return ferror(file) ? -EIO : 0;
}

static int skip_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void entries_free(struct dirent **entries, int n)
{
	while (n > 0)
		free(entries[--n]);
	free(entries);
}

static int folder_load(const char *path)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, skip_hidden, alphasort);
	int result = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (!result)
			result = seed_load(file);
	}
	entries_free(entries, n);
	return result;
}

/* A target without a corpus starts from an empty input, so a missing path is not an error. */
static int path_load(const char *path)
{
	struct stat st;
	int result = 0;

	if (stat(path, &st) == 0)
		result = S_ISDIR(st.st_mode) ? folder_load(path) : seed_load(path);
	else if (errno != ENOENT)
		result = -errno;
	if (result < 0)
		fprintf(stderr, "fuzz: %s: %s\n", path, strerror(-result));
	return result;
}

/* xorshift64*: the same numbers everywhere. */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* 0 .. bound - 1; bound >= 1 */
static size_t random_below(uint64_t *state, size_t bound)
{
	return (size_t)((random_next(state) >> 16) % bound);
}

struct input {
	uint8_t data[INPUT_MAX];
	size_t size;
};

/* Makes room at at for n bytes, or for the number that fits; returns that number. */
static size_t input_open(struct input *in, size_t at, size_t n)
{
	if (n > sizeof(in->data) - in->size)
		n = sizeof(in->data) - in->size;
	memmove(in->data + at + n, in->data + at, in->size - at);
	in->size += n;
	return n;
}

static void mutate_flip_bit(struct input *in, uint64_t *state)
{
	if (in->size)
		in->data[random_below(state, in->size)] ^= (uint8_t)(1u << random_below(state, 8));
}

/* Sets bytes that can confuse parsers of kernel text. */
static void mutate_set_byte(struct input *in, uint64_t *state)
{
	static const char odd[] = "\0\n\t :-+.,/()[]0129axK%\x7f\x80\xff";

	if (in->size)
		in->data[random_below(state, in->size)] =
			(uint8_t)odd[random_below(state, sizeof(odd) - 1)];
}

static void mutate_truncate(struct input *in, uint64_t *state)
{
	in->size = random_below(state, in->size + 1);
}

static void mutate_delete(struct input *in, uint64_t *state)
{
	size_t at = random_below(state, in->size + 1);
	size_t n = random_below(state, in->size - at + 1);

	memmove(in->data + at, in->data + at + n, in->size - at - n);
	in->size -= n;
}

static void mutate_duplicate(struct input *in, uint64_t *state)
{
	uint8_t piece[256];
	size_t from = random_below(state, in->size + 1);
	size_t n = random_below(state, in->size - from + 1);
	size_t at = random_below(state, in->size + 1);

	if (n > sizeof(piece))
		n = sizeof(piece);
	memcpy(piece, in->data + from, n);
	n = input_open(in, at, n);
	memcpy(in->data + at, piece, n);
}

static void mutate_splice(struct input *in, uint64_t *state)
{
	const struct seed *other = &seeds[random_below(state, n_seeds)];
	size_t from = random_below(state, other->size + 1);
	size_t n = random_below(state, other->size - from + 1);
	size_t at = random_below(state, in->size + 1);

	n = input_open(in, at, n);
	memcpy(in->data + at, other->data + from, n);
}

/* Inserts a large or unusual number anywhere. */
static void mutate_number(struct input *in, uint64_t *state)
{
	static const char *const numbers[] = {"18446744073709551616", "9223372036854775808", "-1",
					      "4294967296", "00000000000000000000000"};
	const char *number = numbers[random_below(state, sizeof(numbers) / sizeof(numbers[0]))];
	size_t at = random_below(state, in->size + 1);

	memcpy(in->data + at, number, input_open(in, at, strlen(number)));
}

static void input_mutate(struct input *in, uint64_t number)
{
	static void (*const mutations[])(struct input *, uint64_t *) = {
		mutate_flip_bit,  mutate_set_byte, mutate_truncate, mutate_delete,
		mutate_duplicate, mutate_splice,   mutate_number,
	};
	/* Any state except 0 will do; consecutive numbers give distant states. */
	uint64_t state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	const struct seed *seed = &seeds[random_below(&state, n_seeds)];
	size_t from = 0;

	in->size = seed->size < sizeof(in->data) ? seed->size : sizeof(in->data);
	if (seed->size > in->size)
		from = random_below(&state, seed->size - in->size + 1);
	memcpy(in->data, seed->data + from, in->size);
	for (size_t n = random_below(&state, ROUNDS_MAX) + 1; n; n--)
		mutations[random_below(&state, sizeof(mutations) / sizeof(mutations[0]))](in,
											  &state);
}

int main(int argc, char **argv)
{
	unsigned long count = 20000;
	unsigned long done = 0;
	int option = getopt(argc, argv, "n:");

	if (option == 'n')
		count = strtoul(optarg, NULL, 10);
	else if (option != -1)
		return 2;
	for (int i = optind; i < argc; i++)
		if (path_load(argv[i]) < 0)
			return 1;
	if (!n_seeds)
		seed_add((const uint8_t *)"", 0);

	crash_watch(argv[0]);
	/* The handler reports which input hangs. CPU time is measured, as the host may be busy. */
	setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = HANG_S}, NULL);
	for (size_t i = 0; i < n_seeds; i++)
		try_input(seeds[i].data, seeds[i].size);
	for (size_t total = 0; done < count && total < TOTAL_MAX; done++) {
		static struct input in;

		input_mutate(&in, done);
		try_input(in.data, in.size);
		total += in.size;
	}
	printf("%zu seeds, %lu mutations\n", n_seeds, done);
	seeds_free();
	return 0;
}
