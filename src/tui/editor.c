/* editor.c - edits a text in $EDITOR. */
#include "tui/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/locate.h"
#include "text/msg.h"

enum { TEXT_MAX = 1 << 20 };

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

/* What became of the text, in the arena; `suffix` tells the editor what it edits. False: it could
 * not be run, failed, or the text is too long, and the dialog says so. */
static bool editor_run(struct dialog *d, struct screen *s, struct str text,
	const char *suffix, struct arena *arena, struct str *out)
{
	struct buf path = { .max = 4096 };
	int fd = file_make(text, suffix, &path);
	bool done = false;

	if (fd >= 0) {
		close(fd);
		screen_suspend(s);
		done = editor_wait(buf_text(&path)) &&
		       file_read(buf_text(&path), TEXT_MAX, false, arena, out, NULL) ==
			       OK;
		screen_resume(s);
		unlink(buf_text(&path));
	}
	buf_done(&path);
	if (!done)
		dialog_say(d, STYLE_BAD,
			MSG(arena, "tui.editor.failed",
				{ "editor", str_of(editor_name()) }));
	return done;
}

void editor_line(struct dialog *d, struct screen *s)
{
	struct line *line = dialog_line(d);
	struct arena arena = { 0 };
	struct str text;

	if (line && editor_run(d, s, line_text(line), ".md", &arena, &text))
		line_set(line, str_trim(text));
	arena_done(&arena);
}

void editor_arguments(struct dialog *d, struct screen *s)
{
	const struct json *were = json_get(json_get(d->ask, "operation"), "arguments");
	struct buf text = { .max = TEXT_MAX };
	struct arena arena = { 0 };
	struct str edited;

	if (!json_is(were, JSON_OBJECT)) return;
	json_write_pretty(&text, d->arguments.json ? d->arguments.json : were);
	buf_add_char(&text, '\n');
	if (editor_run(d, s, buf_str(&text), ".json", &arena, &edited))
		dialog_arguments(d, edited);
	buf_done(&text);
	arena_done(&arena);
}
