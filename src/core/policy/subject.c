/* subject.c - the table of tools and what their calls are about. */
#include "core/policy/subject.h"

#include "base/keep.h"
#include "base/shell.h"
#include "core/shared/address.h"
#include "core/shared/body.h"

enum { MEMBERS_MAX = 4 };

/* Tools of coding agents and our own, and the members that their calls are about. Some
 * programs call the same argument otherwise: each of the names that is there counts. */
static const struct {
	const char *tool;
	enum subject_kind kind;
	const char *members[MEMBERS_MAX];
	bool request; /* its members are a method and an address: METHOD URL */
	bool uri;     /* its member is an address of any kind */
} tools[] = {
	{ "Bash", SUBJECT_COMMAND, { "command" } },
	{ "bash", SUBJECT_COMMAND, { "command" } },
	{ "shell", SUBJECT_COMMAND, { "command", "cmd" } },
	{ "Execute", SUBJECT_COMMAND, { "command" } },
	{ "run_shell_command", SUBJECT_COMMAND, { "command" } },
	{ "exec_command", SUBJECT_COMMAND, { "cmd", "command" } },
	{ "Read", SUBJECT_PATH, { "file_path" } },
	{ "Write", SUBJECT_PATH, { "file_path" } },
	{ "Edit", SUBJECT_PATH, { "file_path" } },
	{ "MultiEdit", SUBJECT_PATH, { "file_path" } },
	{ "Create", SUBJECT_PATH, { "file_path" } },
	{ "NotebookEdit", SUBJECT_PATH, { "notebook_path" } },
	{ "LS", SUBJECT_PATH, { "path", "directory_path" } },
	{ "Glob", SUBJECT_PATH, { "pattern" } },
	{ "Grep", SUBJECT_TEXT, { "pattern" } },
	{ "read", SUBJECT_PATH, { "filePath", "file_path", "path" } },
	{ "write", SUBJECT_PATH, { "filePath", "file_path", "path" } },
	{ "edit", SUBJECT_PATH, { "filePath", "file_path", "path" } },
	{ "view", SUBJECT_PATH, { "path", "file_path" } },
	{ "create", SUBJECT_PATH, { "path", "file_path" } },
	{ "read_file", SUBJECT_PATH, { "file_path", "absolute_path", "path" } },
	{ "write_file", SUBJECT_PATH, { "file_path", "absolute_path", "path" } },
	{ "replace", SUBJECT_PATH, { "file_path", "absolute_path", "path" } },
	{ "list_directory", SUBJECT_PATH, { "path", "dir_path" } },
	{ "glob", SUBJECT_PATH, { "pattern" } },
	{ "grep", SUBJECT_TEXT, { "pattern" } },
	{ "search_file_content", SUBJECT_TEXT, { "pattern" } },
	{ "WebFetch", SUBJECT_ADDRESS, { "url" } },
	{ "webfetch", SUBJECT_ADDRESS, { "url" } },
	{ "web_fetch", SUBJECT_ADDRESS, { "url" } },
	{ "FetchUrl", SUBJECT_ADDRESS, { "url" } },
	{ "WebSearch", SUBJECT_TEXT, { "query" } },
	{ "google_web_search", SUBJECT_TEXT, { "query" } },
	{ "Task", SUBJECT_TEXT, { "subagent_type" } },
	{ "Agent", SUBJECT_TEXT, { "subagent_type" } },
	{ "memory", SUBJECT_TEXT, { "operation" } },
	{ "todo", SUBJECT_TEXT, { "operation" } },
	{ "files", SUBJECT_TEXT, { "operation" } },
	{ "http", SUBJECT_TEXT, { "method", "url" }, true },
	/* Behind mcp__NAME: what is read of a server at the gateway. */
	{ "__resources.read", SUBJECT_TEXT, { "uri" }, .uri = true },
	{ "__prompts.get", SUBJECT_TEXT, { "name" } },
};

