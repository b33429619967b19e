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
#include "cli/project.h"
#include "cli/request.h"
#include "cli/verb/hook.h"
#include "cli/verb/verbs.h"
#include "core/run/run_tool.h"
#include "core/shared/glob.h"
#include "text/problem_words.h"

enum {
	EVENT_BYTES = 1 << 20,
	PATIENCE_MS = 5000, /* with a server that is away for a moment */
	HOLD_S = 300,	    /* what is asked of the server at a time */
	WAIT_MS = 50000,    /* below the 60 s that a hook may take, if nobody said more */
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

bool hook_decide(struct hook *h, enum hook_decision decision, struct str reason)
{
	struct arena *arena = &h->cli->arena;
	struct str text = h->prompts ? hook_prompt_text(decision == HOOK_ALLOW, reason,
					       h->edited, arena)
				     : hook_decision_text(h->agent, decision, reason,
					       h->edited, arena);

	if (text.len) text = arena_print(&h->cli->arena, "%.*s\n", STR_ARGS(text));
	if (!decision_write(h, text) || h->cli->arena.failed) {
		SAY("cli.stdout", { "why", str_of(strerror(errno ? errno : EIO)) });
		h->untold = true;
	}
	return true;
}

bool hook_event_take(struct hook *h, const struct json *event, const char *name)
{
	if (!hook_event_read(h->agent, event, name, &h->cli->arena, &h->event))
		return false;
	h->asks = h->agent->question && str_is(h->event.tool, h->agent->question);
	h->plans = h->agent->planned && str_is(h->event.tool, h->agent->planned);
	/* Its questions are answered here, instead of allowed. */
	h->dialect = h->asks ? "ask_user_question" : "permission";
	return true;
}

static void event_read(struct hook *h)
{
	struct arena *arena = &h->cli->arena;
	const struct json *event;
	struct str text;

	if (!stdin_read(EVENT_BYTES, arena, &text) ||
		json_read(text, NULL, arena, &event, NULL) != OK ||
		!hook_event_take(h, event, NULL))
		CLI_REFUSE(
			h->cli, "cli.hook.event", { "agent", str_of(h->agent->title) });
}

void hook_rules_read(struct hook *h, const char *flag, bool allows, struct tool_list *out)
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

const struct json *hook_operation(struct hook *h)
{
	const struct json *out = NULL;

	json_read(BODY(h->cli, { "type", h->plans ? STR("plan") : STR("tool") },
			  { "name", .text = h->plans ? STR("plan") : h->event.tool },
			  { "arguments", .json = h->event.input }),
		NULL, &h->cli->arena, &out, NULL);
	return out;
}

/* True when the rules of the command line have decided. */
static bool rules_decide(struct hook *h)
{
	const struct json *operation = hook_operation(h);
	struct arena *arena = &h->cli->arena;

	if (tool_list_stops(&h->deny, operation, arena))
		return hook_decide(h, HOOK_DENY, STR("A rule of this hook forbids it."));
	h->must_ask = tool_list_stops(&h->ask_only, operation, arena);
	return own_tool(h->event.tool) && !h->must_ask &&
	       hook_decide(h, HOOK_ALLOW, STR("Asking needs no approval."));
}

/* True when the server's word and the rules of the command line together have decided. These
 * allow only where the server does not deny. A mode that nobody has set allows nothing here: who
 * sets up a hook wants to be asked. */
static bool policy_decides(struct hook *h, const struct json *said)
{
	struct str effect = json_text_of(said, "effect");
	struct str reason = json_text_of(said, "reason");
	bool unset = json_is(json_get(said, "default"), JSON_TRUE);

	if (str_is(effect, "deny")) return hook_decide(h, HOOK_DENY, reason);
	if (h->must_ask) return false;
	if (tool_list_allows(&h->allow, hook_operation(h), &h->cli->arena))
		return hook_decide(h, HOOK_ALLOW, STR("A rule of this hook allows it."));
	if (str_is(effect, "allow") && !unset) return hook_decide(h, HOOK_ALLOW, reason);
	/* The rest is left to the agent's own rules: nothing is printed. */
	return cli_has(h->cli, "ask-only");
}

enum err hook_call(struct hook *h, const char *method, struct str path, struct str body,
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
	enum err err = hook_call(h, "POST", STR("/v1/sessions"),
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
		hook_call(h, "GET", STR("/v1/me"), STR_NONE, STR_NONE, &me, NULL) != OK)
		return false;
	bound = json_get(me.json, "projects");
	if (!json_is(bound, JSON_ARRAY)) return true;
	for (const struct json *item = NULL; json_each(bound, &item);)
		if (glob_fits(json_text(item), tree)) return true;
	return false;
}

enum err hook_session_find(struct hook *h, struct fault *why)
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

/* Beside a prompt: where, and until when. */
static struct str ask_meta(struct hook *h)
{
	if (!h->prompts) return STR_NONE;
	return BODY(h->cli, { "parley/beside", STR("terminal") },
		{ "parley/timeout", .raw = arena_print(&h->cli->arena, "%lld",
					    (long long)(h->wait_ms / 1000)) });
}

/* The same for a call that was put off and is taken up again. */
static struct str ask_body(struct hook *h)
{
	struct buf body = { .max = 2 * EVENT_BYTES };

