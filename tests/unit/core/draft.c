/* What an agent may ask, and how it is told what is wrong. */
#include "kit.h"

#define CHOICE                                                                           \
	"'text':'Where?','options':[{'id':'s','label':'Staging'},{'label':'Production'}" \
	"]"

/* The body, where it is wrong, and a word of what it is told. */
static const struct {
	const char *body, *pointer, *detail;
} wrong_bodies[] = {
	{ "[]", "", "object" },
	{ "{}", "/questions", "required" },
	{ "{'questions':null}", "/questions", "required" },
	{ "{'questions':[]}", "/questions", "1 to 20" },
	{ "{'questions':{}}", "/questions", "1 to 20" },
	{ "{'questions':['Why?']}", "/questions/0", "object" },
	{ "{'question':'Why?','questions':[{'text':'a'}]}", "/question", "not both" },
	{ "{'question':7}", "/question", "string" },
	{ "{'question':'  '}", "/question", "empty" },
	{ "{'question':'Why?','text':'x'}", "/text", "unknown member" },
	{ "{'question':'Why?','colour':'x'}", "/colour", "unknown member" },
	{ "{'questions':[{'text':'a'}],'type':'text'}", "/type", "unknown member" },
	{ "{'questions':[{'text':'a','question':'b'}]}", "/questions/0/question",
		"unknown" },
	{ "{'questions':[{'text':'a','a/b~c':1}]}", "/questions/0/a~1b~0c", "unknown" },
	{ "{'questions':[{}]}", "/questions/0/text", "required" },
	{ "{'questions':[{'text':null}]}", "/questions/0/text", "required" },
	{ "{'question':'a','kind':'urgent'}", "/kind", "error_recovery" },
	{ "{'question':'a','kind':1}", "/kind", "blocking" },
	{ "{'question':'a','priority':'now'}", "/priority", "urgent" },
	{ "{'question':'a','title':3}", "/title", "string" },
	{ "{'question':'a','title':'two\\nlines'}", "/title", "one line" },
	{ "{'question':'a','title':'\\u001b[2J'}", "/title", "one line" },
	{ "{'question':'a','title':'\\u0085'}", "/title", "one line" },
	{ "{'question':'a','title':'\\u2028'}", "/title", "one line" },
	{ "{'question':'a','header':'two\\nlines'}", "/header", "one line" },
	{ "{'question':'a','key':''}", "/key", "empty" },
	{ "{'question':'a','key':'a\\tb'}", "/key", "one line" },
	{ "{'question':'a','session':5}", "/session", "string" },
	{ "{'question':'a','session':''}", "/session", "empty" },
	{ "{'question':'a','context':'x'}", "/context", "object" },
	{ "{'question':'a','context':{'text':1}}", "/context/text", "string" },
	{ "{'question':'a','context':{'diff':[]}}", "/context/diff", "string" },
	{ "{'question':'a','context':{'attempt':'1'}}", "/context/attempt",
		"whole number" },
	{ "{'question':'a','context':{'attempts':-1}}", "/context/attempts",
		"whole number" },
	{ "{'question':'a','metadata':[]}", "/metadata", "object" },
	{ "{'question':'a','assignees':'usr_1'}", "/assignees", "array" },
	{ "{'question':'a','assignees':['ann']}", "/assignees/0", "user" },
	{ "{'question':'a','assignees':[3]}", "/assignees/0", "user" },
	{ "{'question':'a','type':'date'}", "/type", "approval" },
	{ "{'question':'a','type':['text']}", "/type", "approval" },
	{ "{'question':'a','type':'choice'}", "/options", "1 to 20" },
	{ "{'question':'a','options':[]}", "/options", "1 to 20" },
	{ "{'question':'a','options':'x'}", "/options", "1 to 20" },
	{ "{'question':'a','type':'text','options':['x']}", "/options", "only for" },
	{ "{'question':'a','options':[5]}", "/options/0", "object" },
	{ "{'question':'a','options':[{'id':'x'}]}", "/options/0/label", "required" },
	{ "{'question':'a','options':[{'label':''}]}", "/options/0/label", "empty" },
	{ "{'question':'a','options':[{'label':'a\\nb'}]}", "/options/0/label",
		"one line" },
	{ "{'question':'a','options':[{'label':'x','id':''}]}", "/options/0/id",
		"empty" },
	{ "{'question':'a','options':[{'label':'x','value':1}]}", "/options/0/value",
		"unknown" },
	{ "{'question':'a','options':[{'label':'x','description':1}]}",
		"/options/0/description", "string" },
	{ "{'question':'a','options':['x','x']}", "/options/1", "another option" },
	{ "{'question':'a','options':['x',{'id':'x','label':'y'}]}", "/options/1/id",
		"another" },
	{ "{'question':'a','other':true}", "/other", "only for" },
	{ "{'question':'a','options':['x'],'other':'yes'}", "/other", "true or false" },
	{ "{'question':'a','required':1}", "/required", "true or false" },
	{ "{'question':'a','note':true}", "/note", "not for type text" },
	{ "{'question':'a','options':['x'],'note':'n'}", "/note", "object" },
	{ "{'question':'a','options':['x'],'note':{'max':1}}", "/note/max", "unknown" },
	{ "{'question':'a','options':['x'],'note':{'required':1}}", "/note/required",
		"true" },
	{ "{'question':'a','options':['x'],'note':{'placeholder':1}}",
		"/note/placeholder", "string" },
	{ "{'question':'a','placeholder':1}", "/placeholder", "string" },
	{ "{'question':'a','format':'phone'}", "/format", "date-time" },
	{ "{'question':'a','type':'number','format':'date'}", "/format",
		"only for type text" },
	{ "{'question':'a','type':'boolean','min':1}", "/min", "not for type boolean" },
	{ "{'question':'a','options':['x'],'max':1}", "/max", "not for type choice" },
	{ "{'question':'a','kind':'approval','type':'approval','min':1}", "/min",
		"not for" },
	{ "{'question':'a','min':-1}", "/min", "whole number" },
	{ "{'question':'a','min':1.5}", "/min", "whole number" },
	{ "{'question':'a','max':0}", "/max", "whole number" },
	{ "{'question':'a','max':10001}", "/max", "whole number" },
	{ "{'question':'a','min':3,'max':2}", "/min", "more than max" },
	{ "{'question':'a','integer':true}", "/integer", "only for type number" },
	{ "{'question':'a','type':'number','min':'1'}", "/min", "number" },
	{ "{'question':'a','type':'number','min':0.2,'max':0.1}", "/min",
		"more than max" },
	{ "{'question':'a','type':'choices','options':['x'],'min':2}", "/min",
		"options" },
	{ "{'question':'a','options':['x'],'suggested':'y'}", "/suggested",
		"not an option" },
	{ "{'question':'a','type':'boolean','prefill':'yes'}", "/prefill",
		"true or false" },
	{ "{'question':'a','format':'date','prefill':'soon'}", "/prefill",
		"is not a valid date" },
	{ "{'questions':[{'text':'a','key':'k'},{'text':'b','key':'k'}]}",
		"/questions/1/key", "another question" },
	{ "{'questions':[{'text':'a','key':'q2'},{'text':'b'}]}", "/questions/1/key",
		"another" },
	{ "{'question':'a','timeout':'soon'}", "/timeout", "30m" },
	{ "{'question':'a','timeout':true}", "/timeout", "seconds" },
	{ "{'question':'a','timeout':0}", "/timeout", "1s to 30d" },
	{ "{'question':'a','timeout':-5}", "/timeout", "1s to 30d" },
	{ "{'question':'a','timeout':0.5}", "/timeout", "1s to 30d" },
	{ "{'question':'a','timeout':'31d'}", "/timeout", "1s to 30d" },
	{ "{'question':'a','timeout':1e300}", "/timeout", "1s to 30d" },
	{ "{'question':'a','operation':{'name':'x'}}", "/operation", "only for kind" },
	{ "{'kind':'approval','operation':'make'}", "/operation", "object" },
	{ "{'kind':'approval','operation':{}}", "/operation/name", "required" },
	{ "{'kind':'approval','operation':{'name':''}}", "/operation/name", "empty" },
	{ "{'kind':'approval','operation':{'name':'x','cwd':'/'}}", "/operation/cwd",
		"unknown" },
	{ "{'kind':'approval','operation':{'name':'x','risk':'big'}}", "/operation/risk",
		"low" },
	{ "{'kind':'approval','operation':{'name':'x','type':1}}", "/operation/type",
		"string" },
	{ "{'kind':'approval','question':'a'}", "/questions", "type approval" },
	{ "{'question':'a','type':'approval'}", "/type", "only for kind approval" },
	{ "{'questions':[{'text':'a'},{'text':'b','type':'approval'}]}",
		"/questions/1/type", "only for kind approval" },
	{ "{'kind':'approval','default':'reject'}", "/default", "object" },
	{ "{'kind':'approval','default':{'decision':'approve'}}", "/default/decision",
		"only be reject" },
	{ "{'question':'a','type':'boolean','default':true}", "/default", "object" },
	{ "{'question':'a','type':'boolean','default':{'q1':1}}", "/default/q1", "true" },
	{ "{'question':'a','type':'boolean','required':false,'default':{'x':true}}",
		"/default/x", "no such" },
	{ "{'question':'a','type':'boolean','default':{}}", "/default/q1", "required" },
	{ "{'questions':[{'text':'a'},{'text':'b'}],'default':'x'}", "/default",
		"object" },
	{ "{'questions':[{'text':'a'},{'text':'b'}],'default':{'q1':'x'}}", "/default/q2",
		"required" },
};

