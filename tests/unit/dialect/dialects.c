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

#define APPROVE "{'answers':{'decision':'approve'}}"
#define REJECT	"{'answers':{'decision':{'value':'reject','text':'no'}}}"
#define EDIT	"{'answers':{'decision':{'value':'approve','arguments':{'to':'bob'}}}}"
#define ACP                                                                              \
	"{'toolCall':{'title':'T','rawInput':{}},'options':["                            \
	"{'optionId':'1','name':'Yes','kind':'allow_once'},"                             \
	"{'optionId':'2','name':'Always','kind':'allow_always'},"                        \
	"{'optionId':'3','name':'No','kind':'reject_once'}]}"
#define INBOX(config)                                                                    \
	"{'action_request':{'action':'send','args':{'to':'ada'}},'config':{" config "}}"
#define HITL(allowed)                                                                    \
	"{'action_requests':[{'name':'send','args':{'to':'ada'}}],"                      \
	"'review_configs':[{'action_name':'send','allowed_decisions':[" allowed "]}]}"
#define VERCEL                                                                           \
	"{'type':'tool-approval-request','approvalId':'a','toolCall':{'toolName':'t',"   \
	"'input':{}}}"
#define COMMAND "{'command':'ls','cwd':'/','itemId':'i'}"
#define PERMIT	"{'permission':'bash','patterns':['x'],'metadata':{},'always':['x']}"

static const struct {
	const char *dialect, *request, *how, *reply;
} decisions[] = {
	/* What lasts is granted only when it was chosen; a no stays a no. In acp it is told as the one for once. */
	{ "acp", ACP, APPROVE, "{'outcome':{'outcome':'selected','optionId':'1'}}" },
	{ "acp", ACP, "{'answers':{'decision':'approve','option':'2'}}",
		"{'outcome':{'outcome':'selected','optionId':'1'}}" },
	{ "acp", ACP, "{'answers':{'decision':'reject','option':'2'}}",
		"{'outcome':{'outcome':'selected','optionId':'3'},'_meta':{"
		"'parley/status':'answered','parley/message':'Rejected by the user'}}" },
	{ "codex", COMMAND, APPROVE, "{'decision':'accept'}" },
	{ "codex", COMMAND,
		"{'answers':{'decision':'approve','option':'acceptForSession'}}",
		"{'decision':'acceptForSession'}" },
	{ "codex", COMMAND, REJECT, "{'decision':'decline','message':'no'}" },
	{ "codex", COMMAND, "{'answers':{'decision':'reject','option':'cancel'}}",
		"{'decision':'cancel','message':'Rejected by the user'}" },
	{ "opencode", PERMIT, APPROVE, "{'reply':'once'}" },
	{ "opencode", PERMIT, "{'answers':{'decision':'approve','option':'always'}}",
		"{'reply':'always'}" },
	{ "opencode", PERMIT, REJECT, "{'reply':'reject','message':'no'}" },
	/* Edited arguments go back, or it is denied. */
	{ "agent_inbox", INBOX("'allow_accept':true,'allow_edit':true"), EDIT,
		"[{'type':'edit','args':{'action':'send','args':{'to':'bob'}}}]" },
	{ "agent_inbox", INBOX("'allow_accept':true,'allow_respond':true"), EDIT,
		"[{'type':'response','args':'Approved only with other arguments: "
		"{\\\"to\\\":\\\"bob\\\"}'}]" },
	{ "agent_inbox", INBOX("'allow_accept':true,'allow_respond':true"), REJECT,
		"[{'type':'response','args':'no'}]" },
	{ "agent_inbox", INBOX("'allow_respond':true"),
		"{'answers':{'decision':'hello'}}",
		"[{'type':'response','args':'hello'}]" },
	{ "agent_inbox", INBOX("'allow_accept':true,'allow_ignore':true"), "skip",
		"[{'type':'ignore','args':null}]" },
	{ "langchain_hitl", HITL("'approve','reject'"), APPROVE,
		"{'decisions':[{'type':'approve'}]}" },
	{ "langchain_hitl", HITL("'approve','edit'"), EDIT,
		"{'decisions':[{'type':'edit','edited_action':{'name':'send',"
		"'args':{'to':'bob'}}}]}" },
	/* As the JavaScript package sends it, and takes it back. */
	{ "langchain_hitl",
		"{'actionRequests':[{'name':'send','args':{'to':'ada'},'description':'Tool "
		"execution requires approval'}],'reviewConfigs':[{'actionName':'send',"
		"'allowedDecisions':['approve','edit','reject']}]}",
		EDIT,
		"{'decisions':[{'type':'edit','editedAction':{'name':'send',"
		"'args':{'to':'bob'}}}]}" },
	{ "langchain_hitl", HITL("'approve','respond'"),
		"{'answers':{'decision':'reject','response':'done by hand'}}",
		"{'decisions':[{'type':'respond','message':'done by hand'}]}" },
	{ "vercel", VERCEL, EDIT,
		"{'type':'tool-approval-response','approvalId':'a','approved':false,"
		"'reason':'Approved only with other arguments: {\\\"to\\\":\\\"bob\\\"}'}" },
	{ "vercel", VERCEL, APPROVE,
		"{'type':'tool-approval-response','approvalId':'a','approved':true}" },
	{ "ag_ui", "{'interrupts':[{'id':'i','reason':'tool_call','message':'Go?'}]}",
		"{'answers':{'q1':{'value':'approve','arguments':{'a':1}}}}",
		"{'resume':[{'interruptId':'i','status':'resolved','payload':{'approved':"
		"true,'editedArgs':{'a':1}}}]}" },
	/* A form is declined, filled in, or left. */
	{ "elicitation",
		"{'message':'Go?','requestedSchema':{'type':'object',"
		"'properties':{}}}",
		"{'answer':false}", "{'action':'decline'}" },
	{ "elicitation",
		"{'message':'m','requestedSchema':{'type':'object','properties':{'c':{"
		"'type':'array','items':{'enum':['x','y']}},'n':{'type':'number'}},"
		"'required':['c']}}",
		"{'answers':{'n':1.5}}",
		"{'action':'accept','content':{'c':[],'n':1.5}}" },
	{ "a2a",
		"{'id':'t','contextId':'c','status':{'state':'input-required','message':{"
		"'parts':[{'kind':'text','text':'Q'}]}}}",
		"{'answer':'A'}",
		"{'message':{'kind':'message','messageId':'msg-ask_1','role':'user',"
		"'taskId':'t','contextId':'c','parts':[{'kind':'text','text':'A'}]}}" },
	{ "humanlayer",
		"{'run_id':'r','call_id':'c','spec':{'msg':'Q','response_options':[{'name':"
		"'ok','title':'Fine'}],'state':{'n':1}}}",
		"{'answer':{'selected':['ok'],'text':'go'}}",
		"{'run_id':'r','call_id':'c','spec':{'msg':'Q','response_options':[{'name':"
		"'ok','title':'Fine'}],'state':{'n':1}},'status':{'requested_at':"
		"'1970-01-01T00:00:01.000Z','responded_at':'1970-01-01T00:00:02.000Z',"
		"'response':'go','response_option_name':'ok'}}" },
	{ "gemini",
		"{'questions':[{'question':'Q','type':'choice','multiSelect':true,"
		"'options':[{'label':'A'},{'label':'B'},{'label':'A, B'}]}]}",
		"{'answer':['A','B']}", "{'answers':{'0':'\\\"A\\\", \\\"B\\\"'}}" },
	/* JSON-RPC around it makes no difference. */
	{ "permission", "{'method':'x','params':{'tool_name':'T','input':{}}}", APPROVE,
		"{'behavior':'allow','updatedInput':{}}" },
};

