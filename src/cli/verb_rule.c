/* verb_rule.c - parley rule list, add, try, end; parley policy. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/reach.h"
#include "cli/rule_words.h"
#include "cli/verbs.h"
#include "text/safe_text.h"

static struct str text_of(const struct json *of, const char *name)
{
	return json_text(json_get(of, name));
}

/* One call as the person at this shell. EXIT_YES, or said. */
static int person_call(struct cli *cli, const char *method, struct str path,
	struct str body, struct api_reply *out)
{
	struct fault why = { 0 };
	struct client *client = reach(cli, AS_PERSON, &why);
	int status;

	if (!client) return cli_fail(cli, &why);
	status = reach_call(cli, client, method, path, body, out, NULL);
	client_free(client);
	return status;
}

/* ---- list ---- */

static int list_run(struct cli *cli)
{
	static const char *const names[] = { "effect", "agent", "state", NULL };
	struct str path = flags_query(cli, "/v1/rules", names), at = path;
	bool json = args_have(&cli->args, "json"), first = true;

	for (;;) {
		struct api_reply reply;
		int status = person_call(cli, "GET", at, STR_NONE, &reply);
		const struct json *items = json_get(reply.json, "items");
		struct str next;

		if (status != EXIT_YES) return status;
		if (json && at.at == path.at) printf("{\"items\":[");
		for (uint32_t i = 0; items && i < items->count; i++, first = false) {
			struct buf one = { .max = 1 << 20 };

			if (!json) rule_print(&items->items[i], &cli->arena);
			if (json) json_write(&one, &items->items[i]);
			if (json)
				printf("%s%.*s", first ? "" : ",", (int)one.len,
					one.len ? one.at : "");
			buf_done(&one);
		}
		next = text_of(reply.json, "next_cursor");
		if (!next.len) break;
		at = arena_print(&cli->arena, "%.*s%scursor=%.*s", STR_ARGS(path),
			str_find(path, STR("?")) >= 0 ? "&" : "?", STR_ARGS(next));
	}
	if (json) printf("],\"next_cursor\":null}\n");
	if (!json && first) SAY("cli.rule.none");
	return EXIT_YES;
}

static const struct flag list_flags[] = {
	{ .name = "effect", .value = "EFFECT", .values = "allow ask deny" },
	{ .name = "agent", .value = "NAME" },
	{ .name = "state", .value = "STATE", .values = "live ended all" },
	{ .name = "json" }, { 0 }
};
static const char *const list_examples[] = { "parley rule list --effect allow", NULL };

const struct command verb_rule_list = {
	.name = "rule list",
	.run = list_run,
	.flags = list_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 2 3 4",
	.examples = list_examples,
};

/* ---- add ---- */

static int rule_body(
	struct cli *cli, struct json_writer *w, struct str effect, struct str pattern)
{
	struct str time = args_get(&cli->args, "for");
	char until[TIME_SIZE];
	int64_t ms = 0;

	if (time.at && (!duration_read(time, &ms) || ms <= 0))
		return CLI_USAGE(cli, "cli.timeout.wrong", { "value", time });
	jw_object(w);
	jw_put_some(w, "effect", effect);
	jw_put_some(w, "note", args_get(&cli->args, "note"));
	jw_put_object(w, "match");
	jw_put_array(w, "tool");
	jw_str(w, pattern);
	jw_array_end(w);
	jw_put_some(w, "agent", args_get(&cli->args, "agent"));
	jw_put_some(w, "project", args_get(&cli->args, "project"));
	jw_object_end(w);
	if (ms) time_write(clock_now_ms() + ms, until);
	if (ms) jw_put_some(w, "expires_at", str_of(until));
	jw_object_end(w);
	return EXIT_YES;
}

static int add_run(struct cli *cli)
{
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	const struct json *waiting;
	struct api_reply reply;
	int status =
		rule_body(cli, &w, args_word(&cli->args, 0), args_word(&cli->args, 1));

	if (status != EXIT_YES) return buf_done(&body), status;
	status = person_call(
		cli, "POST", STR("/v1/rules"), buf_keep_done(&body, &cli->arena), &reply);
	if (status != EXIT_YES) return status;
	if (args_have(&cli->args, "json")) {
		json_print(reply.json);
		return EXIT_YES;
	}
	rule_print(reply.json, &cli->arena);
	warnings_say(cli, reply.json);
	waiting = json_get(reply.json, "waiting");
	if (waiting && waiting->is_int && waiting->integer > 0)
		fprintf(stderr, "%s\n",
			msg_count(&cli->arena, "cli.rule.waiting", waiting->integer).at);
	return EXIT_YES;
}

static const struct flag add_flags[] = { { .name = "agent", .value = "NAME" },
	{ .name = "project", .value = "NAME" }, { .name = "for", .value = "TIME" },
	{ .name = "note", .value = "TEXT" }, { .name = "json" }, { 0 } };
static const char *const add_examples[] = {
	"parley rule add deny 'Bash(git push *--force*)' --note 'never force-push'",
	"parley rule add allow 'Bash(npm test*)' --agent ci --project web --for 8h",
	NULL,
};

const struct command verb_rule_add = {
	.name = "rule add",
	.run = add_run,
	.words = "EFFECT PATTERN",
	.words_min = 2,
	.words_max = 2,
	.flags = add_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4",
	.examples = add_examples,
};

/* ---- try ---- */

