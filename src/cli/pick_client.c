/* pick_client.c - finds the server and calls it as the agent or as the person. */
#include "cli/pick_client.h"

#include "base/id.h"
#include "base/keep.h"
#include "text/problem_words.h"

enum { CALL_PATIENCE_MS = 20000 };

static enum err located_find(struct cli *cli, enum as as, struct str token,
	struct located *out, struct fault *why)
{
	const struct settings *s = &cli->settings;
	struct locate how = { .url = s->url_said ? s->url : STR_NONE,
		.hint = s->url,
		.token = token,
		.data = s->data,
		.as = as };
	enum err err = locate(&how, &cli->arena, out, why);

	if (err != ERR_NOT_FOUND) return err;
	return fail(why, ERR_UNAVAILABLE, "%s", MSG(&cli->arena, "cli.no_server").at);
}

enum err pick_client_locate(
	struct cli *cli, enum as as, struct located *out, struct fault *why)
{
	return located_find(cli, as, cli->settings.token, out, why);
}

static struct client *located_open(
	struct cli *cli, const struct located *at, const char *via, struct fault *why)
{
	struct client_setup setup = { .url = at->url,
		.token = at->token,
		.cookie = at->cookie,
		.via = str_of(via),
		.lang = msg_lang() == LANG_FR ? STR("fr") : STR_NONE,
		.project = cli->project.name,
		.work_tree = cli->project.work_tree,
		.program = cli->program,
		.machine_user = cli->machine_user,
		.stop_fd = cli->term.stop_fd };

	return client_new(&setup, why);
}

/* What is asked on this machine may wait at another server than the person's. */
static void other_server_note(struct cli *cli, const struct located *person)
{
	struct located agent;

	if (cli->settings.url_said ||
		located_find(cli, AS_AGENT, cli->settings.token, &agent, NULL) != OK ||
		str_eq(agent.url, person->url))
		return;
	SAY("cli.two_servers", { "asks", agent.url }, { "answers", person->url });
}

static struct client *pick_client_via(
	struct cli *cli, enum as as, const char *via, struct fault *why)
{
	struct located at;

	if (pick_client_locate(cli, as, &at, why) != OK) return NULL;
	if (as == AS_PERSON) other_server_note(cli, &at);
	return located_open(cli, &at, via, why);
}

struct client *pick_client(struct cli *cli, enum as as, struct fault *why)
{
	return pick_client_via(cli, as, "cli", why);
}

struct client *pick_client_inbox(struct cli *cli, struct fault *why)
{
	return pick_client_via(cli, AS_PERSON, "terminal", why);
}

struct client *pick_client_person(struct cli *cli)
{
	struct located at;

	if (located_find(cli, AS_PERSON, STR_NONE, &at, NULL) != OK || at.cookie.len == 0)
		return NULL;
	return located_open(cli, &at, "terminal", NULL);
}

bool pick_client_knows_person(struct cli *cli)
{
	struct located at;

	return cli->settings.token.len > 0 ||
	       (located_find(cli, AS_PERSON, STR_NONE, &at, NULL) == OK &&
		       at.cookie.len > 0);
}

static bool client_sees(struct cli *cli, struct client *client, struct str id)
{
	struct api_call call = { .method = "GET", .path = ask_path(cli, id, "") };
	struct api_reply reply;

	return client_call(client, &call, &cli->arena, &reply, NULL) != ERR_NOT_FOUND;
}

struct client *pick_client_seeing(struct cli *cli, struct str id, struct fault *why)
{
	struct client *agent = pick_client(cli, AS_AGENT, why), *person;

	if (!agent || cli->settings.token.len > 0 || client_sees(cli, agent, id))
		return agent;
	person = pick_client_person(cli);
	if (!person) return agent;
	client_free(agent);
	return person;
}

int cli_call(struct cli *cli, struct client *client, const char *method, struct str path,
	struct str body, struct api_reply *out, struct fault *conflict)
{
	struct api_call call = { .method = method, .path = path, .body = body };
	struct patience patience = { .total_ms = CALL_PATIENCE_MS, .must_connect = true };
	struct fault why = { 0 };
	enum err err;

	if (strcmp(method, "GET") != 0) call.key = key_make(&cli->arena);
	err = client_insist(client, &call, &patience, &cli->arena, out, &why);
	if (err == OK && !out->json && out->status != 204)
		err = fail(
			&why, ERR_INTERNAL, "%s", MSG(&cli->arena, "cli.not_parley").at);
	if (err == OK) return EXIT_YES;
	if (out->stopped) return term_stopped();
	if (err == ERR_CONFLICT && conflict) return *conflict = why, EXIT_NO;
	return cli_fail(cli, &why);
}

void warnings_say(struct cli *cli, const struct json *reply)
{
	const struct json *warnings = json_get(reply, "warnings");

	for (uint32_t i = 0; json_is(warnings, JSON_ARRAY) && i < warnings->count; i++)
		SAY("cli.rule.warning",
			{ "detail", problem_words(json_text(json_get(
							  &warnings->items[i], "detail")),
					    msg_lang(), &cli->arena) });
}

struct str ask_path(struct cli *cli, struct str id, const char *tail)
{
	struct buf path = { .max = 1024 };

	buf_add(&path, STR("/v1/asks/"));
	url_add(&path, id);
	buf_add_text(&path, tail);
	return buf_keep_done(&path, &cli->arena);
}

struct str flags_query(struct cli *cli, const char *path, const char *const *names)
{
	struct buf out = { .max = 8192 };
	char between = '?';

	buf_add_text(&out, path);
	for (; *names; names++) {
		struct str value = args_get(&cli->args, *names);

		if (!value.at) continue;
		buf_add_char(&out, between);
		buf_print(&out, "%s=", *names);
		url_add(&out, value);
		between = '&';
	}
	return buf_keep_done(&out, &cli->arena);
}

struct str reason_body(struct cli *cli)
{
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	struct str reason = args_get(&cli->args, "reason");

	jw_object(&w);
	if (reason.len > 0) jw_put_str(&w, "reason", reason);
	jw_object_end(&w);
	return buf_keep_done(&body, &cli->arena);
}

int session_resolve(struct cli *cli, struct client *client, struct str *out)
{
	struct str name = args_get(&cli->args, "session");
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	struct api_reply reply;
	int status;

	*out = name;
	if (name.len == 0 || id_valid(name, "ses")) return EXIT_YES;
	jw_object(&w);
	jw_put_str(&w, "title", name);
	jw_put_str(&w, "external_id", name);
	jw_object_end(&w);
	status = cli_call(cli, client, "POST", STR("/v1/sessions"),
		buf_keep_done(&body, &cli->arena), &reply, NULL);
	if (status == EXIT_YES) *out = json_text(json_get(reply.json, "id"));
	return status;
}
