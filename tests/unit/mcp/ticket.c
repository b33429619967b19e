/* Signed texts: what goes in comes out, and nothing else does. */
#include "mcp/ticket.h"

#include "kit.h"

static const struct str key = { "0123456789abcdef0123456789abcdef", 32 };

static struct str call_ticket(enum ticket_kind kind, const struct ticket_call *c)
{
	struct buf b = { 0 };
	struct str out;

	ticket_call_write(&b, key, kind, c);
	out = arena_str(&kit, buf_str(&b));
	buf_done(&b);
	return out;
}

static void a_session_carries_what_the_client_said(void **state)
{
	struct ticket_session in = {
		{ REV_2025_06_18, CAN_FORM | CAN_TASKS, STR("C\"é") }, STR("n1"), 77
	};
	struct ticket_session out;
	struct buf b = { 0 };

	(void)state;
	ticket_session_write(&b, key, &in);
	assert_true(ticket_session_read(buf_str(&b), key, &kit, &out));
	assert_int_equal(out.client.revision, REV_2025_06_18);
	assert_int_equal(out.client.can, CAN_FORM | CAN_TASKS);
	assert_true(str_eq(out.client.name, in.client.name));
	assert_true(str_is(out.nonce, "n1") && out.expires_ms == 77);
	for (size_t i = 0; i < b.len; i++)
		assert_in_range(b.at[i], 0x21, 0x7e);
	buf_done(&b);
}

static void a_call_carries_what_its_answer_needs(void **state)
{
	struct ticket_call in = { STR("ask_1"), STR("\"x\""), STR("tok_1"), 6, 77 };
	struct ticket_call out;

	(void)state;
	assert_true(ticket_call_read(
		call_ticket(TICKET_EVENT, &in), key, TICKET_EVENT, &kit, &out));
	assert_true(str_is(out.ask, "ask_1") && str_is(out.id, "\"x\""));
	assert_true(str_is(out.token, "tok_1") && out.how == 6 && out.expires_ms == 77);
}

static void no_changed_byte_is_taken(void **state)
{
	struct ticket_call in = { STR("ask_1"), STR("1"), STR("tok_1"), false, 0 };
	struct str text = call_ticket(TICKET_STATE, &in);
	struct ticket_call out;

	(void)state;
	for (size_t i = 0; i < text.len; i++) {
		char *copy = arena_copy(&kit, text);

		copy[i] = copy[i] == 'A' ? 'B' : 'A';
		assert_false(ticket_call_read(
			str_make(copy, text.len), key, TICKET_STATE, &kit, &out));
	}
	for (size_t len = 0; len < text.len; len++)
		assert_false(ticket_call_read(
			str_first(text, len), key, TICKET_STATE, &kit, &out));
}

static void one_kind_and_one_key_are_not_another(void **state)
{
	struct ticket_call in = { STR("ask_1"), STR("1"), STR_NONE, false, 0 };
	struct str text = call_ticket(TICKET_EVENT, &in);
	struct ticket_session session;
	struct ticket_call out;

	(void)state;
	assert_false(ticket_call_read(text, key, TICKET_STATE, &kit, &out));
	assert_false(ticket_call_read(text, key, TICKET_FORM, &kit, &out));
	assert_false(ticket_session_read(text, key, &kit, &session));
	assert_false(ticket_call_read(text, STR("another"), TICKET_EVENT, &kit, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_session_carries_what_the_client_said),
		KIT_TEST(a_call_carries_what_its_answer_needs),
		KIT_TEST(no_changed_byte_is_taken),
		KIT_TEST(one_kind_and_one_key_are_not_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
