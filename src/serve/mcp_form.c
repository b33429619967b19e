/* mcp_form.c - questions that the client shows to its own user.
 *
 * Only for a token that says so (token create --local), for a client that can, and never
 * for an approval. The ask is in the inbox, too: whoever answers first wins. */
#include "serve/mcp.h"

#include "base/clock.h"
#include "core/body.h"

enum { STATE_LIFE_MS = 24 * 3600 * 1000 };

/* Bound to who asked, and to a day. */
static struct str state_ticket(struct request *r, const struct json *ask)
{
	struct ticket_call t = { .ask = json_text(json_get(ask, "id")),
		.token = mcp_of(r)->token,
		.expires_ms = clock_now_ms() + STATE_LIFE_MS };
	struct buf b = { .max = 8192 };

	ticket_call_write(&b, serve_key(r->serve), TICKET_STATE, &t);
	return buf_keep_done(&b, &r->task.job.arena);
}

static bool state_read(struct request *r, struct str text, struct ticket_call *out)
{
	return ticket_call_read(text, serve_key(r->serve), TICKET_STATE,
		       &r->task.job.arena, out) &&
	       str_eq(out->token, mcp_of(r)->token) && out->expires_ms > clock_now_ms();
}

/* Of the ask alone: whoever ends the call can name its form. That it is the asker's own
 * is for the desk to say. */
void form_id(struct buf *out, struct serve *s, struct str ask)
{
	struct ticket_call t = { .ask = ask };

	buf_add_char(out, '"');
	ticket_call_write(out, serve_key(s), TICKET_FORM, &t);
	buf_add_char(out, '"');
}

/* ---- asking ---- */

/* Since 2026-07-28 the result itself asks, and the call is made again with the input. */
static void form_require(struct request *r, const struct json *ask, enum elicit_mode mode)
{
	struct json_writer *w = mcp_result(r, "input_required");

	jw_key(w, "inputRequests");
	jw_object(w);
	jw_key(w, "q");
	jw_object(w);
	jw_key(w, "method");
	jw_text(w, "elicitation/create");
	jw_key(w, "params");
	jw_object(w);
	elicit_write(w, ask, mode, REV_2026_07_28, &r->task.job.arena);
	jw_object_end(w);
	jw_object_end(w);
	jw_object_end(w);
	jw_key(w, "requestState");
	jw_str(w, state_ticket(r, ask));
	mcp_send(r);
}

/* Before, it is a request of ours on the stream of the call that waits. */
static bool form_request(struct request *r, const struct json *ask, enum elicit_mode mode)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct buf b = { 0 }, id = { .max = 8192 };
	struct json_writer w = { .out = &b };
	struct str message;

	if (!m->streams) return false;
	form_id(&id, r->serve, r->task.ask);
	rpc_call(&w, "elicitation/create", buf_str(&id));
	elicit_write(&w, ask, mode, m->client.revision, arena);
	rpc_call_end(&w);
	buf_done(&id);
	message = buf_keep_done(&b, arena);
	return mcp_hold(r, r->task.ask, m->wait_ms, &message);
}

bool mcp_form_ask(struct request *r, const struct json *ask)
{
	struct mcp *m = mcp_of(r);
	enum elicit_mode mode = m->local ? elicit_mode(ask, &m->client) : ELICIT_NOT;

	if (mode == ELICIT_NOT) return false;
	if (m->client.revision < REV_2026_07_28) return form_request(r, ask, mode);
	form_require(r, ask, mode);
	return true;
}

/* ---- what came back ---- */

/* To the desk with what the person did; false: they did nothing that settles it. */
static bool form_settle(struct request *r, const struct json *ask,
	const struct json *result, void (*then)(struct request *))
{
	struct str body = STR("{}");
	enum elicited what = elicit_read(result, ask, &r->task.job.arena, &body);
	struct task *t;

	if (what == ELICITED_NOTHING) return false;
	t = mcp_task(r);
	t->id = json_text(json_get(ask, "id"));
	mcp_body(r, body);
	request_put(r, what == ELICITED_ANSWER ? &use_form_answer : &use_form_skip, then);
	return true;
}

/* The ask again, as it is now: mended forms are asked for again, winners are told. */
static void retry_read(struct request *r, struct str ask, void (*then)(struct request *))
{
	mcp_task(r)->id = ask;
	request_put(r, &use_ask_get, then);
}

static void retry_again(struct request *r)
{
	const struct json *ask;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	ask = mcp_out(r);
	if (!ask_is_pending(ask) || !mcp_form_ask(r, ask)) mcp_answer_now(r, ask);
}

static void retry_settled(struct request *r)
{
	retry_read(r, r->task.id, retry_again);
}

static void retry_got(struct request *r)
{
	const struct json *ask, *responses = mcp_param(r, "inputResponses");
	const struct json *result = json_get(responses, "q");

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	ask = mcp_out(r);
	if (!ask_is_pending(ask)) {
		mcp_answer_now(r, ask);
		return;
	}
	if (form_settle(r, ask, result, retry_settled)) return;
	/* A page was opened, or the form put away: the inbox has it. */
	if (str_is(json_text(json_get(result, "action")), "accept") ||
		str_is(json_text(json_get(result, "action")), "cancel")) {
		if (!mcp_hold(r, r->task.id, mcp_of(r)->wait_ms, NULL))
			mcp_answer_now(r, ask);
		return;
	}
	if (!mcp_form_ask(r, ask)) mcp_answer_now(r, ask);
}

void mcp_form_retry(struct request *r)
{
	struct ticket_call t;

	if (state_read(r, json_text(mcp_param(r, "requestState")), &t))
		retry_read(r, t.ask, retry_got);
	else
		mcp_refuse_params(r, "requestState is not one of ours, or too old");
}

static void response_got(struct request *r)
{
	const struct json *ask;

	if (r->task.job.err) {
		mcp_accept(r);
		return;
	}
	ask = mcp_out(r);
	/* Whether it settles or not: the call that waits is told by the event. */
	if (!form_settle(r, ask, mcp_of(r)->rpc.result, mcp_accept)) mcp_accept(r);
}

void mcp_form_response(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str id = m->rpc.id;
	struct ticket_call t;

	if (id.len > 2 && id.at[0] == '"') id = str_make(id.at + 1, id.len - 2);
	if (m->rpc.result && ticket_call_read(id, serve_key(r->serve), TICKET_FORM,
				     &r->task.job.arena, &t))
		retry_read(r, t.ask, response_got);
	else
		mcp_accept(r);
}
