/* session_body.c - reads the bodies that create, change and report on a session. */
#include "base/keep.h"
#include "core/ask/draft.h"
#include "core/delivery/resumer.h"
#include "core/people/project.h"
#include "core/session/session.h"
#include "core/shared/address.h"
#include "core/shared/message_body.h"

enum {
	SESSION_TITLE_MAX = 200,
	AGENT_MAX = 100,
	WEBHOOK_MAX = 2000,
	PROGRESS_TEXT_MAX = 2000,
	STEPS_MAX = 1000000000,
};

enum {
	S_TITLE,
	S_AGENT,
	S_PROJECT,
	S_EXTERNAL_ID,
	S_PARALLEL,
	S_METADATA,
	S_ON_SETTLED,
	S_MESSAGE,
	S_LANG,
	S_SENSITIVE,
	S_LEN
};

static const struct str draft_names[S_LEN] = {
	[S_TITLE] = STR("title"),
	[S_AGENT] = STR("agent"),
	[S_PROJECT] = STR("project"),
	[S_EXTERNAL_ID] = STR("external_id"),
	[S_PARALLEL] = STR("parallel"),
	[S_METADATA] = STR("metadata"),
	[S_ON_SETTLED] = STR("on_settled"),
	[S_MESSAGE] = STR("message"),
	[S_LANG] = STR("lang"),
	[S_SENSITIVE] = STR("sensitive"),
};
static const struct members draft_members = { draft_names, S_LEN };

enum { C_WEBHOOK, C_RESUMER, C_LEN };

static const struct str call_names[C_LEN] = {
	[C_WEBHOOK] = STR("webhook"),
	[C_RESUMER] = STR("resumer"),
};
static const struct members call_members = { call_names, C_LEN };

/* {"webhook": URL, "resumer": name}: either or both. */
static struct callback on_settled_read(
	struct check *c, const struct json_place *at, const struct json *json)
{
	const unsigned line = TEXT_LINE | TEXT_FILLED;
	const struct json *m[C_LEN];
	struct callback call = { 0 };
	struct url url;

	if (!json || !members_read(c, at, json, &call_members, NULL, m)) return call;
	if (!m[C_WEBHOOK] && !m[C_RESUMER])
		wrong(c, at, "give a webhook, a resumer or both");
	call.webhook =
		text_read(c, at, call_names[C_WEBHOOK], m[C_WEBHOOK], WEBHOOK_MAX, line);
	call.resumer = text_read(
		c, at, call_names[C_RESUMER], m[C_RESUMER], RESUMER_NAME_MAX, line);
	if (call.webhook.len && !url_split(call.webhook, &url))
		wrong_member(
			c, at, call_names[C_WEBHOOK], "must be an http or https URL");
	return call;
}

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

static void draft_members_read(struct check *c, const struct json_place *root,
	const struct json **m, struct arena *arena, struct session_draft *d)
{
	struct json_place metadata = place_member(root, draft_names[S_METADATA]);
	struct json_place call = place_member(root, draft_names[S_ON_SETTLED]);
	const unsigned line = TEXT_LINE | TEXT_FILLED;

	d->title = text_read(c, root, draft_names[S_TITLE], m[S_TITLE], SESSION_TITLE_MAX,
		m[S_MESSAGE] || m[S_AGENT] ? line : line | TEXT_NEEDED);
	d->message = text_read(
		c, root, draft_names[S_MESSAGE], m[S_MESSAGE], SAY_MAX, TEXT_FILLED);
	d->language = json_text(m[S_LANG]);
	if (m[S_LANG] && !str_is(d->language, "en") && !str_is(d->language, "fr"))
		wrong_member(c, root, draft_names[S_LANG], "en or fr");
	d->agent = text_read(c, root, draft_names[S_AGENT], m[S_AGENT], AGENT_MAX, line);
	d->project = text_read(
		c, root, draft_names[S_PROJECT], m[S_PROJECT], PROJECT_MAX, line);
	d->external_id = text_read(c, root, draft_names[S_EXTERNAL_ID], m[S_EXTERNAL_ID],
		EXTERNAL_ID_MAX, line);
	d->parallel = flag_read(c, root, draft_names[S_PARALLEL], m[S_PARALLEL], false);
	d->sensitive =
		flag_read(c, root, draft_names[S_SENSITIVE], m[S_SENSITIVE], false);
	d->metadata = context_metadata_read(c, &metadata, m[S_METADATA], arena);
	d->callback = on_settled_read(c, &call, m[S_ON_SETTLED]);
	d->on_settled = callback_write(&d->callback, arena);
}

