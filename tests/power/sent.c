/* sent.c - cuts the power of a desk whose agents call a model, all over its history: what a model
 * was sent is in the store. A message or an answer that is lost with the power was never seen by
 * a model, although its request is made ready while the disk is still writing. */
#include "agent/runner.h"
#include "desk_rig.h"
#include "sweep.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { RUNS = 12, CONNECTIONS = 32, REQUEST_MAX = 64 * 1024, SYNC_US = 3000 };

static const uint64_t never = UINT64_MAX;

/* One run: its ids, and when the model had its first message and the answer to its question. */
struct life {
	char session[ID_SIZE], ask[ID_SIZE];
	uint64_t asked, told;
};

static struct {
	struct rig rig;
	struct runner *runner;
	struct life lives[RUNS];
	int listener, port;
	pthread_t accepting, connections[CONNECTIONS];
	size_t connections_len;
	pthread_mutex_t lock; /* of when the model had what */
} work = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the model ---- */

#define EVENT(type, json) "event: " type "\ndata: {\"type\":\"" type "\"" json "}\n\n"
#define REPLY(block, delta, reason)                                                      \
	EVENT("message_start", ",\"message\":{\"usage\":{\"input_tokens\":20}}")         \
	EVENT("content_block_start", ",\"index\":0,\"content_block\":" block)            \
	EVENT("content_block_delta", ",\"index\":0,\"delta\":" delta)                    \
	EVENT("content_block_stop", ",\"index\":0")                                      \
	EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason                   \
			       "\"},\"usage\":{\"output_tokens\":12}")                   \
	EVENT("message_stop", "")

static const char question[] = REPLY(
	"{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ask_user_question\",\"input\":{}}",
	"{\"type\":\"input_json_delta\","
	"\"partial_json\":\"{\\\"questions\\\":[{\\\"question\\\":\\\"Eh?\\\"}]}\"}",
	"tool_use");
static const char end[] = REPLY("{\"type\":\"text\",\"text\":\"\"}",
	"{\"type\":\"text_delta\",\"text\":\"Done.\"}", "end_turn");

/* The next whole request, from its head on. False: the connection is over. */
static bool request_take(int fd, char *text)
{
	size_t len = 0, length = 0;
	const char *body = NULL, *at;

	while (!body || len < (size_t)(body - text) + length) {
		ssize_t n = recv(fd, text + len, REQUEST_MAX - 1 - len, 0);

		if (n <= 0) return false;
		len += (size_t)n;
		text[len] = '\0';
		body = strstr(text, "\r\n\r\n");
		if (!body) continue;
		body += 4;
		at = strstr(text, "Content-Length: ");
		length = at ? strtoul(at + 16, NULL, 10) : 0;
	}
	return true;
}

static void request_note(const char *text, bool told)
{
	const char *job = strstr(text, "Job ");
	unsigned long n = job ? strtoul(job + 4, NULL, 10) : RUNS;
	uint64_t now = cut_position();

	if (n >= RUNS) return;
	pthread_mutex_lock(&work.lock);
	*(told ? &work.lives[n].told : &work.lives[n].asked) = now;
	pthread_mutex_unlock(&work.lock);
}

