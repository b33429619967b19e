/* mail_in.c - takes a reply: the message is read, its token and sender are checked, its text is
 * understood, and then the person settles the ask as everywhere else, within the limits of mail.
 *
 * 1. Nothing is settled unless the token is ours, its one author is the contact it was sent to,
 *    a person and not a program wrote it, and, where a mail server vouches, it does.
 * 2. What is not taken is answered only at the contact's own address, and only if it came from there:
 *    what was not understood or not allowed at most three times an ask, so that two robots cannot talk
 *    for long; what came late or could not be verified once an ask and hour, as anybody can send it. */
#include "desk/mail_in.h"

#include "base/hash.h"
#include "base/mem.h"
#include "core/notify/mail_read.h"
#include "core/notify/mail_reply.h"
#include "core/notify/mail_token.h"
#include "core/shared/field.h"
#include "desk/notify/mail_key.h"
#include "desk/notify/notify_ask.h"

enum { REPLY_TEXT_MAX = 64 * 1024, NOTICES_MAX = 3, HOUR_MS = 60 * 60 * 1000 };

static const char *const outcome_names[MAIL_OUTCOMES] = {
	[MAIL_TAKEN] = "taken",
	[MAIL_UNCLEAR] = "unclear",
	[MAIL_REFUSED] = "refused",
	[MAIL_CLOSED] = "closed",
	[MAIL_AUTOMATIC] = "automatic",
	[MAIL_FORGED] = "forged",
	[MAIL_UNREADABLE] = "unreadable",
};

const char *mail_outcome_name(enum mail_outcome o)
{
	return outcome_names[o];
}

void mail_in_metrics(struct desk *d, struct buf *out)
{
	buf_add_text(out,
		"# HELP parley_mail_in_total Replies by mail, by what became of them.\n"
		"# TYPE parley_mail_in_total counter\n");
	for (int i = 0; i < MAIL_OUTCOMES; i++) {
		int64_t n = atomic_load(&d->mail_replies[i]);

		if (n)
			buf_print(out, "parley_mail_in_total{outcome=\"%s\"} %lld\n",
				outcome_names[i], (long long)n);
	}
}

/* One message on its way. */
struct incoming {
	struct desk *desk;
	struct arena arena, found_in; /* its own; that of what its token names */
	struct mail_in mail;
	struct str recipient;
	struct str key; /* that makes taking it twice the same as once */
	/* Found by its token: */
	struct delivery delivery;
	struct contact contact;
	struct ask ask;
	struct ask_parts parts;
	bool found, open;
};

/* ---- what it is about ---- */

static bool token_fits(
	const struct incoming *in, struct str key, struct str address, char id[ID_SIZE])
{
	struct str token = mail_token_find(in->desk->set.mail_reply, address);

	return token.len && mail_token_read(key, "dlv", token, id);
}

static bool token_find(const struct incoming *in, struct str key, char id[ID_SIZE])
{
	if (in->recipient.len && token_fits(in, key, in->recipient, id)) return true;
	for (size_t i = 0; i < in->mail.rcpts_len; i++)
		if (token_fits(in, key, in->mail.rcpts[i], id)) return true;
	return false;
}

/* The delivery that the token names, its contact and its ask. */
static enum err mail_find_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct incoming *in = task_of(job)->checked;
	const struct delivery *d = NULL;
	const struct contact *c = NULL;
	struct ask *a = NULL;
	char id[ID_SIZE];
	struct str key;
	enum err e = mail_key(rows, &key, why);

	if (e || !key.len || !token_find(in, key, id)) return e;
	e = rows_first(rows, RECORD_DELIVERIES, SQL_DELIVERY_ANYWHERE, ARGS(id), &d, why);
	if (e || !d || d->kind != DELIVERY_EMAIL || !d->ask.len) return e;
	e = contact_fetch(rows, d->ws, d->contact, &c, why);
	if (e) return e;
	e = rows_fetch_ask(rows, d->ws, d->ask, &a, why);
	if (e || !c) return e == ERR_NOT_FOUND ? OK : e;
	in->found = true;
	in->delivery = *d;
	in->contact = *c;
	in->ask = *a;
	in->open = a->status == ASK_PENDING;
	return ask_parts(a, rows->arena, &in->parts, why);
}

static const struct use use_mail_find =
	READS("mail_find", 0, JOB_OPEN, mail_find_read, NULL);

/* ---- jobs of the person ---- */

struct person_job {
	const struct use *use;
	struct str body; /* of a request; or empty */
	void *checked;
	const struct channel_limit *limit;
	bool settled, decided; /* out: as the task says */
};

