/* screen.c - the terminal through ncurses: modes, keys, drawing. */
#include "tui/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/ascii.h"
#include "tui/terminal.h"

enum {
	ESCAPE_WAIT_MS = 50,
	SWALLOW_MS = 300, /* the rest of a sequence comes within that */
	PASTED_CHARS = 4, /* so many in one read are no typing */
	ROWS_MIN = 10,
	COLUMNS_MIN = 40,
	CODE_PASTE = KEY_MAX + 1, /* bracketed paste */
	CODE_PASTE_END,
};

struct screen {
	FILE *tty;
	SCREEN *curses;
	int ready; /* epoll over the terminal and the pipe of SIGWINCH */
	bool pasting;
	bool brackets; /* pasted text comes marked as such */
	char swallow;  /* of an unknown sequence: what stood behind its escape; 0: none */
	int64_t swallow_ms; /* monotonic; since when */
	size_t chars;	    /* typed in the read that is being worked off */
	bool together;	    /* the next letter came in one read with the key before it */
	attr_t attributes[STYLES];
	short pairs[STYLES];
	bool ascii; /* the locale has no UTF-8 */
	size_t cursor_y, cursor_x;
	bool cursor;
};

static int size_pipe[2] = { -1, -1 };

static void size_note(int number)
{
	int kept = errno;

	(void)number;
	if (write(size_pipe[1], "", 1) < 0) {
		/* full: it is readable already */
	}
	errno = kept;
}