	if (!h->asks)
		return BODY(h->cli,
			{ "hook_event_name",
				str_of(h->prompts ? "PermissionRequest" : "PreToolUse") },
			{ "tool_name", .text = h->event.tool },
			{ "tool_input", .json = h->event.input },
			{ "tool_use_id", h->event.call }, { "cwd", h->event.cwd },
			{ "_meta", .raw = ask_meta(h) });
	if (h->prompts)
		return request_without(&h->cli->arena, h->event.input, "_meta",
			(const struct body_member[]){
				{ "_meta", .raw = ask_meta(h) }, { 0 } });
	json_write(&body, h->event.input);
	return buf_keep_done(&body, &h->cli->arena);
}

static struct str ask_key(struct hook *h)
{
	struct arena *arena = &h->cli->arena;

	if (!h->event.call.len) return key_make(arena);
	return arena_print(arena, "%s:%.*s:%.*s", h->agent->name,
		STR_ARGS(h->event.session), STR_ARGS(h->event.call));
}

enum err hook_ask_put(struct hook *h, struct fault *why)
{
	struct api_reply reply;
	enum err err;

	if (!h->key.len) h->key = ask_key(h);
	err = hook_call(h, "POST",
		arena_print(&h->cli->arena, "/v1/sessions/%.*s/asks?dialect=%s",
			STR_ARGS(h->session), h->dialect),
		ask_body(h), h->key, &reply, why);
	if (err == OK) h->ask = reply.json;
	return err;
}

/* May it run without a person? An agent's own question is no operation. */
static enum err policy_ask(struct hook *h, bool *decided, struct fault *why)
{
	struct api_reply reply;
	enum err err = hook_session_find(h, why);

	if (err != OK || h->asks) return err;
	err = hook_call(h, "POST", STR("/v1/decide"),
		BODY(h->cli, { "operation", .json = hook_operation(h) },
			{ "session", .text = h->session }),
		key_make(&h->cli->arena), &reply, why);
	if (err == OK) *decided = policy_decides(h, reply.json);
	return err;
}

bool hook_ask_pending(const struct hook *h)
{
	return str_is(json_text_of(h->ask, "status"), "pending");
}

enum err hook_ask_await(struct hook *h, struct fault *why)
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

		err = hook_call(h, "GET", ask_path(h->cli, id, tail.at), STR_NONE,
			STR_NONE, &reply, why);
		if (err != OK) return err;
		h->ask = json_get(reply.json, "ask");
		h->reply = json_get(reply.json, "reply");
	} while (hook_ask_pending(h) && !json_get(h->ask, "stopped") &&
		 clock_mono_ms() + 1000 < until);
	return OK;
}

bool hook_approval_holds(struct hook *h, struct approval *ap)
{
	char digest[DIGEST_SIZE];

	*ap = (struct approval){ .asking = { .cli = h->cli,
					 .client = h->client,
					 .ask = h->ask,
					 .id = json_text_of(h->ask, "id") } };
	ap->operation = hook_operation(h);
	return ap->operation && approval_digest(ap, digest) &&
	       approval_use(ap, digest) == EXIT_YES;
}

void hook_ask_withdraw(struct hook *h, const char *reason)
{
	struct str id = json_text_of(h->ask, "id");
	struct api_reply reply;

	hook_call(h, "POST", ask_path(h->cli, id, "/cancel"),
		BODY(h->cli, { "reason", str_of(reason) }), key_make(&h->cli->arena),
		&reply, NULL);
}

bool hook_stop_decide(struct hook *h)
{
	const struct json *stop = json_get(h->ask, "stopped");

	hook_ask_withdraw(h, "Stopped");
	return hook_decide(h, HOOK_DENY,
		arena_print(&h->cli->arena, "Stopped by %.*s: %.*s",
			STR_ARGS(json_text_of(json_get(stop, "by"), "name")),
			STR_ARGS(json_text_of(stop, "reason"))));
}

