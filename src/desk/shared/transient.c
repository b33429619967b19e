/* transient.c - hints on their way, and the text of each turn under way. */
#include "desk/shared/transient.h"

#include "base/mem.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/shared/inner.h"

enum { PARTIAL_MAX = 1024 * 1024, PIECE_MAX = 2048 };

/* A turn under way. */
struct partial {
	struct partial *next;
	int64_t ws;
	char run[ID_SIZE], session[ID_SIZE];
	bool elsewhere; /* another node works on it */
	struct buf text;
};

/* What nodes tell each other. */
static const char *const told_types[] = { "run.token", "run.thought", "run.tool",
	"run.progress", "run.retrying" };

void transient_listen(struct desk *d, transient_told_fn *fn, void *ctx)
{
	pthread_mutex_lock(&d->hints.lock);
	d->hints.fn = fn;
	d->hints.ctx = ctx;
	pthread_mutex_unlock(&d->hints.lock);
}

void transient_readers(struct desk *d, int more)
{
	pthread_mutex_lock(&d->hints.lock);
	d->hints.readers += more;
	pthread_mutex_unlock(&d->hints.lock);
}

bool transient_wanted(struct desk *d)
{
	bool wanted;

	pthread_mutex_lock(&d->hints.lock);
	wanted = d->hints.readers || d->peers;
	pthread_mutex_unlock(&d->hints.lock);
	return wanted;
}

/* The lock is held: hints of one run come in their order. */
static void transient_pass(struct desk *d, const struct transient *h)
{
	if (d->hints.fn && d->hints.readers) d->hints.fn(d->hints.ctx, h);
}

/* To the other nodes. */
static void transient_say(struct desk *d, const struct transient *h)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (!d->peers) return;
	jw_object(&w);
	jw_put_int(&w, "ws", h->ws);
	show_text(&w, "session", h->session);
	show_text(&w, "run", h->run);
	show_text(&w, "type", str_of(h->type));
	show_json(&w, "data", h->data);
	jw_object_end(&w);
	if (!b.failed) peers_say(d->peers, buf_str(&b));
	buf_done(&b);
}

void transient_tell(struct desk *d, const struct transient *h)
{
	pthread_mutex_lock(&d->hints.lock);
	transient_pass(d, h);
	transient_say(d, h);
	pthread_mutex_unlock(&d->hints.lock);
}

static struct partial *partial_of(
	struct desk *d, int64_t ws, struct str session, struct str run)
{
	struct partial *p = d->hints.partials;

	while (p && !str_is(run, p->run))
		p = p->next;
	if (p || run.len >= ID_SIZE || session.len >= ID_SIZE) return p;
	p = mem_alloc(sizeof *p);
	if (!p) return NULL;
	p->ws = ws;
	p->text.max = PARTIAL_MAX;
	memcpy(p->run, run.at, run.len);
	memcpy(p->session, session.at, session.len);
	p->next = d->hints.partials;
	d->hints.partials = p;
	return p;
}

typedef void pass_fn(struct desk *, const struct transient *);

/* `tokens` -1: nobody counts them. */
static void text_pass(struct desk *d, struct transient h, struct str text, int64_t tokens,
	pass_fn *pass)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	jw_object(&w);
	show_text(&w, "run", h.run);
	jw_put_str(&w, "text", text);
	if (tokens >= 0) jw_put_int(&w, "tokens", tokens);
	jw_object_end(&w);
	h.data = buf_str(w.out);
	if (!w.out->failed) pass(d, &h);
	buf_done(w.out);
}

/* Short enough for a line between nodes, however its letters are written there. */
static void text_say(
	struct desk *d, const struct transient *h, struct str text, int64_t tokens)
{
	while (d->peers && text.len) {
		size_t n = text.len < PIECE_MAX ? text.len : PIECE_MAX;

		while (n > 1 && n < text.len &&
			((unsigned char)text.at[n] & 0xc0) == 0x80)
			n--;
		text_pass(d, *h, str_first(text, n), tokens, transient_say);
		text = str_from(text, n);
	}
}

