/* Agents and providers as bodies, models that are known, prices, masks. */
#include "core/run/agent.h"
#include "core/run/provider.h"

#include "base/mem.h"

#include "unit.h"

#define NOW 1795000000000 /* November 2026 */
static struct arena arena;

static const struct json *json_of(const char *text)
{
	const struct json *json;
	struct fault why = { 0 };

	if (json_read(str_of(text), NULL, &arena, &json, &why))
		fail_msg("%s", why.detail);
	return json;
}

static void an_agent_is_its_body_over_what_it_was(void **state)
{
	struct agent_config a;
	struct str body, after;

	(void)state;
	CHECK_INT(agent_read(json_of("{\"name\":\"a\",\"provider\":\"p\",\"model\":\"m\","
				     "\"limits\":{\"cost_usd\":0.1,\"time\":90}}"),
			  STR_NONE, NULL, &arena, &body, NULL),
		OK);
	CHECK_INT(agent_parse(body, &arena, &a, NULL), OK);
	CHECK_INT(a.limits.turns, AGENT_TURNS);
	CHECK_INT(a.limits.cost, 100000000);
	CHECK_INT(a.limits.time_ms, 90000);
	CHECK(a.ask_on_error && a.ask_on_limit && a.on_reject == REJECT_BY_POLICY);
	CHECK_INT(agent_read(json_of("{\"tools\":[\"todo/list\"],\"on_error\":\"fail\","
				     "\"limits\":null}"),
			  body, NULL, &arena, &after, NULL),
		OK);
	CHECK_INT(agent_parse(after, &arena, &a, NULL), OK);
	CHECK_INT(a.tools_len, 1);
	CHECK_INT(a.limits.cost, 0);
	CHECK(!a.ask_on_error);
	/* What was written is read to the same again. */
	CHECK_INT(agent_read(json_of("{}"), after, NULL, &arena, &body, NULL), OK);
	CHECK(str_eq(body, after));
}

/* Events from before tell of the body with `tell`, which the migration has made null. */
static void an_agent_that_says_nothing_has_the_digest_that_it_had(void **state)
{
	const struct str was = STR("{\"name\":\"a\",\"on_reject\":\"tell\"}"),
			 is = STR("{\"name\":\"a\",\"on_reject\":null}"), zero = STR("0");
	const struct str fields[] = { STR("a"), was, zero, zero };
	char before[SHORT_DIGEST_SIZE], after[SHORT_DIGEST_SIZE];
	struct agent_record a = { .name = STR("a"), .body = is };

	(void)state;
	digest_fields(fields, 4, before);
	agent_digest(&a, after);
	assert_string_equal(before, after);
	a.body = was;
	agent_digest(&a, after);
	assert_string_not_equal(before, after);
}

static void every_allocation_of_an_agent_may_fail(void **state)
{
	const struct json *body =
		json_of("{\"name\":\"a\",\"provider\":\"p\",\"model\":\"m\","
			"\"tools\":[\"memory\"],\"validation\":{\"mode\":"
			"\"auto\"}}");
	struct str json;

	(void)state;
	for (uint64_t n = 1;; n++) {
		struct arena own = { 0 };
		enum err e;

		mem_fail_at(n, 0);
		e = agent_read(body, STR_NONE, NULL, &own, &json, NULL);
		mem_fail_at(0, 0);
		arena_done(&own);
		if (e == OK) break;
		CHECK_INT(e, ERR_MEMORY);
	}
}

static void a_key_shows_its_end_only_when_it_is_long(void **state)
{
	struct buf out = { 0 };
	const struct str secrets[] = { STR("sk-0123456789abcdWXYZ"), STR("sk-01234"),
		STR("short12") };

	(void)state;
	CHECK_STR(provider_key_last4(STR("sk-0123456789abcdWXYZ")), "WXYZ");
	CHECK_STR(provider_key_last4(STR("sk-01234567")), "");
	mask_text(
		&out, STR("a sk-0123456789abcdWXYZ, sk-01234 short12 sk-0"), secrets, 3);
	CHECK_STR(buf_str(&out), "a [secret \xe2\x80\xa6WXYZ], [secret] short12 sk-0");
	buf_done(&out);
}