static void *connection(void *ctx)
{
	int fd = (int)(intptr_t)ctx;
	char *text = malloc(REQUEST_MAX), head[128];

	while (text && request_take(fd, text)) {
		bool told = strstr(text, "tool_result") != NULL;
		const char *reply = told ? end : question;

		request_note(text, told);
		snprintf(head, sizeof head,
			"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
			"Content-Length: %zu\r\n\r\n",
			strlen(reply));
		if (send(fd, head, strlen(head), MSG_NOSIGNAL) < 0 ||
			send(fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	free(text);
	close(fd);
	return NULL;
}

static void *model_main(void *ctx)
{
	int fd;

	(void)ctx;
	while ((fd = accept(work.listener, NULL, NULL)) >= 0) {
		if (work.connections_len == CONNECTIONS ||
			pthread_create(&work.connections[work.connections_len++], NULL,
				connection, (void *)(intptr_t)fd) != 0)
			abort();
	}
	return NULL;
}

static void model_start(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;

	work.connections_len = 0;
	work.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(work.listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(work.listener, CONNECTIONS), 0);
	assert_int_equal(getsockname(work.listener, (struct sockaddr *)&at, &size), 0);
	work.port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&work.accepting, NULL, model_main, NULL), 0);
}

/* Once nobody is connected any more. */
static void model_stop(void)
{
	shutdown(work.listener, SHUT_RDWR);
	pthread_join(work.accepting, NULL);
	close(work.listener);
	for (size_t i = 0; i < work.connections_len; i++)
		pthread_join(work.connections[i], NULL);
}

/* ---- the work ---- */

static void put(const struct use *use, const char *body)
{
	struct outcome o;

	assert_int_equal(
		rig_do(&work.rig, &(struct request){ use, work.rig.ada, .body = body },
			&o),
		OK);
	outcome_done(&o);
}

static void prepare(void)
{
	char provider[128];

	snprintf(provider, sizeof provider,
		"{'name':'near','kind':'anthropic','url':'http://127.0.0.1:%d'}",
		work.port);
	put(&use_provider_create, provider);
	put(&use_agent_create, "{'name':'worker','provider':'near','model':'m',"
			       "'tools':['ask_user_question']}");
}

/* Returns once the model had it. */
static void seen(const uint64_t *at)
{
	uint64_t position = never;

	for (int i = 0; position == never && i < 20000; i++) {
		pthread_mutex_lock(&work.lock);
		position = *at;
		pthread_mutex_unlock(&work.lock);
		if (position == never) usleep(500);
	}
	assert_true(position != never);
}

static void ask_find(struct life *l)
{
	for (int i = 0; !l->ask[0] && i < 20000; i++) {
		struct outcome o;
		const struct json *items;

		rig_do(&work.rig, &(struct request){ &use_ask_list, work.rig.ada }, &o);
		items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
		if (items && items->count == 1)
			snprintf(l->ask, sizeof l->ask, "%.*s",
				STR_ARGS(text_at(&items->items[0], "id")));
		outcome_done(&o);
		if (!l->ask[0]) usleep(500);
	}
	assert_true(l->ask[0]);
}

static enum err life_answer(struct life *l)
{
	struct request answer = { &use_answer, work.rig.mia, l->ask,
		"{'answers':{'q1':'so'}}" };
	struct outcome o;
	enum err e = rig_do(&work.rig, &answer, &o);

	outcome_done(&o);
	return e;
}

/* Up to its question. */
static void life_begin(struct life *l, int n)
{
	struct request begin = { &use_session_create, work.rig.mia };
	struct outcome o;
	char body[64];

	*l = (struct life){ .asked = never, .told = never };
	snprintf(body, sizeof body, "{'agent':'worker','message':'Job %d'}", n);
	begin.body = body;
	assert_int_equal(rig_do(&work.rig, &begin, &o), OK);
	assert_true(outcome_read(&o));
	snprintf(l->session, sizeof l->session, "%.*s", STR_ARGS(text_at(o.json, "id")));
	outcome_done(&o);
	seen(&l->asked);
	ask_find(l);
}

static void life_live(struct life *l, int n)
{
	life_begin(l, n);
	assert_int_equal(life_answer(l), OK);
	seen(&l->told);
}

static void work_open(const struct rig_options *options)
{
	struct fault why = { 0 };

	cut_reset();
	model_start();
	assert_true(rig_open(&work.rig, options));
	prepare();
	work.runner = runner_new(work.rig.desk,
		&(struct runner_settings){ .node = STR("a"),
			.set = { .runs_max = 4,
				.model_timeout_ms = 300 * 1000,
				.model_idle_ms = 90 * 1000 } },
		&why);
	assert_non_null(work.runner);
	assert_int_equal(runner_start(work.runner, &why), OK);
	cut_sync_takes(SYNC_US);
}

static struct cut_history *work_close(void)
{
	struct cut_history *history = cut_power_off();

	cut_sync_takes(0);
	work.runner = runner_free(work.runner);
	model_stop();
	rig_shut(&work.rig);
	return history;
}

/* ---- looking at what is left ---- */

static bool session_there(struct rig *r, const char *id)
{
	struct outcome o;
	bool there =
		rig_do(r, &(struct request){ &use_session_get, r->ada, id }, &o) == OK;

	outcome_done(&o);
	return there;
}

static enum verdict sent_look(uint64_t position)
{
	struct rig r = work.rig;
	enum verdict v = INTACT;

	r.options.alone = true;
	if (!rig_reopen(&r)) return BROKEN;
	for (int i = 0; v == INTACT && i < RUNS; i++) {
		const struct life *l = &work.lives[i];

		if (l->asked <= position && !session_there(&r, l->session)) v = LOST;
		if (l->told <= position &&
			strcmp(rig_status(&r, l->ask), "answered") != 0)
			v = LOST;
	}
	rig_shut(&r);
	return v;
}

/* Cuts at each moment a model has something, with all lost that may be then. Returns how often
 * some of it was. */
static int work_lose(const struct rig_options *options)
{
	struct cut_history *history;
	int lost = 0;

	work_open(options);
	for (int i = 0; i < RUNS; i++)
		life_live(&work.lives[i], i);
	history = work_close();
	for (int i = 0; i < 2 * RUNS; i++) {
		const struct life *l = &work.lives[i / 2];
		uint64_t moment = i % 2 ? l->told : l->asked;
		enum verdict v;

		cut_state(history, moment, CUT_NONE, 1);
		v = sent_look(moment);
		assert_true(v != BROKEN);
		lost += v == LOST;
	}
	cut_history_free(history);
	print_message("%d moments, %d lost\n", 2 * RUNS, lost);
	return lost;
}

/* ---- tests ---- */

static void nothing_that_a_model_was_sent_is_lost(void **state)
{
	(void)state;
	assert_int_equal(work_lose(&(struct rig_options){ .cut = true }), 0);
}

static void nothing_that_a_model_was_sent_is_lost_while_syncs_are_owed(void **state)
{
	(void)state;
	assert_int_equal(
		work_lose(&(struct rig_options){ .cut = true, .ahead = true }), 0);
}

static void a_request_before_its_sync_is_seen_to_lose(void **state)
{
	(void)state;
	assert_true(work_lose(&(struct rig_options){
			    .cut = true, .ahead = true, .hasty = true }) > RUNS / 2);
}

static void what_could_not_be_committed_is_not_sent(void **state)
{
	struct life *l = &work.lives[1];

	(void)state;
	work_open(&(struct rig_options){ .cut = true });
	life_live(&work.lives[0], 0); /* so that a thread is idle */
	life_begin(l, 1);
	cut_fail_at(CUT_FULL, 1, true);
	assert_int_not_equal(life_answer(l), OK);
	usleep(10 * SYNC_US);
	pthread_mutex_lock(&work.lock);
	assert_true(l->told == never);
	pthread_mutex_unlock(&work.lock);
	cut_fail_none();
	assert_int_equal(life_answer(l), OK);
	seen(&l->told);
	cut_history_free(work_close());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_a_model_was_sent_is_lost),
		cmocka_unit_test(
			nothing_that_a_model_was_sent_is_lost_while_syncs_are_owed),
		cmocka_unit_test(a_request_before_its_sync_is_seen_to_lose),
		cmocka_unit_test(what_could_not_be_committed_is_not_sent),
	};

	cut_register();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
