/* program.c - resolves a command to a file, reads it, and runs that very file. */
#include "cli/verb/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that may be executed; a folder may be entered, which is something else. */
static bool runnable(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static enum err content_read(struct program *p, struct fault *why)
{
	struct stat st;
	void *at = MAP_FAILED;

	if (fstat(p->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return fail(why, ERR_FORBIDDEN, "%s: not a file", p->path);
	if (st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, p->fd, 0);
	if (st.st_size > 0 && at == MAP_FAILED)
		return fail(why, ERR_FORBIDDEN, "%s: %s", p->path, strerror(errno));
	struct str text = st.st_size > 0 ? str_make(at, (size_t)st.st_size) : STR("");
	sha256_hex(text, p->sha256);
	p->script = str_starts(text, "#!");
	if (st.st_size > 0) munmap(at, (size_t)st.st_size);
	return OK;
}

enum err program_open(
	const char *path, struct arena *arena, struct program *out, struct fault *why)
{
	struct program p = { .path = arena_copy(arena, str_of(path)), .fd = -1 };
	enum err e;

	if (!p.path) return fail(why, ERR_MEMORY, "out of memory");
	p.fd = open(p.path, O_RDONLY | O_CLOEXEC);
	if (p.fd < 0)
		return fail(why, errno == ENOENT ? ERR_NOT_FOUND : ERR_FORBIDDEN,
			"%s: %s", path, strerror(errno));
	e = content_read(&p, why);
	if (e)
		close(p.fd);
	else
		*out = p;
	return e;
}

enum err program_find(const char *name, const char *cwd, struct arena *arena,
	struct program *out, struct fault *why)
{
	struct str path = str_of(getenv("PATH")), folder;
	const char *file = NULL;

	if (path.len == 0) path = STR("/usr/local/bin:/usr/bin:/bin");
	if (strchr(name, '/')) {
		file = *name == '/' ? name : arena_print(arena, "%s/%s", cwd, name).at;
		return program_open(file, arena, out, why);
	}
	while (str_cut(&path, ':', &folder)) {
		if (folder.len == 0) folder = str_of(cwd); /* an empty entry is "here" */
		bool whole = *folder.at == '/';

		file = arena_print(arena, "%s%s%.*s/%s", whole ? "" : cwd,
			whole ? "" : "/", STR_ARGS(folder), name)
			       .at;
		if (runnable(file)) return program_open(file, arena, out, why);
	}
	return fail(why, ERR_NOT_FOUND, "%s: command not found", name);
}

void program_close(struct program *p)
{
	if (p->fd >= 0) close(p->fd);
	p->fd = -1;
}

void program_exec(const struct program *p, char **argv)
{
	/* An interpreter opens its script by name, and tells it that name. */
	if (p->script)
		execv(p->path, argv);
	else
		fexecve(p->fd, argv, environ);
}
