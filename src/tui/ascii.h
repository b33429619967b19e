/* ascii.h - the characters of this program on terminals that have only ASCII. Pure. */
#ifndef TUI_ASCII_H
#define TUI_ASCII_H

#include <stdint.h>

/* A sign that stands for it in one column; '?' for what has none. */
char ascii_of(int32_t point);

#endif