/* {"operation": …} of JSON; of a pattern a rule that would allow it. */
static int try_body(struct cli *cli, struct str said, struct buf *out)
{
	struct json_writer w = { .out = out };
	const struct json *operation;
	int status = EXIT_YES;

	jw_object(&w);
	if (str_starts(said, "{")) {
		if (json_read(said, NULL, &cli->arena, &operation, NULL))
			return CLI_USAGE(cli, "cli.rule.json");
		jw_put_json(&w, "operation", operation);
	} else {
		struct str effect = args_get(&cli->args, "effect");

		jw_key(&w, "rule");
		status = rule_body(cli, &w, effect.len ? effect : STR("allow"), said);
	}
	jw_put_some(&w, "agent", args_get(&cli->args, "agent"));
	jw_put_some(&w, "project", args_get(&cli->args, "project"));
	jw_object_end(&w);
	return status;
}

static void tried_print(struct cli *cli, const struct json *tried)
{
	const struct json *fits = json_get(tried, "fits");

	if (!json_is(fits, JSON_ARRAY)) {
		static const char *const counts[] = { "looked", "fits", "allow", "ask",
			"deny", "open" };
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
			printf("%s\t%lld\n", counts[i],
				(long long)json_get(tried, counts[i])->integer);
		fits = json_get(tried, "differs");
		for (uint32_t i = 0; fits && i < fits->count; i++)
			printf("%.*s\t%.*s\t%.*s\n",
				STR_ARGS(text_of(&fits->items[i], "ask")),
				STR_ARGS(text_of(&fits->items[i], "was")),
				STR_ARGS(text_of(&fits->items[i], "would")));
		return;
	}
	printf("%.*s\t%.*s\t%.*s\n", STR_ARGS(text_of(tried, "effect")),
		STR_ARGS(text_of(tried, "risk")), STR_ARGS(text_of(tried, "by")));
	for (uint32_t i = 0; i < fits->count; i++)
		printf("%.*s\t%.*s\t%.*s\n", STR_ARGS(text_of(&fits->items[i], "rule")),
			STR_ARGS(text_of(&fits->items[i], "effect")),
			STR_ARGS(safe_line(
				&cli->arena, text_of(&fits->items[i], "detail"))));
}

static int try_run(struct cli *cli)
{
	struct buf body = { .max = 1 << 20 };
	struct api_reply reply;
	int status = try_body(cli, args_word(&cli->args, 0), &body);

	if (status == EXIT_YES)
		status = person_call(cli, "POST", STR("/v1/rules/try"),
			buf_keep_done(&body, &cli->arena), &reply);
	if (status != EXIT_YES) return buf_done(&body), status;
	if (args_have(&cli->args, "json"))
		json_print(reply.json);
	else
		tried_print(cli, reply.json);
	return EXIT_YES;
}

static const struct flag try_flags[] = {
	{ .name = "effect", .value = "EFFECT", .values = "allow ask deny" },
	{ .name = "agent", .value = "NAME" }, { .name = "project", .value = "NAME" },
	{ .name = "json" }, { 0 }
};
static const char *const try_examples[] = {
	"parley rule try 'Bash(npm test*)'",
	"parley rule try '{\"name\": \"Bash\", \"arguments\": {\"command\": \"rm -r x\"}}'",
	NULL,
};

const struct command verb_rule_try = {
	.name = "rule try",
	.run = try_run,
	.words = "PATTERN|JSON",
	.flags = try_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 2 3 4",
	.examples = try_examples,
};

/* ---- end ---- */

static int end_run(struct cli *cli)
{
	struct str id = args_word(&cli->args, 0);
	struct buf path = { .max = 1024 };
	struct api_reply reply;
	int status;

	buf_add(&path, STR("/v1/rules/"));
	url_add(&path, id);
	status = person_call(
		cli, "DELETE", buf_keep_done(&path, &cli->arena), STR_NONE, &reply);
	if (status == EXIT_YES) SAY("cli.rule.end", { "id", id });
	return status;
}

static const char *const end_examples[] = { "parley rule end rul_01jc…", NULL };

const struct command verb_rule_end = {
	.name = "rule end",
	.run = end_run,
	.words = "RULE",
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4 5",
	.examples = end_examples,
};

/* ---- policy ---- */

/* The mode, on the version that holds. Who names it sets it, also if it is the one that is there. */
static int policy_change(struct cli *cli, const struct json *now, struct api_reply *out)
{
	struct str mode = args_get(&cli->args, "mode");
	const struct json *version = json_get(now, "version");
	struct str body = arena_print(&cli->arena,
		"{\"mode\":\"%.*s\",\"default\":false,\"version\":%lld}", STR_ARGS(mode),
		version && version->is_int ? (long long)version->integer : 0);

	return person_call(cli, "PUT", STR("/v1/policy"), body, out);
}

static int policy_run(struct cli *cli)
{
	struct buf text = { .max = 1 << 20 };
	struct api_reply reply;
	int status = person_call(cli, "GET", STR("/v1/policy"), STR_NONE, &reply);

	if (status == EXIT_YES && args_have(&cli->args, "mode"))
		status = policy_change(cli, reply.json, &reply);
	if (status != EXIT_YES) return status;
	if (args_have(&cli->args, "json")) {
		json_print(reply.json);
		return EXIT_YES;
	}
	json_write_pretty(&text, reply.json);
	printf("%s\n", buf_text(&text));
	buf_done(&text);
	warnings_say(cli, reply.json);
	return EXIT_YES;
}

static const struct flag policy_flags[] = {
	{ .name = "mode", .value = "MODE", .values = "auto manual selective" },
	{ .name = "json" }, { 0 }
};
static const char *const policy_examples[] = { "parley policy",
	"parley policy --mode manual", NULL };

const struct command verb_policy = {
	.name = "policy",
	.run = policy_run,
	.flags = policy_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4",
	.examples = policy_examples,
};