static void a_wrong_body_is_told_where_and_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong_bodies / sizeof *wrong_bodies; i++) {
		struct draft d = { .timeout_ms = 77 };
		struct fault why;
		const char *body = wrong_bodies[i].body;

		if (kit_draft(body, &d, &why) != ERR_INVALID)
			fail_msg("%s is taken", body);
		assert_int_equal(why.err, ERR_INVALID);
		kit_item(body, &why, wrong_bodies[i].pointer, wrong_bodies[i].detail);
		if (why.items_len != 1) fail_msg("%s: %d items", body, why.items_len);
		assert_int_equal(d.timeout_ms, 77);
	}
}

/* The body, a path into what is kept of it, and what stands there. */
static const struct {
	const char *body, *path, *value;
} right_bodies[] = {
	{ "{'question':'Why?'}", "questions.0",
		"{'key':'q1','text':'Why?','type':'text','required':true}" },
	{ "{'question':'Why?'}", "title", "null" },
	{ "{'question':'Why?'}", "context", "null" },
	{ "{'question':'Why?'}", "operation", "null" },
	{ "{'question':'Why?'}", "default", "null" },
	{ "{'question':'Why?'}", "metadata", "{}" },
	{ "{'question':'Why?','title':''}", "title", "null" },
	{ "{'question':'Why?','title':null,'context':null,'metadata':null,'timeout':null,"
	  "'default':null,'assignees':null,'operation':null,'session':null,'type':null}",
		"questions.0.type", "'text'" },
	{ "{" /* options make a choice */ "'questions':[{" CHOICE "}]}",
		"questions.0.type", "'choice'" },
	{ "{'questions':[{" CHOICE "}]}", "questions.0.options",
		"[{'id':'s','label':'Staging'},{'id':'Production','label':'Production'}"
		"]" },
	{ "{'question':'a','options':['x',{'label':'y','description':'d','preview':'p'}]"
	  "}",
		"questions.0.options",
		"[{'id':'x','label':'x'},{'id':'y','label':'y','description':'d','"
		"preview':'p'}]" },
	{ "{'question':'a','type':'choices','options':['x'],'other':true,'min':2,'max':"
	  "2}",
		"questions.0",
		"{'key':'q1','text':'a','type':'choices','required':true,"
		"'options':[{'id':'x','label':'x'}],'other':true,'min':2,'max':2}" },
	{ "{'question':'a','options':['x'],'note':true}", "questions.0.note",
		"{'required':false}" },
	{ "{'question':'a','options':['x'],'note':{'placeholder':'why','required':true}}",
		"questions.0.note", "{'placeholder':'why','required':true}" },
	{ "{'question':'a','options':['x'],'note':false,'other':false}", "questions.0",
		"{'key':'q1','text':'a','type':'choice','required':true,"
		"'options':[{'id':'x','label':'x'}]}" },
	{ "{'question':'a','required':false,'placeholder':'p','format':'email','min':3,'"
	  "max':9,"
	  "'header':'H','key':'k','prefill':'a@b.ch','suggested':'c@d.ch'}",
		"questions.0",
		"{'key':'k','header':'H','text':'a','type':'text','required':false,"
		"'placeholder':'p','format':'email','min':3,'max':9,'prefill':'a@b.ch',"
		"'suggested':'c@d.ch'}" },
	{ "{'question':'a','type':'number','min':-0.5,'max':1e3}", "questions.0.max",
		"1000" },
	{ "{'question':'a','options':['x'],'prefill':'x','note':{'required':true}}",
		"questions.0.prefill", "'x'" },
	{ "{'question':'a','context':{'text':'t','attempt':1,'attempts':3,'mine':[1],"
	  "'diff':null,'free':null}}",
		"context",
		"{'text':'t','attempt':1,'attempts':3,'mine':[1],'free':null}" },
	{ "{'question':'a','metadata':{'n':12345678901234567890}}", "metadata",
		"{'n':12345678901234567890}" },
	{ "{'question':'a','type':'boolean','default':{'q1':true}}", "default",
		"{'q1':{'value':true}}" },
	{ "{'question':'a','type':'boolean','default':{'q1':{'value':false}}}", "default",
		"{'q1':{'value':false}}" },
	{ "{'question':'a','key':'value','type':'boolean','default':{'value':false}}",
		"default", "{'value':{'value':false}}" },
	{ "{'questions':[{'key':'e'," CHOICE "}],'default':{'e':'Staging'}}", "default",
		"{'e':{'selected':['s']}}" },
	{ "{'questions':[{'text':'a'},{'text':'b','required':false}],'default':{'q1':'x'}"
	  "}",
		"default", "{'q1':{'text':'x'}}" },
	{ "{'kind':'approval','default':{'decision':'reject'}}", "default",
		"{'decision':{'value':'reject'}}" },
	{ "{'kind':'approval','title':'Ship it?','operation':{'name':'x'}}", "questions",
		"[{'key':'decision','text':'Ship "
		"it?','type':'approval','required':true}]" },
	{ "{'kind':'approval','operation':{'name':'shell'}}", "questions.0.text",
		"'Approve shell?'" },
	{ "{'kind':'approval'}", "questions.0.text", "'Approve?'" },
	{ "{'kind':'approval','operation':{'name':'sh','type':null,'risk':null,'"
	  "arguments':null}}",
		"operation", "{'name':'sh','arguments':null}" },
	{ "{'kind':'approval','operation':{'risk':'high','name':'sh','type':'tool',"
	  "'arguments':{'n':9007199254740993}}}",
		"operation",
		"{'type':'tool','name':'sh','arguments':{'n':9007199254740993},"
		"'risk':'high'}" },
	{ "{'kind':'approval','question':'a','type':'approval'}", "questions.0.type",
		"'approval'" },
	{ "{'kind':'approval','questions':[{'text':'Why?','key':'why'},"
	  "{'text':'Go?','type':'approval'}]}",
		"questions.1.key", "'q2'" },
	{ "{'kind':'error_recovery','title':'Tests fail'}", "questions.0.text",
		"'Tests fail'" },
	{ "{'kind':'error_recovery','context':{'error_details':'\\n boom \\nat main'}}",
		"questions.0.text", "'boom'" },
	{ "{'kind':'error_recovery'}", "questions.0.text", "'How shall I go on?'" },
	{ "{'kind':'error_recovery'}", "questions.0.key", "'recovery'" },
	{ "{'kind':'error_recovery','operation':{'name':'make'}}", "questions.0.options",
		"[{'id':'retry','label':'Retry'},{'id':'edit','label':'Edit and retry'},"
		"{'id':'skip','label':'Skip'},{'id':'abort','label':'Abort'}]" },
	{ "{'kind':'error_recovery','question':'Now?'}", "questions.0.text", "'Now?'" },
};

