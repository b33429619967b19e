/* reader.c - a streamed reply, from the first byte to the parts of a message.
 *
 * Invariants: nothing is kept beyond REPLY_PARTS_MAX parts and REPLY_TEXT_MAX bytes. A
 * reply without trouble said itself that it ends; one that merely stops is not whole.
 * Prefix: part_. */
#include "base/hash.h"
#include "base/mem.h"
#include "model/inner.h"

#include <stdio.h>

static bool frame_take(void *ctx, const struct sse_frame *f)
{
	struct model_reader *r = ctx;
	const struct json *data;

	if (f->data.len == 0 || str_is(f->type, "ping")) return true;
	if (str_is(str_trim(f->data), "[DONE]")) {
		r->counted = true;
		return true;
	}
	/* Lines that are not JSON (a proxy's remark) are skipped; an incomplete reply is
	 * noticed at the end. */
	if (json_read(f->data, NULL, &r->frame, &data, NULL) == OK &&
		data->type == JSON_OBJECT &&
		!str_is(json_text_of(data, "type"), "ping")) {
		r->counted = true;
		r->wire->take(r, f->type, data);
	}
	r->failed |= r->frame.failed;
	arena_done(&r->frame);
	return !r->failed;
}

struct model_reader *model_reader_new(const struct model_setup *setup)
{
	struct model_reader *r = mem_alloc(sizeof *r);

	if (!r) return NULL;
	r->setup = *setup;
	r->wire = wire_of(setup->wire);
	r->sse = (struct sse){ .fn = frame_take, .ctx = r };
	r->body.max = ERROR_BODY_MAX;
	r->content.max = r->kept.max = 2 * REPLY_TEXT_MAX;
	r->retry_after_ms = -1;
	r->cost = COST_UNKNOWN;
	return r;
}

static void part_done(struct model_part *p)
{
	buf_done(&p->text);
	buf_done(&p->id);
	buf_done(&p->name);
	buf_done(&p->as);
	buf_done(&p->seal);
	buf_done(&p->seal_id);
}

struct model_reader *model_reader_free(struct model_reader *r)
{
	if (!r) return NULL;
	for (size_t i = 0; i < r->parts_len; i++)
		part_done(&r->parts[i]);
	mem_free(r->parts);
	sse_done(&r->sse);
	arena_done(&r->frame);
	buf_done(&r->body);
	buf_done(&r->content);
	buf_done(&r->kept);
	buf_done(&r->cut_call);
	mem_free(r);
	return NULL;
}

/* ---- parts ---- */

struct model_part *part_new(struct model_reader *r, enum part_type type, int64_t index)
{
	if (r->parts_len == r->parts_cap) {
		size_t cap = r->parts_cap ? r->parts_cap * 2 : 4;
		struct model_part *grown = NULL;

		if (cap <= REPLY_PARTS_MAX)
			grown = mem_grow(r->parts, cap * sizeof *grown);
		if (!grown) {
			r->failed = true;
			return NULL;
		}
		r->parts = grown;
		r->parts_cap = cap;
	}
	r->parts[r->parts_len] = (struct model_part){ .type = type, .index = index };
	return &r->parts[r->parts_len++];
}

struct model_part *part_last(struct model_reader *r)
{
	return r->parts_len ? &r->parts[r->parts_len - 1] : NULL;
}

struct model_part *part_find(struct model_reader *r, int64_t index)
{
	for (size_t i = r->parts_len; i-- > 0;)
		if (r->parts[i].index == index) return &r->parts[i];
	return NULL;
}

void part_add(struct model_reader *r, struct model_part *p, struct buf *to, struct str s)
{
	if (!p || s.len == 0) return;
	r->size += s.len;
	if (r->size > REPLY_TEXT_MAX)
		r->failed = true;
	else
		buf_add(to, s);
	r->failed |= to->failed;
}

