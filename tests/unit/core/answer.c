/* What a person may answer, what becomes of it, and how it is summed up. */
#include "kit.h"

/* One question of each type, and variants of them. */
#define OPTIONS                                                                          \
	"'options':[{'id':'a','label':'Ann'},{'id':'b','label':'Bob'},{'id':'Ann','"     \
	"label':'X'}]"
#define TEXT	     "{'question':'Why?'}"
#define SHORT	     "{'question':'Why?','min':2,'max':3}"
#define NUMBER	     "{'question':'How many?','type':'number','min':0,'max':10}"
#define BOOLEAN	     "{'question':'Go?','type':'boolean'}"
#define CHOICE	     "{'question':'Who?'," OPTIONS "}"
#define CHOICE_OTHER "{'question':'Who?','other':true," OPTIONS "}"
#define CHOICE_NOTE  "{'question':'Who?','note':true," OPTIONS "}"
#define CHOICE_NOTED "{'question':'Who?','note':{'required':true}," OPTIONS "}"
#define CHOICES	     "{'question':'Who?','type':'choices'," OPTIONS "}"
#define CHOICES_TWO                                                                      \
	"{'question':'Who?','type':'choices','other':true,'min':2,'max':2," OPTIONS "}"
#define APPROVAL                                                                         \
	"{'kind':'approval','operation':{'name':'sh'},'question':'Go?','type':'"         \
	"approval'}"
#define OPTIONAL(type) "{'question':'Go?','required':false,'type':'" type "'}"