static bool size_watch(void)
{
	struct sigaction action = { .sa_handler = size_note };

	if (size_pipe[0] < 0 && pipe2(size_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	sigemptyset(&action.sa_mask);
	return sigaction(SIGWINCH, &action, NULL) == 0;
}

/* By its name: one that is not installed here is still what the terminal speaks. */
static bool locale_says_utf8(void)
{
	static const char *const from[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;

	for (size_t i = 0; i < sizeof from / sizeof *from && !(name && *name); i++)
		name = getenv(from[i]);
	return name && (strstr(name, "UTF-8") || strstr(name, "utf8"));
}

/* Widths come from the locale, so it is one with UTF-8. False: the person's own is not: what is
 * drawn must be ASCII. */
static bool locale_set(void)
{
	const char *own = setlocale(LC_CTYPE, "");

	if (own && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return true;
	setlocale(LC_CTYPE, "C.UTF-8");
	return !own && locale_says_utf8();
}

/* ---- looks ---- */

/* Colours of the 16, and of the 256 on a dark and on a light ground; -1: the terminal's
 * own. */
static const struct look {
	short basic, dark, light;
	attr_t with, without; /* colours */
} looks[STYLES] = {
	[STYLE_PLAIN] = { -1, -1, -1, A_NORMAL, A_NORMAL },
	[STYLE_BOLD] = { -1, -1, -1, A_BOLD, A_BOLD },
	[STYLE_SOFT] = { -1, 246, 242, A_NORMAL, A_DIM },
	[STYLE_GOOD] = { COLOR_GREEN, 114, 28, A_NORMAL, A_BOLD },
	[STYLE_WARN] = { COLOR_YELLOW, 214, 130, A_NORMAL, A_BOLD },
	[STYLE_BAD] = { COLOR_RED, 203, 160, A_NORMAL, A_BOLD },
	[STYLE_ACCENT] = { COLOR_CYAN, 75, 25, A_NORMAL, A_UNDERLINE },
	[STYLE_CURSOR] = { -1, -1, -1, A_REVERSE, A_REVERSE },
	[STYLE_MARKED] = { -1, -1, -1, A_BOLD, A_BOLD },
};

/* "15;0": the number of the ground comes last. */
static bool ground_light(void)
{
	const char *said = getenv("COLORFGBG");
	const char *ground = said ? strrchr(said, ';') : NULL;
	int64_t n;

	return ground && str_to_int(str_of(ground + 1), 0, 255, &n) &&
	       (n == 7 || n == 15);
}

static void looks_set(struct screen *s, const struct screen_setup *setup)
{
	bool color = setup->color && has_colors() && start_color() == OK &&
		     use_default_colors() == OK;
	bool light = setup->theme == THEME_LIGHT ||
		     (setup->theme == THEME_AUTO && ground_light());

	for (short i = 0; i < STYLES; i++) {
		const struct look *l = &looks[i];
		short ink = COLORS < 256 ? l->basic : light ? l->light : l->dark;
		bool dim = i == STYLE_SOFT && (!color || COLORS < 256);

		s->attributes[i] = color && !dim ? l->with : l->without;
		if (!color || ink < 0) continue;
		init_pair((short)(i + 1), ink, -1);
		s->pairs[i] = (short)(i + 1);
	}
}

/* ---- open and close ---- */

/* Modes that terminfo has no name for; those that lack one pass it over. */
static void mode_set(const struct screen *s, bool on)
{
	fputs(on ? "\033[?2004h" : "\033[?2004l", s->tty);
	fflush(s->tty);
}

static bool ready_open(struct screen *s)
{
	struct epoll_event event = { .events = EPOLLIN };

	s->ready = epoll_create1(EPOLL_CLOEXEC);
	return s->ready >= 0 && size_watch() &&
	       epoll_ctl(s->ready, EPOLL_CTL_ADD, fileno(s->tty), &event) == 0 &&
	       epoll_ctl(s->ready, EPOLL_CTL_ADD, size_pipe[0], &event) == 0;
}

static void curses_set(struct screen *s, const struct screen_setup *setup)
{
	set_escdelay(ESCAPE_WAIT_MS);
	if (setup->no_signals)
		raw();
	else
		cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	define_key("\033[200~", CODE_PASTE);
	define_key("\033[201~", CODE_PASTE_END);
	looks_set(s, setup);
	if (setup->mouse)
		mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON4_PRESSED |
				  BUTTON5_PRESSED,
			NULL);
	mode_set(s, true);
}

static bool terminal_fits(int fd, struct fault *why)
{
	struct arena arena = { 0 };
	const char *term = getenv("TERM"), *id = terminal_unfit(fd);

	if (id) FAIL_MSG(why, &arena, id, { "term", str_of(term ? term : "") });
	arena_done(&arena);
	return !id;
}

struct screen *screen_open(const struct screen_setup *setup, struct fault *why)
{
	struct screen *s = mem_alloc(sizeof *s);
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (!s) return close(fd), fail(why, ERR_MEMORY, "out of memory"), NULL;
	s->ready = -1;
	s->ascii = !locale_set();
	s->tty = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!s->tty || !ready_open(s)) {
		fail(why, ERR_INVALID, "%s", msg_text("tui.term.none"));
		return screen_close(s);
	}
	if (!terminal_fits(fd, why)) return screen_close(s);
	s->brackets = terminal_brackets();
	s->curses = newterm(NULL, s->tty, s->tty);
	if (!s->curses) {
		fail(why, ERR_MEMORY, "out of memory");
		return screen_close(s);
	}
	curses_set(s, setup);
	return s;
}

struct screen *screen_close(struct screen *s)
{
	if (!s) return NULL;
	if (s->curses) {
		mode_set(s, false);
		if (!terminal_switches()) { /* what is drawn stays; the next line is the shell's */
			move(LINES - 1, 0);
			clrtoeol();
			refresh();
		}
		tcflush(fileno(s->tty), TCIFLUSH);
		endwin();
		delscreen(s->curses);
	}
	if (s->ready >= 0) close(s->ready);
	if (s->tty) fclose(s->tty);
	mem_free(s);
	return NULL;
}

void screen_suspend(struct screen *s)
{
	mode_set(s, false);
	endwin();
}

void screen_resume(struct screen *s)
{
	mode_set(s, true);
	clearok(stdscr, TRUE);
	refresh();
}

int screen_fd(const struct screen *s)
{
	return s->ready;
}

size_t screen_rows(const struct screen *s)
{
	(void)s;
	return (size_t)LINES;
}

size_t screen_columns(const struct screen *s)
{
	(void)s;
	return (size_t)COLS;
}

/* ---- keys ---- */

static const struct {
	int code;
	enum key_name name;
} codes[] = {
	{ KEY_UP, K_UP },
	{ KEY_DOWN, K_DOWN },
	{ KEY_LEFT, K_LEFT },
	{ KEY_RIGHT, K_RIGHT },
	{ KEY_HOME, K_HOME },
	{ KEY_END, K_END },
	{ KEY_FIND, K_HOME },
	{ KEY_SELECT, K_END },
	{ KEY_PPAGE, K_PAGE_UP },
	{ KEY_NPAGE, K_PAGE_DOWN },
	{ KEY_BACKSPACE, K_BACKSPACE },
	{ KEY_DC, K_DELETE },
	{ KEY_BTAB, K_BACK_TAB },
	{ KEY_ENTER, K_ENTER },
	{ KEY_RESIZE, K_RESIZE },
};

static const enum key_name controls[32] = {
	[1] = K_HOME,	/* Ctrl-A */
	[2] = K_LEFT,	/* Ctrl-B */
	[3] = K_ESCAPE, /* Ctrl-C, where it is no signal */
	[4] = K_DELETE,
	[5] = K_END,   /* Ctrl-E */
	[6] = K_RIGHT, /* Ctrl-F */
	[7] = K_EDITOR,
	[8] = K_BACKSPACE,
	[9] = K_TAB,
	[10] = K_NEW_LINE,
	[12] = K_REDRAW,
	[13] = K_ENTER,
	[14] = K_DOWN, /* Ctrl-N */
	[16] = K_UP,   /* Ctrl-P */
	[21] = K_ERASE_LINE,
	[23] = K_ERASE_WORD,
	[24] = K_SKIP,
	[27] = K_ESCAPE,
};

static enum key_name mouse_read(struct key *out)
{
	MEVENT event;

	if (getmouse(&event) != OK) return K_NONE;
	out->row = event.y;
	out->column = event.x;
	if (event.bstate & BUTTON4_PRESSED) return K_UP;
	if (event.bstate & BUTTON5_PRESSED) return K_DOWN;
	return event.bstate & (BUTTON1_CLICKED | BUTTON1_PRESSED) ? K_CLICK : K_NONE;
}

static void code_read(struct screen *s, int code, struct key *out)
{
	if (code == CODE_PASTE || code == CODE_PASTE_END) {
		s->pasting = code == CODE_PASTE;
		return;
	}
	if (code == KEY_MOUSE) {
		out->name = mouse_read(out);
		return;
	}
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i].code == code) out->name = codes[i].name;
}

