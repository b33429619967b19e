/* settings.c - every setting: its row, its sources and its checks. */
#include "cli/settings.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/settings_file.h"
#include "cli/text_file.h"
#include "core/delivery/resumer.h"
#include "core/notify/contact.h"
#include "core/notify/mail_token.h"
#include "core/policy/verifier.h"
#include "core/shared/address.h"

enum setting_kind {
	KIND_TEXT,
	KIND_SECRET, /* a text that is never shown */
	KIND_PATH,
	KIND_LISTEN,
	KIND_URL,
	KIND_STORE,
	KIND_HOSTS,
	KIND_NAMES,
	KIND_REACH,
	KIND_SERVER, /* SCHEME://[USER@]HOST[:PORT][/PATH] with a scheme of `words` */
	KIND_MAIL,   /* an e-mail address */
	KIND_REPLY,  /* one with {token} before its @ */
	KIND_INT,
	KIND_TIME, /* milliseconds */
	KIND_WORD, /* an int: which of `words` */
	KIND_BOOL,
};

static const char *const kind_names[] = { "text", "text", "path", "listen", "url",
	"store", "hosts", "names", "reach", "server", "mail", "reply", "int", "time",
	"word", "bool" };

struct setting {
	const char *name;
	enum setting_kind kind;
	unsigned groups;
	size_t at; /* in struct settings */
	const char *value;
	const char *fallback;
	int64_t min, max;
	const char *const *words;
	bool not_in_file;
};

#define S SETTINGS_SERVE
#define C SETTINGS_CLIENT
#define D SETTINGS_STORE
#define A SETTINGS_ALL

static const char *const logs[] = { "text", "json", NULL };
static const char *const levels[] = { "error", "warn", "info", "debug", NULL };
static const char *const langs[] = { "auto", "en", "fr", NULL };
static const char *const modes[] = { "600", "660", "666", NULL };
static const char *const isolations[] = { "auto", "require", "off", NULL };
static const char *const smtp[] = { "smtp", "smtps", NULL };
static const char *const imap[] = { "imap", "imaps", NULL };
static const char *const web[] = { "https", "http", NULL };
static const char *const approvals[] = { "off", "low", "medium", "high", NULL };
static const char *const colors[] = { "auto", "always", "never", NULL };

enum { SECOND = 1000 };

#define AT(type, name) offsetof(struct settings, name)
#define ROW(kind, name, groups, ...)                                                     \
	{ #name, KIND_##kind, groups, SETTING_WITH(AT, SETTING_##kind(name)),            \
		__VA_ARGS__ },

static const struct setting table[] = { SETTINGS(ROW) };

enum { SETTINGS_LEN = sizeof table / sizeof *table };
_Static_assert(sizeof table / sizeof *table <= SETTINGS_FILE_ROWS, "a value each");

bool setting_info(size_t i, struct setting_info *out)
{
	if (i >= SETTINGS_LEN) return false;
	*out = (struct setting_info){ table[i].name, table[i].fallback, table[i].value,
		table[i].groups, !table[i].not_in_file };
	return true;
}

static struct str words_join(
	const char *const *words, const char *between, struct arena *arena)
{
	struct str all = STR_NONE;

	for (; words && *words; words++)
		all = arena_print(arena, "%.*s%s%s", STR_ARGS(all),
			all.len > 0 ? between : "", *words);
	return all;
}

struct str setting_accepts(size_t i, struct arena *arena)
{
	const struct setting *s = &table[i];
	struct str id = arena_print(arena, "setting.accepts.%s", kind_names[s->kind]);

	return MSG(arena, id.at ? id.at : "",
		{ "min", arena_print(arena, "%lld", (long long)s->min) },
		{ "max", arena_print(arena, "%lld", (long long)s->max) },
		{ "words", words_join(s->words, ", ", arena) });
}

static struct str name_cased(const char *name, char gap, bool upper, struct arena *arena)
{
	char *text = arena_copy(arena, str_of(name));

	for (char *ch = text; ch && *ch; ch++) {
		if (*ch == '_') *ch = gap;
		if (upper && *ch >= 'a' && *ch <= 'z') *ch = (char)(*ch - 'a' + 'A');
	}
	return str_of(text);
}

