/* runs.c - durable runs a second: sessions with a first message, 32 requests at once, until every
 * run has ended.
 *
 *   runs URL TOKEN AGENT [N [MESSAGE]]    against a server whose agent uses an instant_model */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/fetch.h"

enum { AT_ONCE = 32, PATIENCE_S = 300 };

static const char *base, *agent, *message = "Go";
static const char *headers[4];
static atomic_long left, refused;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool anywhere(void *ctx, const uint8_t address[16])
{
	(void)ctx, (void)address;
	return true;
}

static bool keep(void *ctx, int status, struct str bytes)
{
	(void)status;
	buf_add(ctx, bytes);
	return true;
}

static int request(
	struct fetcher *f, const char *path, struct str body, struct buf *reply)
{
	struct fetch_end end;
	char url[512];

	snprintf(url, sizeof url, "%s%s", base, path);
	buf_clear(reply);
	fetcher_run(f,
		&(struct fetch_request){ .url = url,
			.headers = headers,
			.get = !body.len,
			.body = body,
			.timeout_ms = 60000,
			.stop_fd = -1,
			.may_connect = anywhere,
			.take = keep,
			.ctx = reply },
		&end);
	return end.status;
}

static void *starter(void *arg)
{
	struct fetcher *f = fetcher_new(NULL);
	struct buf body = { 0 }, reply = { 0 };

	while (atomic_fetch_sub(&left, 1) > 0) {
		buf_clear(&body);
		buf_print(&body, "{\"agent\":\"%s\",\"message\":\"%s\"}", agent, message);
		if (request(f, "/v1/sessions", buf_str(&body), &reply) != 201) {
			if (!refused++) fprintf(stderr, "%s\n", buf_text(&reply));
		}
	}
	buf_done(&body);
	buf_done(&reply);
	fetcher_free(f);
	return arg;
}

/* Some run of this status. */
static bool some(struct fetcher *f, const char *status)
{
	struct buf reply = { 0 };
	char path[80];
	bool any;

	snprintf(path, sizeof path, "/v1/runs?limit=1&status=%s", status);
	request(f, path, STR_NONE, &reply);
	any = str_find(buf_str(&reply), STR("\"run_")) >= 0;
	buf_done(&reply);
	return any;
}

int main(int argc, char **argv)
{
	long n = argc > 4 ? atol(argv[4]) : 2000;
	pthread_t threads[AT_ONCE];
	char authorization[160];
	struct fetcher *f = fetcher_new(NULL);
	double began = now_s();

	if (argc < 4 || !f) return 2;
	base = argv[1];
	agent = argv[3];
	if (argc > 5) message = argv[5];
	snprintf(
		authorization, sizeof authorization, "authorization: Bearer %s", argv[2]);
	headers[0] = authorization;
	headers[1] = "content-type: application/json";
	atomic_store(&left, n);
	for (int i = 0; i < AT_ONCE; i++)
		pthread_create(&threads[i], NULL, starter, NULL);
	for (int i = 0; i < AT_ONCE; i++)
		pthread_join(threads[i], NULL);
	printf("%ld runs begun in %.2f s, %ld refused\n", n, now_s() - began, refused);
	while ((some(f, "queued") || some(f, "running")) && now_s() - began < PATIENCE_S)
		usleep(5000);
	printf("%.0f runs/s: all ended after %.2f s; failed: %s, waiting: %s\n",
		(double)n / (now_s() - began), now_s() - began,
		some(f, "failed") ? "some" : "none",
		some(f, "waiting") ? "some" : "none");
	fetcher_free(f);
	return 0;
}
