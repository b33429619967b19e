/* furnish.c - makes something of everything that Parley keeps: asks in every state, people, rules,
 * templates, routes, agents and their runs. */
#include "furnish.h"

#include "base/clock.h"
#include "run_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

#define TEXT(text) "{'type':'text','text':'" text "'}"
#define CALL(id, name, args)                                                             \
	"{'type':'tool_call','id':'" id "','name':'" name "','arguments':" args "}"

static void must(enum err e)
{
	assert_int_equal(e, OK);
}

/* `id`: of what was made; or NULL. */
static void put(struct rig *r, const struct request *q, char id[ID_SIZE])
{
	struct outcome o;

	if (rig_do(r, q, &o) != OK)
		fail_msg("%s: %s %s", q->use->job.name, o.task.job.why.detail,
			o.task.job.why.items_len ? o.task.job.why.items[0].detail : "");
	if (id) {
		assert_true(outcome_read(&o));
		snprintf(id, ID_SIZE, "%.*s", STR_ARGS(text_at(o.json, "id")));
	}
	outcome_done(&o);
}

static void change(struct rig *r, const struct use *use, const char *who, const char *id,
	const char *body)
{
	put(r, &(struct request){ use, who, id, body }, NULL);
}

static void user_of(struct rig *r, const char *token, char out[ID_SIZE])
{
	struct outcome o;

	must(rig_do(r, &(struct request){ &use_me, token }, &o));
	assert_true(outcome_read(&o));
	snprintf(out, ID_SIZE, "%.*s", STR_ARGS(text_at(o.json, "user.id")));
	outcome_done(&o);
}

/* ---- asks ---- */

static void furnish_session(struct rig *r, bool deleted)
{
	struct made s = rig_session(r,
		"{'title':'Work','parallel':true,'project':'p','external_id':'x',"
		"'metadata':{'a':1},'on_settled':{'webhook':'https://hook.example/'}}");
	char body[256];
	struct made made[6];
	char mia[ID_SIZE];

	must(s.err);
	change(r, &use_session_progress, r->agent, s.id,
		"{'text':'half','step':1,'steps':2}");
	for (int i = 0; i < 6; i++) {
		snprintf(body, sizeof body,
			i == 5 ? "{'session':'%s','kind':'approval','operation':{'type':'tool',"
				 "'name':'rm','arguments':{'f':'x'},'risk':'high'}}"
			       : "{'session':'%s','question':'Go?','type':'boolean',"
				 "'timeout':3600,'context':{'text':'because'}}",
			s.id);
		made[i] = rig_ask_body(r, body, NULL);
		must(made[i].err);
	}
	must(rig_settle(r, &use_answer, made[0].id, NULL));
	must(rig_settle(r, &use_skip, made[1].id, NULL));
	must(rig_settle(r, &use_cancel, made[2].id, NULL));
	change(r, &use_claim, r->mia, made[3].id, NULL);
	change(r, &use_reply, r->mia, made[3].id, "{'text':'What for?'}");
	change(r, &use_mark, r->mia, made[3].id, "{'read':true}");
	change(r, &use_extend, r->ada, made[4].id, "{'timeout':7200}");
	user_of(r, r->mia, mia);
	snprintf(body, sizeof body, "{'assignees':['%s']}", mia);
	change(r, &use_assign, r->ada, made[4].id, body);
	change(r, &use_answer, r->mia, made[5].id, "{'answer':'approve'}");
	if (deleted) must(rig_delete(r, s.id));
}

/* Answered, and then asked again by an agent that had not had the answer. */
static void furnish_asked_again(struct rig *r)
{
	struct request q = { &use_ask, r->agent, .body = "{'question':'Again?'}",
		.dedupe_key = "again" };
	char id[2][ID_SIZE];

	for (int i = 0; i < 2; i++) {
		struct outcome o;

		must(rig_do(r, &q, &o));
		snprintf(id[i], ID_SIZE, "%.*s", STR_ARGS(o.task.ask));
		outcome_done(&o);
		if (i == 0)
			change(r, &use_answer, r->mia, id[0], "{'answer':'Yes, again'}");
	}
	assert_string_equal(id[0], id[1]);
}

