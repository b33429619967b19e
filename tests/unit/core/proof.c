/* What is signed: keys read, tokens made and checked, exports written and checked line by line. */
#include "base/keep.h"
#include "core/proof/export.h"

#include "kit.h"

static const uint8_t seed[SIGN_SEED_SIZE] = "thirty-two bytes, known to all.";

static struct jws_signer signer(struct proof_key *out, struct proof_keys *keys)
{
	struct jws_signer s = { 0 };

	memcpy(s.seed, seed, sizeof seed);
	assert_true(sign_public(seed, out->at));
	proof_key_thumbprint(out->at, s.kid);
	out->kid = str_of(kit_text(str_of(s.kid)));
	*keys = (struct proof_keys){ out, 1 };
	return s;
}

static enum proof_word token_word(
	struct str token, const char *typ, const struct proof_keys *keys)
{
	const struct json *payload;
	struct jws_parts parts;
	struct str text;

	if (!jws_split_compact(token, &parts)) return PROOF_SHAPE;
	return jws_check(&parts, typ, keys, &kit, &payload, &text);
}

static void a_token_is_taken_as_it_was_signed_and_in_no_other_form(void **state)
{
	struct proof_key key = { 0 };
	struct proof_keys keys, none = { 0 };
	struct jws_signer s = signer(&key, &keys);
	struct buf token = { 0 };

	(void)state;
	assert_true(jws_write_compact(&token, &s, "a-type", STR("{\"a\":1}")));
	assert_int_equal(token_word(buf_str(&token), "a-type", &keys), PROOF_GOOD);
	assert_int_equal(token_word(buf_str(&token), "b-type", &keys), PROOF_ALG);
	assert_int_equal(token_word(buf_str(&token), "a-type", &none), PROOF_KID);
	key.revoked = true;
	assert_int_equal(token_word(buf_str(&token), "a-type", &keys), PROOF_REVOKED);
	key.revoked = false;
	for (size_t i = 0; i < token.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			token.at[i] ^= (char)(1 << bit);
			assert_int_not_equal(
				token_word(buf_str(&token), "a-type", &keys), PROOF_GOOD);
			token.at[i] ^= (char)(1 << bit);
		}
	buf_done(&token);
}

/* An approval, settled and signed. */
static struct str receipt_make(const struct jws_signer *s)
{
	static const struct event settled = { .ws = 5,
		.n = 7,
		.type = "ask.answered",
		.at_ms = 1700000000000,
		.session = STR("ses_1"),
		.ask = STR("ask_1"),
		.agent = STR("builder") };
	struct draft d = kit_drafted("{'kind':'approval','operation':{'type':'tool',"
				     "'name':'deploy','arguments':{'n':0.1}}}");
	struct ask a = kit_ask(&d);
	struct event e = settled;
	struct receipt_facts facts = {
		.ask = &a, .workspace = STR("acme"), .event = &e, .form = 2
	};
	char decision[DIGEST_SIZE];
	struct buf out = { 0 };
	struct str payload;

	a.id = settled.ask;
	a.session = settled.session;
	a.status = ASK_ANSWERED;
	a.answer = kit_quote("{'decision':{'value':'approve'}}");
	a.answered_by = kit_quote("{'kind':'human','name':'Mia'}");
	a.settled_ms = settled.at_ms;
	decision_digest(&a, decision);
	e.data = str_of(kit_fill("{\"decision\":\"%s\"}", decision));
	memset(facts.before, 9, sizeof facts.before);
	event_seal(&e, facts.before);
	assert_int_equal(receipt_payload(&facts, &kit, &payload, NULL), OK);
	assert_true(jws_write_flat(&out, s, RECEIPT_TYP, payload));
	return buf_keep_done(&out, &kit);
}

