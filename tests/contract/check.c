/* check.c - rows against the log: whatever a hand in the store changes of an ask or a
 * session, takes out or puts in, `check` finds it and names it. */
#include "place.h"

#include "core/notify/contact.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/people_log.h"

#include <stdio.h>
#include <string.h>

/* ---- a history that uses everything ---- */

struct history {
	struct made approved, open, skipped, rejected;
	char digest[DIGEST_SIZE];
	char user[ID_SIZE], token[ID_SIZE], team[ID_SIZE];
};

static enum err done_with(struct rig *r, const struct request *q)
{
	struct outcome o;
	enum err e = rig_do(r, q, &o);

	outcome_done(&o);
	return e;
}

static void must(struct rig *r, const struct use *use, const char *who, const char *id,
	const char *body)
{
	enum err e = done_with(r, &(struct request){ use, who, id, body });

	if (e) fail_msg("%s: %s", use->job.name, err_name(e));
}

static void approval_digest(struct rig *r, struct history *h)
{
	struct outcome o;

	rig_do(r, &(struct request){ &use_ask_get, r->ada, h->approved.id }, &o);
	assert_true(outcome_read(&o));
	snprintf(
		h->digest, sizeof h->digest, "%.*s", STR_ARGS(text_at(o.json, "digest")));
	outcome_done(&o);
}

static void made_id(
	struct rig *r, const struct use *use, const char *body, char id[ID_SIZE])
{
	struct outcome o;

	assert_int_equal(
		rig_do(r, &(struct request){ use, r->ada, .body = body }, &o), OK);
	assert_true(outcome_read(&o));
	snprintf(id, ID_SIZE, "%.*s", STR_ARGS(text_at(o.json, "id")));
	outcome_done(&o);
}

/* Users and tokens that were made, changed and deleted. */
static void people_make(struct rig *r, struct history *h)
{
	char gone[ID_SIZE];

	made_id(r, &use_user_create, "{'name':'Zoe','role':'viewer'}", h->user);
	must(r, &use_user_patch, r->ada, h->user, "{'role':'member','language':'fr'}");
	must(r, &use_user_patch, r->ada, h->user, "{'disabled':true}");
	made_id(r, &use_user_create, "{'name':'Max'}", gone);
	must(r, &use_user_delete, r->ada, gone, NULL);
	made_id(r, &use_token_create, "{'role':'agent','name':'mover'}", h->token);
	made_id(r, &use_token_create, "{'role':'agent','name':'old'}", gone);
	must(r, &use_token_delete, r->ada, gone, NULL);
	must(r, &use_webhook_secret, r->ada, NULL, "{}");
	made_id(r, &use_team_create, "{'name':'ops','projects':['web']}", h->team);
	must(r, &use_team_patch, r->ada, h->team, "{'projects':[]}");
	made_id(r, &use_team_create, "{'name':'old'}", gone);
	must(r, &use_team_delete, r->ada, gone, NULL);
}

static void history_make(struct rig *r, struct history *h)
{
	char body[200];

	h->approved = rig_ask_body(r,
		"{'kind':'approval','operation':{'name':'shell','arguments':"
		"{'cmd':'make'},'risk':'high'}}",
		NULL);
	assert_int_equal(h->approved.err, OK);
	approval_digest(r, h);
	must(r, &use_answer, r->mia, h->approved.id, "{'answer':'approve'}");
	snprintf(body, sizeof body, "{'digest':'%s'}", h->digest);
	must(r, &use_approval_consume, r->agent, h->approved.id, body);

	h->rejected =
		rig_ask_body(r, "{'kind':'approval','operation':{'name':'shell'}}", NULL);
	must(r, &use_answer, r->mia, h->rejected.id, "{'answer':'reject'}");

	h->open = rig_ask_body(
		r, "{'question':'Where to?','type':'text','timeout':'1h'}", NULL);
	must(r, &use_reply, r->mia, h->open.id, "{'text':'which one?'}");
	must(r, &use_extend, r->mia, h->open.id, "{'timeout':'10m'}");
	must(r, &use_claim, r->mia, h->open.id, "{}");
	must(r, &use_session_progress, r->agent, h->open.session, "{'text':'half'}");
	must(r, &use_session_patch, r->agent, h->open.session, "{'title':'Travel'}");

	h->skipped = rig_ask(r, NULL);
	must(r, &use_skip, r->mia, h->skipped.id, "{'reason':'so'}");
	assert_int_equal(rig_delete(r, rig_ask(r, NULL).session), OK);
	people_make(r, h);
}

