/* editor.c - edits a text in $EDITOR. */
#include "tui/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/msg.h"

static const char *editor_name(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	if (visual && *visual) return visual;
	if (editor && *editor) return editor;
	return access("/usr/bin/sensible-editor", X_OK) == 0 ? "sensible-editor" : "vi";
}

/* A file for its owner alone; its path in *path. -1: none. */
static int file_make(struct str text, const char *suffix, struct buf *path)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	buf_print(
		path, "%s/parley-XXXXXX%s", folder && *folder ? folder : "/tmp", suffix);
	if (path->failed) return -1;
	buf_text(path);
	fd = mkostemps(path->at, (int)strlen(suffix), O_CLOEXEC);
	if (fd < 0) return -1;
	if (write(fd, text.at, text.len) == (ssize_t)text.len) return fd;
	close(fd);
	unlink(buf_text(path));
	return -1;
}

static bool file_take(const char *path, struct buf *out)
{
	struct buf got = { .max = out->max };
	char piece[4096];
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0)
		buf_add(&got, str_make(piece, (size_t)n));
	if (fd >= 0) close(fd);
	if (n == 0 && !got.failed) {
		buf_done(out);
		*out = got;
		return true;
	}
	buf_done(&got);
	return false;
}

/* $EDITOR may be several words: the shell takes them apart. */
static _Noreturn void editor_exec(const char *path)
{
	int tty = open("/dev/tty", O_RDWR);
	struct buf command = { .max = 4096 };

	for (int fd = 0; fd < 3 && tty >= 0; fd++)
		dup2(tty, fd);
	buf_print(&command, "%s \"$1\"", editor_name());
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	execl("/bin/sh", "sh", "-c", buf_text(&command), "sh", path, (char *)NULL);
	_exit(127);
}

static bool editor_wait(const char *path)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) editor_exec(path);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR) return false;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* `suffix` tells the editor what it edits. False: it could not be run, failed, or the
 * text is too long; *out is as it was. */
static bool editor_run(
	struct screen *s, struct str text, const char *suffix, struct buf *out)
{
	struct buf path = { .max = 4096 };
	int fd = file_make(text, suffix, &path);
	bool done = false;

	if (fd >= 0) {
		close(fd);
		screen_suspend(s);
		done = editor_wait(buf_text(&path)) && file_take(buf_text(&path), out);
		screen_resume(s);
		unlink(buf_text(&path));
	}
	buf_done(&path);
	return done;
}

static void editor_failed(struct dialog *d)
{
	struct arena arena = { 0 };

	dialog_say(d, STYLE_BAD,
		MSG(&arena, "tui.editor.failed", { "editor", str_of(editor_name()) }));
	arena_done(&arena);
}

void editor_line(struct dialog *d, struct screen *s)
{
	struct line *line = dialog_line(d);
	struct buf text = { .max = 1 << 20 };

	if (line && editor_run(s, line_text(line), ".md", &text))
		line_set(line, str_trim(buf_str(&text)));
	else if (line)
		editor_failed(d);
	buf_done(&text);
}

void editor_arguments(struct dialog *d, struct screen *s)
{
	const struct json *were = json_get(json_get(d->ask, "operation"), "arguments");
	struct buf text = { .max = 1 << 20 }, edited = { .max = 1 << 20 };

	if (!json_is(were, JSON_OBJECT)) return;
	json_write_pretty(&text, d->arguments ? d->arguments : were);
	buf_add_char(&text, '\n');
	if (editor_run(s, buf_str(&text), ".json", &edited))
		dialog_arguments(d, buf_str(&edited));
	else
		editor_failed(d);
	buf_done(&text);
	buf_done(&edited);
}
