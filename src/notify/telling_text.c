/* telling_text.c - says what a delivery tells of: an ask, its end, a digest, how many more wait. */
#include "notify/telling_text.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/safe_text.h"

#include <stdio.h>

enum { OPERATION_MIN = 1500, TITLE_MAX = 160, MINUTE_MS = 60000, DAY_MIN = 1440 };

struct writing {
	struct claimed *c;
	const struct delivery_fill *f;
	struct arena *arena;
	enum lang lang;
	struct buf out;
	size_t code_at, code_len; /* where the operation stands */
};

static struct str say(struct writing *w, const char *id)
{
	return MSG_IN(w->arena, w->lang, id);
}

static struct str agent_name(const struct ask *a)
{
	return a->agent_name.len ? a->agent_name : a->agent;
}

static void line(struct writing *w, struct str text)
{
	buf_add(&w->out, text);
	buf_add_char(&w->out, '\n');
}

static struct str word_of(struct writing *w, const char *family, const char *name)
{
	char id[64];

	snprintf(id, sizeof id, "notify.%s.%s", family, name);
	return say(w, id);
}

/* What stands for an ask in one line: its title, or what it wants to do or know. */
static struct str ask_title(
	struct writing *w, const struct ask *a, const struct ask_parts *p, bool hidden)
{
	struct str title = p->title;

	if (!title.len && p->operation) title = json_text(json_get(p->operation, "name"));
	if (!title.len && p->questions_len)
		title = own_words(p->questions[0].key, p->questions[0].text, w->arena);
	title = utf8_first(title, TITLE_MAX);
	return hidden || !title.len
		       ? MSG_IN(w->arena, w->lang, "notify.title.hidden",
				 { "kind", word_of(w, "kind", ask_kind_name(a->kind)) },
				 { "agent", agent_name(a) })
		       : MSG_IN(w->arena, w->lang, "notify.title", { "title", title },
				 { "agent", agent_name(a) });
}

/* ---- time ---- */

static struct str clock_text(struct writing *w, int64_t ms)
{
	char at[TIME_SIZE];

	time_write(ms, at);
	return arena_print(w->arena, "%.10s %.5s UTC", at, at + 11);
}

static struct str span_text(struct writing *w, int64_t ms)
{
	int64_t minutes = (ms + MINUTE_MS - 1) / MINUTE_MS;

	if (minutes < 120)
		return msg_count_in(w->arena, w->lang, "notify.minutes", minutes);
	if (minutes < 2 * DAY_MIN)
		return msg_count_in(w->arena, w->lang, "notify.hours", minutes / 60);
	return msg_count_in(w->arena, w->lang, "notify.days", minutes / DAY_MIN);
}

static void countdown(struct writing *w, const struct ask *a)
{
	if (!a->deadline_ms) return;
	line(w, MSG_IN(w->arena, w->lang, "notify.expires",
			{ "span", span_text(w, a->deadline_ms - w->f->now_ms) },
			{ "at", clock_text(w, a->deadline_ms) }));
}

/* ---- an ask ---- */

static void head(struct writing *w)
{
	const struct ask *a = &w->f->ask;

	line(w, MSG_IN(w->arena, w->lang, "notify.head",
			{ "kind", word_of(w, "kind", ask_kind_name(a->kind)) },
			{ "agent", agent_name(a) }));
	countdown(w, a);
	if (fill_is_hidden(w->f) || w->f->title_only) return;
	if (a->risk)
		line(w, MSG_IN(w->arena, w->lang, "notify.risk",
				{ "risk", word_of(w, "risk", risk_name(a->risk)) }));
	if (w->f->session_title.len)
		line(w, MSG_IN(w->arena, w->lang, "notify.session",
				{ "session", w->f->session_title }));
	if (a->project.len)
		line(w, MSG_IN(w->arena, w->lang, "notify.project",
				{ "project", a->project }));
}

static void question(struct writing *w, const struct question *q, size_t n, bool several)
{
	struct str text = own_words(q->key, q->text, w->arena);

	buf_add_char(&w->out, '\n');
	if (several) buf_print(&w->out, "%zu. ", n);
	safe_block_add(&w->out, text);
	buf_add_char(&w->out, '\n');
	for (size_t i = 0; i < q->options_len; i++) {
		struct str label = own_words(q->key, q->options[i].label, w->arena);

		buf_print(&w->out, "  %zu) ", i + 1);
		safe_line_add(&w->out, label);
		buf_add_char(&w->out, '\n');
	}
}

/* What the agent wants to do, as it would be done. */
static struct str operation_text(struct writing *w)
{
	const struct json *op = w->f->parts.operation;
	const struct json *arguments = json_get(op, "arguments");
	struct buf pretty = { .max = 1 << 20 }, safe = { .max = 1 << 20 };

