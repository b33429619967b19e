/* verifier.c - verdicts: read, kept with the ask, waited for. */
#include "core/policy/verifier.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

static const char *const verdicts[] = {
	[VERDICT_FINE] = "fine", [VERDICT_DENY] = "deny", [VERDICT_UNSURE] = "unsure"
};

bool verifier_is_url(struct str setting)
{
	return str_starts(setting, "https://") || str_starts(setting, "http://");
}

static enum verifier_verdict verdict_named(struct str name)
{
	int i = name_find(verdicts, sizeof verdicts / sizeof *verdicts, name);

	return i < 0 ? VERDICT_NONE : (enum verifier_verdict)i;
}

static struct verification load_one(const struct json *json)
{
	struct verification v = { .name = json_text(json_get(json, "name")),
		.rule = json_text(json_get(json, "rule")),
		.verdict = verdict_named(json_text(json_get(json, "verdict"))),
		.note = json_text(json_get(json, "note")) };

	time_read(json_text(json_get(json, "until")), &v.until_ms);
	time_read(json_text(json_get(json, "at")), &v.at_ms);
	risk_read(json_text(json_get(json, "risk")), &v.risk);
	return v;
}

enum err verifications_load(struct str text, struct arena *arena,
	struct verifications *out, struct fault *why)
{
	const struct json *json = NULL;
	enum err e = text.len ? json_read(text, NULL, arena, &json, why) : OK;

	if (e) return e;
	*out = (struct verifications){ 0 };
	for (uint32_t i = 0; json_is(json, JSON_ARRAY) && i < json->count; i++)
		if (out->len < VERIFIERS_MAX)
			out->at[out->len++] = load_one(&json->items[i]);
	return OK;
}

struct str verifications_text(const struct verifications *v, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (!v->len) return STR_NONE;
	jw_array(&w);
	for (size_t i = 0; i < v->len; i++) {
		const struct verification *at = &v->at[i];

		jw_object(&w);
		show_text(&w, "name", at->name);
		show_text(&w, "rule", at->rule);
		show_time(&w, "until", at->until_ms);
		jw_put_text(&w, "verdict", verdicts[at->verdict]);
		show_text(&w, "note", at->note);
		jw_put_text(&w, "risk", at->risk ? risk_name(at->risk) : NULL);
		show_time(&w, "at", at->at_ms);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

const struct verification *verifications_wait(
	const struct verifications *v, int64_t now_ms)
{
	for (size_t i = 0; i < v->len; i++)
		if (!v->at[i].verdict && v->at[i].until_ms > now_ms) return &v->at[i];
	return NULL;
}

/* A command may say more before: what it prints last counts. */
static struct str last_line(struct str text)
{
	struct str rest = str_trim(text), line = STR_NONE;

	while (str_cut(&rest, '\n', &line))
		;
	return str_trim(line);
}

enum err verdict_read(struct str reply, struct arena *arena, struct verification *out,
	struct fault *why)
{
	const struct json *json, *risk;
	struct verification v = { 0 };

	if (json_read(reply, NULL, arena, &json, NULL) &&
		json_read(last_line(reply), NULL, arena, &json, NULL))
		return fail(why, ERR_INVALID, "it did not reply with JSON");
	v.verdict = verdict_named(json_text(json_get(json, "verdict")));
	if (!v.verdict)
		return fail(why, ERR_INVALID,
			"its reply has no verdict of fine, deny or unsure");
	risk = json_get(json, "risk");
	if (json_is(risk, JSON_STRING) && !risk_read(risk->text, &v.risk))
		return fail(why, ERR_INVALID,
			"its reply has a risk other than low, medium, high, critical");
	v.note = arena_str(
		arena, utf8_first(json_text(json_get(json, "note")), VERIFIER_NOTE_MAX));
	*out = v;
	return OK;
}
