/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: core/nesting.c */
struct table {
	int rows[4];
};

/* Four deep, and much that looks deeper: braces of values, else-if chains,
 * labels, blocks after case. */
int nesting_four(int n)
{
	static const struct table tables[] = {
		[0] = {.rows = {[1] = 1, [2] = 2}},
		[1] = {{(int){1}, 2}},
	};

	for (int i = 0; i < n; i++) {
		while (n) {
			switch (n) {
			case 1: {
				if (i)
					return ((struct table){.rows = {1}}).rows[0];
				else if (n)
					return 1;
				else if (i == n)
					return 2;
				break;
			}
			default:
				do {
					n--;
				} while (n);
			}
		}
	}
	return tables[0].rows[1];
}

int nesting_five(int n)
{
	for (int i = 0; i < n; i++) {
		while (n) {
			switch (n) {
			case 1:
				if (i) {
					if (n) /* expect: nesting */
						return 1;
				}
			}
		}
	}
	return 0;
}

/* Without braces it is as deep. */
int nesting_bare(int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				if (i != j)
					while (k) /* expect: nesting */
						return i;
	return 0;
}

/* A loop macro is a loop; do and else count as well. */
int nesting_macro(struct list *list)
{
	list_for_each(item, list) {
		do {
			if (item) {
				return 1;
			} else {
				list_for_each_rev(other, list) {
					if (other) /* expect: nesting */
						return 2;
				}
			}
		} while (item);
	}
	return 0;
}

/* Each branch opens the brace; only one is counted. */
int nesting_directive(int n)
{
#ifdef ONE
	if (n) {
#else
	if (!n) {
#endif
		return 1;
	}
	return 0;
}

int nesting_unbalanced(int n)
{
	if (n) {
		return 1;
