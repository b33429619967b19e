/* model_calls.c - calls of a model, 64 at once: by blocking threads with a fetcher each, as
 * runners do it, and by one thread with libcurl's multi interface. CPU a call and resident
 * memory of each.
 *
 *   model_calls PORT [CALLS]    with an instant_model at PORT */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "model/model.h"
#include "net/fetch.h"
#include "net/outbound_easy.h"

enum { AT_ONCE = 64, STACK = 256 * 1024 };

static char url[80];
static atomic_long left;
static const char *const *headers;
static struct buf body;

static double cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long resident_kb(void)
{
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
	if (f) fclose(f);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool anywhere(void *ctx, const uint8_t address[16])
{
	(void)ctx, (void)address;
	return true;
}

static struct model_reader *reader_new(void)
{
	return model_reader_new(&(struct model_setup){ .wire = WIRE_ANTHROPIC });
}

static void reader_check(struct model_reader *r, int status)
{
	struct model_reply reply;

	model_reader_end(r,
		&(struct model_end){
			.status = status, .whole = true, .retry_after_ms = -1 },
		&reply);
	if (reply.trouble) {
		fprintf(stderr, "%s: %s\n", trouble_name(reply.trouble), reply.message);
		exit(1);
	}
	model_reader_free(r);
}

/* ---- threads ---- */

static bool take(void *ctx, int status, struct str bytes)
{
	return model_reader_feed(ctx, status, bytes);
}

static void *caller(void *arg)
{
	struct fetcher *f = fetcher_new(NULL);

	while (atomic_fetch_sub(&left, 1) > 0) {
		struct model_reader *r = reader_new();
		struct fetch_request request = { .url = url,
			.headers = headers,
			.body = buf_str(&body),
			.timeout_ms = 30000,
			.idle_ms = 30000,
			.stop_fd = -1,
			.may_connect = anywhere,
			.take = take,
			.ctx = r };
		struct fetch_end end;

		fetcher_run(f, &request, &end);
		reader_check(r, end.status);
	}
	*(long *)arg = resident_kb();
	fetcher_free(f);
	return NULL;
}

static long by_threads(void)
{
	pthread_t threads[AT_ONCE];
	pthread_attr_t small;
	long resident[AT_ONCE], most = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	for (int i = 0; i < AT_ONCE; i++)
		pthread_create(&threads[i], &small, caller, &resident[i]);
	for (int i = 0; i < AT_ONCE; i++) {
		pthread_join(threads[i], NULL);
		if (resident[i] > most) most = resident[i];
	}
	return most;
}

/* ---- one thread ---- */

struct transfer {
	CURL *easy;
	struct curl_slist *list;
	struct outbound_gate gate;
	struct model_reader *reader;
	char error[CURL_ERROR_SIZE];
};

static size_t transfer_take(char *at, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;

	model_reader_feed(t->reader, 200, str_make(at, size * n));
	return size * n;
}

static void transfer_start(struct transfer *t, CURLM *multi)
{
	t->reader = reader_new();
	curl_easy_reset(t->easy);
	curl_slist_free_all(t->list);
	t->list = NULL;
	t->gate = (struct outbound_gate){ .may_connect = anywhere };
	outbound_easy_set(t->easy, &t->gate, url, headers, 30000, &t->list, t->error);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, body.at);
	curl_easy_setopt(t->easy, CURLOPT_BUFFERSIZE, 16384L);
	curl_easy_setopt(t->easy, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, transfer_take);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	curl_multi_add_handle(multi, t->easy);
}

static long by_multi(void)
{
	static struct transfer transfers[AT_ONCE];
	CURLM *multi = curl_multi_init();
	int running = 0, more;
	long most = 0;
	CURLMsg *m;

	for (int i = 0; i < AT_ONCE && atomic_fetch_sub(&left, 1) > 0; i++) {
		transfers[i].easy = curl_easy_init();
		transfer_start(&transfers[i], multi);
	}
	do {
		curl_multi_perform(multi, &running);
		while ((m = curl_multi_info_read(multi, &more))) {
			struct transfer *t = NULL;

			curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
			curl_multi_remove_handle(multi, t->easy);
			reader_check(t->reader, 200);
			if (atomic_fetch_sub(&left, 1) > 0) {
				transfer_start(t, multi);
				running++;
			}
		}
		if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
	} while (running);
	most = resident_kb();
	for (int i = 0; i < AT_ONCE; i++) {
		curl_easy_cleanup(transfers[i].easy);
		curl_slist_free_all(transfers[i].list);
		transfers[i] = (struct transfer){ 0 };
	}
	curl_multi_cleanup(multi);
	return most;
}

static void measure(const char *name, long calls, long (*how)(void))
{
	long before = resident_kb(), most;
	double cpu = cpu_us(), began = now_s();

	atomic_store(&left, calls);
	most = how();
	printf("%-22s %7.0f calls/s %6.1f us CPU a call %6.1f KB resident a call\n", name,
		(double)calls / (now_s() - began), (cpu_us() - cpu) / (double)calls,
		(double)(most - before) / AT_ONCE);
	malloc_trim(0);
}

int main(int argc, char **argv)
{
	static const struct model_message hello = { .role = MODEL_USER,
		.content = STR("[{\"type\":\"text\",\"text\":\"Hello\"}]") };
	struct model_request request = { .model = STR("claude-x"),
		.system = STR("You are brief."),
		.messages = &hello,
		.messages_len = 1 };
	struct arena arena = { 0 };
	long calls = argc > 2 ? atol(argv[2]) : 20000;

	if (argc < 2) return 2;
	snprintf(url, sizeof url, "http://127.0.0.1:%s/v1/messages", argv[1]);
	headers = model_headers(WIRE_ANTHROPIC, STR("key"), &arena);
	if (!headers || model_request_write(&body, WIRE_ANTHROPIC, &request, NULL))
		return 1;
	fetcher_free(fetcher_new(NULL)); /* libcurl is loaded and set up */
	for (int i = 0; i < 3; i++) {
		measure("64 threads", calls, by_threads);
		measure("one curl multi", calls, by_multi);
	}
	return 0;
}
