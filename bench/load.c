/* load.c - the load generator: one mode a row of the table that bench/run prints. */
#include "load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char question[] =
	"{\"kind\":\"blocking\",\"title\":\"Release 4.2\",\"context\":{\"text\":\""
	"The build is green, the canary has been healthy for an hour, and the error "
	"budget "
	"of this month is untouched. Two migrations are part of this release; both were "
	"rehearsed on a copy of last night's data and took under a minute each.\","
	"\"job_type\":\"release\",\"project_name\":\"shop\",\"current_step\":\"deploy\"},"
	"\"questions\":[{\"key\":\"env\",\"header\":\"Environment\",\"text\":"
	"\"Where shall I deploy the release?\",\"type\":\"choice\",\"options\":["
	"{\"id\":\"staging\",\"label\":\"Staging\",\"description\":"
	"\"The rehearsal stage, rebuilt every night\"},"
	"{\"id\":\"production\",\"label\":\"Production\",\"description\":"
	"\"What customers see; needs a change window\"},"
	"{\"id\":\"both\",\"label\":\"Both\",\"description\":"
	"\"Staging first, production an hour later\"}],\"other\":true}],"
	"\"priority\":\"normal\",\"metadata\":{\"build\":\"4711\",\"branch\":\"main\","
	"\"commit\":\"3f786850e387550fdab836ed7e6dc881de23001b\"}}";

const char answer[] = "{\"answers\":{\"env\":\"staging\"}}";

/* An ask: its record, its place in the queue of open ones, its event. */
const char script_ask[] =
	"redis.call('HSET', 'ask:'..ARGV[1], 'session', ARGV[1], 'status', 'pending',"
	" 'body', ARGV[2])"
	" redis.call('ZADD', 'pending', ARGV[3], ARGV[1])"
	" redis.call('XADD', 'events', '*', 'type', 'ask.created', 'ask', ARGV[1])"
	" return 1";
/* The same where people take asks from a list. */
const char script_ask_queued[] =
	"redis.call('HSET', 'ask:'..ARGV[1], 'session', ARGV[1], 'status', 'pending',"
	" 'body', ARGV[2])"
	" redis.call('ZADD', 'pending', ARGV[3], ARGV[1])"
	" redis.call('RPUSH', 'inbox', ARGV[1])"
	" return 1";
const char script_answer[] =
	"if redis.call('HGET', 'ask:'..ARGV[1], 'status') ~= 'pending' then return 0 end"
	" redis.call('HSET', 'ask:'..ARGV[1], 'status', 'answered', 'answer', ARGV[2])"
	" redis.call('ZREM', 'pending', ARGV[1])"
	" redis.call('XADD', 'events', '*', 'type', 'ask.answered', 'ask', ARGV[1])"
	" redis.call('RPUSH', 'answer:'..ARGV[1], ARGV[2])"
	" return 1";

int number(const char *text)
{
	char *end;
	long n = strtol(text ? text : "", &end, 10);

	if (!text || end == text || *end || n < 0 || n > INT_MAX)
		die("'%s' is no number", text ? text : "");
	return (int)n;
}

struct peer peer_read(int argc, char **argv)
{
	struct peer p = { SPEAK_REDIS, 0, "", "", 0 };

	if (argc < 2) die("http PORT AGENT PERSON or redis PORT is needed");
	p.port = p.person_port = number(argv[1]);
	if (strcmp(argv[0], "redis") == 0) return p;
	if (argc < 4) die("two tokens are needed");
	return (struct peer){ SPEAK_HTTP, p.port, argv[2], argv[3],
		argc > 4 ? number(argv[4]) : p.port };
}

struct sha peer_script(struct wire *w, const char *script)
{
	struct sha sha = { "" };
	size_t len;

	wire_redis(w, "SCRIPT", "LOAD", script, NULL);
	len = wire_await(w);
	wire_expect(w, "$40\r\n");
	memcpy(sha.text, w->in + 5, 40);
	wire_drop(w, len);
	return sha;
}

void ask_once(struct wire *w, const char *token, const char *body, char id[64])
{
	size_t len;

	wire_http(w, "POST", "/v1/asks", token, body);
	len = wire_await(w);
	wire_expect(w, "HTTP/1.1 201");
	if (!wire_find(w, len, "\"id\":\"", id, 64)) die("an ask without an id");
	wire_drop(w, len);
}

static const struct {
	const char *name, *use;
	mode_fn *run;
} modes[] = {
	{ "rate", "PORT CONNECTIONS SECONDS: durable asks a second of Redis", mode_rate },
	{ "turn", "N PEER: answer to waiter, one at a time", mode_turn },
	{ "sync", "FOLDER N: one fdatasync of 4 KiB", mode_sync },
	{ "times", "N PEER: list, ask and answer, one at a time", mode_times },
	{ "resume", "LANES SECONDS PEER: ask, answer, resume", mode_resume },
	{ "park",
		"asks|streams|nchan|nchan-poll N PEER: waits for a line between its "
		"steps",
		mode_park },
	{ "calls",
		"CONNECTIONS N PORT PATH TOKEN TOOL: calls of a tool of an MCP server; calls/s, p50, p99",
		mode_calls },
	{ "held", "N PORT PATH TOKEN TOOL: such calls that wait, until a line comes",
		mode_held },
	{ "start", "PORT-FILE COMMAND…: starts a server; milliseconds until ready, pid",
		mode_start },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++) {
		if (strcmp(argv[1], modes[i].name) != 0) continue;
		modes[i].run(argc - 2, argv + 2);
		return 0;
	}
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		fprintf(stderr, "load %s %s\n", modes[i].name, modes[i].use);
	return 2;
}
