/* The table of agents: what it gives is what its programs read, and docs/AGENTS.md says the
 * same. `cli-agents --write` renews that page. */
#include "cli/connect/agents.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char first_line[] = "<!-- made by tests/unit/cli/agents.c -->\n";
static const char last_line[] = "<!-- end of what is made -->\n";

static struct arena arena;

static int clean(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static const struct agent_entry plain = { .program = STR("/usr/bin/parley") };

/* ---- the page ---- */

static void path_write(struct buf *out, const struct agent_file *f, bool project)
{
	if (project)
		buf_print(out, "`%s`", f->project);
	else
		buf_print(out, "`~/%s%s%s`", f->folder, *f->folder ? "/" : "", f->name);
}

static void paths_write(struct buf *out, const struct agent_change *list, bool project)
{
	const struct agent_file *seen = NULL;
	bool any = false;

	for (size_t i = 0; i < AGENT_CHANGES && list[i].file; i++) {
		if (list[i].file == seen || (project && !list[i].file->project)) continue;
		if (any) buf_add_text(out, ", ");
		path_write(out, list[i].file, project);
		seen = list[i].file;
		any = true;
	}
	if (!any) buf_add_text(out, "–");
}

static void table_write(struct buf *out)
{
	buf_add_text(out, "| agent | command | the user's files | a project's files "
			  "(`--project`) | approval hook (`--hook`) | without a "
			  "terminal |\n"
			  "|---|---|---|---|---|---|\n");
	for (const struct agent *a = agents; a->name; a++) {
		buf_print(out, "| %s | `parley connect %s` | ", a->title, a->name);
		paths_write(out, a->changes, false);
		buf_add_text(out, " | ");
		paths_write(out, a->changes, true);
		buf_add_text(out, " | ");
		paths_write(out, a->hooks, false);
		if (a->run)
			buf_print(out, " | `%s` |\n", a->run);
		else
			buf_add_text(out, " | – |\n");
	}
}

/* What a fresh file looks like. */
static void fresh_write(struct buf *out, const struct agent *a,
	const struct agent_change *list, const struct agent_file *file)
{
	struct fault why = { 0 };
	struct str text = STR_NONE;

	for (size_t i = 0; i < AGENT_CHANGES && list[i].file; i++) {
		struct config_change c = { list[i].path,
			agent_value(a, &list[i], &plain, &arena), list[i].item,
			list[i].known, STR_NONE };

		if (list[i].file != file || list[i].trusts) continue;
		CHECK_INT(config_edit(file->format, text, &c, false, &arena, &text, &why),
			OK);
	}
	if (!text.at) return;
	buf_add_text(out, "\n");
	path_write(out, file, false);
	buf_print(out, ":\n\n```%s\n%.*s```\n",
		file->format == CONFIG_TOML   ? "toml"
		: file->format == CONFIG_YAML ? "yaml"
					      : "json",
		STR_ARGS(text));
}

static void list_write(
	struct buf *out, const struct agent *a, const struct agent_change *list)
{
	const struct agent_file *seen = NULL;

	for (size_t i = 0; i < AGENT_CHANGES && list[i].file; i++) {
		if (list[i].file == seen) continue;
		seen = list[i].file;
		fresh_write(out, a, list, seen);
	}
}

/* Agents that want to be asked once about a project's files, each with how. */
static void accepts_write(struct buf *out)
{
	bool any = false;

	buf_add_text(out, "\nSome ignore a project's files until you run them there once "
			  "and accept: ");
	for (const struct agent *a = agents; a->name; a++)
		if (a->approve) {
			buf_print(out, "%s`%s`", any ? ", " : "", a->approve);
			any = true;
		}
	buf_add_text(out, ".\n");
}

static struct str page_make(void)
{
	const struct agent *example = &agents[0];
	struct buf out = { 0 };
	struct str kept;

	buf_add_text(&out, first_line);
	table_write(&out);
	accepts_write(&out);
	buf_print(&out,
		"\nFor example, what `parley connect %s --hook` writes into new files "
		"(the others get the same in their own format; `--dry-run` shows it):\n",
		example->name);
	list_write(&out, example, example->changes);
	buf_add_text(&out, "\nAnd for the hook:\n");
	list_write(&out, example, example->hooks);
	buf_add_text(&out, last_line);
	CHECK(!out.failed);
	kept = arena_str(&arena, buf_str(&out));
	buf_done(&out);
	return kept;
}

static struct str page_read(const char *path)
{
	struct buf b = { 0 };
	FILE *f = fopen(path, "r");
	char bytes[4096];
	size_t n;
	struct str kept;

	CHECK(f);
	while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
		buf_add(&b, str_make(bytes, n));
	fclose(f);
	kept = arena_str(&arena, buf_str(&b));
	buf_done(&b);
	return kept;
}

static void the_page_says_what_the_table_says(void **state)
{
	struct str page = page_read(AGENTS_PAGE);

	(void)state;
	if (str_find(page, page_make()) < 0)
		fail_msg(
			"docs/AGENTS.md is older than src/cli/connect/agents.c; renew it with "
			"cli-agents --write");
}

static int page_write(void)
{
	struct str page = page_read(AGENTS_PAGE), made = page_make();
	int from = str_find(page, str_of(first_line));
	int to = str_find(page, str_of(last_line));
	FILE *f;

	if (from < 0 || to < from || !(f = fopen(AGENTS_PAGE, "w"))) return 1;
	fwrite(page.at, 1, (size_t)from, f);
	fwrite(made.at, 1, made.len, f);
	page = str_from(page, (size_t)to + strlen(last_line));
	if (page.len) fwrite(page.at, 1, page.len, f);
	return fclose(f) == 0 ? 0 : 1;
}

/* ---- the table ---- */

static void values_are_json_for_every_agent_and_entry(void **state)
{
	const struct agent_entry entries[] = { plain,
		{ .program = STR("/opt/a \"b\"/it's/parley"),
			.url = STR("https://p.example/'x'"),
			.token = true },
		{ .program = STR("/p"), .data = STR("/var/lib/par ley") } };

	(void)state;
	for (const struct agent *a = agents; a->name; a++)
		for (size_t e = 0; e < 3; e++)
			for (size_t i = 0; i < 2 * AGENT_CHANGES; i++) {
				const struct agent_change *c =
					i < AGENT_CHANGES ? &a->changes[i]
							  : &a->hooks[i - AGENT_CHANGES];
				const struct json *json;

				if (!c->file) continue;
				CHECK_INT(
					json_read(agent_value(a, c, &entries[e], &arena),
						NULL, &arena, &json, NULL),
					OK);
			}
}

static void a_name_finds_its_agent(void **state)
{
	struct buf names = { 0 };

	(void)state;
	for (const struct agent *a = agents; a->name; a++)
		CHECK(agent_find(str_of(a->name)) == a);
	CHECK(!agent_find(STR("emacs")));
	agents_write(&names, false);
	CHECK_STR(buf_str(&names),
		"claude, codex, gemini, opencode, copilot, qwen, cline, continue, kilo, "
		"droid, cursor, vscode");
	buf_done(&names);
}

static struct str file_of(const struct agent *a, const char *url)
{
	const struct agent_entry entry = { .program = STR("/opt/a \"b\"/parley"),
		.url = str_of(url) };
	struct str out = STR_NONE;

	CHECK_INT(agent_file_write(a, &entry, &arena, &out, NULL), OK);
	return out;
}

static void every_client_gets_a_whole_file(void **state)
{
	struct buf names = { 0 };
	const struct json *json;

	(void)state;
	for (const struct agent *a = agents; a->name; a++) {
		struct str local = file_of(a, NULL), remote;

		CHECK(str_find(local, STR("/opt/a \\\"b\\\"/parley")) > 0);
		if (!a->remote.file) continue;
		remote = file_of(a, "https://p.org/");
		CHECK(str_find(remote, STR("\"https://p.org/mcp\"")) > 0);
		CHECK(str_find(remote, STR("PARLEY_TOKEN")) > 0);
		if (a->changes[0].file->format != CONFIG_JSON) continue;
		CHECK_INT(json_read(local, NULL, &arena, &json, NULL), OK);
		CHECK_INT(json_read(remote, NULL, &arena, &json, NULL), OK);
	}
	CHECK_STR(file_of(agent_find(STR("codex")), "https://p.org"),
		"[mcp_servers.parley]\n"
		"url = \"https://p.org/mcp\"\n"
		"bearer_token_env_var = \"PARLEY_TOKEN\"\n"
		"tool_timeout_sec = 600\n");
	agents_write(&names, true);
	CHECK_STR(buf_str(&names), "claude, codex, gemini, opencode, cursor, vscode");
	buf_done(&names);
}

static void files_are_where_the_environment_says(void **state)
{
	const struct agent_file *f = agent_find(STR("codex"))->changes[0].file;

	(void)state;
	setenv("HOME", "/home/ada", 1);
	unsetenv("CODEX_HOME");
	CHECK_STR(str_of(agent_path(f, SCOPE_USER, &arena)),
		"/home/ada/.codex/config.toml");
	setenv("CODEX_HOME", "/srv/codex", 1);
	CHECK_STR(str_of(agent_path(f, SCOPE_USER, &arena)), "/srv/codex/config.toml");
	CHECK_STR(str_of(agent_path(f, SCOPE_PROJECT, &arena)), ".codex/config.toml");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_page_says_what_the_table_says, clean),
		cmocka_unit_test_teardown(
			values_are_json_for_every_agent_and_entry, clean),
		cmocka_unit_test_teardown(a_name_finds_its_agent, clean),
		cmocka_unit_test_teardown(every_client_gets_a_whole_file, clean),
		cmocka_unit_test_teardown(files_are_where_the_environment_says, clean),
	};

	if (argc > 1 && strcmp(argv[1], "--write") == 0) return page_write();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
