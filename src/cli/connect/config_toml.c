/* config_toml.c - changes to TOML files: one table, found by its header and put in its place or at
 * the end.
 *
 * A text is taken statement by statement; values are passed over by their syntax alone. Our table
 * written in any other way (inline, by dotted keys, in several places) is refused. */
#include "cli/connect/config_edit.h"

#include <stdio.h>

#include "base/utf8.h"

enum { KEYS_MAX = 16, NESTED_MAX = 64 };

struct toml_reader {
	struct str text;
	size_t at;
	struct str path[KEYS_MAX]; /* of our table */
	int path_len;
	int table_keys, table_alike; /* of the last header: its keys, those of our path */
	size_t ours, ours_end;	     /* from our header to the last line below it */
	bool found, passed;	     /* our table; and something else behind it */
	bool failed;
	struct config_command *command; /* what is looked for in it; or NULL */
	struct fault *why;
};

/* ---- reading ---- */

static bool wrong(struct toml_reader *r, size_t at, const char *what)
{
	if (!r->failed) config_wrong(r->text, at, r->why, "%s", what);
	r->failed = true;
	return false;
}

static int peek(const struct toml_reader *r, size_t further)
{
	size_t at = r->at + further;

	return at < r->text.len ? (unsigned char)r->text.at[at] : -1;
}

static void blanks_pass(struct toml_reader *r)
{
	while (peek(r, 0) == ' ' || peek(r, 0) == '\t')
		r->at++;
}

static bool at_line_end(const struct toml_reader *r)
{
	return peek(r, 0) < 0 || peek(r, 0) == '\n' ||
	       (peek(r, 0) == '\r' && peek(r, 1) == '\n');
}

static void comment_pass(struct toml_reader *r)
{
	blanks_pass(r);
	if (peek(r, 0) != '#') return;
	while (!at_line_end(r))
		r->at++;
}

/* Blanks, comments and line ends. */
static void lines_pass(struct toml_reader *r)
{
	for (;;) {
		comment_pass(r);
		if (peek(r, 0) < 0 || !at_line_end(r)) return;
		r->at += peek(r, 0) == '\r' ? 2 : 1;
	}
}

static bool string_pass(struct toml_reader *r)
{
	int quote = peek(r, 0);
	size_t start = r->at;
	bool many = peek(r, 1) == quote && peek(r, 2) == quote;

	r->at += many ? 3 : 1;
	for (;; r->at++) {
		int ch = peek(r, 0);

		if (ch < 0 || (!many && (ch == '\n' || ch == '\r')))
			return wrong(r, start, "a string is not closed");
		if (ch == '\\' && quote == '"')
			r->at++;
		else if (ch == quote && !many)
			break;
		else if (ch == quote && peek(r, 1) == quote && peek(r, 2) == quote) {
			/* One or two quotes may stand before the closing three. */
			r->at += 2;
			while (peek(r, 1) == quote)
				r->at++;
			break;
		}
	}
	r->at++;
	return true;
}

/* From one bracket to the one that closes it. */
static bool brackets_pass(struct toml_reader *r)
{
	size_t start = r->at;
	int closes[NESTED_MAX], depth = 0;

	do {
		int ch = peek(r, 0);

		if (ch == '"' || ch == '\'') {
			if (!string_pass(r)) return false;
		} else if (ch == '[' || ch == '{') {
			if (depth == NESTED_MAX)
				return wrong(r, start, "nested too deeply");
			closes[depth++] = ch + 2;
			r->at++;
		} else if (ch < 0 ||
			   ((ch == ']' || ch == '}') && closes[depth - 1] != ch)) {
			return wrong(r, start,
				r->text.at[start] == '[' ? "this '[' is not closed"
							 : "this '{' is not closed");
		} else {
			depth -= ch == ']' || ch == '}';
			r->at++;
		}
		if (depth) lines_pass(r);
	} while (depth);
	return true;
}

static bool is_bare(int ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
	       (ch >= '0' && ch <= '9') || ch == '_' || ch == '-';
}

static bool value_pass(struct toml_reader *r)
{
	size_t start = r->at;

	if (peek(r, 0) == '"' || peek(r, 0) == '\'') return string_pass(r);
	if (peek(r, 0) == '[' || peek(r, 0) == '{') return brackets_pass(r);
	/* true, 1_000, 1e6, 2026-11-15 07:00:00+01:00 */
	while (is_bare(peek(r, 0)) || peek(r, 0) == '+' || peek(r, 0) == '.' ||
		peek(r, 0) == ':' ||
		(peek(r, 0) == ' ' && r->at > start && peek(r, 1) >= '0' &&
			peek(r, 1) <= '9'))
		r->at++;
	return r->at > start || wrong(r, start, "a value is needed here");
}

