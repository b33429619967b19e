/* Requests of each dialect that keep all its rules. */
#include "generator.h"

#include "base/clock.h"

typedef void request_fn(struct generator *, struct json_writer *);

/* ---- small pieces ---- */

static void put(struct json_writer *w, const char *key, struct str text)
{
	jw_key(w, key);
	jw_str(w, text);
}

static void put_flag(struct json_writer *w, const char *key, bool flag)
{
	jw_key(w, key);
	jw_bool(w, flag);
}

static void put_int(struct json_writer *w, const char *key, int64_t n)
{
	jw_key(w, key);
	jw_int(w, n);
}

/* Any JSON object, now and then a deep one. */
static void put_object(
	struct generator *d, struct json_writer *w, const char *key, int depth)
{
	jw_key(w, key);
	jw_object(w);
	for (uint32_t n = generator_below(d, 4); n; n--) {
		const char *name = kit_text(generator_word(d));

		switch (generator_below(d, 5)) {
		case 0: put_int(w, name, generator_below(d, 1000)); break;
		case 1: put_flag(w, name, generator_below(d, 2)); break;
		case 2:
			if (depth) put_object(d, w, name, depth - 1);
			break;
		default: put(w, name, generator_text(d)); break;
		}
	}
	jw_object_end(w);
}

/* {label, description}, with an id under `id` when it is not NULL. */
static void put_options(struct generator *d, struct json_writer *w, const char *key,
	const char *id, const char *label, uint32_t least, uint32_t most)
{
	uint32_t n = least + generator_below(d, most - least + 1);

	jw_key(w, key);
	jw_array(w);
	while (n--) {
		jw_object(w);
		if (id) put(w, id, generator_word(d));
		put(w, label, generator_label(d));
		put(w, "description", generator_text(d));
		jw_object_end(w);
	}
	jw_array_end(w);
}

/* ---- questions ---- */

static struct str question_text(struct generator *d)
{
	return arena_print(&kit, "%.*s?", STR_ARGS(generator_text(d)));
}

static void ask_user_question(struct generator *d, struct json_writer *w)
{
	struct str known = STR_NONE;

	jw_key(w, "questions");
	jw_array(w);
	for (uint32_t n = 1 + generator_below(d, 4); n; n--) {
		struct str header = str_first(generator_word(d), 12);

		jw_object(w);
		put(w, "question", question_text(d));
		put(w, "header", header);
		put_flag(w, "multiSelect", generator_below(d, 2));
		put_options(d, w, "options", NULL, "label", 2, 4);
		jw_object_end(w);
		known = header;
	}
	jw_array_end(w);
	if (generator_often(d)) return;
	jw_key(w, "answers");
	jw_object(w);
	put(w, kit_text(known),
		arena_print(&kit, "Other: %.*s", STR_ARGS(generator_word(d))));
	jw_object_end(w);
}

static void user_question(struct generator *d, struct json_writer *w)
{
	const char *type = GENERATOR_PICK(d, "checkbox", "text", "mixed");

	put(w, "operation", STR("ask"));
	put(w, "question", generator_text(d));
	put(w, "questionType", str_of(type));
	if (strcmp(type, "text") != 0) {
		uint32_t n = 1 + generator_below(d, 6);

		jw_key(w, "options");
		jw_array(w);
		while (n--) {
			jw_object(w);
			put(w, "id", generator_label(d));
			put(w, "label", generator_label(d));
			jw_object_end(w);
		}
		jw_array_end(w);
	}
	if (generator_seldom(d)) put(w, "textPlaceholder", generator_text(d));
	put_flag(w, "textRequired", generator_below(d, 2));
	if (generator_seldom(d)) put(w, "context", generator_text(d));
}

