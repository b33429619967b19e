/* config_gate.c - the gateway before the command of an agent's MCP server, in the file that the agent keeps it in. What is
 * put there stands right behind a bracket, so that it is known again: taken away, the file has the bytes it had. */
#include "cli/connect/config_edit.h"

#include "base/json_pattern.h"
#include "base/keep.h"

/* `"mcp-gateway", "NAME", "--", ` */
static struct str gate_words(struct str name, struct arena *arena)
{
	return arena_print(arena, "\"mcp-gateway\", \"%.*s\", \"--\", ", STR_ARGS(name));
}

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

/* The string at the start; empty: there is none. */
static struct str string_first(struct str text)
{
	char quote = text.len ? text.at[0] : 0;

	if (quote != '"' && quote != '\'') return STR_NONE;
	for (size_t i = 1; i < text.len; i++) {
		if (text.at[i] == '\\' && quote == '"')
			i++;
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
	struct str first = string_first(str_from(text, at)),
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
	struct str words, struct str program, const char *args, struct arena *arena)
{
	struct str was = span_text(text, c->command), put;
	size_t at = c->args.end ? c->args.start + 1 : c->command.end;

	if (!c->args.end)
		put = arena_print(
			arena, "%s[ %.*s%.*s]", args, STR_ARGS(words), STR_ARGS(was));
	else
		put = arena_print(arena, "%.*s%.*s%s", STR_ARGS(words), STR_ARGS(was),
			list_is_empty(str_from(text, at)) ? "" : ", ");
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
	struct str words, const char *args, struct arena *arena)
{
	struct str list = span_text(text, c->args);
	bool made = str_starts(list, "[ ");
	size_t at = c->args.start + 1 + made + words.len;
	struct str was = string_first(str_from(text, at)), rest;
	struct config_span cut = { c->args.start + 1, at + was.len };

	if (!was.len) return text;
	was = arena_str(arena, was);
	rest = str_from(text, cut.end);
	if (made) {
		cut = (struct config_span){ c->args.start - strlen(args), c->args.end };
	} else if (str_starts(rest, ", ")) {
		cut.end += 2;
	}
	if (cut.start > c->command.start) {
		text = config_splice(text, cut.start, cut.end, STR_NONE, arena);
		return config_splice(text, c->command.start, c->command.end, was, arena);
	}
	text = config_splice(text, c->command.start, c->command.end, was, arena);
	return config_splice(text, cut.start, cut.end, STR_NONE, arena);
}

enum err config_gate(enum config_format format, struct str text, const char *path,
	struct str name, struct str program, bool remove, struct arena *arena,
	struct str *out, struct fault *why)
{
	struct config_command c = { .path = path, .name = name };
	struct str words = gate_words(name, arena), list, said;
	const char *args = format == CONFIG_JSON			  ? ", \"args\": "
			   : str_is(str_of(config_newline(text)), "\r\n") ? "\r\nargs = "
									  : "\nargs = ";
	bool there;
	enum err e = format == CONFIG_YAML ? fail(why, ERR_NOT_FOUND, "no such server")
					   : (format == CONFIG_JSON ? config_find_json
								    : config_find_toml)(
						     text, &c, arena, why);

	*out = text;
	if (!e && !c.command.end) e = fail(why, ERR_NOT_FOUND, "no such server");
	if (e) return e;
	program = quoted(program, arena);
	said = span_text(text, c.command);
	if (said.at[0] == '[') {
		*out = list_gate(text, &c, words, program, remove, arena);
	} else {
		list = c.args.end ? span_text(text, c.args) : STR_NONE;
		there = list.len > 2 &&
			str_starts(str_from(list, list.at[1] == ' ' ? 2 : 1),
				arena_copy(arena, words));
		if (remove && there)
			*out = text_ungate(text, &c, words, args, arena);
		else if (!remove && !there)
			*out = text_gate(text, &c, words, program, args, arena);
	}
	return arena->failed ? fail_memory(why) : OK;
}
