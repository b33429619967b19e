/* slack_in.c - what Slack calls us with: presses, forms and messages in threads, at POST /v1/in/slack or
 * over Slack's socket (slack_socket.c).
 *
 * A press or a form is a settlement by the person who holds that Slack id, with their role, teams and
 * votes, and within the channel's limit. It is durable before the reply. What is refused is told to
 * that person alone: a form by its own reply, a press by a line that nobody else sees. Calls to Slack
 * are made in the pool, after the reply. */
#include "channel/slack/slack_in.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/mem.h"
#include "channel/slack/slack_call.h"
#include "channel/slack/slack_form.h"
#include "channel/slack/slack_payload.h"
#include "core/approval/entitled.h"
#include "core/notify/channel_limit.h"
#include "core/shared/body.h"
#include "core/shared/settings.h"
#include "desk/notify/slack.h"
#include "text/msg.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

struct slack_in *slack_of(const struct serve *s)
{
	return serve_state(s, &slack_receiver);
}

/* One request of Slack's on its way; in the request's arena. */
struct slack_turn {
	struct slack_payload payload;
	struct str envelope;	   /* what it came in; empty: it came by HTTP */
	uint64_t link;		   /* and over which connection */
	struct slack_button press; /* of a press or a form */
	struct slack_find find;
	struct channel_limit limit;
	enum lang lang;
};

static struct slack_turn *slack_turn_of(struct request *r)
{
	return r->ctx;
}

/* A text in the language of who is spoken to. */
#define TEXT(r, id, ...)                                                                 \
	MSG_IN(&(r)->task.job.arena, slack_turn_of(r)->lang,                             \
		(id)__VA_OPT__(, ) __VA_ARGS__)

/* Does somebody wait for the reply? */
static bool slack_waits(struct request *r)
{
	return r->x || slack_turn_of(r)->envelope.len;
}

/* It cannot be done now. By HTTP the reply says so; what came over the socket is not acknowledged, and
 * Slack says it again or tells the person. */
static void slack_unable(struct request *r)
{
	if (r->x)
		request_reply(r, STR_NONE);
	else
		request_free(r);
}

/* ---- replies ---- */

static void slack_send(struct request *r, struct str to, struct str body)
{
	struct slack_post *p = slack_post_new(r->serve, to, body);

	if (p) slack_post_start(r->serve, p);
}

static void slack_reply(struct request *r, struct str json)
{
	struct slack_turn *t = slack_turn_of(r);

	if (t && t->envelope.len) {
		slack_socket_acknowledge(
			slack_of(r->serve)->socket, t->link, t->envelope, json);
		request_free(r);
		return;
	}
	request_send(r, 200, "application/json", str_of(API_HEADERS), json);
}

/* A line that only who pressed sees. */
static struct str line_body(struct str text, struct arena *arena)
{
	return JSON_TEXT(arena,
		"{'response_type':'ephemeral','replace_original':false,'text':%s}",
		slack_escape(text, arena));
}

static void slack_say(struct request *r, struct str text)
{
	struct slack_turn *t = slack_turn_of(r);
	struct arena *arena = &r->task.job.arena;

	/* Where the form was. */
	if (t->payload.kind == SLACK_SUBMITTED) {
		slack_reply(r, JSON_TEXT(arena, "{'response_action':'update','view':%j}",
				       slack_form_says(text, t->lang, arena)));
		return;
	}
	if (slack_response_url_valid(t->payload.response_url, r->serve->set.slack_api))
		slack_send(r, t->payload.response_url, line_body(text, arena));
	slack_reply(r, STR_NONE);
}

/* A line in a thread that only who wrote there sees, or a message to them. */
static void slack_tell(struct request *r, const char *method, struct str text)
{
	const struct slack_payload *p = &slack_turn_of(r)->payload;
	struct arena *arena = &r->task.job.arena;

	slack_send(r, str_of(method),
		JSON_TEXT(arena, "{'channel':%s,'user':%s,'thread_ts':%?,'text':%s}",
			p->channel, p->user, p->ts, slack_escape(text, arena)));
}

/* Does the text read like a decision, though it is only a message? */
static bool slack_sounds_decided(struct str text)
{
	static const char *const words[] = { "yes", "no", "ok", "okay", "approve",
		"approved", "reject", "rejected", "lgtm", "oui", "non", "approuver",
		"approuvé", "refuser", "rejeter" };
	struct str word = str_trim(text);

	while (word.len && strchr(".! ", word.at[word.len - 1]))
		word.len--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq_nocase(word, str_of(words[i]))) return true;
	return false;
}

