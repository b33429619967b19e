/* config_gate.c - the gateway before the command of an agent's MCP server, in the file that the agent keeps it in. What is
 * put there stands right behind a bracket, so that it is known again: taken away, the file has the bytes it had. */
#include "cli/connect/config_edit.h"

#include <string.h>

#include "base/keep.h"

/* How the words go into a file. */
struct gate_form {
	struct str words;   /* `"mcp-gateway", "NAME", "--", ` */
	struct str between; /* what stands behind an item that another follows */
	struct str args;    /* what opens the list where there was none */
	size_t first;	    /* how far behind the start of a list its first item stands */
};

static struct str quoted(struct str text, struct arena *arena)
{
	struct buf b = { .max = 65536 };

	json_write_str(&b, text);
	return buf_keep_done(&b, arena);
}

static struct str span_text(struct str text, struct config_span s)
{
	return str_make(text.at + s.start, s.end - s.start);
}

/* The text at the start, in quotes or, in YAML, without; empty: there is none. */
static struct str string_first(struct str text, bool yaml)
{
	char quote = text.len ? text.at[0] : 0;
	size_t i = 1;

	if (quote != '"' && quote != '\'') {
		for (i = 0; yaml && i < text.len && !strchr("\r\n,]", text.at[i]);)
			i++;
		return str_first(text, i);
	}
	for (; i < text.len; i++) {
		if (text.at[i] == '\\' && quote == '"')
			i++;
		else if (text.at[i] == '\'' && quote == '\'' && i + 1 < text.len &&
			 text.at[i + 1] == '\'')
			i++; /* YAML's way to write one */
		else if (text.at[i] == quote)
			return str_first(text, i + 1);
	}
	return STR_NONE;
}

/* Is nothing in the list whose bracket this stands behind? */
static bool list_is_empty(struct str rest)
{
	rest = str_trim(rest);
	return rest.len && rest.at[0] == ']';
}

/* The command is a list: `["npx", …]`. */
static struct str list_gate(struct str text, const struct config_command *c,
	struct str words, struct str program, bool remove, struct arena *arena)
{
	size_t at = c->command.start + 1;
	struct str first = string_first(str_from(text, at), false),
		   put = arena_print(
			   arena, "%.*s, %.*s", STR_ARGS(program), STR_ARGS(words)),
		   rest = str_from(text, at + first.len);
	bool there = first.len && rest.len > words.len + 2 &&
		     str_eq(str_first(rest, words.len + 2),
			     arena_print(arena, ", %.*s", STR_ARGS(words)));

	if (remove == !there) return text;
	return remove ? config_splice(
				text, at, at + first.len + 2 + words.len, STR_NONE, arena)
		      : config_splice(text, at, at, put, arena);
}

static struct str text_gate(struct str text, const struct config_command *c,
	const struct gate_form *form, struct str program, struct arena *arena)
{
	struct str was = span_text(text, c->command), put;
	size_t at = c->args.end ? c->args.start + form->first : c->command.end;
	bool empty = form->first && list_is_empty(str_from(text, at));

	if (!c->args.end)
		put = arena_print(arena, "%.*s[ %.*s%.*s]", STR_ARGS(form->args),
			STR_ARGS(form->words), STR_ARGS(was));
	else
		put = arena_print(arena, "%.*s%.*s%.*s", STR_ARGS(form->words),
			STR_ARGS(was), STR_ARGS(empty ? STR_NONE : form->between));
	/* From the end on, so that what stands before keeps its place. */
	if (at > c->command.start) {
		text = config_splice(text, at, at, put, arena);
		return config_splice(
			text, c->command.start, c->command.end, program, arena);
	}
	text = config_splice(text, c->command.start, c->command.end, program, arena);
	return config_splice(text, at, at, put, arena);
}

