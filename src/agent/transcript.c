/* transcript.c - the messages of the run that a thread works on. They are read once, when the run was
 * claimed; from then on each step brings what is new. */
#include "agent/inner.h"

#include "base/mem.h"
#include "core/run/summary.h"

struct model_written *transcript_written(const struct run_message *m)
{
	return &((struct transcript_message *)(uintptr_t)m)->written;
}

struct estimate_size transcript_size(const struct run_message *m)
{
	return ((const struct transcript_message *)m)->size;
}

static void message_free(struct run_message *m)
{
	buf_done(&transcript_written(m)->bytes);
	mem_free(m);
}

void transcript_clear(struct transcript *t)
{
	for (size_t i = 0; i < t->len; i++)
		message_free(t->at[i]);
	t->len = 0;
}

void transcript_done(struct transcript *t)
{
	transcript_clear(t);
	mem_free(t->at);
	*t = (struct transcript){ 0 };
}

/* The number of its last message; 0: it has none. */
static int64_t transcript_last(const struct transcript *t)
{
	return t->len ? t->at[t->len - 1]->n : 0;
}

/* A message and its texts in one piece. NULL: out of memory. */
static struct run_message *message_keep(const struct run_message *m)
{
	struct transcript_message *made =
		mem_alloc(sizeof *made + m->id.len + m->content.len + m->kept.len +
			  m->model.len + m->stop.len);
	struct run_message *kept = &made->said;
	char *text = (char *)(made + 1);

	if (!made) return NULL;
	*kept = *m;
	kept->session = kept->run = kept->thread = kept->prices = STR_NONE;
	kept->id = str_put(&text, m->id);
	kept->content = str_put(&text, m->content);
	kept->kept = str_put(&text, m->kept);
	kept->model = str_put(&text, m->model);
	kept->stop = str_put(&text, m->stop);
	made->size = estimate_content(kept->content);
	return kept;
}

static bool message_add(struct transcript *t, const struct run_message *m)
{
	if (t->len == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 16;
		struct run_message **at = mem_grow(t->at, cap * sizeof *at);

		if (!at) return false;
		t->at = at;
		t->cap = cap;
	}
	t->summed |= summary_is(m);
	t->at[t->len] = message_keep(m);
	return t->at[t->len] && ++t->len;
}

/* Drops messages that summaries stand for. */
static void transcript_trim(struct transcript *t, const struct run_work *work)
{
	int64_t upto;
	size_t len = 0;

	if (!t->summed) return;
	t->summed = false;
	upto = summary_upto((const struct run_message *const *)t->at, t->len);
	for (size_t i = 0; i < t->len; i++)
		if (t->at[i]->n > upto || summary_is(t->at[i]) ||
			str_eq(t->at[i]->id, work->first))
			t->at[len++] = t->at[i];
		else
			message_free(t->at[i]);
	t->len = len;
}

static bool transcript_read(struct worker *w, const struct run_work *work)
{
	struct run_history h = { .work = work };
	struct task t = { 0 };
	bool ok;

	transcript_clear(&w->transcript);
	ok = worker_tell(w, &use_run_history, &t, &h);
	for (size_t i = 0; ok && i < h.len; i++)
		ok = message_add(&w->transcript, &h.messages[i]);
	task_empty(&t);
	return ok && transcript_last(&w->transcript) == work->said;
}

bool transcript_take(struct worker *w, struct run_work *work)
{
	struct transcript *t = &w->transcript;
	bool ok = true;

	for (size_t i = 0; ok && i < work->fresh_len; i++)
		if (work->fresh[i].n == transcript_last(t) + 1)
			ok = message_add(t, &work->fresh[i]);
	if (work->step == RUN_STEP_MODEL && (!ok || transcript_last(t) != work->said))
		ok = transcript_read(w, work);
	if (work->step == RUN_STEP_MODEL) transcript_trim(t, work);
	work->key.seen = transcript_last(t);
	return ok;
}
