/* config_yaml.c - changes to YAML files: one item of a list that is a member of the root.
 *
 * A text is taken line by line. What is in quotes, in brackets or in a block of text is
 * passed over; whatever else cannot be told from its lines alone (several documents, an
 * anchor where our list should be) is refused. */
#include "cli/connect/config_edit.h"

#include "base/utf8.h"

enum { NESTED_MAX = 64 };
#define NOWHERE ((size_t)-1)

/* A line that says something: no comment, and no part of what began above it. */
struct yaml_line {
	size_t start, end; /* without its line end */
	size_t content;	   /* where its first word is: start and indentation */
	size_t last;	   /* the end of all that belongs to it, over several lines */
	struct yaml_line *next;
};

struct yaml_reader {
	struct str text;
	size_t at;
	struct arena *arena;
	struct fault *why;
	struct yaml_line *first, *last;
};

static int at_byte(struct str text, size_t at)
{
	return at < text.len ? (unsigned char)text.at[at] : -1;
}

static size_t line_end(struct str text, size_t at)
{
	while (at_byte(text, at) >= 0 && text.at[at] != '\n')
		at++;
	return at > 0 && at_byte(text, at) == '\n' && text.at[at - 1] == '\r' ? at - 1
									      : at;
}

static size_t line_next(struct str text, size_t end)
{
	while (end < text.len && text.at[end] != '\n')
		end++;
	return end < text.len ? end + 1 : text.len;
}

static size_t indent_of(const struct yaml_line *l)
{
	return l->content - l->start;
}

static bool is_dash(struct str text, size_t at)
{
	int next = at_byte(text, at + 1);

	return at_byte(text, at) == '-' &&
	       (next < 0 || next == ' ' || next == '\n' || next == '\r');
}

/* ---- reading ---- */

static bool quotes_pass(struct yaml_reader *r, size_t *at)
{
	char quote = r->text.at[*at];
	size_t start = (*at)++;

	for (;; (*at)++) {
		int ch = at_byte(r->text, *at);

		if (ch < 0) {
			config_wrong(r->text, start, r->why, "a string is not closed");
			return false;
		}
		if (ch == '\\' && quote == '"')
			(*at)++;
		else if (ch == quote && quote == '\'' &&
			 at_byte(r->text, *at + 1) == '\'')
			(*at)++;
		else if (ch == quote)
			break;
	}
	(*at)++;
	return true;
}

/* From one bracket to the one that closes it. */
static bool brackets_pass(struct yaml_reader *r, size_t *at)
{
	char open[NESTED_MAX];
	size_t start = *at;
	int depth = 0;

	do {
		int ch = at_byte(r->text, *at);

		if (ch < 0 || depth == NESTED_MAX) break;
		if (ch == '"' || ch == '\'') {
			if (!quotes_pass(r, at)) return false;
			continue;
		}
		if (ch == '#' && strchr(" \t\n", r->text.at[*at - 1])) {
			*at = line_end(r->text, *at);
			continue;
		}
		if (ch == '[' || ch == '{') open[depth++] = (char)(ch + 2);
		if (ch == ']' || ch == '}') {
			if (open[depth - 1] != ch) break;
			depth--;
		}
		(*at)++;
	} while (depth);
	if (!depth) return true;
	config_wrong(
		r->text, start, r->why, "this '%c' is not closed", r->text.at[start]);
	return false;
}

static bool begins_value(struct str text, size_t start, size_t at)
{
	size_t before = at;

	while (before > start &&
		(text.at[before - 1] == ' ' || text.at[before - 1] == '\t'))
		before--;
	return before == start || strchr(":-,[{?", text.at[before - 1]);
}

/* Does the line open a block of text: "key: |", "- >-"? */
static bool opens_block(struct str text, const struct yaml_line *l, size_t end)
{
	size_t at = end;

	while (at > l->content && strchr(" \t+-0123456789", text.at[at - 1]))
		at--;
	return at > l->content && (text.at[at - 1] == '|' || text.at[at - 1] == '>') &&
	       begins_value(text, l->content, at - 1) && at - 1 > l->content;
}

