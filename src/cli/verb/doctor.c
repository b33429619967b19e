/* doctor.c - parley doctor: tries what is set up. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/inspect.h"
#include "cli/agentfile/agents_file.h"
#include "cli/cli_call.h"
#include "cli/connect/connect.h"
#include "cli/settings_file.h"
#include "cli/verb/doctor.h"
#include "cli/verb/verbs.h"
#include "core/delivery/resumer.h"
#include "net/process.h"

void doctor_note(
	struct findings *f, enum doctor_mark mark, const char *id, struct str text)
{
	static const struct {
		const char *sign, *name;
		enum tint tint;
	} marks[] = { { "ok", "ok", TINT_GREEN }, { "--", "missing", TINT_DIM },
		{ "!!", "wrong", TINT_RED } };
	bool color = f->cli->term.out_color;

	f->wrong += mark == WRONG;
	if (!f->json.out) {
		printf("%s%s%s  %.*s\n", tint_on(marks[mark].tint, color),
			marks[mark].sign, tint_off(color), STR_ARGS(text));
		return;
	}
	jw_object(&f->json);
	jw_put_str(&f->json, "state", str_of(marks[mark].name));
	jw_put_str(&f->json, "id", str_of(id + strlen("cli.doctor.")));
	jw_put_str(&f->json, "text", text);
	jw_object_end(&f->json);
}

static void config_try(struct findings *f)
{
	const char *own = config_path(&f->cli->arena, "parley.conf");
	const char *files[] = { "/etc/parley/parley.conf", own };
	struct str given = f->cli->settings.config;
	struct stat st;

	/* A wrong file would have stopped the program before. */
	if (given.len > 0) {
		NOTE(f, GOOD, "cli.doctor.config", { "file", given });
		return;
	}
	for (size_t i = 0; i < 2; i++)
		if (files[i] && stat(files[i], &st) == 0)
			NOTE(f, GOOD, "cli.doctor.config", { "file", str_of(files[i]) });
		else if (files[i])
			NOTE(f, MISSING, "cli.doctor.no_config",
				{ "file", str_of(files[i]) });
}

static void data_try(struct findings *f)
{
	struct str data = f->cli->settings.data;
	struct stat st;

	if (stat(data.at, &st) != 0 || !S_ISDIR(st.st_mode))
		NOTE(f, MISSING, "cli.doctor.no_data", { "folder", data });
	else if (st.st_mode & 077)
		NOTE(f, WRONG, "cli.doctor.open_data", { "folder", data });
	else
		NOTE(f, GOOD, "cli.doctor.data", { "folder", data });
}

/* Tried with our own rights: the server's may differ. */
static void isolation_try(struct findings *f)
{
	struct fault why = { 0 };

	if (f->cli->settings.resumer_isolation == ISOLATION_OFF)
		NOTE(f, MISSING, "cli.doctor.isolation_off");
	else if (process_can_isolate(&why) == OK)
		NOTE(f, GOOD, "cli.doctor.isolated");
	else
		NOTE(f, WRONG, "cli.doctor.no_isolation",
			{ "detail", str_of(why.detail) });
}

static void resumers_try(struct findings *f)
{
	const struct settings *set = &f->cli->settings;

	for (size_t i = 0; i < set->resumers_len; i++) {
		struct resumer words;

		/* A wrong line would have stopped us before. */
		if (resumer_read(set->resumers[i].command, COMMAND_RESUMES,
			    &f->cli->arena, &words, NULL))
			continue;
		bool found = process_found(words.words[0], &f->cli->arena);
		NOTE_WHETHER(f, found, "cli.doctor.resumer", "cli.doctor.bad_resumer",
			{ "name", set->resumers[i].name }, { "program", words.words[0] });
	}
}

static void callbacks_try(struct findings *f)
{
	const struct settings *set = &f->cli->settings;

	NOTE(f, GOOD,
		str_is(set->webhook_internal, "no") ? "cli.doctor.webhooks"
						    : "cli.doctor.webhooks.internal",
		{ "reach", set->webhook_internal });
	if (set->resumers_len) isolation_try(f);
	resumers_try(f);
}

