/* inbox_marks.c - the person's own marks on asks (read, snoozed), taking back an approval, and the
 * link of an ask. */
#include "base/clock.h"
#include "base/json_pattern.h"
#include "text/safe_text.h"
#include "tui/inbox_inner.h"
#include "tui/words.h"

void mark_read(struct inbox *in, struct str ask)
{
	struct item *item = list_find(&in->list, ask);

	if (!item || item->read || in->user.len == 0) return;
	item->read = true;
	inbox_send(in, REQUEST_READ, ask, STR("{\"read\":true}"));
}

bool mark_snooze(struct inbox *in, struct str ask, struct str span)
{
	char until[TIME_SIZE];
	int64_t ms = 0;

	if (span.len > 0 && !duration_read(span, &ms)) return false;
	time_write(clock_now_ms() + ms, until);
	inbox_send(in, REQUEST_SNOOZE, ask,
		ms > 0 ? JSON_TEXT(&in->turn, "{'snoozed_until':%s}", str_of(until))
		       : STR("{\"snoozed_until\":null}"));
	return true;
}

void marks_wake(struct inbox *in)
{
	int64_t now_ms = clock_now_ms(), wake = list_next_wake(&in->list, now_ms);

	if (in->wake_ms && now_ms >= in->wake_ms) {
		list_arrange(&in->list, now_ms);
		in->dirty = true;
	}
	in->wake_ms = wake;
}

void snooze_take(struct inbox *in, const struct json *ask)
{
	struct str id = json_text_of(ask, "id");
	int64_t now_ms = clock_now_ms();
	int64_t until = ask_time(json_get(ask, "mark"), "snoozed_until");

	list_put(&in->list, ask);
	list_arrange(&in->list, now_ms);
	if (until <= now_ms) return;
	INBOX_SAY(in, STYLE_GOOD, "web.snooze.done",
		{ "at", time_local(until, now_ms, &in->turn) });
	if (in->dialog_on && str_eq(in->dialog.id, id)) dialog_gone(in);
}

void approval_revoke(struct inbox *in, struct str ask)
{
	if (ask.len == 0 || !in->may_answer) return;
	inbox_send(in, REQUEST_REVOKE, ask, STR("{}"));
	buf_clear(&in->undo);
}

/* Where the terminal keeps its clipboard to itself the link is read. */
void marks_link_take(struct inbox *in, const struct json *ask)
{
	struct str url = json_text_of(ask, "url");

	screen_copy(in->screen, url);
	INBOX_SAY(in, STYLE_PLAIN, "tui.link", { "url", safe_line(&in->turn, url) });
}
