/* mcp_gated.c - calls at the gateway that a person must approve: waited for, told as they stand, delivered.
 * Prefix: gated_. */
#include "serve/mcp_gateway.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/mem.h"

#include <stdio.h>

enum { ROUNDS_MAX = 8, STATE_LIFE_MS = 24 * 3600 * 1000 };

/* ---- what is wrong ---- */

/* To who may not use it, it is not there. */
void gated_trouble(struct request *r)
{
	if (r->task.job.err != ERR_NOT_FOUND || mcp_of(r)->batch) {
		mcp_trouble(r);
		return;
	}
	buf_done(&mcp_of(r)->out);
	buf_done(&mcp_of(r)->said);
	request_reply(r, STR_NONE);
}

/* ---- its result ---- */

/* The members of the server's result as they came, but for what a client of the other family needs. */
void gated_members(struct json_writer *w, const struct json *result, enum revision client,
	bool list, const char *but)
{
	bool now = client >= REV_2026_07_28, typed = false, lasts = false;

	for (uint32_t i = 0; i < result->count; i++) {
		const struct json_member *m = &result->members[i];

		if ((list && str_is(m->name, "cacheScope")) ||
			(but && str_is(m->name, but)))
			continue;
		typed |= str_is(m->name, "resultType");
		lasts |= str_is(m->name, "ttlMs");
		jw_name(w, m->name);
		jw_json(w, &m->value);
	}
	if (now && !typed) jw_put_text(w, "resultType", "complete");
	if (now && list && !lasts) jw_put_int(w, "ttlMs", 0);
	if (list) jw_put_text(w, "cacheScope", "private");
}

static struct str told_state(struct serve *s, const struct gateway_task *g,
	const struct gated_told *told, struct arena *arena)
{
	struct ticket_call t = { .ask = g->call.id,
		.token = told->token,
		.how = told->rounds + 1,
		.expires_ms = clock_now_ms() + STATE_LIFE_MS };
	struct buf b = { .max = 8192 };

	ticket_call_write(&b, serve_key(s), TICKET_STATE, &t);
	return buf_keep_done(&b, arena);
}

void gated_meta(struct json_writer *w, const struct gateway_call *c,
	const struct json *meta, bool related)
{
	jw_put_object(w, "_meta");
	for (uint32_t i = 0; json_is(meta, JSON_OBJECT) && i < meta->count; i++) {
		jw_name(w, meta->members[i].name);
		jw_json(w, &meta->members[i].value);
	}
	JW(w, "'parley/call':{'id':%s,'ask':%s,'status':%s,'sent':", c->id, c->ask,
		str_of(call_status_name(c->status)));
	jw_int(w, c->sent);
	JW(w, "}");
	if (related) JW(w, "'io.modelcontextprotocol/related-task':{'taskId':%s}", c->id);
	jw_object_end(w);
}

/* With a last item that says what a person changed. */
static void content_write(struct json_writer *w, const struct json *content,
	struct str edited, struct arena *arena)
{
	jw_put_array(w, "content");
	for (uint32_t i = 0; json_is(content, JSON_ARRAY) && i < content->count; i++)
		jw_json(w, &content->items[i]);
	JW(w, "{'type':'text','text':%s}]",
		arena_print(arena, "[A person changed the arguments to %.*s.]",
			STR_ARGS(edited)));
}

static struct str not_yet(struct serve *s, const struct gateway_call *c,
	const struct gated_told *told, struct arena *arena)
{
	/* A call that could not be read any more has no name here. */
	struct str tool = c->tool.len ? c->tool : STR("it");

	if (told->why.len)
		return arena_print(arena,
			"Not run: %.*s. Its approval (%.*s) stays good: call %.*s again with the same arguments.",
			STR_ARGS(told->why), STR_ARGS(c->ask), STR_ARGS(tool));
	if (c->status == CALL_INTERRUPTED)
		return arena_print(arena,
			"It was started, and its outcome is unknown: a person decides (%.*s, %s/asks/%.*s). Call %.*s again with the same arguments to get the result.",
			STR_ARGS(c->ask), s->url, STR_ARGS(c->ask), STR_ARGS(tool));
	if (c->status == CALL_STARTED)
		return arena_print(arena,
			"It was approved and is running (%.*s). Call %.*s again with the same arguments to get the result.",
			STR_ARGS(c->ask), STR_ARGS(tool));
	return arena_print(arena,
		"Not run yet: waiting for approval (%.*s, %s/asks/%.*s). Call %.*s again with the same arguments to get the result.",
		STR_ARGS(c->ask), s->url, STR_ARGS(c->ask), STR_ARGS(tool));
}

