/* config_toml.c - changes to TOML files. A text becomes statements that know where they
 * stand in it and what they are about; values are passed over by their syntax alone. */
#include "cli/connect/config_edit.h"

#include "base/utf8.h"

enum { KEYS_MAX = 16, NESTED_MAX = 64 };

/* A header or a key with its value. */
struct toml_statement {
	size_t start, end; /* without the line end */
	bool header, list; /* [a.b]; [[a.b]] */
	struct str keys[KEYS_MAX];
	int keys_len;		 /* of the whole path from the root */
	size_t value, value_end; /* of a key's value */
	struct toml_statement *next;
};

struct toml_reader {
	struct str text;
	size_t at;
	int depth;
	struct arena *arena;
	struct fault *why;
	const struct toml_statement *table; /* the last header */
	struct toml_statement *first, *last;
	bool failed;
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

static bool is_bare(int ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
	       (ch >= '0' && ch <= '9') || ch == '_' || ch == '-';
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

static bool key_read(struct toml_reader *r, struct toml_statement *s)
{
	for (;;) {
		if (s->keys_len == KEYS_MAX) return wrong(r, r->at, "nested too deeply");
		if (!key_part_read(r, &s->keys[s->keys_len++])) return false;
		blanks_pass(r);
		if (peek(r, 0) != '.') return true;
		r->at++;
		blanks_pass(r);
	}
}

static bool value_pass(struct toml_reader *);

static bool list_pass(struct toml_reader *r)
{
	size_t start = r->at++;

	for (lines_pass(r); peek(r, 0) != ']'; lines_pass(r)) {
		if (peek(r, 0) < 0) return wrong(r, start, "this '[' is not closed");
		if (!value_pass(r)) return false;
		lines_pass(r);
		if (peek(r, 0) == ',')
			r->at++;
		else if (peek(r, 0) >= 0 && peek(r, 0) != ']')
			return wrong(r, r->at, "a ',' or ']' is needed here");
	}
	r->at++;
	return true;
}

static bool table_pass(struct toml_reader *r)
{
	size_t start = r->at++;

	for (lines_pass(r); peek(r, 0) != '}'; lines_pass(r)) {
		struct toml_statement s = { 0 };

		if (peek(r, 0) < 0) return wrong(r, start, "this '{' is not closed");
		if (!key_read(r, &s)) return false;
		if (peek(r, 0) != '=') return wrong(r, r->at, "a '=' is needed here");
		r->at++;
		blanks_pass(r);
		if (!value_pass(r)) return false;
		lines_pass(r);
		if (peek(r, 0) == ',')
			r->at++;
		else if (peek(r, 0) >= 0 && peek(r, 0) != '}')
			return wrong(r, r->at, "a ',' or '}' is needed here");
	}
	r->at++;
	return true;
}

static bool value_pass(struct toml_reader *r)
{
	size_t start = r->at;
	bool ok = true;

	if (++r->depth > NESTED_MAX) return wrong(r, start, "nested too deeply");
	if (peek(r, 0) == '"' || peek(r, 0) == '\'')
		ok = string_pass(r);
	else if (peek(r, 0) == '[')
		ok = list_pass(r);
	else if (peek(r, 0) == '{')
		ok = table_pass(r);
	else {
		/* true, 1_000, 1e6, 2026-11-15 07:00:00+01:00 */
		while (is_bare(peek(r, 0)) || peek(r, 0) == '+' || peek(r, 0) == '.' ||
			peek(r, 0) == ':' ||
			(peek(r, 0) == ' ' && r->at > start && peek(r, 1) >= '0' &&
				peek(r, 1) <= '9'))
			r->at++;
		if (r->at == start) ok = wrong(r, start, "a value is needed here");
	}
	r->depth--;
	return ok;
}

static bool header_read(struct toml_reader *r, struct toml_statement *s)
{
	s->header = true;
	s->list = peek(r, 1) == '[';
	r->at += s->list ? 2 : 1;
	blanks_pass(r);
	if (!key_read(r, s)) return false;
	if (peek(r, 0) != ']' || (s->list && peek(r, 1) != ']'))
		return wrong(r, s->start, "this '[' is not closed");
	r->at += s->list ? 2 : 1;
	r->table = s;
	return true;
}

static bool pair_read(struct toml_reader *r, struct toml_statement *s)
{
	for (int i = 0; r->table && i < r->table->keys_len; i++)
		s->keys[s->keys_len++] = r->table->keys[i];
	if (!key_read(r, s)) return false;
	if (peek(r, 0) != '=') return wrong(r, r->at, "a '=' is needed here");
	r->at++;
	blanks_pass(r);
	s->value = r->at;
	if (!value_pass(r)) return false;
	s->value_end = r->at;
	return true;
}

static bool statement_read(struct toml_reader *r)
{
	struct toml_statement *s = ARENA_NEW(r->arena, struct toml_statement);

	if (!s) return false;
	s->start = r->at;
	if (!(peek(r, 0) == '[' ? header_read(r, s) : pair_read(r, s))) return false;
	s->end = r->at;
	comment_pass(r);
	if (!at_line_end(r)) return wrong(r, r->at, "the line should end here");
	s->end = r->at;
	if (r->last)
		r->last->next = s;
	else
		r->first = s;
	r->last = s;
	return true;
}

static bool text_read(struct toml_reader *r)
{
	if (!utf8_valid(r->text)) return wrong(r, 0, "not UTF-8");
	if (str_starts(r->text, "\xEF\xBB\xBF")) r->at = 3;
	for (lines_pass(r); r->at < r->text.len; lines_pass(r))
		if (!statement_read(r)) return false;
	return !r->failed;
}

/* ---- writing ---- */

struct toml_edit {
	struct str text;
	struct str path[KEYS_MAX];
	int path_len;
	const char *newline;
	struct arena *arena;
};

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
static void table_write(
	struct buf *out, const struct toml_edit *e, const struct json *wanted)
{
	for (int i = 0; i < e->path_len; i++) {
		buf_add_char(out, i ? '.' : '[');
		key_write(out, e->path[i]);
	}
	buf_add_char(out, ']');
	for (uint32_t i = 0; i < wanted->count; i++) {
		buf_add_text(out, e->newline);
		key_write(out, wanted->members[i].name);
		buf_add_text(out, " = ");
		value_write(out, &wanted->members[i].value);
	}
}

/* ---- the change ---- */

/* How many keys of the statement lead along our path. */
static int keys_alike(const struct toml_statement *s, const struct toml_edit *e)
{
	int n = 0;

	while (n < s->keys_len && n < e->path_len && str_eq(s->keys[n], e->path[n]))
		n++;
	return n;
}

static bool is_ours(const struct toml_statement *s, const struct toml_edit *e)
{
	return keys_alike(s, e) == e->path_len;
}

/* Something stands above our place that takes no table of ours. */
static enum err place_check(
	const struct toml_reader *r, const struct toml_edit *e, struct fault *why)
{
	for (const struct toml_statement *s = r->first; s; s = s->next)
		if (!is_ours(s, e) && keys_alike(s, e) == s->keys_len &&
			(s->list || !s->header))
			return config_wrong(e->text, s->start, why,
				"%.*s is %s; write it as tables",
				STR_ARGS(str_first(s->keys[s->keys_len - 1], 60)),
				s->list ? "a list" : "written inline");
	return OK;
}

static size_t line_after(struct str text, size_t at)
{
	const char *end =
		at < text.len ? memchr(text.at + at, '\n', text.len - at) : NULL;

	return end ? (size_t)(end - text.at) + 1 : text.len;
}

static size_t newline_before(struct str text, size_t at)
{
	if (at < 1 || text.at[at - 1] != '\n') return 0;
	return at > 1 && text.at[at - 2] == '\r' ? 2 : 1;
}

/* Takes out statements of ours from `s` on that follow each other, with the blank line
 * that stands before a header. */
static void run_cut(struct toml_edit *e, const struct toml_statement *s, struct str *out)
{
	const struct toml_statement *last = s;
	size_t from = s->start, to, blank;
	bool open_end;

	while (last->next && is_ours(last->next, e))
		last = last->next;
	to = line_after(e->text, last->end);
	open_end = to == e->text.len && !newline_before(e->text, to);
	if (s->header) {
		blank = newline_before(e->text, from);
		/* The line end before it is that of the line before, unless that is blank
		 * or our last line has none. */
		if (blank && open_end) from -= blank;
		blank = newline_before(e->text, from);
		if (blank && (open_end || from == blank ||
				     newline_before(e->text, from - blank)))
			from -= blank;
	}
	*out = config_splice(e->text, from, to, STR_NONE, e->arena);
	if (!from && to == e->text.len && !open_end) *out = STR_NONE;
}

static void table_append(struct toml_edit *e, const struct json *wanted, struct str *out)
{
	struct buf b = { 0 };
	bool ended = newline_before(e->text, e->text.len);

	if (e->text.len) buf_add_text(&b, e->newline);
	if (e->text.len && !ended) buf_add_text(&b, e->newline);
	table_write(&b, e, wanted);
	if (!e->text.at || ended) buf_add_text(&b, e->newline);
	*out = config_splice(e->text, e->text.len, e->text.len, buf_str(&b), e->arena);
	if (b.failed) e->arena->failed = true;
	buf_done(&b);
}

static const struct toml_statement *ours_first(
	const struct toml_reader *r, const struct toml_edit *e)
{
	for (const struct toml_statement *s = r->first; s; s = s->next)
		if (is_ours(s, e)) return s;
	return NULL;
}

/* The last of those of ours that follow `s`; NULL: there are more elsewhere, or they are
 * not a table. */
static const struct toml_statement *ours_whole(
	const struct toml_statement *s, const struct toml_edit *e)
{
	const struct toml_statement *last = s;

	if (!s->header) return NULL;
	while (last->next && is_ours(last->next, e))
		last = last->next;
	for (s = last->next; s; s = s->next)
		if (is_ours(s, e)) return NULL;
	return last;
}

/* Puts our table where another of its name is. */
static void table_replace(struct toml_edit *e, const struct toml_statement *first,
	const struct toml_statement *last, const struct json *wanted, struct str *out)
{
	struct str old = str_make(e->text.at + first->start, last->end - first->start);
	struct buf b = { 0 };

	table_write(&b, e, wanted);
	if (!str_eq(old, buf_str(&b)))
		*out = config_splice(
			e->text, first->start, last->end, buf_str(&b), e->arena);
	if (b.failed) e->arena->failed = true;
	buf_done(&b);
}

enum err config_edit_toml(struct str text, const struct config_change *change,
	bool remove, struct arena *arena, struct str *out, struct fault *why)
{
	struct toml_edit e = {
		.text = text, .newline = config_newline(text), .arena = arena
	};
	struct str path = str_of(change->path);
	const struct json *wanted;

	if (json_read(change->value, NULL, arena, &wanted, why)) return ERR_INTERNAL;
	while (e.path_len < KEYS_MAX - 1 && str_cut(&path, '/', &e.path[e.path_len]))
		e.path_len++;
	if (change->last.len) e.path[e.path_len++] = change->last;
	/* What stands in several places is taken out place by place. */
	for (;;) {
		struct toml_reader r = { .text = e.text, .arena = arena, .why = why };
		const struct toml_statement *ours, *last;
		struct str rest;

		if (!text_read(&r)) return arena->failed ? ERR_MEMORY : ERR_INVALID;
		enum err err = place_check(&r, &e, why);

		if (err) return err;
		ours = ours_first(&r, &e);
		if (!ours) break;
		last = remove ? NULL : ours_whole(ours, &e);
		if (last) {
			table_replace(&e, ours, last, wanted, out);
			return OK;
		}
		run_cut(&e, ours, &rest);
		e.text = rest;
		*out = rest;
	}
	if (!remove) table_append(&e, wanted, out);
	return OK;
}
