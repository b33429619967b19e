/* hook.c - parley hook: the approval hooks of coding agents.
 *
 * It fails closed: whatever stands between a call and a person's yes is a no, in the shape
 * that stops the call in that agent. What cannot be read at all ends with status 2, which
 * all of them take for a no. */
#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "cli/approval.h"
#include "cli/connect/hook_agents.h"
#include "cli/project.h"
#include "cli/request.h"
#include "cli/verb/verbs.h"
#include "core/policy/tool_list.h"
#include "core/run/run_tool.h"
#include "core/shared/glob.h"
#include "text/problem_words.h"

enum {
	EVENT_BYTES = 1 << 20,
	PATIENCE_MS = 5000, /* with a server that is away for a moment */
	HOLD_S = 300,	    /* what is asked of the server at a time */
	WAIT_MS = 50000,    /* below the 60 s that a hook may take, if nobody said more */
};

/* What comes in on stdin, and who decides on it. */
struct hook {
	struct cli *cli;
	const struct hook_agent *agent;
	struct client *client;
	struct hook_event event;
	bool asks;	    /* it is the agent's own question to the person */
	bool must_ask;	    /* --ask-only fits */
	struct str session; /* its id here */
	const char *dialect;
	const struct json *ask, *reply; /* as last seen; the reply in the dialect */
	const struct json *edited; /* what is handed back for the input; NULL: nothing */
	int64_t wait_ms;
	enum hook_decision then;		/* when that is over */
	bool untold;				/* the decision could not be written */
	struct tool_list deny, ask_only, allow; /* rules of the command line */
};

/* Past stdio: whether it was written decides how the hook ends. */
static bool decision_write(struct hook *h, struct str text)
{
	while (text.len && !h->cli->stdout_closed) {
		ssize_t n = write(STDOUT_FILENO, text.at, text.len);

		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) break;
		text = str_from(text, (size_t)n);
	}
	return !text.len;
}

/* Always true: it is decided. */
static bool decide(struct hook *h, enum hook_decision decision, struct str reason)
{
	struct str text =
		hook_decision_text(h->agent, decision, reason, h->edited, &h->cli->arena);

	if (text.len) text = arena_print(&h->cli->arena, "%.*s\n", STR_ARGS(text));
	if (!decision_write(h, text) || h->cli->arena.failed) {
		SAY("cli.stdout", { "why", str_of(strerror(errno ? errno : EIO)) });
		h->untold = true;
	}
	return true;
}

static void event_read(struct hook *h)
{
	struct arena *arena = &h->cli->arena;
	const struct json *event;
	struct str text;

	if (!stdin_read(EVENT_BYTES, arena, &text) ||
		json_read(text, NULL, arena, &event, NULL) != OK ||
		!hook_event_read(h->agent, event, arena, &h->event))
		CLI_REFUSE(
			h->cli, "cli.hook.event", { "agent", str_of(h->agent->title) });
	h->asks = h->agent->question && str_is(h->event.tool, h->agent->question);
	/* Its questions are answered here, instead of allowed. */
	h->dialect = h->asks ? "ask_user_question" : "permission";
}

static void rules_read(
	struct hook *h, const char *flag, bool allows, struct tool_list *out)
{
	struct str line, rule = STR_NONE;

	for (size_t i = 0; args_next(&h->cli->args, flag, &i, &line);) {
		const char *wrong =
			tool_list_read(out, line, allows, &h->cli->arena, &rule);

		if (wrong)
			CLI_REFUSE(h->cli, "cli.hook.rule", { "flag", str_of(flag) },
				{ "rule", rule },
				{ "why", problem_words(str_of(wrong), msg_lang(),
						 &h->cli->arena) });
	}
}

/* {"type": "tool", "name", "arguments"}; NULL: no memory. */
static const struct json *operation_of(struct hook *h)
{
	const struct json *out = NULL;

	json_read(BODY(h->cli, { "type", STR("tool") }, { "name", .text = h->event.tool },
			  { "arguments", .json = h->event.input }),
		NULL, &h->cli->arena, &out, NULL);
	return out;
}

