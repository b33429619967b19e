/* administer.c - calls that administration makes: on the store, through the server's own
 * socket, or to a server elsewhere. */
#include "cli/administer.h"

#include <stdio.h>
#include <stdlib.h>

#include "admin/inspect.h"
#include "cli/pick_client.h"
#include "client/locate.h"
#include "text/safe_text.h"

const struct flag admin_flags[] = { { "workspace", "NAME" }, { "json" }, { 0 } };

/* ---- a server elsewhere ---- */

static const char *env_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Without a store here, and with none named, the server that the environment names is
 * meant, with its token's rights. */
static bool elsewhere_meant(struct cli *cli)
{
	return env_of("PARLEY_URL") && env_of("PARLEY_TOKEN") &&
	       !args_have(&cli->args, "data") && !args_have(&cli->args, "store") &&
	       !args_have(&cli->args, "workspace") && !env_of("PARLEY_DATA") &&
	       !env_of("PARLEY_STORE") && store_missing(cli->settings.store);
}

/* ---- where a command works ---- */

struct place_of_work {
	struct admin *admin;   /* the store, or the socket of its server */
	struct client *client; /* or a server elsewhere */
};

static struct admin *admin_reach(struct cli *cli, int *status)
{
	struct str file = str_from(cli->settings.store, strlen("sqlite:"));
	bool makes = cli->command->what & COMMAND_MAKES_STORE,
	     fresh = store_missing(cli->settings.store);
	struct fault why = { 0 };
	struct admin *admin;

	/* A command may come here several times; once is enough to know. */
	static bool said;

	if (env_of("PARLEY_URL") && !said)
		SAY("cli.admin.not_url", { "folder", cli->settings.data });
	said = true;
	if (fresh && !makes) {
		*status = CLI_USAGE(cli, "cli.admin.no_store", { "file", file });
		return NULL;
	}
	admin = admin_open(cli->settings.store, cli->settings.data,
		args_get(&cli->args, "workspace"), cli->command->what & COMMAND_SERVED,
		&why);
	if (!admin)
		*status = cli_fail(cli, &why);
	else if (fresh)
		SAY("cli.admin.made_store", { "file", file });
	return admin;
}

static int work_open(struct cli *cli, struct place_of_work *p)
{
	struct fault why = { 0 };
	int status = EXIT_YES;

	*p = (struct place_of_work){ 0 };
	if (!elsewhere_meant(cli)) {
		p->admin = admin_reach(cli, &status);
		return status;
	}
	p->client =
		client_new(&(struct client_setup){ .url = administer_url(cli),
				   .token = str_of(env_of("PARLEY_TOKEN")),
				   .via = STR("cli"),
				   .lang = msg_lang() == LANG_FR ? STR("fr") : STR_NONE,
				   .stop_fd = cli->term.stop_fd },
			&why);
	return p->client ? EXIT_YES : cli_fail(cli, &why);
}

static void work_close(struct place_of_work *p)
{
	admin_close(p->admin);
	client_free(p->client);
}

static int work_do(struct cli *cli, struct place_of_work *p, const char *method,
	struct str path, struct str body, const struct json **out)
{
	struct api_reply reply = { 0 };
	struct fault why = { 0 };
	int status;

	if (!p->client)
		return admin_do(p->admin, method, path, body, &cli->arena, out, &why)
			       ? cli_fail(cli, &why)
			       : EXIT_YES;
	status = cli_call(cli, p->client, method, path, body, &reply, NULL);
	*out = reply.json;
	return status;
}

int administer(struct cli *cli, const char *method, struct str path, struct str body,
	const struct json **out)
{
	struct place_of_work p;
	int status = work_open(cli, &p);

	if (status == EXIT_YES) status = work_do(cli, &p, method, path, body, out);
	work_close(&p);
	return status;
}

int administer_list(
	struct cli *cli, struct str path, const struct json ***items, size_t *len)
{
	struct place_of_work p;
	int status = work_open(cli, &p);
	struct str cursor = STR_NONE;
	size_t cap = 0;

