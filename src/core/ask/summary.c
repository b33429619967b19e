/* summary.c - the deterministic text for a model: a line a question, in question
 * order. */
#include "core/ask/reply.h"

#include "core/ask/question_kind.h"

static void sum_text(struct buf *out, const char *before, struct str text)
{
	buf_add_text(out, before);
	text_flatten(out, text);
}

void reply_sum_text(struct buf *out, const struct question *q, const struct reply *r)
{
	(void)q;
	text_flatten(out, r->text);
}

void reply_sum_number(struct buf *out, const struct question *q, const struct reply *r)
{
	(void)q;
	json_write(out, r->value);
}

void reply_sum_boolean(struct buf *out, const struct question *q, const struct reply *r)
{
	(void)q;
	buf_add_text(out, r->value->type == JSON_TRUE ? "Yes" : "No");
}

void reply_sum_choices(struct buf *out, const struct question *q, const struct reply *r)
{
	const char *before = "";

	for (size_t i = 0; i < q->options_len; i++) {
		if (!(r->selected & UINT32_C(1) << i)) continue;
		sum_text(out, before, q->options[i].label);
		before = ", ";
	}
	if (!r->other.len) return;
	buf_add_text(out, before);
	sum_text(out, "Other: ", r->other);
}

void reply_sum_approval(struct buf *out, const struct question *q, const struct reply *r)
{
	(void)q;
	buf_add_text(out, r->decision == DECISION_APPROVE ? "Approved" : "Rejected");
	if (r->arguments) buf_add_text(out, " (edited)");
}

void reply_sum(struct buf *out, const struct question *q, const struct reply *r)
{
	sum_text(out, "- ", q->header.len ? q->header : q->text);
	buf_add_text(out, ": ");
	if (r->given)
		question_kind(q)->sum(out, q, r);
	else
		buf_add_char(out, '-');
	if (question_kind(q)->main == PART_TEXT || !r->text.len) return;
	sum_text(out, " (note: ", r->text);
	buf_add_char(out, ')');
}
