/* connect.c - reads, compares and replaces the configuration files of an agent. */
#include "cli/connect/connect.h"

#include "cli/connect/codex_trust.h"
#include "client/locate.h"
#include "net/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

static enum err trouble(struct fault *why, const char *path, const char *what)
{
	return fail(why, ERR_INVALID, "%s: %s", path, what);
}

/* A file that is not there is no error. */
static enum err text_read(
	const char *path, struct arena *arena, struct str *out, struct fault *why)
{
	enum err e = file_read(path, CONFIG_MAX + 1, false, arena, out, why);

	if (e == ERR_INVALID) return trouble(why, path, "is not a file");
	if (e == ERR_NOT_FOUND) *out = STR_NONE;
	return e && e != ERR_NOT_FOUND ? ERR_INVALID : OK;
}

/* The folders above it. */
static void folders_make(const char *path, mode_t mode)
{
	char folder[4096];

	if (strlen(path) >= sizeof folder) return;
	for (size_t i = 0; path[i]; i++) {
		folder[i] = path[i];
		folder[i + 1] = 0;
		if (path[i + 1] == '/' && i + 1 > 0) mkdir(folder, mode);
	}
}

static mode_t mask_now(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return mask;
}

/* Beside it, then in its place, with its mode: nobody ever sees half of it. `shared`: a new one is
 * for whoever works on the project, not for its owner alone. */
static enum err text_replace(
	const char *path, struct str text, bool shared, struct fault *why)
{
	char real[4096], beside[4200];
	struct stat st = { .st_mode = shared ? 0666 & ~mask_now() : 0600 };
	bool there = realpath(path, real) != NULL;
	int fd;

	if (!there) {
		if (strlen(path) >= sizeof real) return trouble(why, path, "too long");
		memcpy(real, path, strlen(path) + 1);
		folders_make(path, shared ? 0777 : 0700);
	} else if (stat(real, &st) != 0) {
		return trouble(why, path, strerror(errno));
	}
	snprintf(beside, sizeof beside, "%s.parley-XXXXXX", real);
	fd = mkstemp(beside);
	if (fd < 0) return trouble(why, path, strerror(errno));
	bool ok = tty_write(fd, text) && fsync(fd) == 0 &&
		  fchmod(fd, st.st_mode & 0777) == 0;

	/* Root must not take a person's file away from them. */
	if (ok && there && st.st_uid != geteuid())
		ok = fchown(fd, st.st_uid, st.st_gid) == 0;
	ok = close(fd) == 0 && ok && rename(beside, real) == 0;
	if (ok) return OK;
	enum err e = trouble(why, path, strerror(errno));

	unlink(beside);
	return e;
}

/* As root everything can be written; what says that it must not be is left alone. */
static enum err may_write(const struct connect_file *f, struct fault *why)
{
	struct stat st;

	if (!f->before.at || stat(f->path, &st) != 0) return OK;
	return st.st_mode & 0200 && access(f->path, W_OK) == 0
		       ? OK
		       : trouble(why, f->path, "is read-only");
}

static bool file_changes(const struct connect_file *f)
{
	return !str_eq(f->before, f->after) || !f->before.at != !f->after.at;
}

enum err connect_write(const struct connect_plan *p, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; !e && i < p->files_len; i++)
		if (file_changes(&p->files[i])) e = may_write(&p->files[i], why);
	for (size_t i = 0; !e && i < p->files_len; i++) {
		const struct connect_file *f = &p->files[i];

		if (!file_changes(f)) continue;
		if (f->after.at)
			e = text_replace(f->path, f->after, p->shared, why);
		else if (unlink(f->path) != 0)
			e = trouble(why, f->path, strerror(errno));
	}
	return e;
}

