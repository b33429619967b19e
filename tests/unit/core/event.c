/* Events: their names, their chain, their filter and how they are shown. */
#include "core/shared/event.h"

#include "kit.h"

static const uint8_t zero[SHA256_SIZE];

static struct event sample(void)
{
	return (struct event){ .ws = 1,
		.n = 7,
		.type = "ask.created",
		.at_ms = 1000,
		.session = STR("ses_1"),
		.ask = STR("ask_1"),
		.agent = STR("builder"),
		.data = STR("{\"kind\":\"blocking\"}") };
}

static void every_type_is_found_by_its_name(void **state)
{
	size_t n = 0;

	(void)state;
	for (; event_types[n]; n++)
		assert_ptr_equal(event_type_find(str_of(event_types[n])), event_types[n]);
	assert_true(n >= 34);
	assert_null(event_type_find(STR("ask.create")));
	assert_null(event_type_find(STR("")));
}

static void the_hash_covers_everything_but_data(void **state)
{
	struct event whole = sample();
	uint8_t again[SHA256_SIZE];

	(void)state;
	event_seal(&whole, zero);
	event_hash(&whole, zero, again);
	assert_memory_equal(whole.hash, again, SHA256_SIZE);
	for (int i = 0; i < 10; i++) {
		struct event e = whole;
		uint8_t before[SHA256_SIZE] = { 0 };

		switch (i) {
		case 0: e.ws = 2; break;
		case 1: e.n = 8; break;
		case 2: e.type = "ask.used"; break;
		case 3: e.at_ms = 1001; break;
		case 4: e.session = STR("ses_2"); break;
		case 5: e.ask = STR("ask_2"); break;
		case 6: e.run = STR("run_1"); break;
		case 7: e.digest[0] ^= 1; break;
		case 8: before[31] = 1; break;
		case 9: e.agent = STR("other"); break;
		}
		event_hash(&e, before, again);
		assert_memory_not_equal(whole.hash, again, SHA256_SIZE);
	}
	whole.data = STR(""); /* as after its session was deleted */
	event_hash(&whole, zero, again);
	assert_memory_equal(whole.hash, again, SHA256_SIZE);
}

static void a_name_longer_than_an_id_is_hashed_to_its_end(void **state)
{
	struct event a = sample(), b = sample();

	(void)state;
	a.agent = str_of(kit_print("%s1", kit_repeat("x", 99)));
	b.agent = str_of(kit_print("%s2", kit_repeat("x", 99)));
	event_seal(&a, zero);
	event_seal(&b, zero);
	assert_memory_not_equal(a.hash, b.hash, SHA256_SIZE);
}

/* The bytes that events were hashed by before their agent was: a store that has them must
 * go on to be found whole. */
static void an_old_event_has_the_hash_it_always_had(void **state)
{
	static const char known[] =
		"41db92d193e858d38994e59e9208f2a1d087962163b729c47ca8a66c6db6177a";
	struct event e = sample(), other = sample();
	uint8_t hash[SHA256_SIZE], again[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];

	(void)state;
	event_seal(&e, zero);
	event_hash_old(&e, zero, hash);
	hex_write(hash, sizeof hash, hex);
	assert_string_equal(hex, known);
	other.agent = STR("other");
	event_seal(&other, zero);
	event_hash_old(&other, zero, again);
	assert_memory_equal(hash, again, SHA256_SIZE);
}

static void events_of_people_are_told_from_the_others(void **state)
{
	struct event_filter members = { .not_people = true };
	struct event_filter agents = { .not_people = true, .agent = STR("agt") };

	(void)state;
	for (size_t i = 0; event_types[i]; i++) {
		struct event e = { .type = event_types[i] };
		bool people = strncmp(e.type, "user.", 5) == 0 ||
			      strncmp(e.type, "token.", 6) == 0 ||
			      strncmp(e.type, "login.", 6) == 0 ||
			      strncmp(e.type, "settings.", 9) == 0 ||
			      strncmp(e.type, "team.", 5) == 0;
		bool recipients = strncmp(e.type, "contact.", 8) == 0 ||
				  strncmp(e.type, "routes.", 7) == 0 ||
				  strncmp(e.type, "ask.notif", 9) == 0 ||
				  strncmp(e.type, "alert.", 6) == 0 ||
				  strncmp(e.type, "node.", 5) == 0 ||
				  strcmp(e.type, "ask.unreached") == 0;

		e.agent = agents.agent;
		assert_int_equal(event_of_people(e.type), people);
		assert_int_equal(event_passes(&e, &members), !people);
		assert_int_equal(event_passes(&e, &agents), !people && !recipients);
	}
}

