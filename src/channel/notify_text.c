/* notify_text.c - says what a delivery tells of: an ask, its end, a digest, how many more
 * wait. */
#include "channel/notify_text.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "base/zone.h"
#include "core/ask/because.h"
#include "core/ask/question_kind.h"
#include "core/policy/require.h"
#include "text/alert_words.h"
#include "text/msg.h"
#include "text/own.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

#include <stdio.h>

enum {
	WORDS_ROOM =
		2000, /* bytes of other words, beside what operation, diff and error leave */
	LINE_ROOM = 200,
	TITLE_MAX = 160,
	MINUTE_MS = 60000,
	DAY_MIN = 1440,
};

struct writing {
	struct claimed *c;
	const struct delivery_fill *f;
	struct arena *arena;
	enum lang lang;
	struct buf out;
	struct {
		size_t at, len;
	} code[DETAIL_PARTS]; /* where operation, diff and error stand */
};

/* A text in the language of who reads it, and a line of it. */
#define TEXT(w, id, ...) MSG_IN((w)->arena, (w)->lang, (id)__VA_OPT__(, ) __VA_ARGS__)
#define LINE(w, id, ...) line((w), TEXT((w), (id)__VA_OPT__(, ) __VA_ARGS__))

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
	return TEXT(w, id);
}

/* Some lines of an agent's, under a heading. */
static void block(struct writing *w, const char *heading, struct str text)
{
	buf_add_char(&w->out, '\n');
	LINE(w, heading);
	safe_block_add(&w->out, text);
	buf_add_char(&w->out, '\n');
}

/* Only that there is an ask, or only its title, is shown. */
static bool is_brief(const struct writing *w)
{
	return fill_is_hidden(w->f) || w->f->title_only;
}

/* The title and the context of an ask that Parley itself made. */
static struct str first_words(
	struct writing *w, const struct ask_parts *p, struct str text)
{
	return p->questions_len ? own_words(p->questions[0].key, text, w->lang, w->arena)
				: text;
}

/* What stands for an ask in one line: its title, or what it wants to do or know. */
static struct str ask_title(
	struct writing *w, const struct ask *a, const struct ask_parts *p, bool hidden)
{
	struct str title = first_words(w, p, p->title);

	if (!title.len && p->operation) title = json_text_of(p->operation, "name");
	if (!title.len && p->questions_len)
		title = own_words(
			p->questions[0].key, p->questions[0].text, w->lang, w->arena);
	title = utf8_first(title, TITLE_MAX);
	/* With "titles only", an ask without a title shows its kind, not its text. */
	return hidden || !title.len || (w->f->title_only && !p->title.len)
		       ? TEXT(w, "notify.title.hidden",
				 { "kind", word_of(w, "kind", ask_kind_name(a->kind)) },
				 { "agent", agent_name(a) })
		       : TEXT(w, "notify.title", { "title", title },
				 { "agent", agent_name(a) });
}

/* ---- time ---- */

static struct str clock_text(struct writing *w, int64_t ms)
{
	const struct delivery_fill *f = w->f;
	char at[TIME_SIZE];

	if (f->zone_name.len) ms += 1000 * zone_offset_s(f->zone, ms / 1000);
	time_write(ms, at);
	return arena_print(w->arena, "%.10s %.5s %.*s", at, at + 11,
		STR_ARGS(f->zone_name.len ? f->zone_name : STR("UTC")));
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
	if (a->deadline_ms)
		LINE(w, "notify.expires",
			{ "span", span_text(w, a->deadline_ms - w->f->now_ms) },
			{ "at", clock_text(w, a->deadline_ms) });
}

/* ---- an ask ---- */

static void fact(struct writing *w, const char *id, const char *name, struct str value)
{
	if (value.len) LINE(w, id, { name, utf8_fit(value, LINE_ROOM) });
}

static void name_add(struct buf *out, struct str name)
{
	if (out->len) buf_add_text(out, ", ");
	buf_add(out, name);
}

/* "2 approvals are needed, from ops" */
static struct str need_text(struct writing *w, const struct require_part *p)
{
	struct str needed = msg_count_in(w->arena, w->lang, "notify.needs", p->approvals);
	struct buf who = { .max = 4096 };
	bool people = false;