/* A project's file, below this folder: does a link lead it elsewhere? A repository may have brought it. */
static bool leads_out(const char *path)
{
	char here[PATH_MAX], real[PATH_MAX], part[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof part || !realpath(".", here)) return true;
	memcpy(part, path, len + 1);
	while (!realpath(part, real)) {
		char *slash = strrchr(part, '/');

		if (!slash) return false; /* none of it is there */
		*slash = 0;
	}
	len = strcmp(here, "/") == 0 ? 0 : strlen(here);
	return strncmp(real, here, len) != 0 || (real[len] && real[len] != '/');
}

/* ---- the plan ---- */

/* A plan that is being made. */
struct planning {
	struct connect_plan plan;
	enum connect_scope scope;
	bool remove;
	const struct agent_entry *entry;
	struct arena *arena;
	struct fault *why;
};

static enum err plan_file(struct planning *p, const char *path, struct connect_file **out)
{
	struct connect_plan *plan = &p->plan;
	struct connect_file *f = plan->files, *end = f + plan->files_len;
	enum err e = OK;

	while (f < end && strcmp(f->path, path) != 0)
		f++;
	if (f == end) {
		f->path = path;
		e = text_read(path, p->arena, &f->before, p->why);
		f->after = f->before;
		plan->files_len += !e;
	}
	*out = f;
	return e;
}

/* `hook`: the change before it in the list. Codex runs a hook only if its user's configuration trusts it as it is. */
static enum err plan_trust(struct planning *p, const struct agent_change *hook,
	bool *skip, struct config_change *change)
{
	const char *path = agent_path(hook->file, p->scope, p->arena);
	struct connect_file *hooks;
	enum err e = path ? plan_file(p, path, &hooks)
			  : fail(p->why, ERR_NOT_FOUND, "no file");

	if (e) return e;
	*skip = !hooks->after.at ||
		!codex_trust(path, hooks->after, strrchr(hook->path, '/') + 1,
			hook->known, p->arena, change);
	return OK;
}

static enum err plan_change(
	struct planning *p, const struct agent_change *c, const char *path)
{
	struct config_change change = { c->path,
		agent_value(p->plan.agent, c, p->entry, p->arena), c->item, c->known,
		STR_NONE };
	struct connect_file *f;
	struct fault wrong = { 0 };
	bool skip = false;
	enum err e = c->trusts ? plan_trust(p, c - 1, &skip, &change) : OK;

	if (!e) e = plan_file(p, path, &f);
	if (e || skip) return e;
	e = config_edit(c->file->format, f->after, &change, p->remove, p->arena,
		&f->after, &wrong);
	return e ? fail(p->why, e, "%s: %s", path, wrong.detail) : OK;
}

static enum err plan_list(
	struct planning *p, const struct agent_change *list, bool remove)
{
	size_t len = 0;
	enum err e = OK;

	p->remove = remove;
	while (len < AGENT_CHANGES && list[len].file)
		len++;
	/* Undone from the last: what was opened for it goes with it. */
	for (size_t i = 0; !e && i < len; i++) {
		const struct agent_change *c = &list[remove ? len - 1 - i : i];
		const char *path =
			agent_path(c->file, c->trusts ? SCOPE_USER : p->scope, p->arena);

		if (!path)
			e = fail(p->why, ERR_NOT_FOUND, "no file");
		else if (p->scope == SCOPE_PROJECT && !c->trusts && leads_out(path))
			e = trouble(p->why, path, "a link leads out of this project");
		else
			e = plan_change(p, c, path);
	}
	return e;
}

static enum err plan_hooks(struct planning *p, unsigned what, bool anew, bool remove)
{
	const struct agent *a = p->plan.agent;
	enum err e = OK;

	if (anew || what & CONNECT_PROMPTS) e = plan_list(p, a->hooks, true);
	if (!e && (anew || what & CONNECT_HOOK)) e = plan_list(p, a->prompts, true);
	if (e || remove) return e;
	return plan_list(p, what & CONNECT_PROMPTS ? a->prompts : a->hooks, false);
}

