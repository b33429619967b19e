/* resource.c - NOUN list, show, test, remove; replies as people see them. */
#include "cli/resource.h"

#include <errno.h>
#include <stdio.h>

#include "base/keep.h"
#include "cli/facts.h"
#include "cli/id_start.h"
#include "cli/outcome.h"
#include "cli/text_file.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 100000 };

/* ---- what is printed ---- */

bool as_json(const struct cli *cli)
{
	return cli_has(cli, "json");
}

struct str reply_text(struct cli *cli, const struct json *of, const char *name)
{
	return safe_line(&cli->arena, json_text_of(of, name));
}

struct str reply_texts(struct cli *cli, const struct json *list, const char *between)
{
	struct buf out = { .max = 65536 };

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++) {
		if (i) buf_add_text(&out, between);
		safe_line_add(&out, json_text(&list->items[i]));
	}
	return buf_keep_done(&out, &cli->arena);
}

int reply_done(struct cli *cli, const struct json *reply)
{
	if (as_json(cli)) json_print(reply);
	return EXIT_YES;
}

void json_print_pretty(const struct json *json)
{
	struct buf text = { .max = 1 << 26 };

	json_write_pretty(&text, json);
	printf("%s\n", buf_text(&text));
	buf_done(&text);
}

/* {"items": […]} with all of them, as one page would have been. */
static void items_print(const struct json *items)
{
	struct buf out = { 0 };

	json_write(&out, items);
	printf("{\"items\":%s,\"next_cursor\":null}\n", buf_text(&out));
	buf_done(&out);
}

void count_print(struct cli *cli, FILE *to, const char *id, int64_t n)
{
	fprintf(to, "%s\n", msg_count(&cli->arena, id, n).at);
}

void warnings_say(struct cli *cli, const struct json *reply)
{
	const struct json *warnings = json_get(reply, "warnings");

	for (const struct json *item = NULL; json_each(warnings, &item);)
		SAY("cli.rule.warning",
			{ "detail", problem_words(json_text_of(item, "detail"),
					    msg_lang(), &cli->arena) });
}

/* What /test found, a line a check; the exit status says whether all is well. */
int resource_checks(struct cli *cli, const struct json *reply)
{
	const struct json *checks = json_get(reply, "checks");
	bool ok = json_is(json_get(reply, "ok"), JSON_TRUE), color = cli->term.out_color;

	if (as_json(cli)) json_print(reply);
	for (const struct json *c = NULL; !as_json(cli) && json_each(checks, &c);) {
		bool good = json_is(json_get(c, "ok"), JSON_TRUE);
		struct str name = json_text_of(c, "name");
		struct str detail = problem_words(
			reply_text(cli, c, "detail"), msg_lang(), &cli->arena);
		struct str what = MSG(&cli->arena,
			arena_print(&cli->arena, "web.check.%.*s", STR_ARGS(name)).at);

		printf("%s%s%s  %.*s\n", tint_on(good ? TINT_GREEN : TINT_RED, color),
			good ? "ok" : "!!", tint_off(color),
			STR_ARGS(MSG(&cli->arena, "web.colon", { "words", what },
				{ "text", detail })));
	}
	return ok ? EXIT_YES : EXIT_NO;
}

/* ---- list, show, test, remove ---- */

void resource_print(struct cli *cli, const struct resource *of, const struct json *items)
{
	if (!json_is(items, JSON_ARRAY) || !items->count) {
		if (of->none) SAY(of->none);
	} else if (of->columns && (cli->term.out_tty || !of->print)) {
		table_print(cli, of->columns, items, false);
	} else {
		for (const struct json *one = NULL; json_each(items, &one);)
			of->print(cli, one);
	}
}

struct str state_cell(struct cli *cli, const struct json *of)
{
	static const char *const good[] = { "runnable", "usable" };

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (json_is(json_get(of, good[i]), JSON_TRUE)) return STR("ok");
	return problem_words(reply_text(cli, of, "why"), msg_lang(), &cli->arena);
}

int64_t resource_limit(struct cli *cli)
{
	struct str said = cli_arg(cli, "limit");
	int64_t limit = LIMIT_DEFAULT;

	if (said.at && !str_to_int(said, 1, LIMIT_MAX, &limit))
		CLI_REFUSE(cli, "cli.limit.wrong", { "value", said });
	return limit;
}

int resource_pages_end(struct cli *cli, const struct call_pages *pages)
{
	const struct json *next = json_get(pages->last, "next_cursor");

	if (as_json(cli))
		printf("%.*s\n",
			STR_ARGS(BODY(cli, { "items", .json = &pages->items },
				{ "next_cursor", .json = next },
				{ "as_of", .json = json_get(pages->first, "as_of") })));
	if (json_text(next).len)
		count_print(cli, stderr, "cli.list.more", resource_limit(cli));
	return EXIT_YES;
}

