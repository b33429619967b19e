/* Models' small mistakes: mended and told, or, strictly, refused in the words they know.
 */
#include "talk.h"

#define OPTIONS                                                                          \
	"'options':[{'label':'Alpha','description':'A'},{'label':'Beta','description':'B'}]"
#define QUESTION "'question':'Which option?','header':'Option','multiSelect':false,"

static const struct {
	const char *dialect, *request, *repair;
	const char *path, *value; /* in the ask */
} mended[] = {
	{ "ask_user_question", "{'questions':[{" QUESTION "'options':['Alpha','Beta']}]}",
		"must be an object; taken as its label", "questions.0.options.1.label",
		"'Beta'" },
	{ "ask_user_question",
		"{'questions':'[{\\'question\\':\\'Which?\\',\\'options\\':[\\'A\\',\\'B\\']}]'}",
		"/questions: must be an array; read from the string",
		"questions.0.options.0.label", "'A'" },
	{ "ask_user_question", "{'questions':{" QUESTION OPTIONS "}}",
		"taken as the only one", "questions.0.header", "'Option'" },
	{ "ask_user_question",
		"{'questions':[{'question':'Which?','multiple':true," OPTIONS "}]}",
		"called multiSelect", "questions.0.type", "'choices'" },
	{ "ask_user_question",
		"{'questions':[{" QUESTION "'options':[{'label':'Alpha "
		"(Recommended)','description':'A'},{'label':'Beta','description':'B'}]}]}",
		"shown as suggested", "questions.0.suggested", "'Alpha'" },
	{ "ask_user_question",
		"{'questions':[{'question':'Which?','header':'Authentication "
		"method','multiSelect':false," OPTIONS "}]}",
		"/questions/0/header: must have at most 12 characters; shortened",
		"questions.0.header", "'Authenticat…'" },
	{ "ask_user_question",
		"{'questions':[{'question':'Pick one','header':'P','multiSelect':false," OPTIONS
		"}]}",
		"Question must end with ?: P; one was added", "questions.0.text",
		"'Pick one?'" },
	{ "ask_user_question",
		"{'questions':[{" QUESTION "'options':[{'label':'A','description':'a'},"
		"{'label':'Other','description':'o'}]}]}",
		"reserved; left out", "questions.0.options.0.label", "'A'" },
	{ "ask_user_question", "{" QUESTION OPTIONS "}", "must have questions",
		"questions.0.text", "'Which option?'" },
	{ "ask_user_question",
		"{'questions':[{" QUESTION OPTIONS "}],'answers':{'Nobody':'x'}}",
		"Unknown answers key: Nobody; left out", "questions.0.header",
		"'Option'" },
	{ "user_question", "{'question':'Which?','options':[{'id':'a','label':'A'}]}",
		"must be checkbox, text or mixed", "questions.0.type", "'choices'" },
	{ "ask_question",
		"{'question':'Q','type':'blocking','responseType':'text',"
		"'timeoutMinutes':1}",
		"must be from 5 to 1440; the nearest was taken", "timeout", "300" },
	{ "ask_question",
		"{'question':'Q','type':'approval','responseType':'approval',"
		"'defaultResponse':{'type':'approval','value':'approve'}}",
		"may only be a rejection; left out", "timeout", "900" },
	{ "permission", "{'tool_name':'Bash','input':'{\\'command\\':\\'ls\\'}'}",
		"must be an object; read from the string", "operation.arguments.command",
		"'ls'" },
	{ "elicitation",
		"{'message':'m','requestedSchema':{'type':'object','properties':{'a':{"
		"'type':'integer','default':'many'}}}}",
		"must be a possible answer; left out", "questions.0.integer", "true" },
	{ "gemini", "{'questions':[{'question':'Q','type':'choice'}]}",
		"must be given for a choice; asked for a text", "questions.0.type",
		"'text'" },
};

/* In these, \' is a " within a string. */
static const char *unescape(const char *text)
{
	char *out = arena_copy(&kit, str_of(text));

	for (char *c = out; *c; c++)
		if (c[0] == '\\' && c[1] == '\'') c[1] = '"';
	return out;
}

static void small_mistakes_are_mended_and_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mended / sizeof *mended; i++) {
		struct talk t = talk_open(mended[i].dialect, unescape(mended[i].request));

		talk_repaired(&t, mended[i].repair);
		kit_same(mended[i].request,
			str_of(kit_compact(kit_at(t.in.body, mended[i].path))),
			mended[i].value);
	}
}

static void strictly_they_are_refused(void **state)
{
	struct fault why;

	(void)state;
	for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
		talk_refused(mended[i].dialect, unescape(mended[i].request), true, &why);
}

