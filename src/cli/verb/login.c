/* login.c - parley login, parley logout. */
#include <stdio.h>
#include <unistd.h>

#include "admin/admin.h"
#include "cli/cli_call.h"
#include "cli/request.h"
#include "cli/verb/verbs.h"

/* What is sent to /v1/login: a code, or a name and a password. */
struct credentials {
	struct str code;
	struct str name;
	struct str password;
};

/* "http://host/login#CODE" is the server's address and its code; anything else a code. */
static struct str link_read(struct cli *cli, struct str word)
{
	int mark = str_find(word, STR("#"));
	struct str origin = url_origin(word);

	if (mark < 0) return word;
	if (origin.len > 0 && !cli->settings.url_said) {
		cli->settings.url = arena_str(&cli->arena, origin);
		cli->settings.url_said = true;
	}
	return str_from(word, (size_t)mark + 1);
}

static bool prompt_read(
	struct cli *cli, int tty, const char *id, bool echo, struct str *out)
{
	struct str prompt = MSG(&cli->arena, id);

	tty_write(tty, prompt);
	tty_write(tty, STR(" "));
	return tty_line(&cli->term, tty, echo, &cli->arena, out);
}

/* ---- on the server's own machine ---- */

/* The owner, by the socket that only the server's user may open. */
static const struct json *owner_find(struct cli *cli, struct client *local)
{
	const struct json *page =
		cli_call_quiet(cli, local, STR("/v1/users?limit=200"), NULL);

	for (const struct json *user = NULL; json_each(json_get(page, "items"), &user);)
		if (str_is(json_text_of(user, "role"), "owner") &&
			!json_is(json_get(user, "disabled"), JSON_TRUE))
			return user;
	return NULL;
}

/* A login link for this user, as `parley user login` makes it. */
static struct str link_make(
	struct cli *cli, struct client *local, const struct json *user)
{
	struct api_call call = { .method = "PATCH",
		.path = path_with(cli, "/v1/users/", json_text_of(user, "id"), ""),
		.body = STR("{\"login\":true}"),
		.key = key_make(&cli->arena) };
	struct api_reply reply;
	struct fault why = { 0 };

	if (client_call(local, &call, &cli->arena, &reply, &why)) cli_fail_end(cli, &why);
	return json_text_of(reply.json, "login");
}

/* Whoever runs the server may log in without a link, but only a person at a terminal is asked: a
 * program that runs as the same user must not become that person. */
static void local_offer(struct cli *cli, struct credentials *c)
{
	struct server_info info;
	const struct json *owner;
	struct client *local;
	struct client_setup setup = { .via = STR("cli"), .stop_fd = -1 };

	if (cli->settings.url_said || cli_has(cli, "name") || !isatty(STDIN_FILENO) ||
		!cli->term.err_tty ||
		server_info_read(cli->settings.data, &cli->arena, &info, NULL))
		return;
	setup.url = admin_local_address(cli->settings.data, &cli->arena);
	local = client_new(&setup, NULL);
	owner = local ? owner_find(cli, local) : NULL;
	if (owner && term_confirm(&cli->term, &cli->arena,
			     MSG(&cli->arena, "cli.login.offer",
				     { "name", json_text_of(owner, "name") },
				     { "url", info.url }))) {
		c->code = link_read(cli, link_make(cli, local, owner));
		cli->settings.url = info.url;
		cli->settings.url_said = true;
	}
	client_free(local);
}

/* ---- from the person ---- */

/* From the terminal; or, with --name, a password that is piped in. */
static void credentials_ask(struct cli *cli, struct credentials *c)
{
	char line[1024];
	int tty;

	c->name = cli_arg(cli, "name");
	if (c->name.len > 0 && !isatty(STDIN_FILENO)) {
		if (!fgets(line, sizeof line, stdin))
			CLI_REFUSE(cli, "cli.login.terminal");
		c->password = arena_str(&cli->arena, str_trim(str_of(line)));
		return;
	}
	tty = tty_open();
	if (tty < 0) CLI_REFUSE(cli, "cli.login.terminal");
	if (!c->name.len) SAY("cli.login.how");
	bool got = c->name.len > 0 ||
		   prompt_read(cli, tty, "cli.login.name", true, &c->name);
	if (got && str_find(c->name, STR("#")) >= 0)
		c->code = link_read(cli, str_trim(c->name));
	else if (got)
		got = prompt_read(cli, tty, "cli.login.password", false, &c->password);
	close(tty);
	if (!got) cli_end(cli, term_stopped());
}

static struct str login_body(struct cli *cli, const struct credentials *c)
{
	if (c->code.len > 0) return BODY(cli, { "code", c->code });
	return BODY(cli, { "name", .text = str_trim(c->name) },
		{ "password", .text = c->password },
		{ "workspace", cli_arg(cli, "workspace") });
}

