#include "client/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static const char HERE[] = "http://127.0.0.1:7275";
static const char THERE[] = "https://desk.example.org";

static char home[] = "/tmp/parley-locate-XXXXXX";
static struct arena arena;
static struct located at;
static struct fault why;

static const char *path(const char *name)
{
	return arena_print(&arena, "%s/%s", home, name).at;
}

static void file_write(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(path(name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	CHECK_INT(chmod(path(name), mode), 0);
}

static void server_runs(void)
{
	file_write("server.json",
		"{\"url\":\"http://127.0.0.1:7275\",\"socket\":\"/s\",\"pid\":42}", 0600);
	file_write("agent.token", "prl_agent\n", 0600);
}

static void log_in_at(const char *url)
{
	struct login login = { str_of(url), STR("cookie") };

	CHECK_INT(login_write(&login, &why), OK);
}

static int setup(void **state)
{
	(void)state;
	clearenv();
	setenv("XDG_CONFIG_HOME", home, 1);
	why = (struct fault){ 0 };
	at = (struct located){ 0 };
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { "server.json", "agent.token",
		"parley/login" };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		unlink(path(names[i]));
	rmdir(path("parley"));
	arena_done(&arena);
	return 0;
}

static enum err find(enum as as, const char *url, const char *token)
{
	struct locate how = {
		.url = str_of(url), .token = str_of(token), .data = str_of(home), .as = as
	};

	return locate(&how, &arena, &at, &why);
}

static void nothing_is_known_where_nothing_runs(void **state)
{
	(void)state;
	CHECK_INT(find(AS_AGENT, NULL, NULL), ERR_NOT_FOUND);
}

static void on_its_own_machine_address_and_agent_are_found(void **state)
{
	struct server_info info;

	(void)state;
	server_runs();
	CHECK_INT(find(AS_AGENT, NULL, NULL), OK);
	CHECK_STR(at.url, HERE);
	CHECK_STR(at.token, "prl_agent");
	CHECK_INT(server_info_read(str_of(home), &arena, &info, &why), OK);
	CHECK_STR(info.socket, "/s");
	CHECK_INT(info.pid, 42);
}

static void what_is_given_counts(void **state)
{
	(void)state;
	server_runs();
	log_in_at(HERE);
	CHECK_INT(find(AS_PERSON, THERE, "prl_mine"), OK);
	CHECK_STR(at.url, THERE);
	CHECK_STR(at.token, "prl_mine");
	CHECK_STR(at.cookie, "");
}

static void a_person_answers_by_login_and_asks_by_the_agents_token(void **state)
{
	(void)state;
	server_runs();
	log_in_at(HERE);
	CHECK_INT(find(AS_PERSON, NULL, NULL), OK);
	CHECK_STR(at.cookie, "cookie");
	CHECK_STR(at.token, "");
	CHECK_INT(find(AS_AGENT, "http://127.0.0.1:7275/", NULL), OK);
	CHECK_STR(at.token, "prl_agent");
	CHECK_STR(at.cookie, "");
}

static void secrets_go_to_no_other_server(void **state)
{
	(void)state;
	server_runs();
	log_in_at(HERE);
	CHECK_INT(find(AS_AGENT, THERE, NULL), OK);
	CHECK_STR(at.token, "");
	CHECK_STR(at.cookie, "");
	CHECK_INT(find(AS_PERSON, THERE, NULL), OK);
	CHECK_STR(at.cookie, "");
}

static void a_login_alone_tells_the_server(void **state)
{
	(void)state;
	log_in_at(THERE);
	CHECK_INT(find(AS_AGENT, NULL, NULL), OK);
	CHECK_STR(at.url, THERE);
	CHECK_STR(at.cookie, "cookie");
}

static void the_login_is_for_its_owner_alone(void **state)
{
	struct login login;
	struct stat st;

	(void)state;
	log_in_at(HERE);
	CHECK_INT(stat(path("parley/login"), &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK_INT(chmod(path("parley/login"), 0644), 0);
	CHECK_INT(login_read(&arena, &login, &why), ERR_FORBIDDEN);
	CHECK_INT(find(AS_PERSON, HERE, NULL), ERR_FORBIDDEN);
	CHECK_INT(login_remove(&why), OK);
	CHECK_INT(login_read(&arena, &login, &why), ERR_NOT_FOUND);
	CHECK_INT(login_remove(&why), OK);
}

static void a_person_is_where_the_login_is(void **state)
{
	struct locate how = {
		.hint = str_of(THERE), .data = str_of(home), .as = AS_PERSON
	};

	(void)state;
	server_runs();
	CHECK_INT(locate(&how, &arena, &at, &why), OK);
	CHECK_STR(at.url, HERE);
	log_in_at(THERE);
	CHECK_INT(locate(&how, &arena, &at, &why), OK);
	CHECK_STR(at.url, THERE);
	CHECK_STR(at.cookie, "cookie");
	how.as = AS_AGENT;
	CHECK_INT(locate(&how, &arena, &at, &why), OK);
	CHECK_STR(at.url, HERE);
	CHECK_STR(at.token, "prl_agent");
}

static void a_hint_is_better_than_nothing(void **state)
{
	struct locate how = {
		.hint = str_of(THERE), .data = str_of(home), .as = AS_AGENT
	};

	(void)state;
	CHECK_INT(locate(&how, &arena, &at, &why), OK);
	CHECK_STR(at.url, THERE);
	CHECK_STR(at.token, "");
}

static void a_broken_file_is_not_believed(void **state)
{
	struct server_info info;

	(void)state;
	file_write("server.json", "{\"url\": 7", 0600);
	CHECK(server_info_read(str_of(home), &arena, &info, &why) != OK);
	CHECK_INT(find(AS_AGENT, NULL, NULL), ERR_NOT_FOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_is_known_where_nothing_runs),
		CASE(on_its_own_machine_address_and_agent_are_found),
		CASE(what_is_given_counts),
		CASE(a_person_answers_by_login_and_asks_by_the_agents_token),
		CASE(secrets_go_to_no_other_server),
		CASE(a_login_alone_tells_the_server),
		CASE(the_login_is_for_its_owner_alone),
		CASE(a_person_is_where_the_login_is),
		CASE(a_hint_is_better_than_nothing),
		CASE(a_broken_file_is_not_believed),
	};
	int failed;

	if (!mkdtemp(home)) return 1;
	failed = RUN(tests);
	rmdir(home);
	return failed;
}