/* What members of other tools probably are. Sure enough to stop, not to allow. */
static const struct {
	const char *member;
	enum subject_kind kind;
} guesses[] = {
	{ "command", SUBJECT_COMMAND },
	{ "cmd", SUBJECT_COMMAND },
	{ "file_path", SUBJECT_PATH },
	{ "path", SUBJECT_PATH },
	{ "url", SUBJECT_ADDRESS },
	{ "query", SUBJECT_TEXT },
	{ "operation", SUBJECT_TEXT },
};

enum { TOOLS_LEN = sizeof tools / sizeof *tools };
enum { GUESSES_LEN = sizeof guesses / sizeof *guesses };
_Static_assert(sizeof guesses / sizeof *guesses + 1 <= (size_t)SUBJECTS_MAX,
	"a subject for each guess, and the JSON");

/* The name behind that of a server, which has no underscore; else all of it. */
static struct str name_behind(struct str name)
{
	size_t at = 5;

	if (!str_starts(name, "mcp__")) return name;
	while (at < name.len && name.at[at] != '_')
		at++;
	return str_starts(str_from(name, at), "__") ? str_from(name, at) : name;
}

static int tool_find(struct str name)
{
	name = name_behind(name);
	for (int i = 0; i < TOOLS_LEN; i++)
		if (str_is(name, tools[i].tool)) return i;
	return -1;
}

bool subject_kind_of(struct str name, enum subject_kind *kind)
{
	int at = tool_find(name);

	if (at >= 0) *kind = tools[at].kind;
	return at >= 0;
}

/* A text, or the words of a command line. */
static bool text_of(const struct json *value, struct arena *arena, struct str *out)
{
	struct buf line = { 0 };

	if (json_is(value, JSON_STRING)) {
		*out = value->text;
		return true;
	}
	if (!json_is(value, JSON_ARRAY) || value->count == 0) return false;
	for (uint32_t i = 0; i < value->count; i++) {
		if (value->items[i].type != JSON_STRING) {
			buf_done(&line);
			return false;
		}
		shell_word_add(&line, value->items[i].text);
	}
	*out = buf_keep_done(&line, arena);
	return true;
}

static void subject_fill(struct subject *s, enum subject_kind kind,
	const struct json *value, struct arena *arena)
{
	*s = (struct subject){ .kind = kind };
	s->known = kind == SUBJECT_COMMAND ? text_of(value, arena, &s->text)
					   : json_is(value, JSON_STRING);
	if (!s->known) s->vague = value ? DOUBT_TYPE : DOUBT_ABSENT;
	if (!s->known) return;
	if (kind != SUBJECT_COMMAND) s->text = value->text;
	if (kind == SUBJECT_PATH) {
		s->normal = path_normal(s->text, arena);
		s->unclear = path_unclear(s->text);
	} else if (kind == SUBJECT_COMMAND) {
		command_line_read(s->text, arena, &s->line);
		s->unclear = s->line.unclear;
	} else if (kind == SUBJECT_ADDRESS) {
		s->host = host_of(s->text, arena);
		if (!s->host.len) s->vague = DOUBT_ADDRESS;
	}
}

/* What may be meant as well as the first: an allow must fit both. */
static void other_add(
	struct subject *first, const struct subject *other, struct arena *arena)
{
	first->others++;
	if (!first->unclear) first->unclear = other->unclear;
	if (!first->vague) first->vague = other->vague;
	if (first->kind == SUBJECT_COMMAND)
		command_line_join(&first->line, &other->line, arena);
}

static size_t members_fill(const struct json *arguments, enum subject_kind kind,
	const char *const *names, struct arena *arena, struct subject *out)
{
	size_t len = 0;

	for (size_t i = 0; i < MEMBERS_MAX && names[i]; i++) {
		const struct json *value = json_get(arguments, names[i]);

		if (!value || json_is(value, JSON_NULL)) continue;
		subject_fill(&out[len], kind, value, arena);
		if (len > 0) other_add(out, &out[len], arena);
		len++;
	}
	if (len == 0) subject_fill(&out[len++], kind, NULL, arena);
	return len;
}

