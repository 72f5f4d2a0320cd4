/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Floating-point numbers as text, with a '.' in every locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Size of a buffer for any double in each of the forms below, with its NUL. */
#define REAL_ROOM 336

/* Writes the fewest digits that read back as value; "" if it is not finite. */
void real_shortest(double value, char ret_text[REAL_ROOM]);
/* Writes enough digits to sort numbers by, as JavaScript reads them: all digits of whole numbers,
 * nine of others; "" for a NAN. */
void real_rank(double value, char ret_text[REAL_ROOM]);
/* Writes value with that number (<= 3) of decimals; is_signed: "+" before numbers that
 * are not negative. */
void real_fixed(double value, int decimals, bool is_signed, char ret_text[REAL_ROOM]);
