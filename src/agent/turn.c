/* turn.c - one turn: the model is called, what comes is shown as it comes, and the whole of it is
 * committed. Nothing of an answer is kept that did not come whole; it is asked for again. */
#include "agent/inner.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/run/go_on.h"
#include "core/run/message.h"
#include "core/run/script.h"
#include "core/run/window.h"
#include "core/shared/address.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	TRIES = 4,
	SHOW_MS = 50,
	PROGRESS_MS = 1000,
	TOKEN_BYTES = 4, /* about, until the provider has counted */
	ROW_PAUSE_MS = 60 * 1000
};

/* `stop` of a message. */
static const char *const stops[] = {
	[STOP_END] = "end",
	[STOP_CALLS] = "tool_calls",
	[STOP_PAUSE] = "pause",
};

/* Of one that is never sent again. */
#define STOP_REFUSAL "refusal"

/* A model call under way. */
struct model_call {
	struct worker *w;
	struct run_work *work;
	struct model_reader *reader;
	struct url url;
	struct buf text, thought; /* not shown yet */
	int64_t shown_ms, progress_ms, began_ms;
	int64_t bytes;	  /* of text and thoughts so far */
	int attempt;	  /* tries of this turn, from 1 */
	int64_t first_ms; /* when the first word or call came; 0: none yet */
	int64_t input;	  /* tokens of the request, estimated */
	bool sent;	  /* it went out, this try */
	bool rests;	  /* its limits did not pay for it */
	struct spending wasted;
};

/* ---- showing ---- */

static void text_show(struct model_call *c, struct buf *b, const char *type)
{
	const struct run_work *work = c->work;

	if (!b->len) return;
	transient_text(c->w->runner->desk, work->key.ws, work->session, work->key.run,
		type, buf_str(b));
	buf_clear(b);
}

static void call_show(struct model_call *c)
{
	text_show(c, &c->thought, "run.thought");
	text_show(c, &c->text, "run.token");
	c->shown_ms = clock_mono_ms();
}

static void transient_say(struct model_call *c, const char *type, struct buf *members)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };
	const struct run_work *work = c->work;

	jw_object(&w);
	show_text(&w, "run", work->key.run);
	jw_members(&w, buf_str(members));
	jw_object_end(&w);
	if (!w.out->failed)
		transient_tell(c->w->runner->desk,
			&(struct transient){ work->key.ws, work->session, work->key.run,
				type, buf_str(w.out) });
	buf_done(w.out);
	buf_done(members);
}

/* What came out so far, how fast, and what that costs. */
static void progress_show(struct model_call *c, int64_t tokens)
{
	const struct provider_model *model = &c->work->access.model;
	const struct usage out = { .output = tokens };
	struct json_writer w = { .out = &(struct buf){ 0 } };
	int64_t ms = clock_mono_ms() - c->began_ms;

	c->progress_ms = clock_mono_ms();
	if (!transient_wanted(c->w->runner->desk)) return;
	jw_put_null(&w, "percent");
	jw_put_null(&w, "text");
	jw_put_int(&w, "tokens", tokens);
	jw_put_int(&w, "tokens_per_s", ms > 0 ? tokens * 1000 / ms : 0);
	jw_key(&w, "cost_usd");
	cost_write(&w, model->priced ? usage_cost(&out, &model->price) : COST_UNKNOWN);
	transient_say(c, "run.progress", w.out);
}

static void delta_came(void *ctx, const struct model_delta *d)
{
	struct model_call *c = ctx;
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (!c->first_ms) c->first_ms = clock_mono_ms();
	if (d->type == DELTA_TOOL) {
		call_show(c);
		if (!transient_wanted(c->w->runner->desk)) return;
		show_text(&w, "name", d->text);
		show_text(&w, "status", STR("pending"));
		transient_say(c, "run.tool", w.out);
		return;
	}
	buf_add(d->type == DELTA_TEXT ? &c->text : &c->thought, d->text);
	c->bytes += (int64_t)d->text.len;
	if (clock_mono_ms() - c->shown_ms >= SHOW_MS) call_show(c);
	if (clock_mono_ms() - c->progress_ms >= PROGRESS_MS)
		progress_show(c, c->bytes / TOKEN_BYTES);
}