	for (size_t i = 0; i < p->from_len; i++)
		if (p->from[i].kind == REQUIRE_USER)
			people = true;
		else
			name_add(&who, p->from[i].kind == REQUIRE_TEAM
					       ? p->from[i].name
					       : str_of(role_name(p->from[i].role)));
	if (people) name_add(&who, TEXT(w, "notify.needs.people"));
	if (!who.len) return needed;
	return TEXT(w, "notify.needs.from", { "line", needed },
		{ "who", buf_keep_done(&who, w->arena) });
}

/* Without memory to see it, the arena has failed and nothing is sent. */
static bool approved(struct writing *w, const struct ask *a)
{
	bool yes;

	return !ask_approved(a, w->arena, &yes, NULL) && yes;
}

/* Who has approved it, where several are needed: as it was settled, or as it stands. */
static struct str voters(struct writing *w, const struct ask *a)
{
	bool open = a->status == ASK_PENDING;
	struct str digest = open ? a->digest : a->approved_digest;
	const struct json *votes = NULL;
	struct buf names = { .max = 1024 };

	if (!a->votes.len || (!open && !approved(w, a)) ||
		json_read(a->votes, NULL, w->arena, &votes, NULL))
		return STR_NONE;
	for (const struct json *vote = NULL; json_each(votes, &vote);)
		if (json_is(json_get(vote, "counts"), JSON_TRUE) &&
			str_is(json_text_of(vote, "value"), "approve") &&
			str_eq(json_text_of(vote, "digest"), digest))
			name_add(&names, json_text_of(json_get(vote, "by"), "name"));
	return buf_keep_done(&names, w->arena);
}

/* How many people are needed, and who has approved it. */
static void votes_lines(struct writing *w)
{
	struct str names = voters(w, &w->f->ask);
	struct require all = { 0 };

	if (!w->f->ask.require.len ||
		require_load(w->f->ask.require, w->arena, &all, NULL))
		return;
	for (size_t i = 0; i < all.len; i++)
		line(w, need_text(w, &all.parts[i]));
	LINE(w, names.len ? "notify.voted" : "notify.voted.none", { "names", names });
}

/* Where the agent is in its work. */
static void context_lines(struct writing *w)
{
	const struct json *around = w->f->parts.around;
	const struct json *n = json_get(around, "attempt");
	const struct json *m = json_get(around, "attempts");
	struct str project = w->f->ask.project;

	if (!project.len) project = json_text_of(around, "project_name");
	fact(w, "notify.project", "project", project);
	fact(w, "notify.step", "step", json_text_of(around, "current_step"));
	if (json_is(n, JSON_NUMBER))
		LINE(w, json_is(m, JSON_NUMBER) ? "notify.attempt.of" : "notify.attempt",
			{ "n", n->text },
			{ "m", json_is(m, JSON_NUMBER) ? m->text : STR_NONE });
}

/* With the program and who runs it on its machine: "builder · Claude Code (ada)". */
static struct str agent_whole(struct writing *w)
{
	const struct ask_parts *p = &w->f->parts;
	struct str name = agent_name(&w->f->ask);

	if (is_brief(w)) return name;
	if (p->program.len && !str_eq(p->program, name))
		name = arena_print(
			w->arena, "%.*s · %.*s", STR_ARGS(name), STR_ARGS(p->program));
	return p->machine_user.len ? arena_print(w->arena, "%.*s (%.*s)", STR_ARGS(name),
					     STR_ARGS(p->machine_user))
				   : name;
}

static void head(struct writing *w, struct str title)
{
	const struct ask *a = &w->f->ask;
	struct str kind = TEXT(w, "notify.head",
		{ "kind", word_of(w, "kind", ask_kind_name(a->kind)) },
		{ "agent", agent_whole(w) });

	/* The title may already be the kind. */
	if (!str_eq(kind, title)) line(w, kind);
	countdown(w, a);
	if (is_brief(w)) return;
	if (a->risk)
		LINE(w, "notify.risk",
			{ "risk", word_of(w, "risk", risk_name(a->risk)) });
	votes_lines(w);
	if (w->f->session_title.len)
		LINE(w, "notify.session", { "session", w->f->session_title });
	context_lines(w);
}