/* True when the rules of the command line have decided. */
static bool rules_decide(struct hook *h)
{
	const struct json *operation = operation_of(h);
	struct arena *arena = &h->cli->arena;

	if (tool_list_stops(&h->deny, operation, arena))
		return decide(h, HOOK_DENY, STR("A rule of this hook forbids it."));
	h->must_ask = tool_list_stops(&h->ask_only, operation, arena);
	return own_tool(h->event.tool) && !h->must_ask &&
	       decide(h, HOOK_ALLOW, STR("Asking needs no approval."));
}

/* True when the server's word and the rules of the command line together have decided. These
 * allow only where the server does not deny. A mode that nobody has set allows nothing here: who
 * sets up a hook wants to be asked. */
static bool policy_decides(struct hook *h, const struct json *said)
{
	struct str effect = json_text_of(said, "effect");
	struct str reason = json_text_of(said, "reason");
	bool unset = json_is(json_get(said, "default"), JSON_TRUE);

	if (str_is(effect, "deny")) return decide(h, HOOK_DENY, reason);
	if (h->must_ask) return false;
	if (tool_list_allows(&h->allow, operation_of(h), &h->cli->arena))
		return decide(h, HOOK_ALLOW, STR("A rule of this hook allows it."));
	if (str_is(effect, "allow") && !unset) return decide(h, HOOK_ALLOW, reason);
	/* The rest is left to the agent's own rules: nothing is printed. */
	return cli_has(h->cli, "ask-only");
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

static enum err session_open(
	struct hook *h, struct str name, const struct json **out, struct fault *why)
{
	struct arena *arena = &h->cli->arena;
	struct str about = h->event.cwd.len > 0 ? h->event.cwd : h->event.session;
	struct str title = arena_print(
		arena, "%s: %.*s", h->agent->title, STR_ARGS(utf8_first(about, 150)));
	struct api_reply reply;
	enum err err = call(h, "POST", STR("/v1/sessions"),
		BODY(h->cli, { "title", .text = title }, { "external_id", .text = name },
			{ "parallel", .yes = true }),
		key_make(arena), &reply, why);

	if (err == OK) *out = reply.json;
	return err;
}

/* The agent has gone to another work tree, and its token may ask there: the session belongs to
 * the one before. */
static bool session_moved(struct hook *h, const struct json *session)
{
	struct str tree = h->cli->project.work_tree;
	struct str project = json_text_of(session, "project");
	struct api_reply me;
	const struct json *bound;

	if (!tree.len || !project.len || str_eq(tree, project) ||
		call(h, "GET", STR("/v1/me"), STR_NONE, STR_NONE, &me, NULL) != OK)
		return false;
	bound = json_get(me.json, "projects");
	if (!json_is(bound, JSON_ARRAY)) return true;
	for (const struct json *item = NULL; json_each(bound, &item);)
		if (glob_fits(json_text(item), tree)) return true;
	return false;
}

/* The agent's session is one here, named after it; a second one in another project. Its tools may
 * run side by side. */
static enum err session_find(struct hook *h, struct fault *why)
{
	const struct project_said *said = &h->cli->project;
	const struct json *session = NULL;
	enum err err = session_open(h, h->event.session, &session, why);
	bool other = said->name.len ? err == ERR_INVALID
				    : err == OK && session_moved(h, session);

	if (other)
		err = session_open(h,
			arena_print(&h->cli->arena, "%.*s:%.*s",
				STR_ARGS(h->event.session),
				STR_ARGS(said->name.len ? said->name : said->work_tree)),
			&session, why);
	if (err == OK) h->session = json_text_of(session, "id");
	return err;
}

/* The same for a call that was put off and is taken up again. */
static struct str ask_body(struct hook *h)
{
	struct buf body = { .max = 2 * EVENT_BYTES };

	if (!h->asks)
		return BODY(h->cli, { "hook_event_name", STR("PreToolUse") },
			{ "tool_name", .text = h->event.tool },
			{ "tool_input", .json = h->event.input },
			{ "tool_use_id", h->event.call }, { "cwd", h->event.cwd });
	json_write(&body, h->event.input);
	return buf_keep_done(&body, &h->cli->arena);
}

static enum err ask_put(struct hook *h, struct fault *why)
{
	struct arena *arena = &h->cli->arena;
	struct str key = key_make(arena);
	struct api_reply reply;
	enum err err;

	if (h->event.call.len > 0)
		key = arena_print(arena, "%s:%.*s:%.*s", h->agent->name,
			STR_ARGS(h->event.session), STR_ARGS(h->event.call));
	err = call(h, "POST",
		arena_print(arena, "/v1/sessions/%.*s/asks?dialect=%s",
			STR_ARGS(h->session), h->dialect),
		ask_body(h), key, &reply, why);
	if (err == OK) h->ask = reply.json;
	return err;
}

/* May it run without a person? An agent's own question is no operation. */
static enum err policy_ask(struct hook *h, bool *decided, struct fault *why)
{
	struct api_reply reply;
	enum err err = session_find(h, why);

	if (err != OK || h->asks) return err;
	err = call(h, "POST", STR("/v1/decide"),
		BODY(h->cli, { "operation", .json = operation_of(h) },
			{ "session", .text = h->session }),
		key_make(&h->cli->arena), &reply, why);
	if (err == OK) *decided = policy_decides(h, reply.json);
	return err;
}

static bool pending(const struct hook *h)
{
	return str_is(json_text_of(h->ask, "status"), "pending");
}

static enum err ask_await(struct hook *h, struct fault *why)
{
	struct str id = json_text_of(h->ask, "id");
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
	} while (pending(h) && !json_get(h->ask, "stopped") &&
		 clock_mono_ms() + 1000 < until);
	return OK;
}

