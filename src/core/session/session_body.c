/* session_body.c - reads the bodies that create, change and report on a session.
 * Prefixes: session_, callback_. */
#include "base/keep.h"
#include "core/ask/draft.h"
#include "core/delivery/resumer.h"
#include "core/people/project.h"
#include "core/run/message.h"
#include "core/session/session.h"
#include "core/shared/address.h"
#include "core/shared/shape.h"

enum {
	SESSION_TITLE_MAX = 200,
	AGENT_MAX = 100,
	WEBHOOK_MAX = 2000,
	PROGRESS_TEXT_MAX = 2000,
	STEPS_MAX = 1000000000,
};

/* ---- whom it wants called ---- */

static bool callback_said(const struct shape_reading *r)
{
	if (shape_said(r, "webhook") || shape_said(r, "resumer")) return true;
	wrong(r->check, r->at, "give a webhook, a resumer or both");
	return false;
}

static void callback_check(const struct shape_reading *r)
{
	const struct callback *c = r->out;
	struct url url;

	if (c->webhook.len && !url_split(c->webhook, &url))
		wrong_member(
			r->check, r->at, STR("webhook"), "must be an http or https URL");
}

static const struct shape_member callback_members[] = {
	{ STR("webhook"), OF_TEXT, AT(callback, webhook), 1, WEBHOOK_MAX,
		TEXT_LINE | TEXT_FILLED | SHAPE_SPARE },
	{ STR("resumer"), OF_TEXT, AT(callback, resumer), 1, RESUMER_NAME_MAX,
		TEXT_LINE | TEXT_FILLED | SHAPE_SPARE },
};
static const struct shape callback_shape = { SHAPE(callback_members, callback),
	.first = callback_said, .together = callback_check };

enum err callback_read(struct str on_settled, struct arena *arena, struct callback *out,
	struct fault *why)
{
	const struct json *json;
	enum err e = json_read(on_settled, NULL, arena, &json, why);

	if (e == ERR_MEMORY) return e;
	if (e) return fail(why, ERR_INTERNAL, "on_settled of a session is unreadable");
	out->webhook = json_text(json_get(json, "webhook"));
	out->resumer = json_text(json_get(json, "resumer"));
	return OK;
}

struct str callback_write(const struct callback *c, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	if (!c->webhook.len && !c->resumer.len) return STR_NONE;
	shape_write(&w, &callback_shape, c);
	return buf_keep_done(&out, arena);
}

/* ---- a new session ---- */

enum err session_external_id_check(struct str id, const char *pointer, struct fault *why)
{
	if (text_longer(id, EXTERNAL_ID_MAX))
		return fail_at(
			why, pointer, "must have at most %d characters", EXTERNAL_ID_MAX);
	if (!text_one_line(id))
		return fail_at(
			why, pointer, "must be one line without control characters");
	return OK;
}

/* Parley titles a session of an agent that it runs by the message. */
static void title_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	bool spare = shape_said(r, "message") || shape_said(r, "agent");
	struct session_draft *d = r->out;

	d->title = text_read(r->check, r->at, m->name, v, SESSION_TITLE_MAX,
		TEXT_LINE | TEXT_FILLED | (spare ? 0 : TEXT_NEEDED));
}

static void metadata_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct session_draft *d = r->out;

	d->metadata = context_metadata_read(r->check, &at, v, r->arena);
}

/* What is for the first run needs one. */
static void first_run_check(const struct shape_reading *r)
{
	static const char *const names[] = { "limits", "on_limit", "output_schema" };

	if (((struct session_draft *)r->out)->message.len || shape_said(r, "message"))
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (shape_said(r, names[i]))
			wrong_member(
				r->check, r->at, str_of(names[i]), "only with a message");
}