static void models_are_known_with_a_date_behind_them(void **state)
{
	struct provider_model m;

	(void)state;
	CHECK(known_model(STR("claude-sonnet-4-5"), NOW, &m));
	CHECK_INT(m.price.base.cache_write_1h, 6000);
	CHECK(known_model(STR("claude-sonnet-4-5-20250929"), NOW, &m));
	CHECK(known_model(STR("gpt-5-2025-08-07"), NOW, &m));
	CHECK_INT(m.context, 400000);
	CHECK(known_model(STR("gpt-5-mini"), NOW, &m));
	CHECK_INT(m.price.base.input, 250);
	CHECK(!known_model(STR("gpt-5-huge"), NOW, &m));
	CHECK(!known_model(STR("gpt"), NOW, &m));
	CHECK(!known_model(
		STR("claude-sonnet-5-5"), NOW, &m)); /* another than claude-sonnet-5 */
	CHECK(!known_model(STR("gpt-5.6-sol-mini"), NOW, &m));
}

static void a_price_holds_from_its_date_on(void **state)
{
	struct provider_model m;

	(void)state;
	CHECK(known_model(STR("gemini-3.8-flash"), NOW, &m));
	CHECK_INT(m.price.base.input, 750);
	CHECK(known_model(STR("gemini-3.8-flash"), 1798761600000, &m));
	CHECK_INT(m.price.base.input, 1500);
}

static void the_newest_of_a_line_is_known_by_its_number(void **state)
{
	(void)state;
	CHECK_STR(known_model_newest("claude-sonnet-", ""), "claude-sonnet-5");
	CHECK_STR(known_model_newest("claude-opus-", ""), "claude-opus-5-5");
	CHECK_STR(known_model_newest("gpt-", "-sol"), "gpt-6-sol");
	CHECK_STR(known_model_newest("gemini-", NULL), "gemini-3.8-flash");
	CHECK_INT(known_model_newest("nobody-", "").len, 0);
}

static void long_contexts_cost_the_higher_price_in_full(void **state)
{
	struct provider_model m;
	struct usage u = { .input = 150000, .cache_read = 50000, .output = 10 };

	(void)state;
	CHECK(known_model(STR("claude-sonnet-4-5"), NOW, &m));
	CHECK_INT(
		usage_cost(&u, &m.price), 150000 * 3000LL + 50000 * 300LL + 10 * 15000LL);
	u.cache_read++;
	CHECK_INT(
		usage_cost(&u, &m.price), 150000 * 6000LL + 50001 * 600LL + 10 * 22500LL);
	u.reasoning = 10; /* a part of output */
	CHECK_INT(
		usage_cost(&u, &m.price), 150000 * 6000LL + 50001 * 600LL + 10 * 22500LL);
}

static void a_missing_key_says_what_mends_it(void **state)
{
	struct provider_record p = { .source = KEY_ENV, .key_from = STR("A_KEY") };

	(void)state;
	CHECK_STR(provider_key_wrong(&p, &arena),
		"A_KEY is not set: start the server with A_KEY=KEY in its environment");
	p.key = STR("x");
	CHECK_STR(provider_key_wrong(&p, &arena), "");
	p = (struct provider_record){ 0 }; /* one that needs none */
	CHECK_STR(provider_key_wrong(&p, &arena), "");
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_agent_is_its_body_over_what_it_was),
		TEST(an_agent_that_says_nothing_has_the_digest_that_it_had),
		TEST(every_allocation_of_an_agent_may_fail),
		TEST(a_key_shows_its_end_only_when_it_is_long),
		TEST(models_are_known_with_a_date_behind_them),
		TEST(a_price_holds_from_its_date_on),
		TEST(the_newest_of_a_line_is_known_by_its_number),
		TEST(long_contexts_cost_the_higher_price_in_full),
		TEST(a_missing_key_says_what_mends_it),
	};

	return RUN(tests);
}
