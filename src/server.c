/* server.c - starts what a server is made of, tells people where it is, and ends it
 * well. */
#include "server.h"

#include "configure.h"

#include "admin/admin.h"
#include "agent/gateway.h"
#include "agent/mcp_link.h"
#include "agent/mcp_program.h"
#include "agent/own_call.h"
#include "agent/runner.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "channel/channel.h"
#include "channel/notify.h"
#include "cli/settings_file.h"
#include "client/locate.h"
#include "desk/desk.h"
#include "desk/shared/transient.h"
#include "net/loop.h"
#include "net/tls.h"
#include "serve/mcp_offer.h"
#include "serve/serve.h"
#include "store/db.h"
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

enum { GRACE_MS = 5000, DAY_MS = 24 * 3600 * 1000, EXPIRES_SOON_MS = 14 * DAY_MS };

struct server {
	struct cli *cli;
	struct loop *loop;
	struct desk *desk;
	struct serve *serve;
	struct notify *notify;
	const struct receiver *receivers[DELIVERY_KINDS + 1];
	struct runner *runner;
	struct gateway *gateway;
	struct relay_server relay; /* that it is */
	struct tls_context *tls;   /* NULL: plain */
	int lock;
	bool stopping;
	struct str url;
	uv_signal_t signals[3];
	char secret[SECRET_SIZE]; /* of the login link; empty: somebody has logged in */
	char agent_token[SECRET_SIZE];
	const struct mcp_offer *mcp;
	bool isolated;					  /* resumers are */
	struct process_hidden hidden[PROCESS_HIDDEN_MAX]; /* from resumers */
	struct configured *configured; /* in the cli's arena, as those before it */
};

/* ---- small files in the data directory, whole or not at all ---- */

static enum err file_write(
	struct str folder, const char *name, struct str text, struct fault *why)
{
	char path[4096], fresh[4112];
	int fd;

	snprintf(path, sizeof path, folder.len ? "%.*s/%s" : "%.*s%s", STR_ARGS(folder),
		name);
	snprintf(fresh, sizeof fresh, "%s.new", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text.at, text.len) != (ssize_t)text.len ||
		close(fd) != 0 || rename(fresh, path) != 0)
		return fail(why, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
	return OK;
}

/* ---- settings that only the server can judge ---- */

static bool is_loopback(struct str address)
{
	return str_starts(address, "127.") || str_starts(address, "[::1]") ||
	       str_starts(address, "localhost") || str_starts(address, "unix:");
}

/* Where the first of the addresses is. */
static struct str listen_first(const struct settings *set)
{
	struct str list = set->listen, first = STR_NONE;

	str_cut(&list, ',', &first);
	return str_trim(first);
}

static enum err listen_check(
	const struct settings *set, const struct mcp_offer *offer, struct fault *why)
{
	struct str list = set->listen, one;

	while (str_cut(&list, ',', &one)) {
		one = str_trim(one);
		if (is_loopback(one)) continue;
		if (offer->guest)
			return fail(why, ERR_INVALID,
				"without a token it listens on loopback only, not on %.*s",
				STR_ARGS(one));
		if (!set->tls_cert.len && !set->plain)
			return fail(why, ERR_INVALID,
				"to listen on %.*s, set tls_cert and tls_key, or plain = yes if a proxy "
				"provides TLS",
				STR_ARGS(one));
	}
	return OK;
}

/* Those it may be asked for, with commas between. */
static struct str names_of(
	const struct named_command *named, size_t len, struct arena *arena)
{
	struct str names = STR_NONE;

	for (size_t i = 0; i < len; i++)
		names = arena_print(arena, "%.*s%s%.*s", STR_ARGS(names), i ? ", " : "",
			STR_ARGS(named[i].name));
	return names;
}

static struct desk_settings desk_settings(const struct settings *set, struct arena *arena)
{
	const char *test_tools = getenv("PARLEY_TEST_TOOLS");

