/* Any request that keeps its dialect's rules, any answer, and every way an ask can end:
 * nothing is mended, the reply is valid in its own schema, and nothing gets lost. */
#include "generator.h"
#include "schema.h"
#include "talk.h"

#include <stdlib.h>

static struct arena schemas_arena;
static const struct json *schemas; /* of the replies, by dialect */

static int schemas_load(void **state)
{
	struct fault why = { 0 };
	struct str text = talk_file(&schemas_arena, DIALECTS_DIR "/replies.json");

	(void)state;
	return json_read(text, NULL, &schemas_arena, &schemas, &why) ? -1 : 0;
}

static int schemas_done(void **state)
{
	(void)state;
	arena_done(&schemas_arena);
	return 0;
}

/* ---- looking into a reply ---- */

static const struct json *reply_of(const struct talk *t)
{
	struct str text = talk_reply(t);
	const struct json *reply = NULL;
	const char *why;

	if (!text.len) fail_msg("%s has no reply", t->dialect->name);
	if (json_read(text, NULL, &kit, &reply, NULL))
		fail_msg("%s: no JSON: %s", t->dialect->name, kit_text(text));
	why = schema_misfit(json_get(schemas, t->dialect->name), reply);
	if (why)
		fail_msg("%s: %s\nis no valid reply to %s: %s", t->dialect->name,
			kit_text(text), kit_text(t->in.foreign), why);
	return reply;
}

static bool mentions(const struct json *json, struct str token)
{
	struct str text = json->type == JSON_STRING || json->type == JSON_NUMBER
				  ? json->text
				  : STR_NONE;

	if (text.len && str_find(text, token) >= 0) return true;
	for (uint32_t i = 0; json->type == JSON_ARRAY && i < json->count; i++)
		if (mentions(&json->items[i], token)) return true;
	for (uint32_t i = 0; json->type == JSON_OBJECT && i < json->count; i++)
		if (mentions(&json->members[i].value, token)) return true;
	return false;
}

static void nothing_is_lost(
	const struct talk *t, const struct json *reply, const struct generator_answer *a)
{
	for (size_t i = 0; i < a->tokens_len; i++)
		if (!mentions(reply, a->tokens[i]))
			fail_msg("%s: %s\nlacks %s of the answer %s", t->dialect->name,
				kit_compact(reply), kit_text(a->tokens[i]),
				kit_compact(a->body));
}

/* What a form asked for is what it gets. */
static void payloads_fit(const struct json *request, const struct json *reply)
{
	const struct json *schema = json_get(request, "requestedSchema");
	const struct json *content = json_get(reply, "content");
	const struct json *list = json_get(request, "interrupts");
	const char *why = NULL;

	if (schema && content) why = schema_misfit(schema, content);
	for (uint32_t i = 0; !why && list && i < list->count; i++) {
		const struct json *own = json_get(&list->items[i], "responseSchema");
		const struct json *entry = &json_get(reply, "resume")->items[i];

		assert_true(json_equal(
			json_get(entry, "interruptId"), json_get(&list->items[i], "id")));
		if (own && json_get(entry, "payload"))
			why = schema_misfit(own, json_get(entry, "payload"));
	}
	if (why)
		fail_msg("%s\ndoes not answer %s: %s", kit_compact(reply),
			kit_compact(request), why);
}

/* ---- talks ---- */

static struct talk again(const struct talk *t, const struct json *request)
{
	return talk_open_json(t->dialect, request, t->strict);
}

static const struct json *settled(
	const struct talk *t, const struct json *request, const char *how)
{
	struct talk other = again(t, request);

	talk_settle(&other, how);
	return reply_of(&other);
}

/* A parameter that is left open keeps its value, which another may have typed. */
static bool leaves_open(const struct talk *t, const struct talk *u)
{
	return strcmp(t->dialect->name, "airflow") == 0 &&
	       kit_whole(&t->ask).answer->count != kit_whole(&u->ask).answer->count;
}