void part_tell(struct model_reader *r, enum part_type type, struct str text)
{
	static const enum model_delta_type types[] = { [PART_TEXT] = DELTA_TEXT,
		[PART_THOUGHT] = DELTA_THOUGHT,
		[PART_CALL] = DELTA_TOOL };

	if (r->setup.fn && text.len > 0)
		r->setup.fn(r->setup.ctx,
			&(struct model_delta){ .type = types[type], .text = text });
}

void part_more(struct model_reader *r, struct model_part *p, struct str text)
{
	part_add(r, p, &p->text, text);
	if (p->type != PART_CALL) part_tell(r, p->type, text);
}

struct model_part *part_say(struct model_reader *r, enum part_type type, struct str text)
{
	struct model_part *p = part_last(r);

	if (text.len == 0) return NULL;
	if (!p || p->type != type || p->seal.len > 0) p = part_new(r, type, -1);
	if (p) part_more(r, p, text);
	return p;
}

struct model_part *part_call(
	struct model_reader *r, int64_t index, struct str id, struct str name)
{
	struct model_part *p = part_new(r, PART_CALL, index);

	if (!p) return NULL;
	part_add(r, p, &p->id, id);
	part_add(r, p, &p->name, name);
	part_tell(r, PART_CALL, name);
	return p;
}

/* More tokens than any request has: what a provider tells beyond that is not believed. */
enum { NUMBER_MAX = 1000 * 1000 * 1000 };

int64_t number_of(const struct json *object, const char *name)
{
	const struct json *n = json_get(object, name);

	if (!json_is(n, JSON_NUMBER) || !n->is_int || n->integer < 0) return 0;
	return n->integer < NUMBER_MAX ? n->integer : NUMBER_MAX;
}

int64_t reader_index(const struct json *object, const char *name)
{
	const struct json *n = json_get(object, name);

	return n && n->is_int ? n->integer : -1;
}

void reader_usage(struct model_reader *r, struct usage u, int64_t prompt)
{
	if (u.cache_read > prompt) u.cache_read = prompt;
	if (u.cache_write > prompt - u.cache_read) u.cache_write = prompt - u.cache_read;
	u.input = prompt - u.cache_read - u.cache_write;
	r->usage = u;
}

void reader_finish(
	struct model_reader *r, struct str reason, const struct model_ending *ends)
{
	if (!reason.len) return;
	r->finished = true;
	while (ends->reason && !str_is(reason, ends->reason))
		ends++;
	if (ends->reason)
		reader_trouble(r, ends->trouble, ends->retry, str_of(ends->message));
}

/* ---- the way in ---- */

bool model_reader_feed(struct model_reader *r, int status, struct str bytes)
{
	bool stream = status >= 200 && status < 300;

	r->counted = false;
	/* The beginning is kept of any reply: an error may come as plain JSON under a 200. */
	if (r->body.len + bytes.len <= ERROR_BODY_MAX && (!stream || !r->parts_len))
		buf_add(&r->body, bytes);
	if (stream && !r->sse.failed) sse_feed(&r->sse, bytes);
	r->failed |= r->sse.failed && !r->frame.failed;
	return r->counted || !stream;
}

/* ---- the end ---- */

static void seal_write(struct json_writer *w, const struct model_part *p)
{
	JW(w, "{'as':%?,'seal':%?,'id':%?}", buf_str(&p->as), buf_str(&p->seal),
		buf_str(&p->seal_id));
}

static bool part_sealed(const struct model_part *p)
{
	return p->as.len > 0 || p->seal.len > 0 || p->seal_id.len > 0;
}

static void kept_write(struct model_reader *r)
{
	struct json_writer w = { .out = &r->kept };
	size_t last = r->parts_len;

	while (last > 0 && !part_sealed(&r->parts[last - 1]))
		last--;
	if (last == 0) return;
	JW(&w, "{'wire':%s,'parts':[", str_of(model_wire_names[r->setup.wire]));
	for (size_t i = 0; i < last; i++)
		if (part_sealed(&r->parts[i]))
			seal_write(&w, &r->parts[i]);
		else
			jw_null(&w);
	JW(&w, "]}");
}