static void fields_cannot_pass_for_one_another(void **state)
{
	struct event a = sample(), b = sample();

	(void)state;
	a.session = STR("x");
	a.ask = STR("");
	b.session = STR("");
	b.ask = STR("x");
	event_seal(&a, zero);
	event_seal(&b, zero);
	assert_memory_not_equal(a.hash, b.hash, SHA256_SIZE);
	a.session = str_of(kit_repeat("x", 5000)); /* damaged, yet no harm done */
	a.ask = a.run = a.session;
	event_seal(&a, zero);
}

static void the_digest_is_of_the_data(void **state)
{
	struct event a = sample(), b = sample();

	(void)state;
	b.data = STR("{\"kind\":\"approval\"}");
	event_seal(&a, zero);
	event_seal(&b, zero);
	assert_memory_not_equal(a.digest, b.digest, SHA256_SIZE);
	assert_memory_not_equal(a.hash, b.hash, SHA256_SIZE);
}

static void an_event_is_shown_without_what_it_lacks(void **state)
{
	struct event e = sample();
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	(void)state;
	event_write(&w, &e);
	assert_string_equal(buf_text(&out),
		"{\"id\":7,\"type\":\"ask.created\",\"at\":\"1970-01-01T00:00:01.000Z\","
		"\"session\":\"ses_1\",\"ask\":\"ask_1\",\"data\":{\"kind\":\"blocking\"}"
		"}");
	buf_clear(&out);
	w.more = false;
	e = (struct event){ .n = 8, .type = "session.deleted", .run = STR("run_1") };
	event_write(&w, &e);
	assert_string_equal(buf_text(&out),
		"{\"id\":8,\"type\":\"session.deleted\",\"at\":\"1970-01-01T00:00:00."
		"000Z\","
		"\"session\":null,\"run\":\"run_1\",\"data\":{}}");
	buf_done(&out);
}

static void a_filter_passes_what_it_names(void **state)
{
	static const struct {
		struct event_filter filter;
		bool passes;
	} table[] = {
		{ { .agent = STR_NONE }, true },
		{ { .session = STR("ses_1") }, true },
		{ { .session = STR("ses_2") }, false },
		{ { .agent = STR("builder") }, true },
		{ { .agent = STR("build") }, false },
		{ { .types = STR(",ask.used,ask.created,") }, true },
		{ { .types = STR(",ask.used,") }, false },
		{ { .session = STR("ses_1"), .agent = STR("x") }, false },
	};
	struct event e = sample();

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(event_passes(&e, &table[i].filter), table[i].passes);
}

static void a_list_of_types_is_read_or_refused(void **state)
{
	static const struct {
		const char *list, *types;
	} table[] = {
		{ "", "" },
		{ "ask.created", ",ask.created," },
		{ "ask.created,session.status", ",ask.created,session.status," },
		{ "ask", NULL },
		{ "ask.created,", NULL },
		{ ",ask.created", NULL },
		{ "ask.created,,ask.used", NULL },
		{ "ask.created, ask.used", NULL },
		{ ",", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct str out = STR("untouched");
		enum err e = event_types_read(str_of(table[i].list), &kit, &out, NULL);

		assert_int_equal(e, table[i].types ? OK : ERR_INVALID);
		assert_string_equal(
			kit_text(out), table[i].types ? table[i].types : "untouched");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(every_type_is_found_by_its_name),
		KIT_TEST(the_hash_covers_everything_but_data),
		KIT_TEST(a_name_longer_than_an_id_is_hashed_to_its_end),
		KIT_TEST(an_old_event_has_the_hash_it_always_had),
		KIT_TEST(events_of_people_are_told_from_the_others),
		KIT_TEST(fields_cannot_pass_for_one_another),
		KIT_TEST(the_digest_is_of_the_data),
		KIT_TEST(an_event_is_shown_without_what_it_lacks),
		KIT_TEST(a_filter_passes_what_it_names),
		KIT_TEST(a_list_of_types_is_read_or_refused),
	};

	return cmocka_run_group_tests_name("core/event", tests, NULL, NULL);
}