static void a_right_body_is_kept_in_its_normal_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof right_bodies / sizeof *right_bodies; i++) {
		struct draft d = kit_drafted(right_bodies[i].body);
		const struct json *got = kit_at(kit_fixed(&d), right_bodies[i].path);

		if (!got || !json_equal(got, kit_json(right_bodies[i].value)))
			fail_msg("%s\n%s is %s", right_bodies[i].body,
				right_bodies[i].path, kit_compact(got));
	}
}

/* A template with one %s, the text repeated there, how often it fits, and where it is
 * told when once more does not. é has two bytes: lengths count code points. */
static const struct {
	const char *body, *piece;
	size_t max;
	const char *pointer;
} limits[] = {
	{ "{'question':'a','title':'%s'}", "é", 200, "/title" },
	{ "{'question':'%s'}", "é", 2000, "/question" },
	{ "{'questions':[{'text':'%s'}]}", "é", 2000, "/questions/0/text" },
	{ "{'question':'a','header':'%s'}", "é", 80, "/header" },
	{ "{'question':'a','key':'%s'}", "é", 64, "/key" },
	{ "{'question':'a','placeholder':'%s'}", "é", 256, "/placeholder" },
	{ "{'question':'a','options':['%s']}", "é", 256, "/options/0/label" },
	{ "{'question':'a','options':[{'label':'x','id':'%s'}]}", "é", 256,
		"/options/0/id" },
	{ "{'question':'a','options':[{'label':'x','description':'%s'}]}", "é", 1000,
		"/options/0/description" },
	{ "{'question':'a','options':[{'label':'x','preview':'%s'}]}", "é", 100000,
		"/options/0/preview" },
	{ "{'question':'a','context':{'text':'%s'}}", "é", 5000, "/context/text" },
	{ "{'question':'a','context':{'preview':'%s'}}", "é", 100000,
		"/context/preview" },
	{ "{'question':'a','context':{'diff':'%s'}}", "é", 100000, "/context/diff" },
	{ "{'question':'a','metadata':{'a':'%s'}}", "x", 16384 - 8, "/metadata" },
	{ "{'kind':'approval','operation':{'name':'%s'}}", "é", 256, "/operation/name" },
	{ "{'question':'a','assignees':['usr_00000000000000000000000000'%s]}",
		",'usr_00000000000000000000000000'", 99, "/assignees" },
	{ "{'questions':[{'text':'a'}%s]}", ",{'text':'b'}", 19, "/questions" },
	{ "{'question':'a','type':'choices','options':[{'label':'a'}%s]}",
		",{'label':'n'}", 19, "/options" },
};

