/* verb_hook.c - parley hook: the approval hook of coding agents. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/approval.h"
#include "cli/hook_rules.h"
#include "cli/outcome.h"
#include "cli/reach.h"
#include "cli/verbs.h"
#include "text/keep.h"

enum {
	EVENT_BYTES = 1 << 20,
	PATIENCE_MS = 5000, /* with a server that is away for a moment */
	HOLD_S = 300,	    /* what is asked of the server at a time */
	WAIT_MS = 50000,    /* below the 60 s that a hook may take, if nobody said more */
};

/* What comes in on stdin, and who decides on it. */
struct hook {
	struct cli *cli;
	struct client *client;
	const struct json *event, *input;
	struct str session_id, tool, call_id;
	const char *dialect;
	const struct json *ask, *reply; /* as last seen; the reply in the dialect */
	int64_t wait_ms;
	struct str then; /* the decision when that is over */
};

static void decision_print(
	struct str decision, struct str reason, const struct json *updated)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	jw_key(&w, "hookSpecificOutput");
	jw_object(&w);
	jw_key(&w, "hookEventName");
	jw_text(&w, "PreToolUse");
	jw_key(&w, "permissionDecision");
	jw_str(&w, decision);
	if (reason.len > 0) jw_key(&w, "permissionDecisionReason"), jw_str(&w, reason);
	if (updated) jw_key(&w, "updatedInput"), jw_json(&w, updated);
	jw_object_end(&w);
	jw_object_end(&w);
	buf_add_char(&out, '\n');
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

/* What cannot be read is blocked: that is what 2 means to Claude Code. */
static int event_read(struct hook *h)
{
	struct arena *arena = &h->cli->arena;
	struct fault why = { 0 };
	struct str text;

	if (!stdin_read(EVENT_BYTES, arena, &text) ||
		json_read(text, NULL, arena, &h->event, &why) != OK)
		return CLI_USAGE(h->cli, "cli.hook.event");
	h->session_id = json_text(json_get(h->event, "session_id"));
	h->tool = json_text(json_get(h->event, "tool_name"));
	h->call_id = json_text(json_get(h->event, "tool_use_id"));
	h->input = json_get(h->event, "tool_input");
	if (!str_is(json_text(json_get(h->event, "hook_event_name")), "PreToolUse") ||
		h->session_id.len == 0 || h->tool.len == 0 ||
		!json_is(h->input, JSON_OBJECT))
		return CLI_USAGE(h->cli, "cli.hook.event");
	/* Its questions are answered here, instead of allowed. */
	h->dialect =
		str_is(h->tool, "AskUserQuestion") ? "ask_user_question" : "permission";
	return EXIT_YES;
}

static bool flag_fits(const struct hook *h, const char *flag, enum rule_effect effect)
{
	struct str rules;

	for (size_t i = 0; args_next(&h->cli->args, flag, &i, &rules);)
		if (rules_fit(rules, effect, h->tool, h->input)) return true;
	return false;
}

/* True when the rules of the command line have decided. */
static bool rules_decide(const struct hook *h)
{
	bool some = args_have(&h->cli->args, "ask-only");

	if (flag_fits(h, "deny", RULE_STOPS)) {
		decision_print(STR("deny"), STR("A rule of this hook forbids it."), NULL);
		return true;
	}
	if (some && flag_fits(h, "ask-only", RULE_STOPS)) return false;
	if (flag_fits(h, "allow", RULE_GRANTS)) {
		decision_print(STR("allow"), STR("A rule of this hook allows it."), NULL);
		return true;
	}
	return some; /* left to Claude Code's own rules: nothing is printed */
}

static enum err call(struct hook *h, const char *method, struct str path, struct str body,
	struct str key, struct api_reply *out, struct fault *why)
{
	struct api_call c = { .method = method,
		.path = path,
		.body = body,
		.key = key,
		.hold_ms = HOLD_S * 1000 };
	struct patience patience = { .total_ms = PATIENCE_MS, .must_connect = true };
	enum err err = client_insist(h->client, &c, &patience, &h->cli->arena, out, why);