static void put_back(int got, wint_t c)
{
	if (got == OK) unget_wch((wchar_t)c);
	if (got == KEY_CODE_YES) ungetch((int)c);
}

/* A printable character has come together with what was just read. */
static bool char_follows(void)
{
	wint_t next;
	int got = get_wch(&next);

	put_back(got, next);
	return got == OK && next >= 32 && next != 127;
}

/* Reads on in a sequence that means nothing to us (a mouse report, a terminal's reply);
 * it may come in pieces. */
static void swallow(struct screen *s)
{
	wint_t c;
	int got;

	if (clock_mono_ms() - s->swallow_ms > SWALLOW_MS) s->swallow = 0;
	while (s->swallow && (got = get_wch(&c)) != ERR) {
		bool final = got != OK || (s->swallow == '[' && c >= 0x40 && c <= 0x7e) ||
			     s->swallow == 'O' || c == 7 || s->swallow == '\\';

		if (got != OK) put_back(got, c);
		if (c == 27) s->swallow = '\\'; /* ESC \ ends a string */
		if (final) s->swallow = 0;
	}
}

/* Alt-Enter comes as an escape and an Enter, a sequence as an escape and more. */
static enum key_name escape_read(struct screen *s)
{
	wint_t next;
	int got = get_wch(&next);

	if (got == OK && (next == 13 || next == 10)) return K_NEW_LINE;
	if (got == OK && next < 128 && next > 0 && strchr("[O]P^_X", (int)next)) {
		s->swallow = (char)next;
		s->swallow_ms = clock_mono_ms();
		swallow(s);
		return K_NONE;
	}
	put_back(got, next);
	s->together = got == OK && next >= 32;
	return K_ESCAPE;
}

/* Text that was pasted where the terminal does not say so: more than hands type in one
 * read, or a line end with text on both sides. */
