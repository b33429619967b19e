/* mcp_form.c - what the client is asked itself: a question for its own user, as a rule.
 *
 * Only for a token that says so (token create --local) and a client that can. The ask is in
 * the inbox, too: whoever answers first wins. */
#include "base/keep.h"
#include "serve/mcp.h"

#include "base/clock.h"
#include "base/json_pattern.h"

enum { STATE_LIFE_MS = 24 * 3600 * 1000 };

/* Bound to who asked, and to a day. */
static struct str state_ticket(struct request *r)
{
	struct ticket_call t = { .ask = r->task.found->ask.id,
		.token = mcp_of(r)->token,
		.expires_ms = clock_now_ms() + STATE_LIFE_MS };
	struct buf b = { .max = 8192 };

	ticket_call_write(&b, serve_key(r->serve), TICKET_STATE, &t);
	return buf_keep_done(&b, &r->task.job.arena);
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

size_t mcp_inputs(struct request *r, struct mcp_input inputs[MCP_INPUTS_MAX])
{
	const struct mcp *m = mcp_of(r);

	if (r->task.settled || !m->local || (m->tool && !m->tool->forms)) return 0;
	return mcp_offer(r)->inputs(mcp_whole(r), &m->client, &r->task.job.arena, inputs);
}

void inputs_write(struct json_writer *w, const struct mcp_input *inputs, size_t len)
{
	jw_put_object(w, "inputRequests");
	for (size_t i = 0; i < len; i++) {
		jw_name(w, inputs[i].name);
		JW(w, "{'method':%s,'params':{", str_of(inputs[i].method));
		jw_members(w, inputs[i].params);
		JW(w, "}}");
	}
	jw_object_end(w);
}

/* Until 2025-11-25 it is a request of ours on the stream of the call that waits. */
static bool form_request(struct request *r, const struct mcp_input *input)
{
	struct mcp *m = mcp_of(r);
	struct str id = r->task.found->ask.id;
	struct buf b = { 0 }, name = { .max = 8192 };
	struct json_writer w = { .out = &b };

	if (!m->streams) return false;
	form_id(&name, r->serve, id);
	rpc_call(&w, input->method, buf_str(&name));
	jw_members(&w, input->params);
	rpc_end(&w);
	buf_done(&name);
	mcp_say(r, buf_keep_done(&b, &r->task.job.arena));
	m->state = MCP_FORM;
	if (mcp_hold(r, id, m->wait_ms)) return true;
	m->state = MCP_ENTERED;
	buf_done(&m->said);
	return false;
}

bool mcp_form_ask(struct request *r)
{
	struct mcp_input inputs[MCP_INPUTS_MAX];
	size_t len = mcp_inputs(r, inputs);
	struct json_writer *w;

	if (!len) return false;
	if (mcp_of(r)->client.revision < REV_2026_07_28)
		return form_request(r, &inputs[0]);
	/* The result itself asks, and the call is made again with the input. */
	w = mcp_result(r, "input_required");
	inputs_write(w, inputs, len);
	jw_put_str(w, "requestState", state_ticket(r));
	mcp_send(r);
	return true;
}

/* ---- what came back ---- */

/* What they settle or add goes to the desk, and then `then`; after NOTHING and AGAIN the caller
 * goes on. */
static enum elicited form_put(
	struct request *r, const struct json *responses, mcp_fn *then)
{
	static const struct use *const uses[] = {
		[ELICITED_ANSWER] = &use_form_answer,
		[ELICITED_DECLINED] = &use_form_skip,
		[ELICITED_PART] = &use_reply,
	};
	struct str body = STR("{}");
	enum elicited what =
		mcp_offer(r)->given(responses, mcp_whole(r), &r->task.job.arena, &body);

	if (what == ELICITED_NOTHING || what == ELICITED_AGAIN) return what;
	mcp_do(r, uses[what], r->task.found->ask.id, body, then, then);
	return what;
}

void mcp_form_take(struct request *r, const struct json *responses, mcp_fn *then)
{
	struct mcp_input inputs[MCP_INPUTS_MAX];
	enum elicited what =
		mcp_inputs(r, inputs) ? form_put(r, responses, then) : ELICITED_NOTHING;

	if (what == ELICITED_NOTHING || what == ELICITED_AGAIN) then(r);
}

/* The ask as it is now: what is still wanted, or was wrong, is asked for again. */
static void retry_again(struct request *r)
{
	mcp_become(r, BECOME_FORM | BECOME_TASK | BECOME_WAIT);
}

static void retry_taken(struct request *r)
{
	mcp_read(r, r->task.id, retry_again);
}

static void retry_got(struct request *r)
{
	enum elicited what = r->task.settled ? ELICITED_NOTHING
					     : form_put(r, mcp_param(r, "inputResponses"),
						       retry_taken);

	if (what == ELICITED_NOTHING) /* a page was opened, or the form put away */
		mcp_become(r, BECOME_TASK | BECOME_WAIT);
	else if (what == ELICITED_AGAIN)
		mcp_become(r, BECOME_FORM);
}

/* It is for who got it: known once they are let in. */
void mcp_form_retry(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct ticket_call t;

	if (mcp_enter_first(r, mcp_form_retry)) return;
	if (ticket_call_read(json_text(mcp_param(r, "requestState")), serve_key(r->serve),
		    TICKET_STATE, &r->task.job.arena, &t) &&
		str_eq(t.token, m->token) && t.expires_ms > clock_now_ms())
		mcp_read(r, t.ask, retry_got);
	else
		mcp_refuse_params(r, "requestState is not one of ours, or too old");
}

/* Whether it settles or not: the call that waits is told by the event. */
static void response_got(struct request *r)
{
	struct mcp_input inputs[MCP_INPUTS_MAX];
	struct json_member one = { .value = *mcp_of(r)->rpc.result };
	struct json responses = { .type = JSON_OBJECT, .count = 1, .members = &one };

	if (mcp_inputs(r, inputs)) one.name = inputs[0].name;
	mcp_form_take(r, &responses, mcp_accept);
}

void mcp_form_response(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str id = m->rpc.id;
	struct ticket_call t;

	if (mcp_enter_first(r, mcp_form_response)) return;
	if (id.len > 2 && id.at[0] == '"') id = str_make(id.at + 1, id.len - 2);
	if (!m->rpc.result || !ticket_call_read(id, serve_key(r->serve), TICKET_FORM,
				      &r->task.job.arena, &t)) {
		mcp_accept(r);
		return;
	}
	mcp_do(r, &use_ask_get, t.ask, STR_NONE, response_got, mcp_accept);
}