	if (err == OK && !out->json)
		err = fail(why, ERR_INTERNAL, "%s",
			MSG(&h->cli->arena, "cli.not_parley").at);
	return err;
}

/* The session of Claude Code is one here. Its tools may run side by side. */
static enum err session_open(struct hook *h, struct str *id, struct fault *why)
{
	struct arena *arena = &h->cli->arena;
	struct str cwd = json_text(json_get(h->event, "cwd"));
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	struct api_reply reply;

	jw_object(&w);
	jw_key(&w, "title");
	jw_str(&w, arena_print(arena, "Claude Code: %.*s",
			   STR_ARGS(str_first(cwd.len > 0 ? cwd : h->session_id, 150))));
	jw_key(&w, "external_id");
	jw_str(&w, h->session_id);
	jw_key(&w, "parallel");
	jw_bool(&w, true);
	jw_object_end(&w);
	enum err err = call(h, "POST", STR("/v1/sessions"), buf_keep(&body, arena),
		key_make(arena), &reply, why);
	if (err == OK) *id = json_text(json_get(reply.json, "id"));
	return err;
}

/* What a call that was put off, and then taken up again, has in common with itself. */
static struct str body_make(struct hook *h)
{
	static const char *const members[] = { "hook_event_name", "tool_name",
		"tool_input", "tool_use_id", "cwd" };
	struct buf body = { .max = 2 * EVENT_BYTES };
	struct json_writer w = { .out = &body };

	if (str_is(h->tool, "AskUserQuestion")) {
		json_write(&body, h->input);
		return buf_keep(&body, &h->cli->arena);
	}
	jw_object(&w);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const struct json *value = json_get(h->event, members[i]);

		if (value) jw_key(&w, members[i]), jw_json(&w, value);
	}
	jw_object_end(&w);
	return buf_keep(&body, &h->cli->arena);
}

static enum err ask_put(struct hook *h, struct fault *why)
{
	struct arena *arena = &h->cli->arena;
	struct str session, key = key_make(arena);
	struct api_reply reply;
	enum err err = session_open(h, &session, why);

	if (err != OK) return err;
	if (h->call_id.len > 0)
		key = arena_print(arena, "claude:%.*s:%.*s", STR_ARGS(h->session_id),
			STR_ARGS(h->call_id));
	err = call(h, "POST",
		arena_print(arena, "/v1/sessions/%.*s/asks?dialect=%s", STR_ARGS(session),
			h->dialect),
		body_make(h), key, &reply, why);
	if (err == OK) h->ask = reply.json;
	return err;
}

static bool pending(const struct hook *h)
{
	return str_is(json_text(json_get(h->ask, "status")), "pending");
}

static enum err ask_await(struct hook *h, struct fault *why)
{
	struct str id = json_text(json_get(h->ask, "id"));
	int64_t until = clock_mono_ms() + h->wait_ms;
	enum err err;

	do {
		int64_t left = (until - clock_mono_ms()) / 1000;
		struct str tail =
			arena_print(&h->cli->arena, "?dialect=%s&wait=%d", h->dialect,
				(int)(left < 0		? 0
					: left > HOLD_S ? HOLD_S
							: left));
		struct api_reply reply;

		err = call(h, "GET", ask_path(h->cli, id, tail.at), STR_NONE, STR_NONE,
			&reply, why);
		if (err != OK) return err;
		h->ask = json_get(reply.json, "ask");
		h->reply = json_get(reply.json, "reply");
	} while (pending(h) && clock_mono_ms() + 1000 < until);
	return OK;
}

