/* The table of round trips in docs/DIALECTS.md: made here, from tests/dialects, and not
 * older than the code. `dialect-table --write` renews it. */
#include "talk.h"

#include <stdio.h>

static const char first_line[] = "<!-- made by tests/unit/dialect/table.c -->\n";
static const char last_line[] = "<!-- end of what is made -->\n";

/* JSON in a cell of a table. */
static void cell(struct buf *out, struct str json)
{
	buf_add_text(out, " `");
	for (size_t i = 0; i < json.len; i++) {
		if (json.at[i] == '|') buf_add_char(out, '\\');
		buf_add_char(out, json.at[i]);
	}
	buf_add_text(out, "` |");
}

static void reply_cell(struct buf *out, const struct dialect *d,
	const struct json *example, const char *how)
{
	struct talk t = talk_open_json(d, json_get(example, "request"), false);

	if (strcmp(how, "answer") == 0)
		talk_answer(&t, kit_json(kit_print("{'answers':%s}",
					kit_compact(json_get(example, "answers")))));
	else
		talk_settle(&t, how);
	cell(out, talk_reply(&t));
}

static void row(struct buf *out, const struct dialect *d, const struct json *example)
{
	struct talk t = talk_open_json(d, json_get(example, "request"), false);

	buf_print(out, "\n### `%s`\n\n| | |\n|---|---|\n| request |", d->name);
	cell(out, str_of(kit_compact(json_get(example, "request"))));
	buf_add_text(out, "\n| the ask |");
	cell(out, str_of(kit_compact(t.in.body)));
	buf_add_text(out, "\n| an answer |");
	cell(out, str_of(kit_compact(json_get(example, "answers"))));
	buf_add_text(out, "\n| its reply |");
	reply_cell(out, d, example, "answer");
	buf_add_text(out, "\n| skipped |");
	reply_cell(out, d, example, "skip");
	buf_add_text(out, "\n| no answer in time |");
	reply_cell(out, d, example, "expire");
	if (json_is(json_get(example, "default"), JSON_TRUE)) {
		buf_add_text(out, "\n| the default, in time |");
		reply_cell(out, d, example, "default");
	}
	buf_add_text(out, "\n| withdrawn |");
	reply_cell(out, d, example, "cancel");
	buf_add_char(out, '\n');
}

static struct str table_make(void)
{
	const struct json *all = talk_examples();
	struct buf out = { 0 };

	buf_add_text(&out, first_line);
	for (size_t i = 0; dialects[i]; i++) {
		const struct json *example = json_get(all, dialects[i]->name);

		if (!example) fail_msg("no example of %s", dialects[i]->name);
		row(&out, dialects[i], example);
	}
	struct str text = arena_str(&kit, buf_str(&out));
	buf_done(&out);
	return text;
}

static void the_table_is_not_stale(void **state)
{
	struct str page = talk_file(&kit, DIALECTS_PAGE), made = table_make();

	(void)state;
	if (str_find(page, made) < 0)
		fail_msg("docs/DIALECTS.md is stale: run dialect-table --write");
}

static void table_write(void **state)
{
	struct str page = talk_file(&kit, DIALECTS_PAGE), made = table_make();
	int start = str_find(page, str_of(first_line)),
	    end = str_find(page, str_of(last_line));
	FILE *file;

	(void)state;
	assert_true(start >= 0 && end > start);
	file = fopen(DIALECTS_PAGE, "w");
	assert_non_null(file);
	fprintf(file, "%.*s%.*s%.*s", STR_ARGS(str_first(page, (size_t)start)),
		STR_ARGS(made), STR_ARGS(str_from(page, (size_t)end)));
	assert_int_equal(fclose(file), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest check[] = { KIT_TEST(the_table_is_not_stale) };
	const struct CMUnitTest write[] = { KIT_TEST(table_write) };

	if (argc > 1 && strcmp(argv[1], "--write") == 0)
		return cmocka_run_group_tests(write, NULL, NULL);
	return cmocka_run_group_tests(check, NULL, NULL);
}