/* How long an escaped dot, slash or semicolon is, with capitals or without; 0: there is none. The sign of the
 * escape may be escaped itself, for servers that read an address twice. */
static size_t escape_read(struct str rest, char *out)
{
	static const struct {
		const char *digits;
		char stands_for;
	} known[] = { { "2e", '.' }, { "2f", '/' }, { "5c", '/' }, { "3b", ';' } };
	size_t len = 1;

	if (!str_starts(rest, "%")) return 0;
	while (str_starts(str_from(rest, len), "25"))
		len += 2;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is_nocase(str_first(str_from(rest, len), 2), known[i].digits)) {
			*out = known[i].stands_for;
			return len + 2;
		}
	return 0;
}

/* The path as a server may read it; some read nothing from a semicolon to the next slash. */
static struct str path_read(struct str path, struct arena *arena)
{
	char *out = arena_alloc(arena, path.len + 1);
	bool parameter = false;
	size_t len = 0;

	if (!out) return STR_NONE;
	for (size_t i = 0, step; i < path.len; i += step) {
		char c = path.at[i] == '\\' ? '/' : path.at[i];
		size_t escape = escape_read(str_from(path, i), &c);

		step = escape ? escape : 1;
		parameter = c != '/' && (parameter || c == ';');
		if (!parameter) out[len++] = c;
	}
	return str_make(out, len);
}

static size_t path_start(struct str url)
{
	int scheme = str_find(url, STR("://"));
	size_t at = scheme < 0 ? 0 : (size_t)scheme + 3;

	while (at < url.len && !strchr("/?#", url.at[at]))
		at++;
	return at;
}

/* An address, behind `method` and a blank if there is one. A path that leads elsewhere than it seems is no reason to
 * allow; where it leads to, a deny sees. */
static size_t url_fill(
	struct str method, struct str url, struct arena *arena, struct subject *out)
{
	const char *blank = method.len ? " " : "";
	struct str path, read, normal;
	size_t start = path_start(url), end = start;

	*out = (struct subject){ .kind = SUBJECT_TEXT, .known = true };
	out->text =
		arena_print(arena, "%.*s%s%.*s", STR_ARGS(method), blank, STR_ARGS(url));
	while (end < url.len && !strchr("?#", url.at[end]))
		end++;
	path = str_make(url.at + start, end - start);
	read = path_read(path, arena);
	if (path_unclear(read) != DOUBT_PARENT && str_find(read, STR("//")) < 0) return 1;
	out->unclear = DOUBT_PARENT;
	normal = path_normal(read, arena);
	out[1] = (struct subject){
		.kind = SUBJECT_TEXT, .known = true, .only_stops = true
	};
	out[1].text = arena_print(arena, "%.*s%s%.*s%.*s%.*s", STR_ARGS(method), blank,
		STR_ARGS(str_first(url, start)), STR_ARGS(normal),
		STR_ARGS(str_from(url, end)));
	return 2;
}

/* METHOD URL */
static size_t request_fill(
	const struct json *arguments, struct arena *arena, struct subject *out)
{
	const struct json *method = json_get(arguments, "method");
	const struct json *url = json_get(arguments, "url");

	if (json_is(method, JSON_STRING) && json_is(url, JSON_STRING))
		return url_fill(method->text, url->text, arena, out);
	*out = (struct subject){ .kind = SUBJECT_TEXT,
		.vague = method && url ? DOUBT_TYPE : DOUBT_ABSENT };
	return 1;
}

static size_t other_read(
	const struct json *arguments, struct arena *arena, struct subject *out)
{
	struct buf text = { 0 };
	size_t len = 1;

	*out = (struct subject){ .kind = SUBJECT_TEXT, .known = true };
	if (arguments) json_canonical(&text, arguments);
	out->text = buf_keep_done(&text, arena);
	for (size_t i = 0; i < GUESSES_LEN; i++) {
		const struct json *value = json_get(arguments, guesses[i].member);

		if (!value) continue;
		subject_fill(&out[len], guesses[i].kind, value, arena);
		out[len].only_stops = true;
		len += out[len].known;
	}
	return len;
}

