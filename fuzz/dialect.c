/* dialect.c - the first byte picks a dialect and how strict it is, the rest is a request.
 * What is taken becomes an ask that core takes, too; however it is settled, there is a
 * reply in every dialect, and it is JSON. */
#include "dialect/dialect.h"
#include "core/ask/ask.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replies_check(const struct ask *a, bool strict, struct arena *arena)
{
	const struct ask_view view = { .url = STR("http://h") };
	const struct json *reply;
	struct ask_json whole;
	struct fault why = { 0 };
	struct str text;

	assert(ask_json_read(a, &view, arena, &whole, NULL) == OK);
	for (size_t i = 0; dialects[i]; i++) {
		assert(dialect_from_ask(
			       dialects[i], &whole, strict, arena, &text, &why) == OK);
		assert(text.len || a->status == ASK_PENDING);
		if (text.len)
			assert(json_read(text, &ask_limits, arena, &reply, &why) == OK);
		dialect_sum(dialects[i], &whole, strict, arena);
	}
}

/* Something for each question, if it will do. */
static bool answer_make(const struct draft *d, struct arena *arena, struct answer *out)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *values;
	static const char *const by_type[] = { [Q_TEXT] = "\"a@b.c\"",
		[Q_NUMBER] = "1",
		[Q_BOOLEAN] = "true",
		[Q_APPROVAL] = "\"approve\"" };

	jw_object(&w);
	for (size_t i = 0; i < d->questions_len; i++) {
		const struct question *q = &d->questions[i];

		jw_str(&w, q->key);
		buf_add_char(&b, ':');
		w.more = false;
		if (q->options_len)
			jw_str(&w, q->options[q->options_len - 1].id);
		else
			jw_raw(&w, str_of(by_type[q->type]));
	}
	jw_object_end(&w);
	struct str text = arena_str(arena, buf_str(&b));
	buf_done(&b);
	assert(json_read(text, NULL, arena, &values, NULL) == OK);
	return answer_check_at(d->questions, d->questions_len, values, "", arena, out,
		       NULL) == OK;
}

static void settle_check(struct ask a, enum settling verb, const struct answer *answer,
	bool strict, struct arena *arena)
{
	const struct settlement s = {
		.verb = verb,
		.answer = answer,
		.answered_by = STR("{\"kind\":\"human\"}"),
	};
	const char *event;

	assert(ask_finish(&a, &s, 3, arena, &event, NULL) == OK);
	replies_check(&a, strict, arena);
}

static void ask_check(const struct translated *in, bool strict, struct arena *arena)
{
	static const struct draft_limits limits = { 1, INT64_MAX };
	struct fault why = { 0 };
	struct answer answer;
	struct draft d;

	assert(draft_read(in->body, &limits, arena, &d, &why) == OK);
	struct ask a = { .id = STR("ask_1"), .kind = d.kind };
	a.fixed = arena_print(
		arena, "%.*s,\"foreign\":%.*s", STR_ARGS(d.fixed), STR_ARGS(in->foreign));
	replies_check(&a, strict, arena);
	settle_check(a, SETTLE_SKIP, NULL, strict, arena);
	settle_check(a, SETTLE_EXPIRE, NULL, strict, arena);
	settle_check(a, SETTLE_CANCEL, NULL, strict, arena);
	if (answer_make(&d, arena, &answer))
		settle_check(a, SETTLE_ANSWER, &answer, strict, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct fault why = { 0 };
	const struct json *request;
	struct translated in;
	size_t count = 0;

	if (!size) return 0;
	while (dialects[count])
		count++;
	const struct dialect *d = dialects[(data[0] & 0x7f) % count];
	bool strict = data[0] & 0x80;
	struct str text = str_make((const char *)data + 1, size - 1);
	if (json_read(text, NULL, &arena, &request, NULL) == OK) {
		enum err e = dialect_to_ask(d, request, strict, &arena, &in, &why);
		assert(e == OK || e == ERR_INVALID || e == ERR_MEMORY);
		if (e == ERR_INVALID) assert(why.items_len > 0 && why.detail[0]);
		if (e == OK) ask_check(&in, strict, &arena);
	}
	arena_done(&arena);
	return 0;
}