/* ---- the request ---- */

static bool may_connect(void *ctx, const uint8_t bytes[16])
{
	struct model_call *c = ctx;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return model_reach_allows(c->work->access.model_internal, &c->url, &to);
}

static bool may_send(void *ctx)
{
	struct model_call *c = ctx;

	c->sent = worker_kept(c->w);
	return c->sent;
}

static bool take(void *ctx, int status, struct str bytes)
{
	struct model_call *c = ctx;

	return model_reader_feed(c->reader, status, bytes);
}

static size_t tools_make(const struct run_work *work, struct run_setup *p)
{
	struct run_toolbox box = { p->agent.tools, p->agent.tools_len, work->child,
		work->test_tools, NULL };
	const struct json *own = NULL, *one = NULL;
	size_t len = 0;

	if (work->roster.len &&
		json_read(work->roster, NULL, &p->arena, &box.roster, NULL))
		box.roster = NULL;
	if (work->tools.len &&
		json_read(arena_str(&p->arena, work->tools), NULL, &p->arena, &own, NULL))
		own = NULL;
	p->tools = ARENA_ARRAY(
		&p->arena, struct model_tool, RUN_TOOLS + (own ? own->count : 0));
	if (!p->tools) return 0;

	for (int i = 0; i < RUN_TOOLS; i++) {
		struct str schema = run_tool_schema(&box, (enum run_tool_id)i, &p->arena);

		if (schema.len)
			p->tools[len++] = (struct model_tool){ str_of(run_tools[i].name),
				run_tool_description(
					&box, (enum run_tool_id)i, &p->arena),
				schema };
	}
	while (json_each(own, &one))
		p->tools[len++] = (struct model_tool){ json_text_of(one, "name"),
			json_text_of(one, "description"),
			json_keep(json_get(one, "schema"), &p->arena) };
	return len;
}

static enum err prepare(struct worker *w, const struct run_work *work, struct fault *why)
{
	struct run_setup *p = &w->setup;
	enum err e;

	if (p->ready) return OK;
	p->config = arena_str(&p->arena, work->config);
	e = agent_parse(p->config, &p->arena, &p->agent, why);
	if (e) return e;
	p->tools_len = tools_make(work, p);
	p->system = p->agent.prompt;
	if (str_is(work->language, "fr"))
		p->system = arena_print(&p->arena, "%.*s%sThe user's language is French.",
			STR_ARGS(p->agent.prompt), p->agent.prompt.len ? "\n\n" : "");
	if (p->arena.failed) return fail(why, ERR_MEMORY, "out of memory");
	p->ready = true;
	w->known.config = p->config;
	w->known.agent = &p->agent;
	return OK;
}

/* The newest results stay whole however full the context is. */
enum { WHOLE_MESSAGES = 4 };

static struct model_message message_of(
	const struct run_message *m, bool old, struct arena *arena)
{
	struct str content =
		m->role == MESSAGE_TOOL
			? history_results(m->content, old ? 0 : CALL_MODEL_MAX, arena)
			: m->content;

	return (struct model_message){
		.role = m->role == MESSAGE_ASSISTANT ? MODEL_ASSISTANT
			: m->role == MESSAGE_TOOL    ? MODEL_TOOL
						     : MODEL_USER,
		.content = content,
		.kept = m->kept,
		.kept_model = m->model,
		.written = content.at == m->content.at ? transcript_written(m) : NULL,
	};
}

/* No vendor takes a request that ends with the model's own words, unless the model itself wants
 * to go on from them. */
