/* settings_file.c - reads parley.conf. */
#include "cli/settings_file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>

#include "cli/flags.h"
#include "client/locate.h"
#include "text/msg.h"

struct file_reader {
	const char *const *names;
	const char *path;
	FILE *file;
	int line;
	int line_max; /* bytes of a line without its end */
	bool too_long;
	bool goes_on; /* the line belongs to the value before it */
	struct arena *arena;
	struct settings_file *out;
	struct fault *why; /* err is OK until something is wrong */
};

static char *line_read(char *out, int size, void *ctx)
{
	struct file_reader *r = ctx;
	char *text = fgets(out, size, r->file);

	if (!text) return NULL;
	r->line++;
	r->line_max = size - 2;
	r->goes_on = *text == ' ' || *text == '\t';
	if (!strchr(text, '\n') && !feof(r->file)) r->too_long = true;
	return text;
}

static int wrong(struct file_reader *r, const char *id, struct str key, const char *near)
{
	struct arena *a = r->arena;

	if (r->why->err == OK)
		FAIL_MSG(r->why, a, id, { "file", str_of(r->path) },
			{ "line", arena_print(a, "%d", r->line) }, { "key", key },
			{ "near", str_of(near) },
			{ "max", arena_print(a, "%d", r->line_max) });
	return 0;
}

static bool value_keep(
	struct file_reader *r, struct settings_file_value *v, const char *value)
{
	v->value = str_of(arena_copy(r->arena, str_of(value)));
	v->path = r->path;
	v->line = r->line;
	return v->value.at != NULL;
}

/* One more line of a value that is there. */
static bool value_extend(
	struct file_reader *r, struct settings_file_value *v, char by, const char *more)
{
	v->value = arena_print(r->arena, "%.*s%c%s", STR_ARGS(v->value), by, more);
	return v->value.at != NULL;
}

/* A name of its own; the person's file may change the system's. */
static int named_take(struct file_reader *r, struct settings_file_section *s,
	const char *name, const char *value)
{
	struct named_command *at = s->at;

	while (at < s->at + s->len && !str_is(at->name, name))
		at++;
	if (at->path == r->path && r->goes_on) {
		at->command =
			arena_print(r->arena, "%.*s %s", STR_ARGS(at->command), value);
		return at->command.at != NULL;
	}
	if (at->path == r->path)
		return wrong(r, "setting.file.twice", str_of(name), NULL);
	if (at == s->at + RESUMERS_MAX)
		return wrong(r, "setting.file.resumers", str_of(name), NULL);
	if (at == s->at + s->len) {
		at->name = str_of(arena_copy(r->arena, str_of(name)));
		s->len++;
	}
	at->command = str_of(arena_copy(r->arena, str_of(value)));
	at->path = r->path;
	at->line = r->line;
	return at->command.at != NULL;
}

/* ---- sections with a name ---- */

static struct settings_section *section_find(
	struct settings_file *out, struct str kind, struct str name)
{
	struct settings_section *s = out->sections;

	while (s && !(str_eq(s->kind, kind) && str_eq(s->name, name)))
		s = s->next;
	return s;
}

/* The section, new when this file has none of it yet: the person's replaces the system's. */
static struct settings_section *section_open(
	struct file_reader *r, struct str kind, struct str name)
{
	struct settings_section *s = section_find(r->out, kind, name), **end;

	if (s && s->path == r->path) return s;
	if (!s) {
		if (r->out->sections_len == SECTIONS_MAX) return NULL;
		s = ARENA_NEW(r->arena, struct settings_section);
		if (!s) return NULL;
		for (end = &r->out->sections; *end;)
			end = &(*end)->next;
		*end = s;
		r->out->sections_len++;
	}
	s->kind = arena_str(r->arena, kind);
	s->name = str_of(arena_copy(r->arena, name));
	s->first = NULL;
	s->path = r->path;
	s->line = r->line;
	return s;
}

static int section_take(struct file_reader *r, struct str kind, struct str name,
	const char *key, const char *value)
{
	struct settings_section *s = section_open(r, kind, name);
	struct settings_line **at;

	if (!s) return wrong(r, "setting.file.sections", name, NULL);
	for (at = &s->first; *at; at = &(*at)->next) {
		if (!str_is((*at)->key, key)) continue;
		if (r->goes_on) return value_extend(r, &(*at)->value, '\n', value);
		return wrong(r, "setting.file.twice", str_of(key), NULL);
	}
	*at = ARENA_NEW(r->arena, struct settings_line);
	if (!*at) return 0;
	(*at)->key = str_of(arena_copy(r->arena, str_of(key)));
	return value_keep(r, &(*at)->value, value);
}

static int value_take(void *ctx, const char *section, const char *name, const char *value)
{
	struct file_reader *r = ctx;
	const char *near = NULL;

	if (r->too_long) return wrong(r, "setting.file.long", str_of(name), NULL);
	if (strcmp(section, "resumers") == 0)
		return named_take(r, &r->out->resumers, name, value);
	if (strcmp(section, "verifiers") == 0)
		return named_take(r, &r->out->verifiers, name, value);
	if (strcmp(section, "channels") == 0)
		return named_take(r, &r->out->channels, name, value);
	if (*section) {
		struct str named = str_of(section), kind;

		str_cut(&named, ' ', &kind);
		named = str_trim(named);
		if ((str_is(kind, "provider") || str_is(kind, "agent") ||
			    str_is(kind, "tool") || str_is(kind, "mcp")) &&
			named.len)
			return section_take(r, kind, named, name, value);
		return wrong(r, "setting.file.section", str_of(section), NULL);
	}
	for (size_t i = 0; r->names[i]; i++) {
		struct settings_file_value *v = &r->out->values[i];

		near = *r->names[i] ? nearer(str_of(name), near, r->names[i]) : near;
		if (strcmp(name, r->names[i]) != 0) continue;
		if (v->path == r->path && r->goes_on)
			return value_extend(r, v, ' ', value);
		if (v->path == r->path)
			return wrong(r, "setting.file.twice", str_of(name), NULL);
		return value_keep(r, v, value);
	}
	return wrong(r, near ? "setting.file.unknown.near" : "setting.file.unknown",
		str_of(name), near);
}

static enum err file_take(const char *path, bool must, const char *const *names,
	struct arena *arena, struct settings_file *out, struct fault *why)
{
	struct fault found = { 0 };
	struct file_reader r = {
		.names = names, .path = path, .arena = arena, .out = out, .why = &found
	};
	int bad;

	r.file = fopen(path, "re");
	if (!r.file)
		return must ? fail(why, ERR_INVALID, "%s: %s", path, strerror(errno))
			    : OK;
	bad = ini_parse_stream(line_read, &r, value_take, &r);
	fclose(r.file);
	if (r.too_long && found.err == OK) wrong(&r, "setting.file.long", STR_NONE, NULL);
	if (bad && found.err == OK) {
		r.line = bad > 0 ? bad : r.line;
		wrong(&r, "setting.file.bad", STR_NONE, NULL);
	}
	if (found.err != OK) *why = found;
	return found.err;
}

enum err settings_file_load(const char *path, const char *const *names,
	struct arena *arena, struct settings_file *out, struct fault *why)
{
	const char *own = config_path(arena, "parley.conf");
	enum err err;

	if (path) return file_take(path, true, names, arena, out, why);
	err = file_take("/etc/parley/parley.conf", false, names, arena, out, why);
	if (err == OK && own) err = file_take(own, false, names, arena, out, why);
	return err;
}