enum err connect_plan(const struct agent *a, enum connect_scope scope, unsigned what,
	bool remove, const struct agent_entry *entry, struct arena *arena,
	struct connect_plan *out, struct fault *why)
{
	struct planning p = { .plan = { .agent = a, .shared = scope == SCOPE_PROJECT },
		.scope = scope,
		.entry = entry,
		.arena = arena,
		.why = why };
	enum err e = what & CONNECT_SERVER ? plan_list(&p, a->changes, remove) : OK;

	/* One hook replaces the other. One that is there keeps its options, unless it has to name a
	 * project. */
	if (!e && what & (CONNECT_HOOK | CONNECT_PROMPTS))
		e = plan_hooks(&p, what, remove || entry->project.len, remove);
	if (!e) *out = p.plan;
	return e;
}

enum err connect_gate(const struct agent *a, enum connect_scope scope,
	const struct str *names, size_t len, bool remove, const struct agent_entry *entry,
	struct arena *arena, struct connect_plan *out, struct fault *why)
{
	struct planning p = { .plan = { .agent = a, .shared = scope == SCOPE_PROJECT },
		.scope = scope,
		.entry = entry,
		.arena = arena,
		.why = why };
	const struct agent_change *servers = &a->changes[0];
	const char *path = agent_path(servers->file, scope, arena),
		   *last = strrchr(servers->path, '/');
	/* Servers are members of a table by their names, or items of a list that have one. */
	struct str below = servers->item
				   ? str_of(servers->path)
				   : str_make(servers->path,
					     last ? (size_t)(last - servers->path) : 0);
	struct connect_file *f;
	struct fault wrong = { 0 };
	enum err e = path ? plan_file(&p, path, &f) : fail(why, ERR_NOT_FOUND, "no file");

	if (!e && scope == SCOPE_PROJECT && leads_out(path))
		e = trouble(why, path, "a link leads out of this project");
	for (size_t i = 0; !e && i < len; i++) {
		e = config_gate(servers->file->format, f->after, arena_copy(arena, below),
			names[i], entry->program, remove, arena, &f->after, &wrong);
		if (e == ERR_NOT_FOUND)
			e = fail(why, ERR_INVALID,
				"%s: there is no MCP server %.*s with a command", path,
				STR_ARGS(names[i]));
		else if (e)
			e = fail(why, e, "%s: %s", path, wrong.detail);
	}
	if (!e) *out = p.plan;
	return e;
}

bool connect_changes(const struct connect_plan *p)
{
	bool any = false;

	for (size_t i = 0; i < p->files_len; i++)
		any |= file_changes(&p->files[i]);
	return any;
}

enum connect_state connect_state(const struct agent *a, enum connect_scope scope,
	unsigned what, const struct agent_entry *entry, struct arena *arena,
	struct fault *why)
{
	struct connect_plan with, without;
	enum err e = connect_plan(a, scope, what, false, entry, arena, &with, why);

	if (!e) e = connect_plan(a, scope, what, true, entry, arena, &without, why);
	if (e == ERR_NOT_FOUND) return CONNECTED_NOT;
	if (e) return CONNECT_BROKEN;
	if (!connect_changes(&with)) return CONNECTED;
	return connect_changes(&without) ? CONNECTED_OTHERWISE : CONNECTED_NOT;
}

/* ---- the diff ---- */

enum { AROUND = 3, LINES_MAX = 1000 };

struct lines {
	struct str *at;
	size_t len;
};

static struct lines lines_of(struct str text, struct arena *arena)
{
	struct lines l = { 0 };
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.at[i] == '\n';
	l.at = ARENA_ARRAY(arena, struct str, n);
	while (l.at && text.len) {
		const char *end = memchr(text.at, '\n', text.len);
		size_t len = end ? (size_t)(end - text.at) + 1 : text.len;

		l.at[l.len++] = str_first(text, len);
		text = str_from(text, len);
	}
	return l;
}

