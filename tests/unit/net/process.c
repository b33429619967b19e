/* A program beside us: what it reads, what is heard of it, what it must not inherit or reach, and
 * how its whole tree ends. */
#include "net/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/unit.h"

static struct arena arena;
static bool isolated; /* what the tests that run both ways are at */

static int arena_clear(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static int as_isolated(void **state)
{
	(void)state;
	isolated = true;
	return 0;
}

static int as_plain(void **state)
{
	(void)state;
	isolated = false;
	return 0;
}

static struct process start_with(const char *script, struct process_setup set)
{
	char *argv[] = { "sh", "-c", arena_copy(&arena, str_of(script)), NULL };
	char *env[] = { "PATH=/usr/bin:/bin", "GREETING=hello", NULL };
	struct process p;

	set.argv = argv;
	set.envp = env;
	set.isolated = isolated;
	assert_int_equal(process_start(&p, &set, NULL), OK);
	return p;
}

static struct process start(const char *script, struct str input)
{
	return start_with(script, (struct process_setup){ .input = input });
}

static struct process_end end_of(struct process *p)
{
	struct process_end end;

	for (;;) {
		struct pollfd fds[] = { { p->handle, POLLIN, 0 },
			{ p->output, POLLIN, 0 } };

		assert_true(poll(fds, 2, 60000) > 0);
		process_look(p);
		if (process_ended(p, &end)) break;
	}
	assert_false(process_ended(p, &end)); /* once */
	return end;
}

/* What this script said, with this on its input. */
static struct str said(const char *script, struct str input)
{
	struct process p = start(script, input);
	struct process_end end = end_of(&p);
	struct str tail;

	assert_string_equal(end.failure, "");
	assert_int_equal(end.exit, 0);
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
	const struct process_setup set = {
		.argv = argv, .envp = env, .isolated = isolated
	};
	struct process_end end;
	struct process p;

	(void)state;
	assert_int_equal(process_start(&p, &set, NULL), OK);
	end = end_of(&p);
	assert_string_equal(end.failure, "/no/such/program: No such file or directory");
	assert_int_equal(end.exit, -1);
	process_done(&p);
}

static void of_much_the_last_is_kept(void **state)
{
	struct str tail = said("yes 0123456 | head -c 1000000; printf end", STR_NONE);

	(void)state;
	assert_int_equal(tail.len, PROCESS_TAIL_MAX);
	assert_true(str_ends(tail, "0123456\nend"));
}

/* The program stands still until somebody reads: nothing piles up anywhere. */
static void what_nobody_reads_is_not_printed(void **state)
{
	char path[64], text[64];
	struct process p = start("yes 0123456", STR_NONE);
	size_t before = 0;

	(void)state;
	for (int i = 0; i < 50; i++)
		usleep(2000);
	assert_int_equal(p.printed, 0);
	for (int i = 0; i < 20; i++) {
		struct pollfd output = { p.output, POLLIN, 0 };

		assert_int_equal(poll(&output, 1, 60000), 1);
		process_look(&p);
		assert_true(p.printed > before);
		before = p.printed;
	}
	snprintf(path, sizeof path, "/proc/%d/fd/1", (int)p.pid);
	assert_true(readlink(path, text, sizeof text) > 0);
	assert_memory_equal(text, "pipe:", 5);
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
	assert_true(str_cut(&seen, ' ', &pid));
	assert_true(str_cut(&seen, '\n', &session));
	assert_true(str_eq(pid, session)); /* it leads a session */
	signal(SIGPIPE, SIG_DFL);
	close(ours);
}

/* ---- the tree ---- */

/* A program whose child left its session and whose grandchild is an orphan; each writes into
 * the FIFO that it stays. */
static const char tree[] =
	"setsid sh -c '(sleep 1000 & echo $! >&8; sleep 1000) & echo $! >&8; sleep 1000' & "
	"echo $! >&8; sleep 1000";

/* True once nobody has the other end open: none of the tree lives. */
static bool tree_gone(int end)
{
	struct pollfd read_end = { end, POLLIN, 0 };
	char text[256];

	for (int i = 0; i < 1000; i++) {
		if (poll(&read_end, 1, 10) > 0 && read(end, text, sizeof text) == 0)
			return true;
	}
	return false;
}

static struct process tree_start(int *end, char path[64], int64_t limit_ms)
{
	char script[512], text[256];
	struct process p;
	size_t lines = 0;

	snprintf(path, 64, "/tmp/parley-tree-%d", (int)getpid());
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	*end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(script, sizeof script, "exec 8>%s; %s", path, tree);
	p = start_with(script, (struct process_setup){ .limit_ms = limit_ms });
	while (lines < 3) {
		ssize_t n = read(*end, text, sizeof text);

		for (ssize_t i = 0; i < n; i++)
			lines += text[i] == '\n';
		usleep(1000);
	}
	return p;
}

static void letting_go_ends_the_whole_tree(void **state)
{
	char path[64];
	int end;
	struct process p = tree_start(&end, path, 0);

	(void)state;
	process_done(&p);
	assert_true(tree_gone(end));
	close(end);
	unlink(path);
}

static void its_time_limit_ends_the_whole_tree(void **state)
{
	char path[64];
	int end;
	struct process p = tree_start(&end, path, 300);
	struct process_end how;

	(void)state;
	while (!process_ended(&p, &how)) {
		process_look(&p);
		usleep(1000);
	}
	assert_true(how.limited);
	assert_int_equal(how.signal, SIGTERM);
	assert_true(tree_gone(end));
	process_done(&p);
	close(end);
	unlink(path);
}

static void what_it_leaves_behind_ends_with_it(void **state)
{
	char path[64], script[200];
	struct process p;
	int end;

	(void)state;
	snprintf(path, sizeof path, "/tmp/parley-left-%d", (int)getpid());
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(script, sizeof script, "exec 8>%s; setsid sleep 1000 & exit 3", path);
	p = start(script, STR_NONE);
	assert_int_equal(end_of(&p).exit, 3);
	assert_true(tree_gone(end));
	process_done(&p);
	close(end);
	unlink(path);
}

/* kill -9 of who started it. */
static void the_tree_ends_with_us(void **state)
{
	char path[64];
	int end, ready[2], status;
	pid_t us;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	us = fork();
	if (us == 0) {
		tree_start(&end, path, 0);
		assert_int_equal(write(ready[1], "", 1), 1);
		pause();
		_exit(0);
	}
	snprintf(path, sizeof path, "/tmp/parley-tree-%d", (int)us);
	assert_int_equal(read(ready[0], &status, 1), 1);
	end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	kill(us, SIGKILL);
	waitpid(us, &status, 0);
	assert_true(tree_gone(end));
	close(end);
	unlink(path);
}

/* ---- isolation ---- */

static void what_is_hidden_cannot_be_reached(void **state)
{
	static const char *const kept[] = { "agent.token", NULL };
	char folder[] = "/tmp/parley-hidden-XXXXXX", file[64], script[1024];
	struct process_hidden hidden[] = { { folder, kept }, { file, NULL },
		{ "/no/such/folder", NULL } };
	struct process_end end;
	struct process p;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof file, "%s.db", folder);
	snprintf(script, sizeof script,
		"cd %s && echo secret >store && echo token >agent.token && echo s >%s && "
		"chmod 600 agent.token",
		folder, file);
	assert_int_equal(system(script), 0);
	assert_int_equal(chdir(folder), 0); /* as a server may stand in its data folder */
	snprintf(script, sizeof script,
		"ls -A . %s; cat agent.token %s; echo x 2>&1 >new; umount %s 2>&1;"
		"unshare -Urm sh -c 'umount %s; cat store' 2>&1; ls -d /proc/%d/cwd/store 2>&1;"
		"cat /proc/%d/cwd/store /proc/%d/root%s/store 2>&1; kill -0 %d 2>&1; true",
		folder, file, folder, folder, (int)getpid(), (int)getpid(), (int)getpid(),
		folder, (int)getpid());
	p = start_with(
		script, (struct process_setup){ .hidden = hidden, .hidden_len = 3 });
	assert_int_equal(chdir("/"), 0);
	end = end_of(&p);
	assert_string_equal(end.failure, "");
	struct str text = process_tail(&p, &arena);
	const char *shown = arena_copy(&arena, text);
	if (strstr(shown, "secret") || !strstr(shown, "token\n") ||
		!strstr(shown, "Read-only") || !strstr(shown, "No such process"))
		fail_msg("%s", shown);
	process_done(&p);
	snprintf(script, sizeof script, "rm -r %s %s", folder, file);
	assert_int_equal(system(script), 0);
}

