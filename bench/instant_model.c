/* instant_model.c - a provider of models that answers at once, on the wire of Anthropic's
 * Messages API, and for bench/peers without a stream on that of Chat Completions: the first request of a run gets a call of a tool, the next one, which brings
 * its result, a text. One thread, so that what is measured is the other side. A word in the first message
 * asks for something else:
 *
 *   #ask    a question first; then, as its text, when its answer came (CLOCK_MONOTONIC, in µs)
 *   #turns  a long text (1,500 bytes, or #turns=N) and a call of a tool, each time: the next piece of the
 *           texts that it was given
 *   #hold   a first word, which is the time it was sent, and then nothing more
 *   #own, #later, #guarded    a call of the tool of that name first; then, of #guarded, as its text, when that tool
 *           was asked here
 *   #took   with one of these or alone: as its text, how long the tool took (µs)
 *   #busy   that it has no room, for an hour
 *
 * It is the server of these tools, too: /tool answers at once, /later says that its result comes later.
 *
 * It is a server of the Model Context Protocol, too, for bench/gateway.mjs.
 *
 *   instant_model [PORT_FILE [TEXTS]]    listens on 127.0.0.1, writes its port there or to stdout */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 4096, REQUEST_MAX = 4 << 20, WORD_MAX = 12000, TEXTS_MAX = 8 << 20 };

struct connection {
	char *text;
	size_t len, cap;
};

static struct connection connections[CONNECTIONS];
static char *texts; /* as strings of JSON, without their quotes; or NULL */
static size_t texts_len, texts_at;

#define EVENT(type, json) "event: " type "\ndata: {\"type\":\"" type "\"" json "}\n\n"
#define BEGIN                                                                            \
	EVENT("message_start",                                                           \
		",\"message\":{\"usage\":{\"input_tokens\":20,\"output_tokens\":1}}")
#define END(reason)                                                                      \
	EVENT("content_block_stop", ",\"index\":0")                                      \
	EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason                   \
			       "\"},\"usage\":{\"output_tokens\":12}")                   \
	EVENT("message_stop", "")

/* %s: a tool. */
#define CALL_FORMAT(arguments)                                                              \
	BEGIN EVENT("content_block_start",                                                  \
		",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\"," \
		"\"name\":\"%s\",\"input\":{}}") EVENT("content_block_delta",               \
		",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","                    \
		"\"partial_json\":\"" arguments "\"}") END("tool_use")
static const char call_reply[] = CALL_FORMAT("{\\\"operation\\\":\\\"list\\\"}"),
		  own_reply[] = CALL_FORMAT("{}");
static const char text_reply[] = BEGIN EVENT("content_block_start",
	",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")
	EVENT("content_block_delta",
		",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Done.\"}")
		END("end_turn");

static const char ask_reply[] = BEGIN EVENT("content_block_start",
	",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
	"\"name\":\"ask_user_question\",\"input\":{}}") EVENT("content_block_delta",
	",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
	"\"{\\\"questions\\\":[{\\\"question\\\":\\\"Go on?\\\"}]}\"}") END("tool_use");
/* %s: a text. */
#define TIME_BEGIN                                                                       \
	BEGIN EVENT("content_block_start",                                               \
		",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")      \
		EVENT("content_block_delta",                                             \
			",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}")
static const char turn_format[] = BEGIN EVENT("content_block_start",
	",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")
	EVENT("content_block_delta",
		",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}")
		EVENT("content_block_stop", ",\"index\":0") EVENT("content_block_start",
			",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":"
			"\"toolu_1\",\"name\":\"todo\",\"input\":{}}")
			EVENT("content_block_delta",
				",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
				"\"partial_json\":\"{\\\"operation\\\":\\\"list\\\"}\"}")
				EVENT("content_block_stop", ",\"index\":1") EVENT(
					"message_delta",
					",\"delta\":{\"stop_reason\":\"tool_use\"},"
					"\"usage\":{\"output_tokens\":500}")
					EVENT("message_stop", "");

/* %s: a message, why it ends. */
static const char chat_format[] =
	"{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
	"[{\"index\":0,\"message\":{\"role\":\"assistant\",%s},\"finish_reason\":\"%s\"}],"
	"\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":12,\"total_tokens\":32}}";
#define CHAT_CALL(name, arguments)                                                       \
	"\"content\":null,\"tool_calls\":[{\"id\":\"toolu_1\",\"type\":\"function\","    \
	"\"function\":{\"name\":\"" name "\",\"arguments\":\"" arguments "\"}}]"