static void line_write(struct buf *out, char sign, struct str line)
{
	buf_add_char(out, sign);
	buf_add(out, line);
	if (!str_ends(line, "\n")) buf_add_text(out, "\n\\ No newline at end of file\n");
}

/* The middle, by the longest common subsequence; too much of it is all old, then new. */
static void middle_write(
	struct buf *out, struct lines a, struct lines b, struct arena *arena)
{
	size_t width = b.len + 1, i = 0, j = 0;
	uint16_t *common = a.len <= LINES_MAX && b.len <= LINES_MAX
				   ? ARENA_ARRAY(arena, uint16_t, (a.len + 1) * width)
				   : NULL;

	for (size_t x = a.len; common && x-- > 0;)
		for (size_t y = b.len; y-- > 0;) {
			uint16_t down = common[(x + 1) * width + y];
			uint16_t right = common[x * width + y + 1];

			common[x * width + y] =
				str_eq(a.at[x], b.at[y])
					? (uint16_t)(common[(x + 1) * width + y + 1] + 1)
				: down > right ? down
					       : right;
		}
	while (i < a.len || j < b.len) {
		if (common && i < a.len && j < b.len && str_eq(a.at[i], b.at[j])) {
			line_write(out, ' ', a.at[i++]);
			j++;
		} else if (i < a.len && (j == b.len || !common ||
						common[(i + 1) * width + j] >=
							common[i * width + j + 1])) {
			line_write(out, '-', a.at[i++]);
		} else {
			line_write(out, '+', b.at[j++]);
		}
	}
}

void connect_diff(const struct connect_file *f, struct buf *out)
{
	struct arena arena = { 0 };
	struct lines a = lines_of(f->before, &arena), b = lines_of(f->after, &arena);
	size_t head = 0, tail = 0, from, rest;

	if (!file_changes(f)) return;
	while (head < a.len && head < b.len && str_eq(a.at[head], b.at[head]))
		head++;
	while (tail < a.len - head && tail < b.len - head &&
		str_eq(a.at[a.len - 1 - tail], b.at[b.len - 1 - tail]))
		tail++;
	from = head > AROUND ? head - AROUND : 0;
	rest = tail > AROUND ? AROUND : tail;
	buf_print(out, "--- %s\n+++ %s\n@@ -%zu,%zu +%zu,%zu @@\n",
		f->before.at ? f->path : "/dev/null", f->after.at ? f->path : "/dev/null",
		a.len ? from + 1 : 0, a.len - tail + rest - from, b.len ? from + 1 : 0,
		b.len - tail + rest - from);
	for (size_t i = from; i < head; i++)
		line_write(out, ' ', a.at[i]);
	middle_write(out, (struct lines){ a.at + head, a.len - tail - head },
		(struct lines){ b.at + head, b.len - tail - head }, &arena);
	for (size_t i = a.len - tail; i < a.len - tail + rest; i++)
		line_write(out, ' ', a.at[i]);
	if (arena.failed) out->failed = true;
	arena_done(&arena);
}

/* ---- what an entry says ---- */

/* The folder that nobody looks in unless they are told to. */
static struct str data_elsewhere(struct cli *cli)
{
	const char *home = getenv("HOME");
	struct str usual =
		arena_print(&cli->arena, "%s/.local/state/parley", home ? home : "");

	return str_eq(cli->settings.data, usual) ? STR_NONE : cli->settings.data;
}

struct agent_entry connect_entry(struct cli *cli, bool shared, struct str project)
{
	const struct settings *s = &cli->settings;
	struct agent_entry e = { .program = own_path(&cli->arena), .project = project };

	/* A project's file goes to other people's machines. */
	if (shared && process_found(STR("parley"), &cli->arena))
		e.program = STR("parley");

	if (s->url_said)
		e.url = s->url;
	else
		e.data = data_elsewhere(cli);
	e.token = s->url_said || s->token.len > 0;
	return e;
}