const struct flag *settings_flags(unsigned groups, struct arena *arena)
{
	struct flag *flags = ARENA_ARRAY(arena, struct flag, SETTINGS_LEN + 1);
	size_t len = 0;

	for (size_t i = 0; flags && i < SETTINGS_LEN; i++) {
		const char *name = name_cased(table[i].name, '-', false, arena).at;

		if (!name) return NULL;
		if (table[i].groups & groups)
			flags[len++] = (struct flag){ .name = name,
				.value = table[i].value,
				.values = table[i].kind == KIND_WORD
						  ? words_join(table[i].words, " ", arena)
							    .at
						  : NULL,
				.may_lack = table[i].kind == KIND_BOOL,
				.setting = true };
	}
	return flags;
}

/* Reading a value by its kind: true when it is acceptable. */

static bool listen_valid(struct str text)
{
	struct str host = text;
	int64_t port;

	if (str_starts(text, "unix:"))
		return text.len > strlen("unix:/") && text.at[5] == '/';
	while (host.len > 0 && host.at[host.len - 1] != ':')
		host.len--;
	if (host.len < 2 || !str_to_int(str_from(text, host.len), 0, 65535, &port))
		return false;
	host.len--;
	bool six = host.at[0] == '[' && host.at[host.len - 1] == ']';
	return six || str_find(host, STR(":")) < 0;
}

/* No blank, no control character, and none of these. */
static bool free_of(struct str text, const char *others)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] <= ' ' || strchr(others, text.at[i]))
			return false;
	return true;
}

static bool url_valid(struct str text)
{
	if (str_starts(text, "unix:/")) return text.len > strlen("unix:/");
	if (!free_of(text, "#?")) return false;
	return (str_starts(text, "http://") && text.len > 7 && text.at[7] != '/') ||
	       (str_starts(text, "https://") && text.len > 8 && text.at[8] != '/');
}

static bool store_valid(struct str text)
{
	return (str_starts(text, "sqlite:") && text.len > strlen("sqlite:")) ||
	       str_starts(text, "postgresql://") || str_starts(text, "postgres://");
}

static bool hosts_valid(struct str text)
{
	struct str host;

	while (str_cut(&text, ',', &host)) {
		host = str_trim(host);
		if (host.len == 0 || !free_of(host, "/@")) return false;
	}
	return true;
}

/* What follows "scheme://" has a host; nothing of it ends a line or a command. */
static bool server_valid(const char *const *schemes, struct str text)
{
	int at = str_find(text, STR("://"));
	struct str host;

	if (!free_of(text, "\"'<>\\?#")) return false;
	for (; at > 0 && *schemes; schemes++)
		if (str_is(str_first(text, (size_t)at), *schemes)) break;
	if (at <= 0 || !*schemes) return false;
	host = str_from(text, (size_t)at + 3);
	for (size_t i = 0; i < host.len; i++)
		if (host.at[i] == '/') host.len = i;
	for (size_t i = host.len; i > 0; i--)
		if (host.at[i - 1] == '@') {
			host = str_from(host, i);
			break;
		}
	return host.len && host.at[0] != ':';
}

/* With {token} behind a '+', or in its place alone, and a host. */
static bool reply_valid(struct str text)
{
	struct str token = STR("{token}");
	int at = str_find(text, token);
	struct str rest = at < 0 ? STR_NONE : str_from(text, (size_t)at + token.len);
	struct arena arena = { 0 };
	bool valid = at >= 0 && str_find(rest, token) < 0 &&
		     str_find(rest, STR("@")) >= 0 &&
		     mail_address_valid(arena_print(&arena, "%.*s%0*d%.*s", at, text.at,
			     MAIL_TOKEN_LEN, 0, STR_ARGS(rest)));

	arena_done(&arena);
	return valid;
}

static bool bool_read(struct str text, bool *out)
{
	static const char *const words[] = { "no", "false", "off", "0", "yes", "true",
		"on", "1" };

	for (size_t i = 0; i < 8; i++)
		if (str_is_nocase(text, words[i])) return *out = i >= 4, true;
	return false;
}

