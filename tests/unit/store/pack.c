/* pack.c - long texts are packed, and come back as they were; what is no packed text is refused. */
#include "store/pack.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

static struct str said(struct arena *arena)
{
	return arena_print(arena,
		"[{\"type\":\"text\",\"text\":\"%s\"},"
		"{\"type\":\"tool_call\",\"id\":\"toolu_1\",\"name\":\"todo\","
		"\"arguments\":{\"operation\":\"list\"}}]",
		"I have read the file and found why the test fails: the list is sorted by name, "
		"but the page that shows it expects the newest first. I will change the order, "
		"then run the tests again and tell you what came of it.");
}

static void a_text_comes_back_as_it_was(void **state)
{
	struct packer *p = packer_new();
	struct arena arena = { 0 };
	struct str text = said(&arena), packed, back;

	(void)state;
	assert_true(packer_pack(p, text, &arena, &packed));
	assert_true(packed.len * 3 < text.len * 2);
	assert_true(packer_unpack(p, packed, &arena, &back));
	assert_true(str_eq(text, back));
	arena_done(&arena);
	packer_free(p);
}

static void what_does_not_get_shorter_stays_as_it_is(void **state)
{
	struct packer *p = packer_new();
	struct arena arena = { 0 };
	char bytes[4096];
	struct str packed;
	uint64_t x = 1;

	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (char)(x >> 56);
	}
	assert_false(packer_pack(p, str_make(bytes, sizeof bytes), &arena, &packed));
	assert_false(packer_pack(p, STR("{\"operation\":\"list\"}"), &arena, &packed));
	assert_false(packer_pack(p, STR_NONE, &arena, &packed));
	arena_done(&arena);
	packer_free(p);
}

static void bytes_that_are_no_packed_text_are_refused(void **state)
{
	struct packer *p = packer_new();
	struct arena arena = { 0 };
	struct str text = said(&arena), packed, back;

	(void)state;
	assert_false(packer_unpack(p, text, &arena, &back));
	assert_false(packer_unpack(p, STR_NONE, &arena, &back));
	assert_true(packer_pack(p, text, &arena, &packed));
	for (size_t len = 0; len < packed.len; len++)
		assert_false(packer_unpack(p, str_first(packed, len), &arena, &back));
	assert_false(arena.failed);
	arena_done(&arena);
	packer_free(p);
}

/* A frame of a few bytes that says it holds more than any text may. */
static void no_memory_is_taken_for_a_text_that_nobody_can_have(void **state)
{
	static const char vast[] = "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x7f\x01\x00\x00";
	struct packer *p = packer_new();
	struct arena arena = { 0 };
	struct str back;

	(void)state;
	assert_false(packer_unpack(p, str_make(vast, sizeof vast - 1), &arena, &back));
	assert_int_equal(arena.used, 0);
	arena_done(&arena);
	packer_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_comes_back_as_it_was),
		cmocka_unit_test(what_does_not_get_shorter_stays_as_it_is),
		cmocka_unit_test(bytes_that_are_no_packed_text_are_refused),
		cmocka_unit_test(no_memory_is_taken_for_a_text_that_nobody_can_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