static size_t user_last(struct model_message *messages, size_t len,
	const struct run_message *last, struct arena *arena)
{
	if (!len || messages[len - 1].role != MODEL_ASSISTANT ||
		str_is(last->stop, stops[STOP_PAUSE]))
		return len;
	messages[len] = (struct model_message){ .role = MODEL_USER,
		.content = go_on_content(GO_ON_CUT, STR_NONE, arena) };
	return len + 1;
}

/* How many; there is room for twice as many and one. */
static size_t messages_make(const struct run_message *const *given, size_t len, bool full,
	struct arena *arena, struct model_message *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		bool answered = i + 1 < len && given[i + 1]->role == MESSAGE_TOOL;
		struct str lacks = STR_NONE;

		if (str_is(given[i]->stop, STOP_REFUSAL)) continue;
		out[n++] = message_of(given[i], full && i + WHOLE_MESSAGES < len, arena);
		if (given[i]->role == MESSAGE_ASSISTANT && !answered)
			lacks = history_unanswered(given[i]->content, arena);
		if (lacks.len) out[n++] = (struct model_message){ MODEL_TOOL, lacks };
	}
	return len ? user_last(out, n, given[len - 1], arena) : 0;
}

/* Of what was sent before, half at most. How many messages; 0: it cannot be done. */
static size_t half_make(const struct run_work *work, const struct worker *w,
	const struct run_message **given, size_t len, struct arena *arena)
{
	size_t said = 0, half = w->body.len / 2, rest;

	for (size_t i = 0; i < len; i++)
		said += given[i]->content.len;
	rest = w->body.len > said ? w->body.len - said : 0;
	return half > rest ? window_shorten(given, len, work->first, half - rest, arena)
			   : 0;
}

/* half: the same was sent, and is too long. */
static enum err body_make(const struct run_work *work, struct worker *w, bool half,
	int64_t output, struct arena *arena, struct fault *why)
{
	struct transcript *t = &w->transcript;
	const struct run_setup *p = &w->setup;
	const struct run_message **given =
		ARENA_ARRAY(arena, const struct run_message *, t->len + 2);
	struct model_message *messages =
		ARENA_ARRAY(arena, struct model_message, 2 * t->len + 3);
	struct model_request q = { .model = work->model,
		.system = p->system,
		.session = work->session,
		.output_max = output,
		.tools = p->tools,
		.tools_len = p->tools_len,
		.messages = messages };

	if (t->len) q.output_twice = go_on_of(t->at[t->len - 1], arena) == GO_ON_THOUGHTS;
	if (!given || !messages) return fail(why, ERR_MEMORY, "out of memory");
	model_effort_find(p->agent.effort, &q.effort);
	q.messages_len = history_window((const struct run_message *const *)t->at, t->len,
		work->first, work->history, given);
	if (half) {
		q.messages_len = half_make(work, w, given, q.messages_len, arena);
		if (!q.messages_len) return fail(why, ERR_FULL, "it cannot be shorter");
	}
	q.messages_len =
		messages_make(given, q.messages_len, work->full, arena, messages);
	for (size_t i = 0; half && i < q.messages_len; i++)
		messages[i].written = NULL; /* they are shorter, this once */
	buf_clear(&w->body);
	return model_request_write(&w->body, work->access.wire, &q, why);
}

/* ---- what it may cost ---- */

static struct estimate_size body_size(const struct worker *w)
{
	return (struct estimate_size){ .bytes = (int64_t)w->body.len };
}

/* The body, with as much output as is paid for. ERR_CONFLICT: the run is not ours any more; ERR_FULL: it
 * rests at its limit, or cannot be shorter. */
static enum err body_paid(
	struct model_call *c, bool half, struct arena *arena, struct fault *why)
{
	struct worker *w = c->w;
	int64_t output = c->work->access.model.output;
	struct estimate_size size;
	struct spend may;
	enum err e = body_make(c->work, w, half, output, arena, why);

