/* alerts.c - parley alerts, parley alerts ack, parley nodes: what is wrong, and who serves the store. */
#include <stdio.h>

#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/alert_words.h"
#include "text/safe_text.h"

static struct str text_cell(struct cli *cli, const struct json *alert)
{
	const struct alert_said said = { json_text_of(alert, "kind"),
		reply_text(cli, alert, "key"), reply_text(cli, alert, "detail"),
		json_real(json_get(alert, "value")) };

	return alert_words(&said, msg_lang(), &cli->arena);
}

static const struct table_column alert_columns[] = { { "cli.list.id", 0, "id",
							     .kind = CELL_ID },
	{ "cli.list.since", 0, "since", .kind = CELL_TIME },
	{ "cli.alerts.text", .cell = text_cell },
	{ "cli.alerts.acked", 0, "acked/by/name" }, { 0 } };

static void alert_print(struct cli *cli, const struct json *alert)
{
	printf("%.*s  %.*s\n", STR_ARGS(json_text_of(alert, "id")),
		STR_ARGS(text_cell(cli, alert)));
}

static const struct resource open_alerts = { "/v1/alerts?limit=200", NULL,
	"cli.alerts.none", alert_columns, alert_print, .list = LIST_PAGE };
static const struct resource all_alerts = { "/v1/alerts?state=all&limit=200", NULL,
	"cli.alerts.none", alert_columns, alert_print, .list = LIST_PAGE };
static const struct resource alerts = { "/v1/alerts", .columns = alert_columns };

/* Exit 1 while one is open. */
static int alerts_run(struct cli *cli)
{
	const struct json *open =
		json_get(cli_call_get(cli, STR("/v1/alerts?limit=1")), "items");
	int code =
		resource_list_of(cli, cli_has(cli, "all") ? &all_alerts : &open_alerts);

	return code == EXIT_YES && json_is(open, JSON_ARRAY) && open->count ? EXIT_NO
									    : code;
}

static int ack_run(struct cli *cli)
{
	struct str words = cli_words(cli), id;

	str_cut(&words, ' ', &id);
	return reply_done(
		cli, cli_call(cli, "POST", resource_path(cli, &alerts, id, "/ack"),
			     BODY(cli, { "note", str_trim(words) })));
}

static const struct table_column node_columns[] = { { "cli.list.id", 0, "id",
							    .kind = CELL_ID },
	{ "cli.nodes.name", 0, "name" }, { "cli.nodes.version", 0, "version" },
	{ "cli.nodes.state", 0, "state", .words = "cli.nodes.state" },
	{ "cli.nodes.seen", 0, "seen_at", .kind = CELL_TIME }, { 0 } };
static const struct resource nodes = { "/v1/nodes", NULL, "cli.nodes.none", node_columns,
	.list = LIST_PAGE };

static const struct flag alerts_flags[] = { { "all" }, { "json" }, { 0 } };

const struct command alerts_verbs[] = {
	{ "alert list", alerts_run, NULL, 0, 0, alerts_flags, CLIENT, "0 1 2 3 4",
		"parley alerts\n"
		"parley alerts --all",
		.alias = "alerts" },
	{ "alert ack", ack_run, "ALERT [NOTE…]", 1, WORDS_MANY, json_flags, CLIENT,
		"0 1 2 3 4 5", "parley alerts ack alr_01jc… 'Looking into it'",
		.alias = "alerts ack" },
	{ "node list", resource_list, NULL, 0, 0, admin_flags, STORE, "0 2 3",
		"parley nodes", .of = &nodes, .alias = "nodes" },
	{ 0 },
};