static void question(struct writing *w, const struct question *q, size_t n, bool several)
{
	struct str text = own_words(q->key, q->text, w->lang, w->arena);

	buf_add_char(&w->out, '\n');
	if (several) buf_print(&w->out, "%zu. ", n);
	safe_block_add(&w->out, text);
	buf_add_char(&w->out, '\n');
	for (size_t i = 0; i < q->options_len; i++) {
		struct str label =
			own_words(q->key, q->options[i].label, w->lang, w->arena);

		buf_print(&w->out, "  %zu) ", i + 1);
		safe_line_add(&w->out, label);
		buf_add_char(&w->out, '\n');
	}
}

/* What the agent says of it, and shows beside it. */
static void agent_words(struct writing *w)
{
	struct str preview = json_text_of(w->f->parts.around, "preview");

	if (w->f->parts.context.len)
		block(w, "notify.agent_says",
			first_words(w, &w->f->parts, w->f->parts.context));
	if (preview.len) block(w, "notify.preview", preview);
}

static void questions(struct writing *w)
{
	const struct ask_parts *p = &w->f->parts;

	for (size_t i = 0; i < p->questions_len; i++)
		if (!question_decides(&p->questions[i]) || !p->operation)
			question(w, &p->questions[i], i + 1, p->questions_len > 1);
}

/* Takes back what was written beyond `room` since `from`. */
static bool words_cut(struct writing *w, size_t from, size_t room)
{
	if (w->out.len - from <= room) return false;
	w->out.len =
		from + utf8_fit(str_make(w->out.at + from, w->out.len - from), room).len;
	buf_add_char(&w->out, '\n');
	return true;
}

static bool detail(struct writing *w, enum detail_part part, struct str text, size_t room)
{
	static const char *const heads[DETAIL_PARTS] = {
		[DETAIL_OPERATION] = "notify.operation",
		[DETAIL_DIFF] = "notify.diff",
		[DETAIL_ERROR] = "notify.error",
	};
	struct str shown = utf8_fit(text, room);

	if (!text.len) return false;
	buf_add_char(&w->out, '\n');
	LINE(w, heads[part]);
	w->code[part].at = w->out.len;
	w->code[part].len = shown.len;
	line(w, shown);
	return shown.len < text.len;
}

/* As much as fits: first operation, diff and error, then the questions, then what the agent
 * says. */
static void ask_json(struct writing *w, size_t room)
{
	/* Written before what the agent says, to know their room, and shown below it. */
	struct writing asked = { w->c, w->f, w->arena, w->lang, { .max = 1 << 20 } };
	struct ask_detail d;
	size_t from = w->out.len, left;
	bool cut;

	if (!ask_detail_draw(&w->f->parts, w->arena, &d)) return;
	left = WORDS_ROOM + (d.len < room ? room - d.len : 0);
	questions(&asked);
	cut = words_cut(&asked, 0, left);
	left -= asked.out.len < left ? asked.out.len : left;
	agent_words(w);
	cut |= words_cut(w, from, left);
	buf_add(&w->out, buf_keep_done(&asked.out, w->arena));
	for (int i = 0; i < DETAIL_PARTS; i++) {
		cut |= detail(w, (enum detail_part)i, d.parts[i], room);
		room -= d.parts[i].len < room ? d.parts[i].len : room;
	}
	if (cut) LINE(w, "notify.more");
}

/* Of an approval: who asks a question is said anyway. */
static void why_asked(struct writing *w)
{
	struct str english = w->f->ask.kind == ASK_APPROVAL
				     ? because_sentence(&w->f->ask, w->arena)
				     : STR_NONE;

	if (!english.len) return;
	english = utf8_first(
		safe_line(w->arena, problem_words(english, w->lang, w->arena)), 300);
	LINE(w, "notify.why", { "why", english });
}

static void tell_ask(struct writing *w, size_t room, struct notify_words *out)
{
	const struct delivery_fill *f = w->f;

	out->title = out->subject = ask_title(w, &f->ask, &f->parts, fill_is_hidden(f));
	if (f->delivery->purpose == DELIVERY_REMINDER)
		out->title = TEXT(w, "notify.reminder", { "title", out->title });
	head(w, out->subject);
	if (!is_brief(w)) {
		why_asked(w);
		ask_json(w, room);
	}
}

/* ---- what its agent replied ---- */