/* Done as the person whose contact it is, and waited for. */
static enum err person_do(
	const struct incoming *in, struct person_job *j, struct fault *why)
{
	struct task *t = mem_alloc(sizeof *t);
	enum err e = OK;

	if (!t) return fail_memory(why);
	t->job.person = true;
	t->job.who = (struct principal){
		.ws = in->contact.ws, .user = in->contact.user, .via = STR("email")
	};
	t->id = in->ask.id;
	t->checked = j->checked;
	t->limit = j->limit;
	if (j->body.len) {
		t->job.key = in->key;
		t->job.path = STR("mail");
		sha256(j->body, t->job.body);
		e = json_read(j->body, NULL, &t->job.arena, &t->body, why);
	}
	if (!e) {
		desk_wait(in->desk, j->use, t);
		e = t->job.err;
		if (e) *why = t->job.why;
	}
	j->settled = t->settled;
	j->decided = t->job.decided;
	task_empty(t);
	mem_free(t);
	return e;
}

/* Errors of the store pass: the mail is tried again. All others are decisions. */
static bool is_trouble(enum err e)
{
	return e == ERR_UNAVAILABLE || e == ERR_UNKNOWN || e == ERR_BUSY ||
	       e == ERR_MEMORY || e == ERR_INTERNAL;
}

/* ---- a mail that says what is accepted ---- */

struct notice {
	const struct incoming *in;
	const char *what; /* notify.mail.notice.… */
	bool ended;	  /* it is about an ask that has ended */
	bool hourly;
};

/* How many notices this person had; -1: no more are sent. */
static int64_t notice_round(
	const struct rows *rows, const struct notice *n, const struct contact *c)
{
	const struct delivery *d = NULL;
	int64_t round = 0;

	while ((d = rows_next(rows, RECORD_DELIVERIES, d))) {
		if (!str_eq(d->ask, n->in->ask.id) || d->step != DELIVERY_NOTICE_STEP ||
			!str_eq(d->user, c->user))
			continue;
		if (n->hourly && d->created_ms > rows->now_ms - HOUR_MS) return -1;
		round++;
	}
	return round < NOTICES_MAX || n->hourly ? round : -1;
}

static enum err notice_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct notice *n = task_of(job)->checked;
	const struct incoming *in = n->in;
	struct delivery like = { .purpose = n->ended ? DELIVERY_SETTLED : DELIVERY_THREAD,
		.step = DELIVERY_NOTICE_STEP,
		.detail = str_of(n->what) };
	const struct contact *c;
	struct ask *a;
	enum err e = rows_fetch_ask(rows, in->ask.ws, in->ask.id, &a, why);

	if (!e) e = contact_fetch(rows, in->contact.ws, in->contact.id, &c, why);
	if (!e) e = notify_fetch(rows, a, why);
	if (e || !c || (a->status == ASK_PENDING) == n->ended)
		return e == ERR_NOT_FOUND ? OK : e;
	like.round = notice_round(rows, n, c);
	if (like.round >= 0) notify_stage(rows, a, c, like, NULL);
	return e;
}

static const struct use use_mail_notice =
	WRITES("mail_notice", 0, JOB_LATE, NULL, notice_decide, NULL, NULL);

static enum err notice_stage(struct notice n, struct fault *why)
{
	struct person_job j = { .use = &use_mail_notice, .checked = &n };
	enum err e = person_do(n.in, &j, why);

	/* A user who can no longer log in gets no reply mail. */
	return is_trouble(e) ? e : OK;
}

static enum err notice_send(
	const struct incoming *in, const char *what, struct fault *why)
{
	return notice_stage((struct notice){ in, what, false, false }, why);
}

/* ---- too late ---- */

/* As on the page: what a person writes to an ask that has expired is kept in its thread. */
static enum err late_keep(struct incoming *in, bool *kept, struct fault *why)
{
	struct str text = str_first(mail_reply_text(in->mail.text), REPLY_TEXT_MAX);
	struct person_job j = { .use = &use_reply,
		.body = fields_text(&in->arena, FIELDS(field_str("text", text))) };
	enum err e = in->arena.failed ? fail_memory(why) : person_do(in, &j, why);

	*kept = !e;
	return is_trouble(e) ? e : OK;
}

/* It was settled before the reply came: said to who wrote it. */
static enum err late_tell(struct incoming *in, bool expired, struct fault *why)
{
	bool kept = false;
	enum err e = OK;

	if (!in->contact.user.len) return OK;
	if (expired) e = late_keep(in, &kept, why);
	if (e) return e;
	return notice_stage((struct notice){ in,
				    kept      ? "late"
				    : expired ? "expired"
					      : "decided",
				    true, true },
		why);
}

/* ---- settling ---- */

static enum err refusal_tell(struct incoming *in, const struct fault *refused,
	enum mail_outcome *out, struct fault *why)
{
	const char *what = "refused";