/* The ask, the value of its one question, the full form it becomes, and its summary. */
static const struct {
	const char *ask, *value, *full, *summary;
} right_values[] = {
	{ TEXT, "'Because'", "{'text':'Because'}", "- Why?: Because" },
	{ TEXT, "{'text':'Because'}", "{'text':'Because'}", "- Why?: Because" },
	{ TEXT, "'a\\r\\nb\\nc\\u2028d'", "{'text':'a\\r\\nb\\nc\\u2028d'}",
		"- Why?: a b c d" },
	{ SHORT, "'éé'", "{'text':'éé'}", "- Why?: éé" },
	{ SHORT, "'ééé'", "{'text':'ééé'}", "- Why?: ééé" },
	{ NUMBER, "3", "{'value':3}", "- How many?: 3" },
	{ NUMBER, "1.50", "{'value':1.5}", "- How many?: 1.50" },
	{ NUMBER, "{'value':10}", "{'value':10}", "- How many?: 10" },
	{ "{'question':'N?','type':'number','integer':true}", "5.0", "{'value':5}",
		"- N?: 5.0" },
	{ "{'question':'N?','type':'number'}", "12345678901234567890",
		"{'value':12345678901234567890}", "- N?: 12345678901234567890" },
	{ BOOLEAN, "true", "{'value':true}", "- Go?: Yes" },
	{ BOOLEAN, "{'value':false}", "{'value':false}", "- Go?: No" },
	{ CHOICE, "'a'", "{'selected':['a']}", "- Who?: Ann" },
	{ CHOICE, "'Bob'", "{'selected':['b']}", "- Who?: Bob" },
	{ CHOICE, "'Ann'", "{'selected':['Ann']}",
		"- Who?: X" }, /* ids go before labels */
	{ CHOICE, "['b']", "{'selected':['b']}", "- Who?: Bob" },
	{ CHOICE, "{'selected':['b']}", "{'selected':['b']}", "- Who?: Bob" },
	{ CHOICE, "{'selected':['b'],'other':null,'text':null}", "{'selected':['b']}",
		"- Who?: Bob" },
	{ CHOICE_OTHER, "'Cleo'", "{'other':'Cleo'}", "- Who?: Other: Cleo" },
	{ CHOICE_OTHER, "{'other':'Cleo'}", "{'other':'Cleo'}", "- Who?: Other: Cleo" },
	{ CHOICE_OTHER, "{'selected':['a'],'other':''}", "{'selected':['a']}",
		"- Who?: Ann" },
	{ CHOICE_OTHER, "{'selected':[],'other':'Cleo'}", "{'other':'Cleo'}",
		"- Who?: Other: Cleo" },
	{ CHOICE_NOTE, "{'selected':['a'],'text':'for\\nnow'}",
		"{'selected':['a'],'text':'for\\nnow'}", "- Who?: Ann (note: for now)" },
	{ CHOICE_NOTED, "{'selected':['a'],'text':'ok'}",
		"{'selected':['a'],'text':'ok'}", "- Who?: Ann (note: ok)" },
	{ CHOICES, "'b'", "{'selected':['b']}", "- Who?: Bob" },
	{ CHOICES, "['b','a','b']", "{'selected':['a','b']}", "- Who?: Ann, Bob" },
	{ CHOICES_TWO, "['a','Cleo']", "{'selected':['a'],'other':'Cleo'}",
		"- Who?: Ann, Other: Cleo" },
	{ CHOICES_TWO, "{'selected':['b'],'other':'Cleo'}",
		"{'selected':['b'],'other':'Cleo'}", "- Who?: Bob, Other: Cleo" },
	{ APPROVAL, "'approve'", "{'value':'approve'}", "- Go?: Approved" },
	{ APPROVAL, "'reject'", "{'value':'reject'}", "- Go?: Rejected" },
	{ APPROVAL, "{'value':'reject','text':'too late'}",
		"{'value':'reject','text':'too late'}",
		"- Go?: Rejected (note: too late)" },
	{ APPROVAL, "{'value':'approve','arguments':{'n':1}}",
		"{'value':'approve','arguments':{'n':1}}", "- Go?: Approved (edited)" },
	{ OPTIONAL("text"), "null", NULL, "- Go?: -" },
	{ OPTIONAL("text"), "' '", NULL, "- Go?: -" },
	{ OPTIONAL("number"), "{}", NULL, "- Go?: -" },
	{ OPTIONAL("boolean"), "{'value':null}", NULL, "- Go?: -" },
	{ "{'question':'Go?','required':false,'options':['x']}", "[]", NULL, "- Go?: -" },
	{ "{'question':'Mail?','format':'email'}", "'ann@example.org'",
		"{'text':'ann@example.org'}", "- Mail?: ann@example.org" },
	{ "{'question':'U?','format':'uri'}", "'urn:x'", "{'text':'urn:x'}",
		"- U?: urn:x" },
	{ "{'question':'D?','format':'date'}", "'2028-02-29'", "{'text':'2028-02-29'}",
		"- D?: 2028-02-29" },
	{ "{'question':'D?','format':'date-time'}", "'2026-11-15T08:00:00+01:00'",
		"{'text':'2026-11-15T08:00:00+01:00'}",
		"- D?: 2026-11-15T08:00:00+01:00" },
	{ "{'question':'Why\\nnot?','header':'Reason'}", "'x'", "{'text':'x'}",
		"- Reason: x" },
	{ "{'question':'Why\\nnot?'}", "'x'", "{'text':'x'}", "- Why not?: x" },
};

static void a_value_becomes_its_full_form_and_a_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof right_values / sizeof *right_values; i++) {
		struct draft d = kit_drafted(right_values[i].ask);
		const char *value = right_values[i].value;
		const char *key = kit_text(d.questions[0].key);
		const char *full = right_values[i].full;

		struct answer one = kit_answered(&d, kit_print("{'answer':%s}", value));
		struct answer keyed =
			kit_answered(&d, kit_print("{'answers':{'%s':%s}}", key, value));
		kit_same(
			value, one.json, full ? kit_print("{'%s':%s}", key, full) : "{}");
		assert_string_equal(kit_text(one.summary), right_values[i].summary);
		assert_string_equal(kit_text(one.json), kit_text(keyed.json));
	}
}

static void a_full_form_is_its_own_full_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof right_values / sizeof *right_values; i++) {
		struct draft d = kit_drafted(right_values[i].ask);
		struct answer first = kit_answered(
			&d, kit_print("{'answer':%s}", right_values[i].value));
		struct answer again = { 0 };
		const struct json *json = NULL;

		assert_int_equal(json_read(first.json, NULL, &kit, &json, NULL), OK);
		assert_int_equal(answer_check_at(d.questions, d.questions_len, json,
					 "/default", &kit, &again, NULL),
			OK);
		assert_string_equal(kit_text(first.json), kit_text(again.json));
		assert_string_equal(kit_text(first.summary), kit_text(again.summary));
	}
}

