/* config_yaml.c - changes to YAML files: one item of a list that is a member of the root.
 *
 * libyaml says where everything stands; what we put or take out are whole lines. What it reads
 * and we cannot change by lines (an alias where our list should be) is refused, and so is a
 * change after which the text could not be read. */
#include "cli/connect/config_edit.h"

#include <yaml.h>

#include "base/keep.h"
#include "base/utf8.h"

/* What stands where our list belongs. */
enum yaml_place {
	YAML_NOTHING, /* no such key */
	YAML_EMPTY,   /* the key alone */
	YAML_LINES,   /* items below it */
	YAML_BRACKETS,
	YAML_WHOLE, /* the whole text is in brackets */
};

enum yaml_member { MEMBER_OTHER, MEMBER_NAME, MEMBER_COMMAND, MEMBER_ARGS };

/* Places are counted in characters, as libyaml does, without a byte order mark. */
struct yaml_found {
	enum yaml_place place;
	yaml_mark_t key_end, list, list_end;
	yaml_mark_t ours, ours_end; /* of the item with our name */
	yaml_mark_t item, end;	    /* of the item that is read; of what says something */
	size_t items;
	bool has_ours;
};

struct yaml_reader {
	struct str text;
	struct str name; /* our item's */
	const char *key;
	struct fault *why;
	struct yaml_found found;
	int depth;		 /* of collections */
	bool mapping_item;	 /* the item is a mapping */
	bool at_value[4];	 /* a mapping of this depth has had a key */
	bool our_list;		 /* the last key of the root */
	enum yaml_member member; /* the last of an item */
	/* Where the command of our item stands; NULL: nobody wants to know. */
	struct config_command *command;
	struct config_command seen; /* of the item that is read */
	bool odd;		    /* its `args` are no list that we can add to */
	bool failed;
};

/* ---- places ---- */

static size_t byte_of(struct str text, size_t characters)
{
	size_t at = str_starts(text, "\xEF\xBB\xBF") ? 3 : 0;

	for (; at < text.len && characters; characters--)
		do
			at++;
		while (at < text.len && (text.at[at] & 0xC0) == 0x80);
	return at;
}

static size_t line_start(struct str text, size_t at)
{
	while (at > 0 && text.at[at - 1] != '\n')
		at--;
	return at == 0 && str_starts(text, "\xEF\xBB\xBF") ? 3 : at;
}

/* Without its line end. */
static size_t line_end(struct str text, size_t at)
{
	while (at < text.len && text.at[at] != '\n')
		at++;
	return at > 0 && at < text.len && text.at[at - 1] == '\r' ? at - 1 : at;
}

/* The end of the line in which the last character before `mark` stands that is no blank. */
static size_t said_end(struct str text, yaml_mark_t mark)
{
	size_t at = byte_of(text, mark.index);

	while (at > 0 && strchr(" \t\r\n", text.at[at - 1]))
		at--;
	return line_end(text, at);
}

/* The line with the item's dash, which may stand above what the item says. */
static size_t dash_line(struct str text, yaml_mark_t item, size_t column)
{
	size_t start = line_start(text, byte_of(text, item.index));

	while (start > 0 &&
		!(start + column < text.len && text.at[start + column] == '-'))
		start = line_start(text, start - 1);
	return start;
}

/* ---- reading ---- */

static enum err wrong_at(struct yaml_reader *r, yaml_mark_t mark, const char *what)
{
	if (!r->failed)
		config_wrong(r->text, byte_of(r->text, mark.index), r->why, "%s", what);
	r->failed = true;
	return ERR_INVALID;
}

/* What libyaml has to say, in our words where it is said often. */
static enum err syntax_wrong(struct yaml_reader *r, const yaml_parser_t *p)
{
	static const struct {
		const char *context, *words;
	} known[] = {
		{ "while scanning a quoted scalar", "a string is not closed" },
		{ "while scanning a simple key", "a key with ':' is needed here" },
		{ "while parsing a flow sequence", "this '[' is not closed" },
		{ "while parsing a flow mapping", "this '{' is not closed" },
	};
	size_t at = byte_of(r->text, p->problem_mark.index);

	if (p->error == YAML_MEMORY_ERROR || p->error == YAML_NO_ERROR)
		return fail(r->why, ERR_MEMORY, "out of memory");
	if (p->error == YAML_READER_ERROR)
		return config_wrong(r->text, p->problem_offset, r->why, "%s", p->problem);
	if (at < r->text.len && r->text.at[at] == '\t')
		return wrong_at(r, p->problem_mark, "a tab may not indent");
	for (size_t i = 0; p->context && i < sizeof known / sizeof *known; i++)
		if (strcmp(p->context, known[i].context) == 0)
			return wrong_at(r, p->context_mark, known[i].words);
	return wrong_at(r, p->problem_mark, p->problem);
}