static void reply_send(int fd, const char *text, int whole)
{
	char *all = NULL, length[40] = "";
	int n;

	if (whole)
		snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(text));
	n = asprintf(&all, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n%s",
		text[0] == '{' ? "application/json" : "text/event-stream", length, text);
	if (n < 0) return;
	if (send(fd, all, (size_t)n, MSG_NOSIGNAL) < 0) perror("send");
	free(all);
}

/* A reply without a body. */
static void head_send(int fd, const char *head)
{
	char all[200];
	int n = snprintf(
		all, sizeof all, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", head);

	if (send(fd, all, (size_t)n, MSG_NOSIGNAL) < 0) perror("send");
}

static void texts_read(const char *path)
{
	FILE *from = fopen(path, "r");

	texts = malloc(TEXTS_MAX);
	if (from && texts) texts_len = fread(texts, 1, TEXTS_MAX, from);
	if (from) fclose(from);
}

/* The next `len` bytes of the texts, but no part of an escape or of a character alone. */
static size_t piece_take(char *to, size_t len)
{
	size_t n = 0, step;

	if (!texts_len) {
		memset(to, 'x', len);
		return len;
	}
	if (texts_at + len + 8 > texts_len) texts_at = 0;
	for (;; n += step) {
		const char *at = texts + texts_at + n;

		step = *at == '\\' ? (at[1] == 'u' ? 6 : 2) : 1;
		while ((at[step] & 0xc0) == 0x80)
			step++;
		if (n + step > len) break;
	}
	memcpy(to, texts + texts_at, n);
	texts_at += n;
	return n;
}

static int has(const char *body, size_t len, const char *word)
{
	return memmem(body, len, word, strlen(word)) != NULL;
}

static long long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* The tool that is asked for, if it is one of somebody's own. */
static const char *own_tool(const char *body, size_t len)
{
	static const char *const names[] = { "#own", "#later", "#guarded" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (has(body, len, names[i])) return names[i] + 1;
	return NULL;
}

static long long tool_us, called_us; /* when a tool was asked here; when one was called */

static void tool_answer(int fd, const char *head)
{
	tool_us = now_us();
	if (strncmp(head, "POST /later", 11) == 0)
		head_send(fd, "202 Accepted\r\nParley-Later: 1");
	else
		reply_send(fd, "{\"ok\":true}", 1);
}

/* Chat Completions: the same, but for #turns, #hold, #took and #busy. */
static void reply_chat(int fd, const char *body, size_t len, const char *now)
{
	char text[4096], message[2100] = "\"content\":\"Done.\"";
	int done = has(body, len, "\"tool_call_id\"");

	if (!done && own_tool(body, len))
		snprintf(message, sizeof message, CHAT_CALL("%s", "{}"),
			own_tool(body, len));
	else if (!done)
		snprintf(message, sizeof message, "%s",
			has(body, len, "#ask")
				? CHAT_CALL("ask", "{\\\"question\\\":\\\"Go on?\\\"}")
				: CHAT_CALL("todo", "{\\\"operation\\\":\\\"list\\\"}"));
	else if (has(body, len, "#ask"))
		snprintf(message, sizeof message, "\"content\":\"%s\"", now);
	else if (has(body, len, "#guarded"))
		snprintf(message, sizeof message, "\"content\":\"%lld\"", tool_us);
	snprintf(text, sizeof text, chat_format, message, done ? "stop" : "tool_calls");
	reply_send(fd, text, 1);
}

/* MCP of 2026-07-28: two tools, one of which only reads; calls of both are done at once. */
static void reply_mcp(int fd, const char *body, size_t len)
{
	const char *id = memmem(body, len, "\"id\":", 5);
	char text[1024];
	int n = 0;

	while (id && id[5 + n] && !strchr(",}", id[5 + n]))
		n++;
	snprintf(text, sizeof text,
		"{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"resultType\":\"complete\",%s}}",
		n, id ? id + 5 : "",
		has(body, len, "\"tools/call\"")
			? "\"content\":[{\"type\":\"text\",\"text\":\"done\"}]"
		: has(body, len, "\"tools/list\"")
			? "\"ttlMs\":60000,\"cacheScope\":\"private\",\"tools\":["
			  "{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"},"
			  "\"annotations\":{\"readOnlyHint\":true}},"
			  "{\"name\":\"write\",\"inputSchema\":{\"type\":\"object\"}}]"
			: "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}");
	reply_send(fd, text, 1);
}

static void reply(int fd, const char *body, size_t len, int chat)
{
	/* With the result of a tool the model is done; a request without tools, too. */
	int done = has(body, len, "tool_result") || !has(body, len, "\"tools\"");
	char text[16384], word[WORD_MAX + 1], at[32];
	const char *turns = memmem(body, len, "#turns", 6);

	snprintf(at, sizeof at, "%lld", now_us());
	if (done && has(body, len, "#guarded")) snprintf(at, sizeof at, "%lld", tool_us);
	if (done && has(body, len, "#took"))
		snprintf(at, sizeof at, "%lld", now_us() - called_us);
	if (has(body, len, "\"jsonrpc\"")) {
		reply_mcp(fd, body, len);
	} else if (has(body, len, "#busy")) {
		head_send(fd, "529 Overloaded\r\nRetry-After: 3600");
	} else if (chat) {
		reply_chat(fd, body, len, at);
	} else if (has(body, len, "#hold")) {
		snprintf(text, sizeof text, TIME_BEGIN, at);
		reply_send(fd, text, 0);
	} else if (turns) {
		size_t long_as = turns[6] == '=' ? strtoul(turns + 7, NULL, 10) : 1500;

		if (long_as > WORD_MAX) long_as = WORD_MAX;
		word[piece_take(word, long_as)] = '\0';
		snprintf(text, sizeof text, turn_format, word);
		reply_send(fd, text, 1);
	} else if (done && (has(body, len, "#ask") || has(body, len, "#guarded") ||
				   has(body, len, "#took"))) {
		snprintf(text, sizeof text, TIME_BEGIN END("end_turn"), at);
		reply_send(fd, text, 1);
	} else if (done || has(body, len, "#ask")) {
		reply_send(fd, done ? text_reply : ask_reply, 1);
	} else {
		const char *own = own_tool(body, len);

		snprintf(text, sizeof text, own ? own_reply : call_reply,
			own ? own : "todo");
		reply_send(fd, text, 1);
		called_us = now_us();
	}
}

/* Bytes of the first whole request; 0: it is not whole yet. */
static size_t request_size(const struct connection *c, size_t *body)
{
	const char *end = memmem(c->text, c->len, "\r\n\r\n", 4);
	size_t head, length = 0;

	if (!end) return 0;
	head = (size_t)(end - c->text) + 4;
	for (const char *at = c->text; at < end; at++)
		if (strncasecmp(at, "\ncontent-length:", 16) == 0)
			length = strtoul(at + 16, NULL, 10);
	if (c->len < head + length) return 0;
	*body = head;
	return head + length;
}

static void connection_close(int fd)
{
	free(connections[fd].text);
	connections[fd] = (struct connection){ 0 };
	close(fd);
}

static void connection_read(int fd)
{
	struct connection *c = &connections[fd];
	size_t size, body = 0;
	ssize_t n;

	if (c->cap - c->len < 65536) {
		char *grown =
			c->cap < REQUEST_MAX ? realloc(c->text, c->cap + 131072) : NULL;

		if (!grown) {
			connection_close(fd);
			return;
		}
		c->text = grown;
		c->cap += 131072;
	}
	n = recv(fd, c->text + c->len, c->cap - c->len, 0);
	if (n <= 0) {
		connection_close(fd);
		return;
	}
	c->len += (size_t)n;
	while ((size = request_size(c, &body))) {
		if (strncmp(c->text, "POST /tool", 10) == 0 ||
			strncmp(c->text, "POST /later", 11) == 0)
			tool_answer(fd, c->text);
		else
			reply(fd, c->text + body, size - body,
				has(c->text, body, "/chat/completions"));
		memmove(c->text, c->text + size, c->len - size);
		c->len -= size;
	}
}

static int listen_any(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 1024) ||
		getsockname(fd, (struct sockaddr *)&at, &len))
		return -1;
	*port = ntohs(at.sin_port);
	return fd;
}

int main(int argc, char **argv)
{
	struct epoll_event events[256], watch = { .events = EPOLLIN };
	int port = 0, one = 1, listener = listen_any(&port), poll = epoll_create1(0);
	FILE *to = argc > 1 ? fopen(argv[1], "w") : stdout;

	if (listener < 0 || !to) return 1;
	if (argc > 2) texts_read(argv[2]);
	fprintf(to, "%d\n", port);
	fflush(to);
	watch.data.fd = listener;
	epoll_ctl(poll, EPOLL_CTL_ADD, listener, &watch);
	for (;;) {
		int n = epoll_wait(poll, events, 256, -1);

		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;

			if (fd != listener) {
				connection_read(fd);
				continue;
			}
			fd = accept(listener, NULL, NULL);
			if (fd < 0 || fd >= CONNECTIONS) {
				if (fd >= 0) close(fd);
				continue;
			}
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
			watch.data.fd = fd;
			epoll_ctl(poll, EPOLL_CTL_ADD, fd, &watch);
		}
		if (n < 0 && errno != EINTR) return 1;
	}
}