void gated_result_members(struct serve *s, struct json_writer *w,
	const struct gateway_task *g, const struct gated_told *told, struct arena *arena)
{
	const struct gateway_call *c = &g->call;
	const struct json *result = NULL;
	bool ended = g->what == GATEWAY_ENDED, now = told->revision >= REV_2026_07_28;
	bool again = now && !ended && !told->why.len && !g->text.len &&
		     told->rounds < ROUNDS_MAX;

	if (c->result.len) json_read(c->result, &mcp_list_limits, arena, &result, NULL);
	if (result) {
		if (c->edited.len) {
			static const char *const but[] = { "content", "_meta", NULL };

			content_write(w, json_get(result, "content"), c->edited, arena);
			gated_members(w, json_without(result, but, arena), told->revision,
				false, NULL);
		} else {
			gated_members(w, result, told->revision, false, "_meta");
		}
	} else if (again) {
		JW(w, "'resultType':'input_required','requestState':%s",
			told_state(s, g, told, arena));
		if (told->page && !told->rounds)
			JW(w, "'inputRequests':{'page':{'method':'elicitation/create','params':{'mode':'url','elicitationId':%s,'url':%s,'message':%s}}}",
				c->ask,
				arena_print(
					arena, "%s/asks/%.*s", s->url, STR_ARGS(c->ask)),
				arena_print(arena, "%.*s waits for approval at the desk.",
					STR_ARGS(c->tool)));
	} else {
		if (now) JW(w, "'resultType':'complete'");
		text_result_write(w,
			ended	      ? c->error
			: g->text.len ? g->text
				      : not_yet(s, c, told, arena),
			true);
	}
	gated_meta(w, c, json_get(result, "_meta"), told->rounds & GATED_RELATED);
}

void gated_result(struct serve *s, struct buf *out, const struct gateway_task *g,
	const struct gated_told *told, struct arena *arena)
{
	struct json_writer w = { .out = out };

	rpc_result(&w, told->id);
	gated_result_members(s, &w, g, told, arena);
	rpc_end(&w);
}

static void delivered(struct request *r)
{
	request_free(r);
}

void gated_delivered(struct serve *s, int64_t ws, const struct gateway_task *g)
{
	struct request *r = g->what == GATEWAY_ENDED ? request_new(s, NULL) : NULL;
	struct gateway_task *own;

	if (!r) return;
	own = ARENA_NEW(&r->task.job.arena, struct gateway_task);
	if (!own) {
		request_free(r);
		return;
	}
	own->same = arena_str(&r->task.job.arena, g->call.id);
	r->task.checked = own;
	r->task.job.who.ws = ws;
	request_put(r, &use_gateway_delivered, delivered);
}

bool gated_page(const struct mcp *m)
{
	return m->local && (m->client.can & CAN_URL);
}

static void held_reply(struct request *r, unsigned rounds)
{
	struct mcp *m = mcp_of(r);
	const struct gated_told told = { .revision = m->client.revision,
		.id = m->rpc.id,
		.token = m->token,
		.page = gated_page(m),
		.rounds = rounds };

	gated_result(r->serve, &m->out, m->gateway, &told, &r->task.job.arena);
	if (r->x && !m->batch) gated_delivered(r->serve, r->task.job.who.ws, m->gateway);
	mcp_send_as_is(r, 200);
}

void gated_held(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct gateway_task *g = m->gateway;
	unsigned rounds = m->how;

	if (m->beside && g->what == GATEWAY_HELD) local_held(r);
	/* Whoever sends it again has it run, however long they wait. */
	if (g->call.ready && !m->beside)
		r->serve->relay->run(
			r->serve->relay->ctx, g->access.ws, g->call.server, g->call.id);
	if (g->what != GATEWAY_ENDED && g->call.task && g->as != GATEWAY_PLAIN)
		gated_task_reply(r);
	else if (g->what == GATEWAY_ENDED || !mcp_hold_gated(r, m->wait_ms, rounds))
		held_reply(r, rounds);
}

static void gone_reached(void *of, struct str call, struct str why);

void gated_open(struct serve *s)
{
	if (s->relay) s->relay->listen(s->relay->ctx, gone_reached, s);
}

struct unreached {
	struct post post;
	struct serve *serve;
	char call[ID_SIZE];
	char why[256];
};

static void unreached_tell(struct post *post)
{
	struct unreached *u = LINK_OF(post, struct unreached, post);

	mcp_unreached(u->serve, str_of(u->call), str_of(u->why));
	mem_free(u);
}

/* On the thread that tried. */
static void gone_reached(void *of, struct str call, struct str why)
{
	struct serve *s = of;
	struct unreached *u = mem_alloc(sizeof *u);

	if (!u) return;
	*u = (struct unreached){ .post.fn = unreached_tell, .serve = s };
	snprintf(u->call, sizeof u->call, "%.*s", STR_ARGS(call));
	snprintf(u->why, sizeof u->why, "%.*s",
		STR_ARGS(str_first(why, sizeof u->why - 1)));
	loop_post(s->loop, &u->post);
}

static void resume_read(struct request *r)
{
	struct mcp *m = mcp_of(r);
	int64_t wait_ms = m->gateway->what == GATEWAY_ENDED ? 1 : m->wait_ms;

	if (!mcp_hold_gated(r, wait_ms > 0 ? wait_ms : 1, m->how)) gated_trouble(r);
}

void gated_resume(struct request *r, struct str call)
{
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	*g = (struct gateway_task){ .server = mcp_of(r)->server, .same = call };
	mcp_of(r)->gateway = g;
	mcp_task(r)->checked = g;
	mcp_put(r, &use_gateway_look, resume_read, gated_trouble);
}
