/* row_cache.c - what the only writer remembers: committed rows as they are, within its room, and what
 * makes it forget. */
#include "store/fast/fast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena arena;
static struct ids ids;
static struct rows rows;
static struct fast fast;

static void batch_start(void)
{
	arena_done(&arena);
	rows_start(&rows, &arena, NULL, &ids, 5000);
	rows.fast = &fast;
	row_cache_begin(&fast.rows);
}

static int begin(void **state)
{
	(void)state;
	ids_seed(&ids, 7);
	batch_start();
	return 0;
}

static int end(void **state)
{
	(void)state;
	row_cache_done(&fast.rows);
	fast.rows.vain = 0;
	rows_done(&rows);
	arena_done(&arena);
	return 0;
}

static struct ask *ask_new(struct session *s, struct str fixed)
{
	struct ask *a = rows_new_ask(&rows, 1);

	assert_non_null(a);
	a->session = s->id;
	a->fixed = fixed;
	a->status = ASK_PENDING;
	return a;
}

static struct session *session_new(void)
{
	struct session *s = rows_new_session(&rows, 1);

	assert_non_null(s);
	s->title = STR("A title");
	return s;
}

static struct str kept_id(char room[ID_SIZE], struct str id)
{
	snprintf(room, ID_SIZE, "%.*s", STR_ARGS(id));
	return str_of(room);
}

static void what_was_committed_is_found_with_its_texts(void **state)
{
	char ask_room[ID_SIZE], session_room[ID_SIZE];
	struct session *s = session_new();
	struct ask *a = ask_new(s, STR("\"title\":\"Go?\""));
	struct str ask = kept_id(ask_room, a->id), session = kept_id(session_room, s->id);

	(void)state;
	row_cache_keep(&fast.rows, &rows);
	batch_start();
	wants_ask(&(struct wants){ .rows = &rows }, 1, ask);
	a = rows_ask(&rows, 1, ask);
	assert_non_null(a);
	assert_true(str_eq(a->fixed, STR("\"title\":\"Go?\"")));
	assert_false(rows_is_new(a));
	s = rows_session(&rows, 1, session);
	assert_true(s && str_eq(s->title, STR("A title")));
	assert_null(rows_ask(&rows, 2, ask)); /* of another workspace */
}

static void a_changed_row_is_remembered_as_it_is_now(void **state)
{
	char room[ID_SIZE];
	struct session *s = session_new();
	struct str id = kept_id(room, s->id);

	(void)state;
	row_cache_keep(&fast.rows, &rows);
	batch_start();
	wants_session(&(struct wants){ .rows = &rows }, 1, id);
	s = rows_session(&rows, 1, id);
	assert_non_null(s);
	s->title = STR("Another");
	rows_touch_session(&rows, s);
	row_cache_keep(&fast.rows, &rows);
	batch_start();
	s = (struct session *)(uintptr_t)row_cache_find(&fast.rows, RECORD_SESSIONS, id);
	assert_true(s && str_eq(s->title, STR("Another")));
	assert_int_equal(s->version, 2);
}

static void what_is_over_is_forgotten(void **state)
{
	char room[ID_SIZE], other[ID_SIZE];
	struct ask *a = ask_new(session_new(), STR("{}"));
	struct str id = kept_id(room, a->id), gone = kept_id(other, a->session);

	(void)state;
	row_cache_keep(&fast.rows, &rows);
	batch_start();
	wants_ask(&(struct wants){ .rows = &rows }, 1, id);
	a = rows_ask(&rows, 1, id);
	a->status = ASK_ANSWERED;
	a->version++;
	row_cache_keep(&fast.rows, &rows);
	assert_null(row_cache_find(&fast.rows, RECORD_ASKS, id));
	assert_non_null(row_cache_find(&fast.rows, RECORD_SESSIONS, gone));
	batch_start();
	wants_session(&(struct wants){ .rows = &rows }, 1, gone);
	rows_delete(&rows, rows_session(&rows, 1, gone));
	row_cache_keep(&fast.rows, &rows);
	assert_null(row_cache_find(&fast.rows, RECORD_SESSIONS, gone));
}

static void there_is_room_for_the_latest_alone(void **state)
{
	static char text[4000];
	char first[ID_SIZE], last[ID_SIZE];
	struct str oldest = STR_NONE, newest = STR_NONE;

	(void)state;
	memset(text, 'x', sizeof text);
	for (int i = 0; i < 200; i++) {
		struct ask *a = ask_new(session_new(), str_make(text, sizeof text));

		newest = kept_id(last, a->id);
		if (!i) oldest = kept_id(first, a->id);
		row_cache_keep(&fast.rows, &rows);
		assert_true(fast.rows.bytes <= ROW_CACHE_BYTES);
		assert_non_null(row_cache_find(&fast.rows, RECORD_ASKS, newest));
		batch_start();
	}
	assert_null(row_cache_find(&fast.rows, RECORD_ASKS, oldest));
	assert_non_null(row_cache_find(&fast.rows, RECORD_ASKS, newest));
}

static void what_nobody_comes_for_is_kept_no_more_until_somebody_does(void **state)
{
	char room[ID_SIZE];
	struct str tried = STR_NONE;
	size_t kept;

	(void)state;
	for (int i = 0; i < ROW_CACHE_VAIN; i++)
		ask_new(session_new(), STR("{}"));
	row_cache_keep(&fast.rows, &rows);
	assert_int_equal(fast.rows.named.len, ROW_CACHE_VAIN);
	row_cache_clear(&fast.rows);
	/* Every now and then a batch tries again. */
	for (int batch = 0; batch < ROW_CACHE_AGAIN && !fast.rows.named.len; batch++) {
		batch_start();
		for (int i = 0; i < ROW_CACHE_VAIN; i++) {
			const struct ask *a = ask_new(session_new(), STR("{}"));

			if (!i) tried = kept_id(room, a->id);
		}
		row_cache_keep(&fast.rows, &rows);
	}
	kept = fast.rows.named.len;
	assert_in_range(kept, 1, ROW_CACHE_FOUND);
	batch_start();
	assert_non_null(row_cache_find(&fast.rows, RECORD_ASKS, tried));
	for (int i = 0; i < ROW_CACHE_FOUND; i++)
		ask_new(session_new(), STR("{}"));
	row_cache_keep(&fast.rows, &rows);
	assert_true(fast.rows.named.len >= kept + ROW_CACHE_FOUND);
}

static void what_is_large_is_not_kept(void **state)
{
	static char large[ROW_CACHE_BYTES];

	(void)state;
	memset(large, 'x', sizeof large);
	ask_new(session_new(), str_make(large, sizeof large));
	row_cache_keep(&fast.rows, &rows);
	assert_int_equal(fast.rows.named.len, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_was_committed_is_found_with_its_texts, begin, end),
		cmocka_unit_test_setup_teardown(
			a_changed_row_is_remembered_as_it_is_now, begin, end),
		cmocka_unit_test_setup_teardown(what_is_over_is_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(
			there_is_room_for_the_latest_alone, begin, end),
		cmocka_unit_test_setup_teardown(
			what_nobody_comes_for_is_kept_no_more_until_somebody_does, begin,
			end),
		cmocka_unit_test_setup_teardown(what_is_large_is_not_kept, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