void transient_text(struct desk *d, const struct transient *h, int64_t tokens)
{
	bool answer = strcmp(h->type, "run.token") == 0;

	if (!answer) tokens = -1;
	pthread_mutex_lock(&d->hints.lock);
	if (answer) {
		struct partial *p = partial_of(d, h->ws, h->session, h->run);

		if (p) buf_add(&p->text, h->data);
	}
	if (d->hints.readers) text_pass(d, *h, h->data, tokens, transient_pass);
	text_say(d, h, h->data, tokens);
	pthread_mutex_unlock(&d->hints.lock);
}

/* The lock is held. */
static void partial_drop(struct desk *d, struct str run, bool elsewhere)
{
	struct partial **at = &d->hints.partials, *p;

	while (*at && !str_is(run, (*at)->run))
		at = &(*at)->next;
	p = *at;
	if (!p || (elsewhere && !p->elsewhere)) return;
	*at = p->next;
	buf_done(&p->text);
	mem_free(p);
}

void transient_over(struct desk *d, struct str run)
{
	pthread_mutex_lock(&d->hints.lock);
	partial_drop(d, run, false);
	pthread_mutex_unlock(&d->hints.lock);
}

void transient_replay(struct desk *d, int64_t ws, struct str session)
{
	pthread_mutex_lock(&d->hints.lock);
	for (struct partial *p = d->hints.partials; p; p = p->next)
		if (p->ws == ws && str_is(session, p->session))
			text_pass(d,
				(struct transient){ ws, session, str_of(p->run),
					"run.partial", STR_NONE },
				buf_str(&p->text), -1, transient_pass);
	pthread_mutex_unlock(&d->hints.lock);
}

/* ---- other nodes ---- */

/* The lock is held. */
static void heard_keep(struct desk *d, const struct transient *h, const struct json *data)
{
	struct partial *p;

	if (strcmp(h->type, "run.retrying") == 0) partial_drop(d, h->run, true);
	if (strcmp(h->type, "run.token") != 0) return;
	p = partial_of(d, h->ws, h->session, h->run);
	if (!p) return;
	if (!p->text.len) p->elsewhere = true;
	if (p->elsewhere) buf_add(&p->text, json_text(json_get(data, "text")));
}

void transient_from_peer(void *ctx, struct str line)
{
	struct desk *d = ctx;
	struct arena arena = { 0 };
	const struct json *json, *ws, *data;
	struct transient h = { 0 };
	struct buf b = { 0 };

	if (json_read(line, NULL, &arena, &json, NULL)) {
		arena_done(&arena);
		return;
	}
	ws = json_get(json, "ws");
	data = json_get(json, "data");
	h.session = json_text(json_get(json, "session"));
	h.run = json_text(json_get(json, "run"));
	for (size_t i = 0; i < sizeof told_types / sizeof *told_types; i++)
		if (str_is(json_text(json_get(json, "type")), told_types[i]))
			h.type = told_types[i];
	if (h.type && ws && ws->is_int && json_is(data, JSON_OBJECT)) {
		h.ws = ws->integer;
		json_write(&b, data);
		h.data = buf_str(&b);
		pthread_mutex_lock(&d->hints.lock);
		heard_keep(d, &h, data);
		transient_pass(d, &h);
		pthread_mutex_unlock(&d->hints.lock);
	}
	buf_done(&b);
	arena_done(&arena);
}

void transient_elsewhere(struct desk *d, const struct committed *told)
{
	bool taken = false;

	for (size_t i = 0; i < told->len; i++) {
		const struct event *e = &told->events[i].event;

		if (!e->run.len || strncmp(e->type, "run.", 4) != 0) continue;
		taken |= strcmp(e->type, "run.cancelled") == 0;
		pthread_mutex_lock(&d->hints.lock);
		partial_drop(d, e->run, true);
		pthread_mutex_unlock(&d->hints.lock);
	}
	if (taken) run_wake(d);
}

void transient_done(struct desk *d)
{
	while (d->hints.partials)
		transient_over(d, str_of(d->hints.partials->run));
	pthread_mutex_destroy(&d->hints.lock);
}
