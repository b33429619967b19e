/* turn.c - one turn: the model is called, what comes is shown as it comes, and the whole of it is
 * committed. Nothing of an answer is kept that did not come whole; it is asked for again. */
#include "agent/inner.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/run/go_on.h"
#include "core/run/message.h"
#include "core/run/patience.h"
#include "core/run/script.h"
#include "core/shared/address.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	SHOW_MS = 50,
	PROGRESS_MS = 1000,
	TOKEN_BYTES = 3, /* about, until the provider has counted */
};

/* `stop` of a message. */
static const char *const stops[] = {
	[STOP_END] = "end",
	[STOP_CALLS] = "tool_calls",
	[STOP_PAUSE] = SENT_PAUSE,
};

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
	char doing[64];	  /* "thinking", or the last tool that it calls */
	int64_t input;	  /* tokens of the request, estimated */
	bool sent;	  /* it went out, this try */
	int64_t turn_ms;  /* when the first call of this turn began */
	struct spending wasted;
	bool quiet; /* what comes is not for people */
};

/* ---- showing ---- */

static void text_show(struct model_call *c, struct buf *b, const char *type)
{
	const struct run_work *work = c->work;

	if (!b->len) return;
	transient_text(c->w->runner->desk,
		&(struct transient){
			work->key.ws, work->session, work->key.run, type, buf_str(b) },
		c->bytes / TOKEN_BYTES);
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
static void progress_show(struct model_call *c, int64_t tokens, bool estimated)
{
	const struct provider_model *model = &c->work->access.model;
	const struct usage out = { .output = tokens };
	struct json_writer w = { .out = &(struct buf){ 0 } };
	int64_t ms = clock_mono_ms() - c->began_ms;

	c->progress_ms = clock_mono_ms();
	if (!transient_wanted(c->w->runner->desk)) return;
	show_number(&w, "percent", c->work->percent, c->work->percent >= 0);
	show_text(&w, "text", str_of(c->doing));
	jw_put_int(&w, "tokens", tokens);
	jw_put_bool(&w, "estimated", estimated);
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
	if (c->quiet) return;
	if (d->type != DELTA_TEXT)
		snprintf(c->doing, sizeof c->doing, "%.*s",
			STR_ARGS(d->type == DELTA_TOOL ? d->text : STR("thinking")));
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
}

/* While a model thinks and says nothing, too. */
static void second_passed(void *ctx)
{
	struct model_call *c = ctx;

	if (!c->quiet && clock_mono_ms() - c->progress_ms >= PROGRESS_MS)
		progress_show(c, c->bytes / TOKEN_BYTES, true);
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
	if (work->tools.len && json_read(arena_str(&p->arena, work->tools),
				       &mcp_list_limits, &p->arena, &own, NULL))
		own = NULL;
	box.templates = arena_str(&p->arena, work->templates);
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
	for (size_t i = 0; p->agent.output_schema && i < len; i++)
		if (str_is(p->tools[i].name, run_tools[RUN_TOOL_REPORT].name))
			p->tools[i].description = arena_print(&p->arena,
				"%.*s The report must be JSON alone that fits this JSON Schema: %.*s",
				STR_ARGS(p->tools[i].description),
				STR_ARGS(json_keep(p->agent.output_schema, &p->arena)));
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
	if (work->notes.len)
		p->system = arena_print(&p->arena, "%.*s%s%.*s", STR_ARGS(p->system),
			p->system.len ? "\n\n" : "", STR_ARGS(work->notes));
	if (p->arena.failed) return fail(why, ERR_MEMORY, "out of memory");
	p->ready = true;
	w->known.config = p->config;
	w->known.agent = &p->agent;
	return OK;
}

/* ---- what it may cost ---- */

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

	if (summary_upto(at, len)) return work->turn; /* the others are not here */
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

/* Of an address, or the same as before when it names none. */
static struct str redirect_host(const struct model_call *c, const char *location)
{
	struct url to;

	if (!location[0]) return STR_NONE;
	return url_split(str_of(location), &to) ? to.host : c->url.host;
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
		.tick = second_passed,
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
		.leads_to = redirect_host(c, end.location),
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
	int64_t base = 100LL << (try < QUICK_TRIES ? try : QUICK_TRIES);
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

static bool trouble_tell(
	struct model_call *c, struct run_trouble b, struct run_work *next)
{
	bool ours;

	b.key = c->work->key;
	b.chance = random_u64(NULL);
	b.wasted = c->wasted;
	b.worked_ms = clock_mono_ms() - c->turn_ms;
	ours = worker_tell(c->w, &use_run_trouble, worker_task(c->w), &b);
	if (ours) *next = b.next;
	return ours;
}

/* Trouble that no other call mends. */
static bool trouble_told(struct model_call *c, enum trouble kind, struct str message,
	struct run_work *next)
{
	return trouble_tell(
		c, (struct run_trouble){ .kind = kind, .message = message }, next);
}

/* A provider's, after so many tries. */
static bool reply_told(struct model_call *c, const struct model_reply *reply,
	int64_t tries, struct run_work *next)
{
	return trouble_tell(c,
		(struct run_trouble){ .kind = reply->trouble,
			.message = str_of(reply->message),
			.passes = reply->retry,
			.gone = reply->gone,
			.tries = tries,
			.retry_after_ms = reply->retry_after_ms },
		next);
}

static bool turn_told(struct model_call *c, const struct model_reply *reply,
	struct arena *arena, struct run_work *next)
{
	const struct run_work *work = c->work;
	struct run_turn turn = { .key = work->key,
		.content = reply->content,
		.kept = reply->kept,
		.model = work->model,
		.stop = str_of(reply->trouble == TROUBLE_CUT	    ? "max_tokens"
			       : reply->trouble == TROUBLE_DECLINED ? SENT_REFUSAL
								    : stops[reply->stop]),
		.prices = prices_kept(&work->access, arena),
		.usage = reply->usage,
		.cost = reply->cost,
		.context_max = work->access.model.context,
		.sent = c->w->sent.size,
		.wasted = c->wasted,
		.shortened = c->w->sent.window.cut,
		.worked_ms = clock_mono_ms() - c->turn_ms,
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
	c->w->sent.most = 0;
	/* The store refuses this turn for good: fail the run instead of asking the model
	 * again. */
	if (!ours && worker_failed(t))
		return trouble_told(c, TROUBLE_INTERNAL, str_of(t->job.why.detail), next);
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
	c->attempt = (int)c->work->tries + try + 1;
	c->first_ms = 0;
	snprintf(c->doing, sizeof c->doing, "thinking");
	c->sent = false;
	c->began_ms = c->progress_ms = clock_mono_ms();
	return c->reader != NULL;
}

/* Of the run's limit. */
static int64_t time_left(const struct model_call *c)
{
	return c->work->time_left_ms > 0
		       ? c->work->time_left_ms - (clock_mono_ms() - c->turn_ms)
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

static bool turn_begin(struct model_call *, struct arena *, struct run_work *next);

/* An option of ours is refused: it is left out from now on, and the request is written without it. */
static bool option_dropped(
	struct model_call *c, const struct model_reply *reply, struct arena *arena)
{
	const struct run_work *work = c->work;
	struct runner *r = c->w->runner;
	unsigned option =
		model_options_refused(buf_str(&c->w->body), str_of(reply->message));
	unsigned before = learned_refused(r, work->provider, work->model);

	if (!option || (before & option)) return false;
	learned_refuses(r, work->provider, work->model, option);
	return !sent_write(c->w, work, arena, NULL);
}

static bool turn_tries(struct model_call *c, int64_t timeout_ms, struct arena *arena,
	struct run_work *next)
{
	struct model_reply reply = { 0 };
	int64_t tries = c->work->tries, pause_ms;

	for (int call = 0;; call++) {
		int64_t left_ms = time_left(c);

		if (!call_fresh(c, call, arena)) return false;
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
			progress_show(c, reply.usage.output, false);
			return turn_told(c, &reply, arena, next);
		}
		call_wasted(c, &reply, time_left(c) <= 0);
		if (reply.trouble == TROUBLE_REFUSED && option_dropped(c, &reply, arena))
			continue;
		if (reply.trouble == TROUBLE_TOO_LONG &&
			sent_halve(c->w, c->work, &reply))
			return turn_begin(c, arena, next);
		tries++;
		pause_ms = retry_pause((int)tries, &reply);
		if (time_left(c) <= 0)
			return trouble_told(c, TROUBLE_LIMIT,
				STR("the limit of time is reached"), next);
		if (reply.retry) retry_show(c, (int)tries, &reply, pause_ms);
		/* Whether the model is gone, the list says. */
		if (reply.trouble == TROUBLE_REFUSED) lists_read(c->w, c->work);
		if (!reply.retry || tries >= QUICK_TRIES || pause_ms > QUICK_PAUSE_MAX_MS)
			return reply_told(c, &reply, tries, next);
		if (time_left(c) <= pause_ms)
			return trouble_told(c, TROUBLE_LIMIT,
				STR("the limit of time is reached"), next);
		if (!worker_sleep(c->w, pause_ms)) return false;
	}
}

/* ---- a summary first ---- */

/* With the quick tries of any call. Empty: there is none; *rests: its limits do not pay for it. */
static bool summary_call(struct model_call *c, struct arena *arena,
	struct model_reply *reply, struct str *text, bool *rests)
{
	int64_t timeout_ms = c->w->runner->set.set.model_timeout_ms;
	const struct json *parts;
	struct estimate_size size;
	struct spend may;

	*text = STR_NONE;
	if (sent_summary(c->w, c->work, SUMMARY_TOKENS, arena)) return true;
	size = (struct estimate_size){ .bytes = (int64_t)c->w->body.len };
	c->input = estimate_tokens(&c->work->counted, &size);
	if (!spend_fits(c->w, c->work, c->input, &c->wasted, &may)) return false;
	*rests = may.rests;
	if (may.rests || sent_summary(c->w, c->work, may.output, arena)) return true;
	for (int try = 1; try <= QUICK_TRIES; try++) {
		int64_t left_ms = time_left(c), pause_ms;

		if (!call_fresh(c, try, arena)) return false;
		call_once(c, buf_str(&c->w->body),
			left_ms < timeout_ms ? left_ms : timeout_ms, arena, reply);
		if (!worker_kept(c->w)) return false;
		call_count(c, reply);
		if (worker_told(c->w)) {
			call_wasted(c, reply, true);
			return false;
		}
		pause_ms = retry_pause(try, reply);
		if (!reply->retry || try == QUICK_TRIES ||
			pause_ms > QUICK_PAUSE_MAX_MS || time_left(c) <= pause_ms)
			break;
		call_wasted(c, reply, false);
		if (!worker_sleep(c->w, pause_ms)) return false;
	}
	if ((reply->trouble && reply->trouble != TROUBLE_CUT) ||
		json_read(reply->content, NULL, arena, &parts, NULL))
		return true;
	for (uint32_t i = 0; i < parts->count; i++)
		if (str_is(json_text(json_get(&parts->items[i], "type")), "text"))
			*text = arena_print(arena, "%.*s%.*s", STR_ARGS(*text),
				STR_ARGS(json_text(json_get(&parts->items[i], "text"))));
	*text = str_trim(*text);
	return true;
}

/* A summary takes the place of what the window says; the turn comes after it. */
static bool summary_told(struct model_call *c, struct arena *arena, struct run_work *next)
{
	const struct window w = c->w->sent.window;
	struct run_compact b = { .key = c->work->key,
		.after = w.after,
		.upto = w.upto,
		.messages = w.messages,
		.before = c->w->sent.tokens,
		.cut = w.cut,
		.cost = COST_UNKNOWN };
	struct model_reply reply = { 0 };
	bool ours, rests = false;

	c->quiet = true;
	if (!w.untold && !summary_call(c, arena, &reply, &b.text, &rests)) return false;
	if (rests) return true;
	if (usage_context(&reply.usage) + reply.usage.output > 0) {
		b.model = c->work->model;
		b.usage = reply.usage;
		b.prices = prices_kept(&c->work->access, arena);
		b.cost = reply.cost;
		if (b.cost == COST_UNKNOWN && c->work->access.model.priced)
			b.cost = usage_cost(&reply.usage, &c->work->access.model.price);
	}
	b.tokens = sent_after(c->w, b.text);
	b.wasted = c->wasted;
	b.worked_ms = clock_mono_ms() - c->turn_ms;
	ours = worker_tell(c->w, &use_run_compact, worker_task(c->w), &b);
	if (ours) *next = b.next;
	return ours;
}

static bool turn_begin(struct model_call *c, struct arena *arena, struct run_work *next)
{
	struct sent_request *sent = &c->w->sent;
	enum window_step step;
	struct spend may;
	struct fault why = { 0 };

	sent->output = c->work->access.model.output;
	if (sent_make(c->w, c->work, arena, &step, &why))
		return trouble_told(c, TROUBLE_INTERNAL, str_of(why.detail), next);
	if (step == WINDOW_SUMMARY) return summary_told(c, arena, next);
	if (step == WINDOW_TOO_LONG) {
		c->w->sent.most = 0;
		return trouble_told(c, TROUBLE_TOO_LONG,
			c->w->sent.said[0] ? str_of(c->w->sent.said)
					   : STR("it is longer than the context, and "
						 "nothing more can be left out"),
			next);
	}
	c->input = sent->tokens;
	if (!spend_fits(c->w, c->work, c->input, &c->wasted, &may)) return false;
	if (may.rests) return true;
	if (may.output != sent->output) { /* as much as is paid for */
		sent->output = may.output;
		if (sent_write(c->w, c->work, arena, &why))
			return trouble_told(
				c, TROUBLE_INTERNAL, str_of(why.detail), next);
	}
	return turn_tries(c, c->w->runner->set.set.model_timeout_ms, arena, next);
}

bool turn_run(struct worker *w, const struct run_work *work, struct run_work *next)
{
	struct run_work copy = *work;
	struct model_call c = { .w = w, .work = &copy, .turn_ms = clock_mono_ms() };
	struct arena arena = { 0 };
	struct fault why = { 0 };
	bool ours;

	if (work->access.wrong.len)
		ours = trouble_told(&c, TROUBLE_UNAUTHORIZED, work->access.wrong, next);
	else if (prepare(w, work, &why))
		ours = trouble_told(&c, TROUBLE_INTERNAL, str_of(why.detail), next);
	else
		ours = turn_begin(&c, &arena, next);
	if (!ours) spend_tell(w, work, &c.wasted);
	transient_over(w->runner->desk, work->key.run);
	model_reader_free(c.reader);
	buf_done(&c.text);
	buf_done(&c.thought);
	arena_done(&arena);
	return ours;
}
