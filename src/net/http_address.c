/* http_address.c - listening sockets from IP addresses and Unix socket paths. */
#include "net/http_conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "base/mem.h"

enum { BACKLOG = 1024 };

static int socket_new(int family)
{
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static enum err fail_errno(struct fault *why, struct str address)
{
	return fail(why, ERR_UNAVAILABLE, "%.*s: %s", STR_ARGS(address), strerror(errno));
}

/* ---- unix sockets ---- */

/* Does a server listen there? */
static bool socket_alive(const struct sockaddr_un *at)
{
	int fd = socket_new(AF_UNIX);
	bool alive;

	if (fd < 0) return true;
	alive = !connect(fd, (const struct sockaddr *)at, sizeof *at) ||
		errno != ECONNREFUSED;
	close(fd);
	return alive;
}

/* Removes what a server that died left behind, and nothing else. */
static enum err socket_clear(const struct sockaddr_un *at, struct fault *why)
{
	struct stat st;

	if (lstat(at->sun_path, &st)) return OK;
	if (!S_ISSOCK(st.st_mode))
		return fail(why, ERR_CONFLICT, "%s is there and no socket", at->sun_path);
	if (socket_alive(at))
		return fail(
			why, ERR_CONFLICT, "another server listens on %s", at->sun_path);
	unlink(at->sun_path);
	return OK;
}

/* On Linux a socket's file gets the mode of its descriptor: private from its first
 * moment, without a umask that other threads would share. */
static bool socket_bind_private(int fd, const struct sockaddr_un *at)
{
	if (fchmod(fd, 0600)) return false;
	if (bind(fd, (const struct sockaddr *)at, sizeof *at)) return false;
	return chmod(at->sun_path, 0600) == 0 && listen(fd, BACKLOG) == 0;
}

static enum err unix_listen(struct str address, struct listening *out, struct fault *why)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct str path = str_from(address, strlen("unix:"));
	enum err e;

	if (path.len == 0 || path.len >= sizeof at.sun_path ||
		memchr(path.at, 0, path.len))
		return fail(why, ERR_INVALID, "%.*s: a path of 1 to %zu bytes is wanted",
			STR_ARGS(address), sizeof at.sun_path - 1);
	memcpy(at.sun_path, path.at, path.len);
	e = socket_clear(&at, why);
	if (e) return e;
	*out = (struct listening){ .fd = socket_new(AF_UNIX) };
	if (out->fd < 0) return fail_errno(why, address);
	if (!socket_bind_private(out->fd, &at)) {
		e = fail_errno(why, address);
		close(out->fd);
		return e;
	}
	out->path = mem_copy(path.at, path.len);
	if (!out->path) {
		close(out->fd);
		unlink(at.sun_path);
		return fail(why, ERR_MEMORY, "out of memory");
	}
	return OK;
}

/* ---- TCP ---- */

/* "127.0.0.1:80", "[::1]:80": numbers only, so that nothing is looked up. */
static bool ip_read(struct str address, struct sockaddr_storage *at)
{
	struct str host, port;
	char text[64];
	int64_t number;
	size_t colon = address.len;
	bool v6 = str_starts(address, "[");

	while (colon > 0 && address.at[colon - 1] != ':')
		colon--;
	if (colon < 2) return false;
	host = str_first(address, colon - 1);
	port = str_from(address, colon);
	if (v6) {
		if (host.len < 2 || host.at[host.len - 1] != ']') return false;
		host = str_make(host.at + 1, host.len - 2);
	} else if (str_is(host, "localhost")) {
		host = STR("127.0.0.1");
	}
	if (host.len >= sizeof text || !str_to_int(port, 0, 65535, &number)) return false;
	memcpy(text, host.at, host.len);
	text[host.len] = '\0';
	if (v6) return !uv_ip6_addr(text, (int)number, (struct sockaddr_in6 *)at);
	return !uv_ip4_addr(text, (int)number, (struct sockaddr_in *)at);
}

static int port_of(int fd)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof at;

	if (getsockname(fd, (struct sockaddr *)&at, &len)) return 0;
	if (at.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&at)->sin6_port);
	return ntohs(((struct sockaddr_in *)&at)->sin_port);
}

static enum err ip_listen(struct str address, struct listening *out, struct fault *why)
{
	struct sockaddr_storage at = { 0 };
	socklen_t len = sizeof(struct sockaddr_in);
	int fd, on = 1;
	enum err e;

	if (!ip_read(address, &at))
		return fail(why, ERR_INVALID, "%.*s: no address of the kind %s",
			STR_ARGS(address), "127.0.0.1:7275, [::1]:7275 or unix:/path");
	if (at.ss_family == AF_INET6) len = sizeof(struct sockaddr_in6);
	fd = socket_new(at.ss_family);
	if (fd < 0) return fail_errno(why, address);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&at, len) || listen(fd, BACKLOG)) {
		e = fail_errno(why, address);
		close(fd);
		return e;
	}
	*out = (struct listening){ .fd = fd, .port = port_of(fd) };
	return OK;
}

enum err address_listen(struct str address, struct listening *out, struct fault *why)
{
	if (str_starts(address, "unix:")) return unix_listen(address, out, why);
	return ip_listen(address, out, why);
}
