/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: core/waivers.c */
int waivers_good(char *to)
{
	/* lint: allow goto: the line after */
	goto out;
	free(to); /* lint: allow bare-free: the same line */
	/* lint: allow banned-call: a reason that is
	 * longer than one line */
	strcpy(to, "x");
out:
	return 0;
}

int waivers_bad(char *to)
{
	/* lint: allow goto: one line too far */ /* expect: waiver */

	goto out; /* expect: goto */
	free(to); /* lint: allow goto: another rule */ /* expect: bare-free waiver */
	free(to); /* lint: allow bare-free */ /* expect: bare-free waiver */
	free(to); /* lint: allow bare-free: */ /* expect: bare-free waiver */
out:
	return 0; /* lint: allow goto: nothing here */ /* expect: waiver */
}
