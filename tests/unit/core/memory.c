/* Lets the n-th allocation fail, for every n: nothing is half read, nothing crashes. */
#include "base/mem.h"

#include "kit.h"

#include "core/session/resume.h"

#define BODY                                                                             \
	"{'kind':'approval','title':'T\\u00e9','context':{'text':'c','x':[1]},"          \
	"'questions':[{'text':'Go?','type':'approval'},{'text':'Who?','options':['Ann'," \
	"'Bob'],'other':true,'suggested':'Ann','required':false}],'operation':{'name':"  \
	"'sh','arguments':{'a':1}},'assignees':['usr_00000000000000000000000000'],"      \
	"'default':{'q1':'reject'},'timeout':5,'metadata':{'a':1}}"

typedef enum err tried_fn(struct arena *, struct fault *);

static const struct json *body;
static struct draft draft;

static enum err try_draft(struct arena *arena, struct fault *why)
{
	static const struct draft_limits limits = { 1000, 100000 };
	struct draft d = { .timeout_ms = 77 };
	enum err e = draft_read(body, &limits, arena, &d, why);

	assert_int_equal(d.timeout_ms, e ? 77 : 5000);
	return e;
}

static enum err try_plain(struct arena *arena, struct fault *why)
{
	struct draft d;

	return draft_plain(STR("Deploy?"), arena, &d, why);
}

static enum err try_answer(struct arena *arena, struct fault *why)
{
	struct answer a = { 0 };
	enum err e =
		answer_check(draft.questions, draft.questions_len, body, arena, &a, why);

	assert_int_equal(a.json.len > 0, !e);
	return e;
}

static enum err try_parts(struct arena *arena, struct fault *why)
{
	struct ask a = { .id = STR("ask_1"), .fixed = draft.fixed };
	struct ask_parts parts;

	return ask_parts(&a, arena, &parts, why);
}

static enum err try_settle(struct arena *arena, struct fault *why)
{
	const struct settlement skip = { .verb = SETTLE_SKIP, .reason = STR("why") };
	struct ask a = { .id = STR("ask_1"), .version = 1 };
	const char *event;
	enum err e = ask_finish(&a, &skip, 5, arena, &event, why);

	assert_int_equal(a.status, e ? ASK_PENDING : ASK_SKIPPED);
	assert_int_equal(a.version, e ? 1 : 2);
	return e;
}

/* Never taken for a rejection. */
static enum err try_approved(struct arena *arena, struct fault *why)
{
	const struct ask a = { .kind = ASK_APPROVAL,
		.status = ASK_ANSWERED,
		.answer = STR("{\"q1\":{\"value\":\"approve\"}}"),
		.fixed = draft.fixed };
	bool approved;
	enum err e = ask_approved(&a, arena, &approved, why);

	assert_int_equal(approved, !e);
	return e;
}

static enum err try_approve(struct arena *arena, struct fault *why)
{
	const struct answer yes = { .json = STR("{\"q1\":{\"value\":\"approve\"}}"),
		.summary = STR("approved") };
	const struct settlement s = {
		.verb = SETTLE_ANSWER, .answer = &yes, .answered_by = STR("{}")
	};
	struct ask a = { .kind = ASK_APPROVAL,
		.version = 1,
		.fixed = draft.fixed,
		.digest = STR("sha256:1") };
	const char *event;
	enum err e = ask_finish(&a, &s, 5, arena, &event, why);

	assert_int_equal(a.status, e ? ASK_PENDING : ASK_ANSWERED);
	assert_int_equal(a.approved_digest.len > 0, !e);
	return e;
}

static enum err try_session(struct arena *arena, struct fault *why)
{
	struct session_draft d;

	return session_draft_read(body, arena, &d, why);
}

static enum err try_progress(struct arena *arena, struct fault *why)
{
	struct str out;

	return session_progress_read(body, arena, &out, why);
}