static void tell_thread(struct writing *w, size_t max, struct notify_words *out)
{
	const struct delivery_fill *f = w->f;
	const struct json *replies = NULL;
	int64_t round = f->delivery->round;
	size_t room = max > 1000 ? max - 500 : 500;
	struct str text;

	/* An answer to a reply that was not taken: what is asked, once more. */
	if (f->delivery->kind == DELIVERY_EMAIL && f->delivery->detail.len) {
		tell_ask(w, max, out);
		return;
	}
	out->subject = ask_title(w, &f->ask, &f->parts, fill_is_hidden(f));
	out->title = TEXT(w, "notify.thread", { "title", out->subject });
	countdown(w, &f->ask);
	if (is_brief(w) || json_read(f->ask.replies, NULL, w->arena, &replies, NULL) ||
		!replies->count)
		return;
	/* The reply that it is about, though there may be others since. */
	if (round < 1 || round > replies->count) round = replies->count;
	text = json_text_of(&replies->items[round - 1], "text");
	block(w, "notify.agent_says", utf8_first(text, room));
	if (text.len > room) LINE(w, "notify.more");
}

/* ---- its end ---- */

/* "…, in the terminal", where a person was. */
static struct str settled_where(struct writing *w, struct str via, struct str said)
{
	struct str id = arena_print(w->arena, "notify.by.%.*s", STR_ARGS(via));

	if (!via.len || !id.at || !msg_text_in(id.at, w->lang)) return said;
	return TEXT(w, "notify.by", { "line", said }, { "place", TEXT(w, id.at) });
}

static struct str settled_line(struct writing *w)
{
	const struct ask *a = &w->f->ask;
	const char *how = ask_status_name(a->status);
	const struct json *by = NULL;
	struct str name = STR_NONE;
	char id[64];
	bool human;

	if (a->answered_by.len) json_read(a->answered_by, NULL, w->arena, &by, NULL);
	human = str_is(json_text_of(by, "kind"), "human");
	if (human) name = voters(w, a);
	if (human && !name.len) name = json_text_of(by, "name");
	if (a->status == ASK_ANSWERED && a->kind == ASK_APPROVAL)
		how = approved(w, a) ? "approved" : "rejected";
	snprintf(id, sizeof id, "notify.settled.%s%s", how, human ? "" : ".other");
	return settled_where(w, json_text_of(by, "via"),
		TEXT(w, id, { "name", name }, { "at", clock_text(w, a->settled_ms) }));
}

static void tell_settled(struct writing *w, size_t room, struct notify_words *out)
{
	const struct delivery_fill *f = w->f;
	/* A channel that edits its message replaces the ask, so the new text must show what was asked. */
	bool edits = channel_is(f->delivery->kind, CHANNEL_REPLACES);

	out->title = ask_title(w, &f->ask, &f->parts, fill_is_hidden(f));
	line(w, settled_line(w));
	if (edits && !is_brief(w)) ask_json(w, room);
}

/* ---- about several, or none ---- */

static void tell_digest(struct writing *w, size_t room, struct notify_words *out)
{
	const struct delivery_fill *f = w->f;
	struct str url = claimed_notify(w->c)->set.url;
	size_t i = 0;

	out->title = msg_count_in(w->arena, w->lang,
		f->delivery->purpose == DELIVERY_DIGEST ? "notify.digest"
							: "notify.summary",
		(int64_t)f->carried_len);
	for (; i < f->carried_len && w->out.len < room; i++) {
		const struct ask *a = &f->carried[i];

		buf_add_text(&w->out, "- ");
		line(w, ask_title(w, a, &f->carried_parts[i],
				f->carried_parts[i].sensitive));
		/* A title from its agent alone says no kind. */
		line(w, word_of(w, "kind", ask_kind_name(a->kind)));
		countdown(w, a);
		/* A click on a push message opens them all. */
		if (!channel_is(f->delivery->kind, CHANNEL_BROWSER))
			line(w, ask_url(url, a->id, w->arena));
	}
	if (i < f->carried_len) LINE(w, "notify.more");
}

static void tell_code(struct writing *w, size_t max, struct notify_words *out)
{
	(void)max;
	out->title = TEXT(w, "notify.code.title");
	LINE(w, "notify.code", { "code", w->f->delivery->detail });
}

static void tell_test(struct writing *w, size_t max, struct notify_words *out)
{
	(void)max;
	out->title = TEXT(w, "notify.test.title");
	LINE(w, "notify.test");
}

