/* refusal.c - says what the server found wrong in a body by the option or the word that brought it. A
 * member that neither brought (a file did) is called by its path: items[0].steps. */
#include "cli/refusal.h"

#include <stdio.h>

#include "base/utf8.h"
#include "text/safe_text.h"

enum { VALUE_SHOWN = 80 };

/* Members that options of another name bring, and words. */
static const struct {
	const char *member;
	const char *flag; /* NULL: a word */
	bool last;	  /* which word: the last one, else the first */
} brought[] = {
	{ "address", NULL, true },
	{ "agent", NULL, false },
	{ "approvals", "require", false },
	{ "arguments", "argument", false },
	{ "code", NULL, true },
	{ "content", NULL, true },
	{ "cost_usd", "max-cost", false },
	{ "delegate", "to", false },
	{ "effect", NULL, false },
	{ "expires_at", "for", false },
	{ "name", NULL, false },
	{ "options", "choice", false },
	{ "output_schema", "schema", false },
	{ "project", NULL, true },
	{ "projects", "project", false },
	{ "projects", NULL, true },
	{ "reason", NULL, true },
	{ "text", NULL, false },
	{ "tool", "pattern", false },
	{ "tool", NULL, true },
	{ "until", "for", false },
	{ "until", NULL, true },
	{ "value", NULL, true },
	{ "values", "value", false },
};

static const struct given *option_given(const struct cli *cli, struct str name)
{
	for (size_t i = cli->args.given_len; i > 0; i--)
		if (args_name_is(name, cli->args.given[i - 1].flag->name))
			return &cli->args.given[i - 1];
	return NULL;
}

/* "--for '9y'", or "'alow'". */
static struct str quoted(
	struct arena *arena, const struct given *option, struct str value)
{
	value = safe_line(arena, utf8_fit(value, VALUE_SHOWN));
	if (!option) return arena_print(arena, "'%.*s'", STR_ARGS(value));
	if (!option->flag->value) return arena_print(arena, "--%s", option->flag->name);
	return arena_print(arena, "--%s '%.*s'", option->flag->name, STR_ARGS(value));
}

/* KEY=VALUE */
static bool word_is_of(struct str word, struct str key)
{
	struct str name;

	return str_find(word, STR("=")) > 0 && str_cut(&word, '=', &name) &&
	       str_eq(name, key);
}

/* Empty: nothing that was given is called so. */
static struct str member_given(
	const struct cli *cli, struct str member, struct arena *arena)
{
	const struct given *option = option_given(cli, member);
	size_t words = cli->args.words_len;

	if (option) return quoted(arena, option, option->value);
	for (size_t i = 0; i < words; i++)
		if (word_is_of(cli_word(cli, i), member))
			return quoted(arena, NULL, cli_word(cli, i));
	for (size_t i = 0; i < sizeof brought / sizeof *brought; i++) {
		if (!str_is(member, brought[i].member)) continue;
		if (brought[i].flag) option = option_given(cli, str_of(brought[i].flag));
		if (option) return quoted(arena, option, option->value);
		if (!brought[i].flag && words)
			return quoted(arena, NULL,
				cli_word(cli, brought[i].last ? words - 1 : 0));
	}
	return STR_NONE;
}

/* "/items/0/steps" as "items[0].steps". */
static struct str path_words(struct str pointer, struct arena *arena)
{
	struct str out = STR_NONE, name;

	pointer = str_from(pointer, 1);
	while (str_cut(&pointer, '/', &name))
		out = name.len && name.at[0] >= '0' && name.at[0] <= '9'
			      ? arena_print(arena, "%.*s[%.*s]", STR_ARGS(out),
					STR_ARGS(name))
			      : arena_print(arena, "%.*s%s%.*s", STR_ARGS(out),
					out.len ? "." : "", STR_ARGS(name));
	return out;
}

/* The innermost member that was given, else its path. Of a file's members, the path alone. */
static struct str place_words(
	const struct cli *cli, struct str pointer, struct arena *arena)
{
	struct str rest = pointer, name, found = STR_NONE;

	if (cli->command && !cli_has(cli, "file"))
		while (str_cut(&rest, '/', &name)) {
			struct str said = member_given(cli, name, arena);

			/* Of several answers, the one of that question. */
			if (said.len && !(found.len && str_is(name, "value")))
				found = said;
		}
	return found.len ? found : path_words(pointer, arena);
}

void refusal_say(const struct cli *cli, const struct fault *why)
{
	bool one = why->items_len == 1;
	struct arena arena = { 0 };

	if (!one) SAY("cli.fail.items");
	for (int i = 0; i < why->items_len; i++) {
		struct str at = str_of(why->items[i].pointer),
			   detail = str_of(why->items[i].detail);

		if (at.len == 0)
			SAY(one ? "cli.fail.item.whole" : "cli.fail.item.whole.more",
				{ "detail", detail });
		else
			SAY(one ? "cli.fail.item.only" : "cli.fail.item",
				{ "place", place_words(cli, at, &arena) },
				{ "detail", detail });
	}
	arena_done(&arena);
}