/* ---- edits ---- */

enum target { APPROVED, REJECTED, OPEN, SKIPPED, OPEN_SESSION, USER, TOKEN, TEAM };

static const char *target_id(const struct history *h, enum target t)
{
	switch (t) {
	case APPROVED: return h->approved.id;
	case REJECTED: return h->rejected.id;
	case OPEN: return h->open.id;
	case SKIPPED: return h->skipped.id;
	case OPEN_SESSION: return h->open.session;
	case USER: return h->user;
	case TOKEN: return h->token;
	case TEAM: return h->team;
	}
	return "";
}

/* In sql and says @ stands for the id. */
static const struct edit {
	enum target target;
	const char *sql;
	const char *says;
} edits[] = {
	{ REJECTED,
		"UPDATE asks SET answer = (SELECT answer FROM asks WHERE answer LIKE"
		" '%approve%') WHERE id = '@'",
		"@: answer" },
	{ APPROVED, "UPDATE asks SET answer = '' WHERE id = '@'", "@: answer" },
	{ APPROVED, "UPDATE asks SET answer = '{' WHERE id = '@'", "@: answer" },
	{ APPROVED,
		"UPDATE asks SET answered_by = '{\"kind\":\"human\",\"user\":\"usr_x\"}'"
		" WHERE id = '@'",
		"@: answer" },
	{ APPROVED, "UPDATE asks SET approved_digest = digest || '0' WHERE id = '@'",
		"@: answer" },
	{ SKIPPED, "UPDATE asks SET reason = 'no' WHERE id = '@'", "@: answer" },
	{ SKIPPED, "UPDATE asks SET status = 'cancelled' WHERE id = '@'", "@: status" },
	{ SKIPPED, "UPDATE asks SET status = 'pending' WHERE id = '@'", "@" },
	{ SKIPPED, "UPDATE asks SET status = 'won' WHERE id = '@'", "status" },
	{ OPEN, "UPDATE asks SET status = 'answered' WHERE id = '@'", "@: status" },
	{ OPEN, "UPDATE asks SET answer = '{}' WHERE id = '@'", "@: answer" },
	{ OPEN, "UPDATE asks SET summary = 'x' WHERE id = '@'", "@: answer" },
	{ APPROVED, "UPDATE asks SET summary = 'rejected' WHERE id = '@'", "@: summary" },
	{ APPROVED, "UPDATE asks SET settled_user = 'usr_x' WHERE id = '@'",
		"@: who it is listed under" },
	{ OPEN, "UPDATE asks SET settled_user = 'usr_x' WHERE id = '@'",
		"@: who it is listed under" },
	{ APPROVED, "UPDATE asks SET requester = 'usr_x' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET revoked = '{}' WHERE id = '@'", "@: answer" },
	{ APPROVED, "UPDATE asks SET settled_ms = settled_ms - 1 WHERE id = '@'",
		"@: settled_at" },
	{ APPROVED, "UPDATE asks SET used_ms = 0 WHERE id = '@'", "@: when" },
	{ APPROVED, "UPDATE asks SET used_ms = used_ms + 1 WHERE id = '@'", "@: when" },
	{ REJECTED, "UPDATE asks SET used_ms = 1 WHERE id = '@'", "@: when" },
	{ APPROVED, "UPDATE asks SET fixed = REPLACE(fixed, 'make', 'rm') WHERE id = '@'",
		"@: what was asked" },
	{ OPEN, "UPDATE asks SET fixed = REPLACE(fixed, 'Where', 'Why') WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET digest = 'sha256:0' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET agent = 'stranger' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET token = 'tok_x' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET kind = 'blocking' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET risk = 0 WHERE id = '@'", "@: what was asked" },
	{ APPROVED, "UPDATE asks SET priority = 'low' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET project = 'p' WHERE id = '@'", "@: what was asked" },
	{ APPROVED, "UPDATE asks SET run = 'r' WHERE id = '@'", "@: what was asked" },
	{ APPROVED, "UPDATE asks SET search = '' WHERE id = '@'", "@: what was asked" },
	{ APPROVED, "UPDATE asks SET dedupe_key = 'k' WHERE id = '@'",
		"@: what was asked" },
	{ APPROVED, "UPDATE asks SET created_ms = created_ms + 1 WHERE id = '@'",
		"@: what was asked" },
	{ OPEN, "UPDATE asks SET assignees = '[\"usr_x\"]' WHERE id = '@'",
		"@: assignees" },
	{ OPEN, "UPDATE asks SET deadline_ms = deadline_ms + 1 WHERE id = '@'",
		"@: expires_at" },
	{ OPEN, "UPDATE asks SET deadline_ms = 0 WHERE id = '@'", "@: expires_at" },
	{ OPEN, "UPDATE asks SET claimed_name = 'Noa' WHERE id = '@'", "@: claimed_by" },
	{ OPEN, "UPDATE asks SET claimed_user = 'usr_x' WHERE id = '@'",
		"@: claimed_by" },
	{ OPEN, "UPDATE asks SET claimed_until_ms = 0 WHERE id = '@'", "@: claimed_by" },
	{ SKIPPED, "UPDATE asks SET claimed_until_ms = 1 WHERE id = '@'",
		"@: claimed_by" },
	{ OPEN, "UPDATE asks SET replies = '[]' WHERE id = '@'", "@: replies" },
	{ OPEN, "UPDATE asks SET replies = REPLACE(replies, 'one', 'two') WHERE id = '@'",
		"@: replies" },
	{ SKIPPED, "UPDATE asks SET replies = '[1]' WHERE id = '@'", "@: replies" },
	{ OPEN, "UPDATE asks SET id = 'ask_x' WHERE id = '@'",
		"ask_x: no event tells of it" },
	{ OPEN, "UPDATE asks SET session = 'ses_x' WHERE id = '@'",
		"@: its row is missing" },
	{ APPROVED, "DELETE FROM asks WHERE id = '@'", "@: its row is missing" },
	{ APPROVED, "UPDATE asks SET ws = 7 WHERE id = '@'",
		"asks: 1 of a workspace that does not exist" },
	{ OPEN_SESSION, "UPDATE sessions SET title = 'Home' WHERE id = '@'", "@: title" },
	{ OPEN_SESSION, "UPDATE sessions SET search = 'home' WHERE id = '@'",
		"@: what it is found by" },
	{ OPEN_SESSION, "UPDATE sessions SET agent = 'stranger' WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION, "UPDATE sessions SET token = 'tok_x' WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION, "UPDATE sessions SET project = 'p' WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION, "UPDATE sessions SET external_id = 'x' WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION, "UPDATE sessions SET metadata = '{\"a\":1}' WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION, "UPDATE sessions SET parallel = 1 - parallel WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION, "UPDATE sessions SET created_ms = 1 WHERE id = '@'",
		"@: what it was made with" },
	{ OPEN_SESSION,
		"UPDATE sessions SET on_settled = '{\"webhook\":\"https://evil/\"}'"
		" WHERE id = '@'",
		"@: on_settled" },
	{ OPEN_SESSION, "UPDATE sessions SET progress = '' WHERE id = '@'",
		"@: progress" },
	{ OPEN_SESSION, "UPDATE sessions SET status = 'completed' WHERE id = '@'",
		"@: status" },
	{ OPEN_SESSION, "UPDATE sessions SET status = 'odd' WHERE id = '@'", "status" },
	{ OPEN_SESSION, "UPDATE sessions SET open_input = 0 WHERE id = '@'",
		"@: its counts" },
	{ OPEN_SESSION, "UPDATE sessions SET settled = 9 WHERE id = '@'",
		"@: its counts" },
	{ OPEN_SESSION, "DELETE FROM sessions WHERE id = '@'", "@: its row is missing" },
	{ OPEN_SESSION,
		"DELETE FROM asks WHERE session = '@'; DELETE FROM sessions"
		" WHERE id = '@'; UPDATE events SET data = '' WHERE session = '@'",
		"@: its row is missing" },
	{ USER, "UPDATE users SET role = 'owner' WHERE id = '@'", "@: it is not as" },
	{ USER, "UPDATE users SET role = 'king' WHERE id = '@'", "role" },
	{ USER, "UPDATE users SET name = 'Zara' WHERE id = '@'", "@: it is not as" },
	{ USER, "UPDATE users SET disabled = 0 WHERE id = '@'", "@: it is not as" },
	{ USER, "UPDATE users SET password = 'x' WHERE id = '@'", "@: it is not as" },
	{ USER, "UPDATE users SET language = 'en' WHERE id = '@'", "@: it is not as" },
	{ USER, "UPDATE users SET created_ms = 0 WHERE id = '@'", "@: it is not as" },
	{ USER, "UPDATE users SET id = 'usr_x' WHERE id = '@'",
		"usr_x: no event tells of it" },
	{ USER, "DELETE FROM users WHERE id = '@'", "@: its row is missing" },
	{ USER, "UPDATE users SET ws = 7 WHERE id = '@'", "users: 1 of a workspace" },
	{ USER,
		"INSERT INTO users SELECT ws, 'usr_y', 'Eve', 'owner', password, language,"
		" 0, 0, created_ms, version, views, away FROM users WHERE id = '@'",
		"usr_y: no event tells of it" },
	{ USER, "UPDATE users SET away = '{}' WHERE id = '@'", "@: it is not as" },
	{ TEAM, "UPDATE teams SET name = 'x' WHERE id = '@'", "@: it is not as" },
	{ TEAM, "UPDATE teams SET members = '[1]' WHERE id = '@'", "@: it is not as" },
	{ TEAM, "UPDATE teams SET on_call = 'usr_x' WHERE id = '@'", "@: it is not as" },
	{ TEAM, "UPDATE teams SET projects = '[\"*\"]' WHERE id = '@'",
		"@: it is not as" },
	{ TEAM, "DELETE FROM teams WHERE id = '@'", "@: its row is missing" },
	{ TEAM, "UPDATE teams SET ws = 7 WHERE id = '@'", "teams: 1 of a workspace" },
	{ TEAM, "UPDATE workspaces SET teams = 0", "it counts 0 teams and has 1" },
	{ TOKEN, "UPDATE tokens SET maker = 'usr_x' WHERE id = '@'", "@: it is not as" },
	{ OPEN, "UPDATE asks SET require = '[]' WHERE id = '@'", "@: require or votes" },
	{ OPEN, "UPDATE asks SET votes = '[]' WHERE id = '@'", "@: require or votes" },
	{ OPEN, "UPDATE asks SET starters = '[]' WHERE id = '@'", "@: what was asked" },
	{ TOKEN, "UPDATE tokens SET role = 'owner' WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET agent = 'builder' WHERE id = '@'",
		"@: it is not as" },
	{ TOKEN, "UPDATE tokens SET name = 'x' WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET user_id = 'usr_x' WHERE id = '@'",
		"@: it is not as" },
	{ TOKEN, "UPDATE tokens SET tools = '[]' WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET last4 = 'abcd' WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET kind = 'cookie' WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET expires_ms = 99 WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET mcp_local = 1 WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET runs = 1 WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET mcp_wait_s = 9 WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET again_s = 9 WHERE id = '@'", "@: it is not as" },
	{ TOKEN, "UPDATE tokens SET created_ms = 9 WHERE id = '@'", "@: it is not as" },
	{ TOKEN,
		"UPDATE tokens SET hash = (SELECT digest FROM events WHERE n = 1)"
		" WHERE id = '@'",
		"@: it is not as" },
	{ TOKEN, "UPDATE tokens SET id = 'tok_x' WHERE id = '@'",
		"tok_x: no event tells of it" },
	{ TOKEN, "DELETE FROM tokens WHERE id = '@'", "@: its row is missing" },
	{ TOKEN, "UPDATE tokens SET ws = 7 WHERE id = '@'", "tokens: 1 of a workspace" },
	{ TOKEN,
		"UPDATE server_keys SET value = (SELECT digest FROM events WHERE n = 1)"
		" WHERE name LIKE 'webhook/%'",
		"webhook/1" },
	{ TOKEN, "DELETE FROM server_keys WHERE name = 'webhook/1'",
		"webhook/1: its row is missing" },
	{ TOKEN, "UPDATE workspaces SET name = 'other'", "its name is not as" },
};

