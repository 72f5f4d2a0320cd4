/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "passwd.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of users whose names are kept. */
#define MOST_USERS 4096u

void passwd_read(const struct ctprof_host *host, struct passwd_names *ret)
{
	FILE *file = host->live(host) ? fopen("/etc/passwd", "re") : NULL;
	const struct passwd *entry;

	*ret = (struct passwd_names){.is_read = true};
	if (!file)
		return;
	ret->users = calloc(MOST_USERS, sizeof *ret->users);
	while (ret->users && ret->n < MOST_USERS && (entry = fgetpwent(file)))
		ret->users[ret->n++] = (struct passwd_user){entry->pw_uid, strdup(entry->pw_name)};
	(void)fclose(file);
}

void passwd_clear(struct passwd_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->users[i].name);
	free(names->users);
}

void passwd_put(const struct passwd_names *names, const struct ctprof_host *host,
		struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t uid)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->users[i].uid == uid && names->users[i].name) {
			host->put_text(batch, row, slot, names->users[i].name,
				       strlen(names->users[i].name));
			return;
		}
}
