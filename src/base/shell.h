/* shell.h - a command line as a person would type it. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/buf.h"

/* Adds one word, quoted where a POSIX shell would take it for something else; a blank
 * before it unless it is the first. */
void shell_word_add(struct buf *, struct str word);

#endif