	return (struct desk_settings){ .set = *set,
		.resumers = names_of(set->resumers, set->resumers_len, arena),
		.verifiers = names_of(set->verifiers, set->verifiers_len, arena),
		.channels = channels_on(set, arena),
		.commands = names_of(set->channels, set->channels_len, arena),
		.test_tools = test_tools && strcmp(test_tools, "1") == 0 };
}

/* ---- TLS ---- */

static void certificate_warn(const struct settings *set, const struct tls_context *tls)
{
	int64_t left_ms = tls_context_end_ms(tls) - clock_now_ms();

	if (left_ms < 0)
		log_line(LOG_WARN, "tls_cert is '%.*s': it has expired",
			STR_ARGS(set->tls_cert));
	else if (left_ms < EXPIRES_SOON_MS)
		log_line(LOG_WARN, "tls_cert is '%.*s': it expires within %d days",
			STR_ARGS(set->tls_cert), (int)(left_ms / DAY_MS) + 1);
}

static enum err server_tls(struct server *sv, struct fault *why)
{
	struct settings *set = &sv->cli->settings;

	if (!set->tls_cert.len) return OK;
	sv->tls = tls_context_new(set->tls_cert, set->tls_key, why);
	if (!sv->tls) return why->err;
	certificate_warn(set, sv->tls);
	return OK;
}

/* The files again, for connections to come. Turning TLS on or off takes a restart. */
static enum err server_tls_again(
	struct server *sv, const struct settings *set, struct fault *why)
{
	enum err e;

	if (!sv->tls != !set->tls_cert.len)
		return fail(why, ERR_INVALID,
			"tls_cert is '%.*s': to turn TLS on or off, restart",
			STR_ARGS(set->tls_cert));
	if (!sv->tls) return OK;
	e = tls_context_load(sv->tls, set->tls_cert, set->tls_key, why);
	if (!e) certificate_warn(set, sv->tls);
	return e;
}

/* ---- first start ---- */

/* At the desk, before anybody else comes; `secret` (may be NULL) gets the one that was made. */
static enum err server_do(struct server *sv, const struct use *use, struct task *t,
	char *secret, struct fault *why)
{
	enum err e;

	desk_wait(sv->desk, use, t);
	e = t->job.err;
	if (e && why) *why = t->job.why;
	if (secret) memcpy(secret, t->secret, SECRET_SIZE);
	task_empty(t);
	return e;
}

/* A login link, until a person has used one. */
static enum err server_bootstrap(struct server *sv, struct fault *why)
{
	struct param link = { STR("link"), STR("yes") };
	struct task t = { .params = &link, .params_len = 1 };

	return server_do(sv, &use_bootstrap, &t, sv->secret, why);
}

static bool token_works(struct server *sv, const char *token)
{
	struct task t = { .job.has_hash = true };

	sha256(str_of(token), t.job.hash);
	return server_do(sv, &use_me, &t, NULL, NULL) == OK;
}

/* The agent's token that programs of this user find by themselves. */
static enum err server_agent_token(struct server *sv, struct fault *why)
{
	struct str data = sv->cli->settings.data, kept, line;
	const char *path =
		arena_print(&sv->cli->arena, "%.*s/agent.token", STR_ARGS(data)).at;
	struct task t = { .job.who.role = ROLE_LOCAL_ADMIN };
	enum err e;

	if (path && file_read(path, 4096, false, &sv->cli->arena, &kept, NULL) == OK &&
		str_cut(&kept, '\n', &line)) {
		snprintf(sv->agent_token, SECRET_SIZE, "%.*s", STR_ARGS(str_trim(line)));
		if (token_works(sv, sv->agent_token)) return OK;
	}
	e = json_read(sv->mcp->guest ? str_of(sv->mcp->guest)
				     : STR("{\"role\":\"agent\",\"name\":\"local\"}"),
		NULL, &t.job.arena, &t.body, why);
	if (e)
		task_empty(&t);
	else
		e = server_do(sv, &use_token_create, &t, sv->agent_token, why);
	return e ? e : file_write(data, "agent.token", str_of(sv->agent_token), why);
}

