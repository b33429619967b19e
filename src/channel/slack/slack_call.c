/* slack_call.c - asks Slack, waits for the reply and says what became of it. */
#include "channel/slack/slack_call.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/url_text.h"
#include "net/fetch.h"
#include "net/outbound.h"
#include "serve/inner.h"

enum { POST_MS = 3000, REPLY_MAX_BYTES = 1 << 16 };

/* ---- addresses ---- */

struct str slack_method_url(struct str api, struct str method, struct arena *arena)
{
	bool slash = api.len && api.at[api.len - 1] == '/';

	return arena_print(
		arena, "%.*s%s%.*s", STR_ARGS(api), slash ? "" : "/", STR_ARGS(method));
}

bool slack_response_url_valid(struct str url, struct str api)
{
	struct str from = url_origin(url);

	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.at[i] <= ' ' || url.at[i] == '@') return false;
	return from.len < url.len &&
	       (str_is(from, "https://hooks.slack.com") || str_eq(from, url_origin(api)));
}

/* ---- a call ---- */

static bool reply_take(void *ctx, int status, struct str bytes)
{
	struct buf *reply = ctx;

	(void)status;
	if (reply->len + bytes.len < REPLY_MAX_BYTES) buf_add(reply, bytes);
	return true;
}

/* A method says {"ok": true}; other addresses may say anything. */
static enum err reply_judge(const struct slack_call *c, const struct fetch_end *end,
	const struct json *said, struct fault *why)
{
	struct str error = json_text_of(said, "error");
	enum err e = OK;

	if (json_is(json_get(said, "ok"), JSON_TRUE)) return OK;
	if (error.len)
		e = fail(why, ERR_UNAVAILABLE, "%.*s", STR_ARGS(str_first(error, 100)));
	else if (end->how != FETCH_WHOLE)
		e = fail(why, ERR_UNAVAILABLE, "%s", end->error);
	else if (c->token.len || end->status >= 300)
		e = fail(why, ERR_UNAVAILABLE, "HTTP %d", end->status);
	if (e && end->retry_after_ms > 0)
		why->retry_after_s = (end->retry_after_ms + 999) / 1000;
	return e;
}

enum err slack_call(const struct slack_call *c, struct arena *arena,
	const struct json **said, struct fault *why)
{
	const char *const headers[] = {
		c->form ? "content-type: application/x-www-form-urlencoded"
			: "content-type: application/json; charset=utf-8",
		c->token.len ? arena_print(arena, "authorization: Bearer %.*s",
				       STR_ARGS(c->token))
				       .at
			     : NULL,
		NULL
	};
	struct buf reply = { .max = REPLY_MAX_BYTES };
	const struct fetch_request request = { .url = c->url,
		.headers = headers,
		.body = c->body,
		.timeout_ms = c->timeout_ms,
		.stop_fd = c->stop_fd,
		.may_connect = connect_to_any, /* the operator's setting, or Slack's */
		.take = reply_take,
		.ctx = &reply };
	struct fetch_end end = { .how = FETCH_UNREACHABLE };
	struct fetcher *f = arena->failed ? NULL : fetcher_new(why);

	*said = NULL;
	if (!f) return arena->failed ? fail_memory(why) : why->err;
	fetcher_run(f, &request, &end);
	fetcher_free(f);
	json_read(arena_str(arena, buf_str(&reply)), NULL, arena, said, NULL);
	buf_done(&reply);
	return reply_judge(c, &end, *said, why);
}

/* ---- in the pool ---- */

static void post_run(struct pool_work *work)
{
	struct slack_post *p = (struct slack_post *)work;

	p->err = slack_call(&p->call, &p->arena, &p->said, &p->why);
	if (p->err && p->instead.url)
		p->err = slack_call(&p->instead, &p->arena, &p->said, &p->why);
}

static void post_back(struct pool_work *work, bool ran)
{
	struct slack_post *p = (struct slack_post *)work;

	if (!ran) p->err = fail(&p->why, ERR_UNAVAILABLE, "no thread");
	if (p->then)
		p->then(p);
	else if (p->err)
		log_line(LOG_WARN, "Slack did not take a call: %s", p->why.detail);
	arena_done(&p->arena);
	mem_free(p);
}

struct slack_post *slack_post_new(struct serve *s, struct str to, struct str body)
{
	struct slack_post *p = mem_alloc(sizeof *p);
	const struct settings *set = &s->set;
	bool method = str_find(to, STR("://")) < 0;

	if (!p) return NULL;
	p->work.run = post_run;
	p->work.back = post_back;
	if (method) to = slack_method_url(set->slack_api, to, &p->arena);
	p->call = (struct slack_call){ .url = arena_copy(&p->arena, to),
		.token = method ? set->slack_token : STR_NONE,
		.body = arena_str(&p->arena, body),
		.timeout_ms = POST_MS,
		.stop_fd = -1 };
	return p;
}

void slack_post_start(struct serve *s, struct slack_post *p)
{
	pool_work_start(s, &p->work);
}