static void channel_note(
	void *ctx, enum doctor_mark mark, const char *id, struct str text)
{
	doctor_note(ctx, mark, id, text);
}

/* Asking goes to the server of this machine, answering to where the login is. */
static void both_try(struct findings *f)
{
	struct located asks, answers;

	if (pick_client_locate(f->cli, AS_AGENT, &asks, NULL) == OK &&
		pick_client_locate(f->cli, AS_PERSON, &answers, NULL) == OK &&
		!str_eq(asks.url, answers.url))
		NOTE(f, WRONG, "cli.doctor.two_servers", { "asks", asks.url },
			{ "answers", answers.url });
}

static void who_try(struct findings *f, enum as as)
{
	bool person = as == AS_PERSON;
	struct fault why = { 0 };
	struct client *client =
		person ? pick_client_person(f->cli) : pick_client(f->cli, as, &why);
	const struct json *me = cli_call_quiet(f->cli, client, STR("/v1/me"), &why);

	if (!client && person)
		NOTE(f, MISSING, "cli.doctor.no_person");
	else if (!me)
		NOTE(f, WRONG, person ? "cli.doctor.bad_person" : "cli.doctor.bad_agent",
			{ "detail", str_of(why.detail) });
	else
		NOTE(f, GOOD, person ? "cli.doctor.person" : "cli.doctor.agent",
			{ "name", json_text_of(me, "name") },
			{ "role", json_text_of(me, "role") });
	client_free(client);
}

/* Does one of its files name this program? */
static bool files_say(const struct connect_plan *p, struct str text)
{
	for (size_t i = 0; i < p->files_len; i++)
		if (str_find(p->files[i].before, text) >= 0) return true;
	return false;
}

/* Checks agents on PATH, and those that are connected but not on PATH. */
static void agent_try(struct findings *f, const struct agent *a)
{
	struct arena *arena = &f->cli->arena;
	struct agent_entry entry = connect_entry(f->cli, false, STR_NONE);
	struct str title = str_of(a->title), name = str_of(a->name);
	struct fault why = { 0 };
	struct connect_plan p = { 0 };
	enum connect_state state =
		connect_state(a, SCOPE_USER, CONNECT_SERVER, &entry, arena, &why);
	enum connect_state hook =
		a->hook ? connect_state(a, SCOPE_USER, CONNECT_HOOK, &entry, arena, &why)
			: CONNECTED_NOT;

	/* Connected with a project of its own is connected. */
	bool planned = state == CONNECTED_OTHERWISE &&
		       connect_plan(a, SCOPE_USER, CONNECT_SERVER, false, &entry, arena,
			       &p, &why) == OK;

	if (state == CONNECTED_NOT && !agent_installed(a, arena)) return;
	if (state == CONNECT_BROKEN)
		NOTE(f, WRONG, "cli.doctor.agent_broken", { "agent", title },
			{ "detail", str_of(why.detail) });
	else if (state == CONNECTED_NOT)
		NOTE(f, MISSING, "cli.doctor.agent_not", { "agent", title },
			{ "name", name });
	else if (state == CONNECTED || (planned && files_say(&p, entry.program) &&
					       files_say(&p, STR("--project"))))
		NOTE(f, GOOD,
			hook == CONNECTED ? "cli.doctor.agent_hook"
					  : "cli.doctor.agent_connected",
			{ "agent", title });
	else if (planned && !files_say(&p, entry.program))
		NOTE(f, MISSING, "cli.doctor.agent_gone", { "agent", title },
			{ "name", name }, { "program", entry.program });
	else
		NOTE(f, MISSING, "cli.doctor.agent_otherwise", { "agent", title },
			{ "name", name });
	/* A hook that is there and does not run is worse than none. */
	if (hook == CONNECTED_OTHERWISE)
		NOTE(f, WRONG, "cli.doctor.agent_hook_off", { "agent", title },
			{ "name", name });
}

static void agents_try(struct findings *f)
{
	for (const struct agent *a = agents; a->name; a++)
		agent_try(f, a);
}

static void provider_note(
	struct findings *f, struct str name, struct str wrong, enum doctor_mark mark)
{
	NOTE(f, wrong.len ? mark : GOOD,
		wrong.len ? "cli.doctor.bad_provider" : "cli.doctor.provider",
		{ "name", name }, { "detail", wrong });
}