/* Comes with no token at all: only the credentials count. The name of who is logged in. */
static struct str login_send(
	struct cli *cli, const struct credentials *c, struct login *out)
{
	struct fault why = { 0 };
	struct located at;
	struct api_reply reply;
	struct str name;

	if (pick_client_locate(cli, AS_AGENT, &at, &why) != OK) cli_fail_end(cli, &why);
	struct client_setup setup = { .url = at.url,
		.via = STR("cli"),
		.stop_fd = cli->term.stop_fd,
		.lang = msg_lang() == LANG_FR ? STR("fr") : STR_NONE };
	struct client *client = client_new(&setup, &why);
	if (!client) cli_fail_end(cli, &why);
	struct api_call call = {
		.method = "POST", .path = STR("/v1/login"), .body = login_body(cli, c)
	};
	enum err err = client_call(client, &call, &cli->arena, &reply, &why);
	client_free(client);
	if (err == ERR_NO_TOKEN)
		cli_end(cli, CLI_SAY(EXIT_NOT_ALLOWED,
				     !c->code.len ? "cli.login.bad_password"
				     : str_starts(c->code, "plc_") ? "cli.login.bad_code"
								   : "cli.login.no_code",
				     { "word", c->code }));
	if (err != OK) cli_end(cli, reply.stopped ? term_stopped() : cli_fail(cli, &why));
	if (!reply.cookie.len) cli_end(cli, CLI_SAY(EXIT_NO_SERVER, "cli.not_parley"));
	*out = (struct login){ at.url, reply.cookie };
	name = json_text_of(reply.json, "name");
	return name.len ? name : json_text_of(json_get(reply.json, "user"), "name");
}

/* {"name", "url"}, or a sentence. */
static int login_done(struct cli *cli, const char *said, struct str name, struct str url)
{
	if (cli_has(cli, "json"))
		printf("%.*s\n", STR_ARGS(BODY(cli, { "name", name }, { "url", url })));
	else
		SAY(said, { "name", name }, { "url", url });
	return EXIT_YES;
}

static int login_run(struct cli *cli)
{
	struct credentials c = { 0 };
	struct login login;
	struct fault why = { 0 };
	struct str word = cli_word(cli, 0), name;

	term_watch(&cli->term);
	if (word.len > 0)
		c.code = link_read(cli, word);
	else
		local_offer(cli, &c);
	if (!c.code.len) credentials_ask(cli, &c);
	name = login_send(cli, &c, &login);
	if (login_write(&login, &why) != OK) {
		fprintf(stderr, "parley: %s\n", why.detail);
		return EXIT_NOT_ALLOWED;
	}
	return login_done(cli, "cli.login.done", name, login.url);
}

static int logout_run(struct cli *cli)
{
	struct login login = { 0 };
	struct fault why = { 0 };
	struct api_reply reply = { 0 };
	enum err err;

	if (login_read(&cli->arena, &login, &why) == ERR_NOT_FOUND)
		return login_done(cli, "cli.logout.nobody", STR_NONE, STR_NONE);
	if (cli->settings.url_said && !str_eq(cli->settings.url, login.url))
		return login_done(
			cli, "cli.logout.not_there", STR_NONE, cli->settings.url);
	struct client_setup setup = {
		.url = login.url, .cookie = login.cookie, .via = STR("cli"), .stop_fd = -1
	};
	struct client *client = login.url.len > 0 ? client_new(&setup, &why) : NULL;
	struct api_call call = {
		.method = "POST", .path = STR("/v1/logout"), .body = STR("{}")
	};
	err = client ? client_call(client, &call, &cli->arena, &reply, &why)
		     : ERR_UNAVAILABLE;
	client_free(client);
	/* Here it is forgotten whatever the server says. */
	if (login_remove(&why) != OK) return cli_fail(cli, &why);
	if (err != OK && err != ERR_NO_TOKEN)
		return CLI_SAY(
			EXIT_NO_SERVER, "cli.logout.only_here", { "url", login.url });
	return login_done(cli, "cli.logout.done", STR_NONE, login.url);
}

static const struct flag flags[] = { { "name", "NAME" }, { "workspace", "NAME" },
	{ "json" }, { 0 } };

const struct command login_verbs[] = {
	{ "login", login_run, "[CODE]", 0, 1, flags, CLIENT, "0 2 3 4 130",
		"parley login 'http://127.0.0.1:7275/login#k2hq…'\n"
		"parley login --url https://desk.example.org" },
	{ "logout", logout_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3" },
	{ 0 },
};
