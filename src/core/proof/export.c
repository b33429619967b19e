/* export.c - the lines of an export, written and checked. A part of one that was cut ends where the next
 * head begins; what each part's end counts and signs is that part. */
#include "core/proof/export.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/show.h"

#include <string.h>

static void lines_add(struct export_sums *s, struct str line)
{
	sha256_3(
		str_make((const char *)s->lines, SHA256_SIZE), line, STR("\n"), s->lines);
}

static void hex_put(
	struct json_writer *w, const char *key, const uint8_t hash[SHA256_SIZE])
{
	char hex[SHA256_HEX_SIZE];

	hex_write(hash, SHA256_SIZE, hex);
	jw_put_text(w, key, hex);
}

/* ---- written ---- */

static struct json_writer line_begin(struct buf *out, const char *kind)
{
	struct json_writer w = { .out = out };

	jw_object(&w);
	jw_put_text(&w, "line", kind);
	return w;
}

static void line_end(struct json_writer *w, struct export_sums *s, size_t from)
{
	jw_object_end(w);
	if (!w->out->failed) lines_add(s, str_from(buf_str(w->out), from));
	buf_add_char(w->out, '\n');
}

void export_filter_write(struct json_writer *w, const struct export_filter *f)
{
	jw_object(w);
	show_time(w, "from", f->from_ms);
	show_time(w, "to", f->to_ms);
	show_text(w, "project", f->project);
	jw_object_end(w);
}

void export_head_write(struct buf *out, struct export_sums *s, struct str workspace,
	int64_t ws, const struct export_filter *f)
{
	size_t from = out->len;
	struct json_writer w = line_begin(out, "head");

	jw_put_int(&w, "v", 1);
	jw_put_str(&w, "workspace", workspace);
	jw_put_int(&w, "ws", ws);
	jw_put_int(&w, "after", s->last);
	hex_put(&w, "before", s->hash);
	jw_key(&w, "filter");
	export_filter_write(&w, f);
	memset(s->lines, 0, sizeof s->lines);
	line_end(&w, s, from);
}

void export_event_write(struct buf *out, struct export_sums *s, const struct event *e,
	int form, bool hidden)
{
	size_t from = out->len;
	struct json_writer w = line_begin(out, "event");

	jw_put_int(&w, "form", form);
	jw_put_int(&w, "n", e->n);
	show_time(&w, "at", e->at_ms);
	jw_put_text(&w, "type", e->type);
	jw_put_str(&w, "session", e->session);
	jw_put_str(&w, "ask", e->ask);
	jw_put_str(&w, "run", e->run);
	jw_put_str(&w, "agent", e->agent);
	hex_put(&w, "digest", e->digest);
	hex_put(&w, "hash", e->hash);
	jw_put_raw(&w, "data", hidden || !e->data.len ? STR("null") : e->data);
	line_end(&w, s, from);
	s->events++;
	s->last = e->n;
	memcpy(s->hash, e->hash, SHA256_SIZE);
}

static void raw_write(struct buf *out, struct export_sums *s, const char *kind,
	struct str json, int64_t *count)
{
	size_t from = out->len;
	struct json_writer w = line_begin(out, kind);

	jw_put_raw(&w, kind, json);
	line_end(&w, s, from);
	++*count;
}

void export_ask_write(struct buf *out, struct export_sums *s, struct str ask)
{
	raw_write(out, s, "ask", ask, &s->asks);
}

void export_receipt_write(struct buf *out, struct export_sums *s, struct str receipt)
{
	raw_write(out, s, "receipt", receipt, &s->receipts);
}

bool export_end_write(struct buf *out, const struct export_sums *s, int64_t at_ms,
	const struct jws_signer *key, struct arena *arena)
{
	struct buf text = { 0 }, canonical = { 0 }, token = { 0 };
	struct json_writer w = line_begin(&text, "end");
	const struct json *whole;
	bool ok;

	jw_put_int(&w, "events", s->events);
	jw_put_int(&w, "asks", s->asks);
	jw_put_int(&w, "receipts", s->receipts);
	jw_put_int(&w, "last", s->last);
	hex_put(&w, "hash", s->hash);
	hex_put(&w, "lines", s->lines);
	show_time(&w, "at", at_ms);
	buf_add_char(&text, '}');
	ok = !text.failed && !json_read(buf_str(&text), NULL, arena, &whole, NULL);
	if (ok) json_canonical(&canonical, whole);
	ok = ok && !canonical.failed &&
	     jws_write_compact(&token, key, EXPORT_TYP, buf_str(&canonical));
	text.len--;
	if (ok) {
		jw_put_str(&w, "signature", buf_str(&token));
		jw_object_end(&w);
		buf_add(out, buf_str(&text));
		buf_add_char(out, '\n');
	}
	ok = ok && !text.failed;
	buf_done(&text);
	buf_done(&canonical);
	buf_done(&token);
	return ok && !out->failed;
}

