/* learned.c - a short list of models, under the runner's lock. */
#include "agent/inner.h"

#include "base/mem.h"

struct learned {
	struct learned *next;
	int64_t context;
	unsigned refused;
	char name[]; /* "PROVIDER/MODEL" */
};

static bool named(const struct learned *l, struct str provider, struct str model)
{
	struct str name = str_of(l->name);

	return name.len == provider.len + 1 + model.len &&
	       str_eq(str_first(name, provider.len), provider) &&
	       str_eq(str_from(name, provider.len + 1), model);
}

/* Under the lock. NULL: there is none, or no memory. */
static struct learned *learned_find(
	struct runner *r, struct str provider, struct str model, bool make)
{
	struct learned *l = r->learned;
	char *at;

	while (l && !named(l, provider, model))
		l = l->next;
	if (l || !make) return l;
	l = mem_alloc(sizeof *l + provider.len + model.len + 2);
	if (!l) return NULL;
	*l = (struct learned){ .next = r->learned };
	at = l->name;
	str_put(&at, provider);
	*at++ = '/';
	str_put(&at, model);
	*at = '\0';
	r->learned = l;
	return l;
}

int64_t learned_context(struct runner *r, struct str provider, struct str model)
{
	const struct learned *l;
	int64_t tokens;

	pthread_mutex_lock(&r->lock);
	l = learned_find(r, provider, model, false);
	tokens = l ? l->context : 0;
	pthread_mutex_unlock(&r->lock);
	return tokens;
}

void learned_context_is(
	struct runner *r, struct str provider, struct str model, int64_t tokens)
{
	struct learned *l;

	pthread_mutex_lock(&r->lock);
	l = learned_find(r, provider, model, true);
	if (l) l->context = tokens;
	pthread_mutex_unlock(&r->lock);
}

unsigned learned_refused(struct runner *r, struct str provider, struct str model)
{
	const struct learned *l;
	unsigned options;

	pthread_mutex_lock(&r->lock);
	l = learned_find(r, provider, model, false);
	options = l ? l->refused : 0;
	pthread_mutex_unlock(&r->lock);
	return options;
}

void learned_refuses(
	struct runner *r, struct str provider, struct str model, unsigned options)
{
	struct learned *l;

	pthread_mutex_lock(&r->lock);
	l = learned_find(r, provider, model, true);
	if (l) l->refused |= options;
	pthread_mutex_unlock(&r->lock);
}

void learned_free(struct runner *r)
{
	while (r->learned) {
		struct learned *l = r->learned;

		r->learned = l->next;
		mem_free(l);
	}
}
