/* terminal.h - what the terminal named by TERM can do, from terminfo. */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include <stdbool.h>

/* Why nothing can be drawn on it, as a text of the catalogue with {term}; NULL: it
 * fits. */
const char *terminal_unfit(int fd);
/* It has a screen of its own for programs, and shows the shell's again afterwards. */
bool terminal_switches(void);
/* It marks text that is pasted (bracketed paste). Consoles do not. */
bool terminal_brackets(void);

#endif
