/* locate.c - finds the server and the credential for it; reads and writes the login
 * file. Prefix: login_. */
#include "client/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

enum { SMALL_FILE = 16384 };

static enum err fd_read(int fd, const char *path, size_t max, bool secret,
	struct arena *arena, struct str *out, struct fault *why)
{
	struct stat st;
	char *at;
	size_t len = 0;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return fail(why, ERR_INVALID, "%s: not a file", path);
	if (secret && (st.st_mode & 077))
		return fail(
			why, ERR_FORBIDDEN, "%s: others may read it (chmod 600)", path);
	if (st.st_size < 0 || (uint64_t)st.st_size > max)
		return fail(why, ERR_TOO_BIG, "%s: too long", path);
	at = arena_alloc(arena, (size_t)st.st_size + 1);
	if (!at) return fail(why, ERR_MEMORY, "out of memory");
	while (len < (size_t)st.st_size) {
		ssize_t n = read(fd, at + len, (size_t)st.st_size - len);

		if (n < 0 && errno == EINTR) continue;
		if (n < 0)
			return fail(why, ERR_INTERNAL, "%s: %s", path, strerror(errno));
		if (n == 0) break;
		len += (size_t)n;
	}
	*out = str_make(at, len);
	return OK;
}

enum err file_read(const char *path, size_t max, bool secret, struct arena *arena,
	struct str *out, struct fault *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	enum err err;

	if (fd < 0)
		return fail(why,
			errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND
							    : ERR_FORBIDDEN,
			"%s: %s", path, strerror(errno));
	err = fd_read(fd, path, max, secret, arena, out, why);
	close(fd);
	return err;
}

const char *config_path(struct arena *arena, const char *name)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const struct passwd *me;

	if (base && *base == '/')
		return arena_print(arena, "%s/parley/%s", base, name).at;
	if (!home || !*home) home = (me = getpwuid(getuid())) ? me->pw_dir : NULL;
	return home ? arena_print(arena, "%s/.config/parley/%s", home, name).at : NULL;
}

static const char *data_path(struct arena *arena, struct str data, const char *name)
{
	return arena_print(arena, "%.*s/%s", STR_ARGS(data), name).at;
}

static enum err json_file(const char *path, bool secret, struct arena *arena,
	const struct json **out, struct fault *why)
{
	struct str text;
	struct fault inner = { 0 };
	enum err err = path ? file_read(path, SMALL_FILE, secret, arena, &text, why)
			    : fail(why, ERR_NOT_FOUND, "no home directory");

	if (err != OK) return err;
	if (json_read(text, NULL, arena, out, &inner) != OK)
		return fail(why, ERR_INVALID, "%s: %s", path, inner.detail);
	return OK;
}

enum err server_info_read(
	struct str data, struct arena *arena, struct server_info *out, struct fault *why)
{
	const struct json *json, *pid;
	enum err err = json_file(
		data_path(arena, data, "server.json"), false, arena, &json, why);

	if (err != OK) return err;
	pid = json_get(json, "pid");
	*out = (struct server_info){
		.url = json_text_of(json, "url"),
		.socket = json_text_of(json, "socket"),
		.pid = json_is(pid, JSON_NUMBER) && pid->is_int ? pid->integer : 0,
	};
	return out->url.len > 0 ? OK : fail(why, ERR_NOT_FOUND, "server.json has no url");
}

enum err login_read(struct arena *arena, struct login *out, struct fault *why)
{
	const struct json *json;
	enum err err = json_file(config_path(arena, "login"), true, arena, &json, why);

	if (err != OK) return err;
	*out = (struct login){ json_text_of(json, "url"), json_text_of(json, "token") };
	return out->url.len > 0 && out->cookie.len > 0
		       ? OK
		       : fail(why, ERR_NOT_FOUND, "the login file is empty");
}

static bool folder_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
		*slash = '/';
		if (!made) return false;
	}
	return true;
}

static bool text_write(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	size_t done = 0;

	if (fd < 0) return false;
	while (done < text.len) {
		ssize_t n = write(fd, text.at + done, text.len - done);

		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) break;
		done += (size_t)n;
	}
	bool kept = done == text.len && fsync(fd) == 0;
	return close(fd) == 0 && kept;
}

enum err login_write(const struct login *login, struct fault *why)
{
	struct arena arena = { 0 };
	struct json_writer w = { .out = &(struct buf){ .max = SMALL_FILE } };
	const char *path = config_path(&arena, "login"), *fresh;
	enum err err = OK;

	jw_object(&w);
	jw_put_str(&w, "url", login->url);
	jw_put_str(&w, "token", login->cookie);
	jw_object_end(&w);
	buf_add_char(w.out, '\n');
	fresh = path ? arena_print(&arena, "%s.%d", path, (int)getpid()).at : NULL;
	if (!fresh || w.out->failed) {
		err = fail(why, ERR_INTERNAL, "no place for the login file");
	} else {
		unlink(fresh);
		if (!folder_make(arena_copy(&arena, str_of(path))) ||
			!text_write(fresh, buf_str(w.out)) || rename(fresh, path) != 0) {
			err = fail(why, ERR_INTERNAL, "%s: %s", path, strerror(errno));
			unlink(fresh);
		}
	}
	buf_done(w.out);
	arena_done(&arena);
	return err;
}

enum err login_remove(struct fault *why)
{
	struct arena arena = { 0 };
	const char *path = config_path(&arena, "login");
	enum err err = OK;

	if (path && unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
		err = fail(why, ERR_INTERNAL, "%s: %s", path, strerror(errno));
	arena_done(&arena);
	return err;
}

static bool same_server(struct str a, struct str b)
{
	while (a.len > 0 && a.at[a.len - 1] == '/')
		a.len--;
	while (b.len > 0 && b.at[b.len - 1] == '/')
		b.len--;
	return a.len > 0 && str_eq(a, b);
}

static struct str agent_token(const struct locate *how, struct arena *arena)
{
	const char *path = data_path(arena, how->data, "agent.token");
	struct str text;

	if (!path || file_read(path, SMALL_FILE, true, arena, &text, NULL) != OK)
		return STR_NONE;
	return str_trim(text);
}

enum err locate(const struct locate *how, struct arena *arena, struct located *out,
	struct fault *why)
{
	struct server_info info = { 0 };
	struct login login = { 0 };
	struct located at = { .url = how->url, .token = how->token };
	struct fault open = { 0 };

	server_info_read(how->data, arena, &info, NULL);
	if (login_read(arena, &login, &open) == ERR_FORBIDDEN && how->as == AS_PERSON &&
		how->token.len == 0)
		return fail(why, ERR_FORBIDDEN, "%s", open.detail);
	if (at.url.len == 0 && how->as == AS_PERSON && how->token.len == 0)
		at.url = login.url;
	if (at.url.len == 0) at.url = info.url;
	if (at.url.len == 0) at.url = how->hint;
	if (at.url.len == 0) at.url = login.url;
	if (at.url.len == 0) return fail(why, ERR_NOT_FOUND, "no server is known");
	bool logged_in = same_server(at.url, login.url);
	if (at.token.len == 0 && how->as == AS_PERSON && logged_in)
		at.cookie = login.cookie;
	if (at.token.len == 0 && at.cookie.len == 0 && same_server(at.url, info.url))
		at.token = agent_token(how, arena);
	if (at.token.len == 0 && at.cookie.len == 0 && logged_in)
		at.cookie = login.cookie;
	*out = at;
	return OK;
}
