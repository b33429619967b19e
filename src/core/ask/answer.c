/* answer.c - checks all values of an answer, and writes its normal form and its
 * decision. */
#include "core/ask/answer.h"

#include "base/keep.h"
#include "core/ask/question_kind.h"
#include "core/ask/reply.h"
#include "core/shared/body.h"

enum { A_ANSWERS, A_ANSWER, A_SCOPE, A_DIGEST, A_LEN };

static const struct str body_names[A_LEN] = {
	[A_ANSWERS] = STR("answers"),
	[A_ANSWER] = STR("answer"),
	[A_SCOPE] = STR("scope"),   /* for whoever makes rules of it */
	[A_DIGEST] = STR("digest"), /* of what was shown; the desk compares it */
};
static const struct members body_members = { body_names, A_LEN };

/* The questions of an ask and the replies read so far, one for each. */
struct sheet {
	struct check *check;
	const struct question *questions;
	size_t len;
	bool nobodys; /* a default: silence is not consent */
	struct reply replies[QUESTIONS_MAX];
};

/* A question as an answer meets it: with what may not be missing. */
static void sheet_read(
	struct sheet *s, size_t i, const struct json_place *at, const struct json *value)
{
	const struct question *q = &s->questions[i];
	struct check own = { .why = s->check->why };
	struct reply *r = &s->replies[i];

	reply_read(&own, at, q, value, r);
	if (!own.failed && q->required && !r->given) wrong(&own, at, "required");
	if (!own.failed && q->note_required && r->given && !r->text.len)
		wrong_member(&own, at, STR("text"), "required");
	if (s->nobodys && r->decision == DECISION_APPROVE)
		wrong(&own, at, "an approval's default may only be reject");
	s->check->failed |= own.failed;
}

static bool question_known(const struct sheet *s, struct str key)
{
	for (size_t i = 0; i < s->len; i++)
		if (str_eq(s->questions[i].key, key)) return true;
	return false;
}

static void sheet_read_keyed(
	struct sheet *s, const struct json_place *at, const struct json *values)
{
	for (uint32_t i = 0; i < values->count; i++)
		if (!question_known(s, values->members[i].name))
			wrong_member(s->check, at, values->members[i].name,
				"no such question");
	for (size_t i = 0; i < s->len; i++) {
		struct json_place key = place_member(at, s->questions[i].key);
		sheet_read(s, i, &key, json_get_str(values, s->questions[i].key));
	}
}

static enum decision sheet_decision(const struct sheet *s)
{
	enum decision all = DECISION_NONE;

	for (size_t i = 0; i < s->len; i++) {
		if (!question_decides(&s->questions[i])) continue;
		if (s->replies[i].decision != DECISION_APPROVE) return DECISION_REJECT;
		all = DECISION_APPROVE;
	}
	return all;
}

static const struct json *sheet_arguments(const struct sheet *s)
{
	for (size_t i = 0; i < s->len; i++)
		if (s->replies[i].arguments) return s->replies[i].arguments;
	return NULL;
}

static struct str sheet_json(const struct sheet *s, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	for (size_t i = 0; i < s->len; i++) {
		if (!s->replies[i].given && !s->replies[i].text.len) continue;
		jw_name(&w, s->questions[i].key);
		reply_write(&w, &s->questions[i], &s->replies[i]);
	}
	jw_object_end(&w);
	return buf_keep_done(&out, arena);
}

static struct str sheet_summary(const struct sheet *s, struct arena *arena)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < s->len; i++) {
		if (i) buf_add_char(&out, '\n');
		reply_sum(&out, &s->questions[i], &s->replies[i]);
	}
	return buf_keep_done(&out, arena);
}

static enum err sheet_end(const struct sheet *s, struct arena *arena, struct answer *out)
{
	struct answer a = { 0 };

	if (!s->check->failed) {
		a.json = sheet_json(s, arena);
		a.summary = sheet_summary(s, arena);
		a.decision = sheet_decision(s);
		a.arguments = sheet_arguments(s);
	}
	enum err e = check_end(s->check, arena);
	if (!e) *out = a;
	return e;
}

static bool sheet_make(
	struct sheet *s, struct check *c, const struct question *questions, size_t len)
{
	*s = (struct sheet){ .check = c, .questions = questions, .len = len };
	return len <= QUESTIONS_MAX;
}

static enum err sheet_check_at(struct sheet *s, const struct json *values,
	const struct json_place *at, struct arena *arena, struct answer *out)
{
	if (values->type == JSON_OBJECT)
		sheet_read_keyed(s, at, values);
	else
		wrong(s->check, at, "must be an object of question keys and answers");
	return sheet_end(s, arena, out);
}

enum err answer_check_at(const struct question *questions, size_t len,
	const struct json *values, const char *at, struct arena *arena,
	struct answer *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	struct sheet s;

	if (!sheet_make(&s, &c, questions, len))
		return fail(why, ERR_INTERNAL, "too many questions");
	return sheet_check_at(&s, values, &spot, arena, out);
}

struct str answer_default_read(struct check *c, const struct json_place *at,
	const struct question *questions, size_t len, const struct json *values,
	struct arena *arena)
{
	struct answer a = { 0 };
	struct sheet s;

	if (!sheet_make(&s, c, questions, len)) return STR_NONE;
	s.nobodys = true;
	sheet_check_at(&s, values, at, arena, &a);
	return a.json;
}

/* The question that a lone `answer` is for: the only one, or the only one that must be
 * answered. -1: there are several. */
static int sheet_single(const struct sheet *s)
{
	int found = -1;

	if (s->len == 1) return 0;
	for (size_t i = 0; i < s->len; i++) {
		if (!s->questions[i].required) continue;
		if (found >= 0) return -1;
		found = (int)i;
	}
	return found;
}

static void body_read(struct sheet *s, const struct json *body)
{
	const struct json *m[A_LEN];
	struct json_place root = place_root("");
	struct json_place answers = place_member(&root, body_names[A_ANSWERS]);
	struct json_place answer = place_member(&root, body_names[A_ANSWER]);
	struct json_place digest = place_member(&root, body_names[A_DIGEST]);
	bool single = json_get(body, "answer") != NULL;
	int one = sheet_single(s);

	if (!members_read(s->check, &root, body, &body_members, NULL, m)) return;
	if (m[A_DIGEST] && m[A_DIGEST]->type != JSON_STRING)
		wrong(s->check, &digest, "must be a string");
	if (single && m[A_ANSWERS])
		wrong(s->check, &answer, "give answers or answer, not both");
	else if (single && one < 0)
		wrong(s->check, &answer,
			"only for a single question; give answers by key");
	else if (single)
		sheet_read(s, (size_t)one, &answer, m[A_ANSWER]);
	else if (!m[A_ANSWERS])
		wrong(s->check, &answers, "required");
	else if (m[A_ANSWERS]->type != JSON_OBJECT)
		wrong(s->check, &answers,
			"must be an object of question keys and answers");
	else
		sheet_read_keyed(s, &answers, m[A_ANSWERS]);
}

enum err answer_check(const struct question *questions, size_t len,
	const struct json *body, struct arena *arena, struct answer *out,
	struct fault *why)
{
	struct check c = { .why = why };
	struct sheet s;

	if (!sheet_make(&s, &c, questions, len))
		return fail(why, ERR_INTERNAL, "too many questions");
	body_read(&s, body);
	return sheet_end(&s, arena, out);
}

enum err answer_check_one(const struct question *q, const struct json *value,
	const char *at, struct arena *arena, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	struct reply r;

	reply_read(&c, &spot, q, value, &r);
	return check_end(&c, arena);
}
