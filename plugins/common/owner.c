/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "owner.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/nsfs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cgroup-lines.h"
#include "cleanup.h"
#include "hold.h"
#include "text.h"

/* Ten times what ordinary processes need. */
#define ORDINARY_NS UINT64_C(4000000)
/* Owners beyond this number have no account. */
#define ACCOUNTS 64u

struct owner {
	uint64_t uid;
	char cgroup[48];
};

struct account {
	struct owner owner;
	uint64_t ns;
	bool is_spent, is_left_out, is_logged;
};

static struct {
	pthread_mutex_t lock;
	_Atomic bool has_charges; /* owners in this capture, or owners that are left out */
	unsigned n;
	struct account accounts[ACCOUNTS];
} book = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- who it is ------------------------------------------------------------ */

static struct text read_file(int proc, int32_t tgid, const char *name, char *buf, size_t size)
{
	char path[32];

	(void)snprintf(path, sizeof path, "%" PRId32 "/%s", tgid, name);
	AUTO_FD fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, buf, size);
	return (struct text){buf, len > 0 ? (size_t)len : 0};
}

/* Takes the first component of a path such as "/system.slice/sshd.service". */
static void take_cgroup(struct text lines, struct owner *owner)
{
	struct text path, top;

	if (cgroup_lines_main(lines, &path) && text_take_part(&path, '/', &top) &&
	    text_take_part(&path, '/', &top))
		(void)snprintf(owner->cgroup, sizeof owner->cgroup, "%.*s", (int)top.len, top.p);
}

/* Finds the user who made the outermost user namespace below ctprof's own.  ns: a namespace below
 * it, or ctprof's own. */
static void take_maker(int ns, struct owner *owner)
{
	uid_t maker;

	for (int parent; (parent = ioctl(ns, NS_GET_PARENT)) >= 0; ns = parent) {
		if (ioctl(ns, NS_GET_OWNER_UID, &maker) == 0)
			owner->uid = maker;
		(void)close(ns);
	}
	cleanup_fd(&ns);
}

static struct owner owner_of(int proc, int32_t tgid)
{
	struct owner owner = {.uid = UINT64_MAX};
	char path[32], buf[4096];
	struct text value;

	if (text_find(read_file(proc, tgid, "status", buf, sizeof buf), "Uid", &value))
		(void)text_take_u64(&value, &owner.uid);
	(void)snprintf(path, sizeof path, "%" PRId32 "/ns/user", tgid);
	take_maker(openat(proc, path, O_RDONLY | O_CLOEXEC), &owner);
	take_cgroup(read_file(proc, tgid, "cgroup", buf, sizeof buf), &owner);
	return owner;
}

static bool is_same(const struct owner *a, const struct owner *b)
{
	return a->uid == b->uid && strcmp(a->cgroup, b->cgroup) == 0;
}

bool owner_is_same(int proc, int32_t a, int32_t b)
{
	const struct owner one = owner_of(proc, a), other = owner_of(proc, b);

	return is_same(&one, &other);
}

/* ---- accounts ------------------------------------------------------------- */

/* Returns NULL if the owner has no account; the lock must be held. */
static struct account *find(const struct owner *owner)
{
	unsigned i = 0;

	while (i < book.n && !is_same(&book.accounts[i].owner, owner))
		i++;
	return i < book.n ? &book.accounts[i] : NULL;
}

/* Returns the owner's account, which it makes if there is room; NULL: there is none. */
static struct account *open_account(const struct owner *owner)
{
	struct account *account = find(owner);

	if (account || book.n == ACCOUNTS)
		return account;
	account = &book.accounts[book.n++];
	account->owner = *owner;
	return account;
}

void owner_charge(int proc, int32_t tgid, uint64_t cpu_ns)
{
	if (cpu_ns <= ORDINARY_NS || tgid <= 0)
		return;
	const struct owner owner = owner_of(proc, tgid);
	HOLD(&book.lock);
	struct account *account = open_account(&owner);

	if (!account)
		return;
	account->ns += cpu_ns - ORDINARY_NS;
	atomic_store(&book.has_charges, true);
}

void owner_leave_out(int proc, int32_t tgid)
{
	const struct owner owner = owner_of(proc, tgid);
	HOLD(&book.lock);
	struct account *account = open_account(&owner);

	if (account)
		account->is_left_out = true;
	atomic_store(&book.has_charges, true);
}

bool owner_is_left_out(int proc, int32_t tgid)
{
	if (!atomic_load(&book.has_charges))
		return false;
	const struct owner owner = owner_of(proc, tgid);
	HOLD(&book.lock);
	const struct account *account = find(&owner);

	return account && account->is_left_out;
}

bool owner_is_spent(int proc, int32_t tgid, uint64_t limit_ns)
{
	if (limit_ns == 0 || !atomic_load(&book.has_charges))
		return false;
	const struct owner owner = owner_of(proc, tgid);
	HOLD(&book.lock);
	struct account *account = find(&owner);
	if (!account || account->ns <= limit_ns)
		return false;
	account->is_spent = true;
	return true;
}

void owner_report(const struct ctprof_host *host)
{
	HOLD(&book.lock);
	for (struct account *account = book.accounts; account < book.accounts + book.n; account++) {
		char why[96] = "include one that did not answer";

		if ((!account->is_spent && !account->is_left_out) || account->is_logged)
			continue;
		if (account->is_spent)
			(void)snprintf(why, sizeof why,
				       "took %" PRIu64 " ms more CPU time than usual",
				       account->ns / 1000000);
		host->log(host, CTPROF_LOG_WARNING,
			  "the processes of user %" PRIu64
			  " in cgroup /%s %s: the others are left out",
			  account->owner.uid, account->owner.cgroup, why);
		account->is_logged = true;
	}
}

void owner_again(void)
{
	HOLD(&book.lock);
	for (unsigned i = 0; i < book.n; i++)
		book.accounts[i].ns = 0;
	atomic_store(&book.has_charges, false);
}
