/* Let the n-th allocation fail, for every n: nothing crashes, nothing is half done. */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/card.h"
#include "cli/help.h"
#include "cli/outcome.h"
#include "cli/templates/templates.h"
#include "cli/value.h"

#include "unit.h"

static const char ASK[] =
	"{\"id\":\"ask_1\",\"status\":\"answered\",\"kind\":\"approval\",\"title\":\"T\","
	"\"agent\":{\"name\":\"a\"},\"created_at\":\"2026-11-15T08:00:00.000Z\","
	"\"context\":{\"text\":\"one two\",\"diff\":\"-a\\n+b\"},"
	"\"questions\":[{\"key\":\"q1\",\"text\":\"Where?\",\"type\":\"choice\","
	"\"options\":[{\"id\":\"a\",\"label\":\"A\",\"description\":\"d\"}],\"other\":"
	"true}],"
	"\"operation\":{\"name\":\"sh\",\"arguments\":{\"argv\":[\"a\"]},\"risk\":"
	"\"high\"},"
	"\"answer\":{\"q1\":{\"selected\":[\"a\"],\"text\":\"note\"}},"
	"\"answered_by\":{\"kind\":\"human\",\"name\":\"Ada\",\"via\":\"web\"},"
	"\"replies\":[{\"by\":{\"name\":\"Ada\"},\"text\":\"why?\"}]}";

static struct cli cli;

/* Runs `deed` once for every allocation it makes, which then fails, with all after it. Of thousands
 * (under AddressSanitizer an arena makes one of each thing in it) a quick run leaves out some. */
static void for_every_failure(void (*deed)(void))
{
	for (uint64_t n = 1;; n += getenv("PARLEY_LONG") ? 1 : 1 + n / 24) {
		mem_fail_at(n, 1);
		deed();
		bool through = mem_count() < n;
		mem_fail_at(0, 0);
		arena_done(&cli.arena);
		if (through) return;
	}
}

static void flags_and_settings(void)
{
	static char *argv[] = { "--ask-rate", "5", "--data", "here", "word" };
	unsigned groups = SETTINGS_ALL | SETTINGS_SERVE | SETTINGS_CLIENT;
	const struct flag *table = settings_flags(groups, &cli.arena);
	const struct flag *tables[] = { table, NULL };
	struct fault why = { 0 };
	struct args args;
	struct settings s = { 0 };

	if (!table) return;
	if (args_read(5, argv, tables, false, &cli.arena, &args, &why) != OK) return;
	if (settings_read(&args, groups, &cli.arena, &s, &why) == OK)
		CHECK(s.ask_rate == 5 && s.data.len > 0 && s.store.len > 0);
	else
		CHECK(s.ask_rate == 0);
}

static void a_wrong_option(void)
{
	static char *argv[] = { "--tokn=x" };
	const struct flag *table = settings_flags(SETTINGS_CLIENT, &cli.arena);
	const struct flag *tables[] = { table, NULL };
	struct fault why = { 0 };
	struct args args;

	if (table)
		CHECK(args_read(1, argv, tables, false, &cli.arena, &args, &why) != OK);
}

static void everything_told_of_an_ask(void)
{
	struct buf out = { 0 };
	const struct json *ask;
	struct fault why = { 0 };

	if (json_read(str_of(ASK), NULL, &cli.arena, &ask, &why) == OK) {
		card_write(&cli, ask, NULL, NULL, &out);
		outcome_write(ask, &out);
		outcome_story(ask, &cli.arena);
		CHECK_INT(outcome_exit(ask), EXIT_YES);
	}
	buf_done(&out);
}

static void an_answer(void)
{
	struct option options[] = { { STR("a"), STR("Ä") }, { STR("b"), STR("B") } };
	struct question q = { .key = STR("q1"),
		.type = Q_CHOICES,
		.options = options,
		.options_len = 2,
		.other = true };
	struct str words[] = { STR("ä"), STR("b, a"), STR("else") };
	struct spoken said = { .words = words, .len = 3, .note = STR("n") };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct fault why = { 0 };

	value_write(&q, &said, &cli.arena, &w, &why);
	buf_done(&out);
}

static void the_overview(void)
{
	struct buf out = { 0 };

	help_fill(&cli, NULL, template_man_overview, &out);
	buf_done(&out);
}

static void the_page_of_settings(void)
{
	struct buf out = { 0 };

	help_fill(&cli, NULL, template_man_settings, &out);
	buf_done(&out);
}

static void the_page_of_a_verb(void)
{
	struct buf out = { 0 };

	help_fill(&cli, command_find(&cli, STR("ask")), template_man_verb, &out);
	buf_done(&out);
}

static void a_completion(void)
{
	struct buf out = { 0 };

	completion_write(&cli, STR("bash"), &out);
	buf_done(&out);
}

#define DEED(name)                                                                       \
	static void name##_survives(void **state)                                        \
	{                                                                                \
		(void)state;                                                             \
		for_every_failure(name);                                                 \
	}
DEED(flags_and_settings)
DEED(a_wrong_option)
DEED(everything_told_of_an_ask)
DEED(an_answer)
DEED(the_overview)
DEED(the_page_of_settings)
DEED(the_page_of_a_verb)
DEED(a_completion)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(flags_and_settings_survives),
		TEST(a_wrong_option_survives),
		TEST(everything_told_of_an_ask_survives),
		TEST(an_answer_survives),
		TEST(the_overview_survives),
		TEST(the_page_of_settings_survives),
		TEST(the_page_of_a_verb_survives),
		TEST(a_completion_survives),
	};

	setenv("PARLEY_CONFIG", "/dev/null", 1);
	return RUN(tests);
}
