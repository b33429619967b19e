/* learned.c - a short list of models, under the runner's lock. */
#include "agent/inner.h"

#include "base/mem.h"

struct lesson {
	int64_t context; /* 0: not known */
	unsigned refused;
};

struct learned {
	struct learned *next;
	struct lesson lesson;
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

/* What is known of it, with what is added. */
static struct lesson learn(
	struct runner *r, struct str provider, struct str model, struct lesson more)
{
	struct lesson all = { 0 };
	struct learned *l;

	pthread_mutex_lock(&r->lock);
	l = learned_find(r, provider, model, more.context || more.refused);
	if (l) {
		if (more.context) l->lesson.context = more.context;
		l->lesson.refused |= more.refused;
		all = l->lesson;
	}
	pthread_mutex_unlock(&r->lock);
	return all;
}

int64_t learned_context(struct runner *r, struct str provider, struct str model)
{
	return learn(r, provider, model, (struct lesson){ 0 }).context;
}

void learned_context_is(
	struct runner *r, struct str provider, struct str model, int64_t tokens)
{
	learn(r, provider, model, (struct lesson){ .context = tokens });
}

unsigned learned_refused(struct runner *r, struct str provider, struct str model)
{
	return learn(r, provider, model, (struct lesson){ 0 }).refused;
}

void learned_refuses(
	struct runner *r, struct str provider, struct str model, unsigned options)
{
	learn(r, provider, model, (struct lesson){ .refused = options });
}

void learned_free(struct runner *r)
{
	while (r->learned) {
		struct learned *l = r->learned;

		r->learned = l->next;
		mem_free(l);
	}
}