/* As the server tells who is logged in. */
static bool providers_told(struct findings *f)
{
	struct client *client = pick_client_person(f->cli);
	const struct json *page =
		cli_call_quiet(f->cli, client, STR("/v1/providers?limit=200"), NULL);

	for (const struct json *p = NULL; json_each(json_get(page, "items"), &p);)
		provider_note(f, json_text_of(p, "name"), json_text_of(p, "why"), WRONG);
	client_free(client);
	return page;
}

/* Agents whose model its provider will soon not offer. */
static void retiring_told(struct findings *f)
{
	struct client *client = pick_client_person(f->cli);
	const struct json *page =
		cli_call_quiet(f->cli, client, STR("/v1/agents?limit=200"), NULL);

	for (const struct json *a = NULL; json_each(json_get(page, "items"), &a);) {
		struct str at = json_text_of(a, "retires_at");

		if (at.len)
			NOTE(f, MISSING, "cli.doctor.retires",
				{ "agent", json_text_of(a, "name") },
				{ "model", json_text_of(a, "model_now") },
				{ "date", str_first(at, 10) });
	}
	client_free(client);
}

/* ---- MCP servers that are programs ---- */

enum { SYSTEMCTL_MS = 5 * 1000 };

static void said_take(void *ctx, struct str bytes)
{
	struct buf *said = ctx;

	if (said->len < 64) buf_add(said, str_first(bytes, 64));
}

/* Does the unit keep its programs from making memory executable, as Node has to? */
static bool unit_denies(struct arena *arena)
{
	char *argv[] = { (char *)"systemctl", (char *)"show", (char *)"--value",
		(char *)"--property=MemoryDenyWriteExecute", (char *)"parley.service",
		NULL };
	char *envp[2] = { NULL };
	size_t len = 0;
	struct buf said = { 0 };
	const struct process_setup set = { .argv = argv,
		.envp = envp,
		.take = said_take,
		.ctx = &said,
		.limit_ms = SYSTEMCTL_MS };
	struct process_end end;
	struct process p;
	bool denies = false;

	process_env_add(STR("PATH"), envp, &len, 1, arena);
	if (!process_found(STR("systemctl"), arena) || process_start(&p, &set, NULL))
		return false;
	for (process_look(&p); !process_ended(&p, &end); process_look(&p))
		poll(&(struct pollfd){ p.handle, POLLIN, 0 }, 1, 100);
	denies = str_is(str_trim(buf_str(&said)), "yes");
	process_done(&p);
	buf_done(&said);
	return denies;
}

static void mcp_try(struct findings *f, const struct agents_file *file)
{
	struct arena *arena = &f->cli->arena;
	bool any = false;

	for (size_t i = 0; i < file->mcp_servers_len; i++) {
		const struct mcp_server_record *s = &file->mcp_servers[i];
		struct resumer words;

		if (!s->command.len ||
			resumer_read(s->command, COMMAND_IS_TOOL, arena, &words, NULL))
			continue;
		any = true;
		NOTE_WHETHER(f, process_found(words.words[0], arena), "cli.doctor.mcp",
			"cli.doctor.bad_mcp", { "name", s->name },
			{ "program", words.words[0] });
	}
	if (any && unit_denies(arena)) NOTE(f, WRONG, "cli.doctor.mcp_node");
}

/* As this shell would start a server. */
static void providers_try(struct findings *f)
{
	struct agents_file file;
	struct fault why = { 0 };

	if (agents_file_read(&f->cli->settings, &f->cli->arena, &file, &why)) {
		NOTE(f, WRONG, "cli.doctor.bad_agents", { "detail", str_of(why.detail) });
		return;
	}
	for (size_t i = 0; i < file.providers_len; i++)
		provider_note(f, file.providers[i].name,
			provider_key_wrong(&file.providers[i], &f->cli->arena), MISSING);
	if (!file.providers_len) NOTE(f, MISSING, "cli.doctor.no_provider");
}

static void programs_try(struct findings *f)
{
	struct agents_file file;

	/* What is wrong with it is told with the providers. */
	if (!agents_file_read(&f->cli->settings, &f->cli->arena, &file, NULL))
		mcp_try(f, &file);
}