/* What was approved is this very call, and is used up with it. *refused: why the server does not
 * let it run; empty where it says nothing. */
static bool approval_holds(struct hook *h, struct str *refused)
{
	struct approval ap = { .asking = { .cli = h->cli,
				       .client = h->client,
				       .ask = h->ask,
				       .id = json_text_of(h->ask, "id") } };
	char digest[DIGEST_SIZE];
	bool holds;

	ap.operation = operation_of(h);
	holds = ap.operation && approval_digest(&ap, digest) &&
		approval_use(&ap, digest) == EXIT_YES;
	*refused = ap.refused;
	return holds;
}

/* Nobody waits for it any more; what is decided later must not look like a yes. */
static void ask_withdraw(struct hook *h, const char *reason)
{
	struct str id = json_text_of(h->ask, "id");
	struct api_reply reply;

	call(h, "POST", ask_path(h->cli, id, "/cancel"),
		BODY(h->cli, { "reason", str_of(reason) }), key_make(&h->cli->arena),
		&reply, NULL);
}

static bool stop_decide(struct hook *h)
{
	const struct json *stop = json_get(h->ask, "stopped");

	ask_withdraw(h, "Stopped");
	return decide(h, HOOK_DENY,
		arena_print(&h->cli->arena, "Stopped by %.*s: %.*s",
			STR_ARGS(json_text_of(json_get(stop, "by"), "name")),
			STR_ARGS(json_text_of(stop, "reason"))));
}

static bool silence_decide(struct hook *h)
{
	struct str url = json_text_of(h->ask, "url");

	if (h->then == HOOK_DEFER)
		return decide(h, HOOK_DEFER,
			arena_print(&h->cli->arena, "Nobody has decided yet: %.*s",
				STR_ARGS(url)));
	ask_withdraw(h, "Nobody decided in time");
	return decide(h, h->then, STR("Nobody decided in time, so it does not run."));
}

static bool answers_decide(struct hook *h)
{
	bool answered = json_is(json_get(h->ask, "answer"), JSON_OBJECT);

	if (answered) h->edited = h->reply;
	return decide(
		h, answered ? HOOK_ALLOW : HOOK_DENY, json_text_of(h->reply, "message"));
}

static bool approval_decide(struct hook *h)
{
	const struct json *out = json_get(h->reply, "hookSpecificOutput");
	const struct json *edited = json_get(out, "updatedInput");
	struct str reason = json_text_of(out, "permissionDecisionReason"), refused;

	if (!str_is(json_text_of(out, "permissionDecision"), "allow"))
		return decide(h, HOOK_DENY, reason);
	if (edited && !hook_agent_carries(h->agent, h->event.input, edited))
		return decide(h, HOOK_DENY,
			arena_print(&h->cli->arena,
				"The person edited this call, and %s cannot take an edit "
				"from a hook. Make the call again as edited.",
				h->agent->title));
	if (!approval_holds(h, &refused))
		return decide(h, HOOK_DENY,
			refused.len
				? refused
				: STR("The approval is for another call, or was used already."));
	h->edited = edited;
	return decide(h, HOOK_ALLOW, reason);
}