/* The terminal dialog's own words. */
static const struct {
	const char *request, *detail;
} dialog[] = {
	{ "{'questions':[{'question':'No question mark','header':'Option',"
	  "'multiSelect':false," OPTIONS "}]}",
		"Question must end with ?: Option" },
	{ "{'questions':[{" QUESTION OPTIONS "},{" QUESTION OPTIONS "}]}",
		"Duplicate header: Option" },
	{ "{'questions':[{" QUESTION
	  "'options':[{'label':'one two three four five six','description':'bad'},"
	  "{'label':'ok','description':'ok'}]}]}",
		"Option label must be 1-5 words: one two three four five six" },
	{ "{'questions':[{" QUESTION "'options':[{'label':'Other','description':'r'},"
	  "{'label':'ok','description':'ok'}]}]}",
		"Option label \"Other\" is reserved" },
	{ "{'questions':[{" QUESTION OPTIONS "}],'answers':{'Unknown':'value'}}",
		"Unknown answers key: Unknown" },
	{ "{'questions':[]}", "must be 1 to 4 questions" },
	{ "{'questions':[{" QUESTION "'options':[{'label':'A','description':'a'}]}]}",
		"must be 2 to 4 options" },
	{ "{'questions':[{'question':'Which?','header':'Thirteen char','multiSelect':false," OPTIONS
	  "}]}",
		"must have at most 12 characters" },
};

static void the_dialogs_rules_hold_in_its_own_words(void **state)
{
	struct fault why;

	(void)state;
	for (size_t i = 0; i < sizeof dialog / sizeof *dialog; i++) {
		talk_refused("ask_user_question", dialog[i].request, true, &why);
		assert_string_equal(why.detail, dialog[i].detail);
	}
}

static void what_is_known_is_prefilled(void **state)
{
	struct talk t = talk_open("ask_user_question",
		"{'questions':[{'question':'Which?','header':'H','multiSelect':true," OPTIONS
		"}],'answers':{'H':'Beta, Other: more, and more'}}");

	(void)state;
	kit_same("prefill", str_of(kit_compact(kit_at(t.in.body, "questions.0.prefill"))),
		"{'selected':['Beta'],'other':'more, and more'}");
}

static void an_answer_by_header_and_its_text(void **state)
{
	struct talk t = talk_open_json(dialect_find(STR("ask_user_question")),
		kit_json("{'questions':[{" QUESTION OPTIONS "}]}"), true);

	(void)state;
	talk_settle(&t, "{'answer':{'other':'custom answer'}}");
	kit_same("reply", str_of(kit_compact(kit_at(kit_whole(&t.ask).answer, "q1"))),
		"{'other':'custom answer'}");
	assert_string_equal(talk_sum(&t),
		"Collected answers:\n- Option: Other: custom answer\n\nJSON:\n{\n"
		"  \"answers\": {\n    \"Option\": \"Other: custom answer\"\n  }\n}");
	t = talk_open("ask_user_question", "{'questions':[{" QUESTION OPTIONS "}]}");
	talk_settle(&t, "skip");
	assert_string_equal(talk_sum(&t), "The user skipped this question");
	t = talk_open_json(dialect_find(STR("ask_user_question")),
		kit_json("{'questions':[{" QUESTION OPTIONS "}]}"), true);
	talk_settle(&t, "skip");
	assert_string_equal(talk_sum(&t), "AskUserQuestion cancelled by user");
}

static void a_long_question_is_shown_whole(void **state)
{
	char *text = kit_print("%s?", kit_repeat("very ", 600));
	struct talk t = talk_open("gemini",
		kit_print("{'questions':[{'question':'%s','type':'text'}]}", text));

	(void)state;
	talk_repaired(&t, "2000");
	assert_string_equal(
		kit_text(json_text(kit_at(t.in.body, "context.preview"))), text);
}

static void what_cannot_be_understood_is_refused_where_it_is(void **state)
{
	static const struct {
		const char *dialect, *request, *pointer;
	} refused[] = {
		{ "ask_user_question", "{}", "/questions" },
		{ "ask_user_question", "{'questions':[{'question':'Q?','options':[{}]}]}",
			"/questions/0/options/0" },
		{ "ask_user_question", "{'questions':7}", "/questions" },
		{ "user_question", "{'questionType':'text'}", "/question" },
		{ "elicitation", "{'message':'m'}", "/requestedSchema" },
		{ "elicitation",
			"{'message':'m','requestedSchema':{'type':'object',"
			"'properties':{'a':{'type':'object'}}}}",
			"/requestedSchema/properties/a" },
		{ "permission", "{'input':{}}", "/tool_name" },
		{ "codex", "{'questions':[{'question':'Q'}]}", "/questions/0/id" },
		{ "agent_inbox", "[{}]", "/0" },
		{ "langchain_hitl", "{'action_requests':[]}", "/action_requests" },
		{ "ag_ui", "{'interrupts':[{'reason':'x'}]}", "/interrupts/0/id" },
		{ "acp", "{'options':[{'optionId':'a','name':'A'}]}", "/options" },
		{ "a2a", "{'status':{'state':'TASK_STATE_WORKING'}}", "/status" },
		{ "vercel", "{'toolCall':{'toolName':'t'}}", "/approvalId" },
		{ "airflow", "{'subject':'s','options':[]}", "/options" },
		{ "humanlayer", "{'spec':{}}", "/spec" },
	};
	struct fault why;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		talk_refused(refused[i].dialect, refused[i].request, false, &why);
		kit_item(refused[i].request, &why, refused[i].pointer, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(small_mistakes_are_mended_and_told),
		KIT_TEST(strictly_they_are_refused),
		KIT_TEST(the_dialogs_rules_hold_in_its_own_words),
		KIT_TEST(what_is_known_is_prefilled),
		KIT_TEST(an_answer_by_header_and_its_text),
		KIT_TEST(a_long_question_is_shown_whole),
		KIT_TEST(what_cannot_be_understood_is_refused_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
