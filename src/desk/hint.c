/* hint.c - hints on their way, and the text of each turn under way. */
#include "desk/hint.h"

#include "base/mem.h"
#include "core/body.h"
#include "core/show.h"
#include "desk/inner.h"

enum { PARTIAL_MAX = 1024 * 1024 };

/* A turn under way. */
struct partial {
	struct partial *next;
	int64_t ws;
	char run[ID_SIZE], session[ID_SIZE];
	struct buf text;
};

void desk_on_hint(struct desk *d, desk_hint_fn *fn, void *ctx)
{
	pthread_mutex_lock(&d->hints.lock);
	d->hints.fn = fn;
	d->hints.ctx = ctx;
	pthread_mutex_unlock(&d->hints.lock);
}

/* The lock is held: hints of one run come in their order. */
static void hint_pass(struct desk *d, const struct hint *h)
{
	if (d->hints.fn) d->hints.fn(d->hints.ctx, h);
}

void desk_hint(struct desk *d, const struct hint *h)
{
	pthread_mutex_lock(&d->hints.lock);
	hint_pass(d, h);
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

static void text_pass(struct desk *d, int64_t ws, struct str session, struct str run,
	const char *type, struct str text)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_text(&w, "run", run);
	jw_key(&w, "text");
	jw_str(&w, text);
	jw_object_end(&w);
	if (!b.failed)
		hint_pass(d, &(struct hint){ ws, session, run, type, buf_str(&b) });
	buf_done(&b);
}

void desk_hint_text(struct desk *d, int64_t ws, struct str session, struct str run,
	const char *type, struct str text)
{
	pthread_mutex_lock(&d->hints.lock);
	if (strcmp(type, "run.token") == 0) {
		struct partial *p = partial_of(d, ws, session, run);

		if (p) buf_add(&p->text, text);
	}
	text_pass(d, ws, session, run, type, text);
	pthread_mutex_unlock(&d->hints.lock);
}

void desk_hint_over(struct desk *d, struct str run)
{
	struct partial **at = &d->hints.partials;

	pthread_mutex_lock(&d->hints.lock);
	while (*at && !str_is(run, (*at)->run))
		at = &(*at)->next;
	if (*at) {
		struct partial *p = *at;

		*at = p->next;
		buf_done(&p->text);
		mem_free(p);
	}
	pthread_mutex_unlock(&d->hints.lock);
}

void desk_hint_again(struct desk *d, int64_t ws, struct str session)
{
	pthread_mutex_lock(&d->hints.lock);
	for (struct partial *p = d->hints.partials; p; p = p->next)
		if (p->ws == ws && str_is(session, p->session))
			text_pass(d, ws, session, str_of(p->run), "run.partial",
				buf_str(&p->text));
	pthread_mutex_unlock(&d->hints.lock);
}

void desk_hints_done(struct desk *d)
{
	while (d->hints.partials)
		desk_hint_over(d, str_of(d->hints.partials->run));
	pthread_mutex_destroy(&d->hints.lock);
}
