/* sent.c - what a model is sent: the messages of its run, as far as its context allows. */
#include "agent/inner.h"

#include "core/run/go_on.h"
#include "core/shared/body.h"

#include <stdio.h>

enum { CONTEXT_UNKNOWN = 128000 }; /* of a model that nothing is known of */

/* ---- messages ---- */

/* Is it sent as it is kept? */
static bool sent_whole(const struct sent *s)
{
	return s->content.at == s->m->content.at && s->content.len == s->m->content.len;
}

static struct model_message message_of(const struct sent *s)
{
	const struct run_message *m = s->m;

	return (struct model_message){
		.role = m->role == MESSAGE_ASSISTANT ? MODEL_ASSISTANT
			: m->role == MESSAGE_TOOL    ? MODEL_TOOL
						     : MODEL_USER,
		.content = s->content,
		.kept = summary_is(m) ? STR_NONE : m->kept,
		.kept_model = m->model,
		.written = sent_whole(s) ? transcript_written(m) : NULL,
	};
}

/* No vendor takes a request that ends with the model's own words, unless the model itself wants to go on from
 * them. What was put behind them stands there in later requests, too. */
static size_t user_behind(struct model_message *messages, size_t len,
	const struct run_message *last, bool schema, struct arena *arena)
{
	if (!len || messages[len - 1].role != MODEL_ASSISTANT ||
		str_is(last->stop, SENT_PAUSE))
		return len;
	messages[len] = (struct model_message){ .role = MODEL_USER,
		.content = go_on_content(schema ? GO_ON_OUTPUT : GO_ON_CUT,
			schema ? STR(OUTPUT_AGAIN) : STR_NONE, arena) };
	return len + 1;
}

/* How many; there is room for twice as many and one. */
static size_t messages_make(const struct sent *all, size_t len, bool schema,
	struct arena *arena, struct model_message *out)
{
	const struct run_message *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		const struct run_message *m = all[i].m;
		bool answered = i + 1 < len && all[i + 1].m->role == MESSAGE_TOOL;
		struct str lacks = STR_NONE;

		if (str_is(m->stop, SENT_REFUSAL)) continue;
		if (m->role == MESSAGE_ASSISTANT)
			n = user_behind(out, n, last, schema, arena);
		out[n++] = message_of(&all[i]);
		last = m;
		if (m->role == MESSAGE_ASSISTANT && !answered)
			lacks = history_unanswered(all[i].content, arena);
		if (lacks.len) out[n++] = (struct model_message){ MODEL_TOOL, lacks };
	}
	return user_behind(out, n, last, schema, arena);
}

/* ---- the request ---- */

enum err sent_write(struct worker *w, const struct run_work *work, struct arena *arena,
	struct fault *why)
{
	const struct transcript *t = &w->transcript;
	const struct run_setup *p = &w->setup;
	struct sent_request *s = &w->sent;
	struct model_message *messages =
		ARENA_ARRAY(arena, struct model_message, 2 * s->len + 3);
	struct model_request q = { .model = work->model,
		.system = p->system,
		.session = work->session,
		.output_schema = p->agent.output_schema,
		.output_max = s->output,
		.tools = p->tools,
		.tools_len = p->tools_len,
		.messages = messages };
	enum err e;

	if (!messages) return fail(why, ERR_MEMORY, "out of memory");
	if (t->len) q.output_twice = go_on_of(t->at[t->len - 1], arena) == GO_ON_THOUGHTS;
	q.without = learned_refused(w->runner, work->provider, work->model);
	if (!(q.without & OPTION_EFFORT))
		q.effort =
			effort_nearest(effort_find(p->agent.effort), work->access.effort);
	q.messages_len = messages_make(
		s->all, s->len, p->agent.output_schema != NULL, arena, messages);
	buf_clear(&w->body);
	e = model_request_write(&w->body, work->access.wire, &q, why);
	s->size = (struct estimate_size){ .bytes = (int64_t)w->body.len };
	for (size_t i = 0; i < s->len; i++) {
		struct estimate_size size = sent_whole(&s->all[i])
						    ? transcript_size(s->all[i].m)
						    : estimate_content(s->all[i].content);

		s->size.images += size.images;
		s->size.bytes -= (int64_t)s->all[i].content.len - size.bytes;
	}
	s->tokens = estimate_tokens(&s->window.count, &s->size);
	return e;
}

