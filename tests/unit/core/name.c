/* Names: which may be had, and which look alike. */
#include "kit.h"

#include "core/shared/name.h"

static void some_names_cannot_be_had(void **state)
{
	static const struct {
		const char *name, *flaw;
	} table[] = {
		{ "Olga", NULL },
		{ "Ольга", NULL },
		{ "علی\u200cرضا",
			NULL }, /* with what joins no letters, as Persian is written */
		{ "O’Brien, J. (ops) 2", NULL },
		{ "👩\u200d🔧", NULL },
		{ "a\tb", "one line" },
		{ "a\xc2\x85"
		  "b",
			"one line" },
		{ "a\u2028b", "one line" },
		{ "\u202eagol", "direction" },
		{ "olga\u2069", "direction" },
		{ "olga\u200f", "direction" },
		{ "\u200b", "seen" },
		{ "\u3164", "seen" },
		{ "\u2800 \u00a0", "seen" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const char *flaw = name_flaw(str_of(table[i].name));

		if (!flaw != !table[i].flaw || (flaw && !strstr(flaw, table[i].flaw)))
			fail_msg("%s: %s", table[i].name, flaw ? flaw : "fine");
	}
}

static void names_that_look_alike_are_compared_as_one(void **state)
{
	static const struct {
		const char *one, *other;
		bool alike;
	} table[] = {
		{ "olga", "OLGA", true },
		{ "olga", "olga\u200b", true },
		{ "olga", "o\u00adlga", true },
		{ "olga", "olga\u2060\u00a0", true },
		{ "olga b", "olga \u2003 b", true },
		{ "olga", "оlga", true }, /* Cyrillic о */
		{ "olga", "olgа", true }, /* Cyrillic а */
		{ "TOM", "ТОМ", true },	  /* all Cyrillic */
		{ "Kate", "Κatе", true }, /* Greek Κ, Cyrillic е */
		{ "olga", "ｏｌｇａ", true },
		{ "Ölga", "O\u0308lga", true },
		{ "olga", "olga\ufe0f\u034f\u3164", true },
		{ "olga", "Ölga", false },
		{ "olga", "olga2", false },
		{ "olga b", "olgab", false },
		{ "Ольга", "Олег", false },
		{ "Ian", "Lan", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct buf one = { 0 }, other = { 0 };
		bool alike;

		name_likeness(&one, str_of(table[i].one));
		name_likeness(&other, str_of(table[i].other));
		alike = str_eq(buf_str(&one), buf_str(&other));
		if (alike != table[i].alike)
			fail_msg("%s %s: %s", table[i].one, table[i].other,
				buf_text(&other));
		buf_done(&one);
		buf_done(&other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_names_cannot_be_had),
		cmocka_unit_test(names_that_look_alike_are_compared_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