static const char *with_id(const char *text, const char *id, char out[1024])
{
	size_t len = 0;

	for (; *text && len < 900; text++) {
		if (*text == '@')
			len += (size_t)snprintf(out + len, ID_SIZE, "%s", id);
		else
			out[len++] = *text;
	}
	out[len] = '\0';
	return out;
}

/* "record: what" of all that was found, a line each; "" when all is well. */
static const char *findings(struct rig *r, char out[8192])
{
	struct outcome o;
	const struct json *list;
	size_t len = 0;

	rig_do(r, &(struct request){ &use_check }, &o);
	assert_true(outcome_read(&o));
	list = json_at(o.json, "findings");
	out[0] = '\0';
	for (uint32_t i = 0; i < list->count; i++)
		len += (size_t)snprintf(out + len, 8192 - len, "%.*s: %.*s\n",
			STR_ARGS(text_at(&list->items[i], "record")),
			STR_ARGS(text_at(&list->items[i], "what")));
	outcome_done(&o);
	return out;
}

static void every_edit_of_a_row_is_found_and_named(void **state)
{
	struct rig *r = *state;
	struct history h;
	char all[8192], text[1024];

	history_make(r, &h);
	rig_shut(r);
	place_keep(r);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		const struct edit *edit = &edits[i];
		const char *id = target_id(&h, edit->target);

		place_script(r, with_id(edit->sql, id, text));
		assert_true(rig_reopen(r));
		if (!findings(r, all)[0]) fail_msg("not found: %s", edit->sql);
		if (!strstr(all, with_id(edit->says, id, text)))
			fail_msg("%s: %s", edit->sql, all);
		rig_shut(r);
		place_put_back(r);
	}
	assert_true(rig_reopen(r));
	if (findings(r, all)[0]) fail_msg("afterwards: %s", all);
}