static const struct shape_member draft_members[] = {
	{ STR("title"), OF_OWN, .read = title_read },
	{ STR("message"), OF_TEXT, AT(session_draft, message), 1, SAY_MAX, TEXT_FILLED },
	{ STR("lang"), OF_NAME, AT(session_draft, language), .must = LANGUAGE_MUST,
		.fits = message_language_valid },
	{ STR("limits"), OF_JSON, AT(session_draft, limits) },
	{ STR("output_schema"), OF_JSON, AT(session_draft, output_schema) },
	{ STR("on_limit"), OF_WORD, AT(session_draft, on_limit), WORDS(message_on_limits),
		.must = ON_LIMIT_MUST },
	{ STR("agent"), OF_TEXT, AT(session_draft, agent), 1, AGENT_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("project"), OF_TEXT, AT(session_draft, project), 1, PROJECT_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("external_id"), OF_TEXT, AT(session_draft, external_id), 1, EXTERNAL_ID_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("parallel"), OF_BOOL, AT(session_draft, parallel) },
	{ STR("sensitive"), OF_BOOL, AT(session_draft, sensitive) },
	{ STR("metadata"), OF_OWN, .read = metadata_read },
	{ STR("on_ended"), OF_OBJECT, AT(session_draft, on_ended),
		.of = &on_ended_shape },
	{ STR("on_settled"), OF_OBJECT, AT(session_draft, callback),
		.of = &callback_shape },
};
/* As SessionRequest in openapi.json. */
static const struct shape session_draft_shape = { SHAPE(draft_members, session_draft),
	.together = first_run_check };

enum err session_draft_read(const struct json *body, struct arena *arena,
	struct session_draft *out, struct fault *why)
{
	struct session_draft d = { 0 };
	enum err e = shape_take(&session_draft_shape, body, NULL, arena, &d, why);

	if (e) return e;
	d.on_settled = callback_write(&d.callback, arena);
	*out = d;
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

/* ---- changed, and reported on ---- */

static void patch_check(const struct shape_reading *r)
{
	struct session_patch *p = r->out;

	p->has_title = shape_said(r, "title");
	p->has_status = shape_said(r, "status");
	if (!r->check->failed && !p->has_title && !p->has_status)
		wrong(r->check, r->at, "nothing to change: give a title or a status");
}

static const struct shape_member patch_members[] = {
	{ STR("title"), OF_TEXT, AT(session_patch, title), 1, SESSION_TITLE_MAX,
		TEXT_LINE | TEXT_FILLED },
	{ STR("status"), OF_WORD, AT(session_patch, status),
		.must = "is no status of a session", WORDS(session_status_names) },
};
/* As SessionPatch in openapi.json. */
static const struct shape session_patch_shape = { SHAPE(patch_members, session_patch),
	.together = patch_check };

enum err session_patch_read(
	const struct json *body, struct session_patch *out, struct fault *why)
{
	struct session_patch p = { 0 };
	enum err e = shape_take(&session_patch_shape, body, NULL, NULL, &p, why);

	if (!e) *out = p;
	return e;
}

struct progress {
	struct str text;
	int64_t step, steps; /* -1: not said */
};

static void progress_check(const struct shape_reading *r)
{
	const struct progress *p = r->out;

	if (p->steps >= 0 && p->step > p->steps)
		wrong_member(r->check, r->at, STR("step"), "must not be more than steps");
}

static const struct shape_member progress_members[] = {
	{ STR("text"), OF_TEXT, AT(progress, text), 1, PROGRESS_TEXT_MAX,
		TEXT_NEEDED | TEXT_FILLED },
	{ STR("step"), OF_NUMBER, AT(progress, step), 0, STEPS_MAX, SHAPE_SPARE,
		.otherwise = -1 },
	{ STR("steps"), OF_NUMBER, AT(progress, steps), 0, STEPS_MAX, SHAPE_SPARE,
		.otherwise = -1 },
};
/* As Progress in openapi.json. */
static const struct shape progress_shape = { SHAPE(progress_members, progress),
	.together = progress_check };

enum err session_progress_read(
	const struct json *body, struct arena *arena, struct str *out, struct fault *why)
{
	return shape_keep(&progress_shape, body, STR_NONE, NULL, arena, out, NULL, why);
}