/* The lines below that are deeper than `indent`, or blank. */
static size_t block_pass(struct str text, size_t from, size_t indent)
{
	size_t last = from;

	for (size_t at = line_next(text, from); at < text.len;) {
		size_t end = line_end(text, at), content = at;

		while (content < end && text.at[content] == ' ')
			content++;
		if (content < end && content - at <= indent) break;
		if (content < end) last = end;
		at = line_next(text, end);
	}
	return last;
}

/* What the line says, to where it ends. */
static bool line_pass(struct yaml_reader *r, struct yaml_line *l)
{
	size_t at = l->content, said = l->content;

	while (at < r->text.len && r->text.at[at] != '\n') {
		int ch = at_byte(r->text, at);
		bool fresh = begins_value(r->text, l->content, at);

		if (ch == '#' && (at == l->content || strchr(" \t", r->text.at[at - 1])))
			break;
		if ((ch == '"' || ch == '\'') && fresh) {
			if (!quotes_pass(r, &at)) return false;
			said = at;
			continue;
		}
		if ((ch == '[' || ch == '{') && fresh) {
			if (!brackets_pass(r, &at)) return false;
			said = at;
			continue;
		}
		at++;
		if (!strchr(" \t\r", ch)) said = at;
	}
	l->last = line_end(r->text, at);
	if (opens_block(r->text, l, said))
		l->last = block_pass(r->text, l->last, indent_of(l));
	return true;
}

/* A line of the root is a key, an item, or brackets. */
static bool root_line_check(struct yaml_reader *r, const struct yaml_line *l)
{
	struct str text = r->text;
	struct str said = str_make(text.at + l->content, l->end - l->content);

	if (strchr("[{\"'-?", text.at[l->content]) || str_find(said, STR(": ")) >= 0 ||
		str_find(said, STR(":\t")) >= 0 || str_ends(str_trim(said), ":"))
		return true;
	config_wrong(text, l->content, r->why, "a key with ':' is needed here");
	return false;
}

static bool line_read(struct yaml_reader *r)
{
	struct yaml_line *l = ARENA_NEW(r->arena, struct yaml_line);

	if (!l) return false;
	l->start = l->content = r->at;
	l->end = line_end(r->text, r->at);
	while (l->content < l->end && r->text.at[l->content] == ' ')
		l->content++;
	if (at_byte(r->text, l->content) == '\t') {
		struct str rest = str_make(r->text.at + l->content, l->end - l->content);

		if (str_trim(rest).len && str_trim(rest).at[0] != '#') {
			config_wrong(r->text, l->start, r->why, "a tab may not indent");
			return false;
		}
		l->content = l->end;
	}
	r->at = line_next(r->text, l->end);
	if (l->content >= l->end || r->text.at[l->content] == '#') return true;
	if (!line_pass(r, l)) return false;
	r->at = line_next(r->text, l->last);
	if (!indent_of(l) && !root_line_check(r, l)) return false;
	if (r->last)
		r->last->next = l;
	else
		r->first = l;
	r->last = l;
	return true;
}

static bool marks_document(struct str text, const struct yaml_line *l)
{
	struct str said = str_make(text.at + l->start, l->end - l->start);

	return str_starts(said, "---") || str_starts(said, "...") ||
	       str_starts(said, "%");
}

static bool text_read(struct yaml_reader *r)
{
	if (!utf8_valid(r->text)) {
		config_wrong(r->text, 0, r->why, "not UTF-8");
		return false;
	}
	if (str_starts(r->text, "\xEF\xBB\xBF")) r->at = 3;
	while (r->at < r->text.len)
		if (!line_read(r)) return false;
	/* One document, with or without its first line. */
	for (const struct yaml_line *l = r->first; l; l = l->next)
		if (marks_document(r->text, l) &&
			(l != r->first || l->end - l->start != 3)) {
			config_wrong(r->text, l->start, r->why,
				"a file of one document is needed");
			return false;
		}
	return true;
}

/* ---- finding ---- */

struct yaml_edit {
	struct str text;
	const struct config_change *change;
	const struct json *wanted;
	const char *newline;
	struct arena *arena;
	struct str *out;
	struct fault *why;
};

