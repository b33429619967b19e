/* body.c - every reader of a request's body on the same bytes. What is refused says why;
 * what is taken reads back as it was taken. */
#include "core/session/session.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct draft_limits limits = { 1000, INT64_C(30) * 86400 * 1000 };

/* One question of each type, with all that an answer can offend against. */
static const char questions[] =
	"{\"kind\":\"approval\",\"questions\":["
	"{\"key\":\"t\",\"text\":\"T\",\"min\":2,\"max\":5,\"required\":false},"
	"{\"key\":\"m\",\"text\":\"M\",\"format\":\"email\",\"required\":false},"
	"{\"key\":\"u\",\"text\":\"U\",\"format\":\"uri\",\"required\":false},"
	"{\"key\":\"d\",\"text\":\"D\",\"format\":\"date\",\"required\":false},"
	"{\"key\":\"z\",\"text\":\"Z\",\"format\":\"date-time\",\"required\":false},"
	"{\"key\":\"n\",\"text\":\"N\",\"type\":\"number\",\"min\":-1,\"max\":1,"
	"\"note\":true,\"required\":false},"
	"{\"key\":\"b\",\"text\":\"B\",\"type\":\"boolean\",\"required\":false},"
	"{\"key\":\"c\",\"text\":\"C\",\"options\":[\"x\",\"y\"],\"other\":true,"
	"\"note\":{\"required\":true},\"required\":false},"
	"{\"key\":\"s\",\"text\":\"S\",\"type\":\"choices\",\"options\":[\"x\",\"y\","
	"\"z\"],"
	"\"min\":1,\"max\":2,\"required\":false},"
	"{\"key\":\"a\",\"text\":\"A\",\"type\":\"approval\",\"required\":false}]}";

static void outcome_check(enum err e, const struct fault *why)
{
	assert(e == OK || e == ERR_INVALID || e == ERR_MEMORY);
	if (e != ERR_INVALID) return;
	assert(why->items_len > 0 && why->items_len <= FAULT_ITEMS);
	for (int i = 0; i < why->items_len; i++) {
		assert(!why->items[i].pointer[0] || why->items[i].pointer[0] == '/');
		assert(why->items[i].detail[0]);
	}
}

static void shown_check(const struct ask *a, struct arena *arena)
{
	static const struct json_limits deep = { .depth = 80, .values = 400000 };
	const struct ask_view view = { .url = STR("http://h") };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const struct json *json;

	ask_write(&w, a, &view, 5);
	assert(json_read(buf_str(&out), &deep, arena, &json, NULL) == OK);
	assert(json_is(json_get(json, "questions"), JSON_ARRAY));
	assert(json_is(json_get(json, "metadata"), JSON_OBJECT));
	buf_done(&out);
}

static void draft_check(const struct draft *d, struct arena *arena)
{
	const struct ask a = { .id = STR("ask_1"), .fixed = d->fixed, .kind = d->kind };
	struct ask_parts parts;
	struct buf before = { 0 }, after = { 0 };
	struct json_writer w = { .out = &before }, v = { .out = &after };
	struct answer answer;

	assert(d->questions_len >= 1 && d->questions_len <= QUESTIONS_MAX);
	assert(d->search.len <= 1000 && d->session_title.len > 0);
	assert(ask_parts(&a, arena, &parts, NULL) == OK);
	assert(parts.questions_len == d->questions_len);
	for (size_t i = 0; i < d->questions_len; i++) {
		question_write(&w, &d->questions[i]);
		question_write(&v, &parts.questions[i]);
	}
	assert(str_eq(buf_str(&before), buf_str(&after)));
	if (parts.fallback)
		assert(answer_check_at(parts.questions, parts.questions_len,
			       parts.fallback, "/default", arena, &answer, NULL) == OK);
	shown_check(&a, arena);
	buf_done(&before);
	buf_done(&after);
}

static void answer_try(const struct json *body, struct arena *arena)
{
	struct fault why = { 0 };
	struct answer first, again;
	const struct json *json;
	struct draft d;

	assert(json_read(str_of(questions), NULL, arena, &json, NULL) == OK);
	assert(draft_read(json, &limits, arena, &d, NULL) == OK);
	enum err e =
		answer_check(d.questions, d.questions_len, body, arena, &first, &why);
	outcome_check(e, &why);
	for (size_t i = 0; i < d.questions_len; i++)
		answer_check_one(&d.questions[i], body, "/prefill", arena, NULL);
	if (e) return;
	assert(json_read(first.json, NULL, arena, &json, NULL) == OK);
	assert(answer_check_at(d.questions, d.questions_len, json, "", arena, &again,
		       &why) == OK);
	assert(str_eq(first.json, again.json) && str_eq(first.summary, again.summary));
	assert(first.decision == again.decision);
}

static void sessions_try(const struct json *body, struct arena *arena)
{
	struct fault why = { 0 };
	struct session_draft made;
	struct session_patch patch;
	struct str kept;

	outcome_check(session_draft_read(body, arena, &made, &why), &why);
	why = (struct fault){ 0 };
	outcome_check(session_patch_read(body, &patch, &why), &why);
	why = (struct fault){ 0 };
	outcome_check(session_progress_read(body, arena, &kept, &why), &why);
	why = (struct fault){ 0 };
	outcome_check(note_read(body, "reason", REASON_MAX, false, &kept, &why), &why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct arena arena = { 0 };
	struct fault why = { 0 };
	const struct json *body;
	struct draft d;

	enum err e = draft_plain(text, &arena, &d, &why);
	outcome_check(e, &why);
	if (!e) draft_check(&d, &arena);
	if (json_read(text, NULL, &arena, &body, NULL) == OK) {
		why = (struct fault){ 0 };
		e = draft_read(body, &limits, &arena, &d, &why);
		outcome_check(e, &why);
		if (!e) draft_check(&d, &arena);
		answer_try(body, &arena);
		sessions_try(body, &arena);
	}
	arena_done(&arena);
	return 0;
}
