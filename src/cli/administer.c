/* administer.c - calls that administration makes: on the store, or through the
 * server's own socket. */
#include "cli/administer.h"

#include "client/locate.h"

#include <stdio.h>

const struct flag admin_flags[] = { { .name = "workspace", .value = "NAME" },
	{ .name = "json" }, { 0 } };

static int administer_with(struct cli *cli, struct admin *admin, const char *method,
	struct str path, struct str body, const struct json **out)
{
	struct fault why = { 0 };

	return admin_do(admin, method, path, body, &cli->arena, out, &why)
		       ? cli_fail(cli, &why)
		       : EXIT_YES;
}

static struct admin *admin_reach(struct cli *cli, int *status)
{
	struct fault why = { 0 };
	struct admin *admin = admin_open(cli->settings.store, cli->settings.data,
		args_get(&cli->args, "workspace"), &why);

	if (!admin) *status = cli_fail(cli, &why);
	return admin;
}

int administer(struct cli *cli, const char *method, struct str path, struct str body,
	const struct json **out)
{
	int status = EXIT_YES;
	struct admin *admin = admin_reach(cli, &status);

	if (admin) status = administer_with(cli, admin, method, path, body, out);
	admin_close(admin);
	return status;
}

int administer_user(struct cli *cli, struct str who, struct str *id)
{
	const struct json *list = NULL, *items;
	struct fault why = { 0 };
	int status = administer(cli, "GET", STR("/v1/users?limit=200"), STR_NONE, &list);

	if (status) return status;
	items = json_get(list, "items");
	for (uint32_t i = 0; items && i < items->count; i++) {
		const struct json *u = &items->items[i];

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