/* The value behind "NAME:" on the line, which may be empty. */
static bool key_is(struct str text, const struct yaml_line *l, size_t at,
	const char *name, struct str *value)
{
	struct str rest = str_make(text.at + at, l->last - at);
	size_t len = strlen(name);
	char quote = rest.len ? rest.at[0] : 0;

	if (quote == '"' || quote == '\'') rest = str_from(rest, 1);
	if (!str_starts(rest, name)) return false;
	rest = str_from(rest, len);
	if (quote == '"' || quote == '\'') {
		if (!rest.len || rest.at[0] != quote) return false;
		rest = str_from(rest, 1);
	}
	while (rest.len && rest.at[0] == ' ')
		rest = str_from(rest, 1);
	if (!rest.len || rest.at[0] != ':') return false;
	if (rest.len > 1 && !strchr(" \t\r\n", rest.at[1])) return false;
	*value = str_trim(str_from(rest, 1));
	if (value->len && value->at[0] == '#') *value = STR_NONE;
	return true;
}

static const struct yaml_line *key_find(
	const struct yaml_reader *r, const struct yaml_edit *e, struct str *value)
{
	for (const struct yaml_line *l = r->first; l; l = l->next)
		if (!indent_of(l) &&
			key_is(e->text, l, l->content, e->change->path, value))
			return l;
	return NULL;
}

/* The last line of the item that begins with `l`. */
static const struct yaml_line *item_last(const struct yaml_line *l)
{
	size_t indent = indent_of(l);

	while (l->next && indent_of(l->next) > indent)
		l = l->next;
	return l;
}

static struct str bare(struct str value)
{
	int hash = str_find(value, STR(" #"));

	if (hash >= 0) value = str_trim(str_first(value, (size_t)hash));
	if (value.len > 1 && (value.at[0] == '"' || value.at[0] == '\'') &&
		value.at[value.len - 1] == value.at[0])
		value = str_make(value.at + 1, value.len - 2);
	return value;
}

/* Has it the `name` that ours has? */
static bool item_is_ours(const struct yaml_edit *e, const struct yaml_line *l)
{
	struct str name = json_text(json_get(e->wanted, "name")), value;
	const struct yaml_line *last = item_last(l);
	size_t at = l->content + 1, column;

	while (at_byte(e->text, at) == ' ')
		at++;
	column = at - l->start;
	if (key_is(e->text, l, at, "name", &value)) return str_eq(bare(value), name);
	while (l != last) {
		l = l->next;
		if (indent_of(l) == column &&
			key_is(e->text, l, l->content, "name", &value))
			return str_eq(bare(value), name);
	}
	return false;
}

/* ---- writing ---- */

static void item_write(struct buf *out, const struct yaml_edit *e, size_t indent)
{
	for (uint32_t i = 0; i < e->wanted->count; i++) {
		const struct json_member *m = &e->wanted->members[i];

		if (i) buf_add_text(out, e->newline);
		for (size_t n = 0; n < indent; n++)
			buf_add_char(out, ' ');
		buf_add_text(out, i ? "  " : "- ");
		buf_add(out, m->name);
		buf_add_text(out, ": ");
		json_write(out, &m->value);
	}
}

static void item_insert(struct yaml_edit *e, size_t at, size_t indent)
{
	struct buf b = { 0 };

	buf_add_text(&b, e->newline);
	item_write(&b, e, indent);
	*e->out = config_splice(e->text, at, at, buf_str(&b), e->arena);
	if (b.failed) e->arena->failed = true;
	buf_done(&b);
}

static bool ends_line(struct str text)
{
	return text.len && text.at[text.len - 1] == '\n';
}

static void list_append(struct yaml_edit *e)
{
	bool ended = ends_line(e->text);
	struct buf b = { 0 };

	if (e->text.len && !ended) buf_add_text(&b, e->newline);
	buf_print(&b, "%s:%s", e->change->path, e->newline);
	item_write(&b, e, 2);
	if (!e->text.at || ended) buf_add_text(&b, e->newline);
	*e->out = config_splice(e->text, e->text.len, e->text.len, buf_str(&b), e->arena);
	if (b.failed) e->arena->failed = true;
	buf_done(&b);
}

static size_t newline_before(struct str text, size_t at)
{
	if (at < 1 || text.at[at - 1] != '\n') return at;
	return at > 1 && text.at[at - 2] == '\r' ? at - 2 : at - 1;
}

