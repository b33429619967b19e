/* term.c - the terminal of shell verbs: colours, width, lines typed, Ctrl-C. */
#include "cli/term.h"
#include "base/keep.h"
#include "text/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { TTY_LINE_MAX = 4096 };

static int stop_pipe[2] = { -1, -1 };
static volatile sig_atomic_t stop_signal;

static size_t columns(int fd)
{
	const char *said = getenv("COLUMNS");
	struct winsize size;
	int64_t n;

	if (said && str_to_int(str_of(said), 20, 1000, &n)) return (size_t)n;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
	return 80;
}

void term_setup(struct term *term, enum color color)
{
	term->out_tty = isatty(STDOUT_FILENO);
	term->err_tty = isatty(STDERR_FILENO);
	term->out_color = color == COLOR_ALWAYS || (color == COLOR_AUTO && term->out_tty);
	term->err_color = color == COLOR_ALWAYS || (color == COLOR_AUTO && term->err_tty);
	term->width = term->out_tty ? columns(STDOUT_FILENO) : 0;
	term->stop_fd = -1;
}

const char *tint_on(enum tint tint, bool color)
{
	static const char *const codes[] = { "", "\033[1m", "\033[2m", "\033[31m",
		"\033[32m", "\033[33m" };

	return color ? codes[tint] : "";
}

const char *tint_off(bool color)
{
	return color ? "\033[0m" : "";
}

static void stop_note(int number)
{
	int kept = errno;

	stop_signal = number;
	if (write(stop_pipe[1], "", 1) < 0) {
		/* full: it is readable already */
	}
	errno = kept;
}

void term_watch(struct term *term)
{
	struct sigaction action = { .sa_handler = stop_note };

	if (stop_pipe[0] < 0 && pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	term->stop_fd = stop_pipe[0];
}

void term_again(const struct term *term)
{
	char bytes[16];

	while (term->stop_fd >= 0 && read(term->stop_fd, bytes, sizeof bytes) > 0)
		continue;
	stop_signal = 0;
}

int term_stopped(void)
{
	return 128 + (stop_signal ? stop_signal : SIGINT);
}

int tty_open(void)
{
	return open("/dev/tty", O_RDWR | O_CLOEXEC);
}

bool tty_write(int fd, struct str text)
{
	while (text.len > 0) {
		ssize_t n = write(fd, text.at, text.len);

		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) return false;
		text = str_from(text, (size_t)n);
	}
	return true;
}

static bool tty_read(int tty, struct arena *arena, struct str *out)
{
	char line[TTY_LINE_MAX];
	ssize_t n;

	do
		n = read(tty, line, sizeof line);
	while (n < 0 && errno == EINTR && !stop_signal);
	if (n <= 0) return false;
	while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
		n--;
	*out = str_of(arena_copy(arena, str_make(line, (size_t)n)));
	return out->at != NULL;
}

static bool readable(const struct term *term, int tty)
{
	struct pollfd fds[] = { { .fd = tty, .events = POLLIN },
		{ .fd = term->stop_fd, .events = POLLIN } };

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR) return false;
	return !fds[1].revents;
}

bool tty_line(
	const struct term *term, int tty, bool echo, struct arena *arena, struct str *out)
{
	struct termios before, silent;
	bool changed = !echo && tcgetattr(tty, &before) == 0;

	if (changed) {
		silent = before;
		silent.c_lflag &= ~(tcflag_t)ECHO;
		silent.c_lflag |= ECHONL;
		changed = tcsetattr(tty, TCSAFLUSH, &silent) == 0;
	}
	bool got = readable(term, tty) && tty_read(tty, arena, out);
	if (!got) tty_write(tty, STR("\n"));
	if (changed) tcsetattr(tty, TCSAFLUSH, &before);
	return got;
}

bool stdin_read(size_t max, struct arena *arena, struct str *out)
{
	struct buf text = { .max = max };
	char bytes[16384];
	ssize_t n;

	while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0 ||
		(n < 0 && errno == EINTR))
		if (n > 0) buf_add(&text, str_make(bytes, (size_t)n));
	bool whole = n == 0 && !text.failed;
	*out = buf_keep_done(&text, arena);
	return whole;
}

bool term_confirm(const struct term *t, struct arena *arena, struct str question)
{
	const char *yes = msg_text("tui.yes");
	struct str said = STR_NONE;
	int tty = tty_open();

	if (tty < 0) return false;
	tty_write(tty, question);
	tty_line(t, tty, true, arena, &said);
	close(tty);
	said = str_trim(said);
	return said.len && (said.at[0] | 0x20) == (yes ? yes[0] : 'y');
}