/* ---- contacts ---- */

/* An event as it was before the keys were told of. */
static enum err told_before_decide(struct job *job, struct rows *rows, struct fault *why)
{
	char digest[SHORT_DIGEST_SIZE];
	const struct contact *c;
	enum err e = contact_fetch(rows, 1, task_of(job)->id, &c, why);

	if (e || !c) return e ? e : ERR_NOT_FOUND;
	contact_digest_before(c, digest);
	log_event(rows, NULL, c->ws, "contact.verified", digest,
		FIELDS(field_str("contact", c->id)));
	return OK;
}

static const struct use use_told_before =
	WRITES("told_before", 0, JOB_OPEN, NULL, told_before_decide, NULL, NULL);

static void the_keys_of_a_push_contact_are_told_of_since_then(void **state)
{
	static const char other[] =
		"UPDATE contacts SET detail = replace(detail, 'Oel81', 'Evil1')";
	struct rig *r = *state;
	char id[ID_SIZE], all[8192];

	made_id(r, &use_contact_create,
		"{'channel':'push','subscription':{'endpoint':'https://push.example/1','keys':"
		"{'p256dh':'BBM7xodutWYck5tTPcT3s54XJfLN456oU1e7YAgPhTVE3E23Gyl0i26piqFLZkgZw5o"
		"ubMEZGBdbj5QhJO3o2TA','auth':'Oel81v1PvbgZYk0Y8h3X9Q'}}}",
		id);
	rig_shut(r);
	place_keep(r);
	place_script(r, other);
	assert_true(rig_reopen(r));
	assert_non_null(strstr(findings(r, all), "it is not as its last event says"));
	rig_shut(r);
	place_put_back(r);
	assert_true(rig_reopen(r));
	must(r, &use_told_before, r->ada, id, NULL);
	if (findings(r, all)[0]) fail_msg("a store from before: %s", all);
	rig_shut(r);
	place_script(r, "UPDATE contacts SET address = 'https://evil.example/'");
	assert_true(rig_reopen(r));
	assert_non_null(strstr(findings(r, all), "it is not as its last event says"));
}

