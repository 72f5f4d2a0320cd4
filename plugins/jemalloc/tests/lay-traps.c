/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "lay-traps DIR": the programs of traps.c, each in a directory of its own: DIR/0/program. */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "traps.h"

int main(int argc, char **argv)
{
	umask(022);
	for (gsize i = 0; argc == 2 && i < n_traps; i++) {
		g_autofree char *folder = g_strdup_printf("%s/%" G_GSIZE_FORMAT, argv[1], i);

		g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
		trap_lay(&traps[i], folder);
	}
	return argc == 2 ? 0 : 2;
}