/* The key with its one item, which we wrote. */
static void list_remove(struct yaml_edit *e, const struct yaml_line *key, size_t end)
{
	size_t from = key->start, to = line_next(e->text, end);
	bool open_end = to == e->text.len && !ends_line(e->text);

	if (open_end) from = newline_before(e->text, from);
	*e->out = config_splice(e->text, from, to, STR_NONE, e->arena);
	if (!from && to == e->text.len && !open_end) *e->out = STR_NONE;
}

static bool item_is_made(const struct yaml_edit *e, const struct yaml_line *l,
	const struct yaml_line *last)
{
	struct buf b = { 0 };
	bool made;

	item_write(&b, e, indent_of(l));
	made = str_eq(
		str_make(e->text.at + l->start, last->last - l->start), buf_str(&b));
	buf_done(&b);
	return made;
}

/* ---- the change ---- */

/* A list that is written line by line below its key. */
static enum err lines_edit(struct yaml_edit *e, const struct yaml_line *key, bool remove)
{
	const struct yaml_line *item = key->next, *ours = NULL, *end = key, *last;
	bool any = item && is_dash(e->text, item->content);
	size_t indent = any ? indent_of(item) : 0;
	size_t items = 0;

	if (!any && item && indent_of(item) > 0)
		return config_wrong(e->text, item->content, e->why, "%s is not a list",
			e->change->path);
	for (; any && item && indent_of(item) == indent &&
		is_dash(e->text, item->content);
		item = end->next, items++) {
		if (!ours && item_is_ours(e, item)) ours = item;
		end = item_last(item);
	}
	if (!ours) {
		if (!remove) item_insert(e, end->last, indent);
		return OK;
	}
	last = item_last(ours);
	if (!remove) {
		struct buf b = { 0 };

		if (item_is_made(e, ours, last)) return OK;
		item_write(&b, e, indent);
		*e->out = config_splice(
			e->text, ours->start, last->last, buf_str(&b), e->arena);
		buf_done(&b);
	} else if (items == 1 && indent == 2 &&
		   key->last == key->content + strlen(e->change->path) + 1) {
		list_remove(e, key, last->last);
	} else {
		*e->out = config_splice(e->text, newline_before(e->text, ours->start),
			last->last, STR_NONE, e->arena);
	}
	return OK;
}

/* A list in brackets, if what is in them is JSON. */
static enum err brackets_edit(
	struct yaml_edit *e, const struct yaml_line *key, struct str value, bool remove)
{
	struct config_change change = {
		.path = "", .value = e->change->value, .item = true, .known = NULL
	};
	size_t from = (size_t)(value.at - e->text.at), to = from;
	struct yaml_reader r = { .text = e->text, .arena = e->arena, .why = e->why };
	struct str inner, edited;
	enum err err;

	if (!brackets_pass(&r, &to)) return ERR_INVALID;
	inner = edited = str_make(e->text.at + from, to - from);
	err = config_edit_json(inner, &change, remove, e->arena, &edited, NULL);
	if (err)
		return config_wrong(e->text, key->content, e->why,
			"write %s as a list of lines", e->change->path);
	if (!str_eq(inner, edited))
		*e->out = config_splice(e->text, from, to, edited, e->arena);
	return OK;
}

enum err config_edit_yaml(struct str text, const struct config_change *change,
	bool remove, struct arena *arena, struct str *out, struct fault *why)
{
	struct yaml_reader r = { .text = text, .arena = arena, .why = why };
	struct yaml_edit e = { .text = text,
		.change = change,
		.newline = config_newline(text),
		.arena = arena,
		.out = out,
		.why = why };
	const struct yaml_line *key;
	struct str value = STR_NONE;

	if (json_read(change->value, NULL, arena, &e.wanted, why)) return ERR_INTERNAL;
	if (!text_read(&r)) return arena->failed ? ERR_MEMORY : ERR_INVALID;
	if (r.first && at_byte(text, r.first->content) == '{')
		return config_edit_json(text, change, remove, arena, out, why);
	if (r.first && is_dash(text, r.first->content))
		return config_wrong(text, r.first->start, why, "this is not a mapping");
	key = key_find(&r, &e, &value);
	if (!key) {
		if (!remove) list_append(&e);
		return OK;
	}
	if (!value.len) return lines_edit(&e, key, remove);
	if (value.at[0] == '[') return brackets_edit(&e, key, value, remove);
	return config_wrong(
		text, key->content, why, "%s is not a list of lines", change->path);
}