static struct str text_ungate(struct str text, const struct config_command *c,
	const struct gate_form *form, bool yaml, struct arena *arena)
{
	struct str list = str_from(text, c->args.start);
	bool made = form->first && str_starts(list, "[ ");
	size_t at = c->args.start + form->first + made + form->words.len;
	struct str was = string_first(str_from(text, at), yaml), rest;
	struct config_span cut = { c->args.start + form->first, at + was.len };

	if (!was.len) return text;
	was = arena_str(arena, was);
	rest = str_from(text, cut.end);
	if (made)
		cut = (struct config_span){ c->args.start - form->args.len, c->args.end };
	else if (str_eq(str_first(rest, form->between.len), form->between))
		cut.end += form->between.len;
	if (cut.start > c->command.start) {
		text = config_splice(text, cut.start, cut.end, STR_NONE, arena);
		return config_splice(text, c->command.start, c->command.end, was, arena);
	}
	text = config_splice(text, c->command.start, c->command.end, was, arena);
	return config_splice(text, cut.start, cut.end, STR_NONE, arena);
}

static struct gate_form form_of(enum config_format format, struct str text,
	const struct config_command *c, struct arena *arena)
{
	struct gate_form form = { .words = arena_print(arena,
					  "\"mcp-gateway\", \"%.*s\", \"--\", ",
					  STR_ARGS(c->name)),
		.between = STR(", "),
		.args = STR(", \"args\": "),
		.first = 1 };
	struct str line =
		arena_print(arena, "%s%*s", config_newline(text), (int)c->column, "");

	if (format == CONFIG_TOML)
		form.args = arena_print(arena, "%sargs = ", config_newline(text));
	if (format == CONFIG_YAML)
		form.args = c->brackets
				    ? STR(", args: ")
				    : arena_print(arena, "%.*sargs: ", STR_ARGS(line));
	if (!c->lines) return form;
	return (struct gate_form){ .between = line,
		.words = arena_print(arena,
			"- \"mcp-gateway\"%.*s- \"%.*s\"%.*s- \"--\"%.*s- ",
			STR_ARGS(line), STR_ARGS(c->name), STR_ARGS(line),
			STR_ARGS(line)) };
}

/* Without quotes it cannot stand in brackets. */
static bool needs_quotes(struct str command, const struct config_command *c)
{
	bool plain = command.at[0] != '"' && command.at[0] != '\'';

	for (size_t i = 0; plain && !c->lines && i < command.len; i++)
		if (strchr(",[]{}", command.at[i])) return true;
	return false;
}

enum err config_gate(enum config_format format, struct str text, const char *path,
	struct str name, struct str program, bool remove, struct arena *arena,
	struct str *out, struct fault *why)
{
	static config_find_fn *const find[] = {
		[CONFIG_JSON] = config_find_json,
		[CONFIG_TOML] = config_find_toml,
		[CONFIG_YAML] = config_find_yaml,
	};
	struct config_command c = { .path = path, .name = name };
	struct gate_form form;
	struct str said, list;
	bool there;
	enum err e = find[format](text, &c, arena, why);

	*out = text;
	if (!e && !c.command.end) e = fail(why, ERR_NOT_FOUND, "no such server");
	if (e) return e;
	form = form_of(format, text, &c, arena);
	program = quoted(program, arena);
	said = span_text(text, c.command);
	if (said.at[0] == '[') {
		*out = list_gate(text, &c, form.words, program, remove, arena);
		return arena->failed ? fail_memory(why) : OK;
	}
	list = c.args.end ? str_from(text, c.args.start + form.first) : STR_NONE;
	if (form.first && str_starts(list, " ")) list = str_from(list, 1);
	there = list.len && str_eq(str_first(list, form.words.len), form.words);
	if (remove && there) {
		*out = text_ungate(text, &c, &form, format == CONFIG_YAML, arena);
	} else if (!remove && !there) {
		if (format == CONFIG_YAML && needs_quotes(said, &c))
			return config_wrong(text, c.command.start, why,
				"write this command in quotes");
		*out = text_gate(text, &c, &form, program, arena);
	}
	return arena->failed ? fail_memory(why) : OK;
}
