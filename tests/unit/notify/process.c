/* A program beside us: what it reads, what is heard of it, what it must not inherit. */
#include "notify/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "../base/unit.h"

static struct arena arena;

static int arena_clear(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static struct process start(const char *script, struct str input)
{
	char *argv[] = { "sh", "-c", arena_copy(&arena, str_of(script)), NULL };
	char *env[] = { "PATH=/usr/bin:/bin", "GREETING=hello", NULL };
	struct process p;

	assert_int_equal(process_start(&p, argv, env, input, NULL), OK);
	return p;
}

static struct process_end end_of(struct process *p)
{
	struct pollfd handle = { p->handle, POLLIN, 0 };
	struct process_end end;

	assert_int_equal(poll(&handle, 1, 60000), 1);
	assert_true(process_ended(p, &end));
	assert_false(process_ended(p, &end)); /* once */
	return end;
}

/* What this script said, with this on its input. */
static struct str said(const char *script, struct str input)
{
	struct process p = start(script, input);
	struct str tail;

	assert_int_equal(end_of(&p).exit, 0);
	tail = process_tail(&p, &arena);
	process_done(&p);
	return tail;
}

static void it_reads_its_input_and_is_heard(void **state)
{
	(void)state;
	CHECK_STR(said("cat", STR("two\nlines")), "two\nlines");
	CHECK_STR(said("cat; echo over >&2", STR_NONE), "over\n");
	CHECK_STR(said("env | grep -v -e PWD -e _= -e SHLVL | sort", STR_NONE),
		"GREETING=hello\nPATH=/usr/bin:/bin\n");
}

static void its_end_is_told(void **state)
{
	struct process p = start("exit 7", STR_NONE);
	struct process_end end = end_of(&p);

	(void)state;
	assert_int_equal(end.exit, 7);
	assert_int_equal(end.signal, 0);
	process_done(&p);
	p = start("kill -9 $$", STR_NONE);
	end = end_of(&p);
	assert_int_equal(end.exit, -1);
	assert_int_equal(end.signal, SIGKILL);
	process_done(&p);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
	char *argv[] = { "/no/such/program", NULL }, *env[] = { NULL };
	struct fault why = { 0 };
	struct process p;

	(void)state;
	assert_int_equal(process_start(&p, argv, env, STR("x"), &why), ERR_UNAVAILABLE);
	assert_non_null(strstr(why.detail, "/no/such/program"));
	assert_int_equal(p.pid, 0);
}

static void of_much_the_last_is_kept(void **state)
{
	struct str tail = said("yes 0123456 | head -c 1000000; printf end", STR_NONE);

	(void)state;
	assert_int_equal(tail.len, PROCESS_TAIL_MAX);
	assert_true(str_ends(tail, "0123456\nend"));
}

static void what_nobody_will_read_costs_nothing(void **state)
{
	struct process p =
		start("yes 0123456 | head -c 1000000; echo x >&3; read x", STR_NONE);
	struct str tail;

	(void)state;
	end_of(&p); /* 3 is closed and the input empty: it ends */
	p.pid = getpid();
	process_trim(&p);
	p.pid = 0;
	tail = process_tail(&p, &arena);
	assert_int_equal(tail.len, PROCESS_TAIL_MAX);
	assert_null(memchr(tail.at, 0xff, tail.len)); /* no hole in what is kept */
	process_done(&p);
}

static void a_nul_is_no_end(void **state)
{
	(void)state;
	CHECK_STR(said("printf 'a\\000b'", STR_NONE), "a\xff"
						      "b");
}

static void nothing_of_ours_is_inherited(void **state)
{
	int ours = open("/dev/null", O_RDONLY); /* not marked as to be closed */
	struct str seen, pid, session;

	(void)state;
	assert_true(ours > 2);
	signal(SIGPIPE, SIG_IGN);
	/* 3 is its own. */
	CHECK_STR(said("ls /proc/self/fd", STR_NONE), "0\n1\n2\n3\n");
	struct process p = start("kill -PIPE $$", STR_NONE);
	assert_int_equal(end_of(&p).signal, SIGPIPE);
	process_done(&p);
	seen = said("cut -d' ' -f1,6 /proc/$$/stat; echo $$", STR_NONE);
	assert_true(str_cut(&seen, ' ', &pid) && str_cut(&seen, '\n', &session));
	assert_true(str_eq(pid, session)); /* it leads a session */
	signal(SIGPIPE, SIG_DFL);
	close(ours);
}

static void it_lives_on_when_we_let_go(void **state)
{
	int pipe_ends[2];
	char path[64], script[128], word[5] = "";
	struct process p;

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), pipe_ends[1]);
	snprintf(script, sizeof script, "read line; echo said; echo here >%s", path);
	p = start(script, STR("line\n"));
	pid_t pid = p.pid;
	process_done(&p);
	assert_int_equal(read(pipe_ends[0], word, 4), 4);
	assert_string_equal(word, "here");
	p.pid = pid;
	while (!process_ended(&p, &(struct process_end){ 0 }))
		usleep(1000);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

#define PROCESS_TEST(test) cmocka_unit_test_teardown(test, arena_clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROCESS_TEST(it_reads_its_input_and_is_heard),
		PROCESS_TEST(its_end_is_told),
		PROCESS_TEST(a_program_that_is_not_there_is_an_error),
		PROCESS_TEST(of_much_the_last_is_kept),
		PROCESS_TEST(what_nobody_will_read_costs_nothing),
		PROCESS_TEST(a_nul_is_no_end),
		PROCESS_TEST(nothing_of_ours_is_inherited),
		PROCESS_TEST(it_lives_on_when_we_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