static void an_ask_that_nobody_asked_is_found(void **state)
{
	struct rig *r = *state;
	struct history h;
	char all[8192], text[1024];

	history_make(r, &h);
	rig_shut(r);
	place_script(r, with_id("CREATE TABLE made AS SELECT * FROM asks WHERE id = '@';"
				"UPDATE made SET id = 'ask_invented';"
				"INSERT INTO asks SELECT * FROM made; DROP TABLE made",
				h.approved.id, text));
	assert_true(rig_reopen(r));
	assert_non_null(strstr(findings(r, all), "ask_invented: no event tells of it"));
}

/* More workspaces than a page, each with events; the last one is forged. */
static void the_last_of_many_workspaces_is_looked_at(void **state)
{
	enum { WORKSPACES = 260 };
	struct rig *r = *state;
	char name[32], body[64], secret[SECRET_SIZE] = "", why[256] = "";

	for (int i = 0; i < WORKSPACES; i++) {
		struct outcome o;

		snprintf(name, sizeof name, "team %d", i);
		snprintf(body, sizeof body, "{'name':'%s'}", name);
		assert_int_equal(
			rig_do(r,
				&(struct request){ &use_workspace_create, .body = body },
				&o),
			OK);
		outcome_done(&o);
	}
	struct outcome o;
	assert_int_equal(rig_do(r,
				 &(struct request){ &use_token_create,
					 .body = "{'role':'agent','name':'a'}",
					 .workspace = name },
				 &o),
		OK);
	memcpy(secret, o.task.secret, SECRET_SIZE);
	outcome_done(&o);
	must(r, &use_ask, secret, NULL, ASK_PLAIN);
	assert_true(rig_check(r, why) >= 2);
	rig_shut(r);
	place_script(r, "UPDATE events SET data = '{}' WHERE ws ="
			" (SELECT MAX(id) FROM workspaces) AND type = 'ask.created'");
	assert_true(rig_reopen(r));
	assert_int_equal(rig_check(r, why), -1);
	assert_non_null(strstr(why, "its data was changed"));
}

