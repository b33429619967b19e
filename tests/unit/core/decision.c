/* Digests of records: what was asked and what was decided. */
#include "core/ask/ask.h"

#include "base/hash.h"

#include "kit.h"

static struct ask settled(void)
{
	return (struct ask){ .id = STR("ask_1"),
		.session = STR("ses_1"),
		.agent = STR("builder"),
		.token = STR("tok_1"),
		.status = ASK_ANSWERED,
		.fixed = STR("\"title\":\"t\""),
		.answer = kit_quote("{'a':{'value':1.0,'text':'\xc3\xa9'}}"),
		.answered_by = kit_quote(
			"{'kind':'human','user':'usr_1','name':'Mia','via':'web'}"),
		.created_ms = 1000 };
}

static const char *decided(const struct ask *a)
{
	char out[DIGEST_SIZE];

	decision_digest(a, out);
	return kit_text(str_of(out));
}

static void a_decision_is_the_sha256_of_its_canonical_form(void **state)
{
	struct ask a = settled();
	char hex[SHA256_HEX_SIZE];
	struct str form = kit_quote("{'answer':{'a':{'text':'\xc3\xa9','value':1}},"
				    "'answered_by':{'kind':'human','name':'Mia','user':"
				    "'usr_1','via':'web'},'approved_digest':null,"
				    "'ask':'ask_1','reason':null,'status':'answered'}");

	(void)state;
	assert_string_equal(kit_text(decision_write(&a, &kit)), kit_text(form));
	sha256_hex(form, hex);
	assert_string_equal(decided(&a), kit_print("sha256:%s", hex));
}

static void what_is_not_there_is_null(void **state)
{
	struct ask a = { .id = STR("ask_2"), .status = ASK_EXPIRED };

	(void)state;
	assert_string_equal(kit_text(decision_write(&a, &kit)),
		kit_text(kit_quote("{'answer':null,'answered_by':null,"
				   "'approved_digest':null,'ask':'ask_2','reason':null,"
				   "'status':'expired'}")));
}

static void every_member_of_a_decision_counts(void **state)
{
	struct ask whole = settled();
	const char *digest = decided(&whole);

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct ask a = whole;

		switch (i) {
		case 0: a.id = STR("ask_2"); break;
		case 1: a.status = ASK_SKIPPED; break;
		case 2:
			a.answer = kit_quote("{'a':{'value':2,'text':'\xc3\xa9'}}");
			break;
		case 3: a.answer = STR_NONE; break;
		case 4: a.answered_by = kit_quote("{'kind':'policy'}"); break;
		case 5: a.approved_digest = STR("sha256:0"); break;
		case 6: a.reason = STR("because"); break;
		case 7: a.answer = STR("{\"a\":"); break; /* no JSON any more */
		}
		assert_string_not_equal(decided(&a), digest);
	}
	/* What is no part of it does not. */
	whole.used_ms = whole.version = 5;
	assert_string_equal(decided(&whole), digest);
}

static const char *asked(const struct ask *a)
{
	char out[SHORT_DIGEST_SIZE];

	asked_digest(a, out);
	return kit_text(str_of(out));
}

static void every_fixed_member_of_an_ask_counts(void **state)
{
	struct ask whole = settled();
	const char *digest = asked(&whole);

	(void)state;
	for (int i = 0; i < 16; i++) {
		struct ask a = whole;

		switch (i) {
		case 0: a.id = STR("ask_2"); break;
		case 1: a.session = STR("ses_2"); break;
		case 2: a.run = STR("run_1"); break;
		case 3: a.agent = STR("other"); break;
		case 4: a.token = STR("tok_2"); break;
		case 5: a.project = STR("p"); break;
		case 6: a.kind = ASK_APPROVAL; break;
		case 7: a.priority = PRIORITY_URGENT; break;
		case 8: a.risk = RISK_HIGH; break;
		case 9: a.exclusive = true; break;
		case 10: a.fixed = STR("\"title\":\"u\""); break;
		case 11: a.search = STR("u"); break;
		case 12: a.digest = STR("sha256:0"); break;
		case 13: a.dedupe_key = STR("k"); break;
		case 14: a.created_ms = -1; break;
		case 15: a.requester = STR("usr_1"); break;
		}
		assert_string_not_equal(asked(&a), digest);
	}
	whole.status = ASK_PENDING;
	whole.assignees = STR("[]");
	assert_string_equal(asked(&whole), digest);
}

static const char *made(const struct session *s)
{
	char out[SHORT_DIGEST_SIZE];

	session_digest(s, out);
	return kit_text(str_of(out));
}

static void every_fixed_member_of_a_session_counts(void **state)
{
	struct session whole = {
		.id = STR("ses_1"), .agent = STR("a"), .title = STR("t")
	};
	const char *digest = made(&whole);

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct session s = whole;

		switch (i) {
		case 0: s.id = STR("ses_2"); break;
		case 1: s.agent = STR("b"); break;
		case 2: s.token = STR("t"); break;
		case 3: s.project = STR("p"); break;
		case 4: s.external_id = STR("x"); break;
		case 5: s.metadata = STR("{}"); break;
		case 6: s.parallel = true; break;
		case 7: s.created_ms = 1; break;
		}
		assert_string_not_equal(made(&s), digest);
	}
	whole.title = STR("u");
	whole.status = SESSION_RUNNING;
	assert_string_equal(made(&whole), digest);
}

static void a_short_digest_is_base64url_of_128_bits(void **state)
{
	struct buf b = { 0 };
	uint8_t digest[SHA256_SIZE];
	char out[SHORT_DIGEST_SIZE];

	(void)state;
	for (int i = 0; i < 100; i++) {
		const char *text = kit_print("text %d", i);

		sha256(str_of(text), digest);
		buf_clear(&b);
		base64url_write(&b, str_make((const char *)digest, 16));
		digest_text(str_of(text), out);
		assert_string_equal(out, buf_text(&b));
	}
	buf_done(&b);
}

static void fields_of_a_digest_cannot_pass_for_one_another(void **state)
{
	struct ask a = settled(), b = settled();

	(void)state;
	a.agent = STR("ab");
	a.token = STR("c");
	b.agent = STR("a");
	b.token = STR("bc");
	assert_string_not_equal(asked(&a), asked(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_decision_is_the_sha256_of_its_canonical_form),
		KIT_TEST(what_is_not_there_is_null),
		KIT_TEST(every_member_of_a_decision_counts),
		KIT_TEST(every_fixed_member_of_an_ask_counts),
		KIT_TEST(every_fixed_member_of_a_session_counts),
		KIT_TEST(a_short_digest_is_base64url_of_128_bits),
		KIT_TEST(fields_of_a_digest_cannot_pass_for_one_another),
	};

	return cmocka_run_group_tests_name("core/decision", tests, NULL, NULL);
}