/* One part of a key. Escapes in a quoted one are left as they are: ours has none. */
static bool key_part_read(struct toml_reader *r, struct str *out)
{
	size_t start = r->at;

	if (peek(r, 0) == '"' || peek(r, 0) == '\'') {
		if (!string_pass(r)) return false;
		*out = str_make(r->text.at + start + 1, r->at - start - 2);
		return true;
	}
	while (is_bare(peek(r, 0)))
		r->at++;
	*out = str_make(r->text.at + start, r->at - start);
	return out->len || wrong(r, start, "a key is needed here");
}

/* Behind `*keys` others, of which `*alike` are those of our path. */
static bool key_read(struct toml_reader *r, int *keys, int *alike, struct str *last)
{
	for (;; r->at++) {
		blanks_pass(r);
		if (!key_part_read(r, last)) return false;
		if (*alike == *keys && *alike < r->path_len &&
			str_eq(*last, r->path[*alike]))
			++*alike;
		++*keys;
		blanks_pass(r);
		if (peek(r, 0) != '.') return true;
	}
}

/* ---- finding ---- */

/* What a statement is to our table: a part of it, or in its way. */
static bool statement_take(struct toml_reader *r, size_t start, bool header, bool list,
	int keys, int alike, struct str last)
{
	bool ours = alike == r->path_len;
	const char *how = r->found ? "in several places; write it as one table"
			  : list   ? "a list; write it as tables"
				   : "written inline; write it as tables";
	char what[160];

	r->passed |= r->found && !ours;
	if (ours && header && !r->found) {
		r->found = true;
		r->ours = start;
	}
	if (ours && r->found && !r->passed) {
		r->ours_end = r->at;
		return true;
	}
	if (!ours && (alike < keys || (header && !list))) return true;
	snprintf(what, sizeof what, "%.*s is %s", STR_ARGS(str_first(last, 60)), how);
	return wrong(r, start, what);
}

/* A value of the table that is looked for. */
static void command_note(struct toml_reader *r, bool header, int keys, int alike,
	struct str last, size_t value)
{
	if (alike != r->path_len) return;
	r->found = true;
	if (header || keys != r->path_len + 1) return;
	if (str_is(last, "command"))
		r->command->command = (struct config_span){ value, r->at };
	if (str_is(last, "args")) r->command->args = (struct config_span){ value, r->at };
}

static bool statement_read(struct toml_reader *r)
{
	bool header = peek(r, 0) == '[', list = header && peek(r, 1) == '[';
	int keys = header ? 0 : r->table_keys, alike = header ? 0 : r->table_alike;
	size_t start = r->at, value;
	struct str last;

	r->at += (size_t)header + list;
	if (!key_read(r, &keys, &alike, &last)) return false;
	if (header && (peek(r, 0) != ']' || (list && peek(r, 1) != ']')))
		return wrong(r, start, "this '[' is not closed");
	if (!header && peek(r, 0) != '=') return wrong(r, r->at, "a '=' is needed here");
	r->at += 1 + (size_t)list;
	if (header) r->table_keys = keys, r->table_alike = alike;
	if (!header) blanks_pass(r);
	value = r->at;
	if (!header && !value_pass(r)) return false;
	if (r->command) {
		command_note(r, header, keys, alike, last, value);
		comment_pass(r);
		return true;
	}
	comment_pass(r);
	if (!at_line_end(r)) return wrong(r, r->at, "the line should end here");
	return statement_take(r, start, header, list, keys, alike, last);
}

static bool text_read(struct toml_reader *r)
{
	if (!utf8_valid(r->text)) return wrong(r, 0, "not UTF-8");
	if (str_starts(r->text, "\xEF\xBB\xBF")) r->at = 3;
	for (lines_pass(r); r->at < r->text.len; lines_pass(r))
		if (!statement_read(r)) return false;
	return true;
}

/* ---- writing ---- */