static bool word_read(const char *const *words, struct str text, int *out)
{
	for (int i = 0; words[i]; i++)
		if (str_is(text, words[i])) return *out = i, true;
	return false;
}

static bool text_valid(const struct setting *s, struct str text)
{
	static bool (*const checks[])(struct str) = { [KIND_MAIL] = mail_address_valid,
		[KIND_REPLY] = reply_valid,
		[KIND_LISTEN] = listen_valid,
		[KIND_URL] = url_valid,
		[KIND_STORE] = store_valid,
		[KIND_HOSTS] = hosts_valid,
		[KIND_REACH] = reach_valid,
		[KIND_BOOL] = NULL };

	if (s->kind == KIND_SERVER) return server_valid(s->words, text);
	return text.len && (!checks[s->kind] || checks[s->kind](text));
}

static bool value_read(const struct setting *s, struct str text, struct settings *all)
{
	void *at = (char *)all + s->at;
	int64_t n;

	switch (s->kind) {
	case KIND_INT: return str_to_int(text, s->min, s->max, at);
	case KIND_WORD: return word_read(s->words, text, at);
	case KIND_BOOL: return bool_read(text, at);
	case KIND_TIME:
		if (!duration_read(text, &n) || n < s->min || n > s->max) return false;
		*(int64_t *)at = n;
		return true;
	default:
		if (!text_valid(s, text)) return false;
		*(struct str *)at = text;
		return true;
	}
}

/* Where a value came from, to be named when it is wrong. */
struct source {
	struct str name;  /* "--ask-rate", "PARLEY_ASK_RATE", "ask_rate (file:3)" */
	struct str value; /* `at` is NULL: nothing was said */
	bool in_file;
};

static struct source source_find(size_t i, const struct args *args,
	const struct settings_file *file, struct arena *arena)
{
	const char *name = table[i].name;
	struct str dashed = name_cased(name, '-', false, arena);
	struct str value = dashed.at ? args_get(args, dashed.at) : STR_NONE;

	if (value.at)
		return (struct source){ arena_print(arena, "--%s", dashed.at), value };
	struct str env = arena_print(
		arena, "PARLEY_%.*s", STR_ARGS(name_cased(name, '_', true, arena)));
	const char *said = env.at ? getenv(env.at) : NULL;
	if (said && *said) return (struct source){ env, str_of(said) };
	const struct settings_file_value *v = &file->values[i];
	if (!v->value.at) return (struct source){ STR_NONE, STR_NONE };
	return (struct source){ arena_print(arena, "%s (%s:%d)", name, v->path, v->line),
		v->value, true };
}

static enum err setting_wrong(
	size_t i, const struct source *from, struct arena *arena, struct fault *why)
{
	struct str value = table[i].kind == KIND_SECRET ? STR("…") : from->value;

	return FAIL_MSG(why, arena, "setting.wrong", { "setting", from->name },
		{ "value", value }, { "accepts", setting_accepts(i, arena) });
}

static struct str data_default(struct arena *arena)
{
	const char *state = getenv("STATE_DIRECTORY"), *base = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	const struct passwd *me;
	struct str all = str_of(state), first;

	if (str_cut(&all, ':', &first)) return str_of(arena_copy(arena, first));
	if (geteuid() == 0 && getenv("INVOCATION_ID")) return STR("/var/lib/parley");
	if (base && *base == '/') return arena_print(arena, "%s/parley", base);
	if (!home || !*home) home = (me = getpwuid(getuid())) ? me->pw_dir : "/";
	return arena_print(arena, "%s/.local/state/parley", home);
}

/* Sockets and servers know no "here". */
static struct str path_whole(struct str path, struct arena *arena)
{
	char *here = str_starts(path, "/") ? NULL : getcwd(NULL, 0);
	struct str whole =
		here ? arena_print(arena, "%s/%.*s", here, STR_ARGS(path)) : path;

	free(here);
	return whole;
}

static enum color color_decide(int said)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (said != COLOR_AUTO) return (enum color)said;
	if ((none && *none) || (term && strcmp(term, "dumb") == 0)) return COLOR_NEVER;
	return COLOR_AUTO;
}

/* The sections of named command lines. */
enum named_section { NAMED_RESUMERS, NAMED_VERIFIERS, NAMED_CHANNELS };

