/* The first dialects, by example. */
#include "talk.h"

#define TWO                                                                              \
	"{'questions':[{'question':'Where to?','header':'Target','multiSelect':false,"   \
	"'options':[{'label':'Staging (Recommended)','description':'s'},"                \
	"{'label':'Production','description':'p'}]},"                                    \
	"{'question':'Which parts?','header':'Parts','multiSelect':true,"                \
	"'options':[{'label':'Web','description':'w'},{'label':'API','description':'a'}]}]"

static void an_answer_comes_back_under_its_question(void **state)
{
	(void)state;
	struct talk t = talk_open("ask_user_question", TWO "}");
	talk_settle(&t, "{'answers':{'q1':'Staging','q2':{'selected':['Web','API'],"
			"'other':'Docs'}}}");
	kit_same("reply", talk_reply(&t),
		TWO ",'answers':{'Where to?':'Staging (Recommended)',"
		    "'Which parts?':'Web, API, Other: Docs'}}");
	assert_string_equal(talk_sum(&t),
		"Collected answers:\n"
		"- Target: Staging (Recommended)\n"
		"- Parts: Web, API, Other: Docs\n"
		"\n"
		"JSON:\n"
		"{\n"
		"  \"answers\": {\n"
		"    \"Where to?\": \"Staging (Recommended)\",\n"
		"    \"Which parts?\": \"Web, API, Other: Docs\"\n"
		"  }\n"
		"}");
	talk_repaired(&t, "Recommended");
	kit_same("suggested",
		str_of(kit_compact(kit_at(t.in.body, "questions.0.suggested"))),
		"'Staging'");
}

static void what_nobody_answered_says_so(void **state)
{
	(void)state;
	talk_check("ask_user_question", TWO "}", "skip: later",
		TWO ",'answers':{},'status':'skipped',"
		    "'message':'Skipped by the user: later'}");
	talk_check("ask_user_question", TWO "}", "expire",
		TWO ",'answers':{},'status':'expired',"
		    "'message':'No answer before the deadline'}");
}

#define TOOL "'tool_name':'Bash','input':{'command':'make'},'tool_use_id':'t1'"

static void a_permission_is_given_or_not(void **state)
{
	(void)state;
	talk_check("permission", "{" TOOL "}", "{'answer':'approve'}",
		"{'behavior':'allow','updatedInput':{'command':'make'}}");
	talk_check("permission", "{" TOOL "}",
		"{'answer':{'value':'approve','arguments':{'command':'true'}}}",
		"{'behavior':'allow','updatedInput':{'command':'true'}}");
	talk_check("permission", "{" TOOL "}",
		"{'answer':{'value':'reject','text':'no'}}",
		"{'behavior':'deny','message':'no'}");
	talk_check("permission", "{" TOOL "}", "expire",
		"{'behavior':'deny','message':'No answer before the deadline'}");
	talk_check("permission",
		"{'hook_event_name':'PreToolUse','tool_name':'Bash','tool_input':{}}", "",
		"{'hookSpecificOutput':{'hookEventName':'PreToolUse',"
		"'permissionDecision':'defer',"
		"'permissionDecisionReason':'Not answered yet'}}");
}

static void a_user_question_is_answered_by_ids(void **state)
{
	(void)state;
	static const char mixed[] =
		"{'operation':'ask','question':'Which?','questionType':'mixed',"
		"'options':[{'id':'a','label':'A'},{'id':'b','label':'B'}],"
		"'textRequired':false}";

	talk_check("user_question", mixed,
		"{'answer':{'selected':['b','a'],'text':'both'}}",
		"{'success':true,'selectedOptions':['a','b'],'textResponse':'both',"
		"'message':'Question answered by user'}");
	talk_check("user_question", mixed, "skip",
		"{'success':false,'selectedOptions':[],"
		"'message':'Question skipped by user'}");
}

static void a_question_that_does_not_block_is_known_at_once(void **state)
{
	(void)state;
	static const char request[] =
		"{'question':'Verbose?','type':'non_blocking','responseType':'boolean',"
		"'timeoutMinutes':5,'defaultResponse':{'type':'boolean','value':false}}";

	talk_check("ask_question", request, "",
		"{'questionId':'ask_1','timeoutAt':'1970-01-01T00:05:01.000Z'}");
	talk_check("ask_question", request, "{'answer':{'value':true,'text':'please'}}",
		"{'type':'boolean','value':true,'text':'please'}");
	talk_check("ask_question", request, "default",
		"{'type':'boolean','value':false,'status':'timeout',"
		"'text':'No answer before the deadline: this is the default'}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(an_answer_comes_back_under_its_question),
		KIT_TEST(what_nobody_answered_says_so),
		KIT_TEST(a_permission_is_given_or_not),
		KIT_TEST(a_user_question_is_answered_by_ids),
		KIT_TEST(a_question_that_does_not_block_is_known_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