static void call_write(struct model_reader *r, struct json_writer *w,
	struct model_part *p, size_t number)
{
	struct str text = str_trim(buf_str(&p->text));
	struct fault why = { 0 };
	const struct json *arguments = NULL;

	if (p->id.len == 0) {
		struct str made = arena_print(
			&r->frame, "%.*s/%zu", STR_ARGS(r->setup.unique), number);
		char hash[SHA256_HEX_SIZE];

		sha256_hex(made, hash);
		buf_print(&p->id, "parley_%.16s", hash);
	}
	JW(w, "'id':%s,'name':%s,'arguments':", buf_str(&p->id), buf_str(&p->name));
	if (text.len == 0 || str_is(text, "null")) text = STR("{}");
	/* Shallow enough to be read again inside a message. */
	json_read(text, &(struct json_limits){ .depth = ARGUMENTS_DEPTH }, &r->frame,
		&arguments, &why);
	if (json_is(arguments, JSON_OBJECT)) {
		jw_json(w, arguments);
		return;
	}
	JW(w, "{},'unreadable':%s",
		str_of(why.detail[0] ? why.detail
				     : "the arguments are not a JSON object"));
}

/* Parts as the contract has them. An empty one stays only when something is kept of it. */
static size_t content_write(struct model_reader *r)
{
	static const char *const names[] = { "text", "thought", "tool_call" };
	struct json_writer w = { .out = &r->content };
	size_t calls = 0;

	jw_array(&w);
	for (size_t i = 0; i < r->parts_len; i++) {
		struct model_part *p = &r->parts[i];

		JW(&w, "{'type':%s", str_of(names[p->type]));
		if (p->type == PART_CALL)
			call_write(r, &w, p, calls++);
		else
			jw_put_str(&w, "text", buf_str(&p->text));
		jw_object_end(&w);
	}
	jw_array_end(&w);
	r->content.failed |= r->frame.failed;
	arena_done(&r->frame);
	return calls;
}

static void parts_tidy(struct model_reader *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->parts_len; i++) {
		struct model_part *p = &r->parts[i];

		r->failed |= p->text.failed || p->id.failed || p->name.failed ||
			     p->seal.failed || p->seal_id.failed || p->as.failed;
		if (p->type != PART_CALL && p->text.len == 0 && !part_sealed(p))
			part_done(p);
		else if (p->type == PART_CALL && p->name.len == 0)
			part_done(p);
		else
			r->parts[kept++] = *p;
	}
	r->parts_len = kept;
}

/* Has it all of its arguments? */
static bool call_whole(struct model_reader *r, struct model_part *p)
{
	const struct json *arguments = NULL;
	bool whole = !json_read(buf_str(&p->text), NULL, &r->frame, &arguments, NULL) &&
		     json_is(arguments, JSON_OBJECT);

	arena_done(&r->frame);
	return whole;
}

/* A call in which the reply was cut is dropped: nobody knows what it would have been. */
static void call_drop(struct model_reader *r)
{
	struct model_part *last = part_last(r);

	if (r->trouble != TROUBLE_CUT || !last || last->type != PART_CALL ||
		call_whole(r, last))
		return;
	buf_add(&r->cut_call, buf_str(&last->name));
	part_done(last);
	r->parts_len--;
}