/* Each a command line; a verifier may be an address instead. */
static enum err named_check(const struct named_command *named, size_t len,
	enum named_section section, struct arena *arena, struct fault *why)
{
	static const char *const texts[] = { "setting.resumer", "setting.verifier",
		"setting.channel" };
	enum command_use use =
		section == NAMED_CHANNELS ? COMMAND_TELLS : COMMAND_RESUMES;

	for (size_t i = 0; i < len; i++) {
		const struct named_command *r = &named[i];
		struct fault wrong = { 0 };
		struct resumer words;

		if (!resumer_name_valid(r->name))
			FAIL_MSG(&wrong, arena, "setting.resumer.name");
		else if (section == NAMED_VERIFIERS && verifier_is_url(r->command))
			continue;
		else if (resumer_read(r->command, use, arena, &words, &wrong) == OK)
			continue;
		return FAIL_MSG(why, arena, texts[section], { "file", str_of(r->path) },
			{ "line", arena_print(arena, "%d", r->line) },
			{ "name", r->name }, { "detail", str_of(wrong.detail) });
	}
	return OK;
}

/* A secret may stand in a file of its own. */
static enum err secret_take(const char *name, struct str *secret, struct str file,
	struct arena *arena, struct fault *why)
{
	struct str text;
	enum err e;

	if (!file.len) return OK;
	if (secret->len)
		return FAIL_MSG(
			why, arena, "setting.secret_twice", { "name", str_of(name) });
	e = text_file_read(file.at, true, arena, &text, why);
	if (e) return e;
	*secret = str_of(arena_copy(arena, str_trim(text)));
	return secret->len ? OK
			   : FAIL_MSG(why, arena, "setting.secret_missing",
				     { "name", str_of(name) }, { "file", file },
				     { "detail", str_of(errno ? strerror(errno) : "") });
}

static enum err secrets_take(struct settings *s, struct arena *arena, struct fault *why)
{
	const struct {
		const char *name;
		struct str *secret, file;
	} secrets[] = { { "smtp_password", &s->smtp_password, s->smtp_password_file },
		{ "imap_password", &s->imap_password, s->imap_password_file },
		{ "slack_token", &s->slack_token, s->slack_token_file },
		{ "slack_signing_secret", &s->slack_signing_secret,
			s->slack_signing_secret_file },
		{ "slack_app_token", &s->slack_app_token, s->slack_app_token_file } };
	enum err e = OK;

	for (size_t i = 0; !e && i < sizeof secrets / sizeof *secrets; i++)
		e = secret_take(
			secrets[i].name, secrets[i].secret, secrets[i].file, arena, why);
	return e;
}

/* E-mail is set up as a whole, or not at all. */
static enum err mail_check(struct settings *s, struct arena *arena, struct fault *why)
{
	if ((s->smtp_url.len > 0) != (s->mail_from.len > 0))
		return FAIL_MSG(why, arena, "setting.mail_pair");
	if ((s->mail_reply.len || s->imap_url.len) && !s->smtp_url.len)
		return FAIL_MSG(why, arena, "setting.mail_reply_alone");
	if (s->imap_url.len && !s->mail_reply.len)
		return FAIL_MSG(why, arena, "setting.imap_alone");
	return OK;
}

/* Messages have buttons, so presses must be able to come: by Slack's socket, or signed by
 * HTTP. */
static enum err slack_check(struct settings *s, struct arena *arena, struct fault *why)
{
	struct address at;
	struct url url;

	if ((s->slack_token.len > 0) !=
		(s->slack_signing_secret.len > 0 || s->slack_app_token.len > 0))
		return FAIL_MSG(why, arena, "setting.slack_pair");
	if (!url_split(s->slack_api, &url) ||
		(!url.https && !str_is(url.host, "localhost") &&
			!(address_read(url.host, &at) && address_loopback(&at))))
		return FAIL_MSG(why, arena, "setting.slack_api_plain");
	return OK;
}

