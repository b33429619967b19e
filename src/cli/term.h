/* term.h - the terminal: its width and colours, questions to the person at it, and
 * Ctrl-C. Prefixes: tint_, tty_. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include "base/arena.h"
#include "cli/settings.h"

struct term {
	bool out_tty; /* stdout is a terminal */
	bool err_tty;
	bool out_color;
	bool err_color;
	size_t width; /* columns of stdout's terminal; 0: none */
	int stop_fd;  /* readable once SIGINT or SIGTERM came; -1: not watched */
};

void term_setup(struct term *, enum color);

enum tint { TINT_NONE, TINT_BOLD, TINT_DIM, TINT_RED, TINT_GREEN, TINT_YELLOW };
const char *tint_on(enum tint, bool color); /* "" without colour */
const char *tint_off(bool color);

/* From now on SIGINT and SIGTERM make stop_fd readable instead of killing us. */
void term_watch(struct term *);
/* It was for something that goes on: the next one makes stop_fd readable again. */
void term_again(const struct term *);
/* The exit status of the signal that came: 130 or 143. */
int term_stopped(void);

/* All that comes on stdin, at most `max` bytes; false: more, or not to be read. */
bool stdin_read(size_t max, struct arena *, struct str *out);

/* The person's terminal, for reading and asking; -1: there is none. */
int tty_open(void);
/* One line from it, without its end; false at the end of input or when stopped. Without
 * `echo` what is typed is not shown. */
bool tty_line(const struct term *, int tty, bool echo, struct arena *, struct str *out);
/* Asks there, "… (y/N) ", in the person's language; false: anything but yes, or no terminal. */
bool term_confirm(const struct term *, struct arena *, struct str question);
bool tty_write(int fd, struct str text); /* all of it; false: it cannot be */

#endif
