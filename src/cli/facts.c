/* facts.c - prints objects as lines of names and values, for terminals. */
#include "cli/facts.h"

#include <stdio.h>

#include "base/clock.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { INDENT = 2, DEPTH_MOST = 8 };

/* Where a value stands: the names decide on the words for it. */
struct fact_place {
	struct str parent, name; /* of members; empty: none */
	size_t depth;
};

static void value_print(
	struct cli *cli, struct buf *out, const struct json *value, struct fact_place at);

static bool is_plain(const struct json *value)
{
	return !json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY);
}

static void indent_add(struct buf *out, size_t depth)
{
	buf_print(out, "%*s", (int)(depth * INDENT), "");
}

/* The text cli.fact.A.B, or cli.fact.B without A; NULL: there is none. */
static const char *fact_text(struct cli *cli, struct str a, struct str b)
{
	struct str id = arena_print(&cli->arena, "cli.fact.%.*s%s%.*s", STR_ARGS(a),
		a.len ? "." : "", STR_ARGS(b));

	return id.at ? msg_text(id.at) : NULL;
}

/* "After a rejection:". What agents and people have named keeps its name. */
static void name_add(struct cli *cli, struct buf *out, struct str parent, struct str name)
{
	const char *text = parent.len ? fact_text(cli, parent, name) : NULL;
	struct str label;

	if (!text) text = fact_text(cli, STR_NONE, name);
	label = MSG(&cli->arena, "web.colon", { "words", text ? str_of(text) : name },
		{ "text", STR_NONE });
	buf_add(out, str_trim(label));
}

/* A word of ours in words, a time as it is here; else as it came. */
static struct str value_words(struct cli *cli, const struct json *value, struct str name)
{
	struct str said = json_is(value, JSON_NULL) ? STR("null") : value->text;
	const char *text = name.len ? fact_text(cli, name, said) : NULL;
	int64_t at_ms;

	if (text) return str_of(text);
	if (json_is(value, JSON_STRING) && str_ends(name, "_at") &&
		time_read(value->text, &at_ms))
		return time_local(at_ms, clock_now_ms(), &cli->arena);
	return value->text;
}

/* Nothing is said of what is not set, unless that says something. */
static bool is_unset(struct cli *cli, const struct json_member *m)
{
	return json_is(&m->value, JSON_NULL) && !fact_text(cli, m->name, STR("null"));
}

/* A text of several lines goes on below, indented. */
static void text_add(struct cli *cli, struct buf *out, struct str text, size_t depth)
{
	char indent[2 * DEPTH_MOST * INDENT];

	if (str_find(text, STR("\n")) < 0) {
		buf_add_char(out, ' ');
		safe_line_add(out, text);
		buf_add_char(out, '\n');
		return;
	}
	snprintf(indent, sizeof indent, "%*s", (int)(depth * INDENT), "");
	buf_add_char(out, '\n');
	safe_wrap_add(out, text, indent, cli->term.width ? cli->term.width : 80);
}

static void plain_add(
	struct cli *cli, struct buf *out, const struct json *value, struct str name)
{
	struct str words;

	if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE)) {
		buf_add_text(out, msg_text(json_is(value, JSON_TRUE) ? "cli.facts.yes"
								     : "cli.facts.no"));
		return;
	}
	words = value_words(cli, value, name);
	safe_line_add(out, words.len ? words : STR("-"));
}

static void list_print(
	struct cli *cli, struct buf *out, const struct json *list, struct fact_place at)
{
	struct fact_place inside = { at.name, STR_NONE, at.depth + 1 };
	bool plain = true;

	for (uint32_t i = 0; i < list->count; i++)
		plain &= is_plain(&list->items[i]);
	for (uint32_t i = 0; plain && i < list->count; i++) {
		buf_add_text(out, i ? ", " : " ");
		plain_add(cli, out, &list->items[i], at.name);
	}
	if (plain) buf_add_text(out, list->count ? "\n" : " -\n");
	for (uint32_t i = 0; !plain && i < list->count; i++) {
		if (!i) buf_add_char(out, '\n');
		indent_add(out, at.depth);
		buf_print(out, "%u", i + 1);
		value_print(cli, out, &list->items[i], inside);
	}
}

/* Of an item of a list its members stand under the list's name. */
static void members_print(
	struct cli *cli, struct buf *out, const struct json *object, struct fact_place at)
{
	struct str parent = at.name.len ? at.name : at.parent;

	for (uint32_t i = 0; i < object->count; i++) {
		const struct json_member *m = &object->members[i];

		if (is_unset(cli, m)) continue;
		indent_add(out, at.depth);
		name_add(cli, out, parent, m->name);
		value_print(cli, out, &m->value,
			(struct fact_place){ parent, m->name, at.depth + 1 });
	}
}

static void value_print(
	struct cli *cli, struct buf *out, const struct json *value, struct fact_place at)
{
	if (at.depth > DEPTH_MOST) {
		buf_add_text(out, "…\n");
	} else if (json_is(value, JSON_OBJECT)) {
		buf_add_text(out, value->count ? "\n" : " -\n");
		members_print(cli, out, value, at);
	} else if (json_is(value, JSON_ARRAY)) {
		list_print(cli, out, value, at);
	} else if (json_is(value, JSON_STRING)) {
		text_add(cli, out, value_words(cli, value, at.name), at.depth);
	} else {
		buf_add_char(out, ' ');
		plain_add(cli, out, value, at.name);
		buf_add_char(out, '\n');
	}
}

void facts_print(struct cli *cli, const struct json *object)
{
	struct buf out = { .max = 1 << 24 };

	members_print(cli, &out, object, (struct fact_place){ 0 });
	if (out.len) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}
