/* SPDX-License-Identifier: MIT */ /* expect: spdx */
/* lint-as: sinks/toy/style.c */
int style; // expect: cxx-comment
static const char *const style_url = "https://a.example//b"; /* not // one */
/* expect: trailing-blank */ 
int style_eight(void)
{
        return 8; /* expect: indent */
    	return 9; /* expect: indent */
}
/*
          A comment may be laid out as it likes.
 */