/* The ask, the body, where it is wrong, and a word of what it is told. */
static const struct {
	const char *ask, *body, *pointer, *detail;
} wrong_bodies[] = {
	{ TEXT, "[]", "", "object" },
	{ TEXT, "{}", "/answers", "required" },
	{ TEXT, "{'answers':null}", "/answers", "required" },
	{ TEXT, "{'answers':'x'}", "/answers", "object" },
	{ TEXT, "{'answer':'x','via':'cli'}", "/via", "unknown" },
	{ TEXT, "{'answer':'x','answers':{'q1':'y'}}", "/answer", "not both" },
	{ TEXT, "{'answers':{'q1':'x','q2':'y'}}", "/answers/q2", "no such question" },
	{ TEXT, "{'answers':{}}", "/answers/q1", "required" },
	{ TEXT, "{'answers':{'q1':null}}", "/answers/q1", "required" },
	{ TEXT, "{'answer':null}", "/answer", "required" },
	{ TEXT, "{'answer':' \\n\\u3000'}", "/answer", "required" },
	{ TEXT, "{'answer':5}", "/answer", "string" },
	{ TEXT, "{'answer':['x']}", "/answer", "string" },
	{ TEXT, "{'answer':{'text':5}}", "/answer/text", "string" },
	{ TEXT, "{'answer':{'value':'x'}}", "/answer/value", "not for type text" },
	{ TEXT, "{'answer':{'txt':'x','text':'y'}}", "/answer/txt", "unknown" },
	{ SHORT, "{'answer':'é'}", "/answer", "at least 2" },
	{ SHORT, "{'answer':'éééé'}", "/answer", "at most 3" },
	{ NUMBER, "{'answer':'3'}", "/answer", "number" },
	{ NUMBER, "{'answer':-1}", "/answer", "at least 0" },
	{ NUMBER, "{'answer':10.5}", "/answer", "at most 10" },
	{ NUMBER, "{'answer':{'value':true}}", "/answer/value", "number" },
	{ "{'question':'N?','type':'number','integer':true}", "{'answer':1.5}", "/answer",
		"whole number" },
	{ NUMBER, "{'answer':{'value':1,'text':'x'}}", "/answer/text", "no note" },
	{ BOOLEAN, "{'answer':'true'}", "/answer", "true or false" },
	{ BOOLEAN, "{'answer':1}", "/answer", "true or false" },
	{ BOOLEAN, "{'answer':{'selected':['a']}}", "/answer/selected", "not for type" },
	{ CHOICE, "{'answer':'Cleo'}", "/answer", "\"Cleo\" is not an option" },
	{ CHOICE, "{'answer':'ANN'}", "/answer", "not an option" },
	{ CHOICE, "{'answer':true}", "/answer", "string" },
	{ CHOICE, "{'answer':['a','b']}", "/answer", "only one" },
	{ CHOICE, "{'answer':['a',5]}", "/answer/1", "string" },
	{ CHOICE, "{'answer':{'selected':'a'}}", "/answer/selected", "array" },
	{ CHOICE, "{'answer':{'selected':['x']}}", "/answer/selected/0",
		"not an option" },
	{ CHOICE, "{'answer':{'other':'x'}}", "/answer/other", "not offered" },
	{ CHOICE, "{'answer':{'selected':['a'],'text':'x'}}", "/answer/text", "no note" },
	{ CHOICE, "{'answer':{'selected':[]}}", "/answer", "required" },
	{ CHOICE, "{'answer':''}", "/answer", "not an option" },
	{ CHOICE_OTHER, "{'answer':''}", "/answer", "required" },
	{ CHOICE_OTHER, "{'answer':{'selected':['a'],'other':'x'}}", "/answer",
		"only one" },
	{ CHOICE_OTHER, "{'answer':{'selected':['x']}}", "/answer/selected/0",
		"not an option" },
	{ CHOICE_OTHER, "{'answer':{'other':5}}", "/answer/other", "string" },
	{ CHOICE_NOTE, "{'answer':{'text':'x'}}", "/answer", "required" },
	{ CHOICE_NOTED, "{'answer':'a'}", "/answer/text", "required" },
	{ CHOICE_NOTED, "{'answer':{'selected':['a'],'text':' '}}", "/answer/text",
		"required" },
	{ CHOICES, "{'answer':[]}", "/answer", "required" },
	{ CHOICES, "{'answer':['a','x']}", "/answer/1", "not an option" },
	{ CHOICES_TWO, "{'answer':['a']}", "/answer", "at least 2" },
	{ CHOICES_TWO, "{'answer':['a','b','x']}", "/answer", "at most 2" },
	{ CHOICES_TWO, "{'answer':['x','y']}", "/answer/1", "only one text" },
	{ APPROVAL, "{'answer':'yes'}", "/answer", "approve or reject" },
	{ APPROVAL, "{'answer':true}", "/answer", "approve or reject" },
	{ APPROVAL, "{'answer':{'text':'hm'}}", "/answer", "required" },
	{ APPROVAL, "{'answer':{'value':'reject','arguments':{}}}", "/answer/arguments",
		"only with approve" },
	{ APPROVAL, "{'answer':{'value':'approve','arguments':'x'}}", "/answer/arguments",
		"object" },
	{ "{'question':'?','format':'email'}", "{'answer':'ann@'}", "/answer",
		"not a valid email" },
	{ "{'question':'?','format':'email'}", "{'answer':'ann@b c.de'}", "/answer",
		"not a valid email" },
	{ "{'question':'?','format':'email'}", "{'answer':'a@b@c.de'}", "/answer",
		"not a valid email" },
	{ "{'question':'?','format':'email'}", "{'answer':'a@b..de'}", "/answer",
		"not a valid email" },
	{ "{'question':'?','format':'uri'}", "{'answer':'example.org'}", "/answer",
		"not a valid uri" },
	{ "{'question':'?','format':'uri'}", "{'answer':'http:'}", "/answer",
		"not a valid uri" },
	{ "{'question':'?','format':'date'}", "{'answer':'2026-02-29'}", "/answer",
		"not a valid date" },
	{ "{'question':'?','format':'date'}", "{'answer':'2026-2-9'}", "/answer",
		"not a valid date" },
	{ "{'question':'?','format':'date-time'}", "{'answer':'2026-02-09'}", "/answer",
		"not a valid date-time" },
	{ "{'questions':[{'text':'a'},{'text':'b'}]}", "{'answer':'x'}", "/answer",
		"by key" },
	{ "{'questions':[{'text':'a','key':'a/b'}]}", "{'answers':{}}", "/answers/a~1b",
		"required" },
};