	if (e) return e;
	size = body_size(w);
	c->input = estimate_tokens(&c->work->counted, &size);
	if (!spend_fits(w, c->work, c->input, &c->wasted, &may))
		return fail(why, ERR_CONFLICT, "the run is not ours any more");
	c->rests = may.rests;
	if (may.rests) return fail(why, ERR_FULL, "its limits do not pay for it");
	return may.output == output ? OK
				    : body_make(c->work, w, half, may.output, arena, why);
}

/* It left no message: what it cost all the same. */
static void call_wasted(
	struct model_call *c, const struct model_reply *reply, bool given_up)
{
	const struct estimate_size out = { .bytes = c->bytes };
	bool began = c->bytes || usage_context(&reply->usage) || reply->usage.output;

	if (!c->sent || !(given_up || began)) return;
	spend_waste(&c->wasted, c->work, &reply->usage, c->input,
		estimate_tokens(&(struct estimate_count){ 0 }, &out));
}

/* ---- one try ---- */

/* Replies in this run, before the one that is asked for. */
static int64_t replies_before(const struct worker *w, const struct run_work *work)
{
	const struct run_message *const *at =
		(const struct run_message *const *)w->transcript.at;
	size_t i = 0, len = w->transcript.len;
	int64_t n = 0;

	while (i < len && !str_eq(at[i]->id, work->first))
		i++;
	for (; i < len; i++)
		n += at[i]->role == MESSAGE_ASSISTANT;
	return n;
}

static void script_call(struct model_call *c, const struct fetch_request *q,
	struct arena *arena, struct fetch_end *end)
{
	struct script_scene scene = { .agent = c->w->setup.agent.name,
		.turn = replies_before(c->w, c->work),
		.attempt = c->attempt };
	struct model_played played;

	model_script_play(c->work->access.body, q->body, &scene, arena, &played);
	fetch_made(q, played.delay_ms, played.status, played.bytes, end);
}

static void call_once(struct model_call *c, struct str body, int64_t timeout_ms,
	struct arena *arena, struct model_reply *reply)
{
	const struct model_access *access = &c->work->access;
	struct fetch_request q = { .url = model_url(access->wire, access->url,
					   c->work->model, arena),
		.headers = model_headers(access->wire, access->key, arena),
		.body = body,
		.timeout_ms = timeout_ms,
		.idle_ms = c->w->runner->set.set.model_idle_ms,
		.stop_fd = c->w->stop_fd,
		.may_connect = may_connect,
		.may_send = may_send,
		.take = take,
		.ctx = c };
	struct fetch_end end = { 0 };
	struct model_end over;

	if (access->wire == WIRE_SCRIPT) {
		script_call(c, &q, arena, &end);
	} else if (!q.url || !q.headers || !url_split(str_of(q.url), &c->url)) {
		end = (struct fetch_end){ .how = FETCH_REFUSED, .retry_after_ms = -1 };
		snprintf(end.error, sizeof end.error, "the provider's address is no URL");
	} else {
		fetcher_run(c->w->fetcher, &q, &end);
	}
	over = (struct model_end){ .status = end.status,
		.whole = end.how == FETCH_WHOLE,
		.error = end.error,
		.retry_after_ms = end.retry_after_ms,
		.no_retry = end.no_retry || end.how == FETCH_REFUSED };
	model_reader_end(c->reader, &over, reply);
}

static struct str prices_kept(const struct model_access *a, struct arena *arena)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (a->model.priced) price_write(&w, &a->model.price);
	return buf_keep_done(w.out, arena);
}

static int64_t retry_pause(int try, const struct model_reply *reply)
{
	int64_t base = 100LL << try;
	int64_t jitter = (int64_t)(random_u64(NULL) % (uint64_t)(base * 2 / 5 + 1));

	if (reply->retry_after_ms >= 0) return reply->retry_after_ms;
	return base - base / 5 + jitter;
}

