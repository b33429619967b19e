/* The deliverer's thread beside the clerks of a real desk: what it claims, whom it calls, how
 * it ends. Receivers are sockets on loopback addresses, each of which is another host. */
#include "channel/notify.h"
#include "desk_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/unit.h"

/* ---- receivers ---- */

/* One that accepts nothing lets its callers wait for ever. */
struct receiver {
	const char *host;
	int socket;
	int port;
	pthread_t thread;
	bool answers;
	atomic_int got;
};

static void caller_serve(struct receiver *r, int caller)
{
	static const char reply[] =
		"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
	char text[65536];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof text - 1 &&
		(n = read(caller, text + len, sizeof text - 1 - len)) > 0) {
		len += (size_t)n;
		text[len] = '\0';
		if (text[len - 1] == '}' && strstr(text, "webhook-signature: v1,")) break;
	}
	atomic_fetch_add(&r->got, 1);
	assert_int_equal(write(caller, reply, sizeof reply - 1), sizeof reply - 1);
	close(caller);
}

static void *receiver_main(void *ctx)
{
	struct receiver *r = ctx;
	int caller;

	while ((caller = accept(r->socket, NULL, NULL)) >= 0)
		caller_serve(r, caller);
	return NULL;
}

static void receiver_open(struct receiver *r, const char *host, bool answers)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof at;

	*r = (struct receiver){ .host = host, .answers = answers };
	r->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(inet_pton(AF_INET, host, &at.sin_addr), 1);
	assert_int_equal(bind(r->socket, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(r->socket, 64), 0);
	getsockname(r->socket, (struct sockaddr *)&at, &size);
	r->port = ntohs(at.sin_port);
	if (answers) pthread_create(&r->thread, NULL, receiver_main, r);
}

/* How many callers wait there, who are sent away. */
static int receiver_callers(struct receiver *r)
{
	struct pollfd door = { r->socket, POLLIN, 0 };
	int n = 0;

	for (; poll(&door, 1, 0) > 0; n++)
		close(accept(r->socket, NULL, NULL));
	return n;
}

static void receiver_close(struct receiver *r)
{
	shutdown(r->socket, SHUT_RDWR);
	if (r->answers) pthread_join(r->thread, NULL);
	close(r->socket);
}

/* ---- the desk ---- */

static struct rig rig;

static const struct named_command resumers[] = {
	{ STR("again"), STR("sh -c 'cat; echo $PARLEY_ASK'") },
	{ STR("long"), STR("sh -c 'touch /tmp/parley-$PARLEY_ASK; exec sleep 30'") },
};

static struct notify *deliverer_open(int64_t host_max)
{
	const struct notify_settings set = { .set = { .url = STR("http://desk.test"),
						     .data = STR("/nowhere"),
						     .webhook_internal = STR("yes"),
						     .webhook_timeout_ms = 300000,
						     .webhook_host_max = host_max,
						     .resumers = resumers,
						     .resumers_len = sizeof resumers /
								     sizeof *resumers } };
	struct fault why = { 0 };
	struct notify *n = notify_new(rig.desk, &set, &why);

	if (!n || notify_start(n, &why)) fail_msg("%s", why.detail);
	return n;
}

static int desk_ready_for(void **state)
{
	(void)state;
	if (!rig_open(&rig, &(struct rig_options){ .webhook_internal = "yes",
				    .resumers = "again,long" }))
		fail_msg("%s", rig.why.detail);
	return 0;
}