static const char *limit_body(size_t i, size_t times)
{
	struct buf out = { 0 };

	if (!strstr(limits[i].piece, "'n'"))
		return kit_fill(limits[i].body, kit_repeat(limits[i].piece, times));
	for (size_t n = 0; n < times; n++)
		buf_print(&out, ",{'label':'%zu'}", n);
	const char *body = kit_fill(limits[i].body, buf_text(&out));
	buf_done(&out);
	return body;
}

static void every_limit_is_kept_and_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct draft d;
		struct fault why;

		if (kit_draft(limit_body(i, limits[i].max), &d, &why))
			fail_msg("%s: %zu do not fit: %s", limits[i].body, limits[i].max,
				why.detail);
		if (kit_draft(limit_body(i, limits[i].max + 1), &d, &why) != ERR_INVALID)
			fail_msg("%s: more than %zu fit", limits[i].body, limits[i].max);
		kit_item(limits[i].body, &why, limits[i].pointer, "");
	}
}

static void everything_wrong_is_found_at_once(void **state)
{
	struct draft d;
	struct fault why;

	(void)state;
	kit_draft("{'kind':'x','title':1,'colour':2,'questions':[{'text':''},{'key':3,'"
		  "text':'b'},"
		  "{'text':'c','options':[{}]}],'timeout':'x'}",
		&d, &why);
	assert_int_equal(why.items_len, 7);
	kit_item("all", &why, "/kind", "");
	kit_item("all", &why, "/title", "");
	kit_item("all", &why, "/colour", "");
	kit_item("all", &why, "/questions/0/text", "");
	kit_item("all", &why, "/questions/1/key", "");
	kit_item("all", &why, "/questions/2/options/0/label", "");
	kit_item("all", &why, "/timeout", "");
}

