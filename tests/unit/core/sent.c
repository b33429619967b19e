/* What a model is sent: how long it will be, and what is left out when that is too much; when it is sent
 * again, and to which other model. */
#include "core/run/estimate.h"
#include "core/run/patience.h"
#include "core/run/window.h"
#include "kit.h"

#include <stdlib.h>

static void tokens_are_estimated_by_the_last_count(void **state)
{
	static const struct {
		struct estimate_count last;
		struct estimate_size size;
		int64_t tokens;
	} table[] = {
		{ { { 0, 0 }, 0 }, { 3000, 0 }, 1000 },
		{ { { 0, 0 }, 0 }, { 3001, 0 }, 1001 },
		{ { { 0, 0 }, 0 }, { 0, 2 }, 2 * ESTIMATE_IMAGE },
		{ { { 1000, 0 }, 250 }, { 4000, 0 }, 1000 },
		{ { { 1000, 0 }, 10 }, { 6000, 1 }, 1000 + ESTIMATE_IMAGE }, /* a sixth */
		{ { { 1000, 0 }, 5000 }, { 6000, 0 }, 6000 },		     /* 1 */
		{ { { 1000, 1 }, 500 + ESTIMATE_IMAGE }, { 1000, 0 }, 500 },
		{ { { 1000, 3 }, 500 }, { 6000, 0 }, 1000 }, /* images that cost less */
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct estimate_size fits = { .bytes = estimate_bytes(
						      &table[i].last, 777) };

		assert_int_equal(
			estimate_tokens(&table[i].last, &table[i].size), table[i].tokens);
		assert_true(estimate_tokens(&table[i].last, &fits) <= 777);
		fits.bytes += 6;
		assert_true(estimate_tokens(&table[i].last, &fits) > 777);
	}
	assert_int_equal(estimate_bytes(&table[0].last, -5), 0);
}

