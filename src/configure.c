/* configure.c - puts together what the desk knows of agents and providers without the store. */
#include "configure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"
#include "cli/agentfile/agents_file.h"

enum { HEX = 2 * SEAL_KEY_SIZE };

/* 64 hexadecimal digits and a line end, 0600. Who comes second reads what the first made. */
static enum err key_make(const char *path, struct fault *why)
{
	uint8_t key[SEAL_KEY_SIZE];
	char text[HEX + 2];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written;

	if (fd < 0 && errno == EEXIST) return OK;
	if (fd < 0) return fail(why, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
	random_bytes(NULL, key, sizeof key);
	hex_write(key, sizeof key, text);
	text[HEX] = '\n';
	written = write(fd, text, HEX + 1) == HEX + 1 && fsync(fd) == 0;
	close(fd);
	return written ? OK : fail(why, ERR_UNAVAILABLE, "%s: cannot be written", path);
}

static enum err key_read(const char *path, uint8_t out[SEAL_KEY_SIZE], struct fault *why)
{
	char text[HEX + 16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0) return fail(why, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && (st.st_mode & 077)) {
		close(fd);
		return fail(why, ERR_INVALID,
			"%s can be read by others: chmod 600 it; it opens the keys of "
			"providers",
			path);
	}
	n = read(fd, text, sizeof text);
	close(fd);
	if (n < 0 || !hex_read(str_trim(str_make(text, (size_t)n)), out, SEAL_KEY_SIZE))
		return fail(
			why, ERR_INVALID, "%s is no key of 64 hexadecimal digits", path);
	return OK;
}

static enum err key_load(const struct settings *set, struct arena *arena,
	struct configured *out, struct fault *why)
{
	const char *path =
		set->secret_key_file.len
			? set->secret_key_file.at
			: arena_print(arena, "%.*s/secret.key", STR_ARGS(set->data)).at;
	enum err e = path ? key_make(path, why) : fail(why, ERR_MEMORY, "out of memory");

	if (!e) e = key_read(path, out->secret, why);
	out->sealing = !e;
	return e;
}

static void warn(const struct agents_file *f, struct arena *arena)
{
	for (size_t i = 0; i < f->providers_len; i++) {
		struct str wrong = provider_key_wrong(&f->providers[i], arena);

		if (wrong.len)
			log_line(LOG_WARN, "provider %.*s cannot be used: %.*s",
				STR_ARGS(f->providers[i].name), STR_ARGS(wrong));
	}
}

enum err configure(const struct settings *set, struct arena *arena,
	struct configured *out, struct fault *why)
{
	struct agents_file file;
	enum err e;

	*out = (struct configured){ .model_internal = set->model_internal,
		.tool_internal = set->tool_internal,
		.webhook_internal = set->webhook_internal,
		.default_agent = set->default_agent };
	e = agents_file_read(set, arena, &file, why);
	if (!e) e = key_load(set, arena, out, why);
	if (e) return e;
	out->providers = file.providers;
	out->providers_len = file.providers_len;
	out->agents = file.agents;
	out->agents_len = file.agents_len;
	out->tools = file.tools;
	out->tools_len = file.tools_len;
	out->mcp_servers = file.mcp_servers;
	out->mcp_servers_len = file.mcp_servers_len;
	warn(&file, arena);
	return OK;
}
