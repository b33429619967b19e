#include "talk.h"
#include "core/shared/show.h"

#include <stdio.h>

static const struct draft_limits limits = { 1000, INT64_C(30) * 86400 * 1000 };

static void ask_open(struct talk *t)
{
	struct fault why = { 0 };

	if (draft_read(t->in.body, &limits, &kit, &t->draft, &why))
		fail_msg("%s: %s\nis refused: %s %s", t->dialect->name,
			kit_compact(t->in.body), why.items[0].pointer, why.detail);
	t->ask = kit_ask(&t->draft);
	t->ask.fixed = arena_print(&kit, "%.*s,\"foreign\":%.*s",
		STR_ARGS(t->draft.fixed), STR_ARGS(t->in.foreign));
	if (t->draft.timeout_ms) t->ask.deadline_ms = 1000 + t->draft.timeout_ms;
}

struct talk talk_open_json(
	const struct dialect *d, const struct json *request, bool strict)
{
	struct talk t = { .dialect = d, .strict = strict };
	struct fault why = { 0 };

	assert_non_null(d);
	if (dialect_to_ask(d, request, strict, &kit, &t.in, &why))
		fail_msg("%s: %s\nis refused: %s %s", d->name, kit_compact(request),
			why.items[0].pointer, why.detail);
	ask_open(&t);
	return t;
}

struct talk talk_open(const char *dialect, const char *request)
{
	return talk_open_json(dialect_find(str_of(dialect)), kit_json(request), false);
}

void talk_refused(
	const char *dialect, const char *request, bool strict, struct fault *why)
{
	struct translated in;

	*why = (struct fault){ 0 };
	enum err e = dialect_to_ask(
		dialect_find(str_of(dialect)), kit_json(request), strict, &kit, &in, why);
	if (e != ERR_INVALID) fail_msg("%s: %s\nis taken", dialect, request);
}

static struct str by(const char *kind)
{
	static const struct principal p = {
		.role = ROLE_MEMBER,
		.user = STR("usr_1"),
		.name = STR("Ada"),
		.via = STR("web"),
	};
	struct buf b = { 0 };

	answered_by_write(&b, kind, strcmp(kind, "default") ? &p : NULL);
	struct str text = arena_str(&kit, buf_str(&b));
	buf_done(&b);
	return text;
}

static void settle(struct talk *t, const struct settlement *s)
{
	struct fault why = { 0 };
	const char *event;

	assert_int_equal(ask_finish(&t->ask, s, TALK_NOW_MS, &kit, &event, &why), OK);
}

void talk_answer(struct talk *t, const struct json *body)
{
	struct answer a;
	struct fault why = { 0 };

	if (answer_check(
		    t->draft.questions, t->draft.questions_len, body, &kit, &a, &why))
		fail_msg("%s: %s\nis no answer to %s: %s %s", t->dialect->name,
			kit_compact(body), kit_compact(t->in.body), why.items[0].pointer,
			why.detail);
	settle(t, &(struct settlement){ .verb = SETTLE_ANSWER,
			  .answer = &a,
			  .answered_by = by("human") });
}

static void expire_by_default(struct talk *t)
{
	struct ask_parts parts;
	struct answer a;
	struct fault why = { 0 };

	assert_int_equal(ask_parts(&t->ask, &kit, &parts, &why), OK);
	assert_non_null(parts.fallback);
	assert_int_equal(answer_check_at(parts.questions, parts.questions_len,
				 parts.fallback, "/default", &kit, &a, &why),
		OK);
	settle(t, &(struct settlement){ .verb = SETTLE_EXPIRE,
			  .answer = &a,
			  .answered_by = by("default") });
}

void talk_settle(struct talk *t, const char *how)
{
	static const struct {
		const char *name;
		enum settling verb;
	} verbs[] = {
		{ "skip", SETTLE_SKIP },
		{ "expire", SETTLE_EXPIRE },
		{ "cancel", SETTLE_CANCEL },
	};
	struct str rest = str_of(how), name;

	str_cut(&rest, ':', &name);
	if (str_is(name, "default")) {
		expire_by_default(t);
		return;
	}
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		if (!str_is(name, verbs[i].name)) continue;
		settle(t, &(struct settlement){ .verb = verbs[i].verb,
				  .answered_by = by("human"),
				  .reason = str_trim(rest) });
		return;
	}
	talk_answer(t, kit_json(how));
}

struct str talk_reply(const struct talk *t)
{
	struct ask_json whole = kit_whole(&t->ask);
	struct str reply = STR_NONE;
	struct fault why = { 0 };

	assert_int_equal(
		dialect_from_ask(t->dialect, &whole, t->strict, &kit, &reply, &why), OK);
	return reply;
}

const char *talk_sum(const struct talk *t)
{
	struct ask_json whole = kit_whole(&t->ask);

	return kit_text(dialect_sum(t->dialect, &whole, t->strict, &kit));
}

void talk_check(
	const char *dialect, const char *request, const char *how, const char *expected)
{
	struct talk t = talk_open(dialect, request);

	if (how[0]) talk_settle(&t, how);
	kit_same(request, talk_reply(&t), expected);
}

void talk_repaired(const struct talk *t, const char *part)
{
	for (size_t i = 0; i < t->in.repairs_len; i++)
		if (strstr(kit_text(t->in.repairs[i]), part)) return;
	for (size_t i = 0; i < t->in.repairs_len; i++)
		print_error("  %s\n", kit_text(t->in.repairs[i]));
	fail_msg("no repair says \"%s\"", part);
}

struct str talk_file(struct arena *arena, const char *path)
{
	static char text[1 << 18];
	FILE *file = fopen(path, "r");

	if (!file) fail_msg("%s cannot be read", path);
	size_t len = fread(text, 1, sizeof text, file);
	fclose(file);
	return arena_str(arena, str_make(text, len));
}

const struct json *talk_examples(void)
{
	const struct json *json = NULL;
	struct str text = talk_file(&kit, DIALECTS_DIR "/examples.json");

	assert_int_equal(json_read(text, NULL, &kit, &json, NULL), OK);
	return json;
}
