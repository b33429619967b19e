/* Lets the n-th allocation fail, for every n, on the way in and on the way out. */
#include "base/mem.h"

#include "talk.h"

static const struct dialect *dialect;
static const struct json *request;
static struct ask ask;

static enum err try_in(struct arena *arena)
{
	struct fault why = { 0 };
	struct translated in;

	return dialect_to_ask(dialect, request, false, arena, &in, &why);
}

static enum err try_out(struct arena *arena)
{
	static const struct ask_view view;
	struct fault why = { 0 };
	struct str reply = STR_NONE;
	struct ask_json whole;
	enum err e = ask_json_read(&ask, &view, arena, &whole, &why);

	if (!e) e = dialect_from_ask(dialect, &whole, false, arena, &reply, &why);
	assert_int_equal(reply.len > 0, !e);
	return e;
}

static void fail_each(enum err (*tried)(struct arena *))
{
	for (uint64_t n = 1;; n++) {
		struct arena arena = { 0 };

		mem_fail_at(n, 0);
		enum err e = tried(&arena);
		uint64_t used = mem_count();
		mem_fail_at(0, 0);
		arena_done(&arena);
		if (used < n) {
			assert_int_equal(e, OK);
			return;
		}
		assert_int_equal(e, ERR_MEMORY);
	}
}

static void lack_of_memory_is_told(void **state)
{
	const struct json *all = talk_examples();

	(void)state;
	for (size_t i = 0; dialects[i]; i++) {
		const struct json *example = json_get(all, dialects[i]->name);
		struct talk t;

		dialect = dialects[i];
		request = json_get(example, "request");
		t = talk_open_json(dialect, request, false);
		talk_answer(&t, kit_json(kit_print("{'answers':%s}",
					kit_compact(json_get(example, "answers")))));
		ask = t.ask;
		fail_each(try_in);
		fail_each(try_out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { KIT_TEST(lack_of_memory_is_told) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