static enum err try_replies(struct arena *arena, struct fault *why)
{
	const struct principal p = { .name = STR("Ann") };
	struct str out = ask_replies_add(STR("[]"), &p, STR("x"), 1, arena);

	assert_int_equal(out.len > 0, !arena->failed);
	return arena->failed ? fail_at(why, "", "memory"), ERR_MEMORY : OK;
}

static enum err try_resume(struct arena *arena, struct fault *why)
{
	const struct ask a = { .status = ASK_ANSWERED,
		.fixed = draft.fixed,
		.answered_by = STR("{\"kind\":\"human\"}") };
	const struct ask *asks[] = { &a };
	const struct session s = { .title = STR("T") };

	struct resume r = { .arena = arena };
	if (resume_add(&r, asks[0])) resume_text(&r, &s);
	return arena->failed ? fail_at(why, "", "memory"), ERR_MEMORY : OK;
}

static void fail_each(tried_fn *tried)
{
	uint64_t n = 1;

	for (;; n++) {
		struct arena arena = { 0 };
		struct fault why = { 0 };

		mem_fail_at(n, 0);
		enum err e = tried(&arena, &why);
		uint64_t used = mem_count();
		mem_fail_at(0, 0);
		arena_done(&arena);
		if (used < n) {
			assert_int_equal(e, OK);
			break;
		}
		assert_int_equal(e, ERR_MEMORY);
	}
	assert_true(n > 1);
}

/* Blocks that a thread keeps would hide allocations: bound the arena instead, byte by
 * byte. */
static void starve_each(tried_fn *tried)
{
	size_t most = 1;

	for (;; most += 8) {
		struct arena arena = { .max = most };
		struct fault why = { 0 };
		enum err e = tried(&arena, &why);

		arena_done(&arena);
		if (!e) break;
		assert_int_equal(e, ERR_MEMORY);
	}
	assert_true(most > 1);
}

static void try_both(tried_fn *tried)
{
	fail_each(tried);
	starve_each(tried);
}

static void a_draft_is_read_whole_or_not(void **state)
{
	(void)state;
	body = kit_json(BODY);
	try_both(try_draft);
	try_both(try_plain);
}

static void an_answer_is_read_whole_or_not(void **state)
{
	(void)state;
	draft = kit_drafted(BODY);
	body = kit_json(
		"{'answers':{'q1':{'value':'approve','arguments':{'a':2}},'q2':'X'}}");
	try_both(try_answer);
}

static void an_ask_is_read_back_and_settled_whole_or_not(void **state)
{
	(void)state;
	draft = kit_drafted(BODY);
	try_both(try_parts);
	starve_each(try_settle);
	draft = kit_drafted("{'kind':'approval','question':'Go?','type':'approval'}");
	starve_each(try_approved);
	starve_each(try_approve);
	try_both(try_replies);
}

static void a_session_is_read_whole_or_not(void **state)
{
	(void)state;
	body = kit_json(
		"{'title':'T','metadata':{'a':1},'on_settled':{'webhook':'http://h'}}");
	try_both(try_session);
	body = kit_json("{'text':'B','step':1}");
	try_both(try_progress);
	draft = kit_drafted(BODY);
	try_both(try_resume);
}

static void without_memory_no_digest_fits(void **state)
{
	const struct json *operation = kit_json("{'name':'sh'}");
	char digest[DIGEST_SIZE];

	(void)state;
	mem_fail_at(1, 1);
	operation_digest(operation, NULL, STR("ses_1"), digest);
	mem_fail_at(0, 0);
	assert_string_equal(digest, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_draft_is_read_whole_or_not),
		KIT_TEST(an_answer_is_read_whole_or_not),
		KIT_TEST(an_ask_is_read_back_and_settled_whole_or_not),
		KIT_TEST(a_session_is_read_whole_or_not),
		KIT_TEST(without_memory_no_digest_fits),
	};

	return cmocka_run_group_tests_name("core/memory", tests, NULL, NULL);
}
