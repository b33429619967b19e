/* check_asks.c - the asks of one workspace against their events.
 *
 * A page of asks, in the order of their sessions, is read first; of each only what is
 * compared is kept. Then the events of those sessions are gone through: each says what a
 * part of its ask was from then on, so that the last one counts. */
#include "desk/check/check.h"

#include "base/clock.h"
#include "core/ask/ask.h"

enum { ASKS_PAGE = 5000 };

/* The parts of an ask. */
enum ask_part {
	PART_ASKED,
	PART_STATUS,
	PART_DECISION,
	PART_SUMMARY,
	PART_SETTLED_USER,
	PART_SETTLED_AT,
	PART_USED_AT,
	PART_USED_FOR,
	PART_REDEEMED_AT,
	PART_AGAIN_AT,
	PART_OVERTAKEN_AT,
	PART_ASSIGNEES,
	PART_DEADLINE,
	PART_CLAIM,
	PART_THREAD,
	PART_VOTES,
	PARTS
};

static const char *const part_names[PARTS] = {
	[PART_ASKED] = "what was asked (question, operation, agent, requester)",
	[PART_STATUS] = "status",
	[PART_DECISION] = "answer, answered_by, approved_digest or reason",
	[PART_SUMMARY] = "summary",
	[PART_SETTLED_USER] = "who it is listed under as settled",
	[PART_SETTLED_AT] = "settled_at",
	[PART_USED_AT] = "when the approval was used",
	[PART_USED_FOR] = "what the approval was used for",
	[PART_REDEEMED_AT] = "redeemed_at",
	[PART_AGAIN_AT] = "asked_again_at",
	[PART_OVERTAKEN_AT] = "overtaken",
	[PART_ASSIGNEES] = "assignees",
	[PART_DEADLINE] = "expires_at",
	[PART_CLAIM] = "claimed_by",
	[PART_THREAD] = "replies",
	[PART_VOTES] = "require or votes",
};

/* What the row holds, and which parts of it differ from what the events said so far. */
struct ask_facts {
	struct str id, session;
	enum ask_status status;
	char decision[DIGEST_SIZE], asked[SHORT_DIGEST_SIZE], summary[SHORT_DIGEST_SIZE];
	char assignees[SHORT_DIGEST_SIZE], claim[SHORT_DIGEST_SIZE],
		thread[SHORT_DIGEST_SIZE], votes[SHORT_DIGEST_SIZE],
		target[SHORT_DIGEST_SIZE];
	char deadline[TIME_SIZE]; /* "": none */
	int64_t created_ms, settled_ms, used_ms, redeemed_ms, again_ms, overtaken_ms;
	bool undecided; /* no column of a decision is set */
	bool voteless;	/* no votes, and no requirement */
	bool told, emptied, old;
	bool differs[PARTS];
};

/* ---- rows ---- */

static void claim_digest(struct str user, struct str name, struct str until,
	struct arena *arena, char out[SHORT_DIGEST_SIZE])
{
	digest_text(arena_print(arena, "%zu %.*s %zu %.*s %.*s", user.len, STR_ARGS(user),
			    name.len, STR_ARGS(name), STR_ARGS(until)),
		out);
}

static void target_digest(struct str target, struct str jti, char out[SHORT_DIGEST_SIZE])
{
	const struct str fields[] = { target, jti };

	digest_fields(fields, 2, out);
}

static void time_text(int64_t ms, char out[TIME_SIZE])
{
	out[0] = '\0';
	if (ms) time_write(ms, out);
}

/* The user of answered_by, for lists; derived, so made again. Asks settled before there was
 * such a column have none; those that say why a person was asked are younger. */
static bool settled_user_fits(const struct ask *a, struct arena *arena)
{
	const struct json *by = NULL;

	if (!a->settled_user.len && !a->because.len) return true;
	if (a->answered_by.len && json_read(a->answered_by, NULL, arena, &by, NULL))
		return false;
	return str_eq(json_text(json_get(by, "user")), a->settled_user);
}

