/* mail.c - the channel of e-mail: a message by SMTP, with the address that a reply goes to and the
 * link that mutes the contact. */
#include "channel/mail/mail.h"
#include "base/clock.h"
#include "base/keep.h"
#include "channel/mail/mail_body.h"
#include "channel/mail/mail_write.h"
#include "channel/notify_text.h"
#include "channel/post.h"
#include "core/ask/question_kind.h"
#include "core/notify/channel_limit.h"
#include "core/notify/mail_reply.h"
#include "core/notify/mail_token.h"
#include "text/doctor.h"

enum {
	MAIL_MAX = 200 * 1024, /* CHANNEL_ROOM_MAIL, twice, however it is encoded */
	MAIL_TIMEOUT_MS = 60 * 1000,
	MAIL_TRY_MS = 10 * 1000,
	/* At first: who hangs holds up the next contact. */
	MAIL_FIRST_TIMEOUT_MS = 20 * 1000,
};

/* One delivery as a mail. */
struct mailing {
	struct claimed *c;
	const struct settings *set;
	const struct mail_sending *sending;
	struct arena *arena;
	struct notify_words told;
	bool about_ask; /* it shows an open ask */
	bool replies;	/* and what is replied counts */
};

static struct str key_of(const struct mailing *m)
{
	return str_make((const char *)m->sending->key, SERVER_KEY_SIZE);
}

static struct str say(const struct mailing *m, const char *id)
{
	return MSG_IN(m->arena, m->told.lang, id);
}

/* ---- how to reply ---- */

static const char *how_of(const struct question *q)
{
	switch (question_kind(q)->input) {
	case INPUT_TEXT: return "notify.mail.how.text";
	case INPUT_NUMBER: return "notify.mail.how.number";
	case INPUT_YES_NO: return "notify.mail.how.boolean";
	case INPUT_ONE:
		return q->other ? "notify.mail.how.choice.other"
				: "notify.mail.how.choice";
	case INPUT_MANY:
		return q->other ? "notify.mail.how.choices.other"
				: "notify.mail.how.choices";
	case INPUT_DECISION: break;
	}
	return "notify.mail.how.approval";
}

/* What may be done with an approval by a reply from here. */
static const char *how_of_approval(const struct mailing *m)
{
	const struct channel_limit limit =
		channel_limit_mail(m->set->mail_approve, STR_NONE);
	const struct delivery_fill *f = &m->c->fill;

	if (!m->set->mail_authserv.len) return "notify.mail.how.page";
	return channel_may_approve(&limit, &f->ask, &f->parts, m->arena)
		       ? "notify.mail.how.approval"
		       : "notify.mail.how.reject";
}

static struct str how_write(const struct mailing *m)
{
	const struct ask_parts *p = &m->c->fill.parts;
	const struct channel_limit limit = channel_limit_mail(RISK_NONE, STR_NONE);
	bool several = p->questions_len > 1, approval = false, note = false;
	struct buf out = { .max = 8192 };

	if (!m->replies) return STR_NONE;
	for (size_t i = 0; i < p->questions_len; i++) {
		approval |= question_decides(&p->questions[i]);
		note |= p->questions[i].note_required;
	}
	buf_add(&out, say(m, note	 ? "notify.mail.how.note"
			      : approval ? how_of_approval(m)
			      : !channel_shows_whole(&limit, p, m->arena)
				      ? "notify.mail.how.cut"
			      : several ? "notify.mail.how.several"
					: how_of(&p->questions[0])));
	buf_add_char(&out, '\n');
	buf_add(&out, say(m, "notify.mail.how.else"));
	return buf_keep_done(&out, m->arena);
}

/* ---- the words ---- */

/* What was wrong with the reply that this one answers. */
static struct str notice_write(const struct mailing *m)
{
	const struct delivery *d = m->c->delivery;

	if (d->step != DELIVERY_NOTICE_STEP || !d->detail.len) return STR_NONE;
	return say(m,
		arena_print(m->arena, "notify.mail.notice.%.*s", STR_ARGS(d->detail)).at);
}

static struct mail_words words_of(const struct mailing *m)
{
	bool code = m->c->delivery->purpose == DELIVERY_CODE;
	char token[MAIL_TOKEN_SIZE];
	struct mail_words w = { .notice = notice_write(m),
		.told = &m->told,
		.how = how_write(m),
		.footer = say(m, code ? "notify.mail.foot.code" : "notify.mail.foot") };

