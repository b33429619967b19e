/* admin.c - chooses between the store and the server's local socket, and calls either. */
#include "admin/admin.h"

#include "admin/local.h"
#include "base/mem.h"
#include "client/client.h"
#include "store/db.h"
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct admin {
	struct local *local; /* or */
	struct client *client;
	char *workspace;
	int lock;
};

/* A folder whose name is lost with the power takes the store along. */
static void folder_sync_parent(const char *path)
{
	char parent[4096];
	const char *slash = strrchr(path, '/');
	int fd;

	snprintf(parent, sizeof parent, "%.*s", slash > path ? (int)(slash - path) : 1,
		slash ? path : ".");
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) return;
	fsync(fd);
	close(fd);
}

enum err folder_make(struct str path, struct fault *why)
{
	char text[4096];
	int n = snprintf(text, sizeof text, "%.*s", STR_ARGS(path));

	if (n <= 0 || n >= (int)sizeof text)
		return fail(why, ERR_INVALID,
			"the data directory's path is empty or too long");
	for (char *at = text + 1; *at; at++) {
		if (*at != '/') continue;
		*at = '\0';
		if (mkdir(text, 0755) != 0 && errno != EEXIST)
			return fail(
				why, ERR_UNAVAILABLE, "%s: %s", text, strerror(errno));
		*at = '/';
	}
	if (mkdir(text, 0700) == 0)
		folder_sync_parent(text);
	else if (errno != EEXIST)
		return fail(why, ERR_UNAVAILABLE, "%s: %s", text, strerror(errno));
	return OK;
}

struct str admin_local_address(struct str data, struct arena *arena)
{
	struct str address = arena_print(arena, "unix:%.*s/parley.sock", STR_ARGS(data));
	int fd;

	if (address.len - 5 < sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return address;
	fd = open(arena_copy(arena, data), O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? address
		      : arena_print(arena, "unix:/proc/self/fd/%d/parley.sock", fd);
}

static enum err admin_reach(struct admin *a, struct str data, struct fault *why)
{
	struct client_setup setup = { .stop_fd = -1 };
	struct arena arena = { 0 };

	setup.url = admin_local_address(data, &arena);
	setup.via = STR("cli");
	setup.workspace = str_of(a->workspace);
	a->client = client_new(&setup, why);
	arena_done(&arena);
	return a->client ? OK : why->err;
}

/* Does a server listen there? */
static bool server_listens(struct str data)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct arena arena = { 0 };
	struct str address = admin_local_address(data, &arena);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool listens = false;

	if (fd >= 0 && address.len > 5 && address.len - 5 < sizeof to.sun_path) {
		memcpy(to.sun_path, address.at + 5, address.len - 5);
		listens = connect(fd, (const struct sockaddr *)&to, sizeof to) == 0;
	}
	if (fd >= 0) close(fd);
	arena_done(&arena);
	return listens;
}

struct admin *admin_open(struct str store, struct str data, struct str workspace,
	bool served, admin_use_fn *use, struct fault *why)
{
	struct admin *a = mem_alloc(sizeof *a);
	enum err e = a ? folder_make(data, why) : fail(why, ERR_MEMORY, "out of memory");

	if (!a) return NULL;
	a->lock = -1;
	a->workspace = mem_copy(workspace.at, workspace.len);
	if (!e) e = store_lock(store, &a->lock, why);
	if (e == ERR_BUSY ||
		(!e && served && store_url_is_shared(store) && server_listens(data))) {
		e = admin_reach(a, data, why);
	} else if (!e) {
		a->local = local_open(store, use, why);
		if (!a->local) e = why->err;
	}
	return e ? admin_close(a) : a;
}

struct admin *admin_close(struct admin *a)
{
	if (!a) return NULL;
	local_close(a->local);
	client_free(a->client);
	store_unlock(a->lock);
	mem_free(a->workspace);
	mem_free(a);
	return NULL;
}

enum err admin_do(struct admin *a, const char *method, struct str path, struct str body,
	struct arena *arena, const struct json **out, struct fault *why)
{
	struct api_call call = {
		.method = method, .path = path, .body = body, .hold_ms = 600000
	};
	struct api_reply reply = { 0 };
	struct str text = STR_NONE;
	enum err e;

	*out = NULL;
	if (a->client) {
		e = client_call(a->client, &call, arena, &reply, why);
		if (!e) *out = reply.json;
		return e;
	}
	e = local_do(
		a->local, str_of(a->workspace), method, path, body, arena, &text, why);
	return e || !text.len ? e : json_read(text, NULL, arena, out, why);
}