/* A refused reply makes no calls. What it said is why, unless the vendor explained it. */
static void refusal_tidy(struct model_reader *r)
{
	struct buf said = { .max = ERROR_BODY_MAX };
	size_t kept = 0;

	if (r->trouble != TROUBLE_DECLINED) return;
	for (size_t i = 0; i < r->parts_len; i++) {
		struct model_part *p = &r->parts[i];

		if (p->type == PART_TEXT) buf_add(&said, buf_str(&p->text));
		if (p->type == PART_CALL)
			part_done(p);
		else
			r->parts[kept++] = *p;
	}
	r->parts_len = kept;
	if (str_trim(buf_str(&said)).len && str_is(str_of(r->message), MODEL_DECLINED)) {
		r->message[0] = 0;
		reader_trouble(r, r->trouble, false, buf_str(&said));
	}
	buf_done(&said);
}

/* A reply that is no stream: an error, in JSON or not. */
static void body_read(struct model_reader *r, int status)
{
	const struct json *body = NULL;
	struct str text = str_trim(buf_str(&r->body));

	if (json_read(text, NULL, &r->frame, &body, NULL)) body = NULL;
	if (json_is(body, JSON_ARRAY) && body->count > 0) body = &body->items[0];
	if (status >= 200 && status < 300 && !json_get(body, "error")) {
		arena_done(&r->frame);
		return;
	}
	reader_error(r, status, body);
	if (!body) reader_trouble(r, r->trouble, r->retry, text); /* a proxy's page */
	arena_done(&r->frame);
}

static void redirect_tell(struct model_reader *r, const struct model_end *end)
{
	char text[200];

	snprintf(text, sizeof text, "redirects to %.*s (%d); redirects are not followed",
		end->leads_to.len
			? (int)(end->leads_to.len < 100 ? end->leads_to.len : 100)
			: 9,
		end->leads_to.len ? end->leads_to.at : "elsewhere", end->status);
	reader_trouble(r, TROUBLE_REFUSED, false, str_of(text));
}

static void trouble_find_out(struct model_reader *r, const struct model_end *end)
{
	bool good = end->status >= 200 && end->status < 300;

	if (end->status >= 300 && end->status < 400)
		redirect_tell(r, end);
	else if (end->status == 0)
		reader_trouble(r, TROUBLE_UNREACHABLE, true, str_of(end->error));
	else if (!good)
		body_read(r, end->status);
	else if (!r->finished && r->parts_len == 0)
		body_read(r, end->status);
	if (r->trouble) return;
	if (r->failed)
		reader_trouble(r, TROUBLE_INTERNAL, false,
			STR("the reply is longer than Parley reads"));
	else if (!r->finished)
		reader_trouble(r, TROUBLE_UNREACHABLE, true,
			end->error && end->error[0]
				? str_of(end->error)
				: STR("the reply ended before it was finished"));
}

void model_reader_end(
	struct model_reader *r, const struct model_end *end, struct model_reply *out)
{
	bool some;

	parts_tidy(r);
	trouble_find_out(r, end);
	refusal_tidy(r);
	*out = (struct model_reply){ .trouble = r->trouble,
		.retry = r->retry && !end->no_retry,
		.context = r->told_context,
		.counted = r->told_sent,
		.gone = r->trouble == TROUBLE_REFUSED && end->status == 404,
		.retry_after_ms = end->retry_after_ms >= 0 ? end->retry_after_ms
							   : r->retry_after_ms,
		.usage = r->usage,
		.cost = r->cost };
	memcpy(out->message, r->message, sizeof out->message);
	call_drop(r);
	some = !r->trouble || r->trouble == TROUBLE_CUT || r->trouble == TROUBLE_EMPTY ||
	       r->trouble == TROUBLE_DECLINED;
	if (some) {
		out->calls = content_write(r);
		kept_write(r);
	}
	if (some && (r->content.failed || r->kept.failed)) {
		out->trouble = TROUBLE_INTERNAL;
		some = false;
	}
	out->content = some ? buf_str(&r->content) : STR("[]");
	out->kept = some ? buf_str(&r->kept) : STR_NONE;
	out->cut_call = buf_str(&r->cut_call);
	out->stop = out->calls > 0 ? STOP_CALLS : r->stop;
}