static void a_wrong_body_needs_no_fault_to_be_refused(void **state)
{
	static const struct draft_limits none;
	struct draft d;

	(void)state;
	assert_int_equal(draft_read(kit_json("{}"), &none, &kit, &d, NULL), ERR_INVALID);
	assert_int_equal(draft_plain(STR(" "), &kit, &d, NULL), ERR_INVALID);
}

static void a_timeout_is_seconds_or_a_duration(void **state)
{
	static const struct {
		const char *timeout;
		int64_t ms;
	} table[] = {
		{ "null", 0 },
		{ "1", 1000 },
		{ "1.5", 1500 },
		{ "1e2", 100000 },
		{ "'90s'", 90000 },
		{ "'30m'", 1800000 },
		{ "'24h'", 86400000 },
		{ "'7d'", 604800000 },
		{ "2592000", INT64_C(2592000000) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct draft d = kit_drafted(
			kit_print("{'question':'a','timeout':%s}", table[i].timeout));
		assert_int_equal(d.timeout_ms, table[i].ms);
	}
}

static void a_draft_says_what_the_desk_must_know(void **state)
{
	struct draft d = kit_drafted(
		"{'session':'ses_x','kind':'approval','title':'T','priority':'urgent',"
		"'operation':{'name':'sh','risk':'critical'},"
		"'assignees':['usr_00000000000000000000000000','usr_"
		"00000000000000000000000000',"
		"'usr_11111111111111111111111111']}");

	(void)state;
	assert_string_equal(kit_text(d.session), "ses_x");
	assert_int_equal(d.kind, ASK_APPROVAL);
	assert_int_equal(d.priority, PRIORITY_URGENT);
	assert_int_equal(d.risk, RISK_CRITICAL);
	assert_string_equal(kit_text(d.title), "T");
	assert_int_equal(d.assignees_len, 2);
	assert_string_equal(kit_text(json_text(json_get(d.operation, "name"))), "sh");
	d = kit_drafted("{'question':'a'}");
	assert_int_equal(d.kind, ASK_BLOCKING);
	assert_int_equal(d.priority, PRIORITY_NORMAL);
	assert_int_equal(d.risk, RISK_NONE);
	assert_null(d.operation);
}

static void a_session_is_titled_by_the_title_or_the_first_line_asked(void **state)
{
	struct draft d = kit_drafted("{'title':'T','question':'a'}");

	(void)state;
	assert_string_equal(kit_text(d.session_title), "T");
	d = kit_drafted("{'question':'\\n First \\nSecond'}");
	assert_string_equal(kit_text(d.session_title), "First");
	d = kit_drafted(kit_print("{'question':'%s'}", kit_repeat("é", 201)));
	assert_int_equal(d.session_title.len, 400);
}

static void it_is_found_by_folded_title_texts_headers_and_operation(void **state)
{
	struct draft d = kit_drafted("{'kind':'approval','title':'ÉTÉ','questions':["
				     "{'text':'Go?','header':'GO','type':'approval'}],"
				     "'operation':{'name':'Shell'}}");

	(void)state;
	assert_string_equal(kit_text(d.search), "été\ngo?\ngo\nshell");
	d = kit_drafted(kit_print("{'question':'x%s'}", kit_repeat("é", 1000)));
	assert_int_equal(d.search.len, 999); /* 1,000 would cut the last é in two */
}

static void a_plain_text_is_a_yes_or_no_question(void **state)
{
	struct draft d;
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(draft_plain(STR("Deploy=now & \"go\"?\n"), &kit, &d, &why), OK);
	kit_same("plain", arena_print(&kit, "{%.*s}", STR_ARGS(d.fixed)),
		"{'title':null,'context':null,'questions':[{'key':'q1','text':"
		"'Deploy=now & \\'go\\'?\\n','type':'boolean','required':true}],"
		"'operation':null,'default':null,'metadata':{}}");
	assert_string_equal(kit_text(d.session_title), "Deploy=now & \"go\"?");
	assert_int_equal(draft_plain(STR(""), &kit, &d, &why), ERR_INVALID);
	assert_int_equal(draft_plain(STR("\xff"), &kit, &d, &why), ERR_INVALID);
	assert_int_equal(draft_plain(STR("a\0b"), &kit, &d, &why), ERR_INVALID);
	assert_int_equal(draft_plain(str_of(kit_repeat("é", 2000)), &kit, &d, &why), OK);
	assert_int_equal(
		draft_plain(str_of(kit_repeat("é", 2001)), &kit, &d, &why), ERR_INVALID);
}

static void what_is_kept_reads_back_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof right_bodies / sizeof *right_bodies; i++) {
		struct draft d = kit_drafted(right_bodies[i].body);
		struct ask a = kit_ask(&d);
		struct ask_parts parts;
		struct buf before = { 0 }, after = { 0 };
		struct json_writer w = { .out = &before }, v = { .out = &after };

		assert_int_equal(ask_parts(&a, &kit, &parts, NULL), OK);
		assert_int_equal(parts.questions_len, d.questions_len);
		for (size_t q = 0; q < parts.questions_len; q++) {
			question_write(&w, &d.questions[q]);
			question_write(&v, &parts.questions[q]);
		}
		assert_string_equal(buf_text(&before), buf_text(&after));
		assert_true(str_eq(parts.title, d.title));
		assert_true(!parts.operation == !d.operation);
		buf_done(&before);
		buf_done(&after);
	}
}