/* The request is kept whole, and as it was. */
static void request_is_kept(const struct talk *t, const struct json *request)
{
	assert_true(json_equal(json_get(kit_whole(&t->ask).foreign, "request"), request));
	if (t->in.repairs_len)
		fail_msg("%s: %s\nwas mended: %s", t->dialect->name, kit_compact(request),
			kit_text(t->in.repairs[0]));
}

static void one_round(struct generator *d, const struct dialect *dialect)
{
	const struct json *request = generator_request(d, dialect->name);
	struct talk t = talk_open_json(dialect, request, d->state & 1);
	struct talk u = again(&t, request);
	struct generator_answer a, b;

	request_is_kept(&t, request);
	a = generator_answer(d, &t.draft);
	b = generator_answer(d, &u.draft);
	talk_answer(&t, a.body);
	talk_answer(&u, b.body);

	const struct json *first = reply_of(&t), *second = reply_of(&u);
	nothing_is_lost(&t, first, &a);
	payloads_fit(request, first);
	bool same = str_eq(t.ask.answer, u.ask.answer) || leaves_open(&t, &u);
	if (!same && !(a.denies && b.denies) && json_equal(first, second))
		fail_msg("%s: %s\nstands for %s\nand for %s", dialect->name,
			kit_compact(first), kit_text(t.ask.answer),
			kit_text(u.ask.answer));

	static const char *const ends[] = { "skip", "expire", "cancel" };
	for (size_t i = 0; i < 3; i++) {
		const struct json *end = settled(&t, request, ends[i]);

		/* A no to going on at all may be told as a withdrawal. */
		if (!a.denies && !a.refuses && json_equal(end, first))
			fail_msg("%s: %s\nstands for an answer and for %s", dialect->name,
				kit_compact(end), ends[i]);
	}

	const struct json *otherwise = json_get(kit_whole(&t.ask).fixed, "default");
	if (json_is(otherwise, JSON_OBJECT)) {
		struct talk human = again(&t, request);
		const struct json *silent = settled(&t, request, "default");

		talk_answer(&human,
			kit_json(kit_print("{'answers':%s}", kit_compact(otherwise))));
		assert_false(json_equal(silent, reply_of(&human)));
	}
}

/* An ask that came in one dialect has a reply in every other, too. */
static void in_every_dialect(struct generator *d, const struct dialect *dialect)
{
	struct talk t =
		talk_open_json(dialect, generator_request(d, dialect->name), false);
	struct generator_answer a = generator_answer(d, &t.draft);
	const char *how = GENERATOR_PICK(d, "skip", "expire", "cancel", "answer");

	if (strcmp(how, "answer") == 0)
		talk_answer(&t, a.body);
	else
		talk_settle(&t, how);
	for (size_t i = 0; dialects[i]; i++) {
		struct talk other = t;

		other.dialect = dialects[i];
		reply_of(&other);
	}
}

static const char *only; /* NULL: all of them */
static uint64_t playing; /* the seed of the round that runs */

static uint64_t number_of(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : usual;
}

static void every_round_trip_is_whole(void **state)
{
	uint64_t seed = number_of("PARLEY_SEED", 1);
	uint64_t rounds = number_of("PARLEY_LONG", 0) ? 20000 : 150;

	(void)state;
	for (size_t i = 0; dialects[i]; i++) {
		if (only && strcmp(only, dialects[i]->name) != 0) continue;
		for (uint64_t n = 0; n < rounds; n++) {
			struct generator d = { .state = seed + n };

			kit_end(NULL);
			kit_begin(NULL);
			playing = d.state;
			one_round(&d, dialects[i]);
			in_every_dialect(&d, dialects[i]);
		}
		print_message("%s: %llu round trips\n", dialects[i]->name,
			(unsigned long long)rounds);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { KIT_TEST(every_round_trip_is_whole) };

	if (argc > 1) only = argv[1]; /* one dialect alone */
	int failed = cmocka_run_group_tests(tests, schemas_load, schemas_done);

	if (failed) print_error("PARLEY_SEED=%llu\n", (unsigned long long)playing);
	return failed;
}