/* Of an ask that somebody settled: who, as far as the conflict says. */
static struct str settled_words(struct request *r)
{
	struct arena *arena = &r->task.job.arena;
	const struct kept_ask *k = r->task.found;
	struct ask_json whole = { 0 };

	if (k) ask_json_read(&k->ask, &k->view, arena, &whole, NULL);
	return TEXT(r, whole.answered_by ? "notify.slack.settled" : "notify.slack.ended",
		{ "name", json_text_of(whole.answered_by, "name") });
}

static void slack_refused(struct request *r)
{
	struct slack_turn *t = slack_turn_of(r);
	struct job *job = &r->task.job;
	struct arena *arena = &job->arena;

	if (job->err == ERR_CONFLICT)
		slack_say(r, settled_words(r));
	else if (job->err == ERR_INVALID && t->payload.kind == SLACK_SUBMITTED)
		slack_reply(
			r, slack_form_errors(&job->why, &t->find.parts, t->lang, arena));
	else
		slack_say(r, TEXT(r, "notify.slack.refused",
				     { "detail", problem_words(str_of(job->why.detail),
							 t->lang, arena) },
				     { "url", ask_url(str_of(r->serve->url), t->press.ask,
						      arena) }));
}

/* ---- settling ---- */

static bool is_ours(enum err e)
{
	return e == ERR_UNAVAILABLE || e == ERR_UNKNOWN || e == ERR_MEMORY ||
	       e == ERR_BUSY || e == ERR_INTERNAL || e == ERR_RATE;
}

static void slack_settled(struct request *r)
{
	const struct job *job = &r->task.job;

	if (!slack_waits(r) || is_ours(job->err))
		slack_unable(r); /* 503: the person tries again */
	else if (job->err)
		slack_refused(r);
	else if (!r->task.settled && slack_turn_of(r)->payload.kind != SLACK_SAID &&
		 job->decided) /* not one that Slack said twice */
		slack_say(r, TEXT(r, "notify.slack.voted"));
	else {
		if (slack_turn_of(r)->payload.kind == SLACK_SAID && job->decided &&
			slack_sounds_decided(slack_turn_of(r)->payload.text))
			slack_tell(r, "chat.postEphemeral", TEXT(r, "notify.slack.said"));
		slack_reply(r, STR_NONE);
	}
}

/* The next task of the request, as the person who holds the id; once, however often Slack
 * says it. */
static void slack_put(struct request *r, const struct use *use, struct str body)
{
	struct slack_turn *turn = slack_turn_of(r);
	struct task *t = &r->task;
	struct arena *arena;
	struct fault why = { 0 };
	const struct json *json;

	request_renew(r);
	arena = &t->job.arena;
	r->ctx = turn;
	if (json_read(body, NULL, arena, &json, &why)) {
		t->job.err = fail(&t->job.why, ERR_MEMORY, "out of memory");
		slack_unable(r);
		return;
	}
	t->job.person = true;
	t->job.who = (struct principal){
		.ws = turn->find.ws, .user = turn->find.person, .via = STR("slack")
	};
	t->id = turn->find.ask;
	t->wants_record = true;
	t->body = json;
	t->limit = &turn->limit;
	if (turn->payload.once.len && turn->payload.once.len < 100) {
		t->job.key = arena_print(arena, "slack-%.*s-%.*s",
			STR_ARGS(str_first(turn->payload.user, 64)),
			STR_ARGS(turn->payload.once));
		t->job.path = arena_print(arena, "/v1/in/slack/%.*s", STR_ARGS(t->id));
		sha256(body, t->job.body);
	}
	request_put(r, use, slack_settled);
}

/* ---- forms ---- */

static struct str form_title(struct request *r)
{
	const struct ask_parts *p = &slack_turn_of(r)->find.parts;
	struct arena *arena = &r->task.job.arena;
	struct str title = p->title;

	if (!title.len && p->operation) title = json_text_of(p->operation, "name");
	return title.len ? safe_line(arena, title) : STR("Parley");
}

static void slack_open_form(struct request *r)
{
	struct slack_turn *t = slack_turn_of(r);
	struct arena *arena = &r->task.job.arena;
	const struct slack_message m = { .lang = t->lang,
		.title = form_title(r),
		.ask = &t->find.found,
		.parts = &t->find.parts };
	struct str api = r->serve->set.slack_api;
	struct slack_post *p = slack_post_new(r->serve, STR("views.open"),
		JSON_TEXT(arena, "{'trigger_id':%s,'view':%j}", t->payload.trigger,
			slack_form_write(&m, t->press.verb, arena)));

	if (p && slack_response_url_valid(t->payload.response_url, api)) {
		p->instead = p->call;
		p->instead.token = STR_NONE;
		p->instead.url = arena_copy(&p->arena, t->payload.response_url);
		p->instead.body =
			line_body(MSG_IN(&p->arena, t->lang, "notify.slack.late",
					  { "url", ask_url(str_of(r->serve->url),
							   t->press.ask, arena) }),
				&p->arena);
	}
	if (p) slack_post_start(r->serve, p);
	slack_reply(r, STR_NONE);
}