	*items = NULL;
	*len = 0;
	while (status == EXIT_YES) {
		const struct json *page = NULL, *got;
		struct str at = cursor.len == 0
					? path
					: arena_print(&cli->arena, "%.*s&cursor=%.*s",
						  STR_ARGS(path), STR_ARGS(cursor));

		status = work_do(cli, &p, "GET", at, STR_NONE, &page);
		got = json_get(page, "items");
		if (status != EXIT_YES || !json_is(got, JSON_ARRAY)) break;
		if (*len + got->count > cap) {
			const struct json **more;

			cap = (*len + got->count) * 2;
			more = ARENA_ARRAY(&cli->arena, const struct json *, cap);
			if (!more) break;
			if (*len > 0) memcpy(more, *items, *len * sizeof *more);
			*items = more;
		}
		for (uint32_t i = 0; i < got->count; i++)
			(*items)[(*len)++] = &got->items[i];
		cursor = json_text(json_get(page, "next_cursor"));
		if (cursor.len == 0) break;
	}
	work_close(&p);
	return status;
}

void print_items(const struct json *const *items, size_t len)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	jw_object(&w);
	jw_put_array(&w, "items");
	for (size_t i = 0; i < len; i++)
		jw_json(&w, items[i]);
	jw_array_end(&w);
	jw_put_null(&w, "next_cursor");
	jw_object_end(&w);
	printf("%.*s\n", STR_ARGS(buf_str(&out)));
	buf_done(&out);
}

static void cells_add(
	struct buf *out, const int *widths, const struct str *cells, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		buf_add(out, cells[i]);
		if (i + 1 == len) break;
		for (size_t n = text_width(cells[i]); n < (size_t)widths[i]; n++)
			buf_add_char(out, ' ');
		buf_add_text(out, "  ");
	}
	buf_add_char(out, '\n');
}

/* Columns are the same in a pipe, without the head: what reads them splits at blanks. */
struct str project_names(struct cli *cli, const struct json *of)
{
	const struct json *projects = json_get(of, "projects");
	struct buf b = { .max = 65536 };
	struct str out;

	for (uint32_t i = 0; projects && i < projects->count; i++) {
		if (i) buf_add_char(&b, ' ');
		buf_add(&b, json_text(&projects->items[i]));
	}
	out = safe_line(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

void print_cells(struct cli *cli, const char *const *heads, const int *widths,
	const struct str *cells, size_t len)
{
	struct buf out = { 0 };
	struct str head[8];

	if (heads && cli->term.out_tty) {
		for (size_t i = 0; i < len && i < 8; i++)
			head[i] = MSG(&cli->arena, heads[i]);
		buf_add_text(&out, tint_on(TINT_BOLD, cli->term.out_color));
		cells_add(&out, widths, head, len);
		buf_add_text(&out, tint_off(cli->term.out_color));
	}
	cells_add(&out, widths, cells, len);
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

int administer_user(struct cli *cli, struct str who, struct str *id)
{
	const struct json **users;
	struct fault why = { 0 };
	size_t len;
	int status = administer_list(cli, STR("/v1/users?limit=200"), &users, &len);

	if (status) return status;
	for (size_t i = 0; i < len; i++) {
		const struct json *u = users[i];

		if (!str_eq(json_text(json_get(u, "id")), who) &&
			!str_eq(json_text(json_get(u, "name")), who))
			continue;
		*id = json_text(json_get(u, "id"));
		return EXIT_YES;
	}
	fail(&why, ERR_NOT_FOUND, "no user %.*s", STR_ARGS(str_first(who, 100)));
	return cli_fail(cli, &why);
}

struct str administer_url(struct cli *cli)
{
	struct server_info at;
	struct fault why = { 0 };

	if (elsewhere_meant(cli)) return str_of(env_of("PARLEY_URL"));
	return server_info_read(cli->settings.data, &cli->arena, &at, &why) == OK
		       ? at.url
		       : STR_NONE;
}

void print_json(const struct json *json)
{
	struct buf b = { 0 };

	if (json)
		json_write(&b, json);
	else
		buf_add_text(&b, "{}");
	printf("%.*s\n", STR_ARGS(buf_str(&b)));
	buf_done(&b);
}

int administer_done(struct cli *cli, int status, const struct json *reply)
{
	if (status == EXIT_YES && args_have(&cli->args, "json")) print_json(reply);
	return status;
}

struct str text_json(struct cli *cli, struct str text)
{
	struct buf b = { 0 };
	struct str out;

	json_write_str(&b, text);
	out = arena_str(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

struct str path_with(struct cli *cli, const char *path, struct str id)
{
	return arena_print(&cli->arena, "%s%.*s", path, STR_ARGS(id));
}