static void ask_question(struct generator *d, struct json_writer *w)
{
	const char *type = GENERATOR_PICK(
		d, "blocking", "non_blocking", "approval", "error_recovery");
	/* It must have a default, which of a choice would be one of its options. */
	bool goes_on = strcmp(type, "non_blocking") == 0;
	const char *form = strcmp(type, "approval") == 0
				   ? GENERATOR_PICK(d, "approval", "boolean")
			   : goes_on ? GENERATOR_PICK(d, "text", "boolean")
				     : GENERATOR_PICK(d, "text", "choice", "boolean");

	put(w, "question", generator_text(d));
	put(w, "type", str_of(type));
	put(w, "responseType", str_of(form));
	if (strcmp(form, "choice") == 0)
		put_options(d, w, "options", "value", "label", 1, 5);
	if (generator_seldom(d)) put_object(d, w, "context", 1);
	if (generator_seldom(d))
		put_int(w, "timeoutMinutes", 5 + generator_below(d, 1436));
	if ((goes_on || generator_seldom(d)) && strcmp(form, "choice") != 0) {
		jw_key(w, "defaultResponse");
		jw_object(w);
		put(w, "type", str_of(form));
		if (strcmp(form, "text") == 0)
			put(w, "value", generator_text(d));
		else if (strcmp(form, "approval") == 0)
			put(w, "value", STR("reject"));
		else
			put_flag(w, "value", false);
		jw_object_end(w);
	}
}

static void codex_question(struct generator *d, struct json_writer *w)
{
	jw_object(w);
	put(w, "id", generator_word(d));
	put(w, "header", generator_word(d));
	put(w, "question", generator_text(d));
	put_flag(w, "isOther", generator_below(d, 2));
	put_flag(w, "isSecret", false);
	if (generator_often(d))
		put_options(d, w, "options", NULL, "label", 2, 3);
	else
		put_int(w, "extra", 1);
	jw_object_end(w);
}

static void codex(struct generator *d, struct json_writer *w)
{
	put(w, "threadId", generator_word(d));
	put(w, "turnId", generator_word(d));
	put(w, "itemId", generator_word(d));
	if (generator_below(d, 2)) {
		jw_key(w, "questions");
		jw_array(w);
		for (uint32_t n = 1 + generator_below(d, 3); n; n--)
			codex_question(d, w);
		jw_array_end(w);
		return;
	}
	put(w, "command", generator_text(d));
	put(w, "cwd", generator_text(d));
	if (generator_seldom(d)) put(w, "reason", generator_text(d));
	if (generator_often(d)) return;
	jw_key(w, "availableDecisions");
	jw_raw(w, STR("[\"accept\",{\"acceptWithExecpolicyAmendment\":"
		      "{\"execpolicy_amendment\":[\"make\"]}},\"cancel\"]"));
}