	if (m->replies)
		w.rule = arena_print(m->arena, "%s %.*s %s", MAIL_RULE,
			STR_ARGS(say(m, "notify.mail.rule")), MAIL_RULE);
	if (code) return w;
	mail_token_write(key_of(m), m->c->fill.contact.id, token);
	w.mute = say(m, "notify.mail.mute");
	w.mute_url = arena_print(
		m->arena, "%.*s/u/%s", STR_ARGS(claimed_notify(m->c)->set.url), token);
	return w;
}

/* ---- the message ---- */

static struct str host_of(struct str address)
{
	int at = str_find(address, STR("@"));

	return str_from(address, at < 0 ? address.len : (size_t)at + 1);
}

static struct str reply_to(const struct mailing *m)
{
	const struct str mark = STR("{token}");
	struct str reply = m->set->mail_reply;
	int at = str_find(reply, mark);
	char token[MAIL_TOKEN_SIZE];

	if (!m->replies || at < 0) return STR_NONE;
	mail_token_write(key_of(m), m->c->delivery->id, token);
	return arena_print(m->arena, "%.*s%s%.*s", at, reply.at, token,
		STR_ARGS(str_from(reply, (size_t)at + mark.len)));
}

/* The first message of an ask begins its thread, the others belong to it. */
static struct str subject_of(const struct mailing *m)
{
	enum delivery_purpose purpose = m->c->delivery->purpose;
	bool again = purpose == DELIVERY_REMINDER || purpose == DELIVERY_SETTLED ||
		     purpose == DELIVERY_THREAD;

	return again ? arena_print(m->arena, "Re: %.*s", STR_ARGS(m->told.subject))
		     : m->told.subject;
}

static struct str letter_write(const struct mailing *m, const struct mail_words *w)
{
	const struct delivery *d = m->c->delivery;
	struct arena *arena = m->arena;
	struct str host = host_of(m->set->mail_from);
	struct str thread = d->ask.len ? arena_print(arena, "<%.*s@%.*s>",
						 STR_ARGS(d->ask), STR_ARGS(host))
				       : STR_NONE;
	bool https = str_starts(w->mute_url, "https:");
	char date[MAIL_DATE_SIZE];
	struct buf text = { .max = MAIL_MAX }, html = { .max = MAIL_MAX },
		   out = { .max = MAIL_MAX };

	mail_date(d->created_ms, date);
	const struct mail_header headers[] = {
		{ "From", arena_print(
				  arena, "Parley <%.*s>", STR_ARGS(m->set->mail_from)) },
		{ "To", m->c->fill.contact.address },
		{ "Reply-To", reply_to(m) },
		{ "Subject", subject_of(m), true },
		{ "Date", str_of(date) },
		{ "Message-ID", arena_print(arena, "<%.*s@%.*s>", STR_ARGS(d->id),
					STR_ARGS(host)) },
		{ "In-Reply-To", d->purpose == DELIVERY_ASK ? STR_NONE : thread },
		{ "References", thread },
		{ "Auto-Submitted", STR("auto-generated") },
		{ "X-Auto-Response-Suppress", STR("All") },
		{ "List-Id", arena_print(arena, "Parley <parley.%.*s>", STR_ARGS(host)) },
		{ "List-Unsubscribe", w->mute_url.len ? arena_print(arena, "<%.*s>",
								STR_ARGS(w->mute_url))
						      : STR_NONE },
		{ "List-Unsubscribe-Post",
			https ? STR("List-Unsubscribe=One-Click") : STR_NONE },
	};

	mail_plain_add(&text, w);
	mail_html_add(&html, w);
	mail_write(&out, &(struct mail_message){ .headers = headers,
				 .headers_len = sizeof headers / sizeof *headers,
				 .text = buf_str(&text),
				 .html = buf_str(&html),
				 .boundary = d->id });
	if (text.failed || html.failed) arena->failed = true;
	buf_done(&text);
	buf_done(&html);
	return buf_keep_done(&out, arena);
}

/* ---- sending ---- */

/* "550 5.1.1 no such user": whom it is for cannot be reached, now or later. What is said of the
 * sender (5.1.7, 5.1.8) says nothing of the contact. */
