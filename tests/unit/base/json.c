#include "base/json_pattern.h"
#include "base/mem.h"

#include "unit.h"

#include <time.h>

static struct arena arena;

static int empty_arena(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static const struct json *read_ok(const char *text)
{
	const struct json *j = NULL;
	struct fault why = { 0 };

	if (json_read(str_of(text), NULL, &arena, &j, &why)) fail_msg("%s", why.detail);
	return j;
}

static enum err read_err(const char *text)
{
	static const struct json untouched;
	const struct json *j = &untouched;
	struct fault why = { 0 };
	enum err err = json_read(str_of(text), NULL, &arena, &j, &why);

	CHECK(err != OK && why.err == err && why.detail[0]);
	CHECK(j == &untouched);
	return err;
}

static void check_canonical(const char *from, const char *to)
{
	struct buf b = { 0 };

	json_canonical(&b, read_ok(from));
	CHECK_STR(buf_str(&b), to);
	buf_done(&b);
}

/* --- reading --- */

static void members_are_found_by_name(void **state)
{
	const struct json *j =
		read_ok("{\"a\":1,\"\\u0062\":[true,false,null],\"\":\"x\"}");

	(void)state;
	CHECK_INT(j->count, 3);
	CHECK_INT(json_get(j, "a")->integer, 1);
	CHECK(json_is(json_get(j, "b"), JSON_ARRAY));
	CHECK_INT(json_get(j, "b")->count, 3);
	CHECK(json_is_bool(&json_get(j, "b")->items[1]));
	CHECK_STR(json_text(json_get(j, "")), "x");
	CHECK(!json_get(j, "c"));
	CHECK(!json_get(json_get(j, "a"), "a"));
	CHECK(!json_get(NULL, "a"));
	CHECK(!json_text(json_get(j, "a")).at);
	CHECK(!json_is(NULL, JSON_NULL));
	CHECK(json_real(NULL) == 0);
}

static void strings_without_escapes_are_borrowed(void **state)
{
	const char *text = "[\"plain text, long enough for two words é\"]";
	const struct json *j = read_ok(text);

	(void)state;
	CHECK(j->items[0].text.at == text + 2);
}

static void escapes_are_decoded(void **state)
{
	(void)state;
	CHECK_STR(
		json_text(read_ok("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")), "\"\\/\b\f\n\r\t");
	CHECK_STR(json_text(read_ok("\"x\\u00e9\\u20AC\\ud83d\\uDE00y\"")), "xé€😀y");
	CHECK_STR(json_text(read_ok("\"\\u0001\\uffff\\udbff\\udfff\"")),
		"\x01\xef\xbf\xbf\xf4\x8f\xbf\xbf");
}

static void integers_are_exact_and_numbers_keep_their_spelling(void **state)
{
	const struct json *j =
		read_ok("[9223372036854775807,-9223372036854775808,"
			"9223372036854775808,1.0,1e2,-0,9007199254740993]");

	(void)state;
	CHECK(j->items[0].is_int && j->items[0].integer == INT64_MAX);
	CHECK(j->items[1].is_int && j->items[1].integer == INT64_MIN);
	CHECK(!j->items[2].is_int && j->items[2].real == 9223372036854775808.0);
	CHECK_STR(j->items[2].text, "9223372036854775808");
	CHECK(!j->items[3].is_int && j->items[3].real == 1);
	CHECK_STR(j->items[3].text, "1.0");
	CHECK(json_real(&j->items[4]) == 100);
	CHECK(j->items[5].is_int && j->items[5].integer == 0);
	CHECK(j->items[6].is_int && j->items[6].integer == 9007199254740993);
}

static void the_fault_says_where(void **state)
{
	const struct json *j = NULL;
	struct fault why = { 0 };

	(void)state;
	CHECK_INT(json_read(STR("{\"a\":tru}"), NULL, &arena, &j, &why), ERR_BAD_REQUEST);
	assert_string_equal(why.detail, "not JSON at byte 5: unexpected character");
	CHECK_INT(json_read(STR("[1,\"\\ud800\"]"), NULL, &arena, &j, &why), ERR_INVALID);
	assert_string_equal(
		why.detail, "JSON we refuse at byte 10: a lone surrogate in a string");
	CHECK_INT(json_read(STR_NONE, NULL, &arena, &j, NULL), ERR_BAD_REQUEST);
	CHECK(!j);
}

static void text_we_refuse_is_told_from_text_that_is_no_json(void **state)
{
	(void)state;
	CHECK_INT(read_err("\"\\u0000\""), ERR_INVALID);
	CHECK_INT(read_err("\"\\udc00\""), ERR_INVALID);
	CHECK_INT(read_err("{\"a\":1,\"\\u0061\":2}"), ERR_INVALID);
	CHECK_INT(read_err("1e400"), ERR_INVALID);
	CHECK_INT(read_err("\"\xff\""), ERR_BAD_REQUEST);
	CHECK_INT(read_err("[1"), ERR_BAD_REQUEST);
	CHECK_INT(read_err(""), ERR_BAD_REQUEST);
}

static void no_end_of_a_document_is_a_document(void **state)
{
	static const char text[] = "{\"a\":[1,-2.5e+3,true,false,null,"
				   "\"x\\u00e9\\ud83d\\ude00é\"],\"b\":{}}";
	const struct json *j;

	(void)state;
	read_ok(text);
	for (size_t len = 0; len < sizeof text - 1; len++) {
		char *cut = mem_copy(text, len);
		enum err err = json_read(str_make(cut, len), NULL, &arena, &j, NULL);

		if (err != ERR_BAD_REQUEST && err != ERR_INVALID) fail_msg("%s", cut);
		mem_free(cut);
	}
}

/* --- limits --- */

static void nest(struct buf *b, int depth)
{
	buf_clear(b);
	for (int i = 0; i < depth; i++)
		buf_add_text(b, i % 2 ? "{\"a\":" : "[");
	buf_add_char(b, '1');
	for (int i = depth; i-- > 0;)
		buf_add_char(b, i % 2 ? '}' : ']');
}

static void depth_is_limited_to_the_level(void **state)
{
	struct json_limits wide = { .depth = 1000000 };
	struct buf b = { 0 };
	const struct json *j;

	(void)state;
	nest(&b, 64);
	CHECK_INT(json_read(buf_str(&b), NULL, &arena, &j, NULL), OK);
	nest(&b, 65);
	CHECK_INT(json_read(buf_str(&b), NULL, &arena, &j, NULL), ERR_INVALID);
	CHECK_INT(json_read(buf_str(&b), &wide, &arena, &j, NULL), OK);
	nest(&b, 1000);
	CHECK_INT(json_read(buf_str(&b), &wide, &arena, &j, NULL), OK);
	nest(&b, 200000);
	CHECK_INT(json_read(buf_str(&b), &wide, &arena, &j, NULL), ERR_INVALID);
	buf_done(&b);
}

static void depth_counts_levels_not_containers(void **state)
{
	struct json_limits two = { .depth = 2 };
	const struct json *j;

	(void)state;
	CHECK_INT(json_read(STR("[[],[],{},[1]]"), &two, &arena, &j, NULL), OK);
	CHECK_INT(json_read(STR("[[[]]]"), &two, &arena, &j, NULL), ERR_INVALID);
}

static void values_are_limited(void **state)
{
	struct json_limits four = { .values = 4 };
	const struct json *j;

	(void)state;
	CHECK_INT(json_read(STR("[1,2,3]"), &four, &arena, &j, NULL), OK);
	CHECK_INT(json_read(STR("[1,2,3,4]"), &four, &arena, &j, NULL), ERR_INVALID);
}

/* A quadratic check would take minutes. */
static void objects_of_100000_members_are_checked_fast(void **state)
{
	struct buf b = { 0 };
	const struct json *j, *other;
	clock_t start = clock();

	(void)state;
	buf_add_char(&b, '{');
	for (int i = 0; i < 100000; i++)
		buf_print(&b, "\"m%d\":%d,", i, i);
	buf_add_text(&b, "\"z\":0}");
	CHECK_INT(json_read(buf_str(&b), NULL, &arena, &j, NULL), OK);
	CHECK_INT(j->count, 100001);
	CHECK_INT(json_get(j, "m99999")->integer, 99999);
	b.len -= strlen("\"z\":0}");
	buf_add_text(&b, "\"m77\":0}");
	CHECK_INT(json_read(buf_str(&b), NULL, &arena, &other, NULL), ERR_INVALID);
	CHECK(clock() - start < 10 * CLOCKS_PER_SEC); /* its own processor time */
	buf_done(&b);
}

static void shuffled_big_objects_compare_fast(void **state)
{
	struct buf a = { 0 }, b = { 0 };
	clock_t start = clock();

	(void)state;
	buf_add_char(&a, '{');
	buf_add_char(&b, '{');
	for (int i = 0; i < 50000; i++) {
		buf_print(&a, "\"m%d\":%d,", i, i);
		buf_print(&b, "\"m%d\":%d,", 49999 - i, 49999 - i);
	}
	buf_add_text(&a, "\"z\":0}");
	buf_add_text(&b, "\"z\":0}");
	CHECK(json_equal(read_ok(buf_text(&a)), read_ok(buf_text(&b))));
	CHECK(clock() - start < 10 * CLOCKS_PER_SEC); /* its own processor time */
	buf_done(&a);
	buf_done(&b);
}

/* --- equality --- */

static void values_are_equal_whatever_their_spelling(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} pairs[] = {
		{ "1", "1.0", true },
		{ "100", "1e2", true },
		{ "-0", "0", true },
		{ "0.1", "1e-1", true },
		{ "1", "2", false },
		{ "1", "\"1\"", false },
		{ "9007199254740993", "9007199254740992", false },
		{ "9007199254740993", "9007199254740992.0", false },
		{ "100000000000000000000", "1e20", true },
		{ "123456789012345678901", "123456789012345678902", false },
		{ "\"\\u00e9\"", "\"é\"", true },
		{ "[1,2]", "[2,1]", false },
		{ "[1,2]", "[1]", false },
		{ "{\"a\":1,\"b\":[]}", "{\"b\":[],\"a\":1.0}", true },
		{ "{\"a\":1}", "{\"b\":1}", false },
		{ "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
		{ "{\"a\":null}", "{\"b\":null}", false },
		{ "null", "false", false },
		{ "true", "true", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct json *a = read_ok(pairs[i].a), *b = read_ok(pairs[i].b);

		if (json_equal(a, b) != pairs[i].equal ||
			json_equal(b, a) != pairs[i].equal)
			fail_msg("%s and %s", pairs[i].a, pairs[i].b);
	}
	CHECK(json_equal(NULL, NULL));
	CHECK(!json_equal(NULL, read_ok("null")));
}

static void big_objects_compare_without_memory_too(void **state)
{
	struct buf a = { 0 }, b = { 0 };
	const struct json *x, *y;

	(void)state;
	for (int i = 0; i < 100; i++) {
		buf_print(&a, "%c\"m%d\":%d", i ? ',' : '{', i, i);
		buf_print(&b, "%c\"m%d\":%d", i ? ',' : '{', 99 - i, 99 - i);
	}
	buf_add_char(&a, '}');
	buf_add_char(&b, '}');
	x = read_ok(buf_text(&a));
	y = read_ok(buf_text(&b));
	for (uint64_t n = 1; n < 6; n++) {
		bool equal;

		mem_fail_at(n, 1);
		equal = json_equal(x, y);
		mem_fail_at(0, 0);
		CHECK(equal);
	}
	buf_done(&a);
	buf_done(&b);
}

/* --- writing --- */

/* RFC 8785, 3.2.2 and 3.2.3. */
static void canonical_form_is_that_of_rfc_8785(void **state)
{
	(void)state;
	check_canonical("{\n  \"numbers\": [333333333.33333329, 1E30, 4.50,\n"
			"    2e-3, 0.000000000000000000000000001],\n"
			"  \"string\": "
			"\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n"
			"  \"literals\": [null, true, false]\n}",
		"{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4."
		"5,"
		"0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
	check_canonical(
		"{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\","
		"\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\","
		"\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\","
		"\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}",
		"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
		"\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\","
		"\"😀\":\"Emoji: Grinning Face\","
		"\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

static void canonical_integers_keep_all_digits(void **state)
{
	(void)state;
	check_canonical(
		"[9007199254740993,-9223372036854775808,123456789012345678901234,-0]",
		"[9007199254740993,-9223372036854775808,123456789012345678901234,0]");
	check_canonical("[1.0,-0.0,1e3]", "[1,0,1000]");
}

static void canonical_members_are_sorted_at_every_size(void **state)
{
	struct buf in = { 0 }, out = { 0 };
	const struct json *j;

	(void)state;
	for (int i = 99; i >= 10; i--)
		buf_print(&in, "%c\"%d\":{\"b\":1,\"a\":[]}", i == 99 ? '{' : ',', i);
	buf_add_char(&in, '}');
	json_canonical(&out, read_ok(buf_text(&in)));
	j = read_ok(buf_text(&out));
	for (uint32_t i = 0; i < 90; i++) {
		CHECK(j->members[i].name.at[0] == (char)('1' + i / 10));
		CHECK_STR(j->members[i].value.members[0].name, "a");
	}
	buf_done(&in);
	buf_done(&out);
}

static void writing_keeps_order_and_spelling(void **state)
{
	struct buf b = { 0 };

	(void)state;
	json_write(&b, read_ok(" { \"b\" : [ 1.50 , 1E2 , -0 , true , false , null ] ,\n"
			       "\"a\" : { } , \"\\u00e9\\\"\" : \"\\u001f\\/\" } "));
	CHECK_STR(buf_str(&b), "{\"b\":[1.50,1E2,-0,true,false,null],\"a\":{},"
			       "\"é\\\"\":\"\\u001f/\"}");
	buf_clear(&b);
	json_write(&b, NULL);
	CHECK_STR(buf_str(&b), "null");
	buf_done(&b);
}

static void written_strings_are_always_valid(void **state)
{
	struct buf b = { 0 };

	(void)state;
	json_write_str(&b, STR("a\"\\\b\f\n\r\t\x01\x7f/é😀\xff\xed\xa0\x80z"));
	CHECK_STR(buf_str(&b), "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7f/é😀"
			       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
	buf_clear(&b);
	json_write_str(&b, str_make("a\0b", 3));
	json_write_str(&b, STR_NONE);
	CHECK_STR(buf_str(&b), "\"a\\u0000b\"\"\"");
	buf_done(&b);
}

static void special_bytes_are_seen_at_every_place(void **state)
{
	static const char special[] = { '"', '\\', '\n', '\x1f' };

	(void)state;
	for (size_t len = 1; len < 40; len++) {
		for (size_t at = 0; at < len; at++) {
			for (size_t i = 0; i < sizeof special; i++) {
				char text[40];
				struct buf b = { 0 };
				const struct json *j;

				memset(text, 'x', sizeof text);
				text[at] = special[i];
				json_write_str(&b, str_make(text, len));
				j = read_ok(buf_text(&b));
				CHECK(str_eq(j->text, str_make(text, len)));
				buf_done(&b);
			}
		}
	}
}

static void the_writer_puts_the_commas(void **state)
{
	struct buf b = { 0 };
	struct json_writer w = { &b, false };

	(void)state;
	jw_object(&w);
	jw_key(&w, "a");
	jw_int(&w, -1);
	jw_key(&w, "b");
	jw_array(&w);
	jw_array_end(&w);
	jw_key(&w, "c");
	jw_array(&w);
	jw_str(&w, STR("x"));
	jw_text(&w, NULL);
	jw_text(&w, "y");
	jw_real(&w, 0.5);
	jw_real(&w, 1.0 / 0.0);
	jw_bool(&w, true);
	jw_bool(&w, false);
	jw_null(&w);
	jw_object(&w);
	jw_object_end(&w);
	jw_json(&w, NULL);
	jw_raw(&w, STR("[7]"));
	jw_array_end(&w);
	jw_members(&w, STR_NONE);
	jw_members(&w, STR("\"d\":1,\"e\":2"));
	jw_key(&w, "f");
	jw_json(&w, read_ok("[1]"));
	jw_object_end(&w);
	CHECK_STR(buf_str(&b), "{\"a\":-1,\"b\":[],\"c\":[\"x\",null,\"y\",0.5,null,true,"
			       "false,null,{},null,"
			       "[7]],\"d\":1,\"e\":2,\"f\":[1]}");
	buf_done(&b);
}

static void a_pattern_is_filled_with_its_values(void **state)
{
	struct buf b = { 0 };
	struct json_writer w = { &b, false };

	(void)state;
	JW(&w, "{'a':'x y','n':-1.5,'t':true,'s':%s,'gone':%?,'here':%?,'j':%j,'no':%j,'in':[",
		STR("'%s\""), STR_NONE, STR("h"), STR("[7]"), STR_NONE);
	JW(&w, "{},%s,null,[]", STR_NONE);
	JW(&w, "],'more':");
	jw_int(&w, 3);
	jw_put_int(&w, "last", 4);
	JW(&w, "}");
	CHECK_STR(buf_str(&b),
		"{\"a\":\"x y\",\"n\":-1.5,\"t\":true,\"s\":\"'%s\\\"\",\"here\":\"h\","
		"\"j\":[7],\"in\":[{},\"\",null,[]],\"more\":3,\"last\":4}");
	buf_done(&b);
	CHECK_STR(JSON_TEXT(&arena, "[%j,%s]", json_bool(false), STR("a")),
		"[false,\"a\"]");
}

/* --- out of memory --- */

static void big_document(struct buf *b)
{
	buf_add_text(b, "{\"escaped\":\"\\n\\u00e9\",\"big\":1.");
	for (int i = 0; i < 200; i++)
		buf_add_char(b, '7');
	for (int i = 0; i < 300; i++)
		buf_print(b, ",\"member %d\":[%d,\"\\t\",{}]", i, i);
	buf_add_char(b, '}');
}

static void any_failing_allocation_is_out_of_memory(void **state)
{
	struct buf text = { 0 };

	(void)state;
	big_document(&text);
	for (uint64_t n = 1;; n++) {
		struct arena a = { 0 };
		const struct json *j = NULL;
		struct fault why = { 0 };
		uint64_t made;
		enum err err;

		mem_fail_at(n, 0);
		err = json_read(buf_str(&text), NULL, &a, &j, &why);
		made = mem_count();
		mem_fail_at(0, 0);
		CHECK_INT(err, made >= n ? ERR_MEMORY : OK);
		CHECK((j != NULL) == (err == OK));
		arena_done(&a);
		if (made < n) break;
	}
	buf_done(&text);
}

static void a_small_arena_is_out_of_memory_at_every_size(void **state)
{
	struct buf text = { 0 };

	(void)state;
	big_document(&text);
	for (size_t max = 1;; max += 797) {
		struct arena a = { .max = max };
		const struct json *j;
		enum err err = json_read(buf_str(&text), NULL, &a, &j, NULL);

		arena_done(&a);
		if (err == OK) break;
		CHECK_INT(err, ERR_MEMORY);
	}
	buf_done(&text);
}

static void canonical_without_memory_is_a_failed_buffer(void **state)
{
	struct buf text = { 0 };
	const struct json *j;

	(void)state;
	big_document(&text);
	j = read_ok(buf_text(&text));
	for (uint64_t n = 1;; n++) {
		struct buf out = { 0 };
		uint64_t made;

		mem_fail_at(n, 0);
		json_canonical(&out, j);
		made = mem_count();
		mem_fail_at(0, 0);
		CHECK(out.failed == (made >= n));
		buf_done(&out);
		if (made < n) break;
	}
	buf_done(&text);
}

#define JSON_TEST(name) cmocka_unit_test_teardown(name, empty_arena)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JSON_TEST(members_are_found_by_name),
		JSON_TEST(strings_without_escapes_are_borrowed),
		JSON_TEST(escapes_are_decoded),
		JSON_TEST(integers_are_exact_and_numbers_keep_their_spelling),
		JSON_TEST(the_fault_says_where),
		JSON_TEST(text_we_refuse_is_told_from_text_that_is_no_json),
		JSON_TEST(no_end_of_a_document_is_a_document),
		JSON_TEST(depth_is_limited_to_the_level),
		JSON_TEST(depth_counts_levels_not_containers),
		JSON_TEST(values_are_limited),
		JSON_TEST(objects_of_100000_members_are_checked_fast),
		JSON_TEST(shuffled_big_objects_compare_fast),
		JSON_TEST(values_are_equal_whatever_their_spelling),
		JSON_TEST(big_objects_compare_without_memory_too),
		JSON_TEST(canonical_form_is_that_of_rfc_8785),
		JSON_TEST(canonical_integers_keep_all_digits),
		JSON_TEST(canonical_members_are_sorted_at_every_size),
		JSON_TEST(writing_keeps_order_and_spelling),
		JSON_TEST(written_strings_are_always_valid),
		JSON_TEST(special_bytes_are_seen_at_every_place),
		JSON_TEST(the_writer_puts_the_commas),
		JSON_TEST(a_pattern_is_filled_with_its_values),
		JSON_TEST(any_failing_allocation_is_out_of_memory),
		JSON_TEST(a_small_arena_is_out_of_memory_at_every_size),
		JSON_TEST(canonical_without_memory_is_a_failed_buffer),
	};

	return RUN(tests);
}