static enum err settings_finish(
	struct settings *s, unsigned groups, struct arena *arena, struct fault *why)
{
	s->data = path_whole(s->data.len > 0 ? s->data : data_default(arena), arena);
	if (s->store.len == 0)
		s->store = arena_print(arena, "sqlite:%.*s/parley.db", STR_ARGS(s->data));
	if (s->url.len > 0 && s->url.at[s->url.len - 1] == '/') {
		while (s->url.at[s->url.len - 1] == '/')
			s->url.len--;
		s->url = str_of(arena_copy(arena, s->url));
	}
	s->lang = s->lang == 0 ? (int)msg_lang_guess() : s->lang - 1;
	s->color = (int)color_decide(s->color);
	if (!(groups & SETTINGS_SERVE)) return OK;
	if (s->timeout_min_ms > s->timeout_max_ms)
		return FAIL_MSG(why, arena, "setting.timeouts",
			{ "min", arena_print(arena, "%lld",
					 (long long)(s->timeout_min_ms / 1000)) },
			{ "max", arena_print(arena, "%lld",
					 (long long)(s->timeout_max_ms / 1000)) });
	if ((s->tls_cert.len > 0) != (s->tls_key.len > 0))
		return FAIL_MSG(why, arena, "setting.tls_pair");
	enum err e = secrets_take(s, arena, why);
	if (!e) e = mail_check(s, arena, why);
	if (!e) e = slack_check(s, arena, why);
	if (!e) e = named_check(s->resumers, s->resumers_len, NAMED_RESUMERS, arena, why);
	if (!e)
		e = named_check(
			s->verifiers, s->verifiers_len, NAMED_VERIFIERS, arena, why);
	return e ? e
		 : named_check(s->channels, s->channels_len, NAMED_CHANNELS, arena, why);
}

struct str settings_store_shown(struct str store, struct arena *arena)
{
	int scheme = str_find(store, STR("://")), cut;
	struct str rest;

	if (scheme < 0) return store;
	rest = str_from(store, (size_t)scheme + 3);
	cut = str_find(rest, STR("@"));
	if (cut >= 0) rest = str_from(rest, (size_t)cut + 1);
	cut = str_find(rest, STR("?"));
	if (cut >= 0) rest = str_first(rest, (size_t)cut);
	/* Another @: the name or the password had one, and what is left may be a part of it. */
	if (str_find(rest, STR("@")) >= 0) rest = STR_NONE;
	return arena_print(arena, "%.*s%.*s",
		STR_ARGS(str_first(store, (size_t)scheme + 3)), STR_ARGS(rest));
}

static enum err file_load(const struct args *args, struct arena *arena,
	struct settings_file *file, struct fault *why)
{
	const char *names[SETTINGS_LEN + 1] = { 0 };
	const char *env = getenv("PARLEY_CONFIG");
	struct str path = args_get(args, "config");

	for (size_t i = 0; i < SETTINGS_LEN; i++)
		names[i] = table[i].not_in_file ? "" : table[i].name;
	if (!path.at && env && *env) path = str_of(env);
	return settings_file_load(path.at, names, arena, file, why);
}

enum err settings_read(const struct args *args, unsigned groups, struct arena *arena,
	struct settings *out, struct fault *why)
{
	struct settings s = { .log_level = LOG_INFO };
	struct settings_file *file = ARENA_NEW(arena, struct settings_file);
	enum err err = file ? file_load(args, arena, file, why)
			    : fail(why, ERR_MEMORY, "out of memory");

	if (err != OK) return err;
	s.resumers = file->resumers.at;
	s.resumers_len = file->resumers.len;
	s.verifiers = file->verifiers.at;
	s.verifiers_len = file->verifiers.len;
	s.channels = file->channels.at;
	s.channels_len = file->channels.len;
	s.sections = file->sections;
	for (size_t i = 0; i < SETTINGS_LEN; i++) {
		if (!(table[i].groups & (groups | SETTINGS_ALL))) continue;
		struct source from = source_find(i, args, file, arena);
		struct str value = from.value.at ? from.value : str_of(table[i].fallback);

		if (value.at && !value_read(&table[i], value, &s))
			return setting_wrong(i, &from, arena, why);
		if (table[i].kind == KIND_URL)
			s.url_said = from.value.at && !from.in_file;
	}
	err = settings_finish(&s, groups, arena, why);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (err == OK) *out = s;
	return err;
}
