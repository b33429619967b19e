/* credential_cache.c - a few credentials, each with its texts in one piece of memory. */
#include "store/fast/credential_cache.h"

#include "base/mem.h"

const struct holder *credential_cache_find(
	const struct credential_cache *all, const uint8_t hash[])
{
	for (size_t i = 0; i < all->len; i++)
		if (memcmp(all->at[i].hash, hash, SHA256_SIZE) == 0) return &all->at[i];
	return NULL;
}

enum { TEXTS = 9 };

static void texts_of(struct holder *k, struct str *texts[TEXTS])
{
	texts[0] = &k->who.token;
	texts[1] = &k->who.user;
	texts[2] = &k->who.name;
	texts[3] = &k->who.agent;
	texts[4] = &k->credential.kind;
	texts[5] = &k->credential.workspace;
	texts[6] = &k->credential.tools;
	texts[7] = &k->credential.language;
	texts[8] = &k->who.projects;
}

/* The texts become its own. False: out of memory. */
static bool texts_own(struct holder *k)
{
	struct str *texts[TEXTS];
	size_t size = 1;
	char *at;

	texts_of(k, texts);
	for (size_t i = 0; i < TEXTS; i++)
		size += texts[i]->len;
	at = k->texts = mem_grow(NULL, size);
	for (size_t i = 0; at && i < TEXTS; i++) {
		if (texts[i]->len) memcpy(at, texts[i]->at, texts[i]->len);
		texts[i]->at = at;
		at += texts[i]->len;
	}
	return at != NULL;
}

void credential_cache_keep(struct credential_cache *all, const struct job *job)
{
	struct holder k = { .who = job->who, .credential = job->credential };
	struct holder *to;

	k.who.via = STR_NONE; /* the job's own */
	k.credential.note_use = false;
	memcpy(k.hash, job->hash, SHA256_SIZE);
	if (!texts_own(&k)) return;
	if (all->len < CREDENTIALS_MAX) {
		to = &all->at[all->len++];
	} else {
		to = &all->at[all->oldest];
		all->oldest = (all->oldest + 1) % CREDENTIALS_MAX;
		mem_free(to->texts);
	}
	*to = k;
}

void credential_cache_clear(struct credential_cache *all)
{
	while (all->len)
		mem_free(all->at[--all->len].texts);
	all->oldest = 0;
}
