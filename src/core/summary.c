/* summary.c - the deterministic text for a model: a line a question, in question order.
 */
#include "core/reply.h"

static void sum_text(struct buf *out, const char *before, struct str text)
{
	buf_add_text(out, before);
	text_flatten(out, text);
}

static void sum_choices(struct buf *out, const struct question *q, const struct reply *r)
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

static void sum_value(struct buf *out, const struct question *q, const struct reply *r)
{
	switch (q->type) {
	case Q_TEXT: text_flatten(out, r->text); break;
	case Q_NUMBER: json_write(out, r->value); break;
	case Q_BOOLEAN:
		buf_add_text(out, r->value->type == JSON_TRUE ? "Yes" : "No");
		break;
	case Q_CHOICE:
	case Q_CHOICES: sum_choices(out, q, r); break;
	case Q_APPROVAL:
		buf_add_text(
			out, r->decision == DECISION_APPROVE ? "Approved" : "Rejected");
		if (r->arguments) buf_add_text(out, " (edited)");
		break;
	}
}

void reply_sum(struct buf *out, const struct question *q, const struct reply *r)
{
	sum_text(out, "- ", q->header.len ? q->header : q->text);
	buf_add_text(out, ": ");
	if (r->given)
		sum_value(out, q, r);
	else
		buf_add_char(out, '-');
	if (q->type == Q_TEXT || !r->text.len) return;
	sum_text(out, " (note: ", r->text);
	buf_add_char(out, ')');
}