/* Agents whose model its provider will soon not offer. */
static void server_retiring(struct server *sv)
{
	struct param limit = { STR("limit"), STR("200") };
	struct task t = {
		.job.who.role = ROLE_LOCAL_ADMIN, .params = &limit, .params_len = 1
	};
	const struct json *page = NULL;

	desk_wait(sv->desk, &use_agent_list, &t);
	if (!t.job.err) json_read(buf_str(&t.job.out), NULL, &t.job.arena, &page, NULL);
	for (const struct json *a = NULL; json_each(json_get(page, "items"), &a);) {
		struct str at = json_text_of(a, "retires_at");

		if (at.len)
			log_line(LOG_WARN, "agent %.*s: %.*s retires on %.*s",
				STR_ARGS(json_text_of(a, "name")),
				STR_ARGS(json_text_of(a, "model_now")),
				STR_ARGS(str_first(at, 10)));
	}
	task_empty(&t);
}

/* ---- starting ---- */

/* A socket is made for its owner alone; others get in once they are meant to. */
static enum err socket_open(struct server *sv, struct str address, struct fault *why)
{
	static const mode_t modes[] = {
		[SOCKET_OWNER] = 0600, [SOCKET_GROUP] = 0660, [SOCKET_ALL] = 0666
	};
	const char *path;

	if (!str_starts(address, "unix:")) return OK;
	path = arena_copy(&sv->cli->arena, str_from(address, strlen("unix:")));
	return path && chmod(path, modes[sv->cli->settings.socket_mode]) == 0
		       ? OK
		       : fail(why, ERR_UNAVAILABLE, "the mode of %.*s cannot be set",
				 STR_ARGS(address));
}

static enum err server_listen(struct server *sv, int *port, struct fault *why)
{
	struct settings *set = &sv->cli->settings;
	struct str list = set->listen, one;

	*port = -1;
	while (str_cut(&list, ',', &one)) {
		int p = serve_listen(sv->serve, str_trim(one), false, why);

		if (p < 0) {
			struct str said =
				str_of(arena_copy(&sv->cli->arena, str_of(why->detail)));

			return fail(why, why->err, "%s",
				MSG(&sv->cli->arena, "cli.serve.listen",
					{ "detail", said })
					.at);
		}
		if (socket_open(sv, str_trim(one), why)) return why->err;
		if (*port <= 0) *port = p;
	}
	return serve_listen(sv->serve, admin_local_address(set->data, &sv->cli->arena),
		       true, why) < 0
		       ? why->err
		       : OK;
}

static void server_url(struct server *sv, int port)
{
	struct settings *set = &sv->cli->settings;
	struct str first = listen_first(set);
	const char *scheme = sv->tls ? "https" : "http";
	int colon = -1;

	for (size_t i = 0; i < first.len; i++)
		if (first.at[i] == ':') colon = (int)i;
	if (set->url.len)
		sv->url = set->url;
	else if (str_starts(first, "unix:") || colon < 0)
		sv->url = STR("http://localhost");
	else if (str_starts(first, "0.0.0.0:") || str_starts(first, "[::]:"))
		sv->url = arena_print(&sv->cli->arena, "%s://127.0.0.1:%d", scheme, port);
	else
		sv->url = arena_print(&sv->cli->arena, "%s://%.*s:%d", scheme,
			STR_ARGS(str_first(first, (size_t)colon)), port);
}

static enum err server_files(struct server *sv, int port, struct fault *why)
{
	struct settings *set = &sv->cli->settings;
	struct str first = listen_first(set);
	struct json_writer w = { .out = &(struct buf){ .max = 16384 } };
	char text[16];
	enum err e;

	jw_object(&w);
	jw_key(&w, "url"); /* how programs of this machine reach it */
	jw_str(&w, !set->url.len && str_starts(first, "unix:") ? first : sv->url);
	jw_put_str(&w, "socket",
		arena_print(&sv->cli->arena, "%.*s/parley.sock", STR_ARGS(set->data)));
	jw_put_int(&w, "pid", getpid());
	jw_object_end(&w);
	e = file_write(set->data, "server.json", buf_str(w.out), why);
	buf_done(w.out);
	snprintf(text, sizeof text, "%d\n", port);
	if (!e && set->port_file.len)
		e = file_write(STR_NONE, set->port_file.at, str_of(text), why);
	return e;
}