static void retry_show(
	struct model_call *c, int try, const struct model_reply *reply, int64_t pause_ms)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_put_int(&w, "attempt", try + 1);
	show_text(&w, "why", str_of(trouble_name(reply->trouble)));
	jw_put_int(&w, "in_ms", pause_ms);
	transient_say(c, "run.retrying", w.out);
}

/* ---- the turn ---- */

static bool trouble_told(struct model_call *c, enum trouble kind, struct str message,
	int64_t pause_ms, int64_t began_ms, struct run_work *next)
{
	struct run_trouble b = { .key = c->work->key,
		.kind = kind,
		.message = message,
		.wake_ms = pause_ms ? clock_now_ms() + pause_ms : 0,
		.wasted = c->wasted,
		.worked_ms = clock_mono_ms() - began_ms };
	bool ours = worker_tell(c->w, &use_run_trouble, worker_task(c->w), &b);

	if (ours) *next = b.next;
	return ours;
}

static bool turn_told(struct model_call *c, const struct model_reply *reply,
	int64_t began_ms, struct arena *arena, struct run_work *next)
{
	const struct run_work *work = c->work;
	struct run_turn turn = { .key = work->key,
		.content = reply->content,
		.kept = reply->kept,
		.model = work->model,
		.stop = str_of(reply->trouble == TROUBLE_CUT	    ? "max_tokens"
			       : reply->trouble == TROUBLE_DECLINED ? STOP_REFUSAL
								    : stops[reply->stop]),
		.prices = prices_kept(&work->access, arena),
		.usage = reply->usage,
		.cost = reply->cost,
		.context_max = work->access.model.context,
		.worked_ms = clock_mono_ms() - began_ms,
		.wasted = c->wasted,
		.sent = body_size(c->w),
		.again = reply->stop == STOP_PAUSE,
		.nothing = reply->trouble == TROUBLE_EMPTY,
		.refused = reply->trouble == TROUBLE_DECLINED,
		.message = str_of(reply->message),
		.cut = reply->trouble == TROUBLE_CUT,
		.cut_call = reply->cut_call };
	struct task *t = worker_task(c->w);
	bool ours;

	if (turn.cost == COST_UNKNOWN && work->access.model.priced)
		turn.cost = usage_cost(&reply->usage, &work->access.model.price);
	ours = worker_tell(c->w, &use_run_turn, t, &turn);
	if (ours) *next = turn.next;
	/* The store refuses this turn for good: fail the run instead of asking the model
	 * again. */
	if (!ours && worker_failed(t))
		return trouble_told(c, TROUBLE_INTERNAL, str_of(t->job.why.detail), 0,
			began_ms, next);
	return ours;
}

static bool call_fresh(struct model_call *c, int try, struct arena *arena)
{
	c->reader = model_reader_free(c->reader);
	c->reader = model_reader_new(
		&(struct model_setup){ c->work->access.wire, delta_came, c,
			arena_print(arena, "%.*s_%lld", STR_ARGS(c->work->key.run),
				(long long)c->work->turn),
			c->work->access.key });
	buf_clear(&c->text);
	buf_clear(&c->thought);
	if (try) transient_over(c->w->runner->desk, c->work->key.run);
	c->bytes = 0;
	c->attempt = try + 1;
	c->first_ms = 0;
	c->sent = false;
	c->began_ms = c->progress_ms = clock_mono_ms();
	return c->reader != NULL;
}

/* Of the run's limit. */
static int64_t time_left(const struct run_work *work, int64_t began_ms)
{
	return work->time_left_ms > 0 ? work->time_left_ms - (clock_mono_ms() - began_ms)
				      : INT64_MAX;
}