/* ---- checked ---- */

const char *export_wrong_name(enum export_wrong w)
{
	static const char *const names[] = {
		[EXPORT_RIGHT] = "right",
		[EXPORT_SHAPE] = "shape",
		[EXPORT_PART] = "part",
		[EXPORT_CHAIN] = "chain",
		[EXPORT_DATA] = "data",
		[EXPORT_ASK] = "ask",
		[EXPORT_RECEIPT] = "receipt",
		[EXPORT_COUNTS] = "counts",
		[EXPORT_LINES] = "lines",
		[EXPORT_END] = "end",
		[EXPORT_CUT] = "cut",
	};

	return names[w];
}

static bool hash_is(
	const struct json *j, const char *name, const uint8_t hash[SHA256_SIZE])
{
	uint8_t said[SHA256_SIZE];

	return receipt_hash_read(j, name, said) && memcmp(said, hash, SHA256_SIZE) == 0;
}

/* A part begins: of the first one all is kept, a later one must go on where the last ended. */
static enum export_wrong head_check(
	struct export_check *c, const struct json *j, struct arena *arena)
{
	struct buf filter = { 0 };
	struct str said;
	int64_t after = json_int_of(j, "after");
	uint8_t before[SHA256_SIZE];

	if (c->state == EXPORT_AT_END || json_int_of(j, "v") != 1 || after < 0 ||
		!json_is(json_get(j, "workspace"), JSON_STRING) ||
		!json_is(json_get(j, "filter"), JSON_OBJECT) ||
		!receipt_hash_read(j, "before", before))
		return EXPORT_SHAPE;
	json_canonical(&filter, json_get(j, "filter"));
	said = buf_keep_done(&filter, arena);
	if (c->state == EXPORT_AT_START) {
		c->workspace = arena_str(&c->kept, json_text_of(j, "workspace"));
		c->filter = arena_str(&c->kept, said);
		c->ws = json_int_of(j, "ws");
	} else if (!str_eq(c->workspace, json_text_of(j, "workspace")) ||
		   !str_eq(c->filter, said) || c->ws != json_int_of(j, "ws") ||
		   after != c->sums.last ||
		   memcmp(before, c->sums.hash, SHA256_SIZE) != 0) {
		return EXPORT_PART;
	}
	c->sums = (struct export_sums){ .last = after };
	memcpy(c->sums.hash, before, SHA256_SIZE);
	c->state = EXPORT_AT_HEAD;
	c->keep = c->at;
	c->after = after;
	return EXPORT_RIGHT;
}

static struct str room_put(char room[64], struct str text)
{
	memcpy(room, text.at, text.len < 64 ? text.len : 64);
	return str_make(room, text.len < 64 ? text.len : 64);
}

/* What stands behind "data":, as it was hashed. No text before it can hold these quotes. */
static struct str data_bytes(struct str line)
{
	const struct str mark = STR(",\"data\":");
	int at = str_find(line, mark);

	if (at < 0 || line.at[line.len - 1] != '}') return STR_NONE;
	line = str_from(line, (size_t)at + mark.len);
	return str_first(line, line.len - 1);
}

static enum export_wrong event_check(
	struct export_check *c, const struct json *j, struct str line)
{
	uint8_t hash[SHA256_SIZE], digest[SHA256_SIZE];
	struct str data = data_bytes(line);
	struct event e;

	if (c->state == EXPORT_AT_START || c->state == EXPORT_AT_END ||
		!receipt_event_read(j, c->ws, &e) ||
		!receipt_hash_read(j, "digest", e.digest) ||
		!receipt_event_hash(j, &e, c->sums.hash, hash) || !data.len)
		return EXPORT_SHAPE;
	if (e.n != c->sums.last + 1 || memcmp(hash, e.hash, SHA256_SIZE) != 0)
		return EXPORT_CHAIN;
	sha256(data, digest);
	if (!str_is(data, "null") && memcmp(digest, e.digest, SHA256_SIZE) != 0)
		return EXPORT_DATA;
	if (c->state != EXPORT_AT_HEAD) {
		c->keep = c->at;
		c->after = c->sums.last;
	}
	c->state = EXPORT_AT_EVENT;
	memcpy(c->before, c->sums.hash, SHA256_SIZE);
	memcpy(c->sums.hash, hash, SHA256_SIZE);
	c->sums.last = e.n;
	c->sums.events++;
	c->events++;
	c->ask = room_put(c->ask_room, e.ask);
	c->type = room_put(c->type_room, str_of(e.type));
	return EXPORT_RIGHT;
}

