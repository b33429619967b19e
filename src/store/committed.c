/* committed.c - a committed batch in one piece of memory, shared between threads. */
#include "store/committed.h"

#include "base/mem.h"

struct committed *committed_hold(struct committed *t)
{
	__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	return t;
}

struct committed *committed_drop(struct committed *t)
{
	if (t && __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL) == 0) mem_free(t);
	return NULL;
}

struct committed *committed_new(const struct staged *first, size_t len)
{
	size_t size = sizeof(struct committed) + len * sizeof(struct committed_event);
	struct committed *t;
	char *at;
	size_t i = 0;

	for (const struct staged *s = first; s; s = s->next)
		size += s->event.session.len + s->event.ask.len + s->event.run.len +
			s->event.agent.len + s->event.data.len +
			(s->ask ? kept_ask_size(s->ask, &s->view) : 0);
	t = mem_alloc(size);
	if (!t) return NULL;
	t->refs = 1;
	t->len = len;
	at = (char *)&t->events[t->len];
	for (const struct staged *s = first; s; s = s->next, i++)
		if (s->ask) {
			t->events[i].ask = kept_ask_put(at, s->ask, &s->view);
			at += kept_ask_size(s->ask, &s->view);
		}
	i = 0;
	for (const struct staged *s = first; s; s = s->next, i++) {
		struct committed_event *to = &t->events[i];

		to->event = s->event;
		to->event.session = str_put(&at, s->event.session);
		to->event.ask = str_put(&at, s->event.ask);
		to->event.run = str_put(&at, s->event.run);
		to->event.agent = str_put(&at, s->event.agent);
		to->event.data = str_put(&at, s->event.data);
		to->lone = s->lone;
		to->revocations = s->revocations;
	}
	return t;
}
