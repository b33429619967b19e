/* facts.c - prints objects as lines of names and values, for terminals. */
#include "cli/facts.h"

#include <stdio.h>

#include "text/safe_text.h"

enum { INDENT = 2, DEPTH_MOST = 8 };

static void value_print(
	struct cli *cli, struct buf *out, const struct json *value, size_t depth);

static bool is_plain(const struct json *value)
{
	return !json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY);
}

static void indent_add(struct buf *out, size_t depth)
{
	buf_print(out, "%*s", (int)(depth * INDENT), "");
}

/* "on_reject" as "on reject". */
static void name_add(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		buf_add_char(out, name.at[i] == '_' ? ' ' : name.at[i]);
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

static void plain_add(struct buf *out, const struct json *value)
{
	if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
		buf_add_text(out, msg_text(json_is(value, JSON_TRUE) ? "cli.facts.yes"
								     : "cli.facts.no"));
	else if (!value || json_is(value, JSON_NULL) || !value->text.len)
		buf_add_char(out, '-');
	else
		safe_line_add(out, value->text);
}

static void list_print(
	struct cli *cli, struct buf *out, const struct json *list, size_t depth)
{
	bool plain = true;

	for (uint32_t i = 0; i < list->count; i++)
		plain &= is_plain(&list->items[i]);
	for (uint32_t i = 0; plain && i < list->count; i++) {
		buf_add_text(out, i ? ", " : " ");
		plain_add(out, &list->items[i]);
	}
	if (plain) buf_add_text(out, list->count ? "\n" : " -\n");
	for (uint32_t i = 0; !plain && i < list->count; i++) {
		if (!i) buf_add_char(out, '\n');
		indent_add(out, depth);
		buf_print(out, "%u", i + 1);
		value_print(cli, out, &list->items[i], depth + 1);
	}
}

static void members_print(
	struct cli *cli, struct buf *out, const struct json *object, size_t depth)
{
	for (uint32_t i = 0; i < object->count; i++) {
		indent_add(out, depth);
		name_add(out, object->members[i].name);
		buf_add_char(out, ':');
		value_print(cli, out, &object->members[i].value, depth + 1);
	}
}

static void value_print(
	struct cli *cli, struct buf *out, const struct json *value, size_t depth)
{
	if (depth > DEPTH_MOST) {
		buf_add_text(out, "…\n");
	} else if (json_is(value, JSON_OBJECT)) {
		buf_add_text(out, value->count ? "\n" : " -\n");
		members_print(cli, out, value, depth);
	} else if (json_is(value, JSON_ARRAY)) {
		list_print(cli, out, value, depth);
	} else if (json_is(value, JSON_STRING)) {
		text_add(cli, out, value->text, depth);
	} else {
		buf_add_char(out, ' ');
		plain_add(out, value);
		buf_add_char(out, '\n');
	}
}

void facts_print(struct cli *cli, const struct json *object)
{
	struct buf out = { .max = 1 << 24 };

	members_print(cli, &out, object, 0);
	if (out.len) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}
