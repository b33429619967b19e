/* receipt.c - the receipt of an ask: who decided what, signed, with the event of the log that says so. */
#include "desk/proof/signing.h"

#include "base/keep.h"

enum err signing_old_events(
	struct rows *rows, int64_t ws, int64_t *out, struct fault *why)
{
	const struct workspace *w = NULL;
	enum err e = rows_get(rows, RECORD_WORKSPACES, KEY(ws), &w, why);

	*out = w ? w->old_events : 0;
	return e;
}

enum err receipt_sign(const struct jws_signer *key, const struct receipt_facts *facts,
	struct arena *arena, struct buf *out, struct fault *why)
{
	struct str payload;
	enum err e = receipt_payload(facts, arena, &payload, why);

	if (!e && !jws_write_flat(out, key, RECEIPT_TYP, payload)) e = fail_memory(why);
	return e;
}

struct event_found {
	struct arena *arena;
	struct event event;
};

static enum err event_row(void *ctx, const struct row *row, struct fault *why)
{
	struct event_found *f = ctx;

	return event_from_row(row, f->arena, &f->event, why);
}

static enum err hash_row(void *ctx, const struct row *row, struct fault *why)
{
	struct str hash = row_text(row, 0);

	(void)why;
	if (hash.len == SHA256_SIZE) memcpy(ctx, hash.at, SHA256_SIZE);
	return OK;
}

static enum err receipt_find(struct rows *rows, const struct ask *a,
	struct event_found *found, struct receipt_facts *facts, struct fault *why)
{
	int64_t old = 0;
	enum err e = rows_query(rows, SQL_RECEIPT_EVENT, ARGS(a->ws, a->session, a->id),
		event_row, found, why);

	if (!e && !found->event.type)
		e = fail(why, ERR_INTERNAL, "no event of the log settles ask %.*s",
			STR_ARGS(a->id));
	if (!e && found->event.n > 1)
		e = rows_query(rows, SQL_EVENT_HASH,
			ARGS(event_place(a->ws, found->event.n - 1)), hash_row,
			facts->before, why);
	if (!e) e = signing_old_events(rows, a->ws, &old, why);
	facts->form = found->event.n <= old ? 1 : 2;
	facts->event = &found->event;
	return e;
}

static enum err receipt_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct event_found found = { .arena = rows->arena };
	struct receipt_facts facts = { 0 };
	struct jws_signer signer;
	struct ask *a;
	enum err e = desk_see_ask(t, rows, &a, why);

	if (e) return e;
	if (a->status == ASK_PENDING)
		return fail(why, ERR_NOT_SETTLED,
			"the ask is still open: it has a receipt when it is settled");
	e = signing_open(t, rows, a->ws, &signer, why);
	if (!e) e = receipt_find(rows, a, &found, &facts, why);
	if (e) return e;
	facts.ask = a;
	facts.workspace = desk_workspace(t, rows, a->ws);
	return receipt_sign(&signer, &facts, rows->arena, &job->out, why);
}

const struct use use_receipt = READS("receipt", 0, 0, receipt_read, NULL);