/* Approvals with votes: one open with a vote, one given and taken back. */
static void furnish_votes(struct rig *r)
{
	static const char body[] = "{'kind':'approval','require':[{'approvals':2}],"
				   "'operation':{'type':'tool','name':'rm'}}";
	struct made open = rig_ask_body(r, body, NULL), given;

	must(open.err);
	given = rig_ask_body(r, body, NULL);
	must(given.err);
	change(r, &use_answer, r->mia, open.id, "{'answer':'approve'}");
	change(r, &use_answer, r->mia, given.id, "{'answer':'approve'}");
	change(r, &use_answer, r->noa, given.id, "{'answer':'approve'}");
	change(r, &use_revoke, r->noa, given.id, "{'reason':'too early'}");
}

/* ---- people, and what they set up ---- */

static const char push_contact[] =
	"{'channel':'push','name':'browser','subscription':{'endpoint':'https://push.example/1',"
	"'keys':{'p256dh':'BBM7xodutWYck5tTPcT3s54XJfLN456oU1e7YAgPhTVE3E23Gyl0i26piqFLZkgZw5oubMEZG"
	"Bdbj5QhJO3o2TA','auth':'Oel81v1PvbgZYk0Y8h3X9Q'}}}";

static void furnish_people(struct rig *r)
{
	char id[ID_SIZE], mia[ID_SIZE], until[TIME_SIZE], body[256];

	put(r,
		&(struct request){ &use_user_create, r->ada,
			.body = "{'name':'Zoe','role':'viewer'}" },
		id);
	change(r, &use_user_patch, r->ada, id, "{'role':'member','language':'fr'}");
	user_of(r, r->mia, mia);
	time_write(clock_now_ms() + 3600 * 1000, until);
	snprintf(body, sizeof body, "{'until':'%s','delegate':'%s'}", until, mia);
	change(r, &use_away_put, r->ada, id, body);
	change(r, &use_start_put, r->mia, NULL, "{'done':true}");
	change(r, &use_views_put, r->mia, NULL, "[{'name':'mine','query':'q=x'}]");
	put(r,
		&(struct request){ &use_token_create, r->ada,
			.body = "{'role':'agent','name':'mover','expires':'30d',"
				"'tools':['ask_user_question'],'mcp_wait':9}" },
		NULL);
	snprintf(body, sizeof body,
		"{'name':'ops','projects':['web'],'members':[{'user':'%s'}]}", mia);
	put(r, &(struct request){ &use_team_create, r->ada, .body = body }, id);
	change(r, &use_webhook_secret, r->ada, NULL, "{}");
	change(r, &use_contact_create, r->ada, NULL,
		"{'channel':'webhook','address':'https://hook.example/','name':'hook'}");
	change(r, &use_contact_create, r->ada, NULL, push_contact);
	change(r, &use_notify_routes_put, r->ada, NULL,
		"{'version':1,'items':[{'match':{},'steps':[{'after':'0s','to':['all']}]}]}");
	change(r, &use_notify_prefs_put, r->mia, NULL, "{}");
}

