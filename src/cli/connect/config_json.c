/* config_json.c - changes to JSON files, with comments and trailing commas where their
 * programs allow them. A text becomes nodes that know where they stand in it. */
#include "cli/connect/config_edit.h"

#include "base/utf8.h"

enum { DEPTH_MAX = 100 };
#define NOWHERE ((size_t)-1)

struct node {
	enum json_type type;
	size_t start, end;	  /* of the value */
	size_t name_start, comma; /* of a member; behind it; NOWHERE: there is none */
	struct str name;	  /* decoded */
	struct node *parent, *first, *last, *next, *prev;
};

struct jsonc_reader {
	struct str text;
	char *plain; /* the same without comments and trailing commas: blanks stand there */
	size_t at;
	int depth;
	struct arena *arena;
	struct fault *why;
	bool failed;
};

/* ---- reading ---- */

static bool wrong(struct jsonc_reader *r, size_t at, const char *what)
{
	if (!r->failed) config_wrong(r->text, at, r->why, "%s", what);
	r->failed = true;
	return false;
}

static int peek(const struct jsonc_reader *r, size_t further)
{
	size_t at = r->at + further;

	return at < r->text.len ? (unsigned char)r->text.at[at] : -1;
}

static bool is_blank(int ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

/* Blanks and comments. */
static void skip(struct jsonc_reader *r)
{
	for (;;) {
		size_t start = r->at;

		while (is_blank(peek(r, 0)))
			start = ++r->at;
		if (peek(r, 0) == '/' && peek(r, 1) == '/') {
			while (peek(r, 0) >= 0 && peek(r, 0) != '\n')
				r->at++;
		} else if (peek(r, 0) == '/' && peek(r, 1) == '*') {
			int end = str_find(str_from(r->text, r->at + 2), STR("*/"));

			if (end < 0) {
				wrong(r, start, "a comment is not closed");
				r->at = r->text.len;
				return;
			}
			r->at += (size_t)end + 4;
		} else {
			return;
		}
		memset(r->plain + start, ' ', r->at - start);
	}
}

static bool string_pass(struct jsonc_reader *r)
{
	size_t start = r->at++;

	for (; peek(r, 0) != '"'; r->at++) {
		if (peek(r, 0) < 0x20) return wrong(r, start, "a string is not closed");
		if (peek(r, 0) == '\\') r->at++;
	}
	r->at++;
	return true;
}

static bool word_pass(struct jsonc_reader *r, struct node *n)
{
	size_t start = r->at;
	const struct json *value;
	struct str word;

	while (peek(r, 0) > ' ' && !strchr(",:]}[{\"/", peek(r, 0)))
		r->at++;
	word = str_make(r->text.at + start, r->at - start);
	if (!word.len || json_read(word, NULL, r->arena, &value, NULL))
		return wrong(r, start, "a value is needed here");
	n->type = value->type;
	return true;
}

static bool value_read(struct jsonc_reader *, struct node *);

static bool member_name_read(struct jsonc_reader *r, struct node *n)
{
	const struct json *name;

	n->name_start = r->at;
	if (peek(r, 0) != '"') return wrong(r, r->at, "a name in quotes is needed here");
	if (!string_pass(r)) return false;
	if (json_read(str_make(r->text.at + n->name_start, r->at - n->name_start), NULL,
		    r->arena, &name, NULL))
		return wrong(r, n->name_start, "this is no JSON string");
	n->name = name->text;
	skip(r);
	if (peek(r, 0) != ':') return wrong(r, r->at, "a ':' is needed here");
	r->at++;
	skip(r);
	return true;
}

static struct node *child_add(struct jsonc_reader *r, struct node *parent)
{
	struct node *n = ARENA_NEW(r->arena, struct node);

	if (!n) return NULL;
	n->parent = parent;
	n->name_start = n->comma = NOWHERE;
	n->prev = parent->last;
	if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

static bool container_read(struct jsonc_reader *r, struct node *n)
{
	bool object = peek(r, 0) == '{';
	char close = object ? '}' : ']';
	struct node *child;

	n->type = object ? JSON_OBJECT : JSON_ARRAY;
	if (++r->depth > DEPTH_MAX) return wrong(r, r->at, "nested too deeply");
	r->at++;
	for (skip(r); peek(r, 0) != close; skip(r)) {
		if (peek(r, 0) < 0)
			return wrong(r, n->start,
				object ? "this '{' is not closed"
				       : "this '[' is not closed");
		if (n->last && n->last->comma == NOWHERE)
			return wrong(r, r->at, "a ',' is needed before this");
		child = child_add(r, n);
		if (!child || (object && !member_name_read(r, child)) ||
			!value_read(r, child))
			return false;
		skip(r);
		if (peek(r, 0) == ',') child->comma = r->at++;
	}
	if (n->last && n->last->comma != NOWHERE) r->plain[n->last->comma] = ' ';
	r->at++;
	r->depth--;
	return !r->failed;
}

static bool value_read(struct jsonc_reader *r, struct node *n)
{
	bool ok;

	n->start = r->at;
	if (peek(r, 0) == '{' || peek(r, 0) == '[') {
		ok = container_read(r, n);
	} else if (peek(r, 0) == '"') {
		n->type = JSON_STRING;
		ok = string_pass(r);
	} else {
		ok = word_pass(r, n);
	}
	n->end = r->at;
	return ok;
}

/* The root; NULL with *ok: there is nothing but blanks and comments. */
static struct node *text_read(struct jsonc_reader *r, bool *ok)
{
	struct node *root = ARENA_NEW(r->arena, struct node);

	*ok = false;
	r->plain = arena_copy(r->arena, r->text);
	if (!root || !r->plain) return NULL;
	if (!utf8_valid(r->text)) return wrong(r, 0, "not UTF-8"), NULL;
	if (str_starts(r->text, "\xEF\xBB\xBF")) r->at = 3;
	skip(r);
	if (!r->failed && r->at == r->text.len) return *ok = true, NULL;
	if (!value_read(r, root)) return NULL;
	skip(r);
	if (!r->failed && r->at < r->text.len) wrong(r, r->at, "nothing may follow here");
	*ok = !r->failed;
	return *ok ? root : NULL;
}

/* ---- writing ---- */

/* How the file is written. */
struct hand {
	const char *newline;
	struct str unit; /* of indentation */
};

static void line_begin(
	struct buf *out, const struct hand *hand, struct str base, int depth)
{
	buf_add_text(out, hand->newline);
	buf_add(out, base);
	for (int i = 0; i < depth; i++)
		buf_add(out, hand->unit);
}

static bool is_flat(const struct json *v)
{
	for (const struct json *item = NULL;
		v->type == JSON_ARRAY && json_each(v, &item);)
		if (item->type == JSON_OBJECT || item->type == JSON_ARRAY) return false;
	return v->type != JSON_OBJECT;
}

/* `lines`: members of objects have lines of their own, below one that is indented by
 * `base` and `depth`. */
static void value_write(struct buf *out, const struct json *v, const struct hand *hand,
	bool lines, struct str base, int depth)
{
	bool object = v->type == JSON_OBJECT, open = lines && !is_flat(v);

	if (!object && v->type != JSON_ARRAY) {
		json_write(out, v);
		return;
	}
	buf_add_char(out, object ? '{' : '[');
	for (uint32_t i = 0; i < v->count; i++) {
		if (i) buf_add_text(out, open ? "," : ", ");
		if (open) line_begin(out, hand, base, depth + 1);
		if (object) {
			json_write_str(out, v->members[i].name);
			buf_add_text(out, ": ");
		}
		value_write(out, object ? &v->members[i].value : &v->items[i], hand, open,
			base, depth + 1);
	}
	if (open && v->count) line_begin(out, hand, base, depth);
	buf_add_char(out, object ? '}' : ']');
}

/* What begins the line that `at` is in, if it is blank up to there. */
static bool line_indent(struct str text, size_t at, struct str *out)
{
	size_t start = at;

	while (start > 0 && (text.at[start - 1] == ' ' || text.at[start - 1] == '\t'))
		start--;
	if (start > 0 && text.at[start - 1] != '\n') return false;
	*out = str_make(text.at + start, at - start);
	return start > 0;
}

static size_t node_begin(const struct node *n)
{
	return n->name_start != NOWHERE ? n->name_start : n->start;
}

static struct hand hand_of(struct str text, const struct node *root)
{
	struct hand hand = { config_newline(text), STR("  ") };
	struct str indent;

	if (root && root->first && line_indent(text, node_begin(root->first), &indent) &&
		indent.len)
		hand.unit = indent;
	return hand;
}

/* ---- making the change ---- */

struct json_edit {
	struct str text;
	const char *plain; /* of the reader */
	const struct config_change *change;
	const struct json *wanted;
	struct hand hand;
	struct arena *arena;
	struct str *out;
	struct fault *why;
	bool covered; /* a value above it says the same of everything */
};

/* What is still missing from `path` on: members within members, and the value. */
static void missing_write(struct buf *out, struct json_edit *e, struct str path,
	bool lines, struct str base, int depth)
{
	struct str name;
	bool list = e->change->item;

	if (str_cut(&path, '/', &name)) {
		json_write_str(out, name);
		buf_add_text(out, ": ");
		if (path.len || list) {
			buf_add_char(out, path.len ? '{' : '[');
			if (lines)
				line_begin(out, &e->hand, base, depth + 1);
			else
				buf_add_char(out, ' ');
			missing_write(out, e, path, lines, base, depth + 1);
			if (lines)
				line_begin(out, &e->hand, base, depth);
			else
				buf_add_char(out, ' ');
			buf_add_char(out, path.len ? '}' : ']');
			return;
		}
	}
	value_write(out, e->wanted, &e->hand, lines, base, depth);
}

static size_t blanks_before(struct str text, size_t at)
{
	while (at > 0 && is_blank((unsigned char)text.at[at - 1]))
		at--;
	return at;
}

static bool has_newline(struct str text, size_t from, size_t to)
{
	return memchr(text.at + from, '\n', to - from) != NULL;
}

/* The blanks that begin the line of `at`. */
static struct str line_start(struct str text, size_t at)
{
	size_t start = at, end;

	while (start > 0 && text.at[start - 1] != '\n')
		start--;
	for (end = start; end < at && (text.at[end] == ' ' || text.at[end] == '\t');)
		end++;
	return str_make(text.at + start, end - start);
}

/* Into a container, behind what is there. */
static void child_insert(struct json_edit *e, const struct node *into, struct str path)
{
	const struct node *last = into->last;
	struct str base = STR_NONE;
	struct buf b = { 0 };
	size_t at = into->start + 1;
	bool lines;

	if (!last) {
		lines = has_newline(e->text, 0, e->text.len) || !into->parent;
		missing_write(&b, e, path, lines, line_start(e->text, at), 1);
		*e->out = config_splice(e->text, at, at, buf_str(&b), e->arena);
		buf_done(&b);
		return;
	}
	at = blanks_before(e->text, into->end - 1);
	lines = line_indent(e->text, node_begin(into->first), &base);
	if (lines)
		line_begin(&b, &e->hand, base, 0);
	else
		buf_add_text(
			&b, has_newline(e->text, at, into->end) ? e->hand.newline : " ");
	missing_write(&b, e, path, lines, base, 0);
	if (last->comma != NOWHERE) buf_add_char(&b, ',');
	*e->out = config_splice(e->text, at, at, buf_str(&b), e->arena);
	if (last->comma == NOWHERE)
		*e->out =
			config_splice(*e->out, last->end, last->end, STR(","), e->arena);
	buf_done(&b);
}

static void value_replace(struct json_edit *e, const struct node *n)
{
	struct str base = STR_NONE;
	bool lines = line_indent(e->text, node_begin(n), &base);
	struct buf b = { 0 };

	value_write(&b, e->wanted, &e->hand, lines, base, 0);
	*e->out = config_splice(e->text, n->start, n->end, buf_str(&b), e->arena);
	buf_done(&b);
}

/* A file that holds nothing yet, but for comments. Where it had no line end it gets two:
 * one before, lest we become part of a comment, and one behind, to know that by. */
static void root_write(struct json_edit *e)
{
	bool ended = !e->text.len || e->text.at[e->text.len - 1] == '\n';
	struct buf b = { 0 };

	buf_add(&b, e->text);
	if (!ended) buf_add_text(&b, e->hand.newline);
	buf_add_char(&b, '{');
	line_begin(&b, &e->hand, STR_NONE, 1);
	missing_write(&b, e, str_of(e->change->path), true, STR_NONE, 1);
	line_begin(&b, &e->hand, STR_NONE, 0);
	buf_add_char(&b, '}');
	if (!e->text.at || !ended) buf_add_text(&b, e->hand.newline);
	*e->out = arena_str(e->arena, buf_str(&b));
	if (b.failed) e->arena->failed = true;
	buf_done(&b);
}

/* ---- undoing it ---- */

/* Did we open it for the one thing that is in it? */
static bool opened_by_us(const struct node *n, struct str text)
{
	const struct node *only = n->first;
	size_t begin;

	if (!only || only->next || only->comma != NOWHERE) return false;
	begin = node_begin(only);
	return begin > n->start + 1 && blanks_before(text, begin) == n->start + 1 &&
	       blanks_before(text, n->end - 1) == only->end;
}

/* Is it what root_write makes of what stands before? */
static bool written_by_us(const struct json_edit *e, size_t before)
{
	struct json_edit again = *e;
	struct str made;

	again.text = str_first(e->text, before);
	again.out = &made;
	root_write(&again);
	return str_eq(str_first(e->text, made.len), made);
}

/* All there was of ours: back to what root_write found. */
static void root_remove(struct json_edit *e, const struct node *root)
{
	struct str text = e->text, newline = str_of(config_newline(text));
	bool ended = str_eq(str_from(text, root->end), newline);
	size_t from = root->start;

	if (ended && !from) {
		*e->out = STR_NONE;
		return;
	}
	/* Otherwise written than we do: this file is somebody's, and stays JSON. */
	if (!ended && !written_by_us(e, from)) {
		*e->out =
			config_splice(text, root->start, root->end, STR("{}"), e->arena);
		return;
	}
	if (ended && str_ends(str_first(text, from), newline.at)) from -= newline.len;
	*e->out = config_splice(
		text, from, ended ? text.len : root->end, STR_NONE, e->arena);
}

static void node_remove(struct json_edit *e, const struct node *n)
{
	struct str text = e->text;
	size_t from, to;

	while (n->parent && opened_by_us(n->parent, text))
		n = n->parent;
	if (!n->parent) {
		root_remove(e, n);
		return;
	}
	to = n->comma != NOWHERE ? n->comma + 1 : n->end;
	from = blanks_before(text, node_begin(n));
	*e->out = config_splice(text, from, to, STR_NONE, e->arena);
	if (!n->next && n->comma == NOWHERE && n->prev)
		*e->out = config_splice(
			*e->out, n->prev->comma, n->prev->comma + 1, STR_NONE, e->arena);
}

/* ---- finding it ---- */

static const struct json *node_value(const struct json_edit *e, const struct node *n)
{
	const struct json *value;
	struct str text = str_make(e->plain + n->start, n->end - n->start);

	return json_read(text, NULL, e->arena, &value, NULL) ? NULL : value;
}

static struct node *member_find(const struct node *n, struct str name)
{
	for (struct node *c = n->last; c; c = c->prev)
		if (str_eq(c->name, name)) return c;
	return NULL;
}

static struct node *item_find(struct json_edit *e, const struct node *list)
{
	for (struct node *c = list->first; c; c = c->next)
		if (config_is_ours(node_value(e, c), e->wanted, e->change->known))
			return c;
	return NULL;
}

static enum err kind_wrong(struct json_edit *e, const struct node *n, const char *kind)
{
	return config_wrong(e->text, n->start, e->why, "%s%.*s%s is not %s",
		n->name.len ? "\"" : "", STR_ARGS(str_first(n->name, 60)),
		n->name.len ? "\"" : "this", kind);
}

/* "permission": "allow" says of everything what we would say of our part of it. */
static bool all_of_it(struct json_edit *e, const struct node *n)
{
	const struct json *value = n->type == JSON_STRING ? node_value(e, n) : NULL;

	return value && json_equal(value, e->wanted);
}

/* As far down the path as there is something; *rest is what is missing. */
static enum err path_walk(
	struct json_edit *e, struct node *root, struct node **out, struct str *rest)
{
	struct str left = str_of(e->change->path), name;

	*out = root;
	for (*rest = left; str_cut(&left, '/', &name); *rest = left) {
		struct node *next;

		if (all_of_it(e, *out)) return e->covered = true, OK;
		if ((*out)->type != JSON_OBJECT) return kind_wrong(e, *out, "an object");
		next = member_find(*out, name);
		if (!next) return OK;
		*out = next;
	}
	if (e->change->item && (*out)->type != JSON_ARRAY)
		return kind_wrong(e, *out, "a list");
	return OK;
}

static enum err root_edit(struct json_edit *e, struct node *root, bool remove)
{
	struct node *n, *ours;
	struct str rest;
	enum err err = path_walk(e, root, &n, &rest);

	if (err || e->covered) return err;
	if (rest.len) {
		if (!remove) child_insert(e, n, rest);
		return OK;
	}
	ours = e->change->item ? item_find(e, n) : n;
	if (remove) {
		if (ours) node_remove(e, ours);
	} else if (!ours) {
		child_insert(e, n, STR_NONE);
	} else if (!e->change->known) {
		const struct json *value = node_value(e, ours);

		if (!value || !json_equal(value, e->wanted)) value_replace(e, ours);
	}
	return OK;
}

enum err config_edit_json(struct str text, const struct config_change *change,
	bool remove, struct arena *arena, struct str *out, struct fault *why)
{
	struct jsonc_reader r = { .text = text, .arena = arena, .why = why };
	struct json_edit e = {
		.text = text, .change = change, .arena = arena, .out = out, .why = why
	};
	struct node *root;
	bool ok;

	if (json_read(change->value, NULL, arena, &e.wanted, why)) return ERR_INTERNAL;
	root = text_read(&r, &ok);
	if (!ok) return arena->failed ? ERR_MEMORY : ERR_INVALID;
	e.plain = r.plain;
	e.hand = hand_of(text, root);
	if (!root) {
		if (!remove) root_write(&e);
		return OK;
	}
	return root_edit(&e, root, remove);
}

enum err config_find_json(
	struct str text, struct config_command *c, struct arena *arena, struct fault *why)
{
	struct jsonc_reader r = { .text = text, .arena = arena, .why = why };
	struct str left = str_of(c->path), name;
	struct node *at, *member;
	bool ok;

	at = text_read(&r, &ok);
	if (!ok) return arena->failed ? ERR_MEMORY : ERR_INVALID;
	while (at && str_cut(&left, '/', &name))
		at = at->type == JSON_OBJECT ? member_find(at, name) : NULL;
	if (at) at = at->type == JSON_OBJECT ? member_find(at, c->name) : NULL;
	if (!at || at->type != JSON_OBJECT)
		return fail(why, ERR_NOT_FOUND, "no such server");
	if ((member = member_find(at, STR("command"))))
		c->command = (struct config_span){ member->start, member->end };
	if ((member = member_find(at, STR("args"))))
		c->args = (struct config_span){ member->start, member->end };
	return OK;
}