static void no_receipt_with_a_bit_flipped_is_good(void **state)
{
	struct proof_key key = { 0 };
	struct proof_keys keys;
	struct jws_signer s = signer(&key, &keys);
	struct str made = receipt_make(&s);
	char *text = arena_copy(&kit, made);
	struct receipt_said said = { 0 };

	(void)state;
	assert_int_equal(receipt_check(made, &keys, &kit, &said), PROOF_GOOD);
	assert_false(said.unlogged);
	for (size_t bit = 0; bit < made.len * 8; bit++) {
		struct arena scratch = { 0 };

		text[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_not_equal(
			receipt_check(str_make(text, made.len), &keys, &scratch, &said),
			PROOF_GOOD);
		text[bit / 8] ^= (char)(1 << bit % 8);
		arena_done(&scratch);
	}
}

static void keys_are_read_in_three_forms_and_others_are_named(void **state)
{
	static const struct {
		const char *text;
		size_t found;
		const char *says;
	} cases[] = {
		{ "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":"
		  "\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}",
			1, "" },
		{ "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":"
		  "\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
			1, "" },
		{ "-----BEGIN PUBLIC KEY-----\n"
		  "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
		  "-----END PUBLIC KEY-----\n",
			1, "" },
		{ "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}", 0, "RSA" },
		{ "hello", 0, "" },
		{ "{\"keys\":[]}", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct proof_keys keys = { 0 };
		struct fault why = { 0 };
		enum err e = proof_keys_read(str_of(cases[i].text), &kit, &keys, &why);

		assert_int_equal(e ? 0 : keys.len, cases[i].found);
		assert_non_null(strstr(why.detail, cases[i].says));
		if (!e) /* the thumbprint of RFC 8037, appendix A.3 */
			assert_string_equal(kit_text(keys.at[0].kid),
				"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
	}
}

/* Three events, an ask behind one of them. */
static void export_make(struct buf *out, const struct jws_signer *s, int64_t after,
	uint8_t hash[SHA256_SIZE])
{
	struct export_sums sums = { .last = after };
	const struct export_filter all = { 0 };

	memcpy(sums.hash, hash, SHA256_SIZE);
	export_head_write(out, &sums, STR("acme"), 5, &all);
	for (int64_t n = after + 1; n <= after + 3; n++) {
		struct event e = { .ws = 5,
			.n = n,
			.type = n == after + 2 ? "ask.created" : "session.status",
			.at_ms = 1700000000000 + n,
			.session = STR("ses_1"),
			.ask = n == after + 2 ? STR("ask_1") : STR_NONE,
			.agent = STR("a \",\"data\":{} b"),
			.data = STR("{\"status\":\"running\"}") };

		event_seal(&e, sums.hash);
		export_event_write(out, &sums, &e, 2, n == after + 3);
		if (e.ask.len) export_ask_write(out, &sums, STR("{\"id\":\"ask_1\"}"));
	}
	memcpy(hash, sums.hash, SHA256_SIZE);
	assert_true(export_end_write(out, &sums, 1700000000000, s, &kit));
}

static enum export_wrong export_read(struct export_check *c, struct str text)
{
	enum export_wrong w = EXPORT_RIGHT;
	struct str line;

	while (!w && text.len && str_cut(&text, '\n', &line))
		w = export_check_line(c, line, &kit);
	return w ? w : export_check_over(c);
}

static void an_export_is_sound_whole_and_with_any_byte_changed_it_is_not(void **state)
{
	struct proof_key key = { 0 };
	struct proof_keys keys;
	struct jws_signer s = signer(&key, &keys);
	struct export_check c = { .keys = &keys };
	uint8_t hash[SHA256_SIZE] = { 0 };
	struct buf b = { 0 };

	(void)state;
	export_make(&b, &s, 0, hash);
	assert_int_equal(export_read(&c, buf_str(&b)), EXPORT_RIGHT);
	assert_int_equal(c.events, 3);
	assert_int_equal(c.asks, 1);
	export_check_done(&c);
	for (size_t i = 0; i < b.len; i++) {
		struct export_check other = { .keys = &keys };

		b.at[i] ^= 1 << (i % 7);
		assert_int_not_equal(export_read(&other, buf_str(&b)), EXPORT_RIGHT);
		b.at[i] ^= 1 << (i % 7);
		export_check_done(&other);
	}
	buf_done(&b);
}

static void parts_join_behind_the_last_event_that_another_follows(void **state)
{
	struct proof_key key = { 0 };
	struct proof_keys keys;
	struct jws_signer s = signer(&key, &keys);
	uint8_t hash[SHA256_SIZE] = { 0 };
	struct buf whole = { 0 };

	(void)state;
	export_make(&whole, &s, 0, hash);
	for (size_t cut = 0; cut < whole.len; cut++) {
		struct export_check c = { .keys = &keys };
		struct str rest = str_first(buf_str(&whole), cut), line;

		while (str_find(rest, STR("\n")) >= 0 && str_cut(&rest, '\n', &line))
			assert_int_equal(export_check_line(&c, line, &kit), EXPORT_RIGHT);
		assert_true(c.keep <= (int64_t)cut);
		assert_int_equal(c.after, c.events < 2 ? 0 : c.events - 1);
		assert_int_equal(c.keep == 0, c.events < 2);
		export_check_done(&c);
	}
	buf_done(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_token_is_taken_as_it_was_signed_and_in_no_other_form),
		KIT_TEST(no_receipt_with_a_bit_flipped_is_good),
		KIT_TEST(keys_are_read_in_three_forms_and_others_are_named),
		KIT_TEST(an_export_is_sound_whole_and_with_any_byte_changed_it_is_not),
		KIT_TEST(parts_join_behind_the_last_event_that_another_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