/* For metrics, whatever came of it. */
static void call_count(const struct model_call *c, const struct model_reply *reply)
{
	const struct model_access *a = &c->work->access;
	struct run_model_call call = { .provider = a->provider,
		.model = c->work->model,
		.status = reply->trouble == TROUBLE_NONE ? "ok"
							 : trouble_name(reply->trouble),
		.usage = reply->usage,
		.cost = reply->cost,
		.took_ms = clock_mono_ms() - c->began_ms,
		.first_ms = c->first_ms ? c->first_ms - c->began_ms : -1 };

	if (call.cost == COST_UNKNOWN && a->model.priced)
		call.cost = usage_cost(&reply->usage, &a->model.price);
	run_count_call(c->w->runner->desk, c->work->key.ws, &call);
}

static bool turn_tries(struct model_call *c, int64_t timeout_ms, struct arena *arena,
	struct run_work *next)
{
	int64_t began_ms = clock_mono_ms(), pause_ms;
	struct model_reply reply = { 0 };
	bool half = false;

	for (int try = 0;; try++) {
		int64_t left_ms = time_left(c->work, began_ms);

		if (!call_fresh(c, try, arena)) return false;
		call_once(c, buf_str(&c->w->body),
			left_ms < timeout_ms ? left_ms : timeout_ms, arena, &reply);
		if (!worker_kept(c->w)) return false;
		call_count(c, &reply);
		if (worker_told(c->w)) {
			call_wasted(c, &reply, true);
			return false;
		}
		call_show(c);
		if (reply.trouble == TROUBLE_NONE || reply.trouble == TROUBLE_CUT ||
			reply.trouble == TROUBLE_EMPTY ||
			reply.trouble == TROUBLE_DECLINED) {
			progress_show(c, reply.usage.output);
			return turn_told(c, &reply, began_ms, arena, next);
		}
		call_wasted(c, &reply, time_left(c->work, began_ms) <= 0);
		if (reply.trouble == TROUBLE_TOO_LONG && !half) {
			half = true;
			if (!body_paid(c, true, arena, NULL)) continue;
			if (c->rests) return true;
		}
		pause_ms = retry_pause(try + 1, &reply);
		if (time_left(c->work, began_ms) <= (reply.retry ? pause_ms : 0))
			return trouble_told(c, TROUBLE_LIMIT,
				STR("the limit of time is reached"), 0, began_ms, next);
		if (!reply.retry || try + 1 == TRIES)
			return trouble_told(c, reply.trouble, str_of(reply.message), 0,
				began_ms, next);
		retry_show(c, try + 1, &reply, pause_ms);
		if (pause_ms > ROW_PAUSE_MS)
			return trouble_told(c, reply.trouble, str_of(reply.message),
				pause_ms, began_ms, next);
		if (!worker_sleep(c->w, pause_ms)) return false;
	}
}

bool turn_run(struct worker *w, const struct run_work *work, struct run_work *next)
{
	struct run_work copy = *work;
	struct model_call c = { .w = w, .work = &copy };
	struct arena arena = { 0 };
	struct fault why = { 0 };
	int64_t timeout_ms = w->runner->set.set.model_timeout_ms,
		now_ms = clock_mono_ms();
	bool ours;

	if (work->access.wrong.len)
		ours = trouble_told(
			&c, TROUBLE_UNAUTHORIZED, work->access.wrong, 0, now_ms, next);
	else if (prepare(w, work, &why) || body_paid(&c, false, &arena, &why))
		ours = c.rests ? true
		       : why.err == ERR_CONFLICT
			       ? false
			       : trouble_told(&c, TROUBLE_INTERNAL, str_of(why.detail), 0,
					 now_ms, next);
	else
		ours = turn_tries(&c, timeout_ms, &arena, next);
	if (!ours) spend_tell(w, work, &c.wasted);
	transient_over(w->runner->desk, work->key.run);
	model_reader_free(c.reader);
	buf_done(&c.text);
	buf_done(&c.thought);
	arena_done(&arena);
	return ours;
}
