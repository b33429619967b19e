/* The texts: every one in every language, and every one that the tables want. */
#include <stdio.h>

#include "cli/help.h"
#include "cli/templates/templates.h"
#include "core/ask/question.h"

#include "unit.h"

static struct cli cli;

static int clean(void **state)
{
	(void)state;
	msg_lang_set(LANG_EN);
	arena_done(&cli.arena);
	return 0;
}

static void every_text_is_there_in_every_language(void **state)
{
	(void)state;
	CHECK(messages_len > 100);
	for (size_t i = 0; i < messages_len; i++)
		for (int lang = 0; lang < LANGS; lang++)
			if (!messages[i].text[lang] || !*messages[i].text[lang])
				fail_msg("%s is missing in language %d", messages[i].id,
					lang);
}

static void the_table_is_sorted_for_searching(void **state)
{
	(void)state;
	for (size_t i = 1; i < messages_len; i++)
		CHECK(strcmp(messages[i - 1].id, messages[i].id) < 0);
}

static void every_verb_and_flag_has_its_help(void **state)
{
	const struct command *c;
	const struct flag *f;
	bool own;

	(void)state;
	for (size_t i = 0; (c = command_at(&cli, i)); i++) {
		if (!*help_summary(&cli, c)) fail_msg("%s has no help", c->name);
		for (size_t n = 0; (f = help_flag_at(&cli, c, n, &own)); n++)
			if (!*help_flag(&cli, c, f))
				fail_msg("%s --%s has no help", c->name, f->name);
		struct str rest = str_of(c->exits), status;
		while (str_cut(&rest, ' ', &status))
			if (!*help_exit(&cli, c, status))
				fail_msg("%s: exit status %.*s", c->name,
					STR_ARGS(status));
	}
}

static void every_setting_has_its_help(void **state)
{
	struct setting_info s;

	(void)state;
	for (size_t i = 0; setting_info(i, &s); i++) {
		struct str id = arena_print(&cli.arena, "setting.%s", s.name);

		if (!msg_text(id.at)) fail_msg("%s has no help", s.name);
		CHECK(!str_starts(setting_accepts(i, &cli.arena), "setting."));
	}
}

static void every_question_type_has_its_words(void **state)
{
	(void)state;
	for (enum question_type type = 0; type < QUESTION_TYPES; type++) {
		struct str id =
			arena_print(&cli.arena, "cli.type.%s", question_type_name(type));

		if (!msg_text_in(id.at, LANG_FR)) fail_msg("%s is missing", id.at);
	}
}

static void placeholders_are_filled_and_made_safe(void **state)
{
	(void)state;
	CHECK_STR(MSG(&cli.arena, "cli.interrupted", { "id", STR("ask_\033[0m") }),
		"The question stays open. To keep waiting: parley wait ask_^[[0m");
	CHECK_STR(MSG(&cli.arena, "{a} {b} {", { "a", STR("{b}") }), "{b} {b} {");
	msg_lang_set(LANG_FR);
	CHECK_STR(MSG(&cli.arena, "cli.back"), "Le serveur est de retour.");
}

static void an_unknown_text_is_its_own_id(void **state)
{
	(void)state;
	CHECK(msg_text("no.such") == NULL);
	CHECK_STR(MSG(&cli.arena, "no.such"), "no.such");
}

static void pages_and_completions_are_written_for_all(void **state)
{
	static const char *const shells[] = { "bash", "zsh", "fish" };
	const struct command *c;
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; (c = command_at(&cli, i)); i++)
		help_fill(&cli, c, template_man_verb, &out);
	help_fill(&cli, NULL, template_man_overview, &out);
	help_fill(&cli, NULL, template_man_settings, &out);
	for (size_t i = 0; i < 3; i++)
		CHECK(completion_write(&cli, str_of(shells[i]), &out));
	CHECK(!completion_write(&cli, STR("tcsh"), &out));
	CHECK(!out.failed && out.len > 10000);
	buf_done(&out);
}

#define CASE(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_text_is_there_in_every_language),
		CASE(the_table_is_sorted_for_searching),
		CASE(every_verb_and_flag_has_its_help),
		CASE(every_setting_has_its_help),
		CASE(every_question_type_has_its_words),
		CASE(placeholders_are_filled_and_made_safe),
		CASE(an_unknown_text_is_its_own_id),
		CASE(pages_and_completions_are_written_for_all),
	};

	return RUN(tests);
}