static void facts_take(struct ask_facts *f, const struct ask *a, struct arena *arena)
{
	char until[TIME_SIZE];

	f->status = a->status;
	f->created_ms = a->created_ms;
	f->settled_ms = a->settled_ms;
	f->used_ms = a->used_ms;
	f->redeemed_ms = a->redeemed_ms;
	f->again_ms = a->again_ms;
	f->overtaken_ms = a->overtaken_ms;
	target_digest(a->used_for, a->used_jti, f->target);
	f->undecided = !a->answer.len && !a->answered_by.len && !a->approved_digest.len &&
		       !a->reason.len && !a->summary.len && !a->revoked.len;
	f->differs[PART_SETTLED_USER] = !settled_user_fits(a, arena);
	asked_digest(a, f->asked);
	decision_digest(a, f->decision);
	digest_text(a->summary, f->summary);
	digest_text(a->assignees, f->assignees);
	digest_text(a->replies, f->thread);
	votes_digest(a, f->votes);
	f->voteless = !a->require.len && !a->votes.len;
	time_text(a->deadline_ms, f->deadline);
	time_text(a->claimed_until_ms, until);
	claim_digest(a->claimed_user, a->claimed_name, str_of(until), arena, f->claim);
}

/* Whole asks may be large: each is read into an arena of its own, and dropped. */
static enum err ask_row(void *ctx, const struct row *row, struct fault *why)
{
	struct check_pass *p = ctx;
	struct ask_facts *f = &CHECK_FACTS(p, struct ask_facts)[p->len];
	struct arena arena = { 0 };
	struct ask a;
	enum err e = ask_from_row(row, &arena, &a, why);

	p->rows++;
	p->c->asks++;
	f->id = p->to_id = arena_str(&p->arena, row_text(row, 1));
	f->session = p->to = arena_str(&p->arena, row_text(row, 2));
	if (check_unreadable(p, f->id, &e, why))
		f->told = f->emptied = true; /* said once */
	else if (!e)
		facts_take(f, &a, &arena);
	if (arena.failed) e = fail_memory(why);
	arena_done(&arena);
	return e ? e : check_keep(p, f->id, f, why);
}

/* ---- events ---- */

static void part_is(
	struct ask_facts *f, enum ask_part part, const char *row, struct str told)
{
	f->differs[part] = !str_is(told, row);
}

static void text_part(struct ask_facts *f, enum ask_part part, const char *row,
	const struct json *value, struct arena *arena)
{
	char digest[SHORT_DIGEST_SIZE];
	struct buf b = { 0 };

	json_write(&b, value);
	digest_text(buf_str(&b), digest);
	if (b.failed) arena->failed = true;
	buf_done(&b);
	part_is(f, part, row, str_of(digest));
}

/* Every event that changes them says so. */
static void told_votes(struct ask_facts *f, const struct json *data)
{
	const struct json *votes = json_get(data, "votes");

	if (votes) part_is(f, PART_VOTES, f->votes, json_text(votes));
}

static void no_claim(struct ask_facts *f, struct arena *arena)
{
	char digest[SHORT_DIGEST_SIZE];

	claim_digest(STR_NONE, STR_NONE, STR_NONE, arena, digest);
	part_is(f, PART_CLAIM, f->claim, str_of(digest));
}

/* For whom it was used, and the token; nobody before that. */
static void told_target(struct ask_facts *f, const struct json *data)
{
	char digest[SHORT_DIGEST_SIZE];

	target_digest(json_text_of(data, "for"), json_text_of(data, "jti"), digest);
	part_is(f, PART_USED_FOR, f->target, str_of(digest));
}