static bool scalar_is(const yaml_event_t *e, struct str text)
{
	return e->type == YAML_SCALAR_EVENT &&
	       str_eq(str_make((const char *)e->data.scalar.value, e->data.scalar.length),
		       text);
}

static bool is_nothing(const yaml_event_t *e)
{
	return scalar_is(e, STR("")) && !e->data.scalar.anchor && !e->data.scalar.tag &&
	       e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool in_brackets(const yaml_event_t *e)
{
	return e->type == YAML_MAPPING_START_EVENT
		       ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
		       : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
}

static void root_take(struct yaml_reader *r, const yaml_event_t *e)
{
	if (e->type == YAML_MAPPING_START_EVENT && in_brackets(e))
		r->found.place = YAML_WHOLE;
	else if (e->type == YAML_MAPPING_START_EVENT && e->start_mark.column)
		wrong_at(r, e->start_mark, "the first key may not be indented");
	else if (e->type == YAML_SEQUENCE_START_EVENT)
		wrong_at(r, e->start_mark, "this is not a mapping");
	else if (e->type != YAML_MAPPING_START_EVENT && !is_nothing(e))
		wrong_at(r, e->start_mark, "a key with ':' is needed here");
}

/* What the key of our list has for its value. */
static void list_take(struct yaml_reader *r, const yaml_event_t *e)
{
	char what[80];

	r->found.list = e->start_mark;
	if (is_nothing(e)) {
		r->found.place = YAML_EMPTY;
	} else if (e->type == YAML_SEQUENCE_START_EVENT &&
		   !e->data.sequence_start.anchor && !e->data.sequence_start.tag) {
		r->found.place = in_brackets(e) ? YAML_BRACKETS : YAML_LINES;
	} else {
		bool mapping = e->type == YAML_MAPPING_START_EVENT;

		snprintf(what, sizeof what, "%s is not a list%s", r->key,
			mapping ? "" : " of lines");
		wrong_at(r, e->start_mark, what);
	}
}

static void item_take(struct yaml_reader *r, const yaml_event_t *e)
{
	r->found.item = e->start_mark;
	r->found.items++;
	r->mapping_item = e->type == YAML_MAPPING_START_EVENT;
	r->at_value[3] = false;
	r->odd = false;
	r->seen =
		(struct config_command){ .brackets = r->mapping_item && in_brackets(e) };
}

static enum yaml_member member_of(const yaml_event_t *e)
{
	return scalar_is(e, STR("name"))      ? MEMBER_NAME
	       : scalar_is(e, STR("command")) ? MEMBER_COMMAND
	       : scalar_is(e, STR("args"))    ? MEMBER_ARGS
					      : MEMBER_OTHER;
}

/* A text of one line, in quotes or without. */
static bool is_simple(const yaml_event_t *e)
{
	return e->type == YAML_SCALAR_EVENT && !e->data.scalar.anchor &&
	       !e->data.scalar.tag && e->start_mark.line == e->end_mark.line &&
	       e->data.scalar.length;
}

static void member_take(struct yaml_reader *r, const yaml_event_t *e)
{
	if (!r->at_value[3]) {
		r->member = member_of(e);
		if (r->member == MEMBER_COMMAND && !r->seen.lines)
			r->seen.column = e->start_mark.column;
	} else if (r->member == MEMBER_NAME && !r->found.has_ours &&
		   scalar_is(e, r->name)) {
		r->found.has_ours = true;
		r->found.ours = r->found.item;
	} else if (r->member == MEMBER_COMMAND && is_simple(e)) {
		r->seen.command = (struct config_span){
			byte_of(r->text, e->start_mark.index),
			byte_of(r->text, e->end_mark.index),
		};
	} else if (r->member == MEMBER_ARGS) {
		r->odd = e->type != YAML_SEQUENCE_START_EVENT ||
			 e->data.sequence_start.anchor || e->data.sequence_start.tag;
		if (r->odd) return;
		r->seen.args.start = byte_of(r->text, e->start_mark.index);
		r->seen.lines = !in_brackets(e);
		if (r->seen.lines) r->seen.column = e->start_mark.column;
	}
}

/* A value, or the beginning of one, by how deep it stands. */
static void node_take(struct yaml_reader *r, const yaml_event_t *e)
{
	bool ours = r->our_list && (r->found.place == YAML_LINES || r->command);

	if (r->depth == 0) root_take(r, e);
	if (r->depth == 1 && r->at_value[1] && r->our_list) list_take(r, e);
	if (r->depth == 1 && !r->at_value[1]) {
		r->our_list = (r->found.place == YAML_NOTHING || r->command) &&
			      scalar_is(e, str_of(r->key));
		if (r->our_list) r->found.key_end = e->end_mark;
	}
	if (r->depth == 2 && ours) item_take(r, e);
	if (r->depth == 3 && ours && r->mapping_item) member_take(r, e);
}

static void item_found(struct yaml_reader *r)
{
	if (!r->command || r->odd) return;
	r->seen.path = r->command->path;
	r->seen.name = r->command->name;
	*r->command = r->seen;
}

/* A whole value has been read that stands this deep. */
static void node_end(struct yaml_reader *r)
{
	if (r->depth < 4) r->at_value[r->depth] = !r->at_value[r->depth];
	if (r->depth == 2 && r->our_list && r->found.has_ours &&
		r->found.ours.index == r->found.item.index) {
		r->found.ours_end = r->found.end;
		item_found(r);
	}
	if (r->depth == 1 && !r->at_value[1]) {
		if (r->our_list) r->found.list_end = r->found.end;
		r->our_list = false;
	}
}

static void event_take(struct yaml_reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_END_EVENT:
		if (!e->data.document_end.implicit)
			wrong_at(r, e->start_mark, "a file of one document is needed");
		break;
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
		node_take(r, e);
		r->found.end = e->end_mark;
		node_end(r);
		break;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		node_take(r, e);
		r->found.end = e->end_mark;
		if (++r->depth < 4) r->at_value[r->depth] = false;
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		/* A block ends at the next line that does not belong to it. */
		if (e->end_mark.index > e->start_mark.index) r->found.end = e->end_mark;
		r->depth--;
		if (r->depth == 3 && r->member == MEMBER_ARGS && r->seen.args.start)
			r->seen.args.end = byte_of(r->text, e->end_mark.index);
		node_end(r);
		break;
	default: break;
	}
}

