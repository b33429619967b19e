#include "cli/flags.h"

#include "unit.h"

static const struct flag own[] = {
	{ .name = "choice", .letter = 'c', .value = "LABEL", .many = true },
	{ .name = "multi", .letter = 'm' },
	{ .name = "timeout", .value = "TIME" },
	{ 0 },
};
static const struct flag shared[] = {
	{ .name = "ask-rate", .value = "N" },
	{ .name = "plain", .may_lack = true },
	{ 0 },
};
static const struct flag *const tables[] = { own, shared, NULL };

static struct arena arena;
static struct args args;
static struct fault why;

static enum err take(bool stop, int argc, const char *const *argv)
{
	arena_done(&arena);
	why = (struct fault){ 0 };
	return args_read(argc, (char **)(void *)argv, tables, stop, &arena, &args, &why);
}

#define READ(...)                                                                        \
	take(false, (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)),     \
		(const char *[]){ __VA_ARGS__ })
#define READ_STOP(...)                                                                   \
	take(true, (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)),      \
		(const char *[]){ __VA_ARGS__ })

static void a_value_stands_behind_a_blank_or_an_equals_sign(void **state)
{
	(void)state;
	CHECK_INT(READ("--timeout", "30m", "--ask-rate=5"), OK);
	CHECK_STR(args_get(&args, "timeout"), "30m");
	CHECK_STR(args_get(&args, "ask-rate"), "5");
	CHECK_INT(READ("--timeout="), OK);
	CHECK(args_have(&args, "timeout"));
	CHECK_STR(args_get(&args, "timeout"), "");
}

static void an_underscore_is_taken_for_a_dash(void **state)
{
	(void)state;
	CHECK_INT(READ("--ask_rate", "5"), OK);
	CHECK_STR(args_get(&args, "ask-rate"), "5");
}

static void letters_can_stand_together(void **state)
{
	(void)state;
	CHECK_INT(READ("-mca:A", "-c", "b:B", "-mm"), OK);
	CHECK(args_have(&args, "multi"));
	CHECK_STR(args_get(&args, "choice"), "b:B");
}

static void repeated_options_are_all_kept_in_order(void **state)
{
	struct str value;
	size_t i = 0;

	(void)state;
	CHECK_INT(READ("-c", "a", "word", "--choice", "b", "-cc"), OK);
	CHECK(args_next(&args, "choice", &i, &value));
	CHECK_STR(value, "a");
	CHECK(args_next(&args, "choice", &i, &value));
	CHECK_STR(value, "b");
	CHECK(args_next(&args, "choice", &i, &value));
	CHECK_STR(value, "c");
	CHECK(!args_next(&args, "choice", &i, &value));
	CHECK_INT(args.words_len, 1);
}

static void the_last_of_two_counts(void **state)
{
	(void)state;
	CHECK_INT(READ("--timeout", "1", "--timeout", "2"), OK);
	CHECK_STR(args_get(&args, "timeout"), "2");
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	CHECK_INT(READ("--multi", "--", "--timeout", "-c"), OK);
	CHECK_INT(args.words_len, 2);
	CHECK_STR(args_word(&args, 0), "--timeout");
	CHECK_STR(args_word(&args, 1), "-c");
	CHECK(args_word(&args, 2).at == NULL);
}

static void a_command_line_keeps_its_own_options(void **state)
{
	(void)state;
	CHECK_INT(READ_STOP("--multi", "make", "-j4", "--multi", "--"), OK);
	CHECK_INT(args.words_len, 4);
	CHECK_STR(args_word(&args, 3), "--");
	CHECK(args.words[4] == NULL);
}

static void a_dash_and_a_negative_number_are_words(void **state)
{
	(void)state;
	CHECK_INT(READ("-", "-5", "-.5", ""), OK);
	CHECK_INT(args.words_len, 4);
	CHECK(args_word(&args, 3).at != NULL);
}

static void a_negative_number_can_be_a_value(void **state)
{
	(void)state;
	CHECK_INT(READ("--ask-rate", "-1"), OK);
	CHECK_STR(args_get(&args, "ask-rate"), "-1");
}

static void a_switch_takes_no_value_unless_it_may(void **state)
{
	(void)state;
	CHECK_INT(READ("--multi=yes"), ERR_INVALID);
	CHECK_INT(READ("--plain"), OK);
	CHECK_STR(args_get(&args, "plain"), "yes");
	CHECK_INT(READ("--plain=no"), OK);
	CHECK_STR(args_get(&args, "plain"), "no");
}

static void a_missing_value_is_told(void **state)
{
	(void)state;
	CHECK_INT(READ("--timeout"), ERR_INVALID);
	CHECK(strstr(why.detail, "--timeout") && strstr(why.detail, "TIME"));
	CHECK_INT(READ("-c"), ERR_INVALID);
}

static void an_unknown_option_comes_with_a_suggestion(void **state)
{
	(void)state;
	CHECK_INT(READ("--tiemout", "5"), ERR_INVALID);
	CHECK(strstr(why.detail, "--tiemout") && strstr(why.detail, "--timeout"));
	CHECK_INT(READ("--frobnicate"), ERR_INVALID);
	CHECK(strstr(why.detail, "--frobnicate"));
	CHECK(!strstr(why.detail, "--ask-rate"));
	CHECK_INT(READ("-x"), ERR_INVALID);
}

static void hostile_words_are_made_harmless_in_complaints(void **state)
{
	(void)state;
	CHECK_INT(READ("--\033[2J"), ERR_INVALID);
	CHECK(!strchr(why.detail, '\033'));
}

static void distance_counts_single_edits(void **state)
{
	(void)state;
	CHECK_INT(edit_distance(STR("ask"), STR("ask")), 0);
	CHECK_INT(edit_distance(STR("aks"), STR("ask")), 1);
	CHECK_INT(edit_distance(STR("as"), STR("ask")), 1);
	CHECK_INT(edit_distance(STR(""), STR("ask")), 3);
	CHECK_INT(edit_distance(STR("kitten"), STR("sitting")), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_value_stands_behind_a_blank_or_an_equals_sign),
		TEST(an_underscore_is_taken_for_a_dash),
		TEST(letters_can_stand_together),
		TEST(repeated_options_are_all_kept_in_order),
		TEST(the_last_of_two_counts),
		TEST(two_dashes_end_the_options),
		TEST(a_command_line_keeps_its_own_options),
		TEST(a_dash_and_a_negative_number_are_words),
		TEST(a_negative_number_can_be_a_value),
		TEST(a_switch_takes_no_value_unless_it_may),
		TEST(a_missing_value_is_told),
		TEST(an_unknown_option_comes_with_a_suggestion),
		TEST(hostile_words_are_made_harmless_in_complaints),
		TEST(distance_counts_single_edits),
	};
	int failed = RUN(tests);

	arena_done(&arena);
	return failed;
}