/* Opens the form, unless the ask may not be settled from Slack. */
static void slack_form_pressed(struct request *r)
{
	struct slack_turn *t = slack_turn_of(r);
	struct job *job = &r->task.job;

	job->err = channel_fresh(&t->limit, &t->find.found, &job->why);
	if (!job->err && !channel_shows_actions(&t->find.found, &t->find.parts))
		job->err = refused(REFUSED_CHANNEL, &t->find.found, &job->who, &job->why);
	if (job->err)
		slack_refused(r);
	else
		slack_open_form(r);
}

/* ---- who and what was found ---- */

/* A reply of the ask's thread, if the thread is one's. */
static void slack_said(struct request *r)
{
	const struct slack_turn *t = slack_turn_of(r);
	struct arena *arena = &r->task.job.arena;

	if (t->find.there) {
		slack_put(r, &use_reply,
			JSON_TEXT(arena, "{'text':%s}",
				slack_unescape(t->payload.text, arena)));
		return;
	}
	if (t->find.ours && !t->find.linked)
		slack_tell(r, "chat.postEphemeral",
			TEXT(r, "notify.slack.stranger", { "id", t->payload.user }));
	slack_reply(r, STR_NONE); /* else it is about nothing of ours */
}

static void slack_found(struct request *r)
{
	struct slack_turn *t = slack_turn_of(r);
	struct arena *arena = &r->task.job.arena;
	struct str body;

	if (r->task.job.err || !slack_waits(r)) {
		slack_unable(r);
		return;
	}
	t->lang = lang_chosen(t->find.language, (enum lang)r->serve->set.lang);
	t->limit = channel_limit_slack(r->serve->set.slack_approve, t->press.digest);
	if (t->payload.kind == SLACK_SAID)
		slack_said(r);
	else if (!t->find.linked)
		slack_say(r, TEXT(r, "notify.slack.unlinked", { "id", t->payload.user }));
	else if (!t->find.there)
		slack_say(r, TEXT(r, "notify.slack.gone"));
	else if (t->payload.kind == SLACK_SUBMITTED)
		slack_put(r, &use_answer,
			t->press.verb == PRESS_REJECT
				? slack_reject_answer(t->payload.values, arena)
				: slack_form_answers(
					  t->payload.values, &t->find.parts, arena));
	else if (t->press.verb == PRESS_FORM || t->press.verb == PRESS_REJECT)
		slack_form_pressed(r);
	else if (t->press.verb == PRESS_SKIP)
		slack_put(r, &use_skip, STR("{}"));
	else if ((body = slack_button_answer(&t->press, &t->find.parts, arena)).len)
		slack_put(r, &use_answer, body);
	else
		slack_say(r, TEXT(r, "notify.slack.gone"));
}

/* ---- the request ---- */

/* Takes from the payload which ask it is about; false: none of ours. */
static bool turn_read(struct slack_turn *t, struct arena *arena)
{
	const struct slack_payload *p = &t->payload;

	t->find.slack_id = p->user;
	if (p->kind == SLACK_SAID) {
		t->find.shown_at = slack_shown_at(p->channel, p->ts, arena);
		return true;
	}
	if (!slack_button_read(
		    p->kind == SLACK_SUBMITTED ? p->metadata : p->value, &t->press))
		return false;
	t->find.ask = t->press.ask;
	return true;
}

/* The team is known. */
static void slack_go_on(struct request *r)
{
	struct slack_turn *t = slack_turn_of(r);
	bool ours = str_is(t->payload.team, slack_of(r->serve)->team);
	bool greeted = t->payload.kind == SLACK_GREETED;

	if (ours && greeted)
		slack_tell(r, "chat.postMessage",
			TEXT(r, "notify.slack.hello", { "url", str_of(r->serve->url) }));
	if (!ours || greeted || !turn_read(t, &r->task.job.arena)) {
		slack_reply(r, STR_NONE);
		return;
	}
	r->task.checked = &t->find;
	request_put(r, &use_slack_find, slack_found);
}

