/* cli_call.c - opens the way that a verb's requests go, and makes them. */
#include "cli/cli_call.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/keep.h"
#include "cli/administer.h"
#include "cli/request.h"

#include <stdlib.h>

enum { CALL_PATIENCE_MS = 20000, PAGE_MAX = 200 };

/* ---- the way ---- */

static void way_take(struct cli *cli, struct client *client, const struct fault *why)
{
	cli->client = client;
	if (!client) cli_fail_end(cli, why);
}

/* Does anybody answer where the person is logged in? */
static bool login_works(struct cli *cli)
{
	struct client *client = pick_client_person(cli);
	struct api_call call = { .method = "GET", .path = STR("/v1/me") };
	struct api_reply reply;
	bool works =
		client && client_call(client, &call, &cli->arena, &reply, NULL) == OK;

	client_free(client);
	return works;
}

/* Of a verb that takes either: a store that is named; a server that is named, or where the person is logged
 * in; else the store of this machine. */
static bool server_meant(struct cli *cli)
{
	static const char *const flags[] = { "data", "store", "workspace" };
	const char *data = getenv("PARLEY_DATA"), *store = getenv("PARLEY_STORE");

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (cli_has(cli, flags[i])) return false;
	if (cli->settings.token.len || cli_has(cli, "url")) return true;
	if ((data && *data) || (store && *store)) return false;
	return cli->settings.url_said || login_works(cli);
}

void cli_call_open(struct cli *cli)
{
	struct fault why = { 0 };

	if (cli->client || cli->admin) return;
	if ((cli->command->what & EITHER) == EITHER ? server_meant(cli)
						    : cli->command->what & CLIENT)
		way_take(cli, pick_client(cli, AS_PERSON, &why), &why);
	else
		administer_open(cli);
}

void cli_call_open_inbox(struct cli *cli)
{
	struct fault why = { 0 };

	way_take(cli, pick_client_inbox(cli, &why), &why);
}

void cli_call_open_person(struct cli *cli)
{
	cli_call_open_inbox(cli);
	if (!pick_client_knows_person(cli))
		cli_end(cli, CLI_SAY(EXIT_NOT_ALLOWED, "cli.run.login"));
}

void cli_call_close(struct cli *cli)
{
	admin_close(cli->admin);
	cli->admin = NULL;
	cli->client = client_free(cli->client);
}

/* ---- requests ---- */

int cli_call_by(struct cli *cli, struct client *client, const char *method,
	struct str path, struct str body, struct api_reply *out, struct fault *conflict)
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

int cli_call_try(struct cli *cli, const char *method, struct str path, struct str body,
	const struct json **out)
{
	struct api_reply reply = { 0 };
	struct fault why = { 0 };
	int status = EXIT_YES;

	cli_call_open(cli);
	if (!cli->admin)
		status = cli_call_by(cli, cli->client, method, path, body, &reply, NULL);
	else if (admin_do(cli->admin, method, path, body, &cli->arena, &reply.json, &why))
		status = cli_fail(cli, &why);
	*out = reply.json;
	return status;
}

const struct json *cli_call(
	struct cli *cli, const char *method, struct str path, struct str body)
{
	const struct json *reply;
	int status = cli_call_try(cli, method, path, body, &reply);

	if (status) cli_end(cli, status);
	return reply;
}

const struct json *cli_call_with(struct cli *cli, struct client *client,
	const char *method, struct str path, struct str body)
{
	struct api_reply reply;
	int status = cli_call_by(cli, client, method, path, body, &reply, NULL);

	if (status) cli_end(cli, status);
	return reply.json;
}

const struct json *cli_call_get(struct cli *cli, struct str path)
{
	return cli_call(cli, "GET", path, STR_NONE);
}

const struct json *cli_call_quiet(
	struct cli *cli, struct client *client, struct str path, struct fault *why)
{
	struct api_call call = { .method = "GET", .path = path };
	struct api_reply reply;

