/* An ask as a form, and back. */
#include "mcp/elicit.h"

#include "kit.h"

#define ASK                                                                              \
	"'title':'T','context':{'text':'C'},'questions':["                               \
	"{'key':'a','type':'choice','header':'H','text':'One?','other':true,"            \
	"'required':true,'options':[{'id':'x','label':'X'},{'id':'y','label':'Y'}]},"    \
	"{'key':'b\\'','type':'choices','text':'Many?','required':false,"                \
	"'options':[{'id':'p','label':'P'}],'note':{'required':false}},"                 \
	"{'key':'c','type':'number','text':'How many?','min':1,'required':true},"        \
	"{'key':'d','type':'text','text':'What?','format':'email','max':9}]"

static const struct ask_json *whole(enum ask_kind kind, const char *fixed)
{
	static struct ask_json out;
	static struct ask a;

	a = (struct ask){ .id = STR("ask_1"), .kind = kind, .fixed = kit_quote(fixed) };
	out = kit_whole(&a);
	return &out;
}

static const struct json *form(const char *ask, enum revision revision)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *out;

	jw_object(&w);
	elicit_write(&w, whole(ASK_BLOCKING, ask), ELICIT_FORM, revision, &kit);
	jw_object_end(&w);
	assert_int_equal(
		json_read(arena_str(&kit, buf_str(&b)), NULL, &kit, &out, NULL), OK);
	buf_done(&b);
	return out;
}

static void a_form_has_a_flat_field_for_each_thing(void **state)
{
	const struct json *shown = form(ASK, REV_2025_11_25);

	(void)state;
	kit_same("form", str_of(kit_compact(shown)),
		"{'mode':'form','message':'T\\n\\nC\\nOne?\\nMany?\\nHow many?\\nWhat?',"
		"'requestedSchema':{'type':'object','properties':{"
		"'a':{'type':'string','oneOf':[{'const':'x','title':'X'},"
		"{'const':'y','title':'Y'}],'title':'H','description':'One?'},"
		"'a_other':{'type':'string','title':'Other'},"
		"'b\\'':{'type':'array','items':{'anyOf':[{'const':'p','title':'P'}]},"
		"'title':'Many?'},"
		"'b\\'_note':{'type':'string','title':'Note'},"
		"'c':{'type':'number','minimum':1,'title':'How many?'},"
		"'d':{'type':'string','format':'email','maxLength':9,'title':'What?'}},"
		"'required':['c']}}");
}

static void older_clients_get_lists_they_know(void **state)
{
	const struct json *shown = form(ASK, REV_2025_06_18);

	(void)state;
	assert_null(kit_at(shown, "mode"));
	kit_same("enum",
		str_of(kit_compact(kit_at(shown, "requestedSchema.properties.a.enum"))),
		"['x','y']");
}

static void what_a_form_cannot_show_is_a_page_or_nothing(void **state)
{
	static const struct {
		const char *fixed;
		enum ask_kind kind;
		enum revision revision;
		unsigned can;
		enum elicit_mode mode;
	} cases[] = {
		{ ASK, ASK_BLOCKING, REV_2025_11_25, CAN_FORM, ELICIT_FORM },
		{ ASK, ASK_BLOCKING, REV_2026_07_28, CAN_FORM | CAN_URL, ELICIT_FORM },
		{ ASK, ASK_BLOCKING, REV_2025_06_18, CAN_FORM, ELICIT_NOT },
		{ ASK, ASK_BLOCKING, REV_2025_03_26, CAN_FORM | CAN_URL, ELICIT_NOT },
		{ ASK, ASK_BLOCKING, REV_2025_11_25, CAN_URL, ELICIT_URL },
		{ ASK, ASK_BLOCKING, REV_2025_11_25, 0, ELICIT_NOT },
		{ "'questions':[]", ASK_APPROVAL, REV_2026_07_28, CAN_FORM | CAN_URL,
			ELICIT_NOT },
		{ "'questions':[{'type':'choice','options':[{'preview':'p'}]}]",
			ASK_BLOCKING, REV_2026_07_28, CAN_FORM | CAN_URL, ELICIT_URL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mcp_client client = { cases[i].revision, cases[i].can, STR_NONE };

		assert_int_equal(
			elicit_mode(whole(cases[i].kind, cases[i].fixed), &client),
			cases[i].mode);
	}
}

static void what_came_back_is_an_answer(void **state)
{
	struct str body = STR_NONE;

	(void)state;
	assert_int_equal(
		elicit_read(kit_json("{'action':'accept','content':{'a':'x',"
				     "'a_other':'Z','b\\'':['p'],'b\\'_note':'n',"
				     "'c':3,'stray':1}}"),
			whole(ASK_BLOCKING, ASK), &kit, &body),
		ELICITED_ANSWER);
	kit_same("body", body,
		"{'answers':{'a':{'selected':[],'other':'Z'},"
		"'b\\'':{'selected':['p'],'text':'n'},'c':3}}");
	assert_int_equal(elicit_read(kit_json("{'action':'decline'}"),
				 whole(ASK_BLOCKING, ASK), &kit, &body),
		ELICITED_DECLINED);
	assert_int_equal(elicit_read(kit_json("{'action':'cancel'}"),
				 whole(ASK_BLOCKING, ASK), &kit, &body),
		ELICITED_NOTHING);
	assert_int_equal(
		elicit_read(NULL, whole(ASK_BLOCKING, ASK), &kit, &body), ELICITED_AGAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_form_has_a_flat_field_for_each_thing),
		KIT_TEST(older_clients_get_lists_they_know),
		KIT_TEST(what_a_form_cannot_show_is_a_page_or_nothing),
		KIT_TEST(what_came_back_is_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
