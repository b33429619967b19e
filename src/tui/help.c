/* help.c - the keys by screen, and what the marks mean. */
#include "tui/help.h"

#include "text/msg.h"

enum { KEYS_COLUMNS = 16 };

static const char *const headings[HELP_PARTS] = {
	[HELP_EVERYWHERE] = "tui.help.everywhere",
	[HELP_INBOX] = "web.nav.inbox",
	[HELP_ASK] = "tui.help.ask",
	[HELP_TEXT] = "tui.help.text",
	[HELP_SESSIONS] = "web.nav.sessions",
	[HELP_HISTORY] = "web.nav.history",
	[HELP_MARKS] = "tui.help.marks",
};

/* The keys are texts of the catalogue where languages name them differently. */
static const struct {
	enum help_part part;
	const char *keys, *id;
} helps[] = {
	{ HELP_EVERYWHERE, "j k ↑ ↓", "web.keys.move" },
	{ HELP_EVERYWHERE, "Ctrl-D Ctrl-U", "tui.help.page" },
	{ HELP_EVERYWHERE, "tui.key.enter", "web.keys.open" },
	{ HELP_EVERYWHERE, "tui.key.esc", "tui.help.back" },
	{ HELP_EVERYWHERE, "/", "tui.help.search" },
	{ HELP_EVERYWHERE, "f", "tui.help.filters" },
	{ HELP_EVERYWHERE, "Tab", "tui.help.views" },
	{ HELP_EVERYWHERE, "g i  g s  g h", "tui.help.views" },
	{ HELP_EVERYWHERE, "? q Ctrl-L", "tui.help.rest" },
	{ HELP_INBOX, "p P A m", "tui.help.filter" },
	{ HELP_INBOX, "x B", "tui.help.batch" },
	{ HELP_INBOX, "tui.key.space", "tui.help.fold" },
	{ HELP_INBOX, "i", "tui.help.assign" },
	{ HELP_INBOX, "z Z", "tui.help.snooze" },
	{ HELP_INBOX, "u", "tui.help.undo.last" },
	{ HELP_INBOX, "v", "tui.help.session" },
	{ HELP_INBOX, "l", "tui.help.link" },
	{ HELP_ASK, "tui.key.choose", "web.keys.choose" },
	{ HELP_ASK, "y n", "web.keys.yesno" },
	{ HELP_ASK, "a", "web.keys.approve" },
	{ HELP_ASK, ".", "web.scope" },
	{ HELP_ASK, "r", "web.keys.reject" },
	{ HELP_ASK, "e", "web.keys.edit" },
	{ HELP_ASK, "← Tab", "tui.help.questions" },
	{ HELP_ASK, "tui.key.esc", "web.keys.back" },
	{ HELP_ASK, "s", "web.keys.skip" },
	{ HELP_ASK, "b", "web.thread.open" },
	{ HELP_ASK, "c +", "tui.help.claim" },
	{ HELP_ASK, "t", "tui.help.raw" },
	{ HELP_ASK, "tui.key.pages", "tui.help.scroll" },
	{ HELP_TEXT, "Ctrl-G", "tui.help.editor" },
	{ HELP_TEXT, "tui.key.newline", "tui.help.newline" },
	{ HELP_TEXT, "Ctrl-X", "web.keys.skip" },
	{ HELP_SESSIONS, "tui.key.space", "tui.help.runs" },
	{ HELP_SESSIONS, "tui.key.enter", "tui.help.answer" },
	{ HELP_SESSIONS, "m", "tui.help.message" },
	{ HELP_SESSIONS, "S", "tui.help.stop" },
	{ HELP_SESSIONS, "E", "tui.help.mandate" },
	{ HELP_SESSIONS, "tui.key.follow", "tui.help.feed" },
	{ HELP_HISTORY, "m d P A", "tui.help.history" },
	{ HELP_HISTORY, "u", "tui.help.undo" },
	{ HELP_HISTORY, ".", "web.history.rule.from" },
	{ HELP_HISTORY, "l", "tui.help.link" },
	{ HELP_MARKS, "•", "tui.mark.unread" },
	{ HELP_MARKS, "x", "tui.mark.chosen" },
	{ HELP_MARKS, "!", "tui.mark.approval" },
	{ HELP_MARKS, "?", "tui.mark.question" },
	{ HELP_MARKS, "↻", "tui.mark.error" },
	{ HELP_MARKS, "·", "tui.mark.later" },
	{ HELP_MARKS, "* o", "tui.mark.running" },
	{ HELP_MARKS, "! ~", "tui.mark.waiting" },
	{ HELP_MARKS, "= x -", "tui.mark.ended" },
	{ HELP_MARKS, "+", "tui.mark.changed" },
};

void help_open(struct help *h, enum help_part here, bool alone)
{
	*h = (struct help){ .on = true, .alone = alone, .here = here };
}

void help_key(struct help *h, const struct key *k, size_t height)
{
	size_t page = height > 1 ? height - 1 : 1;
	enum key_name name = key_paging(k);

	if (name == K_DOWN || key_letter(k) == 'j')
		h->top++;
	else if (name == K_UP || key_letter(k) == 'k')
		h->top -= h->top > 0;
	else if (name == K_PAGE_DOWN)
		h->top += page;
	else if (name == K_PAGE_UP)
		h->top -= h->top > page ? page : h->top;
	else
		h->on = false;
}

static void part_write(struct page *p, enum help_part part)
{
	page_row(p);
	PAGE_MSG(p, STYLE_BOLD, headings[part]);
	for (size_t i = 0; i < sizeof helps / sizeof *helps; i++) {
		const char *keys = msg_text(helps[i].keys);

		if (helps[i].part != part) continue;
		page_row(p);
		page_add_text(p, STYLE_PLAIN, " ");
		page_add_text(p, STYLE_ACCENT, keys ? keys : helps[i].keys);
		page_pad(p, KEYS_COLUMNS);
		PAGE_MSG(p, STYLE_PLAIN, helps[i].id);
	}
}

void help_draw(struct help *h, struct screen *s, const struct area *f)
{
	struct page p = { .width = f->width };

	part_write(&p, h->here);
	for (enum help_part part = 0; part < HELP_PARTS; part++)
		if (part != h->here && (!h->alone || part == HELP_TEXT))
			part_write(&p, part);
	if (h->top + f->height > p.rows_len)
		h->top = p.rows_len > f->height ? p.rows_len - f->height : 0;
	screen_page(s, f, &p, h->top);
	page_done(&p);
}