static void images_count_by_their_number(void **state)
{
	static const struct {
		const char *content;
		int64_t images;
	} table[] = {
		{ "[{\"type\":\"text\",\"text\":\"an image\"}]", 0 },
		{ "[{\"type\":\"image\",\"data\":\"AAAA\"}]", 1 },
		{ "[{\"type\":\"text\",\"text\":\"\\\"image\\\"\"}]", 0 },
		{ "\"image\" [", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct str content = str_of(table[i].content);
		struct estimate_size size = estimate_content(content);

		assert_int_equal(size.images, table[i].images);
		assert_int_equal(size.bytes, (int64_t)content.len - 4 * table[i].images);
	}
}

static void patience_calls_again_less_and_less_often(void **state)
{
	static const int64_t pauses_s[] = { 2, 5, 10, 30, 60, 120, 300, 600, 600, 600 };
	const int64_t since = 1000000, hours = 6 * 3600 * 1000;

	(void)state;
	for (int64_t n = 0; n < 10; n++)
		for (uint64_t chance = 0; chance < 1000000; chance += 9973) {
			int64_t base = pauses_s[n] * 1000;
			int64_t wake = patience_wake(since, hours, n, since, -1, chance);

			assert_in_range(wake - since, base * 4 / 5, base * 6 / 5);
			assert_int_equal(
				patience_wake(since, hours, n, since, 1077, chance),
				since + 1077);
			/* "At once" would be a call without a pause, for hours. */
			assert_int_equal(
				patience_wake(since, hours, n, since, 0, chance), wake);
			/* A last time at its end, then no more. */
			assert_int_equal(patience_wake(since, hours, n, since + hours - 1,
						 -1, chance),
				since + hours);
			assert_int_equal(
				patience_wake(since, hours, n, since, 2 * hours, chance),
				since + hours);
			assert_int_equal(
				patience_wake(since, hours, n, since + hours, -1, chance),
				0);
		}
	assert_int_equal(patience_wake(since, 0, 0, since, 5, 7), 0);
}

static void an_agent_is_patient_where_a_person_would_be_asked(void **state)
{
	struct agent_config a = { .patience_ms = -1, .ask_on_error = true };

	(void)state;
	assert_int_equal(patience_of(&a), 6 * 3600 * 1000);
	a.ask_on_error = false;
	assert_int_equal(patience_of(&a), 0);
	a.patience_ms = 5000;
	assert_int_equal(patience_of(&a), 5000);
	a.patience_ms = 0;
	a.ask_on_error = true;
	assert_int_equal(patience_of(&a), 0);
}

static void fallbacks_are_tried_in_their_order_once(void **state)
{
	struct str list[] = { STR("a/m"), STR("b/x/y"), STR("b/x/y"), STR("c/m") };
	struct agent_config agent = { .fallbacks = list, .fallbacks_len = 4 };
	static const struct {
		const char *provider, *model;
		int next;
	} table[] = {
		{ "p", "m", 0 },
		{ "a", "m", 1 },
		{ "a", "other", 0 },
		{ "b", "x/y", 3 },
		{ "c", "m", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct run r = { .provider = str_of(table[i].provider),
			.model = str_of(table[i].model) };

		assert_int_equal(fallback_next(&agent, &r), table[i].next);
	}
	agent.fallbacks_len = 0;
	assert_int_equal(
		fallback_next(&agent, &(struct run){ .provider = STR("p") }), -1);
}

/* ---- a long run ---- */

enum { MESSAGES = 1200, RESULT = 64 * 1024 };

struct thread {
	struct run_message said[MESSAGES];
	const struct run_message *all[MESSAGES];
	size_t len;
	struct arena arena, scratch; /* what was said; what is sent of it */
};

static struct run_message *thread_add(
	struct thread *t, enum message_role role, struct str content)
{
	struct run_message *m = &t->said[t->len];

	*m = (struct run_message){ .id = arena_print(&t->arena, "msg_%zu", t->len),
		.n = (int64_t)t->len + 1,
		.role = role,
		.content = content };
	t->all[t->len++] = m;
	return m;
}

static void thread_turn(struct thread *t, size_t bytes)
{
	size_t n = t->len;

	thread_add(t, MESSAGE_ASSISTANT,
		arena_print(&t->arena,
			"[{\"type\":\"tool_call\",\"id\":\"t%zu\",\"name\":\"read\",\"arguments\":{}}]",
			n));
	thread_add(t, MESSAGE_TOOL,
		arena_print(&t->arena,
			"[{\"type\":\"tool_result\",\"id\":\"t%zu\",\"name\":\"read\",\"content\":\"%0*d\"}]",
			n, (int)bytes, 7));
}

/* What a model that counts exactly is sent, all summaries made. Returns how many messages. */
static size_t thread_send(struct thread *t, struct window *w, struct sent *out, int *made)
{
	for (;;) {
		size_t len;
		struct run_message *m;

		len = summary_apply(t->all, t->len, STR("msg_0"), out, &t->scratch);
		switch (window_fit(w, out, len, STR("msg_0"), &t->scratch)) {
		case WINDOW_FITS: return len;
		case WINDOW_SUMMARY:
			assert_true(w->messages > 0 && w->upto > w->after);
			m = thread_add(t, MESSAGE_USER,
				summary_content(arena_print(&t->arena, "sum %d", ++*made),
					w->messages, &t->arena));
			m->seen = w->upto;
			m->kept = summary_kept(w->after, &t->arena);
			break;
		default: fail_msg("too long after %zu messages", t->len);
		}
	}
}

/* Calls and results stand in pairs, the first message and the last four turns are there. */
static void sent_is_sound(const struct thread *t, const struct sent *all, size_t len)
{
	size_t turns = 0, of_thread = 0;

	assert_true(all[0].m == &t->said[0]);
	for (size_t i = 0; i < len; i++) {
		if (all[i].m->role == MESSAGE_TOOL)
			assert_true(all[i - 1].m->role == MESSAGE_ASSISTANT &&
				    all[i - 1].m->n + 1 == all[i].m->n);
		turns += all[i].m->role == MESSAGE_ASSISTANT;
	}
	for (size_t i = 0; i < t->len; i++)
		of_thread += t->said[i].role == MESSAGE_ASSISTANT;
	assert_true(turns >= (of_thread < 4 ? of_thread : 4));
}

static void a_long_run_always_fits(void **state)
{
	static struct thread t;
	static struct sent out[MESSAGES], before[MESSAGES];
	const int64_t context = 25600;
	/* Tokens a byte: a third, a quarter, two thirds. */
	static const struct estimate_count counts[] = { { { 0, 0 }, 0 },
		{ { 4000, 0 }, 1000 }, { { 3000, 0 }, 2000 } };
	static const size_t sizes[] = { RESULT, 700, 20000 };
	const size_t many = getenv("PARLEY_LONG") ? 300 : 120;

	(void)state;
	for (size_t k = 0; k < 9; k++) {
		struct window w = { .limit = context, .count = counts[k % 3] };
		size_t was = 0, held = 0, turns = sizes[k / 3] == RESULT ? 60 : many;
		struct arena old = { 0 };
		int made = 0;

		memset(&t, 0, sizeof t);
		thread_add(&t, MESSAGE_USER, message_text(STR("the task"), &t.arena));
		for (size_t i = 0; i < turns; i++) {
			struct window_cut cut = w.cut;
			int then = made;
			size_t len, same = 0, told = 0;

			thread_turn(&t, sizes[k / 3]);
			len = thread_send(&t, &w, out, &made);
			assert_true(window_tokens(&w.count, out, len) <= context);
			sent_is_sound(&t, out, len);
			for (size_t n = 0; n < len; n++)
				told += summary_is(out[n].m);
			assert_int_equal(
				told, made); /* none was merged: they are short */
			/* Between cuts what was sent before is sent again as it was. */
			while (same < was && same < len &&
				before[same].m == out[same].m &&
				str_eq(before[same].content, out[same].content))
				same++;
			if (!memcmp(&cut, &w.cut, sizeof cut) && then == made) {
				assert_int_equal(same, was);
				held++;
			}
			memcpy(before, out, len * sizeof *out);
			was = len;
			arena_done(&old);
			old = t.scratch; /* `before` is in it */
			t.scratch = (struct arena){ 0 };
		}
		if (sizes[k / 3] == 700) assert_true(held > turns * 8 / 10);
		arena_done(&old);
		arena_done(&t.scratch);
		arena_done(&t.arena);
	}
}

static void long_summaries_are_summarised_together(void **state)
{
	static struct thread t;
	static struct sent out[MESSAGES];
	struct window w = { .limit = 8000 };
	struct str text;
	size_t len = 0, together = 0, many = getenv("PARLEY_LONG") ? 500 : 200;
	int made = 0;

	(void)state;
	memset(&t, 0, sizeof t);
	text = arena_print(&t.arena, "%05000d", 0);
	thread_add(&t, MESSAGE_USER, message_text(STR("the task"), &t.arena));
	for (size_t i = 0; i < many; i++) {
		thread_turn(&t, 1000);
		for (;;) {
			struct run_message *m;

			arena_done(&t.scratch);
			len = summary_apply(t.all, t.len, STR("msg_0"), out, &t.scratch);
			if (window_fit(&w, out, len, STR("msg_0"), &t.scratch) ==
				WINDOW_FITS)
				break;
			made++;
			together += !w.after && made > 1;
			m = thread_add(&t, MESSAGE_USER,
				summary_content(text, w.messages, &t.arena));
			m->seen = w.upto;
			m->kept = summary_kept(w.after, &t.arena);
		}
		assert_true(window_tokens(&w.count, out, len) <= 8000);
		sent_is_sound(&t, out, len);
	}
	assert_true(made > 2 && together > 0);
	arena_done(&t.scratch);
	arena_done(&t.arena);
}

static void a_number_in_history_leaves_out_the_older_half(void **state)
{
	static struct thread t;
	static struct sent out[MESSAGES];

	(void)state;
	for (int64_t history = 2; history <= 40; history++) {
		struct window w = { .history = history };
		int made = 0;

		memset(&t, 0, sizeof t);
		thread_add(&t, MESSAGE_USER, message_text(STR("the task"), &t.arena));
		for (size_t i = 0; i < 60; i++) {
			size_t len;

			thread_turn(&t, 10);
			len = thread_send(&t, &w, out, &made);
			if (history >= 6) assert_true((int64_t)len <= history + made);
			for (size_t n = 1; n < len; n++)
				if (out[n].m->role == MESSAGE_TOOL)
					assert_int_equal(
						out[n - 1].m->role, MESSAGE_ASSISTANT);
			assert_true(out[0].m == &t.said[0]);
		}
		assert_true(made > 0);
		arena_done(&t.scratch);
		arena_done(&t.arena);
	}
}

static void what_cannot_be_shorter_is_too_long(void **state)
{
	static struct thread t;
	struct sent out[8];
	struct window w = { .limit = 500 };
	size_t len;

	(void)state;
	memset(&t, 0, sizeof t);
	thread_add(&t, MESSAGE_USER,
		message_text(arena_print(&t.arena, "%09000d", 0), &t.arena));
	len = summary_apply(t.all, t.len, STR("msg_0"), out, &t.arena);
	assert_int_equal(
		window_fit(&w, out, len, STR("msg_0"), &t.arena), WINDOW_TOO_LONG);
	arena_done(&t.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_estimated_by_the_last_count),
		cmocka_unit_test(images_count_by_their_number),
		cmocka_unit_test(a_long_run_always_fits),
		cmocka_unit_test(long_summaries_are_summarised_together),
		cmocka_unit_test(a_number_in_history_leaves_out_the_older_half),
		cmocka_unit_test(what_cannot_be_shorter_is_too_long),
		cmocka_unit_test(patience_calls_again_less_and_less_often),
		cmocka_unit_test(an_agent_is_patient_where_a_person_would_be_asked),
		cmocka_unit_test(fallbacks_are_tried_in_their_order_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