static int flags_read(struct hook *h)
{
	struct str wait = cli_arg(h->cli, "wait");
	struct str then = cli_arg(h->cli, "then");
	struct str name = cli_word(h->cli, 0);

	h->agent = hook_agent_find(name);
	if (!h->agent) return CLI_USAGE(h->cli, "cli.hook.agent", { "agent", name });
	h->wait_ms = WAIT_MS;
	if (wait.at && !duration_read(wait, &h->wait_ms))
		return CLI_USAGE(h->cli, "cli.timeout.wrong", { "flag", STR("wait") },
			{ "value", wait });
	h->then = HOOK_DENY;
	for (enum hook_decision d = HOOK_DENY; then.at && d <= HOOK_DEFER; d++)
		if (str_is(then, hook_decision_name(d))) h->then = d;
	if (!then.at || (str_is(then, hook_decision_name(h->then)) &&
				(h->then == HOOK_DENY || h->agent->defers)))
		return EXIT_YES;
	return CLI_USAGE(h->cli,
		h->agent->defers ? "cli.hook.then" : "cli.hook.then.deny",
		{ "value", then }, { "agent", str_of(h->agent->title) });
}

static bool outcome_decide(struct hook *h)
{
	if (pending(h) && json_get(h->ask, "stopped")) return stop_decide(h);
	if (pending(h)) return silence_decide(h);
	return h->asks ? answers_decide(h) : approval_decide(h);
}

static struct str machine_user(struct arena *arena)
{
	const struct passwd *me = getpwuid(getuid());

	return me ? arena_str(arena, str_of(me->pw_name)) : STR_NONE;
}

/* Every agent takes 2 for a no; with 0 and nothing to read most of them run the call. */
static int hook_status(const struct hook *h)
{
	return h->untold ? EXIT_USAGE : EXIT_YES;
}

static int hook_run(struct cli *cli)
{
	struct hook h = { .cli = cli };
	struct fault why = { 0 };
	bool decided = false;
	int status = flags_read(&h);

	if (status != EXIT_YES) return status;
	rules_read(&h, "deny", false, &h.deny);
	rules_read(&h, "ask-only", false, &h.ask_only);
	rules_read(&h, "allow", true, &h.allow);
	event_read(&h);
	if (h.event.cwd.len)
		project_say(cli, arena_copy(&cli->arena, h.event.cwd));
	else
		project_say_here(cli);
	if (rules_decide(&h)) return hook_status(&h);
	term_watch(&cli->term);
	cli->program = str_of(h.agent->title);
	cli->machine_user = machine_user(&cli->arena);
	h.client = pick_client(cli, AS_AGENT, &why);
	if (!h.client || policy_ask(&h, &decided, &why) != OK ||
		(!decided && (ask_put(&h, &why) != OK || ask_await(&h, &why) != OK)))
		decide(&h, HOOK_DENY,
			arena_print(&cli->arena,
				"Parley could not be asked, so it does not run: %s",
				why.detail));
	else if (!decided)
		outcome_decide(&h);
	client_free(h.client);
	return hook_status(&h);
}

static const struct flag flags[] = { { "allow", "RULES", .many = true },
	{ "deny", "RULES", .many = true }, { "ask-only", "RULES", .many = true },
	{ "project", "NAME" }, { "wait", "TIME" }, { "then", "DECISION" }, { 0 } };

const struct command hook_verbs[] = {
	{ "hook", hook_run, "AGENT", 1, 1, flags, CLIENT, "0 2",
		"parley connect claude --hook\n"
		"parley hook claude --allow 'Read,Glob,Grep'\n"
		"parley hook codex --deny 'Bash(sudo *)' --ask-only 'Bash(git push*)'\n"
		"parley hook claude --wait 9m --then defer" },
	{ 0 },
};