/* ---- what a resumed agent must not reach ---- */

/* Decided once: a resumed agent that uses up the namespaces must not run the next one free. */
static enum err server_isolation(struct server *sv, struct fault *why)
{
	const struct settings *set = &sv->cli->settings;
	struct fault wrong = { 0 };

	if (!(set->resumers_len + set->verifiers_len) ||
		set->resumer_isolation == ISOLATION_OFF)
		return OK;
	sv->isolated = process_can_isolate(&wrong) == OK;
	if (sv->isolated) return OK;
	if (set->resumer_isolation == ISOLATION_REQUIRE)
		return fail(why, ERR_UNAVAILABLE,
			"resumer_isolation is 'require', and programs cannot be isolated "
			"here: %s",
			wrong.detail);
	log_line(LOG_WARN,
		"resumers run without isolation (%s): a resumed agent can reach the store "
		"and the admin socket as the server's user",
		wrong.detail);
	return OK;
}

static void hidden_add(struct process_hidden *hidden, size_t *len, const char *path,
	const char *const *kept)
{
	if (path && *len < PROCESS_HIDDEN_MAX)
		hidden[(*len)++] = (struct process_hidden){ path, kept };
}

/* The data folder with the store and the admin socket, but for what an agent asks with; logins
 * and configurations of this user; a store that is elsewhere. */
static size_t server_hidden(struct server *sv, struct process_hidden *hidden)
{
	static const char *const kept[] = { "server.json", "agent.token", NULL };
	static const char *const ends[] = { "", "-wal", "-shm", ".lock" };
	struct settings *set = &sv->cli->settings;
	struct arena *arena = &sv->cli->arena;
	struct str store = str_from(set->store, strlen("sqlite:"));
	bool inside = str_starts(store, set->data.at) && store.at[set->data.len] == '/';
	size_t len = 0;

	hidden_add(hidden, &len, set->data.at, kept);
	hidden_add(hidden, &len, config_path(arena, ""), NULL);
	hidden_add(hidden, &len, "/etc/parley", NULL);
	if (set->config.len) hidden_add(hidden, &len, set->config.at, NULL);
	if (set->tls_key.len) hidden_add(hidden, &len, set->tls_key.at, NULL);
	for (size_t i = 0; !inside && str_starts(set->store, "sqlite:") && i < 4; i++)
		hidden_add(hidden, &len,
			arena_print(arena, "%.*s%s", STR_ARGS(store), ends[i]).at, NULL);
	return len;
}

/* The same after a restart: this machine and this data folder. */
static struct str server_node(struct server *sv)
{
	char host[128] = "";
	struct str name;

	gethostname(host, sizeof host - 1);
	name = arena_print(
		&sv->cli->arena, "%.60s-%.*s", host, STR_ARGS(sv->cli->settings.data));
	for (size_t i = 0; i < name.len; i++) {
		char *c = (char *)(uintptr_t)&name.at[i];

		if (strchr("/%_\\", *c)) *c = '-';
	}
	return name.len > 120 ? str_from(name, name.len - 120) : name;
}

static enum err server_notify(struct server *sv, struct fault *why)
{
	struct notify_settings ns = { .set = sv->cli->settings,
		.isolated = sv->isolated,
		.hidden = sv->hidden,
		.hidden_len = server_hidden(sv, sv->hidden),
		.shared = store_url_is_shared(sv->cli->settings.store),
		.node = server_node(sv) };

	ns.set.url = sv->url;
	sv->notify = notify_new(sv->desk, &ns, why);
	return sv->notify ? notify_start(sv->notify, why) : why->err;
}

static enum err server_runner(struct server *sv, struct fault *why)
{
	const struct settings *set = &sv->cli->settings;
	const struct runner_settings rs = { .node = server_node(sv),
		.set = *set,
		.shared = store_url_is_shared(set->store) };

	sv->runner = runner_new(sv->desk, &rs, why);
	return sv->runner ? runner_start(sv->runner, why) : why->err;
}

