/* The validator of JSON Schema: what it refuses to check, what fits, and what it says of what does not. That it
 * agrees with another validator is shown in tests/model/schema.test.mjs. */
#include "core/shared/json_schema.h"

#include "kit.h"

static const char *refused_at(const char *schema)
{
	struct fault *why = arena_alloc(&kit, sizeof *why);
	struct check c = { .why = why };
	const struct json_place root = place_root("/schema");

	json_schema_check(&c, &root, kit_json(schema));
	return c.failed ? why->items[0].pointer : NULL;
}

/* NULL: it fits. */
static const char *missed(const char *schema, const char *value)
{
	struct json_miss miss;

	assert_null(refused_at(schema));
	if (json_schema_fits(kit_json(schema), kit_json(value), NULL, &kit, &miss))
		return NULL;
	return kit_print("%.*s %.*s", STR_ARGS(miss.at), STR_ARGS(miss.must));
}

static void what_is_not_checked_is_refused_with_its_place(void **state)
{
	(void)state;
	assert_string_equal(refused_at("{'if':true}"), "/schema/if");
	assert_string_equal(refused_at("{'properties':{'a/b':{'patternProperties':{}}}}"),
		"/schema/properties/a~1b/patternProperties");
	assert_string_equal(refused_at("{'type':'text'}"), "/schema/type");
	assert_string_equal(refused_at("{'type':[]}"), "/schema/type");
	assert_string_equal(refused_at("{'items':[{}]}"), "/schema/items");
	assert_string_equal(refused_at("{'required':['a','a']}"), "/schema/required");
	assert_string_equal(refused_at("{'minLength':-1}"), "/schema/minLength");
	assert_string_equal(refused_at("{'multipleOf':0}"), "/schema/multipleOf");
	assert_string_equal(refused_at("{'pattern':'('}"), "/schema/pattern");
	assert_string_equal(refused_at("{'$ref':'https://a.org/b'}"), "/schema/$ref");
	assert_string_equal(refused_at("{'$ref':'#/$defs/a'}"), "/schema/$ref");
	assert_string_equal(
		refused_at("{'enum':[{}],'$ref':'#/enum/0'}"), "/schema/$ref");
	assert_string_equal(refused_at("{'allOf':[3]}"), "/schema/allOf/0");
	assert_string_equal(refused_at("{'not':{'$id':'x'}}"), "/schema/not/$id");
	assert_string_equal(refused_at("[]"), "/schema");
	assert_null(refused_at("{'title':'t','$schema':'s','$id':'i','default':{'if':1},"
			       "'format':'date','examples':[],'minLength':1.0}"));
}

static void schemas_in_one_another_have_an_end(void **state)
{
	const char *deep = "true";

	(void)state;
	for (int i = 1; i < JSON_SCHEMA_DEPTH; i++)
		deep = kit_print("{'items':%s}", deep);
	assert_null(refused_at(deep));
	assert_non_null(refused_at(kit_print("{'not':%s}", deep)));
}

static void it_says_where_and_what_is_allowed(void **state)
{
	const char *task =
		"{'type':'object','properties':{'priority':{'type':'integer','minimum':1,"
		"'maximum':5},'name':{'type':['string','null'],'minLength':1},"
		"'tags':{'items':{'enum':['a','b']},'maxItems':2,'uniqueItems':true}},"
		"'required':['name'],'additionalProperties':false}";

	(void)state;
	assert_null(missed(task, "{'name':'x','priority':5.0,'tags':['a','b']}"));
	assert_string_equal(
		missed(task, "{'name':'x','priority':9}"), "/priority must be 1 to 5");
	assert_string_equal(missed(task, "{'name':'x','priority':1.5}"),
		"/priority must be a whole number");
	assert_string_equal(missed(task, "{}"), "/name is required");
	assert_string_equal(missed(task, "{'name':7}"), "/name must be null or a string");
	assert_string_equal(
		missed(task, "{'name':''}"), "/name must have at least 1 characters");
	assert_string_equal(missed(task, "{'name':'x','tags':['a','c']}"),
		"/tags/1 must be one of [\"a\",\"b\"]");
	assert_string_equal(missed(task, "{'name':'x','tags':['a','a']}"),
		"/tags must have no two equal items");
	assert_string_equal(missed(task, "{'name':'x','a/b':1}"),
		"/a~1b is not allowed; there are: priority, name, tags");
	assert_string_equal(missed(task, "3"), " must be an object");
	assert_string_equal(missed("{'pattern':'^\\\\p{Letter}+$'}", "'a1'"),
		" must match ^\\p{Letter}+$");
	assert_null(missed("{'pattern':'^\\\\p{Letter}+$'}", "'é'"));
}

static void references_may_lead_in_circles(void **state)
{
	const char *tree = "{'$defs':{'a~b':{'type':'object','properties':{'next':"
			   "{'$ref':'#/$defs/a~0b'}}}},'$ref':'#/$defs/a~0b'}";
	const char *both = "{'$defs':{'a':{'anyOf':[{'$ref':'#/$defs/a'},{'$ref':"
			   "'#/$defs/a'}]}},'$ref':'#/$defs/a'}";

	(void)state;
	assert_null(missed(tree, "{'next':{'next':{}}}"));
	assert_string_equal(
		missed(tree, "{'next':{'next':3}}"), "/next/next must be an object");
	assert_string_equal(missed("{'$ref':'#'}", "1"), " takes too long to check");
	assert_non_null(missed(both, "1"));
	/* What was given up counts as a miss, not as its opposite. */
	assert_non_null(missed("{'not':{'$ref':'#/not'}}", "1"));
}

static void a_pattern_takes_no_time_to_speak_of(void **state)
{
	const char *as = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	(void)state;
	assert_non_null(missed("{'pattern':'^(a+)+$'}", kit_print("'%sb'", as)));
	assert_non_null(missed("{'pattern':'(a|aa)+$'}", kit_print("'%sb'", as)));
	assert_null(missed("{'pattern':'(a+)+'}", kit_print("'%s'", as)));
}

static void a_null_can_count_as_left_out(void **state)
{
	const struct json_schema_rules rules = { .nulls = true };
	const struct json *schema =
		kit_json("{'properties':{'a':{'type':'string'}},'required':['b']}");
	struct json_miss miss;

	(void)state;
	assert_true(json_schema_fits(
		schema, kit_json("{'a':null,'b':1}"), &rules, &kit, &miss));
	assert_false(json_schema_fits(
		schema, kit_json("{'a':null,'b':1}"), NULL, &kit, &miss));
	assert_false(
		json_schema_fits(schema, kit_json("{'b':null}"), &rules, &kit, &miss));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_is_not_checked_is_refused_with_its_place),
		KIT_TEST(schemas_in_one_another_have_an_end),
		KIT_TEST(it_says_where_and_what_is_allowed),
		KIT_TEST(references_may_lead_in_circles),
		KIT_TEST(a_pattern_takes_no_time_to_speak_of),
		KIT_TEST(a_null_can_count_as_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