static void gemini(struct generator *d, struct json_writer *w)
{
	jw_key(w, "questions");
	jw_array(w);
	for (uint32_t n = 1 + generator_below(d, 4); n; n--) {
		const char *type = GENERATOR_PICK(d, "choice", "text", "yesno");

		jw_object(w);
		put(w, "question", generator_text(d));
		put(w, "header", generator_word(d));
		put(w, "type", str_of(type));
		if (strcmp(type, "choice") == 0) {
			put_options(d, w, "options", NULL, "label", 2, 4);
			put_flag(w, "multiSelect", generator_below(d, 2));
		}
		if (strcmp(type, "text") == 0 && generator_seldom(d))
			put(w, "placeholder", generator_text(d));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void opencode(struct generator *d, struct json_writer *w)
{
	if (generator_seldom(d)) {
		put(w, "id", generator_word(d));
		put(w, "sessionID", generator_word(d));
		put(w, "permission", generator_word(d));
		jw_key(w, "patterns");
		jw_raw(w, STR("[\"git *\"]"));
		put_object(d, w, "metadata", 1);
		jw_key(w, "always");
		jw_raw(w, generator_below(d, 2) ? STR("[\"git *\"]") : STR("[]"));
		return;
	}
	jw_key(w, "questions");
	jw_array(w);
	for (uint32_t n = 1 + generator_below(d, 3); n; n--) {
		jw_object(w);
		put(w, "question", generator_text(d));
		put(w, "header", generator_word(d));
		put_options(d, w, "options", NULL, "label", 1, 5);
		put_flag(w, "multiple", generator_below(d, 2));
		if (generator_seldom(d)) put_flag(w, "custom", generator_below(d, 2));
		jw_object_end(w);
	}
	jw_array_end(w);
}

/* ---- schemas ---- */

static void put_enum(struct generator *d, struct json_writer *w)
{
	uint32_t n = 1 + generator_below(d, 5);
	bool titled = generator_below(d, 2);

	jw_key(w, titled ? "oneOf" : "enum");
	jw_array(w);
	while (n--) {
		if (!titled) {
			jw_str(w, generator_label(d));
			continue;
		}
		jw_object(w);
		put(w, "const", generator_word(d));
		put(w, "title", generator_label(d));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void string_schema(struct generator *d, struct json_writer *w)
{
	put(w, "type", STR("string"));
	if (generator_seldom(d)) {
		put_int(w, "minLength", 1 + generator_below(d, 5));
		put_int(w, "maxLength", 10 + generator_below(d, 100));
	} else if (generator_seldom(d)) {
		put(w, "format",
			str_of(GENERATOR_PICK(d, "email", "uri", "date", "date-time")));
	} else if (generator_seldom(d)) {
		put(w, "default", generator_word(d));
	}
}

static void put_schema(struct generator *d, struct json_writer *w)
{
	jw_object(w);
	if (generator_seldom(d)) put(w, "title", generator_label(d));
	if (generator_seldom(d)) put(w, "description", generator_text(d));
	switch (generator_below(d, 5)) {
	case 0: string_schema(d, w); break;
	case 1:
		put(w, "type", generator_below(d, 2) ? STR("integer") : STR("number"));
		put_int(w, "minimum", generator_below(d, 50));
		put_int(w, "maximum", 50 + generator_below(d, 50));
		break;
	case 2:
		put(w, "type", STR("boolean"));
		if (generator_seldom(d)) put_flag(w, "default", true);
		break;
	case 3:
		put(w, "type", STR("string"));
		put_enum(d, w);
		break;
	default:
		put(w, "type", STR("array"));
		jw_key(w, "items");
		jw_object(w);
		put_enum(d, w);
		jw_object_end(w);
		if (generator_seldom(d)) put_int(w, "minItems", 1);
		if (generator_seldom(d))
			put_int(w, "maxItems", 1 + generator_below(d, 3));
		break;
	}
	jw_object_end(w);
}

static void put_object_schema(struct generator *d, struct json_writer *w)
{
	uint32_t n = generator_below(d, 5);
	struct str names[5];

	jw_object(w);
	put(w, "type", STR("object"));
	jw_key(w, "properties");
	jw_object(w);
	for (uint32_t i = 0; i < n; i++) {
		names[i] = generator_word(d);
		jw_key(w, kit_text(names[i]));
		put_schema(d, w);
	}
	jw_object_end(w);
	jw_key(w, "required");
	jw_array(w);
	for (uint32_t i = 0; i < n; i++)
		if (generator_below(d, 2)) jw_str(w, names[i]);
	jw_array_end(w);
	jw_object_end(w);
}

static void elicitation(struct generator *d, struct json_writer *w)
{
	put(w, "message", generator_text(d));
	if (generator_below(d, 8) == 0) {
		put(w, "mode", STR("url"));
		put(w, "url", STR("https://host.test/x"));
		put(w, "elicitationId", generator_word(d));
		return;
	}
	if (generator_below(d, 2)) put(w, "mode", STR("form"));
	jw_key(w, "requestedSchema");
	put_object_schema(d, w);
}

static void ag_ui(struct generator *d, struct json_writer *w)
{
	char at[TIME_SIZE];

	jw_key(w, "interrupts");
	jw_array(w);
	for (uint32_t n = 1 + generator_below(d, 3); n; n--) {
		jw_object(w);
		put(w, "id", generator_word(d));
		put(w, "reason",
			str_of(GENERATOR_PICK(
				d, "tool_call", "input_required", "confirmation")));
		put(w, "message", generator_text(d));
		if (generator_seldom(d)) {
			time_write(clock_now_ms() + 3600 * 1000, at);
			put(w, "expiresAt", str_of(at));
		}
		if (generator_below(d, 2)) {
			jw_key(w, "responseSchema");
			put_object_schema(d, w);
		}
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void airflow(struct generator *d, struct json_writer *w)
{
	uint32_t n = 1 + generator_below(d, 4);
	struct str first = STR_NONE;

	put(w, "subject", generator_text(d));
	if (generator_below(d, 2)) put(w, "body", generator_text(d));
	jw_key(w, "options");
	jw_array(w);
	while (n--) {
		first = generator_label(d);
		jw_str(w, first);
	}
	jw_array_end(w);
	put_flag(w, "multiple", generator_below(d, 2));
	if (generator_seldom(d)) {
		jw_key(w, "defaults");
		jw_array(w);
		jw_str(w, first);
		jw_array_end(w);
	}
	jw_key(w, "params");
	jw_object(w);
	for (n = generator_below(d, 4); n; n--) {
		jw_key(w, kit_text(generator_word(d)));
		if (generator_below(d, 2)) {
			jw_str(w, generator_text(d));
			continue;
		}
		jw_object(w);
		put_int(w, "value", generator_below(d, 100));
		put(w, "description", generator_text(d));
		jw_key(w, "schema");
		jw_raw(w, STR("{\"type\":\"integer\",\"minimum\":0,\"maximum\":100}"));
		jw_object_end(w);
	}
	jw_object_end(w);
	jw_key(w, "assigned_users");
	jw_raw(w, STR("[]"));
}

/* ---- operations ---- */

static void permission(struct generator *d, struct json_writer *w)
{
	bool hook = generator_below(d, 2);

	if (hook)
		put(w, "hook_event_name",
			str_of(GENERATOR_PICK(d, "PreToolUse", "PermissionRequest")));
	put(w, "tool_name", generator_word(d));
	put_object(d, w, hook ? "tool_input" : "input", 2);
	if (generator_below(d, 2)) put(w, "tool_use_id", generator_word(d));
}

static void inbox_interrupt(struct generator *d, struct json_writer *w)
{
	bool accept = generator_below(d, 2);

	jw_object(w);
	jw_key(w, "action_request");
	jw_object(w);
	put(w, "action", generator_word(d));
	put_object(d, w, "args", 2);
	jw_object_end(w);
	jw_key(w, "config");
	jw_object(w);
	put_flag(w, "allow_accept", accept);
	put_flag(w, "allow_edit", generator_below(d, 2));
	put_flag(w, "allow_respond", true);
	put_flag(w, "allow_ignore", generator_below(d, 2));
	jw_object_end(w);
	if (generator_below(d, 2)) put(w, "description", generator_text(d));
	jw_object_end(w);
}

static void langchain_hitl(struct generator *d, struct json_writer *w)
{
	uint32_t n = 1 + generator_below(d, 3);
	struct str names[3];

	jw_key(w, "action_requests");
	jw_array(w);
	for (uint32_t i = 0; i < n; i++) {
		names[i] = generator_word(d);
		jw_object(w);
		put(w, "name", names[i]);
		put_object(d, w, "args", 2);
		if (generator_below(d, 2)) put(w, "description", generator_text(d));
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_key(w, "review_configs");
	jw_array(w);
	for (uint32_t i = 0; i < n; i++) {
		jw_object(w);
		put(w, "action_name", names[i]);
		jw_key(w, "allowed_decisions");
		jw_raw(w, str_of(GENERATOR_PICK(d, "[\"approve\",\"reject\"]",
				  "[\"approve\",\"edit\",\"reject\"]",
				  "[\"approve\",\"edit\",\"reject\",\"respond\"]",
				  "[\"edit\",\"reject\"]", "[\"respond\"]")));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void acp(struct generator *d, struct json_writer *w)
{
	static const char *const kinds[] = { "allow_once", "reject_once", "allow_always",
		"reject_always" };
	uint32_t n = 2 + generator_below(d, 3);

	put(w, "sessionId", generator_word(d));
	jw_key(w, "toolCall");
	jw_object(w);
	put(w, "toolCallId", generator_word(d));
	put(w, "title", generator_label(d));
	put_object(d, w, "rawInput", 2);
	jw_object_end(w);
	jw_key(w, "options");
	jw_array(w);
	for (uint32_t i = 0; i < n; i++) {
		jw_object(w);
		put(w, "optionId", generator_word(d));
		put(w, "name", generator_label(d));
		put(w, "kind", str_of(kinds[i]));
		jw_object_end(w);
	}
	jw_array_end(w);
}

/* As it is, or as a server replies with it or tells of it. */
static void a2a(struct generator *d, struct json_writer *w)
{
	static const char *const around[] = { NULL, "task", "statusUpdate", "result" };
	const char *in = around[generator_below(d, 4)];
	bool old = generator_below(d, 2);

	if (in) {
		jw_key(w, in);
		jw_object(w);
	}
	put(w, "id", generator_word(d));
	put(w, "contextId", generator_word(d));
	jw_key(w, "status");
	jw_object(w);
	put(w, "state", old ? STR("input-required") : STR("TASK_STATE_INPUT_REQUIRED"));
	jw_key(w, "message");
	jw_object(w);
	put(w, "messageId", generator_word(d));
	put(w, "role", old ? STR("agent") : STR("ROLE_AGENT"));
	jw_key(w, "parts");
	jw_array(w);
	for (uint32_t n = 1 + generator_below(d, 3); n; n--) {
		jw_object(w);
		if (old) put(w, "kind", STR("text"));
		put(w, "text", generator_text(d));
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_object_end(w);
	jw_object_end(w);
	if (in) jw_object_end(w);
}

static void vercel(struct generator *d, struct json_writer *w)
{
	put(w, "type", STR("tool-approval-request"));
	put(w, "approvalId", generator_word(d));
	jw_key(w, "toolCall");
	jw_object(w);
	put(w, "type", STR("tool-call"));
	put(w, "toolCallId", generator_word(d));
	put(w, "toolName", generator_word(d));
	put_object(d, w, "input", 2);
	jw_object_end(w);
}

static void humanlayer(struct generator *d, struct json_writer *w)
{
	bool call = generator_below(d, 2);

	put(w, "run_id", generator_word(d));
	put(w, "call_id", generator_word(d));
	jw_key(w, "spec");
	jw_object(w);
	if (call) {
		put(w, "fn", generator_word(d));
		put_object(d, w, "kwargs", 2);
	} else {
		put(w, "msg", generator_text(d));
		if (generator_below(d, 2)) put(w, "subject", generator_text(d));
	}
	if (generator_below(d, 2))
		put_options(d, w, call ? "reject_options" : "response_options", "name",
			"title", 1, 4);
	put_object(d, w, "state", 2);
	jw_object_end(w);
}

static void openai_agents(struct generator *d, struct json_writer *w)
{
	put(w, "type", STR("tool_approval_item"));
	jw_key(w, "rawItem");
	jw_object(w);
	put(w, "type", STR("function_call"));
	put(w, "callId", generator_word(d));
	put(w, "name", generator_word(d));
	put_object(d, w, "arguments", 2);
	jw_object_end(w);
	put(w, "toolName", generator_word(d));
}

static void mastra(struct generator *d, struct json_writer *w)
{
	put(w, "toolCallId", generator_word(d));
	put(w, "toolName", generator_word(d));
	put_object(d, w, "args", 2);
	if (generator_below(d, 2)) return;
	jw_key(w, "suspendPayload");
	jw_object(w);
	put(w, "message", generator_text(d));
	jw_object_end(w);
	if (generator_seldom(d)) return;
	jw_key(w, "resumeSchema");
	put_object_schema(d, w);
}

static const struct {
	const char *name;
	request_fn *write;
} makers[] = {
	{ "ask_user_question", ask_user_question },
	{ "user_question", user_question },
	{ "ask_question", ask_question },
	{ "elicitation", elicitation },
	{ "permission", permission },
	{ "codex", codex },
	{ "gemini", gemini },
	{ "opencode", opencode },
	{ "langchain_hitl", langchain_hitl },
	{ "ag_ui", ag_ui },
	{ "acp", acp },
	{ "a2a", a2a },
	{ "vercel", vercel },
	{ "airflow", airflow },
	{ "humanlayer", humanlayer },
	{ "openai_agents", openai_agents },
	{ "mastra", mastra },
};

static void inbox(struct generator *d, struct json_writer *w)
{
	if (generator_below(d, 2)) {
		inbox_interrupt(d, w);
		return;
	}
	jw_array(w);
	for (uint32_t n = 1 + generator_below(d, 3); n; n--)
		inbox_interrupt(d, w);
	jw_array_end(w);
}

const struct json *generator_request(struct generator *d, const char *dialect)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *json = NULL;
	struct fault why = { 0 };

	if (strcmp(dialect, "agent_inbox") == 0) inbox(d, &w);
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		if (strcmp(makers[i].name, dialect) != 0) continue;
		jw_object(&w);
		makers[i].write(d, &w);
		jw_object_end(&w);
	}
	struct str text = arena_str(&kit, buf_str(&b));
	buf_done(&b);
	if (json_read(text, NULL, &kit, &json, &why))
		fail_msg("no request of %s: %s", dialect, why.detail);
	return json;
}