/* What was approved is this very call, and is used up with it. */
static bool approval_holds(struct hook *h)
{
	struct approval ap = { .asking = { .cli = h->cli,
				       .client = h->client,
				       .ask = h->ask,
				       .id = json_text(json_get(h->ask, "id")) } };
	struct buf text = { .max = 2 * EVENT_BYTES };
	struct json_writer w = { .out = &text };
	char digest[DIGEST_SIZE];

	jw_object(&w);
	jw_key(&w, "type");
	jw_text(&w, "tool");
	jw_key(&w, "name");
	jw_str(&w, h->tool);
	jw_key(&w, "arguments");
	jw_json(&w, h->input);
	jw_object_end(&w);
	return json_read(buf_keep(&text, &h->cli->arena), NULL, &h->cli->arena,
		       &ap.operation, NULL) == OK &&
	       approval_digest(&ap, digest) && approval_use(&ap, digest) == EXIT_YES;
}

static void answers_print(struct hook *h)
{
	bool answered = json_is(json_get(h->ask, "answer"), JSON_OBJECT);
	struct str message = json_text(json_get(h->reply, "message"));

	if (answered)
		decision_print(STR("allow"), message, h->reply);
	else
		decision_print(STR("deny"), message, NULL);
}

static void outcome_print(struct hook *h)
{
	const struct json *out = json_get(h->reply, "hookSpecificOutput");
	struct str url = json_text(json_get(h->ask, "url"));

	if (pending(h))
		decision_print(h->then,
			arena_print(&h->cli->arena, "Nobody has decided yet: %.*s",
				STR_ARGS(url)),
			NULL);
	else if (str_is(h->tool, "AskUserQuestion"))
		answers_print(h);
	else if (str_is(json_text(json_get(out, "permissionDecision")), "allow") &&
		 !approval_holds(h))
		decision_print(STR("ask"),
			STR("The approval is for another call, or was used already."),
			NULL);
	else
		json_print(h->reply);
}

static int flags_read(struct hook *h)
{
	static const char *const thens[] = { "defer", "ask", "deny" };
	struct str wait = args_get(&h->cli->args, "wait");

	h->wait_ms = WAIT_MS;
	if (wait.at && !duration_read(wait, &h->wait_ms))
		return CLI_USAGE(h->cli, "cli.timeout.wrong", { "value", wait });
	h->then = args_get(&h->cli->args, "then");
	if (!h->then.at) h->then = str_of(thens[0]);
	for (size_t i = 0; i < sizeof thens / sizeof *thens; i++)
		if (str_is(h->then, thens[i])) return EXIT_YES;
	return CLI_USAGE(h->cli, "cli.hook.then", { "value", h->then });
}

static int hook_run(struct cli *cli)
{
	struct hook h = { .cli = cli };
	struct fault why = { 0 };
	int status = flags_read(&h);

	if (status == EXIT_YES) status = event_read(&h);
	if (status != EXIT_YES || rules_decide(&h)) return status;
	term_watch(&cli->term);
	h.client = reach(cli, AS_AGENT, &why);
	/* Whatever stands in the way of a decision leaves it to the person there. */
	if (!h.client || ask_put(&h, &why) != OK || ask_await(&h, &why) != OK)
		decision_print(STR("ask"),
			arena_print(
				&cli->arena, "Parley could not be asked: %s", why.detail),
			NULL);
	else
		outcome_print(&h);
	client_free(h.client);
	return EXIT_YES;
}

static const struct flag flags[] = {
	{ .name = "allow", .value = "RULES", .many = true },
	{ .name = "deny", .value = "RULES", .many = true },
	{ .name = "ask-only", .value = "RULES", .many = true },
	{ .name = "wait", .value = "TIME" },
	{ .name = "then", .value = "DECISION" },
	{ 0 },
};

static const char *const examples[] = {
	"parley hook claude --allow 'Read,Glob,Grep,mcp__parley__*'",
	"parley hook claude --deny 'Bash(sudo *)' --ask-only 'Bash(git push*),Write'",
	"parley hook claude --wait 9m --then ask",
	NULL,
};

const struct command verb_hook_claude = {
	.name = "hook claude",
	.run = hook_run,
	.flags = flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 2",
	.examples = examples,
};