/* One more session than a page, the last of which is edited. Where the page ends an id was
 * made longer than ours are. */
static void what_follows_a_long_id_is_looked_at(void **state)
{
	enum { SESSIONS = 501 };
	struct rig *r = *state;
	char all[8192], last[ID_SIZE] = "", text[1024];

	for (int i = 0; i < SESSIONS; i++) {
		struct made made = rig_ask(r, NULL);

		assert_int_equal(made.err, OK);
		if (strcmp(made.session, last) > 0)
			snprintf(last, sizeof last, "%s", made.session);
	}
	rig_shut(r);
	place_script(
		r, with_id("UPDATE sessions SET spent = '{}';"
			   "UPDATE sessions SET spent = '{' WHERE id = '@';"
			   "UPDATE sessions SET id = id || '_________________________"
			   "_________________________________________________________'"
			   " WHERE id = (SELECT MAX(id) FROM sessions WHERE id < '@')",
			   last, text));
	assert_true(rig_reopen(r));
	if (!strstr(findings(r, all),
		    with_id("@: what its runs used cannot be read", last, text)))
		fail_msg("%s", all);
}

/* Twenty are listed, all are counted. */
static void many_findings_are_counted(void **state)
{
	struct rig *r = *state;
	struct outcome o;

	for (int i = 0; i < 30; i++)
		assert_int_equal(rig_ask(r, NULL).err, OK);
	rig_shut(r);
	place_script(r, "UPDATE asks SET agent = 'other'");
	assert_true(rig_reopen(r));
	rig_do(r, &(struct request){ &use_check }, &o);
	assert_true(outcome_read(&o));
	assert_false(json_is(json_at(o.json, "ok"), JSON_TRUE));
	assert_int_equal(json_at(o.json, "findings")->count, 20);
	assert_int_equal(int_at(o.json, "found"), 30);
	assert_true(str_starts(
		text_at(&json_at(o.json, "findings")->items[0], "record"), "ask_"));
	outcome_done(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE_TEST(every_edit_of_a_row_is_found_and_named),
		ALONE_TEST(the_keys_of_a_push_contact_are_told_of_since_then),
		ALONE_TEST(an_ask_that_nobody_asked_is_found),
		ALONE_TEST(the_last_of_many_workspaces_is_looked_at),
		ALONE_TEST(what_follows_a_long_id_is_looked_at),
		ALONE_TEST(many_findings_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
