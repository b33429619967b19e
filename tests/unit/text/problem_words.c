/* problem_words.c - problems in the reader's language, and what is left as it is. */
#include "text/problem_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void says(const char *english, const char *french)
{
	struct arena arena = { 0 };
	struct str words = problem_words(str_of(english), LANG_FR, &arena);
	char got[512];

	snprintf(got, sizeof got, "%.*s", STR_ARGS(words));
	assert_string_equal(got, french);
	assert_ptr_equal(problem_words(str_of(english), LANG_EN, &arena).at, english);
	arena_done(&arena);
}

static void a_sentence_of_the_catalogue_is_translated_with_its_values(void **state)
{
	(void)state;
	says("ann is the only owner: make somebody else an owner first",
		"ann est le seul propriétaire : nommez d’abord un autre propriétaire");
	says("no ask ask_1", "aucune demande ask_1");
	says("ask ask_1 is already expired",
		"la demande ask_1 est déjà traitée (expirée)");
	says("the role viewer may not do this",
		"le rôle lecteur ne permet pas cette action");
	says("must be a whole number from -1 to 9",
		"un nombre entier de -1 à 9 est attendu");
}

static void anything_else_stays_as_it_is(void **state)
{
	(void)state;
	says("", "");
	says("no ask ", "no ask ");
	says("{", "{");
	says("store: disk I/O error", "store: disk I/O error");
	says("this is the last owner!", "this is the last owner!");
}

static void a_value_may_hold_what_stands_around_it(void **state)
{
	(void)state;
	says("no ask {id}", "aucune demande {id}");
	says("ask a is already b is already skipped",
		"la demande a est déjà traitée (b is already skipped)");
}

static void the_first_language_of_ours_counts(void **state)
{
	(void)state;
	assert_int_equal(problem_lang(STR("fr-FR,fr;q=0.9,en;q=0.8")), LANG_FR);
	assert_int_equal(problem_lang(STR("de, FR;q=0.5")), LANG_FR);
	assert_int_equal(problem_lang(STR("en,fr")), LANG_EN);
	assert_int_equal(problem_lang(STR("*")), LANG_EN);
	assert_int_equal(problem_lang(STR("")), LANG_EN);
	assert_int_equal(problem_lang(STR(",,f,")), LANG_EN);
}

static void a_fault_is_translated_whole(void **state)
{
	struct fault why = { 0 };

	(void)state;
	fail_at(&why, "/password", "at least 8 characters");
	fail_at(&why, "/name", "required");
	problem_translate(&why, LANG_FR);
	assert_string_equal(why.detail, "au moins 8 caractères");
	assert_string_equal(why.items[0].detail, "au moins 8 caractères");
	assert_string_equal(why.items[1].detail, "obligatoire");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_sentence_of_the_catalogue_is_translated_with_its_values),
		cmocka_unit_test(anything_else_stays_as_it_is),
		cmocka_unit_test(a_value_may_hold_what_stands_around_it),
		cmocka_unit_test(the_first_language_of_ours_counts),
		cmocka_unit_test(a_fault_is_translated_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
