/* pick_client.c - finds the server, and who calls it. */
#include "cli/pick_client.h"

#include "cli/cli_call.h"

#include <stdlib.h>

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
		.traceparent = str_of(getenv("TRACEPARENT")),
		.tracestate = str_of(getenv("TRACESTATE")),
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
