/* kept_ask.c - an ask outlives the rows that it was copied from. */
#include "store/kept_ask.h"

#include "base/mem.h"
#include "store/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Each text of the record another one, so that none can stand for another. */
static void ask_fill(struct ask *a, struct arena *arena)
{
	const struct record *r = &records[RECORD_ASKS];

	for (int i = 0; i < r->columns_len; i++)
		if (r->columns[i].type == COLUMN_TEXT)
			*(struct str *)(void *)((char *)a + r->columns[i].offset) =
				arena_print(arena, "\"%s\"", r->columns[i].name);
	a->fixed = arena_str(arena, STR("\"title\":\"T\",\"questions\":[]"));
	a->status = ASK_ANSWERED;
	a->created_ms = 1;
}

static void shown(struct buf *out, const struct ask *a, const struct ask_view *view)
{
	struct json_writer w = { .out = out };

	buf_clear(out);
	ask_write(&w, a, view, 5);
}

static void what_is_kept_needs_nothing_of_what_it_was_made_from(void **state)
{
	struct arena arena = { 0 };
	struct ask a = { 0 };
	struct ask_view view = { .workspace = STR("main"), .refused = "role" };
	struct buf before = { 0 }, after = { 0 };
	struct kept_ask *k;

	(void)state;
	ask_fill(&a, &arena);
	view.session_title = arena_str(&arena, STR("Release"));
	view.url = arena_str(&arena, STR("http://h"));
	view.stopped = arena_str(&arena, STR("{\"reason\":\"r\"}"));
	shown(&before, &a, &view);
	k = kept_ask_put(mem_alloc(kept_ask_size(&a, &view)), &a, &view);
	memset(&a, 0, sizeof a);
	memset(&view, 0, sizeof view);
	arena_done(&arena);
	arena_tidy();
	shown(&after, &k->ask, &k->view);
	assert_true(str_eq(buf_str(&before), buf_str(&after)));
	assert_null(k->next);
	mem_free(k);
	buf_done(&before);
	buf_done(&after);
}

static void one_can_stand_behind_another(void **state)
{
	struct arena arena = { 0 };
	struct ask a = { 0 };
	struct ask_view view = { 0 };

	(void)state;
	ask_fill(&a, &arena);
	for (size_t n = 0; n < 16; n++) {
		a.summary = str_first(STR("0123456789abcdef"), n);
		assert_int_equal(kept_ask_size(&a, &view) % _Alignof(struct kept_ask), 0);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_needs_nothing_of_what_it_was_made_from),
		cmocka_unit_test(one_can_stand_behind_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