/* At most so many tokens. */
static int64_t context_of(const struct worker *w, const struct run_work *work)
{
	int64_t context = learned_context(w->runner, work->provider, work->model);
	int64_t most;

	if (!context) context = work->access.model.context;
	if (!context) context = CONTEXT_UNKNOWN;
	most = context - context / 5;
	if (work->context) most = work->context < context ? work->context : context;
	return w->sent.most && w->sent.most < most ? w->sent.most : most;
}

enum err sent_make(struct worker *w, const struct run_work *work, struct arena *arena,
	enum window_step *step, struct fault *why)
{
	const struct transcript *t = &w->transcript;
	struct sent_request *s = &w->sent;
	int64_t most = context_of(w, work), rest;
	enum err e;

	s->all = ARENA_ARRAY(arena, struct sent, t->len + 1);
	if (!s->all) return fail(why, ERR_MEMORY, "out of memory");
	s->len = summary_apply((const struct run_message *const *)t->at, t->len,
		work->first, s->all, arena);
	s->window = (struct window){ .history = s->most ? 0 : work->history,
		.untold = s->most > 0,
		.count = work->counted,
		.cut = work->cut };
	*step = window_fit(&s->window, s->all, s->len, work->first, arena);
	e = sent_write(w, work, arena, why);
	if (e || *step != WINDOW_FITS || s->tokens <= most) return e;
	rest = s->tokens - window_tokens(&s->window.count, s->all, s->len);
	s->window.limit = most > rest ? most - rest : 1;
	/* Prompt and tools cannot be shorter: messages have half of it all the same. */
	if (!s->most && s->window.limit < most / 2) s->window.limit = most / 2;
	*step = window_fit(&s->window, s->all, s->len, work->first, arena);
	if (*step == WINDOW_TOO_LONG && !s->most &&
		window_tokens(&s->window.count, s->all, s->len) <= most)
		*step = WINDOW_FITS; /* by an estimate alone nothing fails that may fit */
	return *step == WINDOW_FITS ? sent_write(w, work, arena, why) : OK;
}

/* ---- summaries ---- */

enum err sent_summary(struct worker *w, const struct run_work *work, int64_t output,
	struct arena *arena)
{
	const struct sent_request *s = &w->sent;
	int64_t most = estimate_bytes(
		&s->window.count, context_of(w, work) - SUMMARY_TOKENS / 8);
	struct model_message m = { .role = MODEL_USER };
	struct model_request q = { .model = work->model,
		.session = work->session,
		.output_max = output && output < SUMMARY_TOKENS ? output : SUMMARY_TOKENS,
		.messages = &m,
		.messages_len = 1 };

	for (size_t each = CALL_MODEL_MAX; each; each /= 4) {
		m.content = summary_request(s->all, s->window.until, work->first,
			s->window.after, each, arena);
		if ((int64_t)m.content.len <= most) break;
	}
	if ((int64_t)m.content.len > most || arena->failed) return ERR_FULL;
	buf_clear(&w->body);
	return model_request_write(&w->body, work->access.wire, &q, NULL);
}

int64_t sent_after(const struct worker *w, struct str text)
{
	const struct sent_request *s = &w->sent;
	struct estimate_size size = { .bytes = (int64_t)text.len + 100 };
	int64_t gone = 0;

	for (size_t i = 0; i < s->window.until; i++)
		if (s->all[i].m->n <= s->window.upto && i)
			gone += window_tokens(&s->window.count, &s->all[i], 1);
	return s->tokens - gone + estimate_tokens(&s->window.count, &size);
}

bool sent_halve(
	struct worker *w, const struct run_work *work, const struct model_reply *reply)
{
	struct sent_request *s = &w->sent;

	if (s->most) return false;
	s->most = s->tokens / 2;
	if (reply->context > 0) {
		learned_context_is(
			w->runner, work->provider, work->model, reply->context);
		if (reply->counted > reply->context) /* in our own measure */
			s->most = s->tokens * reply->context / reply->counted < s->most
					  ? s->tokens * reply->context / reply->counted
					  : s->most;
	}
	snprintf(s->said, sizeof s->said, "%s", reply->message);
	return true;
}
