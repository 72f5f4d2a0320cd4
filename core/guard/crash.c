/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/ui.h"
#include "delivery.h"

#define ALT_STACK_BYTES 65536

/* NULL in unit tests, in which the functions of this file have no effect. */
static CrashPage *page;
static _Thread_local CrashBlame *current; /* the calling thread's place in page */
static _Thread_local guint32 moves;       /* own copy of current->moves: plugins may corrupt that */
static int interrupted;                   /* the signal; atomic */

/* The nested ops that the calling thread is in: a reading sink may call a writing one. */
#define MAX_DEPTH 4
static _Thread_local struct op {
	const char *plugin, *name;
} ops[MAX_DEPTH];
static _Thread_local guint depth;

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const struct crash_signal {
	int number;
	const char *name;
} crashes[] = {
	{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"},
	{SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},
};
/* These end a process that does not handle them. */
static const struct crash_signal strays[] = {
	{SIGALRM, "SIGALRM"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"},
	{SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},     {SIGIO, "SIGIO"},
};

static void remove_unfinished(void)
{
	if (!trespass_in_copy())
		delivery_remove_unfinished();
}

static void on_interrupt(int number, siginfo_t *info, void *context)
{
	/* A signal to the process group arrives twice: our supervisor forwards it
	 * with SI_QUEUE. */
	static guint sent, passed_on; /* atomic */
	guint *count = info->si_code == SI_QUEUE ? &passed_on : &sent;

	(void)context;
	crash_note_signal(number);
	if (__atomic_add_fetch(count, 1, __ATOMIC_RELAXED) < 2)
		return;
	remove_unfinished();
	signal(number, SIG_DFL);
	raise(number); /* delivered when this handler returns */
}

/* The first thread to crash is the culprit; others may follow. */
static void crash_blame(void)
{
	guint32 none = 0;

	if (current && !trespass_in_copy())
		__atomic_compare_exchange_n(&page->crashed, &none,
					    (guint32)(current - page->blames) + 1, FALSE,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void crash_fail(void)
{
	remove_unfinished();
	if (page) {
		page->status = EXIT_FAILED;
		page->is_finished = TRUE;
	}
	_exit(EXIT_FAILED);
}

gboolean (*crash_excuse)(void);

static void on_crash(int number)
{
	if (crash_excuse && !trespass_in_copy() && crash_excuse())
		crash_fail();
	crash_blame();
	remove_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

static G_NORETURN void give_up(void)
{
	remove_unfinished();
	_exit(EXIT_FAILURE);
}

/* A plugin called exit(): skip the handlers that would follow. */
static void on_exit_called(void)
{
	if (!current || moves % 2 == 0)
		return;
	crash_blame();
	give_up();
}

/* Blames a plugin whose own pipe or socket broke.  A broken pipe of the output is not a fault: its
 * reader may end early. */
static void on_broken_pipe(int number)
{
	if (current && moves % 2 && delivery_is_attended() && !trespass_in_copy()) {
		page->trespass = TRESPASS_PIPE;
		crash_blame();
		give_up();
	}
	signal(number, SIG_DFL);
	raise(number);
}

CrashPage *crash_reset(void)
{
	guint n = MIN(page->n_blames, CRASH_MAX_THREADS);

	/* Places that were never used are zero already, and take no memory. */
	memset(page, 0, offsetof(CrashPage, blames) + n * sizeof page->blames[0]);
	current = NULL;
	moves = depth = 0;
	return page;
}

CrashPage *crash_read(void)
{
	static CrashPage copy;
	guint n = MIN(__atomic_load_n(&page->n_blames, __ATOMIC_RELAXED), CRASH_MAX_THREADS);

	memcpy(&copy, page, offsetof(CrashPage, blames) + n * sizeof page->blames[0]);
	copy.n_blames = n;
	return &copy;
}

void crash_init_page(void)
{
	page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED) {
		ui_error("out of memory");
		exit(EXIT_FAILED);
	}
	current = NULL;
}

void crash_init(void)
{
	struct sigaction interrupt = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO};
	struct sigaction crash = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
	struct sigaction pipe = {.sa_handler = on_broken_pipe}, before;

	crash_init_page();
	crash_init_thread();
	atexit(on_exit_called);
	sigemptyset(&crash.sa_mask);
	crash_list_interrupts(&interrupt.sa_mask);
	for (guint i = 0; i < G_N_ELEMENTS(interrupts); i++)
		if (sigismember(&interrupt.sa_mask, interrupts[i]))
			sigaction(interrupts[i], &interrupt, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(crashes); i++)
		sigaction(crashes[i].number, &crash, NULL);
	if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &pipe, NULL);
}

static void end_thread(void *stack)
{
	stack_t off = {.ss_flags = SS_DISABLE};

	sigaltstack(&off, NULL);
	g_free(stack);
	/* If the thread ends within a plugin, the supervisor may need its place. */
	if (current && moves % 2 == 0)
		__atomic_store_n(&current->is_left, 1, __ATOMIC_RELEASE);
	current = NULL;
}

/* Reuses the place of a thread that has ended: a program that takes samples starts many threads. */
static CrashBlame *take_left_place(void)
{
	guint n = MIN(__atomic_load_n(&page->n_blames, __ATOMIC_RELAXED), CRASH_MAX_THREADS);

	for (guint i = 0; i < n; i++) {
		guint32 left = 1;

		if (__atomic_compare_exchange_n(&page->blames[i].is_left, &left, 0, FALSE,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &page->blames[i];
	}
	return NULL;
}

void crash_register(void)
{
	current = take_left_place();
	if (!current) {
		guint32 place = __atomic_fetch_add(&page->n_blames, 1, __ATOMIC_RELAXED);

		current = place < CRASH_MAX_THREADS ? &page->blames[place] : NULL;
	}
	if (!current)
		return;
	current->tid = gettid();
	moves = current->moves;
}

void crash_init_thread(void)
{
	static GPrivate stack = G_PRIVATE_INIT(end_thread);

	if (!page)
		return;
	crash_register();
	stack_t alt = {.ss_sp = g_malloc(ALT_STACK_BYTES), .ss_size = ALT_STACK_BYTES};
	if (sigaltstack(&alt, NULL) < 0)
		g_free(alt.ss_sp);
	else
		g_private_set(&stack, alt.ss_sp);
}

/* Readers that see the new number of moves also see what was written before. */
static void move(guint32 by)
{
	moves += by;
	if (current)
		__atomic_store_n(&current->moves, moves, __ATOMIC_RELEASE);
}

static void begin_op(void)
{
	g_strlcpy(current->plugin, ops[depth - 1].plugin, sizeof current->plugin);
	g_strlcpy(current->op, ops[depth - 1].name, sizeof current->op);
	trespass_begin();
}

void crash_enter(const char *plugin, const char *op)
{
	if (!current)
		return;
	g_assert(depth < MAX_DEPTH);
	ops[depth++] = (struct op){plugin, op};
	begin_op();
	move(depth > 1 ? 2 : 1);
}

void crash_leave(void)
{
	enum trespass trespass = trespass_end();

	if (trespass != TRESPASS_NONE) {
		page->trespass = trespass;
		/* A timer belongs to the whole process: another thread may have set it. */
		if (trespass != TRESPASS_TIMER)
			crash_blame();
		give_up();
	}
	if (depth > 0 && --depth > 0)
		begin_op();
	move(depth > 0 ? 2 : 1);
}

void crash_pause(void)
{
	move(1);
}

void crash_return(void)
{
	move(1);
}

void crash_progress(void)
{
	move(2);
}

#define ENDS(text) ((text)[sizeof(text) - 1] == '\0')

gboolean crash_is_legible(const CrashPage *of)
{
	guint n = MIN(of->n_blames, CRASH_MAX_THREADS);

	for (guint i = 0; i < n; i++)
		if (!ENDS(of->blames[i].op) || !ENDS(of->blames[i].plugin))
			return FALSE;
	return of->output <= CRASH_ALL_OUT && (guint)of->is_finished <= TRUE && of->crashed <= n &&
	       of->trespass <= TRESPASS_LAST;
}

const CrashBlame *crash_find_culprit(const CrashPage *of)
{
	const CrashBlame *found = NULL;
	guint n = MIN(of->n_blames, CRASH_MAX_THREADS);

	if (!crash_is_legible(of))
		return NULL;
	if (of->crashed > 0) {
		found = &of->blames[of->crashed - 1];
		return found->moves % 2 ? found : NULL;
	}
	/* A thread that a plugin started has crashed, or _exit() was called: if just one plugin was
	 * being called, it is to blame. */
	for (guint i = 0; i < n; i++) {
		const CrashBlame *blame = &of->blames[i];

		if (blame->moves % 2 == 0)
			continue;
		if (found && strncmp(found->plugin, blame->plugin, sizeof blame->plugin) != 0)
			return NULL;
		found = blame;
	}
	return found;
}

const char *crash_signal_name(int number)
{
	for (guint i = 0; i < G_N_ELEMENTS(crashes); i++)
		if (crashes[i].number == number)
			return crashes[i].name;
	for (guint i = 0; i < G_N_ELEMENTS(strays); i++)
		if (strays[i].number == number)
			return strays[i].name;
	return NULL;
}

void crash_set_output(enum crash_output output)
{
	if (page)
		page->output = output;
}

void crash_list_interrupts(sigset_t *ret_set)
{
	sigemptyset(ret_set);
	for (guint i = 0; i < G_N_ELEMENTS(interrupts); i++) {
		struct sigaction now;

		if (sigaction(interrupts[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(ret_set, interrupts[i]);
	}
}

gboolean crash_interrupted(void)
{
	return __atomic_load_n(&interrupted, __ATOMIC_RELAXED) != 0;
}

gboolean crash_fail_interrupted(GError **error)
{
	return crash_interrupted() && !error_set_failed(error, "interrupted");
}

void crash_note_signal(int number)
{
	__atomic_store_n(&interrupted, number, __ATOMIC_RELAXED);
}

int crash_take_signal(void)
{
	return __atomic_exchange_n(&interrupted, 0, __ATOMIC_RELAXED);
}

void crash_reraise(void)
{
	int number = __atomic_load_n(&interrupted, __ATOMIC_RELAXED);

	if (number == 0)
		return;
	signal(number, SIG_DFL);
	raise(number);
}
