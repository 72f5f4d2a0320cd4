/* SPDX-License-Identifier: LGPL-2.1-or-later */ /* expect: file-length spdx */
/* lint-as: core/length.c */
G_DEFINE_SOMETHING(Length, length)

/* 70 lines, the signature among them. */
static int __attribute__((noinline)) length_70(int n)
{
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	return n;
}

/* 71: one too many. */
struct length *length_71(int n) /* expect: function-length */
{
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	return n;
}

/* A table of any length is no function. */
static const int length_table[] = {
	0,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
	16,
	17,
	18,
	19,
	20,
	21,
	22,
	23,
	24,
	25,
	26,
	27,
	28,
	29,
	30,
	31,
	32,
	33,
	34,
	35,
	36,
	37,
	38,
	39,
	40,
	41,
	42,
	43,
	44,
	45,
	46,
	47,
	48,
	49,
	50,
	51,
	52,
	53,
	54,
	55,
	56,
	57,
	58,
	59,
	60,
	61,
	62,
	63,
	64,
	65,
	66,
	67,
	68,
	69,
	70,
	71,
	72,
	73,
	74,
	75,
	76,
	77,
	78,
	79,
};

extern "C" {
int length_c(int n) /* expect: function-length */
{
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	n++;
	return n;
}
}







































































































































































































































































