static void it_is_the_same_user_without_rights(void **state)
{
	(void)state;
	struct str seen =
		said("id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status |"
		     " tr -s '\\t ' ' '",
			STR_NONE);
	const char *expected = arena_print(&arena,
		"%u\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\n",
		getuid())
				       .at;
	assert_string_equal(arena_copy(&arena, seen), expected);
}

static void isolation_is_there_to_be_had(void **state)
{
	struct fault why = { 0 };

	(void)state;
	if (process_can_isolate(&why)) fail_msg("%s", why.detail);
}

/* ---- where namespaces are forbidden: in most containers, in a chroot ---- */

/* From here on unshare(2) fails in this process and in what it starts. */
static void namespaces_forbid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof code[0], code };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* What the server and doctor find there: the reason. A program that must be isolated is not begun,
 * another runs. */
static void where_it_is_forbidden_the_reason_is_said(void **state)
{
	struct fault why = { 0 };
	struct process p;

	(void)state;
	namespaces_forbid();
	assert_int_equal(process_can_isolate(&why), ERR_UNAVAILABLE);
	assert_string_equal(why.detail, "namespaces: Operation not permitted");
	isolated = true;
	p = start("echo begun", STR_NONE);
	assert_string_equal(end_of(&p).failure, "namespaces: Operation not permitted");
	assert_int_equal(process_tail(&p, &arena).len, 0);
	process_done(&p);
	isolated = false;
	assert_string_equal(arena_copy(&arena, said("echo begun", STR_NONE)), "begun\n");
}