static enum export_wrong ask_check(struct export_check *c, const struct json *j)
{
	const struct json *ask = json_get(j, "ask");

	if (c->state != EXPORT_AT_EVENT || j->count != 2) return EXPORT_SHAPE;
	if (!str_is(c->type, "ask.created") || !str_eq(json_text_of(ask, "id"), c->ask))
		return EXPORT_ASK;
	c->state = EXPORT_AT_ASK;
	c->sums.asks++;
	c->asks++;
	return EXPORT_RIGHT;
}

static enum export_wrong receipt_line_check(
	struct export_check *c, const struct json *j, struct arena *arena)
{
	struct receipt_said said = { 0 };
	const struct json *event;

	if ((c->state != EXPORT_AT_EVENT && c->state != EXPORT_AT_ASK) || j->count != 2)
		return EXPORT_SHAPE;
	c->word = receipt_check_json(json_get(j, "receipt"), c->keys, arena, &said);
	if (c->word) return EXPORT_RECEIPT;
	event = json_get(said.payload, "event");
	c->word = PROOF_EVENT;
	if (!str_eq(json_text_of(said.payload, "ask"), c->ask) ||
		!str_eq(json_text_of(said.payload, "workspace"), c->workspace) ||
		json_int_of(event, "n") != c->sums.last ||
		!hash_is(event, "hash", c->sums.hash) ||
		!hash_is(event, "before", c->before))
		return EXPORT_RECEIPT;
	c->word = PROOF_GOOD;
	c->state = EXPORT_AT_RECEIPT;
	c->sums.receipts++;
	c->receipts++;
	return EXPORT_RIGHT;
}

/* The signed text is this very line, without its last member. */
static enum export_wrong end_signature(
	struct export_check *c, const struct json *j, struct arena *arena)
{
	struct json rest = *j;
	struct jws_parts parts;
	const struct json *payload;
	struct buf canonical = { 0 };
	struct str text;
	bool same;

	c->word = PROOF_SHAPE;
	if (!jws_split_compact(json_text_of(j, "signature"), &parts)) return EXPORT_END;
	c->word = jws_check(&parts, EXPORT_TYP, c->keys, arena, &payload, &text);
	if (c->word) return EXPORT_END;
	rest.count--;
	json_canonical(&canonical, &rest);
	same = !canonical.failed && str_eq(buf_str(&canonical), text);
	buf_done(&canonical);
	if (same) return EXPORT_RIGHT;
	c->word = PROOF_SIGNATURE;
	return EXPORT_END;
}

static enum export_wrong end_check(
	struct export_check *c, const struct json *j, struct arena *arena)
{
	const struct export_sums *s = &c->sums;
	enum export_wrong w;

	if (c->state == EXPORT_AT_START || c->state == EXPORT_AT_END || !j->count ||
		!str_is(j->members[j->count - 1].name, "signature"))
		return EXPORT_SHAPE;
	if (json_int_of(j, "events") != s->events || json_int_of(j, "asks") != s->asks ||
		json_int_of(j, "receipts") != s->receipts ||
		json_int_of(j, "last") != s->last || !hash_is(j, "hash", s->hash))
		return EXPORT_COUNTS;
	w = end_signature(c, j, arena);
	if (!w && !hash_is(j, "lines", s->lines)) w = EXPORT_LINES;
	if (!w) c->state = EXPORT_AT_END;
	return w;
}

enum export_wrong export_check_line(
	struct export_check *c, struct str line, struct arena *arena)
{
	static const struct json_limits limits = { .depth = 120, .values = 2000000 };
	const struct json *j;
	struct str kind;
	enum export_wrong w;

	if (json_read(line, &limits, arena, &j, NULL) || !json_is(j, JSON_OBJECT) ||
		!str_starts(line, "{\"line\":\""))
		return EXPORT_SHAPE;
	kind = json_text_of(j, "line");
	w = str_is(kind, "head")      ? head_check(c, j, arena)
	    : str_is(kind, "event")   ? event_check(c, j, line)
	    : str_is(kind, "ask")     ? ask_check(c, j)
	    : str_is(kind, "receipt") ? receipt_line_check(c, j, arena)
	    : str_is(kind, "end")     ? end_check(c, j, arena)
				      : EXPORT_SHAPE;
	if (w) return w;
	lines_add(&c->sums, line);
	c->line++;
	c->at += (int64_t)line.len + 1;
	return EXPORT_RIGHT;
}

enum export_wrong export_check_over(const struct export_check *c)
{
	return c->state == EXPORT_AT_END ? EXPORT_RIGHT : EXPORT_CUT;
}

void export_check_done(struct export_check *c)
{
	arena_done(&c->kept);
}