static enum err text_read(struct yaml_reader *r)
{
	yaml_parser_t parser;
	yaml_event_t event;
	int documents = 0;
	bool more = true;

	if (!utf8_valid(r->text)) return config_wrong(r->text, 0, r->why, "not UTF-8");
	if (!yaml_parser_initialize(&parser))
		return fail(r->why, ERR_MEMORY, "out of memory");
	yaml_parser_set_input_string(&parser,
		(const unsigned char *)(r->text.at ? r->text.at : ""), r->text.len);
	while (more && !r->failed) {
		if (!yaml_parser_parse(&parser, &event)) {
			syntax_wrong(r, &parser);
			r->failed = true;
			break;
		}
		more = event.type != YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT && documents++)
			wrong_at(r, event.start_mark, "a file of one document is needed");
		event_take(r, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return r->failed ? r->why && r->why->err ? r->why->err : ERR_INVALID : OK;
}

/* ---- writing ---- */

struct yaml_edit {
	struct str text;
	const struct config_change *change;
	const struct json *wanted;
	const char *newline;
	struct arena *arena;
};

static struct str item_text(
	const struct yaml_edit *e, const char *before, size_t indent, const char *after)
{
	struct buf b = { 0 };

	buf_add_text(&b, before);
	for (uint32_t i = 0; i < e->wanted->count; i++) {
		const struct json_member *m = &e->wanted->members[i];

		if (i) buf_add_text(&b, e->newline);
		for (size_t n = 0; n < indent; n++)
			buf_add_char(&b, ' ');
		buf_add_text(&b, i ? "  " : "- ");
		buf_add(&b, m->name);
		buf_add_text(&b, ": ");
		json_write(&b, &m->value);
	}
	buf_add_text(&b, after);
	return buf_keep_done(&b, e->arena);
}

static struct str list_append(const struct yaml_edit *e)
{
	bool ended = str_ends(e->text, "\n");
	struct str before = arena_print(e->arena, "%s%s:%s",
		e->text.len && !ended ? e->newline : "", e->change->path, e->newline);

	return config_splice(e->text, e->text.len, e->text.len,
		item_text(e, before.at ? before.at : "", 2,
			!e->text.at || ended ? e->newline : ""),
		e->arena);
}

/* The key with its one item, as list_append puts them. */
static struct str list_cut(const struct yaml_edit *e, size_t from, size_t to)
{
	bool ended = str_ends(e->text, "\n");