static void told_created(struct check_pass *p, struct ask_facts *f, const struct event *e,
	const struct json *data, struct arena *arena)
{
	static const struct json none = { .type = JSON_ARRAY };
	const struct json *assignees = json_get(data, "assignees");

	f->old = check_is_old(p->c, e);
	if (f->old)
		f->differs[PART_ASKED] = f->created_ms != e->at_ms;
	else
		part_is(f, PART_ASKED, f->asked, json_text(json_get(data, "asked")));
	if (!f->old || assignees)
		text_part(f, PART_ASSIGNEES, f->assignees, assignees ? assignees : &none,
			arena);
	text_part(f, PART_THREAD, f->thread, &none, arena);
	part_is(f, PART_DEADLINE, f->deadline, json_text(json_get(data, "expires_at")));
	no_claim(f, arena);
	f->differs[PART_STATUS] = f->status != ASK_PENDING;
	f->differs[PART_DECISION] = !f->undecided;
	f->differs[PART_VOTES] = !f->voteless;
	f->differs[PART_SETTLED_AT] = f->settled_ms != 0;
	f->differs[PART_USED_AT] = f->used_ms != 0;
	told_target(f, NULL);
	f->differs[PART_REDEEMED_AT] = f->redeemed_ms != 0;
	f->differs[PART_AGAIN_AT] = f->again_ms != 0;
	f->differs[PART_OVERTAKEN_AT] = f->overtaken_ms != 0;
}

static void told_decision(struct check_pass *p, struct ask_facts *f,
	const struct event *e, const struct json *data)
{
	const struct json *decision = json_get(data, "decision");

	f->differs[PART_DECISION] = false;
	if (decision || !check_is_old(p->c, e))
		part_is(f, PART_DECISION, f->decision, json_text(decision));
	else
		f->old = true;
}

static void told_settled(struct check_pass *p, struct ask_facts *f, const struct event *e,
	const struct json *data, struct arena *arena)
{
	f->differs[PART_STATUS] =
		!str_is(json_text(json_get(data, "status")), ask_status_name(f->status));
	told_decision(p, f, e, data);
	if (!check_is_old(p->c, e))
		part_is(f, PART_SUMMARY, f->summary,
			json_text(json_get(data, "summary")));
	f->differs[PART_SETTLED_AT] = f->settled_ms != e->at_ms;
	no_claim(f, arena);
}

static void told_claimed(
	struct ask_facts *f, const struct json *data, struct arena *arena)
{
	char digest[SHORT_DIGEST_SIZE];

	claim_digest(json_text(json_get(data, "user")), json_text(json_get(data, "name")),
		json_text(json_get(data, "until")), arena, digest);
	part_is(f, PART_CLAIM, f->claim, str_of(digest));
}

static void told_replied(struct check_pass *p, struct ask_facts *f, const struct event *e,
	const struct json *data)
{
	f->differs[PART_THREAD] = false;
	if (!check_is_old(p->c, e))
		part_is(f, PART_THREAD, f->thread, json_text(json_get(data, "thread")));
}

/* An event that was emptied tells of an ask whose session was deleted. */
static void facts_tell(struct check_pass *p, struct ask_facts *f, const struct event *e,
	struct arena *arena)
{
	static const char *const settling[] = { "ask.answered", "ask.skipped",
		"ask.expired", "ask.cancelled" };
	const struct json *data = check_data(e, arena);

