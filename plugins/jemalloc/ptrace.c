/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ptrace.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "helper.h"
#include "hold.h"
#include "tls.h"

#define STOP_NS UINT64_C(250000000)
#define TRACER_STACK (256u << 10)
#ifndef NT_ARM_TLS
#define NT_ARM_TLS 0x401
#endif

/* Shared by caller and tracer. */
struct job {
	const struct target *target;
	struct reading *readings;
	size_t n;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	size_t done; /* readings finished */
};

#if defined(__x86_64__)
static bool get_thread_pointer(int32_t tid, uint64_t *ret)
{
	struct user_regs_struct regs;
	struct iovec iov = {&regs, sizeof regs};

	/* For a 32-bit thread the kernel returns less. */
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov) != 0 || iov.iov_len != sizeof regs)
		return false;
	*ret = regs.fs_base;
	return true;
}
#elif defined(__aarch64__)
static bool get_thread_pointer(int32_t tid, uint64_t *ret)
{
	uint64_t tp[2] = {0};
	struct iovec iov = {tp, sizeof tp};

	/* Newer kernels add TPIDR2 after it. */
	if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_TLS, &iov) != 0 || iov.iov_len < sizeof tp[0])
		return false;
	*ret = tp[0];
	return true;
}
#else
static bool get_thread_pointer(int32_t tid, uint64_t *ret)
{
	(void)tid;
	(void)ret;
	return false;
}
#endif

/* Resumes the thread, and delivers the signal that its stop intercepted. */
static void detach(int32_t tid, int status)
{
	int event = status >> 16;
	uintptr_t signal = event == 0 ? (uintptr_t)WSTOPSIG(status) : 0;

	ptrace(PTRACE_DETACH, tid, NULL, (void *)signal);
}

/* Waits for a stop: the only place where the tracer can be cancelled. */
static pid_t wait_stop(int32_t tid, int *ret_status)
{
	int old, ignored;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	pid_t pid = waitpid(tid, ret_status, __WALL);
	pthread_setcancelstate(old, &ignored);
	return pid;
}

/* Sets why ptrace() failed.  The kernel refuses ended threads with EPERM, too (ptrace_attach()). */
static void fail_refused(const struct target *target, struct reading *reading, enum tag tag)
{
	bool exited = errno == ESRCH || !process_thread_lives(&target->process, reading->tid);

	reading_fail(reading, exited ? TAG_THREAD_EXITED : tag);
}

static void read_one(const struct target *target, struct reading *reading)
{
	int32_t tid = reading->tid;
	int status;
	uint64_t tp;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) {
		fail_refused(target, reading, TAG_PTRACE_SEIZE);
		return;
	}
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0) {
		fail_refused(target, reading, TAG_PTRACE_INTERRUPT);
		return;
	}
	if (wait_stop(tid, &status) != tid || !WIFSTOPPED(status)) {
		reading_fail(reading, TAG_THREAD_EXITED);
		return;
	}
	if (get_thread_pointer(tid, &tp))
		counters_read_stopped(target, tp, reading);
	else
		reading_fail(reading, TAG_GET_REGSET);
	detach(tid, status);
}

static void *trace(void *data)
{
	struct job *job = data;
	int ignored;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ignored);
	for (size_t i = job->done; i < job->n; i++) {
		read_one(job->target, &job->readings[i]);
		HOLD(&job->lock);
		job->done = i + 1;
		pthread_cond_signal(&job->moved);
	}
	return NULL;
}

/* Waits while the tracer makes progress; false if it has been stuck for too
 * long. */
static bool watch(struct job *job)
{
	bool moving = true;
	HOLD(&job->lock);

	while (job->done < job->n && moving) {
		uint64_t until = clock_now() + STOP_NS;
		size_t before = job->done;

		while (job->done == before && hold_wait(&job->moved, &job->lock, until))
			continue;
		moving = job->done != before;
	}
	return moving;
}

static void fail_rest(struct job *job, enum tag tag)
{
	for (; job->done < job->n; job->done++)
		reading_fail(&job->readings[job->done], tag);
}

void ptrace_read(const struct target *target, struct reading *readings, size_t n)
{
	struct job job = {.target = target, .readings = readings, .n = n};

	pthread_mutex_init(&job.lock, NULL);
	hold_init_condition(&job.moved);
	while (job.done < n) {
		pthread_t tracer;

		if (helper_start(&tracer, TRACER_STACK, trace, &job) < 0) {
			fail_rest(&job, TAG_WAITPID);
			break;
		}
		bool finished = watch(&job);
		if (!finished)
			pthread_cancel(tracer);
		pthread_join(tracer, NULL);
		/* The tracer may have finished before it was cancelled. */
		if (!finished && job.done < n)
			reading_fail(&readings[job.done++], TAG_WAITPID);
	}
	pthread_cond_destroy(&job.moved);
	pthread_mutex_destroy(&job.lock);
}