/* True when there is a server to try the rest with. */
static bool server_try(struct findings *f)
{
	struct located at;
	struct fault why = { 0 };
	struct client *client;
	bool ready;

	if (pick_client_locate(f->cli, AS_AGENT, &at, &why) != OK) {
		NOTE(f, WRONG, "cli.doctor.no_server");
		return false;
	}
	client = client_new(
		&(struct client_setup){ .url = at.url, .via = STR("cli"), .stop_fd = -1 },
		&why);
	ready = cli_call_quiet(f->cli, client, STR("/readyz"), &why);
	client_free(client);
	NOTE_WHETHER(f, ready, "cli.doctor.server", "cli.doctor.bad_server",
		{ "url", at.url }, { "detail", str_of(why.detail) });
	return ready;
}

/* Only when no server is there to have it open. */
static void store_try_out(struct findings *f)
{
	struct str store = f->cli->settings.store;
	struct fault why = { 0 };
	bool synced;
	enum err e = inspect_try(store, &synced, &why);

	NOTE(f,
		e == ERR_NOT_FOUND ? MISSING
		: e		   ? WRONG
				   : GOOD,
		e == ERR_NOT_FOUND ? "cli.doctor.no_store"
		: e		   ? "cli.doctor.bad_store"
				   : "cli.doctor.store",
		{ "store", settings_store_shown(store, &f->cli->arena) },
		{ "detail", str_of(why.detail) });
	if (!synced) NOTE(f, WRONG, "cli.doctor.not_synced");
}

/* Can the server sign? The receipt of anything that was settled says so. */
static void key_try(struct findings *f)
{
	struct client *person = pick_client_person(f->cli),
		      *client = person ? person : pick_client(f->cli, AS_AGENT, NULL);
	const struct json *page = cli_call_quiet(
		f->cli, client, STR("/v1/asks?status=answered&limit=1"), NULL);
	const struct json *items = json_get(page, "items");
	struct api_reply reply = { 0 };

	if (json_is(items, JSON_ARRAY) && items->count) {
		struct api_call call = { .method = "GET",
			.path = arena_print(&f->cli->arena, "/v1/asks/%.*s/receipt",
				STR_ARGS(json_text_of(&items->items[0], "id"))) };

		client_call(client, &call, &f->cli->arena, &reply, NULL);
	}
	if (str_is(json_text_of(reply.json, "type"), "/problems/no-key"))
		NOTE(f, WRONG, "cli.doctor.no_key");
	client_free(client);
}

static int doctor_run(struct cli *cli)
{
	struct findings f = { .cli = cli };
	bool json = cli_has(cli, "json"), reached;

	if (json) {
		msg_lang_set(LANG_EN); /* programs read it */
		f.json.out = &f.text;
		jw_object(&f.json);
		jw_put_array(&f.json, "findings");
	}
	config_try(&f);
	data_try(&f);
	store_try_out(&f);
	callbacks_try(&f);
	programs_try(&f);
	cli->above->channels_doctor(
		&cli->settings, &(struct doctor){ &cli->arena, channel_note, &f });
	reached = server_try(&f);
	doctor_push(&f, reached);
	if (reached) {
		who_try(&f, AS_AGENT);
		who_try(&f, AS_PERSON);
		both_try(&f);
		if (!providers_told(&f)) providers_try(&f);
		retiring_told(&f);
		key_try(&f);
		doctor_routes(&f);
	} else {
		providers_try(&f);
	}
	agents_try(&f);
	if (json) {
		jw_array_end(&f.json);
		jw_put_bool(&f.json, "ok", f.wrong == 0);
		jw_object_end(&f.json);
		printf("%.*s\n", STR_ARGS(buf_str(&f.text)));
	}
	buf_done(&f.text);
	return f.wrong > 0 ? EXIT_NO : EXIT_YES;
}

const struct command doctor_verbs[] = {
	{ "doctor", doctor_run, NULL, 0, 0, json_flags, CLIENT | STORE | SERVER, "0 1 2",
		"parley doctor\n"
		"parley doctor --json | jq '.findings[] | select(.state != \"ok\")'" },
	{ 0 },
};