/* A string of JSON is one of TOML, too. */
static void value_write(struct buf *out, const struct json *v)
{
	bool object = v->type == JSON_OBJECT;

	if (!object && v->type != JSON_ARRAY) {
		json_write(out, v);
		return;
	}
	buf_add_text(out, object ? "{ " : "[");
	for (uint32_t i = 0; i < v->count; i++) {
		if (i) buf_add_text(out, ", ");
		if (object) {
			json_write_str(out, v->members[i].name);
			buf_add_text(out, " = ");
		}
		value_write(out, object ? &v->members[i].value : &v->items[i]);
	}
	buf_add_text(out, object ? " }" : "]");
}

static void key_write(struct buf *out, struct str key)
{
	bool bare = key.len > 0;

	for (size_t i = 0; i < key.len; i++)
		bare &= is_bare((unsigned char)key.at[i]);
	if (bare)
		buf_add(out, key);
	else
		json_write_str(out, key);
}

/* The table, without the last line end. */
static void table_write(struct buf *out, const struct toml_reader *r,
	const struct json *wanted, const char *newline)
{
	for (int i = 0; i < r->path_len; i++) {
		buf_add_char(out, i ? '.' : '[');
		key_write(out, r->path[i]);
	}
	buf_add_char(out, ']');
	for (uint32_t i = 0; i < wanted->count; i++) {
		buf_add_text(out, newline);
		key_write(out, wanted->members[i].name);
		buf_add_text(out, " = ");
		value_write(out, &wanted->members[i].value);
	}
}

/* ---- the change ---- */

/* Our lines with the blank line above them, or its line end where nothing follows. */
static struct str table_cut(const struct toml_reader *r, struct arena *arena)
{
	const char *newline =
		memchr(r->text.at + r->ours_end, '\n', r->text.len - r->ours_end);
	size_t from = r->ours, blank = config_newline_before(r->text, from),
	       to = newline ? (size_t)(newline - r->text.at) + 1 : r->text.len;

	if (blank && !newline) from -= blank;
	blank = config_newline_before(r->text, from);
	if (blank && (!newline || from == blank ||
			     config_newline_before(r->text, from - blank)))
		from -= blank;
	if (!from && to == r->text.len && newline) return STR_NONE;
	return config_splice(r->text, from, to, STR_NONE, arena);
}

/* In the place of the one that is there, or at the end. */
static struct str table_put(
	const struct toml_reader *r, const struct json *wanted, struct arena *arena)
{
	const char *newline = config_newline(r->text);
	bool ended = config_newline_before(r->text, r->text.len);
	size_t from = r->found ? r->ours : r->text.len,
	       to = r->found ? r->ours_end : r->text.len;
	struct buf b = { 0 };
	struct str out;

	if (!r->found && r->text.len) buf_add_text(&b, newline);
	if (!r->found && r->text.len && !ended) buf_add_text(&b, newline);
	table_write(&b, r, wanted, newline);
	if (!r->found && (!r->text.at || ended)) buf_add_text(&b, newline);
	out = str_eq(str_make(r->text.at + from, to - from), buf_str(&b))
		      ? r->text
		      : config_splice(r->text, from, to, buf_str(&b), arena);
	if (b.failed) arena->failed = true;
	buf_done(&b);
	return out;
}

enum err config_edit_toml(struct str text, const struct config_change *change,
	bool remove, struct arena *arena, struct str *out, struct fault *why)
{
	struct toml_reader r = { .text = text, .why = why };
	struct str path = str_of(change->path);
	const struct json *wanted;

	if (json_read(change->value, NULL, arena, &wanted, why)) return ERR_INTERNAL;
	while (r.path_len < KEYS_MAX - 1 && str_cut(&path, '/', &r.path[r.path_len]))
		r.path_len++;
	if (change->last.len) r.path[r.path_len++] = change->last;
	if (!text_read(&r)) return ERR_INVALID;
	if (!remove)
		*out = table_put(&r, wanted, arena);
	else if (r.found)
		*out = table_cut(&r, arena);
	return OK;
}

enum err config_find_toml(
	struct str text, struct config_command *c, struct arena *arena, struct fault *why)
{
	struct toml_reader r = { .text = text, .command = c, .why = why };
	struct str path = str_of(c->path);

	(void)arena;
	while (r.path_len < KEYS_MAX - 1 && str_cut(&path, '/', &r.path[r.path_len]))
		r.path_len++;
	r.path[r.path_len++] = c->name;
	if (!text_read(&r)) return ERR_INVALID;
	return r.found ? OK : fail(why, ERR_NOT_FOUND, "no such server");
}
