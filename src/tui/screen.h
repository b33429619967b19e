/* screen.h - the person's terminal, whatever stdin and stdout are: drawing by ncurses at
 * explicit columns, keys, size. The only file that sends bytes to it, host's own pty
 * aside.
 *
 * One at a time in a process: ncurses keeps its state to itself. */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "base/fault.h"
#include "tui/page.h"

enum theme { THEME_AUTO, THEME_DARK, THEME_LIGHT };

struct screen_setup {
	bool color; /* false: bold, dim and reverse alone */
	bool mouse;
	enum theme theme; /* AUTO: as COLORFGBG says, else for both */
	bool no_signals;  /* Ctrl-C and Ctrl-Z are keys: somebody else runs here */
};

struct screen;

/* Part of the screen. */
struct area {
	size_t y, x, height, width;
};

/* NULL: no terminal, or none that can be drawn on; why says. */
struct screen *screen_open(const struct screen_setup *, struct fault *why);
/* Gives the terminal back as it was; NULL is fine; returns NULL. */
struct screen *screen_close(struct screen *);
/* Readable when there is a key or another size. Borrowed. */
int screen_fd(const struct screen *);
/* The next key, if there is one; never waits longer than an escape sequence takes. */
bool screen_key(struct screen *, struct key *out);
void screen_suspend(struct screen *); /* another program has the terminal */
void screen_resume(struct screen *);

size_t screen_rows(const struct screen *);
size_t screen_columns(const struct screen *);
/* Too small to show what is decided: keys must decide nothing. */
bool screen_small(const struct screen *);
void screen_show_small(struct screen *); /* says so */

void screen_erase(struct screen *);
void screen_draw(struct screen *, size_t y, size_t x, const struct page *, size_t row);
/* The rows of a page from `top` on. */
void screen_page(struct screen *, const struct area *, const struct page *, size_t top);
/* A text of the catalogue, where there is nothing else. */
void screen_say(struct screen *, const struct area *, const char *id);
/* Safe text, as far as `width` columns go. */
void screen_put(
	struct screen *, size_t y, size_t x, size_t width, enum style, struct str safe);
void screen_rule(struct screen *, size_t y, size_t x, size_t width); /* ─── */
void screen_bar(struct screen *, size_t y, size_t x, size_t height); /* │ downwards */
/* Where the terminal's cursor goes; without it, it is hidden. */
void screen_cursor(struct screen *, size_t y, size_t x);
void screen_show(struct screen *);    /* sends what changed */
void screen_refresh(struct screen *); /* the next screen_show sends everything again */

void screen_bell(struct screen *);
/* A notification of the terminal's own (OSC 9 and 777); it may show none. */
void screen_notify(struct screen *, struct str title, struct str text);
/* To the person's clipboard (OSC 52); a terminal may refuse it. */
void screen_copy(struct screen *, struct str text);

#endif