	if (!op) return STR_NONE;
	safe_line_add(&safe, json_text(json_get(op, "name")));
	if (arguments) {
		json_write_pretty(&pretty, arguments);
		buf_add_char(&safe, '\n');
		safe_block_add(&safe, buf_str(&pretty));
	}
	buf_done(&pretty);
	return buf_keep_done(&safe, w->arena);
}

static void words_of_ask(struct writing *w)
{
	const struct ask_parts *p = &w->f->parts;

	if (p->context.len) {
		buf_add_char(&w->out, '\n');
		line(w, say(w, "notify.agent_says"));
		safe_block_add(&w->out, p->context);
		buf_add_char(&w->out, '\n');
	}
	for (size_t i = 0; i < p->questions_len; i++)
		if (p->questions[i].type != Q_APPROVAL || !p->operation)
			question(w, &p->questions[i], i + 1, p->questions_len > 1);
}

/* As much as fits; the operation has its room before the rest. */
static void whole_ask(struct writing *w, size_t max)
{
	struct str operation = operation_text(w);
	struct str first = utf8_first(operation, OPERATION_MIN);
	struct str more = say(w, "notify.more");
	size_t from = w->out.len, room;
	bool cut;

	room = max > from + first.len + more.len + 64
		       ? max - from - first.len - more.len - 64
		       : 0;
	words_of_ask(w);
	cut = w->out.len - from > room;
	if (cut) {
		struct str kept =
			utf8_first(str_make(w->out.at + from, w->out.len - from), room);

		w->out.len = from + kept.len;
		buf_add_char(&w->out, '\n');
	}
	if (!operation.len) goto end;
	if (!cut)
		first = utf8_first(operation, OPERATION_MIN + room - (w->out.len - from));
	buf_add_char(&w->out, '\n');
	line(w, say(w, "notify.operation"));
	w->code_at = w->out.len;
	w->code_len = first.len;
	line(w, first);
	cut |= first.len < operation.len;
end:
	if (cut) line(w, more);
}

static void tell_ask(struct writing *w, size_t max, struct telling_words *out)
{
	const struct delivery_fill *f = w->f;

	out->title = out->subject = ask_title(w, &f->ask, &f->parts, fill_is_hidden(f));
	if (f->delivery->purpose == DELIVERY_REMINDER)
		out->title = MSG_IN(
			w->arena, w->lang, "notify.reminder", { "title", out->title });
	head(w);
	if (!fill_is_hidden(f) && !f->title_only) whole_ask(w, max);
}

/* ---- what its agent replied ---- */

static void tell_thread(struct writing *w, size_t max, struct telling_words *out)
{
	const struct delivery_fill *f = w->f;
	const struct json *replies = NULL;
	struct str text;

	/* An answer to a reply that was not taken: what is asked, once more. */
	if (f->delivery->kind == DELIVERY_EMAIL && f->delivery->detail.len) {
		tell_ask(w, max, out);
		return;
	}
	out->subject = ask_title(w, &f->ask, &f->parts, fill_is_hidden(f));
	out->title =
		MSG_IN(w->arena, w->lang, "notify.thread", { "title", out->subject });
	countdown(w, &f->ask);
	if (fill_is_hidden(f) || f->title_only ||
		json_read(f->ask.replies, NULL, w->arena, &replies, NULL) ||
		!replies->count)
		return;
	/* The reply that it is about, though there may be others since. */
	text = json_text(
		json_get(&replies->items[f->delivery->round > 0 && f->delivery->round <=
									   replies->count
						 ? f->delivery->round - 1
						 : replies->count - 1],
			"text"));
	buf_add_char(&w->out, '\n');
	line(w, say(w, "notify.agent_says"));
	safe_block_add(&w->out, utf8_first(text, max > 1000 ? max - 500 : 500));
	buf_add_char(&w->out, '\n');
	if (text.len > (max > 1000 ? max - 500 : 500)) line(w, say(w, "notify.more"));
}

/* ---- its end ---- */

/* "…, in the terminal", where a person was. */
static struct str settled_where(struct writing *w, struct str via, struct str said)
{
	struct str id = arena_print(w->arena, "notify.by.%.*s", STR_ARGS(via));

	if (!via.len || !id.at || !msg_text_in(id.at, w->lang)) return said;
	return MSG_IN(w->arena, w->lang, "notify.by", { "line", said },
		{ "place", say(w, id.at) });
}

/* Everybody whose approval was needed, where there were several. */
static struct str voters(struct writing *w, const struct ask *a)
{
	const struct json *votes = NULL;
	struct buf names = { .max = 1024 };