static bool request_read_pasted(const struct screen *s)
{
	return s->pasting || (!s->brackets && s->chars >= PASTED_CHARS) ||
	       (s->chars > 0 && char_follows());
}

static void char_read(struct screen *s, wint_t c, struct key *out)
{
	bool more = char_follows();

	out->name = K_CHAR;
	out->point = (int32_t)c;
	out->together = s->together || more;
	s->together = more;
	s->chars++;
}

static bool size_changed(void)
{
	char drop[64];

	return read(size_pipe[0], drop, sizeof drop) > 0;
}

static void size_take(struct screen *s)
{
	struct winsize size;

	if (ioctl(fileno(s->tty), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
}

static bool terminal_gone(const struct screen *s)
{
	struct epoll_event event;

	return epoll_wait(s->ready, &event, 1, 0) > 0 &&
	       (event.events & (EPOLLHUP | EPOLLERR));
}

bool screen_key(struct screen *s, struct key *out)
{
	wint_t c;

	*out = (struct key){ 0 };
	if (size_changed()) {
		size_take(s);
		out->name = K_RESIZE;
		return true;
	}
	if (s->swallow) swallow(s);
	switch (get_wch(&c)) {
	case OK: break;
	case KEY_CODE_YES: code_read(s, (int)c, out); return true;
	default:
		s->chars = 0;
		s->together = false;
		out->name = K_CLOSED;
		return terminal_gone(s);
	}
	out->pasted = s->pasting;
	if (c == 27)
		out->name = s->pasting ? K_NONE : escape_read(s);
	else if (c == 13)
		out->name = K_ENTER, out->pasted = request_read_pasted(s);
	else if (c < 32)
		out->name = controls[c], out->control = (char)(c + '@');
	else if (c == 127)
		out->name = K_BACKSPACE;
	else
		char_read(s, c, out);
	return true;
}

/* ---- drawing ---- */

void screen_erase(struct screen *s)
{
	s->cursor = false;
	erase();
}

static void style_set(const struct screen *s, enum style style)
{
	attr_set(s->attributes[style], s->pairs[style], NULL);
}

enum { CELL_POINTS = CCHARW_MAX }; /* a letter and its marks */

/* One cluster as the C library's wide characters; false where it would not take the
 * columns we count. A selector that makes an emoji is left out: terminals disagree about
 * the width it gives. */
static bool cell_make(struct str cluster, size_t width, wchar_t out[CELL_POINTS + 1])
{
	size_t n = 0;
	int columns = 0;

	for (int32_t c; (c = utf8_next(&cluster)) >= 0;) {
		if (c == 0xFE0F) continue;
		if (n == CELL_POINTS) return false;
		columns += wcwidth((wchar_t)c);
		out[n++] = (wchar_t)c;
	}
	out[n] = 0;
	return n > 0 && columns == (int)width && wcwidth(out[0]) > 0;
}

static void cluster_put(const struct screen *s, int y, int x, struct str cluster,
	size_t width, enum style style)
{
	wchar_t wide[CELL_POINTS + 1];
	cchar_t cell;

	if (s->ascii) {
		style_set(s, style);
		for (size_t i = 0; i < width; i++)
			mvaddch(y, x + (int)i,
				(chtype)ascii_of(i ? ' ' : utf8_next(&cluster)));
		return;
	}
	if (cell_make(cluster, width, wide) && setcchar(&cell, wide, s->attributes[style],
						       s->pairs[style], NULL) == OK) {
		mvadd_wch(y, x, &cell);
		return;
	}
	style_set(s, style);
	mvaddnwstr(y, x, L"\uFFFD", 1);
	for (size_t i = 1; i < width; i++)
		mvaddch(y, x + (int)i, ' ');
}

void screen_put(struct screen *s, size_t y, size_t x, size_t width, enum style style,
	struct str safe)
{
	size_t columns, end = x + width;

	if (y >= screen_rows(s)) return;
	if (end > screen_columns(s)) end = screen_columns(s);
	while (safe.len > 0) {
		struct str cluster = text_cluster(safe, &columns);

		if (x + columns > end) return;
		/* Without colours an accent is underlined: words are, blanks are not. */
		bool blank = str_is(cluster, " ") && style == STYLE_ACCENT;

		if (columns > 0)
			cluster_put(s, (int)y, (int)x, cluster, columns,
				blank ? STYLE_PLAIN : style);
		x += columns;
		safe = str_from(safe, cluster.len);
	}
}

void screen_draw(struct screen *s, size_t y, size_t x, const struct page *p, size_t row)
{
	enum style emphasis = row == p->marked_row ? p->marked : STYLE_PLAIN;
	const struct text_run *runs;
	size_t left = x, end = x + p->width;

	if (row >= p->rows_len) return;
	for (size_t n = page_row_runs(p, row, &runs); n > 0; n--, runs++) {
		struct str text = page_run_text(p, runs);

		screen_put(s, y, x, end - x, emphasis ? emphasis : runs->style, text);
		x += text_width(text);
	}
	if (emphasis != STYLE_CURSOR) return;
	for (; x < end && x >= left; x++)
		screen_put(s, y, x, 1, emphasis, STR(" "));
}

void screen_page(struct screen *s, const struct area *f, const struct page *p, size_t top)
{
	for (size_t i = 0; i < f->height; i++)
		screen_draw(s, f->y + i, f->x, p, top + i);
}

void screen_say(struct screen *s, const struct area *f, const char *id)
{
	struct arena arena = { 0 };

	screen_put(s, f->y, f->x + 1, f->width - 1, STYLE_SOFT, MSG(&arena, id));
	arena_done(&arena);
}

void screen_rule(struct screen *s, size_t y, size_t x, size_t width)
{
	for (size_t i = 0; i < width; i++)
		screen_put(s, y, x + i, 1, STYLE_SOFT, STR("─"));
}

void screen_bar(struct screen *s, size_t y, size_t x, size_t height)
{
	for (size_t i = 0; i < height; i++)
		screen_put(s, y + i, x, 1, STYLE_SOFT, STR("│"));
}

void screen_cursor(struct screen *s, size_t y, size_t x)
{
	s->cursor = y < screen_rows(s) && x < screen_columns(s);
	s->cursor_y = y;
	s->cursor_x = x;
}

void screen_show(struct screen *s)
{
	curs_set(s->cursor ? 1 : 0);
	if (s->cursor) move((int)s->cursor_y, (int)s->cursor_x);
	refresh();
}

bool screen_small(const struct screen *s)
{
	return screen_rows(s) < ROWS_MIN || screen_columns(s) < COLUMNS_MIN;
}

void screen_show_small(struct screen *s)
{
	struct area all = { 0, 0, screen_rows(s), screen_columns(s) };
	struct page p = { .width = all.width };

	page_wrap(&p, STYLE_WARN, 0,
		MSG(&p.words, "tui.small",
			{ "columns", arena_print(&p.words, "%d", COLUMNS_MIN) },
			{ "rows", arena_print(&p.words, "%d", ROWS_MIN) }));
	screen_erase(s);
	screen_page(s, &all, &p, 0);
	screen_show(s);
	page_done(&p);
}

void screen_refresh(struct screen *s)
{
	(void)s;
	clearok(stdscr, TRUE);
}

/* ---- calling ---- */

void screen_bell(struct screen *s)
{
	(void)s;
	beep();
}

static void sequence_send(struct screen *s, struct buf *out)
{
	if (!out->failed) fwrite(out->at, 1, out->len, s->tty);
	fflush(s->tty);
	buf_done(out);
}

void screen_notify(struct screen *s, struct str title, struct str text)
{
	struct buf out = { .max = 2048 };

	buf_add_text(&out, "\033]9;");
	safe_line_add(&out, text);
	buf_add_text(&out, "\033\\\033]777;notify;");
	safe_line_add(&out, title);
	buf_add_char(&out, ';');
	safe_line_add(&out, text);
	buf_add_text(&out, "\033\\");
	sequence_send(s, &out);
}

void screen_copy(struct screen *s, struct str text)
{
	struct buf out = { .max = 8192 };

	buf_add_text(&out, "\033]52;c;");
	base64_write(&out, text);
	buf_add_text(&out, "\033\\");
	sequence_send(s, &out);
}
