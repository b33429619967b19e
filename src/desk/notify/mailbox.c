/* mailbox.c - which process reads a mailbox, and which message it is at. */
#include "desk/shared/inner.h"

#include <stdio.h>

/* A mailbox is read every few seconds; who has the store alone writes it down seldom. */
enum { LEASE_MS = 90 * 1000, LEASE_ALONE_MS = 3600 * 1000 };

static enum err mailbox_find(struct rows *rows, struct str name,
	const struct mailbox_record **out, struct fault *why)
{
	struct mailbox_record fresh = { .name = name };
	enum err e = rows_get(rows, RECORD_MAILBOXES, KEY(name), out, why);

	if (!e && !*out) *out = rows_new(rows, RECORD_MAILBOXES, &fresh);
	return e;
}

static enum err mailbox_claim_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct mailbox_claim *c = task_of(job)->checked;
	int64_t length = c->alone ? LEASE_ALONE_MS : LEASE_MS;
	const struct mailbox_record *was;
	struct mailbox_record *m;
	enum err e = mailbox_find(rows, c->name, &was, why);
	bool held;

	if (e) return e;
	held = lease_holds(&was->lease, c->by);
	c->ours = held || c->alone || lease_free(&was->lease, c->by, rows->now_ms);
	snprintf(c->reading, sizeof c->reading, "%.*s", STR_ARGS(was->reading));
	if (!c->ours ||
		(held && !c->reads && was->lease.until_ms - rows->now_ms > length / 2 &&
			was->lease.until_ms - rows->now_ms <= length))
		return OK;
	m = rows_change(rows, was);
	m->lease = (struct lease){ c->by, rows->now_ms + length };
	if (c->reads) m->reading = str_of(c->reads);
	return OK;
}

const struct use use_mailbox_claim =
	WRITES("mailbox_claim", 0, JOB_OPEN, NULL, mailbox_claim_decide, NULL, NULL);
