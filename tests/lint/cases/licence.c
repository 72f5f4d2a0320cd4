/* SPDX-License-Identifier: LGPL-2.1-or-later */ /* expect: spdx */
/* lint-as: plugins/example/licence.c */
int licence;