static enum err server_configure(
	struct server *sv, const struct settings *set, struct fault *why)
{
	struct configured *c = ARENA_NEW(&sv->cli->arena, struct configured);
	enum err e = c ? configure(set, &sv->cli->arena, c, why)
		       : fail(why, ERR_MEMORY, "out of memory");

	if (!e) sv->configured = c;
	return e;
}

static void server_signals(struct server *);

static enum err server_open(struct server *sv, int *port, struct fault *why)
{
	struct settings *set = &sv->cli->settings;
	struct desk_settings ds = desk_settings(set, &sv->cli->arena);
	uint8_t key[SERVER_KEY_SIZE];
	struct serve_settings ss = { .url = set->url,
		.set = *set,
		.receivers = sv->receivers,
		.key = key,
		.mcp = sv->mcp,
		.tool_try = own_call_try,
		.mcp_try = mcp_link_try,
		.relay = &sv->relay };
	enum err e = listen_check(set, sv->mcp, why);

	channels_receivers(sv->receivers);
	if (!e) e = server_isolation(sv, why);
	if (!e) e = server_tls(sv, why);
	ss.tls = sv->tls;
	if (!e) e = folder_make(set->data, why);
	if (!e) e = store_lock(set->store, &sv->lock, why);
	if (!e) e = server_configure(sv, set, why);
	if (e) return e;
	ds.configured = sv->configured;
	sv->loop = loop_new(why);
	sv->desk = sv->loop ? desk_open(&ds, why) : NULL;
	if (sv->desk && desk_key_make(sv->desk, "serve", key, why)) return why->err;
	if (sv->desk && store_url_several(ds.set.store) && !desk_synced(sv->desk))
		log_line(LOG_WARN,
			"the store has several hosts and no synchronous standby: a failover can "
			"lose what was acknowledged (synchronous_standby_names)");
	sv->gateway = sv->desk ? gateway_new(sv->desk, server_node(sv), why) : NULL;
	if (sv->gateway) sv->relay = gateway_server(sv->gateway);
	sv->serve = sv->gateway ? serve_new(sv->loop, sv->desk, &ss, why) : NULL;
	if (!sv->serve) return why->err;
	e = server_bootstrap(sv, why);
	if (!e) e = server_agent_token(sv, why);
	if (!e) serve_set_guest(sv->serve, str_of(sv->agent_token));
	if (!e) server_retiring(sv);
	if (!e) server_signals(sv); /* before anybody can know that it is there */
	if (!e) e = server_listen(sv, port, why);
	if (e) return e;
	server_url(sv, *port);
	serve_set_url(sv->serve, sv->url);
	if (!desk_set_url(sv->desk, sv->url))
		return fail(why, ERR_MEMORY, "out of memory");
	e = server_notify(sv, why);
	if (!e) e = server_runner(sv, why);
	if (!e) e = server_files(sv, *port, why);
	if (!e) serve_start(sv->serve);
	return e;
}

/* ---- signals ---- */

static void signal_closed(uv_handle_t *handle)
{
	(void)handle;
}

static void server_stopped(void *ctx)
{
	struct server *sv = ctx;

	desk_listen(sv->desk, NULL, NULL, NULL, NULL); /* the loop hears no more */
	transient_listen(sv->desk, NULL, NULL);
	for (int i = 0; i < 3; i++)
		if (sv->signals[i].data)
			uv_close((uv_handle_t *)&sv->signals[i], signal_closed);
	loop_stop(sv->loop);
}

static void signal_stop(uv_signal_t *signal, int number)
{
	struct server *sv = signal->data;

	if (sv->stopping) _exit(128 + number);
	sv->stopping = true;
	log_line(LOG_INFO, "stopping");
	notify_stop(sv->notify);
	serve_stop(sv->serve, GRACE_MS, server_stopped, sv);
}

