/* id_start.c - finds the one id that begins as a person wrote it. */
#include "cli/id_start.h"

#include <stdio.h>

#include "base/id.h"
#include "cli/cli_call.h"

enum { START_LEAST = 12, SHOWN_MOST = 5, LOOKED_MOST = 2000 };

static const struct id_kind {
	const char *kind;
	const char *path;  /* those that are looked at first, */
	const char *older; /* and if it is none of them; NULL: no others */
} kinds[] = {
	{ "ask", "/v1/asks?snoozed=all", "/v1/asks?status=all" },
	{ "run", "/v1/runs", NULL },
	{ "ses", "/v1/sessions", NULL },
	{ "rul", "/v1/rules", "/v1/rules?state=all" },
	{ "stp", "/v1/stops", NULL },
};

bool id_start_is(struct str word, const char *kind)
{
	struct str rest = word, head;

	str_cut(&rest, '_', &head);
	if (head.len < 3 || head.len > 4 || head.len == word.len || !rest.len ||
		rest.len > 25 || (kind && !str_is(head, kind)))
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz_0123456789", word.at[i]))
			return false;
	return true;
}

static const struct json *item_next(
	const struct json *items, const struct json *item, struct str word)
{
	while (json_each(items, &item))
		if (str_eq(str_first(json_text_of(item, "id"), word.len), word))
			return item;
	return NULL;
}

static _Noreturn void several_say(
	struct cli *cli, const struct json *items, struct str word)
{
	struct str ids = STR_NONE;
	size_t n = 0;

	for (const struct json *item = NULL;
		n < SHOWN_MOST && (item = item_next(items, item, word)); n++)
		ids = arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(ids), n ? ", " : "",
			STR_ARGS(json_text_of(item, "id")));
	fprintf(stderr, "parley: %s\n",
		MSG(&cli->arena, "cli.id.several", { "id", word }, { "ids", ids }).at);
	cli_end(cli, EXIT_UNKNOWN_ID);
}

/* `at` NULL: none begins so. */
static struct str one_among(struct cli *cli, const struct json *items, struct str word)
{
	const struct json *item = item_next(items, NULL, word);

	if (item && item_next(items, item, word)) several_say(cli, items, word);
	return item ? json_text_of(item, "id") : STR_NONE;
}

static _Noreturn void none_say(struct cli *cli, struct str word)
{
	fprintf(stderr, "parley: %s\n",
		MSG(&cli->arena, "cli.id.none", { "id", word }).at);
	cli_end(cli, EXIT_UNKNOWN_ID);
}

struct str id_start_among(struct cli *cli, const struct json *items, struct str word)
{
	struct str id = one_among(cli, items, word);

	if (!id.at) none_say(cli, word);
	return id;
}

static struct str kind_complete(
	struct cli *cli, const struct id_kind *kind, struct str word)
{
	const char *paths[] = { kind->path, kind->older };
	struct str id = STR_NONE;

	for (size_t i = 0; i < 2 && paths[i] && !id.at; i++) {
		struct call_pages pages =
			cli_call_pages(cli, str_of(paths[i]), LOOKED_MOST);

		id = one_among(cli, &pages.items, word);
	}
	if (!id.at) none_say(cli, word);
	return id;
}

struct str id_start_complete(struct cli *cli, struct str word)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (id_start_is(word, kinds[i].kind))
			return kind_complete(cli, &kinds[i], word);
	return word;
}

/* Are no two of them the same so far? */
static bool length_tells(const struct json *items, size_t len)
{
	for (const struct json *a = NULL; json_each(items, &a);)
		if (item_next(items, a, str_first(json_text_of(a, "id"), len)))
			return false;
	return true;
}

size_t id_start_length(const struct json *items)
{
	size_t len = START_LEAST;

	while (len < ID_SIZE && !length_tells(items, len))
		len++;
	return len;
}