/* Asked without the code under test, which must not excuse itself. */
static bool namespaces_allowed(void)
{
	return system("unshare -Urmpf mount -t tmpfs none /tmp 2>/dev/null") == 0;
}

static void needs_namespaces(void **state)
{
	(void)state;
	print_message("user namespaces are forbidden here: nothing can be isolated\n");
	skip();
}

#define BOTH(test)                                                                       \
	{ #test " (plain)", test, as_plain, arena_clear, NULL },                         \
	{                                                                                \
#test " (isolated)", test, as_isolated, arena_clear, NULL                \
	}
#define ISOLATED(test)                                                                   \
	{                                                                                \
#test, test, as_isolated, arena_clear, NULL                              \
	}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		BOTH(it_reads_its_input_and_is_heard),
		BOTH(its_end_is_told),
		BOTH(a_program_that_is_not_there_is_an_error),
		BOTH(of_much_the_last_is_kept),
		BOTH(what_nobody_reads_is_not_printed),
		BOTH(a_nul_is_no_end),
		BOTH(nothing_of_ours_is_inherited),
		BOTH(letting_go_ends_the_whole_tree),
		BOTH(its_time_limit_ends_the_whole_tree),
		BOTH(what_it_leaves_behind_ends_with_it),
		BOTH(the_tree_ends_with_us),
		ISOLATED(what_is_hidden_cannot_be_reached),
		ISOLATED(it_is_the_same_user_without_rights),
		ISOLATED(isolation_is_there_to_be_had),
		/* Last: it cannot be undone. */
		cmocka_unit_test_teardown(
			where_it_is_forbidden_the_reason_is_said, arena_clear),
	};

	process_main(argc, argv);
	if (!namespaces_allowed())
		for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
			if (tests[i].setup_func == as_isolated)
				tests[i].test_func = needs_namespaces;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