static void a_wrong_answer_is_told_where_and_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong_bodies / sizeof *wrong_bodies; i++) {
		struct draft d = kit_drafted(wrong_bodies[i].ask);
		struct answer a = { .decision = DECISION_REJECT };
		struct fault why = { 0 };
		const char *body = wrong_bodies[i].body;

		if (answer_check(d.questions, d.questions_len, kit_json(body), &kit, &a,
			    &why) != ERR_INVALID)
			fail_msg("%s takes %s", wrong_bodies[i].ask, body);
		kit_item(body, &why, wrong_bodies[i].pointer, wrong_bodies[i].detail);
		if (why.items_len != 1) fail_msg("%s: %d items", body, why.items_len);
		assert_int_equal(a.decision, DECISION_REJECT);
		assert_int_equal(a.json.len, 0);
	}
}

static void every_text_of_an_answer_has_at_most_ten_thousand_characters(void **state)
{
	static const struct {
		const char *ask, *body, *pointer;
	} table[] = {
		{ TEXT, "{'answer':'%s'}", "/answer" },
		{ CHOICE_OTHER, "{'answer':'%s'}", "/answer" },
		{ CHOICE_OTHER, "{'answer':{'other':'%s'}}", "/answer/other" },
		{ CHOICE_NOTE, "{'answer':{'selected':['a'],'text':'%s'}}",
			"/answer/text" },
		{ APPROVAL, "{'answer':{'value':'reject','text':'%s'}}", "/answer/text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct draft d = kit_drafted(table[i].ask);
		struct answer a;
		struct fault why = { 0 };

		kit_answered(&d, kit_fill(table[i].body, kit_repeat("é", 10000)));
		const char *body = kit_fill(table[i].body, kit_repeat("é", 10001));
		assert_int_equal(
			answer_check(d.questions, 1, kit_json(body), &kit, &a, &why),
			ERR_INVALID);
		kit_item(table[i].body, &why, table[i].pointer, "10000");
	}
}

static void several_questions_are_summed_up_in_their_order(void **state)
{
	struct draft d = kit_drafted("{'questions':[{'key':'env','header':'Environment','"
				     "text':'Where?','options':"
				     "[{'id':'s','label':'Staging'}]},{'key':'n','text':'"
				     "How many?','type':'number',"
				     "'required':false},{'key':'why\\'\\'s','text':'Why?'"
				     ",'required':false}]}");

	(void)state;
	struct answer a = kit_answered(&d, "{'answers':{'why\\'\\'s':'x','env':'s'}}");
	assert_string_equal(kit_text(a.json),
		"{\"env\":{\"selected\":[\"s\"]},\"why\\\"\\\"s\":{\"text\":\"x\"}}");
	assert_string_equal(
		kit_text(a.summary), "- Environment: Staging\n- How many?: -\n- Why?: x");
	assert_int_equal(a.decision, DECISION_NONE);
}

static void a_note_beside_no_answer_is_not_lost(void **state)
{
	struct draft d = kit_drafted(
		"{'question':'Who?','required':false,'note':true," OPTIONS "}");

	(void)state;
	struct answer a = kit_answered(&d, "{'answer':{'text':'none of them'}}");
	kit_same("note", a.json, "{'q1':{'text':'none of them'}}");
	assert_string_equal(kit_text(a.summary), "- Who?: - (note: none of them)");
}

static void only_approving_everything_approves(void **state)
{
	static const struct {
		const char *answers;
		enum decision decision;
	} table[] = {
		{ "{'a':'approve','b':'approve'}", DECISION_APPROVE },
		{ "{'a':'approve','b':'reject'}", DECISION_REJECT },
		{ "{'a':'reject','b':'approve'}", DECISION_REJECT },
		{ "{'a':'approve'}", DECISION_REJECT },
		{ "{'a':{'value':'approve','arguments':{'x':1}},'b':'approve'}",
			DECISION_APPROVE },
	};
	struct draft d = kit_drafted(
		"{'kind':'approval','questions':[{'key':'a','text':'A','type':'approval'}"
		","
		"{'key':'b','text':'B','type':'approval','required':false}]}");

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct answer a =
			kit_answered(&d, kit_print("{'answers':%s}", table[i].answers));
		assert_int_equal(a.decision, table[i].decision);
		if (i == 4) assert_string_equal(kit_compact(a.arguments), "{\"x\":1}");
	}
}

static void a_value_by_itself_is_checked_without_being_required(void **state)
{
	struct draft d = kit_drafted(CHOICE_NOTED);
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(
		answer_check_one(d.questions, kit_json("'a'"), "/prefill", &kit, &why),
		OK);
	assert_int_equal(
		answer_check_one(d.questions, kit_json("null"), "/prefill", &kit, &why),
		OK);
	assert_int_equal(
		answer_check_one(d.questions, kit_json("'z'"), "/prefill", &kit, &why),
		ERR_INVALID);
	kit_item("one", &why, "/prefill", "not an option");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_value_becomes_its_full_form_and_a_line),
		KIT_TEST(a_full_form_is_its_own_full_form),
		KIT_TEST(a_wrong_answer_is_told_where_and_why),
		KIT_TEST(every_text_of_an_answer_has_at_most_ten_thousand_characters),
		KIT_TEST(several_questions_are_summed_up_in_their_order),
		KIT_TEST(a_note_beside_no_answer_is_not_lost),
		KIT_TEST(only_approving_everything_approves),
		KIT_TEST(a_value_by_itself_is_checked_without_being_required),
	};

	return cmocka_run_group_tests_name("core/answer", tests, NULL, NULL);
}
