/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Floating-point numbers as text, with a '.' whatever the locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Room for any double in either form, and a NUL. */
#define REAL_ROOM 336

/* The fewest digits that read back as value; "" when it is not finite. */
void real_shortest(double value, char ret_text[REAL_ROOM]);
/* With that number (<= 3) of decimals; "+" before what is not negative when signed. */
void real_fixed(double value, int decimals, bool is_signed, char ret_text[REAL_ROOM]);