	if (!data) {
		f->emptied = true;
		return;
	}
	if (strcmp(e->type, "ask.created") == 0) {
		f->told = true;
		told_created(p, f, e, data, arena);
	} else if (strcmp(e->type, "ask.assigned") == 0) {
		text_part(f, PART_ASSIGNEES, f->assignees, json_get(data, "assignees"),
			arena);
	} else if (strcmp(e->type, "ask.extended") == 0) {
		part_is(f, PART_DEADLINE, f->deadline,
			json_text(json_get(data, "expires_at")));
	} else if (strcmp(e->type, "ask.claimed") == 0) {
		told_claimed(f, data, arena);
	} else if (strcmp(e->type, "ask.replied") == 0) {
		told_replied(p, f, e, data);
	} else if (strcmp(e->type, "ask.used") == 0) {
		f->differs[PART_USED_AT] = f->used_ms != e->at_ms;
		told_target(f, data);
		told_decision(p, f, e, data);
	} else if (strcmp(e->type, "approval.redeemed") == 0) {
		f->differs[PART_REDEEMED_AT] = f->redeemed_ms != e->at_ms;
	} else if (strcmp(e->type, "ask.asked_again") == 0) {
		f->differs[PART_AGAIN_AT] = f->again_ms != e->at_ms;
		told_decision(p, f, e, data);
	} else if (strcmp(e->type, "ask.overtaken") == 0) {
		f->differs[PART_OVERTAKEN_AT] = f->overtaken_ms != e->at_ms;
		told_decision(p, f, e, data);
	} else if (strcmp(e->type, "ask.verified") == 0 || json_get(data, "asked")) {
		/* Verifiers and votes: the risk, or who does not count, is another by then. */
		part_is(f, PART_ASKED, f->asked, json_text(json_get(data, "asked")));
	} else if (strcmp(e->type, "ask.revoked") == 0) {
		told_decision(p, f, e, data);
	}
	told_votes(f, data);
	for (size_t i = 0; i < sizeof settling / sizeof *settling; i++)
		if (strcmp(e->type, settling[i]) == 0) told_settled(p, f, e, data, arena);
}

static int pair_compare(struct str a1, struct str a2, struct str b1, struct str b2)
{
	int by_first = str_cmp(a1, b1);

	return by_first ? by_first : str_cmp(a2, b2);
}

/* Is it about an ask that stands, or would stand, in this page? */
static bool in_page(const struct check_pass *p, const struct event *e)
{
	return pair_compare(e->session, e->ask, p->from, p->from_id) > 0 &&
	       pair_compare(e->session, e->ask, p->to, p->to_id) <= 0;
}

static enum err ask_event(void *ctx, const struct event *e, struct fault *why)
{
	struct check_pass *p = ctx;
	struct arena arena = { 0 };
	struct ask_facts *f;
	enum err err = OK;

	if (!e->ask.len || !in_page(p, e)) return OK;
	if (!str_starts(str_of(e->type), "ask.") &&
		strcmp(e->type, "approval.redeemed") != 0)
		return OK;
	f = table_get(&p->table, e->ask);
	if (f && str_eq(f->session, e->session))
		facts_tell(p, f, e, &arena);
	else if (e->data.len && strcmp(e->type, "ask.created") == 0)
		check_found(
			p->c, e->ask, "its row is missing (event %lld)", (long long)e->n);
	if (arena.failed) err = fail_memory(why);
	arena_done(&arena);
	return err;
}

/* ---- the pass ---- */

static void facts_judge(struct check_pass *p, const struct ask_facts *f)
{
	if (f->told && f->emptied) return; /* said already */
	if (f->emptied) {
		check_found(
			p->c, f->id, "its session was deleted, its row is still there");
		return;
	}
	if (!f->told) {
		check_found(p->c, f->id, "no event tells of it");
		return;
	}
	p->c->old += f->old;
	for (int i = 0; i < PARTS; i++)
		if (f->differs[i])
			check_found(
				p->c, f->id, "%s: not as its events say", part_names[i]);
}

static enum err asks_compare(struct check_pass *p, struct fault *why)
{
	enum err e = check_events(p->c, p->from, true, p->to, ask_event, p, why);

	for (size_t i = 0; !e && i < p->len; i++)
		facts_judge(p, &CHECK_FACTS(p, struct ask_facts)[i]);
	return e;
}

enum err check_asks(struct checking *c, struct fault *why)
{
	struct check_pass p = { .c = c,
		.sql = SQL_CHECK_ASKS,
		.pairs = true,
		.page = ASKS_PAGE,
		.facts = sizeof(struct ask_facts),
		.row = ask_row,
		.compare = asks_compare };

	return check_pages(&p, why);
}
