/* agents.c - finds agents in their table, and writes out what it says of them. */
#include "cli/connect/agents.h"

#include "base/keep.h"
#include "base/shell.h"
#include "client/client.h"
#include "net/process.h"

#include <stdlib.h>
#include <unistd.h>

const struct agent *agent_find(struct str name)
{
	for (const struct agent *a = agents; a->name; a++)
		if (str_is(name, a->name)) return a;
	return NULL;
}

void agents_write(struct buf *out, bool remote)
{
	size_t start = out->len;

	for (const struct agent *a = agents; a->name; a++) {
		if (remote && !a->remote.file) continue;
		if (out->len > start) buf_add_text(out, ", ");
		buf_add_text(out, a->name);
	}
}

bool agent_installed(const struct agent *a, struct arena *arena)
{
	return a->program && process_found(str_of(a->program), arena);
}

/* ---- written out ---- */

/* The flags that lead the program to its server, as words of JSON or of a shell. */
static void flags_write(struct buf *out, const struct agent_entry *e, bool shell)
{
	const struct {
		const char *name;
		struct str value;
	} flags[] = { { "--url", e->url }, { "--data", e->data },
		{ "--project", e->project } };

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (!flags[i].value.len) continue;
		buf_print(out, shell ? " %s" : ",\"%s\",", flags[i].name);
		if (shell)
			shell_word_add(out, flags[i].value);
		else
			json_write_str(out, flags[i].value);
	}
}

static void hook_line_write(
	struct buf *out, const struct agent *a, const struct agent_entry *e, bool prompts)
{
	struct buf line = { .max = 65536 };

	shell_word_add(&line, e->program);
	buf_print(&line, " hook %s", a->name);
	flags_write(&line, e, true);
	buf_add_text(&line, prompts ? " --prompts" : " --wait 10m");
	if (!prompts && a->hook && *a->hook) buf_print(&line, " %s", a->hook);
	json_write_str(out, buf_str(&line));
	out->failed |= line.failed;
	buf_done(&line);
}

static void url_write(struct buf *out, struct str url, struct str project)
{
	while (url.len && url.at[url.len - 1] == '/')
		url.len--;
	json_write_str(out, url);
	out->len--;
	buf_add_text(out, "/mcp");
	if (project.len) {
		buf_add_text(out, "?project=");
		url_add(out, project);
	}
	buf_add_char(out, '"');
}

/* The one mark that `rest` begins with, written; how long it is, or 0. */
static size_t mark_write(struct buf *out, struct str rest, const struct agent *a,
	const struct agent_entry *e)
{
	if (str_starts(rest, "{command}")) return json_write_str(out, e->program), 9;
	if (str_starts(rest, "{mcp}"))
		return buf_add_text(out, "\"mcp\""), flags_write(out, e, false), 5;
	if (str_starts(rest, "{hook}")) return hook_line_write(out, a, e, false), 6;
	if (str_starts(rest, "{prompts}")) return hook_line_write(out, a, e, true), 9;
	if (str_starts(rest, "{url}")) return url_write(out, e->url, e->project), 5;
	if (str_starts(rest, "{token}")) return buf_add_text(out, a->remote.token), 7;
	if (!str_starts(rest, "{env}")) return 0;
	if (e->token && a->env) buf_add_text(out, a->env);
	return 5;
}

struct str agent_value(const struct agent *a, const struct agent_change *c,
	const struct agent_entry *e, struct arena *arena)
{
	struct str rest = str_of(c->value);
	struct buf b = { .max = 65536 };

	while (rest.len) {
		size_t mark = mark_write(&b, rest, a, e);

		if (!mark) buf_add_char(&b, rest.at[0]);
		rest = str_from(rest, mark ? mark : 1);
	}
	return buf_keep_done(&b, arena);
}

enum err agent_file_write(const struct agent *a, const struct agent_entry *entry,
	struct arena *arena, struct str *out, struct fault *why)
{
	const struct agent_file *file = a->changes[0].file;
	struct str text = STR_NONE;
	enum err e = OK;

	for (size_t i = 0; !e && i < AGENT_CHANGES; i++) {
		struct agent_change c = a->changes[i];

		if (c.file != file) continue;
		if (!i && entry->url.len) c.value = a->remote.value;
		const struct config_change change = { c.path,
			agent_value(a, &c, entry, arena), c.item, c.known, STR_NONE };
		e = config_edit(file->format, text, &change, false, arena, &text, why);
	}
	if (!e) *out = text;
	return e;
}

struct str own_path(struct arena *arena)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path);

	return len > 0 ? arena_str(arena, str_make(path, (size_t)len)) : STR("parley");
}

const char *agent_path(
	const struct agent_file *f, enum connect_scope scope, struct arena *arena)
{
	const char *home = getenv("HOME"), *own = f->env ? getenv(f->env) : NULL;
	struct str folder, other;

	if (scope == SCOPE_PROJECT) return f->project;
	if (own && *own)
		folder = str_of(own);
	else if (!home || !*home)
		return NULL;
	else
		folder = arena_print(
			arena, "%s%s%s", home, *f->folder ? "/" : "", f->folder);
	other = arena_print(arena, "%.*s/%s", STR_ARGS(folder), f->other ? f->other : "");
	if (f->other && other.at && access(other.at, F_OK) == 0) return other.at;
	return arena_print(arena, "%.*s/%s", STR_ARGS(folder), f->name).at;
}