	while (to < e->text.len && e->text.at[to++] != '\n') {
	}
	if (to == e->text.len && !ended) from -= config_newline_before(e->text, from);
	if (!from && to == e->text.len && ended) return STR_NONE;
	return config_splice(e->text, from, to, STR_NONE, e->arena);
}

/* ---- the change ---- */

static struct str lines_edit(
	const struct yaml_edit *e, const struct yaml_found *found, bool remove)
{
	size_t indent = found->place == YAML_LINES ? found->list.column : 0;
	size_t key_end = line_end(e->text, byte_of(e->text, found->key_end.index));
	size_t key = line_start(e->text, key_end), from, to;
	struct str line = str_make(e->text.at + key, key_end - key), made;

	if (!found->has_ours) {
		size_t at = found->place == YAML_LINES
				    ? said_end(e->text, found->list_end)
				    : key_end;

		return remove ? e->text
			      : config_splice(e->text, at, at,
					item_text(e, e->newline, indent, ""), e->arena);
	}
	from = dash_line(e->text, found->ours, indent);
	to = said_end(e->text, found->ours_end);
	made = item_text(e, "", indent, "");
	if (!remove)
		return str_eq(str_make(e->text.at + from, to - from), made)
			       ? e->text
			       : config_splice(e->text, from, to, made, e->arena);
	/* The key goes with the one item that we wrote below it. */
	if (found->items == 1 && indent == 2 && str_ends(line, ":") &&
		str_is(str_first(line, line.len - 1), e->change->path))
		return list_cut(e, key, to);
	return config_splice(e->text, from - config_newline_before(e->text, from), to,
		STR_NONE, e->arena);
}

/* A list in brackets, if what is in them is JSON. */
static enum err brackets_edit(const struct yaml_edit *e, const struct yaml_found *found,
	bool remove, struct str *out)
{
	struct config_change change = {
		.path = "", .value = e->change->value, .item = true
	};
	size_t from = byte_of(e->text, found->list.index),
	       to = byte_of(e->text, found->list_end.index);
	struct str inner = str_make(e->text.at + from, to - from), edited = inner;
	enum err err = config_edit_json(inner, &change, remove, e->arena, &edited, NULL);

	if (!err && !str_eq(inner, edited))
		*out = config_splice(e->text, from, to, edited, e->arena);
	return err;
}

static enum err found_edit(const struct yaml_edit *e, const struct yaml_found *found,
	bool remove, struct str *out)
{
	switch (found->place) {
	case YAML_BRACKETS: return brackets_edit(e, found, remove, out);
	case YAML_NOTHING:
		if (!remove) *out = list_append(e);
		return OK;
	default: *out = lines_edit(e, found, remove); return OK;
	}
}

enum err config_edit_yaml(struct str text, const struct config_change *change,
	bool remove, struct arena *arena, struct str *out, struct fault *why)
{
	struct yaml_edit e = { text, change, NULL, config_newline(text), arena };
	struct fault said = { 0 };
	struct yaml_reader r = { .text = text, .key = change->path, .why = &said }, again;
	struct str edited = text;
	enum err err;

	if (json_read(change->value, NULL, arena, &e.wanted, why)) return ERR_INTERNAL;
	r.name = json_text_of(e.wanted, "name");
	again = r;
	err = text_read(&r);
	if (err) return fail(why, err, "%s", said.detail);
	if (r.found.place != YAML_WHOLE)
		err = found_edit(&e, &r.found, remove, &edited);
	else if (config_edit_json(text, change, remove, arena, &edited, why))
		return ERR_INVALID;
	again.text = edited;
	if (!err && !str_eq(edited, text)) err = text_read(&again);
	if (err || (!remove && again.found.place == YAML_LINES && !again.found.has_ours))
		return config_wrong(text, byte_of(text, r.found.key_end.index), why,
			"write %s as a list of lines", change->path);
	*out = edited;
	return OK;
}

enum err config_find_yaml(
	struct str text, struct config_command *c, struct arena *arena, struct fault *why)
{
	struct fault said = { 0 };
	struct yaml_reader r = {
		.text = text, .name = c->name, .key = c->path, .why = &said, .command = c
	};
	enum err e = text_read(&r);

	(void)arena;
	if (e) return fail(why, e, "%s", said.detail);
	return c->command.end ? OK : fail(why, ERR_NOT_FOUND, "no such server");
}
