/* dialect.c - the table of dialects; turns a request into an ask, and an ask into a reply. */
#include "base/clock.h"
#include "base/keep.h"
#include "dialect/inner.h"

const struct dialect *const dialects[] = {
	&dialect_ask_user_question,
	&dialect_user_question,
	&dialect_ask_question,
	&dialect_elicitation,
	&dialect_permission,
	&dialect_codex,
	&dialect_gemini,
	&dialect_opencode,
	&dialect_agent_inbox,
	&dialect_langchain_hitl,
	&dialect_ag_ui,
	&dialect_acp,
	&dialect_a2a,
	&dialect_vercel,
	&dialect_airflow,
	&dialect_humanlayer,
	&dialect_openai_agents,
	&dialect_mastra,
	NULL,
};

/* A request stands deeper in an ask than it came. */
static const struct json_limits deep = { .depth = 96, .values = 800000 };

const struct dialect *dialect_find(struct str name)
{
	for (size_t i = 0; dialects[i]; i++)
		if (str_is(name, dialects[i]->name)) return dialects[i];
	return NULL;
}

/* What a JSON-RPC request carries, or the request itself. */
static const struct json *request_inner(const struct json *request)
{
	const struct json *params = json_get(request, "params");
	bool rpc = json_is(json_get(request, "method"), JSON_STRING);

	return rpc && json_is(params, JSON_OBJECT) ? params : request;
}

struct str dialect_names(struct arena *arena)
{
	struct buf b = { 0 };

	for (size_t i = 0; dialects[i]; i++) {
		if (i) buf_add_text(&b, dialects[i + 1] ? ", " : " or ");
		buf_add_text(&b, dialects[i]->name);
	}
	return buf_keep_done(&b, arena);
}

/* ---- in ---- */

static struct str foreign_write(
	const struct dialect *d, const struct json *request, const struct inbound *in)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_object(&w);
	jw_put_text(&w, "dialect", d->name);
	jw_put_json(&w, "request", request);
	jw_put_array(&w, "repairs");
	for (size_t i = 0; i < in->repairs_len; i++)
		jw_str(&w, in->repairs[i]);
	jw_array_end(&w);
	if (in->never_once) jw_put_bool(&w, "never_once", true);
	if (in->scopes.len) {
		jw_put_object(&w, "scopes");
		jw_members(&w, in->scopes);
		jw_object_end(&w);
	}
	if (in->strict) jw_put_bool(&w, "strict", true);
	jw_object_end(&w);
	return buf_keep_done(w.out, in->arena);
}

static enum err inbound_end(const struct dialect *d, const struct json *request,
	struct inbound *in, struct translated *out, struct fault *why)
{
	struct translated t = { .repairs = in->repairs, .repairs_len = in->repairs_len };
	struct json_writer w = { .out = &(struct buf){ 0 } };
	struct str body;
	enum err e;

	inbound_write(in, &w);
	body = buf_keep_done(w.out, in->arena);
	e = check_end(&in->check, in->arena);
	if (e) return e;
	t.foreign = foreign_write(d, request, in);
	if (in->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	e = json_read(body, &deep, in->arena, &t.body, why);
	if (!e) *out = t;
	return e;
}

enum err dialect_to_ask(const struct dialect *d, const struct json *request, bool strict,
	struct arena *arena, struct translated *out, struct fault *why)
{
	struct buf members = { 0 }, questions = { 0 };
	struct inbound *in = ARENA_NEW(arena, struct inbound);

	if (!in) return fail(why, ERR_MEMORY, "out of memory");
	in->request = request_inner(request);
	in->strict = strict;
	in->now_ms = clock_now_ms();
	in->arena = arena;
	in->check.why = why;
	in->ask.out = &members;
	in->questions.out = &questions;
	if (in->request->type == JSON_OBJECT || in->request->type == JSON_ARRAY)
		d->to_ask(in);
	else
		wrong(&in->check, &(struct json_place){ 0 }, "must be an object");
	enum err e = inbound_end(d, request, in, out, why);
	buf_done(&in->overflow);
	buf_done(&members);
	buf_done(&questions);
	return e;
}

/* ---- out ---- */

static void outbound_make(struct foreign_reply *o, const struct dialect *d,
	const struct ask_json *whole, bool strict, struct arena *arena)
{
	static const char *const kinds[] = {
		[BY_HUMAN] = "human", [BY_POLICY] = "policy", [BY_DEFAULT] = "default"
	};
	const struct json *foreign = whole->foreign;
	struct str by = json_text_of(whole->answered_by, "kind");
	bool ours = str_is(json_text_of(foreign, "dialect"), d->name);

	*o = (struct foreign_reply){
		.whole = whole,
		.ask = whole->ask,
		.request = ours ? request_inner(json_get(foreign, "request")) : NULL,
		.strict = strict || (ours && member_flag(foreign, "strict")),
		.arena = arena,
	};
	for (int i = BY_HUMAN; i <= BY_DEFAULT; i++)
		if (str_is(by, kinds[i])) o->by = i;
}

enum err dialect_from_ask(const struct dialect *d, const struct ask_json *whole,
	bool strict, struct arena *arena, struct str *reply, struct fault *why)
{
	struct buf b = { 0 };
	struct foreign_reply o;
	bool pending = whole->ask->status == ASK_PENDING;

	outbound_make(&o, d, whole, strict, arena);
	o.reply.out = &b;
	buf_add_char(&b, d->replies_list ? '[' : '{');
	if (!pending)
		d->from_ask(&o);
	else if (d->at_once)
		d->at_once(&o);
	bool none = pending && b.len == 1;
	buf_add_char(&b, d->replies_list ? ']' : '}');
	struct str text = buf_keep_done(&b, arena);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*reply = none ? STR_NONE : text;
	return OK;
}

struct str dialect_sum(const struct dialect *d, const struct ask_json *whole, bool strict,
	struct arena *arena)
{
	struct buf b = { 0 };
	struct foreign_reply o;

	outbound_make(&o, d, whole, strict, arena);
	if (o.ask->status == ASK_PENDING) return STR_NONE;
	if (d->sum)
		d->sum(&o, &b);
	else
		buf_add(&b, whole->summary);
	return buf_keep_done(&b, arena);
}
