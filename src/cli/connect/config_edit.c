/* config_edit.c - what the formats of configuration files have in common. */
#include "cli/connect/config_edit.h"

#include <stdarg.h>
#include <stdio.h>

static config_edit_fn *const formats[] = {
	[CONFIG_JSON] = config_edit_json,
	[CONFIG_TOML] = config_edit_toml,
	[CONFIG_YAML] = config_edit_yaml,
};

/* Lines end with "\n" or "\r\n". */
static enum err bytes_check(struct str text, struct fault *why)
{
	for (size_t i = 0; i < text.len; i++)
		if (!text.at[i] || (text.at[i] == '\r' &&
					   (i + 1 == text.len || text.at[i + 1] != '\n')))
			return config_wrong(text, i, why,
				text.at[i] ? "a carriage return without a line feed"
					   : "a NUL byte");
	return OK;
}

enum err config_edit(enum config_format format, struct str text,
	const struct config_change *change, bool remove, struct arena *arena,
	struct str *out, struct fault *why)
{
	struct str edited = text;
	enum err e;

	if (text.len > CONFIG_MAX)
		return fail(why, ERR_TOO_BIG, "more than %d MB", CONFIG_MAX >> 20);
	e = bytes_check(text, why);
	if (!e && (text.at || !remove))
		e = formats[format](text, change, remove, arena, &edited, why);
	if (!e && arena->failed) e = fail(why, ERR_MEMORY, "out of memory");
	if (!e) *out = edited;
	return e;
}

const char *config_newline(struct str text)
{
	int at = str_find(text, STR("\n"));

	return at > 0 && text.at[at - 1] == '\r' ? "\r\n" : "\n";
}

size_t config_newline_before(struct str text, size_t at)
{
	if (at < 1 || text.at[at - 1] != '\n') return 0;
	return at > 1 && text.at[at - 2] == '\r' ? 2 : 1;
}

/* Which line, from 1, the byte is in. */
static int config_line(struct str text, size_t at)
{
	int line = 1;

	for (size_t i = 0; i < at && i < text.len; i++)
		line += text.at[i] == '\n';
	return line;
}

enum err config_wrong(
	struct str text, size_t at, struct fault *why, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return fail(why, ERR_INVALID, "line %d: %s", config_line(text, at), what);
}

/* Does a text in it contain `known`? Items are small, and read with a bounded depth. */
static bool has_text(const struct json *value, const char *known)
{
	bool has =
		json_is(value, JSON_STRING) && str_find(value->text, str_of(known)) >= 0;

	for (const struct json *item = NULL; !has && json_each(value, &item);)
		has = has_text(item, known);
	for (uint32_t i = 0; !has && json_is(value, JSON_OBJECT) && i < value->count; i++)
		has = has_text(&value->members[i].value, known);
	return has;
}

bool config_is_ours(const struct json *item, const struct json *wanted, const char *known)
{
	return (item && json_equal(item, wanted)) || (known && has_text(item, known));
}

struct str config_splice(
	struct str text, size_t from, size_t to, struct str put, struct arena *arena)
{
	char *at = arena_alloc(arena, from + put.len + (text.len - to) + 1);

	if (!at) return text;
	if (from) memcpy(at, text.at, from);
	if (put.len) memcpy(at + from, put.at, put.len);
	if (text.len > to) memcpy(at + from + put.len, text.at + to, text.len - to);
	return str_make(at, from + put.len + (text.len - to));
}