	*out = MAIL_REFUSED;
	if (refused->err == ERR_CONFLICT) {
		*out = MAIL_CLOSED;
		return late_tell(in, false, why);
	}
	if (refused->err == ERR_INVALID) {
		*out = MAIL_UNCLEAR;
		what = "unclear";
	} else if (strcmp(refused->member_text, "channel") == 0) {
		what = "channel";
	}
	return notice_send(in, what, why);
}

static enum err meaning_do(struct incoming *in, const struct mail_meaning *m,
	enum mail_outcome *out, struct fault *why)
{
	static const struct use *const uses[] = {
		[MAIL_MEANS_ANSWER] = &use_answer,
		[MAIL_MEANS_SKIP] = &use_skip,
		[MAIL_MEANS_ASK_BACK] = &use_reply,
	};
	/* Its token names the ask, and what an ask asks for never changes. */
	const struct channel_limit limit = channel_limit_mail(
		in->desk->set.mail_approve, ask_short_digest(&in->ask));
	struct person_job j = { uses[m->verb], m->body, NULL, &limit };
	enum err e = person_do(in, &j, why);
	struct fault refused = *why;

	if (is_trouble(e)) return e;
	if (e) return refusal_tell(in, &refused, out, why);
	*out = MAIL_TAKEN;
	/* Not of a mail that came twice. */
	return m->verb == MAIL_MEANS_ANSWER && !j.settled && j.decided
		       ? notice_send(in, "voted", why)
		       : OK;
}

static enum err reply_take(struct incoming *in, enum mail_outcome *out, struct fault *why)
{
	struct str text = mail_reply_text(in->mail.text);
	struct mail_meaning m;

	*out = MAIL_REFUSED;
	if (!in->contact.user.len || !channel_shows_actions(&in->ask, &in->parts))
		return OK;
	if (text.len > REPLY_TEXT_MAX) text = STR_NONE;
	if (!mail_reply_read(text, &in->parts, &in->arena, &m)) return fail_memory(why);
	if (m.decides && !in->desk->set.mail_authserv.len)
		return notice_send(in, "channel", why);
	if (m.verb != MAIL_MEANS_NOTHING) return meaning_do(in, &m, out, why);
	*out = m.needs_note ? MAIL_REFUSED : MAIL_UNCLEAR;
	return notice_send(in, m.needs_note ? "channel" : "unclear", why);
}

/* ---- the whole ---- */

static enum err incoming_find(struct incoming *in, struct fault *why)
{
	struct task *t = mem_alloc(sizeof *t);
	enum err e;

	if (!t) return fail_memory(why);
	t->checked = in;
	desk_wait(in->desk, &use_mail_find, t);
	e = t->job.err;
	if (e) *why = t->job.why;
	in->found_in = t->job.arena;
	t->job.arena = (struct arena){ 0 };
	task_empty(t);
	mem_free(t);
	return e;
}

static enum err incoming_take(
	struct incoming *in, struct str raw, enum mail_outcome *out, struct fault *why)
{
	enum mail_state state = mail_read(raw, &in->arena, &in->mail);
	char digest[SHA256_HEX_SIZE];
	enum err e;

	if (in->arena.failed) return fail_memory(why);
	*out = MAIL_UNREADABLE;
	if (state != MAIL_READ) return OK;
	*out = MAIL_AUTOMATIC;
	if (in->mail.automatic) return OK;
	e = incoming_find(in, why);
	*out = MAIL_FORGED;
	if (e || !in->found || !in->contact.verified ||
		!str_eq_nocase(in->mail.from, in->contact.address))
		return e;
	if (in->desk->set.mail_authserv.len &&
		!mail_vouched(&in->mail, in->desk->set.mail_authserv, &in->arena))
		return in->open && in->contact.user.len
			       ? notice_stage(
					 (struct notice){ in, "unverified", false, true },
					 why)
			       : OK;
	sha256_hex(raw, digest);
	in->key = arena_print(&in->arena, "%.32s", digest);
	*out = MAIL_CLOSED;
	if (!in->open) return late_tell(in, in->ask.status == ASK_EXPIRED, why);
	return reply_take(in, out, why);
}

enum err mail_in_receive(struct desk *d, struct str raw, struct str recipient,
	enum mail_outcome *out, struct fault *why)
{
	struct incoming in = { .desk = d, .recipient = recipient };
	enum err e = incoming_take(&in, raw, out, why);

	if (!e) atomic_fetch_add(&d->mail_replies[*out], 1);
	arena_done(&in.arena);
	arena_done(&in.found_in);
	return e;
}

static enum err mail_in_read(struct job *job, struct rows *rows, struct fault *why)
{
	enum err e = desk_local_admin(job, why);

	(void)rows;
	if (!e && !task_of(job)->desk->set.mail_reply.len)
		e = fail(why, ERR_CHANNEL_OFF, "%s is not configured on this server",
			"mail_reply");
	return e;
}

const struct use use_mail_in = READS("mail_in", 0, 0, mail_in_read, NULL);