static void decisions_come_back_as_each_dialect_says_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++)
		talk_check(decisions[i].dialect, decisions[i].request, decisions[i].how,
			decisions[i].reply);
}

static void several_actions_are_decided_one_by_one(void **state)
{
	(void)state;
	talk_check("langchain_hitl",
		"{'action_requests':[{'name':'a','args':{'n':1}},{'name':'b','args':{'n':2}},"
		"{'name':'c','args':{'n':3}}],'review_configs':[]}",
		"{'answers':{'decision1':'approve','decision2':{'value':'reject','text':'no'},"
		"'decision3':{'value':'approve','arguments':{'n':9}}}}",
		"{'decisions':[{'type':'approve'},{'type':'reject','message':'no'},"
		"{'type':'edit','edited_action':{'name':'c','args':{'n':9}}}]}");
	talk_check("agent_inbox",
		"[" INBOX("'allow_accept':true,'allow_edit':true") "," INBOX(
			"'allow_accept':true,'allow_edit':true") "]",
		"{'answers':{'decision1':{'value':'approve','arguments':{'actions':[{'name':"
		"'send','arguments':{'to':'ada'}},{'name':'send','arguments':{'to':'eve'}}]}},"
		"'decision2':'approve'}}",
		"[{'type':'accept','args':{'action':'send','args':{'to':'ada'}}},"
		"{'type':'edit','args':{'action':'send','args':{'to':'eve'}}}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(an_answer_comes_back_under_its_question),
		KIT_TEST(what_nobody_answered_says_so),
		KIT_TEST(a_permission_is_given_or_not),
		KIT_TEST(a_user_question_is_answered_by_ids),
		KIT_TEST(a_question_that_does_not_block_is_known_at_once),
		KIT_TEST(decisions_come_back_as_each_dialect_says_them),
		KIT_TEST(several_actions_are_decided_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