static void furnish_rules(struct rig *r)
{
	char id[ID_SIZE], until[TIME_SIZE], body[256];

	time_write(clock_now_ms() + 3600 * 1000, until);
	change(r, &use_policy_put, r->ada, NULL, "{'mode':'manual','version':0}");
	put(r,
		&(struct request){ &use_rule_make, r->ada,
			.body = "{'effect':'deny','match':{'tool':['Nope']}}" },
		id);
	snprintf(body, sizeof body,
		"{'effect':'ask','match':{'tool':['Bash(rm *)']},'expires_at':'%s'}",
		until);
	change(r, &use_rule_make, r->ada, NULL, body);
	change(r, &use_rule_end, r->ada, id, NULL);
	put(r,
		&(struct request){ &use_stop_set, r->ada,
			.body = "{'reason':'incident','match':{'agent':'nobody'}}" },
		id);
	change(r, &use_stop_lift, r->ada, id, NULL);
	snprintf(body, sizeof body,
		"{'reason':'other','match':{'agent':'nobody'},'until':'%s'}", until);
	change(r, &use_stop_set, r->ada, NULL, body);
	change(r, &use_template_put, r->ada, "deploy",
		"{'ask':{'question':'Deploy {{what}}?'},'values':{'what':{}}}");
	put(r,
		&(struct request){ &use_hold_set, r->ada,
			.body = "{'project':'none','reason':'audit'}" },
		id);
	change(r, &use_hold_lift, NULL, id, NULL);
	change(r, &use_hold_set, r->ada, NULL, "{'agent':'none','reason':'audit'}");
	change(r, &use_key_rotate, NULL, NULL, "{}");
	change(r, &use_key_rotate, NULL, NULL, "{}");
	change(r, &use_list_put, r->ada, "names", "{'items':['One','Two']}");
	change(r, &use_price_put, r->ada, NULL,
		"{'items':[{'id':'m','price':{'input':1,'output':2}}]}");
}

/* One that is granted and drawn from, one that was rejected, one that is asked for. */
static void furnish_mandates(struct rig *r)
{
	struct made s = rig_session(r, "{'title':'Bundle','parallel':true}");
	char body[512], ask[ID_SIZE];

	must(s.err);
	snprintf(body, sizeof body,
		"{'title':'Pay','session':'%s','reason':'Bills','lines':[{'key':'pay',"
		"'tool':['pay'],'uses':5,'sum':{'pointer':'/n','max':10}}]}",
		s.id);
	for (int i = 0; i < 3; i++) {
		struct request q = { &use_mandate_create, r->agent, .body = body };
		struct outcome o;

		must(rig_do(r, &q, &o));
		assert_true(outcome_read(&o));
		snprintf(ask, sizeof ask, "%.*s", STR_ARGS(text_at(o.json, "ask")));
		outcome_done(&o);
		if (i < 2)
			change(r, &use_answer, r->mia, ask,
				i ? "{'answer':'reject'}" : "{'answer':'approve'}");
	}
	snprintf(body, sizeof body,
		"{'session':'%s','operation':{'name':'pay','arguments':{'n':2.5}}}",
		s.id);
	change(r, &use_decide, r->agent, NULL, body);
}

/* ---- runs ---- */

static struct held claimed(struct rig *r)
{
	struct held h[4];

	assert_int_equal(run_rig_claim(r, "here", h, 4), 1);
	return h[0];
}

/* One that is over, one that waits for a person. */
static void furnish_runs(struct rig *r)
{
	char run[ID_SIZE];
	struct held h;

	assert_true(run_rig_prepare(r));
	must(run_rig_start(r, "boss", run).err);
	h = claimed(r);
	must(run_rig_turn(r, &h,
		"[" CALL("t1", "todo", "{'operation':'create','name':'Once'}") "]"));
	must(run_rig_turn(
		r, &h, "[" CALL("t2", "test_append", "{'path':'/x','text':'line'}") "]"));
	if (h.step == RUN_STEP_CALLS) {
		bool started;
		char arguments[512];

		must(run_rig_begin(r, &h, 0, &started, arguments));
		must(run_rig_calls(r, &h));
	}
	must(run_rig_turn(r, &h, "[" TEXT("done") "]"));
	must(run_rig_start(r, "helper", run).err);
	h = claimed(r);
	must(run_rig_turn(r, &h,
		"[" CALL("t3", "ask_user_question",
			"{'questions':[{'question':'Eh?'}]}") "]"));
	put(r,
		&(struct request){ &use_memory_add, r->mia,
			.body = "{'scope':'workspace','text':'remember'}" },
		NULL);
}

void furnish(struct rig *r)
{
	furnish_session(r, true);
	furnish_session(r, false);
	furnish_asked_again(r);
	must(rig_ask(r, "key").err);
	furnish_votes(r);
	furnish_people(r);
	furnish_rules(r);
	furnish_mandates(r);
	furnish_runs(r);
	/* What the desk writes later (fetched_ms) is not to meet the edits. */
	assert_true(rig_reopen(r));
}