	if (!a->votes.len || !ask_approved(a) ||
		json_read(a->votes, NULL, w->arena, &votes, NULL))
		return STR_NONE;
	for (uint32_t i = 0; i < votes->count; i++) {
		const struct json *vote = &votes->items[i];

		if (!json_is(json_get(vote, "counts"), JSON_TRUE) ||
			!str_is(json_text(json_get(vote, "value")), "approve") ||
			!str_eq(json_text(json_get(vote, "digest")), a->approved_digest))
			continue;
		if (names.len) buf_add_text(&names, ", ");
		buf_add(&names, json_text(json_get(json_get(vote, "by"), "name")));
	}
	return buf_keep_done(&names, w->arena);
}

static struct str settled_line(struct writing *w)
{
	const struct ask *a = &w->f->ask;
	const struct json *by = NULL;
	struct str name = STR_NONE;
	char id[64];
	bool human;

	if (a->answered_by.len) json_read(a->answered_by, NULL, w->arena, &by, NULL);
	human = str_is(json_text(json_get(by, "kind")), "human");
	if (human) name = voters(w, a);
	if (human && !name.len) name = json_text(json_get(by, "name"));
	if (a->status == ASK_ANSWERED && a->kind == ASK_APPROVAL)
		snprintf(id, sizeof id, "notify.settled.%s%s",
			ask_approved(a) ? "approved" : "rejected", human ? "" : ".other");
	else
		snprintf(id, sizeof id, "notify.settled.%s%s", ask_status_name(a->status),
			human ? "" : ".other");
	return settled_where(w, json_text(json_get(by, "via")),
		MSG_IN(w->arena, w->lang, id, { "name", name },
			{ "at", clock_text(w, a->settled_ms) }));
}

static void tell_settled(struct writing *w, size_t max, struct telling_words *out)
{
	const struct delivery_fill *f = w->f;

	(void)max;
	out->title = ask_title(w, &f->ask, &f->parts, fill_is_hidden(f));
	line(w, settled_line(w));
}

/* ---- about several, or none ---- */

static void tell_digest(struct writing *w, size_t max, struct telling_words *out)
{
	const struct delivery_fill *f = w->f;
	size_t i = 0;

	out->title = msg_count_in(w->arena, w->lang,
		f->delivery->purpose == DELIVERY_DIGEST ? "notify.digest"
							: "notify.summary",
		(int64_t)f->carried_len);
	for (; i < f->carried_len && w->out.len + 400 < max; i++) {
		const struct ask *a = &f->carried[i];

		buf_add_text(&w->out, "- ");
		line(w, ask_title(w, a, &f->carried_parts[i],
				f->carried_parts[i].sensitive));
		countdown(w, a);
	}
	if (i < f->carried_len) line(w, say(w, "notify.more"));
}

static void tell_code(struct writing *w, size_t max, struct telling_words *out)
{
	(void)max;
	out->title = say(w, "notify.code.title");
	line(w, MSG_IN(w->arena, w->lang, "notify.code",
			{ "code", w->f->delivery->detail }));
}

static void tell_test(struct writing *w, size_t max, struct telling_words *out)
{
	(void)max;
	out->title = say(w, "notify.test.title");
	line(w, say(w, "notify.test"));
}

/* By purpose. */
static void (*const tells[])(struct writing *, size_t, struct telling_words *) = {
	[DELIVERY_SETTLED] = tell_settled,
	[DELIVERY_REPLIED] = tell_ask,
	[DELIVERY_LATE] = tell_ask,
	[DELIVERY_ASK] = tell_ask,
	[DELIVERY_REMINDER] = tell_ask,
	[DELIVERY_THREAD] = tell_thread,
	[DELIVERY_DIGEST] = tell_digest,
	[DELIVERY_SUMMARY] = tell_digest,
	[DELIVERY_CODE] = tell_code,
	[DELIVERY_ALERT] = tell_test,
	[DELIVERY_TEST] = tell_test,
};

void telling_text(struct claimed *c, size_t max, struct telling_words *out)
{
	const struct notify *n = claimed_notify(c);
	struct arena *arena = claimed_arena(c);
	const struct delivery_fill *f = &c->fill;
	enum lang lang = str_is(f->language, "fr")   ? LANG_FR
			 : str_is(f->language, "en") ? LANG_EN
						     : n->set.lang;
	struct writing w = { c, f, arena, lang, { .max = 1 << 20 } };

	*out = (struct telling_words){ .lang = lang };
	tells[f->delivery->purpose](&w, max, out);
	if (!out->subject.len) out->subject = out->title;
	out->text = buf_keep_done(&w.out, arena);
	if (w.code_len && out->text.len >= w.code_at + w.code_len)
		out->code = str_make(out->text.at + w.code_at, w.code_len);
	out->url = f->ask.id.len ? ask_url(n->set.url, f->ask.id, arena)
				 : arena_print(arena, "%.*s/", STR_ARGS(n->set.url));
	out->open =
		say(&w, f->delivery->purpose == DELIVERY_SETTLED ? "notify.open.settled"
								 : "notify.open");
}
