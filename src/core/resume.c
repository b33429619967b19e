/* The text that gives a stopped agent its questions and answers back. */
#include "core/body.h"
#include "core/session.h"

/* Who decided: a default or a policy never reads like a person's word. */
static void decider_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	const struct json *by = NULL;

	if (!a->answered_by.len || json_read(a->answered_by, NULL, arena, &by, NULL))
		return;
	struct str kind = json_text(json_get(by, "kind"));
	struct str name = json_text(json_get(by, "name"));
	if (str_is(kind, "policy"))
		buf_add(out, STR(" by a policy, not by a person"));
	else if (str_is(kind, "human"))
		buf_add(out, STR(" by a person"));
	if (!name.len) return;
	buf_add(out, STR(" ("));
	text_flatten(out, name);
	buf_add_char(out, ')');
}

static void reason_write(struct buf *out, struct str reason)
{
	if (reason.len) {
		buf_add(out, STR(": "));
		text_flatten(out, reason);
	}
	buf_add_char(out, '\n');
}

static void summary_write(struct buf *out, const struct ask *a)
{
	buf_add(out, STR(":\n"));
	buf_add(out, a->summary);
	buf_add_char(out, '\n');
}

static void expiry_write(struct buf *out, const struct ask *a)
{
	buf_add(out, STR("Nobody answered before the deadline"));
	if (a->answer.len) {
		buf_add(out, STR("; the default, no person's decision, counts"));
		summary_write(out, a);
		return;
	}
	if (a->kind == ASK_APPROVAL) buf_add(out, STR("; that counts as rejected"));
	buf_add_char(out, '\n');
}

static void outcome_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	switch (a->status) {
	case ASK_PENDING: break;
	case ASK_ANSWERED:
		buf_add(out, STR("Answered"));
		decider_write(out, a, arena);
		summary_write(out, a);
		break;
	case ASK_SKIPPED:
		buf_add(out, STR("Skipped"));
		decider_write(out, a, arena);
		reason_write(out, a->reason);
		break;
	case ASK_CANCELLED:
		buf_add(out, STR("Cancelled, without an answer"));
		reason_write(out, a->reason);
		break;
	case ASK_EXPIRED: expiry_write(out, a); break;
	}
}

static void asked_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	struct ask_parts parts;

	if (ask_parts(a, arena, &parts, NULL)) return;
	if (parts.title.len) {
		text_flatten(out, parts.title);
		buf_add_char(out, '\n');
	}
	for (size_t i = 0; i < parts.questions_len; i++) {
		if (str_eq(parts.questions[i].text, parts.title)) continue;
		text_flatten(out, parts.questions[i].text);
		buf_add_char(out, '\n');
	}
	struct str name = json_text(json_get(parts.operation, "name"));
	if (!name.len) return;
	buf_add(out, STR("Operation: "));
	text_flatten(out, name);
	buf_add_char(out, '\n');
}

static void part_write(struct buf *out, const char *heading, bool pending,
	const struct ask *const *asks, size_t len, struct arena *arena)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if ((asks[i]->status == ASK_PENDING) != pending) continue;
		if (!n) buf_add_text(out, heading);
		buf_print(out, "\n%zu. [%s] ", ++n, ask_kind_name(asks[i]->kind));
		asked_write(out, asks[i], arena);
		outcome_write(out, asks[i], arena);
	}
}

struct str resume_context(const struct session *s, const struct ask *const *asks,
	size_t len, struct arena *arena)
{
	struct buf out = { 0 };

	buf_add(&out, STR("You stopped to ask in the session \""));
	text_flatten(&out, s->title);
	buf_add(&out, STR("\".\n"));
	part_write(&out, "\nWhat you asked, oldest first, and what came of it:\n", false,
		asks, len, arena);
	part_write(&out, "\nStill open:\n", true, asks, len, arena);
	return buf_keep_done(&out, arena);
}
