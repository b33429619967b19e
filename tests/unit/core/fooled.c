/* Command lines that fooled other programs' rules: fooled.txt, one a line, escaped as in JSON.
 * Lines with `a` try to be allowed beside harmless commands: not one may be. Lines with `d` try
 * to get past a deny: each is denied. */
#include "rules_kit.h"

#include <stdio.h>

static const char *const *const beside = RULES("{'effect':'allow','match':{'tool':"
					       "['Bash(git *)','Bash(npm test:*)',"
					       "'Bash(ls *)']}}",
	"{'effect':'allow','match':{'tool':['Bash(cat /srv/*)','Bash(echo *)']}}");
static const char *const *const past =
	RULES("{'effect':'allow','match':{'tool':['Bash(*)']}}",
		"{'effect':'deny','match':{'tool':['Bash(rm *)','Bash(curl *)',"
		"'Bash(git push *--force*)']}}");

static const char *unescape(struct str line)
{
	const struct json *text;
	const char *json = kit_print("\"%.*s\"", STR_ARGS(line));

	if (json_read(str_of(json), NULL, &kit, &text, NULL))
		/* U+0000 is refused with the whole request, before any rule sees it. */
		return NULL;
	return kit_text(text->text);
}

static void none_is_allowed_and_none_gets_past_a_deny(void **state)
{
	FILE *file = fopen(FOOLED_FILE, "r");
	char line[1024];
	int tried = 0, fooled = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		struct str text = str_first(str_of(line), strcspn(line, "\n"));
		const char *command, *effect;

		if (line[0] == '#') continue;
		command = unescape(str_from(text, 2));
		tried++;
		if (!command) continue;
		effect = kit_bash(line[0] == 'a' ? beside : past, command);
		if (line[0] == 'a' ? strcmp(effect, "allow") != 0
				   : strcmp(effect, "deny") == 0)
			continue;
		print_message("%s: %s\n", effect, line);
		fooled++;
	}
	fclose(file);
	print_message("%d lines\n", tried);
	assert_true(tried >= 500);
	assert_int_equal(fooled, 0);
}

/* So that the lines above are not refused merely because everything is. */
static void the_harmless_ones_are_allowed(void **state)
{
	static const char *const harmless[] = { "git status", "git log main..dev", "git",
		"git add -A && git commit -m x", "npm test", "npm test -- --watch", "ls",
		"ls -la *.c", "cat /srv/a", "cat /srv/a | ls", "echo hi",
		"git show HEAD~2", "git diff --stat; ls; npm test", "git log --format=%H",
		"ls ./...", "echo a#b" };

	(void)state;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strcmp(kit_bash(beside, harmless[i]), "allow"))
			fail_msg("%s is not allowed", harmless[i]);
	assert_string_equal(kit_bash(past, "ls rm && git push origin main"), "allow");
	assert_string_equal(kit_bash(past, "git push && npm publish --force"), "deny");
	assert_string_equal(
		kit_bash(past, "ls && git push && npm publish --force"), "allow");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(none_is_allowed_and_none_gets_past_a_deny),
		KIT_TEST(the_harmless_ones_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