static void signal_reload(uv_signal_t *signal, int number)
{
	struct server *sv = signal->data;
	struct cli *cli = sv->cli;
	struct settings set;
	struct fault why = { 0 };
	struct desk_settings ds;

	(void)number;
	if (settings_read(&cli->args, serve_verbs->what | SETTINGS_ALL, &cli->arena, &set,
		    &why) ||
		server_configure(sv, &set, &why) || server_tls_again(sv, &set, &why)) {
		log_line(LOG_ERROR, "not reloaded: %s", why.detail);
		return;
	}
	ds = desk_settings(&set, &cli->arena);
	ds.configured = sv->configured;
	desk_set(sv->desk, &ds);
	log_setup(set.log == 1, (enum log_level)set.log_level);
	log_line(LOG_INFO, "reloaded");
}

static void server_signals(struct server *sv)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };

	for (int i = 0; i < 3; i++) {
		uv_signal_init(loop_uv(sv->loop), &sv->signals[i]);
		sv->signals[i].data = sv;
		uv_signal_start(&sv->signals[i], i == 2 ? signal_reload : signal_stop,
			numbers[i]);
	}
}

/* ---- the verb ---- */

static void say(struct str text)
{
	printf("%s\n", text.at);
	fflush(stdout);
}

/* A browser cannot open a Unix socket: only commands on this machine reach it. */
static bool server_on_socket(const struct settings *set)
{
	return !set->url.len && str_starts(str_trim(set->listen), "unix:");
}

static void server_greet(struct server *sv)
{
	struct arena *a = &sv->cli->arena;
	const struct settings *set = &sv->cli->settings;
	struct str code = str_of(sv->secret);

	if (server_on_socket(set)) {
		say(MSG(a, "cli.serve.socket", { "listen", set->listen }));
		if (code.len) say(MSG(a, "cli.serve.socket.login", { "code", code }));
		return;
	}
	say(MSG(a, "cli.serve.page", { "url", sv->url }));
	if (!code.len) return;
	say(MSG(a, "cli.serve.login", { "url", sv->url }, { "code", code }));
	if (cli_has(sv->cli, "data"))
		say(MSG(a, "cli.serve.try.data", { "folder", set->data }));
	else
		say(MSG(a, "cli.serve.try"));
}

static void server_close(struct server *sv)
{
	gateway_free(sv->gateway);
	runner_free(sv->runner);
	mcp_programs_end();
	notify_free(sv->notify);
	desk_close(sv->desk); /* no clerk has a request: serve_stop waited for them */
	if (sv->loop) sv->loop = loop_free(sv->loop);
	serve_free(sv->serve);
	tls_context_free(sv->tls);
	store_unlock(sv->lock);
}

/* It did not start: what had begun ends as it does after a stop. */
static void server_abandon(struct server *sv)
{
	if (sv->serve) {
		serve_stop(sv->serve, 0, server_stopped, sv);
		loop_run(sv->loop);
	}
	server_close(sv);
}

int server_run(struct cli *cli, const struct mcp_offer *mcp)
{
	struct server sv = { .cli = cli, .mcp = mcp, .lock = -1 };
	struct fault why = { 0 };
	int port = 0;

	clock_init();
	umask(0077);
	log_setup(cli->settings.log == 1, (enum log_level)cli->settings.log_level);
	if (server_open(&sv, &port, &why)) {
		server_abandon(&sv);
		return cli_fail(cli, &why);
	}
	server_greet(&sv);
	log_line(LOG_INFO, "parley %s, store %.*s", PARLEY_VERSION,
		STR_ARGS(settings_store_shown(cli->settings.store, &cli->arena)));
	log_line(LOG_INFO, "ready on %.*s",
		STR_ARGS(server_on_socket(&cli->settings) ? str_trim(cli->settings.listen)
							  : sv.url));
	loop_run(sv.loop);
	unlink(arena_print(&cli->arena, "%.*s/server.json", STR_ARGS(cli->settings.data))
			.at);
	server_close(&sv);
	return EXIT_YES;
}

static int serve_run(struct cli *cli)
{
	return server_run(cli, &mcp_own);
}

const struct command serve_verbs[] = {
	{ "serve", serve_run, NULL, 0, 0, NULL, SETTINGS_STORE | SETTINGS_SERVE,
		"0 1 2 3",
		"parley serve\n"
		"parley serve --listen 127.0.0.1:8080 --data ./parley-data" },
	{ 0 },
};
