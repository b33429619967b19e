#include "cli/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char home[] = "/tmp/parley-settings-XXXXXX";
static struct arena arena;
static struct settings got;
static struct fault why;

/* A clean environment with a home of its own. */
static int setup(void **state)
{
	(void)state;
	clearenv();
	setenv("XDG_CONFIG_HOME", home, 1);
	setenv("HOME", home, 1);
	why = (struct fault){ 0 };
	return 0;
}

static const char *path(const char *name)
{
	return arena_print(&arena, "%s/%s", home, name).at;
}

static void file_write(const char *name, const char *text)
{
	mkdir(path("parley"), 0700);
	FILE *file = fopen(path(name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int teardown(void **state)
{
	(void)state;
	unlink(path("parley/parley.conf"));
	unlink(path("other.conf"));
	rmdir(path("parley"));
	arena_done(&arena);
	return 0;
}

static enum err take(int argc, const char *const *argv)
{
	unsigned groups =
		SETTINGS_ALL | SETTINGS_SERVE | SETTINGS_STORE | SETTINGS_CLIENT;
	const struct flag *tables[] = { settings_flags(groups, &arena), NULL };
	struct args args;
	enum err err = args_read(
		argc, (char **)(void *)argv, tables, false, &arena, &args, &why);

	return err == OK ? settings_read(&args, groups, &arena, &got, &why) : err;
}

#define READ(...)                                                                        \
	take((int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)),            \
		(const char *[]){ __VA_ARGS__ })

static void defaults_are_those_of_the_contract(void **state)
{
	(void)state;
	CHECK_INT(take(0, NULL), OK);
	CHECK_STR(got.listen, "127.0.0.1:7275");
	CHECK_INT(got.ask_rate, 6000);
	CHECK_INT(got.timeout_min_ms, 1000);
	CHECK(got.timeout_max_ms == (int64_t)30 * 86400 * 1000);
	CHECK_INT(got.mcp_wait_ms, 50000);
	CHECK(!got.plain && !got.log);
	CHECK_INT(got.log_level, LOG_INFO);
	CHECK_INT(got.url.len, 0);
	CHECK_STR(got.data, path(".local/state/parley"));
	CHECK_STR(got.store,
		arena_print(&arena, "sqlite:%s/.local/state/parley/parley.db", home).at);
}

static void the_data_folder_follows_the_system(void **state)
{
	(void)state;
	setenv("XDG_STATE_HOME", "/x", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_STR(got.data, "/x/parley");
	setenv("STATE_DIRECTORY", "/var/lib/parley:/other", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_STR(got.data, "/var/lib/parley");
	CHECK_INT(READ("--data", "/d"), OK);
	CHECK_STR(got.store, "sqlite:/d/parley.db");
	CHECK_INT(READ("--data", "here"), OK);
	CHECK(got.data.at[0] == '/' && str_ends(got.data, "/here"));
}

static void flags_go_before_environment_before_file(void **state)
{
	(void)state;
	file_write("parley/parley.conf", "# ours\nask_rate = 1\nlog=json\n");
	CHECK_INT(take(0, NULL), OK);
	CHECK_INT(got.ask_rate, 1);
	CHECK_INT(got.log, 1);
	setenv("PARLEY_ASK_RATE", "2", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_INT(got.ask_rate, 2);
	CHECK_INT(READ("--ask-rate", "3"), OK);
	CHECK_INT(got.ask_rate, 3);
	CHECK_INT(READ("--ask_rate=4"), OK);
	CHECK_INT(got.ask_rate, 4);
}

static void an_empty_variable_says_nothing(void **state)
{
	(void)state;
	setenv("PARLEY_ASK_RATE", "", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_INT(got.ask_rate, 6000);
}

static void config_names_another_file_which_must_be_there(void **state)
{
	(void)state;
	file_write("parley/parley.conf", "ask_rate = 1\n");
	file_write("other.conf", "timeout_max = 1h\n");
	CHECK_INT(READ("--config", path("other.conf")), OK);
	CHECK_INT(got.ask_rate, 6000);
	CHECK_INT(got.timeout_max_ms, 3600000);
	CHECK_INT(READ("--config", "/nonexistent/parley.conf"), ERR_INVALID);
	CHECK(strstr(why.detail, "/nonexistent/parley.conf"));
}

static void a_wrong_value_is_named_with_what_is_accepted(void **state)
{
	static const struct {
		const char *flag, *value, *accepted;
	} wrong[] = {
		{ "--listen", "nowhere", "HOST:PORT" },
		{ "--listen", "::1:80", "HOST:PORT" },
		{ "--listen", "host:99999", "HOST:PORT" },
		{ "--listen", "unix:relative", "unix:/" },
		{ "--url", "ftp://x", "http://" },
		{ "--url", "http://", "http://" },
		{ "--store", "oracle:x", "sqlite:" },
		{ "--ask-rate", "many", "from 0 to" },
		{ "--ask-rate", "-1", "from 0 to" },
		{ "--timeout-max", "long", "7d" },
		{ "--mcp-wait", "0", "90s" },
		{ "--log", "xml", "text, json" },
		{ "--log-level", "loud", "error, warn, info, debug" },
		{ "--plain", "perhaps", NULL },
		{ "--allowed-hosts", "a,,b", "comma" },
		{ "--color", "blue", "auto, always, never" },
		{ "--lang", "de", "auto, en, fr" },
		{ "--data", "", "path" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct str both =
			arena_print(&arena, "%s=%s", wrong[i].flag, wrong[i].value);

		why = (struct fault){ 0 };
		CHECK_INT(READ(both.at), ERR_INVALID);
		CHECK(strstr(why.detail, wrong[i].flag));
		CHECK(strstr(why.detail, wrong[i].value));
		CHECK(!wrong[i].accepted || strstr(why.detail, wrong[i].accepted));
		CHECK(!strchr(why.detail, '\n'));
	}
}

static void a_wrong_value_says_where_it_stands(void **state)
{
	(void)state;
	setenv("PARLEY_ASK_RATE", "lots", 1);
	CHECK_INT(take(0, NULL), ERR_INVALID);
	CHECK(strstr(why.detail, "PARLEY_ASK_RATE") && strstr(why.detail, "lots"));
	unsetenv("PARLEY_ASK_RATE");
	file_write("parley/parley.conf", "\n\nask_rate = lots\n");
	CHECK_INT(take(0, NULL), ERR_INVALID);
	CHECK(strstr(why.detail, "ask_rate") && strstr(why.detail, "parley.conf:3"));
}

static void a_secret_is_not_shown(void **state)
{
	(void)state;
	CHECK_INT(READ("--token", "prl_x"), OK);
	CHECK_STR(got.token, "prl_x");
	CHECK_INT(READ("--token="), ERR_INVALID);
	CHECK(strstr(why.detail, "--token is '…'"));
}

static void good_values_are_taken(void **state)
{
	(void)state;
	CHECK_INT(READ("--listen", "[::]:443", "--url", "https://desk.example.org/",
			  "--store", "postgresql://u@h/d", "--plain", "--mcp-wait", "1m",
			  "--allowed-hosts", "a.example, b.example:8080", "--color=never",
			  "--lang", "fr"),
		OK);
	CHECK_STR(got.listen, "[::]:443");
	CHECK_STR(got.url, "https://desk.example.org");
	CHECK(got.plain);
	CHECK_INT(got.mcp_wait_ms, 60000);
	CHECK_INT(got.color, COLOR_NEVER);
	CHECK_INT(got.lang, LANG_FR);
	CHECK_INT(READ("--listen", "unix:/run/parley.sock", "--plain=no"), OK);
	CHECK(!got.plain);
	CHECK_INT(READ("--listen", "127.0.0.1:0"), OK);
}

static void settings_that_contradict_each_other_are_refused(void **state)
{
	(void)state;
	CHECK_INT(READ("--timeout-min", "2h", "--timeout-max", "1h"), ERR_INVALID);
	CHECK_INT(READ("--tls-cert", "c.pem"), ERR_INVALID);
	CHECK_INT(READ("--tls-cert", "c.pem", "--tls-key", "k.pem"), OK);
}

static void odd_files_are_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *told;
	} odd[] = {
		{ "ask_rtae = 5\n",
			"parley.conf:1: unknown setting 'ask_rtae'; did you mean "
			"ask_rate?" },
		{ "#\nwholly_unknown_thing = 5\n", "parley.conf:2" },
		{ "ask_rate = 1\nask_rate = 2\n",
			"parley.conf:2: ask_rate is set twice" },
		{ "[server]\nask_rate = 1\n", "[server]" },
		{ "ask_rate = 1\nnot a pair\n", "parley.conf:2" },
		{ "config = /x\n", "'config'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		file_write("parley/parley.conf", odd[i].text);
		why = (struct fault){ 0 };
		CHECK_INT(take(0, NULL), ERR_INVALID);
		if (!strstr(why.detail, odd[i].told))
			fail_msg("\"%s\" does not say \"%s\"", why.detail, odd[i].told);
	}
}

static void a_line_too_long_is_refused(void **state)
{
	char line[600] = "store = sqlite:";

	(void)state;
	memset(line + strlen(line), 'x', sizeof line - strlen(line) - 1);
	file_write("parley/parley.conf", line);
	CHECK_INT(take(0, NULL), ERR_INVALID);
	CHECK(strstr(why.detail, "parley.conf:1: the line is longer than 198 bytes"));
}

static void no_color_is_honoured_unless_told_otherwise(void **state)
{
	(void)state;
	setenv("NO_COLOR", "1", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_INT(got.color, COLOR_NEVER);
	CHECK_INT(READ("--color", "always"), OK);
	CHECK_INT(got.color, COLOR_ALWAYS);
}

static void the_language_follows_the_locale(void **state)
{
	(void)state;
	setenv("LANG", "fr_FR.UTF-8", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_INT(got.lang, LANG_FR);
	setenv("LC_ALL", "C", 1);
	CHECK_INT(take(0, NULL), OK);
	CHECK_INT(got.lang, LANG_EN);
}

static void settings_of_others_are_not_looked_at(void **state)
{
	struct args none = { 0 };

	(void)state;
	setenv("PARLEY_ASK_RATE", "lots", 1);
	CHECK_INT(settings_read(&none, SETTINGS_CLIENT, &arena, &got, &why), OK);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(defaults_are_those_of_the_contract),
		CASE(the_data_folder_follows_the_system),
		CASE(flags_go_before_environment_before_file),
		CASE(an_empty_variable_says_nothing),
		CASE(config_names_another_file_which_must_be_there),
		CASE(a_wrong_value_is_named_with_what_is_accepted),
		CASE(a_wrong_value_says_where_it_stands),
		CASE(a_secret_is_not_shown),
		CASE(good_values_are_taken),
		CASE(settings_that_contradict_each_other_are_refused),
		CASE(odd_files_are_refused_with_file_and_line),
		CASE(a_line_too_long_is_refused),
		CASE(no_color_is_honoured_unless_told_otherwise),
		CASE(the_language_follows_the_locale),
		CASE(settings_of_others_are_not_looked_at),
	};
	int failed;

	if (!mkdtemp(home)) return 1;
	failed = RUN(tests);
	rmdir(home);
	return failed;
}