static void slack_learned(struct slack_post *p)
{
	struct request *r = p->request;
	struct slack_in *in = slack_of(r->serve);
	struct str team = p->err ? STR_NONE : json_text_of(p->said, "team_id");

	if (team.len && team.len < TEAM_MAX) {
		memcpy(in->team, team.at, team.len);
		in->team[team.len] = '\0';
	}
	if (in->team[0] && slack_waits(r)) {
		slack_go_on(r);
		return;
	}
	r->task.job.err = fail(&r->task.job.why, ERR_UNAVAILABLE,
		"Slack does not say whose app this is");
	slack_unable(r);
}

static void slack_learn(struct request *r)
{
	struct slack_post *p = slack_post_new(r->serve, STR("auth.test"), STR("{}"));

	if (!p) {
		r->task.job.err = fail_memory(&r->task.job.why);
		slack_unable(r);
		return;
	}
	p->request = r;
	p->then = slack_learned;
	slack_post_start(r->serve, p);
}

/* Starts a turn whose payload has been read. */
static void slack_begin(struct request *r, struct slack_turn *t)
{
	struct slack_in *in = slack_of(r->serve);

	r->ctx = t;
	t->lang = (enum lang)r->serve->set.lang;
	if (t->payload.kind == SLACK_VERIFY)
		slack_reply(r, JSON_TEXT(&r->task.job.arena, "{'challenge':%s}",
				       t->payload.challenge));
	else if (t->payload.kind == SLACK_OTHER)
		slack_reply(r, STR_NONE);
	else if (!in->team[0])
		slack_learn(r);
	else
		slack_go_on(r);
}

void slack_take(struct serve *s, uint64_t link, struct str text)
{
	struct request *r = request_new(s, NULL);
	struct arena *arena = r ? &r->task.job.arena : NULL;
	struct slack_turn *t = r ? ARENA_NEW(arena, struct slack_turn) : NULL;
	struct slack_envelope e;

	if (!t || slack_envelope_read(arena_str(arena, text), arena, &e, NULL)) {
		request_free(r);
		return;
	}
	t->link = link;
	t->envelope = e.id;
	slack_payload_take(e.payload, &t->payload);
	slack_begin(r, t);
}

static void slack_run(struct request *r)
{
	const struct http_request *h = http_request(r->x);
	struct slack_in *in = slack_of(r->serve);
	struct arena *arena = &r->task.job.arena;
	struct slack_turn *t = ARENA_NEW(arena, struct slack_turn);
	struct fault why = { 0 };

	if (!in || !r->serve->set.slack_signing_secret.len) {
		request_refuse(
			r, ERR_CHANNEL_OFF, "slack is not configured on this server");
		return;
	}
	if (!slack_signed(r->serve->set.slack_signing_secret,
		    http_header(h, "x-slack-request-timestamp"),
		    http_header(h, "x-slack-signature"), h->body,
		    clock_now_ms() / 1000)) {
		request_refuse(r, ERR_NO_TOKEN, "the signature is not Slack's");
		return;
	}
	if (!t ||
		slack_payload_read(arena_str(arena, h->body), arena, &t->payload, &why)) {
		request_refuse(r, t ? why.err : ERR_MEMORY, "%s",
			t ? why.detail : "out of memory");
		return;
	}
	slack_begin(r, t);
}

/* ---- the whole ---- */

static void slack_close(void *state)
{
	struct slack_in *in = state;

	slack_socket_free(in->socket);
	mem_free(in);
}

static bool slack_open(struct serve *s, void **state)
{
	const struct settings *set = &s->set;
	struct slack_in *in;

	if (!set->slack_token.len) return true;
	in = *state = mem_alloc(sizeof *in);
	if (!in) return false;
	if (set->slack_app_token.len)
		in->socket = slack_socket_new(s, set->slack_api, set->slack_app_token);
	return !set->slack_app_token.len || in->socket;
}

static void slack_start(void *state)
{
	slack_socket_start(((struct slack_in *)state)->socket);
}

static void slack_stop(void *state)
{
	slack_socket_stop(((struct slack_in *)state)->socket);
}

static void slack_metrics(const void *state, struct buf *out)
{
	const struct slack_in *in = state;

	if (in->socket)
		serve_metric(out, "slack_socket", "gauge", "Is Slack's socket open?",
			slack_socket_open(in->socket));
}

static const struct route slack_routes[] = {
	{ "POST", "/v1/in/slack", NULL, slack_run, ROUTE_OPEN | ROUTE_ANYWHERE, NULL },
	{ "POST", "/v1/me/contacts/lookup", &use_contact_lookup, slack_lookup, BODY_JSON,
		"" },
	{ "POST", "/v1/users/{of}/contacts/lookup", &use_contact_lookup, slack_lookup,
		BODY_JSON, "" },
	{ 0 },
};

const struct receiver slack_receiver = { slack_routes, slack_open, slack_start,
	slack_stop, slack_close, slack_metrics };
