#include "base/id.h"

#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

static void ids_have_prefix_length_and_alphabet(void **state)
{
	struct ids ids = { 0 };
	char id[ID_SIZE];

	(void)state;
	id_make(&ids, "ask", 1794729600000, id);
	CHECK_INT(strlen(id), 30);
	CHECK(str_starts(str_of(id), "ask_01m7"));
	CHECK(id_valid(str_of(id), "ask"));
}

static void foreign_texts_are_no_ids(void **state)
{
	static const char *const bad[] = { "", "ask_", "ses_01m7ehngh1000c0637naj7ggmb",
		"ask_01m7ehngh1000c0637naj7ggm", "ask_01m7ehngh1000c0637naj7ggmbb",
		"ask-01m7ehngh1000c0637naj7ggmb", "ask_01M7EHNGH1000C0637NAJ7GGMB",
		"ask_01m7ehngh1000c0637naj7ggmi", "ask_01m7ehngh1000c0637naj7ggml",
		"ask_01m7ehngh1000c0637naj7ggmo", "ask_01m7ehngh1000c0637naj7ggmu",
		"ask_01m7ehngh1000c0637naj7ggm " };

	(void)state;
	CHECK(id_valid(STR("ask_01m7ehngh1000c0637naj7ggmb"), "ask"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(!id_valid(str_of(bad[i]), "ask"));
	CHECK(!id_valid(STR("ask_01m7ehngh1000c0637naj7ggm\0"), "ask"));
}

static void ids_made_later_sort_later(void **state)
{
	struct ids ids = { 0 };
	char last[ID_SIZE] = "", id[ID_SIZE];

	(void)state;
	for (int i = 0; i < 300000; i++) {
		/* the clock stands, goes on, and now and then goes back */
		id_make(&ids, "evt", 1794729600000 + i / 100000 - (i % 1000 == 0) * 5000,
			id);
		if (strcmp(last, id) >= 0) fail_msg("%s is not before %s", last, id);
		memcpy(last, id, ID_SIZE);
	}
}

static void a_seed_repeats_ids_and_bytes(void **state)
{
	struct ids a, b, c;
	char x[ID_SIZE], y[ID_SIZE];
	unsigned char p[13], q[13];

	(void)state;
	ids_seed(&a, 7);
	ids_seed(&b, 7);
	ids_seed(&c, 8);
	id_make(&a, "ask", 1000, x);
	id_make(&b, "ask", 1000, y);
	assert_string_equal(x, y);
	id_make(&c, "ask", 1000, y);
	assert_string_not_equal(x, y);
	random_bytes(&a, p, sizeof p);
	random_bytes(&b, q, sizeof q);
	assert_memory_equal(p, q, sizeof p);
	CHECK(random_u64(&a) == random_u64(&b));
}

static void system_bytes_differ_each_time(void **state)
{
	unsigned char p[1000] = { 0 }, q[1000] = { 0 };

	(void)state;
	random_bytes(NULL, p, sizeof p);
	random_bytes(NULL, q, sizeof q);
	assert_memory_not_equal(p, q, sizeof p);
	random_bytes(NULL, p, 16);
	random_bytes(NULL, q, 16);
	assert_memory_not_equal(p, q, 16);
	random_bytes(NULL, NULL, 0);
}

static void a_forked_child_does_not_repeat_its_parent(void **state)
{
	uint64_t mine, theirs = 0;
	int ends[2];
	pid_t child;

	(void)state;
	random_u64(NULL);
	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		theirs = random_u64(NULL);
		_exit(write(ends[1], &theirs, sizeof theirs) != sizeof theirs);
	}
	mine = random_u64(NULL);
	CHECK(read(ends[0], &theirs, sizeof theirs) == sizeof theirs);
	waitpid(child, NULL, 0);
	CHECK(mine != theirs);
	close(ends[0]);
	close(ends[1]);
}

static void secrets_hold_256_bits_in_52_characters(void **state)
{
	char a[SECRET_SIZE], b[SECRET_SIZE];

	(void)state;
	secret_make(NULL, "prl", a);
	secret_make(NULL, "prl", b);
	CHECK_INT(strlen(a), 4 + 52);
	CHECK(str_starts(str_of(a), "prl_"));
	CHECK_INT(strspn(a + 4, "0123456789abcdefghjkmnpqrstvwxyz"), 52);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ids_have_prefix_length_and_alphabet),
		TEST(foreign_texts_are_no_ids),
		TEST(ids_made_later_sort_later),
		TEST(a_seed_repeats_ids_and_bytes),
		TEST(system_bytes_differ_each_time),
		TEST(a_forked_child_does_not_repeat_its_parent),
		TEST(secrets_hold_256_bits_in_52_characters),
	};

	return RUN(tests);
}