static bool address_is_gone(const char *line)
{
	struct str s = str_of(line);

	return s.len > 8 && (s.at[3] == ' ' || s.at[3] == '-') &&
	       str_starts(str_from(s, 4), "5.1.") && s.at[8] != '7' && s.at[8] != '8';
}

static void mail_done(void *ctx, const struct outbound_reply *reply)
{
	struct claimed *c = ctx;
	struct arena *arena = claimed_arena(c);
	int64_t status = reply->status ? reply->status : -1;
	struct str line = arena_str(arena, str_of(reply->line));

	c->outcome.down = reply->ours;
	if (reply->taken)
		claimed_over(c, ENDED_WELL, status, STR_NONE);
	else if (reply->ours)
		claimed_over(
			c, ENDED_BADLY, status, arena_str(arena, str_of(reply->error)));
	else if (reply->status < 500)
		claimed_over(c, ENDED_BADLY, status, line);
	else
		claimed_over(c, address_is_gone(line.at) ? ENDED_GONE : ENDED_DEAD,
			status, line);
}

static void mail_start(struct claimed *c)
{
	const struct delivery_fill *f = &c->fill;
	struct mailing m = { .c = c,
		.set = &claimed_notify(c)->set,
		.sending = claimed_state(c),
		.arena = claimed_arena(c) };
	struct outbound_mail *mail = ARENA_NEW(m.arena, struct outbound_mail);
	struct mail_words words;

	if (!m.sending) {
		claimed_over(c, ENDED_DEAD, -1, STR("e-mail is not configured"));
		return;
	}
	notify_text(c, CHANNEL_ROOM_MAIL, &m.told);
	m.about_ask = f->ask.id.len && c->delivery->purpose != DELIVERY_SETTLED;
	m.replies = m.about_ask && m.set->mail_reply.len && f->contact.user.len &&
		    !str_is(c->delivery->detail, "unverified") && !f->title_only &&
		    channel_shows_actions(&f->ask, &f->parts);
	words = words_of(&m);
	if (mail)
		*mail = (struct outbound_mail){ .server = &m.sending->smtp,
			.from = arena_copy(m.arena, m.set->mail_from),
			.to = arena_copy(m.arena, f->contact.address) };
	post_send(c,
		(struct outbound_request){ .body = letter_write(&m, &words),
			.mail = mail,
			.timeout_ms = c->delivery->attempts > 1 ? MAIL_TIMEOUT_MS
								: MAIL_FIRST_TIMEOUT_MS,
			.done = mail_done });
}

static bool mail_on(const struct settings *set)
{
	return set->smtp_url.len;
}

static enum err mail_open(struct notify *n, enum delivery_kind kind, struct fault *why)
{
	const struct settings *m = &n->set;
	struct mail_sending *s;

	if (!m->smtp_url.len) return OK;
	n->state[kind] = s = ARENA_NEW(&n->arena, struct mail_sending);
	if (!s || !mail_server_read(m->smtp_url, m->smtp_password, &n->arena, &s->smtp))
		return fail(why, ERR_INVALID, "smtp_url cannot be read");
	return desk_key_make(n->desk, "mail", s->key, why);
}

/* Signs in, as the server will. */
static void server_doctor(struct str url, struct str password, const char *good,
	const char *bad, const struct doctor *d)
{
	struct mail_server server;
	struct fault why = { 0 };

	if (!url.len) return;
	bool ok = mail_server_read(url, password, d->arena, &server) &&
		  mail_server_try(&server, MAIL_TRY_MS, &why) == OK;
	DOCTOR_WHETHER(
		d, ok, good, bad, { "url", url }, { "detail", str_of(why.detail) });
}

static void mail_doctor(const struct settings *set, const struct doctor *d)
{
	server_doctor(set->smtp_url, set->smtp_password, "cli.doctor.smtp",
		"cli.doctor.bad_smtp", d);
	server_doctor(set->imap_url, set->imap_password, "cli.doctor.imap",
		"cli.doctor.bad_imap", d);
	if (set->mail_reply.len && !set->mail_authserv.len)
		DOCTOR_NOTE(d, MISSING, "cli.doctor.no_authserv");
}

const struct channel channel_email = {
	.on = mail_on,
	.open = mail_open,
	.run = mailbox_reader_start,
	.end = mailbox_reader_stop,
	.slots = 8,
	.start = mail_start,
	.cut = post_cut,
	.patience_ms = 5000,
	.receiver = &mail_receiver,
	.doctor = mail_doctor,
};