int resource_list_of(struct cli *cli, const struct resource *of)
{
	struct str path = flags_query(cli, of->path, of->query ? of->query : "");
	const struct json *page;
	struct call_pages pages;
	struct json all;

	if (of->list == LIST_ALL) {
		all = cli_call_all(cli, path);
		if (as_json(cli))
			items_print(&all);
		else
			resource_print(cli, of, &all);
		return EXIT_YES;
	}
	if (of->list == LIST_PERSON || of->list == LIST_SOME) cli_call_open_person(cli);
	if (of->list == LIST_SOME) {
		pages = cli_call_pages(cli, path, resource_limit(cli));
		if (!as_json(cli)) resource_print(cli, of, &pages.items);
		return resource_pages_end(cli, &pages);
	}
	page = cli_call_get(cli, path);
	if (!as_json(cli)) resource_print(cli, of, json_get(page, "items"));
	return reply_done(cli, page);
}

int resource_list(struct cli *cli)
{
	return resource_list_of(cli, cli->command->of);
}

const struct json *resource_find(const struct json *items, struct str who)
{
	for (const struct json *item = NULL; json_each(items, &item);)
		if (str_eq(json_text_of(item, "id"), who) ||
			str_eq(json_text_of(item, "name"), who))
			return item;
	return NULL;
}

int resource_unknown(struct cli *cli, const char *what, struct str who)
{
	struct fault why = { 0 };

	fail(&why, ERR_NOT_FOUND, "no %s %.*s", what, STR_ARGS(str_first(who, 100)));
	return cli_fail(cli, &why);
}

static const struct json *resource_items(struct cli *cli, const struct resource *of)
{
	struct json *all = ARENA_NEW(&cli->arena, struct json);

	if (!all) cli_fail_end(cli, &(struct fault){ .err = ERR_MEMORY });
	if (of->list != LIST_ALL)
		return json_get(cli_call_get(cli, str_of(of->path)), "items");
	*all = cli_call_all(cli, str_of(of->path));
	return all;
}

const struct json *resource_pick(
	struct cli *cli, const struct resource *of, const char *what, struct str who)
{
	const struct json *all = resource_items(cli, of);
	const struct json *one = resource_find(all, who);

	if (!one && id_start_is(who, NULL))
		one = resource_find(all, id_start_among(cli, all, who));
	if (!one) cli_end(cli, resource_unknown(cli, what, who));
	return one;
}

struct str resource_path(
	struct cli *cli, const struct resource *of, struct str id, const char *tail)
{
	return path_with(cli, arena_print(&cli->arena, "%s/", of->path).at, id, tail);
}

int resource_show_at(struct cli *cli, struct str path)
{
	const struct json *reply = cli_call_get(cli, path);

	if (!as_json(cli)) facts_print(cli, reply);
	return reply_done(cli, reply);
}

struct str resource_id(struct cli *cli)
{
	const struct resource *of = cli->command->of;

	struct str who = cli_word(cli, 0);

	if (of->find) return of->find(cli, who);
	if (!id_start_is(who, NULL)) return who;
	return id_start_among(cli, resource_items(cli, of), who);
}

int resource_show(struct cli *cli)
{
	return resource_show_at(
		cli, resource_path(cli, cli->command->of, cli_word(cli, 0), ""));
}

int resource_test(struct cli *cli)
{
	struct str path = resource_path(cli, cli->command->of, cli_word(cli, 0), "/test");

	return resource_checks(cli,
		cli_call(cli, "POST", path, BODY(cli, { "model", cli_word(cli, 1) })));
}

int resource_delete(struct cli *cli, const struct resource *of, struct str id)
{
	cli_call(cli, "DELETE", resource_path(cli, of, id, ""), STR_NONE);
	if (of->removed || cli->term.err_tty)
		SAY(of->removed ? of->removed : "cli.removed", { "id", id },
			{ "name", cli_word(cli, 0) });
	return reply_done(cli, NULL);
}

int resource_remove(struct cli *cli)
{
	return resource_delete(cli, cli->command->of, resource_id(cli));
}

/* ---- files ---- */

bool file_whole(struct cli *cli, struct str path, struct str *out, struct fault *why)
{
	errno = 0;
	text_file_read(path.at, false, &cli->arena, out, NULL);
	if (out->at) return true;
	fail(why, ERR_INVALID, "%.*s: %s", STR_ARGS(path),
		errno ? strerror(errno) : "too long");
	return false;
}

struct str resource_file(struct cli *cli, struct str path)
{
	struct str text = STR_NONE;
	struct fault why = { 0 };

	if (!file_whole(cli, path, &text, &why))
		cli_end(cli, cli_usage(cli, str_of(why.detail)));
	return text;
}