static bool silence_decide(struct hook *h)
{
	struct str url = json_text_of(h->ask, "url");

	if (h->then == HOOK_DEFER)
		return hook_decide(h, HOOK_DEFER,
			arena_print(&h->cli->arena, "Nobody has decided yet: %.*s",
				STR_ARGS(url)));
	hook_ask_withdraw(h, "Nobody decided in time");
	return hook_decide(
		h, h->then, STR("Nobody decided in time, so it does not run."));
}

static bool answers_decide(struct hook *h)
{
	bool answered = json_is(json_get(h->ask, "answer"), JSON_OBJECT);

	if (answered) h->edited = h->reply;
	return hook_decide(
		h, answered ? HOOK_ALLOW : HOOK_DENY, json_text_of(h->reply, "message"));
}

static bool approval_decide(struct hook *h)
{
	const struct json *out = json_get(h->reply, "hookSpecificOutput");
	const struct json *edited = json_get(out, "updatedInput");
	struct str reason = json_text_of(out, "permissionDecisionReason");
	struct approval ap;

	if (!str_is(json_text_of(out, "permissionDecision"), "allow"))
		return hook_decide(h, HOOK_DENY, reason);
	if (edited && !hook_agent_carries(h->agent, h->event.input, edited))
		return hook_decide(h, HOOK_DENY,
			arena_print(&h->cli->arena,
				"The person edited this call, and %s cannot take an edit "
				"from a hook. Make the call again as edited.",
				h->agent->title));
	if (!hook_approval_holds(h, &ap))
		return hook_decide(h, HOOK_DENY,
			ap.refused.len
				? ap.refused
				: STR("The approval is for another call, or was used already."));
	h->edited = edited;
	return hook_decide(h, HOOK_ALLOW, reason);
}

static int flags_read(struct hook *h)
{
	struct str wait = cli_arg(h->cli, "wait");
	struct str then = cli_arg(h->cli, "then");
	struct str name = cli_word(h->cli, 0);

	h->agent = hook_agent_find(name);
	if (!h->agent) return CLI_USAGE(h->cli, "cli.hook.agent", { "agent", name });
	if (cli_has(h->cli, "prompts")) return EXIT_YES;
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
	if (hook_ask_pending(h) && json_get(h->ask, "stopped"))
		return hook_stop_decide(h);
	if (hook_ask_pending(h)) return silence_decide(h);
	return h->asks ? answers_decide(h) : approval_decide(h);
}

static struct str machine_user(struct arena *arena)
{
	const struct passwd *me = getpwuid(getuid());

	return me ? arena_str(arena, str_of(me->pw_name)) : STR_NONE;
}

void hook_place_say(struct hook *h)
{
	struct cli *cli = h->cli;

	if (h->event.cwd.len)
		project_say(cli, arena_copy(&cli->arena, h->event.cwd));
	else
		project_say_here(cli);
	cli->program = str_of(h->agent->title);
	cli->machine_user = machine_user(&cli->arena);
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
	if (cli_has(cli, "prompts")) return hook_prompts_run(&h);
	hook_rules_read(&h, "deny", false, &h.deny);
	hook_rules_read(&h, "ask-only", false, &h.ask_only);
	hook_rules_read(&h, "allow", true, &h.allow);
	event_read(&h);
	hook_place_say(&h);
	/* A plan without its text: the agent's own prompt shows what there is. */
	if (h.plans && !json_text_of(h.event.input, "plan").len) return EXIT_YES;
	if (rules_decide(&h)) return hook_status(&h);
	term_watch(&cli->term);
	h.client = pick_client(cli, AS_AGENT, &why);
	if (!h.client || policy_ask(&h, &decided, &why) != OK ||
		(!decided &&
			(hook_ask_put(&h, &why) != OK || hook_ask_await(&h, &why) != OK)))
		hook_decide(&h, HOOK_DENY,
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
	{ "prompts" }, { "project", "NAME" }, { "wait", "TIME" }, { "then", "DECISION" },
	{ 0 } };

const struct command hook_verbs[] = {
	{ "hook", hook_run, "AGENT", 1, 1, flags, CLIENT, "0 2",
		"parley connect claude --hook\n"
		"parley hook claude --allow 'Read,Glob,Grep'\n"
		"parley hook codex --deny 'Bash(sudo *)' --ask-only 'Bash(git push*)'\n"
		"parley hook claude --wait 9m --then defer\n"
		"parley hook claude --prompts" },
	{ 0 },
};
