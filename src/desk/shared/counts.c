/* counts.c - counting what was committed. */
#include "desk/shared/counts.h"

#include "base/mem.h"
#include "desk/shared/problem.h"

#include <stddef.h>

struct workspace_counts {
	int64_t ws; /* its bytes are the key */
	struct desk_counts counts;
};

static const struct {
	const char *event;
	size_t offset;
} counted[] = {
	{ "ask.answered", offsetof(struct desk_counts, answers) },
	{ "ask.skipped", offsetof(struct desk_counts, skips) },
	{ "ask.cancelled", offsetof(struct desk_counts, cancels) },
	{ "ask.expired", offsetof(struct desk_counts, expiries) },
};

void counts_init(struct counts *c)
{
	pthread_mutex_init(&c->lock, NULL);
}

void counts_done(struct counts *c)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&c->workspaces, &at, &key, &value))
		mem_free(value);
	table_done(&c->workspaces);
	pthread_mutex_destroy(&c->lock);
}

static struct str workspace_key(const int64_t *ws)
{
	return str_make((const char *)ws, sizeof *ws);
}

/* NULL: out of memory; it is counted in all of them only. */
static struct desk_counts *counts_of(struct counts *c, int64_t ws)
{
	struct workspace_counts *w = table_get(&c->workspaces, workspace_key(&ws));

	if (w) return &w->counts;
	w = mem_alloc(sizeof *w);
	if (!w) return NULL;
	w->ws = ws;
	if (table_put(&c->workspaces, workspace_key(&w->ws), w)) return &w->counts;
	mem_free(w);
	return NULL;
}

static void counts_event(struct desk_counts *c, const char *type)
{
	if (!c) return;
	c->events++;
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (strcmp(type, counted[i].event) == 0)
			++*(int64_t *)(void *)((char *)c + counted[i].offset);
}

void counts_commit(struct counts *c, const struct rows *rows)
{
	pthread_mutex_lock(&c->lock);
	c->all.commits++;
	for (const struct staged *s = rows->staged_first; s; s = s->next) {
		counts_event(&c->all, s->event.type);
		counts_event(counts_of(c, s->event.ws), s->event.type);
	}
	pthread_mutex_unlock(&c->lock);
}

enum ask_refusal counts_refusal_of(enum err e)
{
	switch (problem_status(e)) {
	case 400:
	case 413:
	case 415:
	case 422: return REFUSAL_INVALID;
	case 409: return REFUSAL_CONFLICT;
	case 429: return REFUSAL_RATE;
	case 503: return REFUSAL_UNAVAILABLE;
	default: return REFUSAL_NONE;
	}
}

void counts_refused(struct counts *c, int64_t ws, enum ask_refusal why)
{
	struct desk_counts *own;

	pthread_mutex_lock(&c->lock);
	c->all.refused[why]++;
	own = ws ? counts_of(c, ws) : NULL;
	if (own) own->refused[why]++;
	pthread_mutex_unlock(&c->lock);
}

void counts_read(struct counts *c, int64_t ws, struct desk_counts *out)
{
	const struct workspace_counts *w;

	pthread_mutex_lock(&c->lock);
	w = ws ? table_get(&c->workspaces, workspace_key(&ws)) : NULL;
	*out = !ws ? c->all : w ? w->counts : (struct desk_counts){ 0 };
	pthread_mutex_unlock(&c->lock);
}