static int desk_gone(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

/* An ask in a session that has somebody called, answered. */
static struct made settled(const char *on_settled)
{
	char body[300];
	struct made session, ask;

	snprintf(body, sizeof body, "{'title':'T','on_settled':{%s}}", on_settled);
	session = rig_session(&rig, body);
	assert_int_equal(session.err, OK);
	snprintf(body, sizeof body, "{'session':'%s','question':'Q','type':'boolean'}",
		session.id);
	ask = rig_ask_body(&rig, body, NULL);
	assert_int_equal(rig_settle(&rig, &use_answer, ask.id, NULL), OK);
	return ask;
}

static void settled_to(const struct receiver *r, int times)
{
	char on_settled[100];

	snprintf(on_settled, sizeof on_settled, "'webhook':'http://%s:%d/'", r->host,
		r->port);
	while (times-- > 0)
		settled(on_settled);
}

static int deliveries(const char *status)
{
	char query[64];
	struct outcome o;
	int len;

	snprintf(query, sizeof query, "limit=200&status=%s", status);
	rig_do(&rig, &(struct request){ &use_delivery_list, rig.ada, .query = query },
		&o);
	assert_true(outcome_read(&o));
	len = (int)json_at(o.json, "items")->count;
	outcome_done(&o);
	return len;
}

static void deliveries_await(const char *status, int len)
{
	while (deliveries(status) < len)
		usleep(20000);
	assert_int_equal(deliveries(status), len);
}

/* ---- tests ---- */

static void settlements_are_told_once_each(void **state)
{
	struct notify *n = deliverer_open(8);
	struct receiver r;

	(void)state;
	receiver_open(&r, "127.0.0.1", true);
	settled_to(&r, 40);
	deliveries_await("done", 40);
	assert_int_equal(r.got, 40);
	notify_free(n);
	receiver_close(&r);
}

static void one_that_never_replies_keeps_no_other_waiting(void **state)
{
	struct notify *n = deliverer_open(2);
	struct receiver deaf, quick;

	(void)state;
	receiver_open(&deaf, "127.0.0.2", false);
	receiver_open(&quick, "127.0.0.1", true);
	settled_to(&deaf, 100); /* more than there are slots in all */
	settled_to(&quick, 20);
	deliveries_await("done", 20);
	assert_int_equal(quick.got, 20);
	assert_int_equal(deliveries("waiting"), 100);
	assert_int_equal(receiver_callers(&deaf), 2);
	receiver_close(&deaf);
	notify_free(n);
	receiver_close(&quick);
}

static void a_resumer_runs_and_its_end_is_told(void **state)
{
	struct notify *n = deliverer_open(8);
	struct made ask = settled("'resumer':'again'");
	struct outcome o;

	(void)state;
	deliveries_await("done", 1);
	assert_int_equal(rig_count_events(&rig, ask.id, "session.resuming"), 1);
	assert_int_equal(rig_count_events(&rig, ask.id, "session.resumed"), 1);
	rig_do(&rig,
		&(struct request){
			&use_events, rig.ada, .query = "after=0&types=session.resumed" },
		&o);
	assert_true(outcome_read(&o));
	assert_int_equal(int_at(o.json, "items.0.data.exit"), 0);
	assert_true(str_find(text_at(o.json, "items.0.data.output"), str_of(ask.id)) > 0);
	outcome_done(&o);
	notify_free(n);
}

static void stopping_leaves_what_waits_to_the_next(void **state)
{
	struct notify *n = deliverer_open(8);
	struct receiver deaf, quick;
	char again[100];

	(void)state;
	receiver_open(&deaf, "127.0.0.2", false);
	settled_to(&deaf, 3);
	struct made ask = settled("'resumer':'long'");
	snprintf(again, sizeof again, "/tmp/parley-%s", ask.id);
	while (access(again, F_OK) != 0)
		usleep(2000);
	unlink(again);
	notify_stop(n);
	receiver_close(&deaf); /* in the middle of it */
	notify_free(n);
	deliveries_await("waiting", 3);
	deliveries_await("dead", 1); /* a resumer is begun once */
	receiver_open(&quick, "127.0.0.1", true);
	snprintf(again, sizeof again, "'webhook':'http://127.0.0.1:%d/'", quick.port);
	settled(again);
	n = deliverer_open(8);
	deliveries_await("done", 1);
	notify_free(n);
	receiver_close(&quick);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, desk_ready_for, desk_gone)

static void *settle_some(void *ctx)
{
	settled_to(ctx, 25);
	return NULL;
}

static void many_settle_while_it_works(void **state)
{
	struct notify *n = deliverer_open(8);
	struct receiver r;
	pthread_t threads[4];

	(void)state;
	receiver_open(&r, "127.0.0.1", true);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, settle_some, &r);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	deliveries_await("done", 100);
	assert_int_equal(r.got, 100);
	notify_free(n);
	receiver_close(&r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(settlements_are_told_once_each),
		DESK_TEST(one_that_never_replies_keeps_no_other_waiting),
		DESK_TEST(a_resumer_runs_and_its_end_is_told),
		DESK_TEST(stopping_leaves_what_waits_to_the_next),
		DESK_TEST(many_settle_while_it_works),
	};

	process_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
