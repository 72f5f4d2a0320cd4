/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "futex.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

#define PRIVATE ((uint32_t)FUTEX_PRIVATE_FLAG)
/* Since Linux 5.14. */
#define LOCK_PI2 13u

/* Words of a pthread_mutex_t: lock, count, owner, users, kind. */
enum { WORD_LOCK = 0, WORD_OWNER = 2, WORD_KIND = 4 };
/* The index of pthread_rwlock_t.__cur_writer, from the word waited for: 4 for readers, which wait
 * in __wrphase_futex, and 3 for further writers, which wait in __writers_futex. */
enum { WORD_WRITER_OF_WRITERS = 3, WORD_WRITER_OF_READERS = 4 };

/* nptl: PTHREAD_MUTEX_*_NP, and their flags. */
#define KIND_TYPE 3u
#define KIND_ROBUST 16u
#define KIND_SHARED 128u
#define KIND_ELISION 0x300u
#define LOCKED_WITH_WAITERS 2u
#define RWLOCK_USED 3u

const char *const lock_words[] = {
	[LOCK_OTHER] = "futex", [LOCK_MUTEX] = "mutex",   [LOCK_ROBUST] = "robust mutex",
	[LOCK_PI] = "PI mutex", [LOCK_RWLOCK] = "rwlock", [LOCK_JOIN] = "pthread_join",
};

bool wait_of_call(uint64_t number, const uint64_t args[3], uint64_t pc, struct wait *ret)
{
	*ret = (struct wait){
		.address = args[0],
		.op = (uint32_t)args[1],
		.value = (uint32_t)args[2],
		.pc = pc,
	};
	return number == SYS_futex && args[0] != 0 && args[0] % sizeof(uint32_t) == 0;
}

bool wait_parse(struct text syscall, struct wait *ret)
{
	uint64_t number, args[8]; /* six, sp, pc */
	struct text token;

	if (!text_take_token(&syscall, &token) || !text_u64(token, &number) || number != SYS_futex)
		return false;
	for (size_t i = 0; i < 8; i++)
		if (!text_take_0x(&syscall, &args[i]))
			return false;
	return wait_of_call(number, args, args[7], ret);
}

/* Whether the words may belong to a mutex of glibc. */
static bool is_mutex(const struct wait *wait, uint32_t kind)
{
	bool is_private = wait->op & PRIVATE;

	return (kind & ~(KIND_TYPE | KIND_ROBUST | KIND_SHARED | KIND_ELISION)) == 0 &&
	       is_private == !(kind & KIND_SHARED);
}

static uint32_t found(enum lock_kind kind, uint32_t tid, enum lock_kind *ret_kind)
{
	*ret_kind = tid ? kind : LOCK_OTHER;
	return tid;
}

static uint32_t holder_of_waited(const struct wait *wait, const uint32_t *words,
				 enum lock_kind *ret_kind)
{
	uint32_t word = words[WORD_LOCK];
	uint32_t writer = words[WORD_WRITER_OF_WRITERS] ? words[WORD_WRITER_OF_WRITERS]
							: words[WORD_WRITER_OF_READERS];

	if (word != wait->value)
		return 0;
	if (word & FUTEX_WAITERS)
		/* Waits for robust mutexes are always shared. */
		return !(wait->op & PRIVATE) && words[WORD_KIND] & KIND_ROBUST
			       ? found(LOCK_ROBUST, word & FUTEX_TID_MASK, ret_kind)
			       : 0;
	if (word == LOCKED_WITH_WAITERS && is_mutex(wait, words[WORD_KIND]))
		return found(LOCK_MUTEX, words[WORD_OWNER], ret_kind);
	if (word == RWLOCK_USED)
		return found(LOCK_RWLOCK, writer, ret_kind);
	/* The kernel clears the word when the thread has ended. */
	if (word > RWLOCK_USED && !(wait->op & PRIVATE) &&
	    (wait->op & (uint32_t)FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
		return found(LOCK_JOIN, word, ret_kind);
	return 0;
}

uint32_t lock_holder(const struct wait *wait, const uint32_t words[FUTEX_WORDS],
		     enum lock_kind *ret_kind)
{
	uint32_t command = wait->op & (uint32_t)FUTEX_CMD_MASK;

	*ret_kind = LOCK_OTHER;
	if (command == FUTEX_LOCK_PI || command == LOCK_PI2)
		return found(LOCK_PI, words[WORD_LOCK] & FUTEX_TID_MASK, ret_kind);
	return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET
		       ? holder_of_waited(wait, words, ret_kind)
		       : 0;
}