	return client && client_call(client, &call, &cli->arena, &reply, why) == OK
		       ? reply.json
		       : NULL;
}

static void items_add(struct cli *cli, struct json *out, const struct json *more)
{
	uint32_t n = json_is(more, JSON_ARRAY) ? more->count : 0;
	struct json *room = ARENA_ARRAY(&cli->arena, struct json, out->count + n + 1);

	if (!room) cli_fail_end(cli, &(struct fault){ .err = ERR_MEMORY });
	for (uint32_t i = 0; i < out->count; i++)
		room[i] = out->items[i];
	for (uint32_t i = 0; i < n; i++)
		room[out->count + i] = more->items[i];
	out->items = room;
	out->count += n;
}

struct call_pages cli_call_pages(struct cli *cli, struct str path, int64_t limit)
{
	char between = str_find(path, STR("?")) >= 0 ? '&' : '?';
	struct call_pages out = { .items = { .type = JSON_ARRAY } };
	struct str next = STR_NONE;

	do {
		int64_t left = limit - (int64_t)out.items.count;
		struct buf at = { .max = 16384 };

		buf_print(&at, "%.*s%climit=%lld", STR_ARGS(path), between,
			(long long)(left < PAGE_MAX ? left : PAGE_MAX));
		if (next.len) buf_add_text(&at, "&cursor="), url_add(&at, next);
		out.last = cli_call_get(cli, buf_keep_done(&at, &cli->arena));
		if (!out.first) out.first = out.last;
		items_add(cli, &out.items, json_get(out.last, "items"));
		next = json_text_of(out.last, "next_cursor");
	} while (next.len && out.items.count < limit);
	return out;
}

struct json cli_call_all(struct cli *cli, struct str path)
{
	return cli_call_pages(cli, path, INT64_MAX).items;
}

/* ---- texts ---- */

struct str path_with(struct cli *cli, const char *path, struct str id, const char *tail)
{
	struct buf out = { .max = 8192 };

	buf_add_text(&out, path);
	if (cli->command->what & SETTINGS_CLIENT && !cli->admin)
		url_add(&out, id);
	else
		buf_add(&out, id); /* nobody decodes it on the way to the store */
	buf_add_text(&out, tail);
	return buf_keep_done(&out, &cli->arena);
}

struct str ask_path(struct cli *cli, struct str id, const char *tail)
{
	return path_with(cli, "/v1/asks/", id, tail);
}

struct str flags_query(struct cli *cli, const char *path, const char *names)
{
	struct str rest = str_of(names), name;
	struct buf out = { .max = 8192 };
	char between = '?';

	buf_add_text(&out, path);
	while (str_cut(&rest, ' ', &name)) {
		struct str value = cli_arg(cli, arena_copy(&cli->arena, name));

		if (!value.at) continue;
		buf_add_char(&out, between);
		buf_print(&out, "%.*s=", STR_ARGS(name));
		url_add(&out, value);
		between = '&';
	}
	return buf_keep_done(&out, &cli->arena);
}

struct str moment_read(struct cli *cli, const char *flag, int way)
{
	struct str span = cli_arg(cli, flag);
	char at[TIME_SIZE];
	int64_t ms;

	if (!span.at) return STR_NONE;
	if (!duration_read(span, &ms) || ms <= 0)
		CLI_REFUSE(cli, "cli.timeout.wrong", { "flag", str_of(flag) },
			{ "value", span });
	time_write(clock_now_ms() + way * ms, at);
	return arena_str(&cli->arena, str_of(at));
}

struct str session_resolve(struct cli *cli, struct client *client)
{
	struct str name = cli_arg(cli, "session");

	if (name.len == 0 || id_valid(name, "ses")) return name;
	/* A slip in an id must not make a session of that name. */
	if (str_starts(name, "ses_"))
		CLI_REFUSE(cli, "cli.session.wrong", { "id", name });
	return json_text_of(
		cli_call_with(cli, client, "POST", STR("/v1/sessions"),
			BODY(cli, { "title", name }, { "external_id", name })),
		"id");
}