enum err session_draft_read(const struct json *body, struct arena *arena,
	struct session_draft *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct session_draft d = { 0 };
	const struct json *m[S_LEN];

	if (members_read(&c, &root, body, &draft_members, NULL, m))
		draft_members_read(&c, &root, m, arena, &d);
	enum err e = check_end(&c, arena);
	if (!e) *out = d;
	return e;
}

enum { P_TITLE, P_STATUS, P_LEN };

static const struct str patch_names[P_LEN] = {
	[P_TITLE] = STR("title"),
	[P_STATUS] = STR("status"),
};
static const struct members patch_members = { patch_names, P_LEN };

enum err session_patch_read(
	const struct json *body, struct session_patch *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct session_patch p = { 0 };
	const struct json *m[P_LEN];

	if (members_read(&c, &root, body, &patch_members, NULL, m)) {
		p.title = text_read(&c, &root, patch_names[P_TITLE], m[P_TITLE],
			SESSION_TITLE_MAX, TEXT_LINE | TEXT_FILLED);
		p.has_title = m[P_TITLE] != NULL;
		p.has_status = m[P_STATUS] != NULL;
		if (p.has_status &&
			!session_status_read(json_text(m[P_STATUS]), &p.status))
			wrong_member(&c, &root, patch_names[P_STATUS],
				"is no status of a session");
		if (!c.failed && !p.has_title && !p.has_status)
			wrong(&c, &root, "nothing to change: give a title or a status");
	}
	enum err e = check_end(&c, NULL);
	if (!e) *out = p;
	return e;
}

enum { R_TEXT, R_STEP, R_STEPS, R_LEN };

static const struct str progress_names[R_LEN] = {
	[R_TEXT] = STR("text"),
	[R_STEP] = STR("step"),
	[R_STEPS] = STR("steps"),
};
static const struct members progress_members = { progress_names, R_LEN };

static void progress_check(
	struct check *c, const struct json_place *root, const struct json **m)
{
	text_read(c, root, progress_names[R_TEXT], m[R_TEXT], PROGRESS_TEXT_MAX,
		TEXT_NEEDED | TEXT_FILLED);
	bool step = count_read(c, root, progress_names[R_STEP], m[R_STEP], 0, STEPS_MAX);
	bool steps =
		count_read(c, root, progress_names[R_STEPS], m[R_STEPS], 0, STEPS_MAX);
	if (step && steps && m[R_STEP] && m[R_STEPS] &&
		m[R_STEP]->integer > m[R_STEPS]->integer)
		wrong_member(
			c, root, progress_names[R_STEP], "must not be more than steps");
}

static struct str progress_write(const struct json **m, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	for (size_t i = 0; i < R_LEN; i++) {
		if (!m[i]) continue;
		jw_put_json(&w, progress_names[i].at, m[i]);
	}
	jw_object_end(&w);
	return buf_keep_done(&out, arena);
}

enum err session_progress_read(
	const struct json *body, struct arena *arena, struct str *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place root = place_root("");
	struct str json = STR_NONE;
	const struct json *m[R_LEN];

	if (members_read(&c, &root, body, &progress_members, NULL, m))
		progress_check(&c, &root, m);
	if (!c.failed) json = progress_write(m, arena);
	enum err e = check_end(&c, arena);
	if (!e) *out = json;
	return e;
}