static void tell_alert(struct writing *w, struct notify_words *out)
{
	const struct alert *a = &w->f->alert;
	const struct json *value = NULL, *asks = NULL;
	struct alert_said said = { str_of(alert_kind_name(a->kind)), a->about, a->detail,
		0 };
	struct str url = claimed_notify(w->c)->set.url;

	if (a->value.len) json_read(a->value, NULL, w->arena, &value, NULL);
	if (a->asks.len) json_read(a->asks, NULL, w->arena, &asks, NULL);
	said.value = json_real(value);
	out->subject = alert_words(&said, w->lang, w->arena);
	out->title = TEXT(w, a->cleared_ms ? "notify.alert.ended" : "notify.alert",
		{ "text", out->subject });
	if (a->detail.len) line(w, a->detail);
	for (const struct json *id = NULL; json_each(asks, &id);)
		line(w, ask_url(url, json_text(id), w->arena));
}

/* "Release: completed"; and what it said last. */
static void tell_session(struct writing *w, size_t max, struct notify_words *out)
{
	const struct session *s = &w->f->of;
	bool hides = s->sensitive || !s->title.len;
	const char *id = w->f->delivery->purpose == DELIVERY_PROGRESS ? "notify.progress"
			 : s->status == SESSION_COMPLETED ? "notify.finished.completed"
			 : s->status == SESSION_FAILED	  ? "notify.finished.failed"
							  : "notify.finished.cancelled";
	const struct json *progress = NULL;
	struct str agent = s->agent_name.len ? s->agent_name : s->agent;

	(void)max;
	out->title = TEXT(w, id,
		{ "what", hides ? TEXT(w, "notify.session_of", { "agent", agent })
				: s->title });
	if (s->sensitive || w->f->title_only || !s->progress.len ||
		json_read(s->progress, NULL, w->arena, &progress, NULL))
		return;
	line(w, json_text_of(progress, "text"));
}

/* By purpose. */
static void (*const tells[])(struct writing *, size_t, struct notify_words *) = {
	[DELIVERY_SETTLED] = tell_settled,
	[DELIVERY_REPLIED] = tell_ask,
	[DELIVERY_LATE] = tell_ask,
	[DELIVERY_ASK] = tell_ask,
	[DELIVERY_REMINDER] = tell_ask,
	[DELIVERY_THREAD] = tell_thread,
	[DELIVERY_VOTED] = tell_ask,
	[DELIVERY_DIGEST] = tell_digest,
	[DELIVERY_SUMMARY] = tell_digest,
	[DELIVERY_CODE] = tell_code,
	[DELIVERY_ALERT] = tell_test,
	[DELIVERY_TEST] = tell_test,
	[DELIVERY_FINISHED] = tell_session,
	[DELIVERY_PROGRESS] = tell_session,
};

void notify_text(struct claimed *c, size_t room, struct notify_words *out)
{
	const struct notify *n = claimed_notify(c);
	struct arena *arena = claimed_arena(c);
	const struct delivery_fill *f = &c->fill;
	enum lang lang = lang_chosen(f->language, n->set.lang);
	struct writing w = { c, f, arena, lang, { .max = 1 << 20 } };

	*out = (struct notify_words){ .lang = lang };
	if (f->alert.id.len)
		tell_alert(&w, out);
	else
		tells[f->delivery->purpose](&w, room, out);
	if (!out->subject.len) out->subject = out->title;
	out->text = buf_keep_done(&w.out, arena);
	for (int i = 0; i < DETAIL_PARTS; i++)
		if (w.code[i].len && out->text.len >= w.code[i].at + w.code[i].len)
			out->code[i] =
				str_make(out->text.at + w.code[i].at, w.code[i].len);
	out->url = f->of.id.len	   ? arena_print(arena, "%.*s/sessions/%.*s",
					     STR_ARGS(n->set.url), STR_ARGS(f->of.id))
		   : f->ask.id.len ? ask_url(n->set.url, f->ask.id, arena)
				   : arena_print(arena, "%.*s/%s", STR_ARGS(n->set.url),
					     f->alert.id.len ? "alerts" : "");
	out->open =
		TEXT(&w, f->delivery->purpose == DELIVERY_SETTLED ? "notify.open.settled"
								  : "notify.open");
}