size_t subject_read(struct str name, const struct json *arguments, struct arena *arena,
	struct subject out[SUBJECTS_MAX])
{
	int at = tool_find(name);
	size_t len = 1;

	if (at >= 0 && tools[at].request)
		len = request_fill(arguments, arena, out);
	else if (at >= 0 && tools[at].uri &&
		 json_is(json_get(arguments, "uri"), JSON_STRING))
		len = url_fill(STR_NONE, json_text_of(arguments, "uri"), arena, out);
	else if (at >= 0)
		len = members_fill(
			arguments, tools[at].kind, tools[at].members, arena, out);
	else
		len = other_read(arguments, arena, out);
	return arena->failed ? 0 : len;
}

size_t subject_read_command(
	const struct json *argv, struct arena *arena, struct subject out[SUBJECTS_MAX])
{
	subject_fill(out, SUBJECT_COMMAND, argv, arena);
	return arena->failed ? 0 : 1;
}

/* ---- paths ---- */

struct str path_normal(struct str path, struct arena *arena)
{
	char *out = arena_alloc(arena, path.len + 2);
	bool rooted = path.len > 0 && path.at[0] == '/';
	size_t len = 0, kept = 0; /* kept: bytes that a later `..` cannot take back */
	struct str part;

	if (!out) return STR_NONE;
	if (rooted) out[len++] = '/', kept = 1;
	while (str_cut(&path, '/', &part)) {
		if (part.len == 0 || str_is(part, ".")) continue;
		if (str_is(part, "..")) {
			if (len > kept) {
				while (len > kept && out[len - 1] != '/')
					len--;
				if (len > kept) len--; /* the slash before it */
				continue;
			}
			if (rooted) continue; /* above / is / */
		}
		if (len > 0 && out[len - 1] != '/') out[len++] = '/';
		memcpy(out + len, part.at, part.len);
		len += part.len;
		if (str_is(part, "..")) kept = len;
	}
	if (len == 0) out[len++] = '.';
	return str_make(out, len);
}

enum doubt path_unclear(struct str path)
{
	for (size_t start = 0, i = 0; i <= path.len; i++) {
		if (i < path.len && path.at[i] != '/' && path.at[i] != '\\') continue;
		struct str part = str_make(path.at + start, i - start);

		if (str_is(part, "..")) return DOUBT_PARENT;
		if (str_starts(part, "~")) return DOUBT_HOME;
		start = i + 1;
	}
	return DOUBT_NONE;
}

/* ---- hosts ---- */

/* `0x7f.1` and `2130706433` are 127.0.0.1 to some. */
static bool number_in_disguise(struct str host)
{
	size_t start = host.len;
	struct address ignored;

	while (start > 0 && host.at[start - 1] != '.')
		start--;
	return start < host.len && host.at[start] >= '0' && host.at[start] <= '9' &&
	       !address_read(host, &ignored);
}

struct str host_of(struct str url, struct arena *arena)
{
	struct str host = url_host(url, arena);

	if (host.len > 1 && host.at[host.len - 1] == '.') host.len--;
	return number_in_disguise(host) ? STR_NONE : host;
}

bool host_pattern_valid(struct str pattern)
{
	if (str_starts(pattern, "*.")) pattern = str_from(pattern, 2);
	for (size_t i = 0; i < pattern.len; i++) {
		char c = pattern.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
			!strchr(".-_:", c))
			return false;
	}
	return pattern.len > 0 && pattern.at[0] != '.' &&
	       pattern.at[pattern.len - 1] != '.' && !number_in_disguise(pattern);
}

bool host_fits(struct str pattern, struct str host)
{
	if (!str_starts(pattern, "*.")) return str_eq(pattern, host);
	pattern = str_from(pattern, 1); /* with its dot */
	return host.len > pattern.len &&
	       str_eq(str_from(host, host.len - pattern.len), pattern);
}