static void small_bodies_hold_one_text(void **state)
{
	struct str text;
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(note_read(kit_json("{}"), "reason", 5, false, &text, &why), OK);
	assert_int_equal(text.len, 0);
	assert_int_equal(note_read(kit_json("{'reason':'ééééé'}"), "reason", 5, false,
				 &text, &why),
		OK);
	assert_int_equal(text.len, 10);
	assert_int_equal(note_read(kit_json("{'reason':'éééééé'}"), "reason", 5, false,
				 &text, &why),
		ERR_INVALID);
	assert_int_equal(note_read(kit_json("{'x':1}"), "text", 5, true, &text, &why),
		ERR_INVALID);
	kit_item("note", &why, "/x", "unknown");
	kit_item("note", &why, "/text", "required");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_wrong_body_is_told_where_and_why),
		KIT_TEST(a_right_body_is_kept_in_its_normal_form),
		KIT_TEST(every_limit_is_kept_and_told),
		KIT_TEST(everything_wrong_is_found_at_once),
		KIT_TEST(a_wrong_body_needs_no_fault_to_be_refused),
		KIT_TEST(a_timeout_is_seconds_or_a_duration),
		KIT_TEST(a_draft_says_what_the_desk_must_know),
		KIT_TEST(a_session_is_titled_by_the_title_or_the_first_line_asked),
		KIT_TEST(it_is_found_by_folded_title_texts_headers_and_operation),
		KIT_TEST(a_plain_text_is_a_yes_or_no_question),
		KIT_TEST(what_is_kept_reads_back_the_same),
		KIT_TEST(small_bodies_hold_one_text),
	};

	return cmocka_run_group_tests_name("core/draft", tests, NULL, NULL);
}
