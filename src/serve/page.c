/* page.c - what needs no store: the embedded files, health, and the counters. */
#include "serve/inner.h"

#include "base/clock.h"
#include "serve/page.h"
#include "serve/receiver.h"

#include <stdio.h>

static const char page_headers[] =
	"Content-Security-Policy: default-src 'self'; img-src 'self' data:; "
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
	"require-trusted-types-for 'script'; trusted-types svelte-trusted-html parley\r\n"
	"X-Content-Type-Options: nosniff\r\n"
	"Referrer-Policy: no-referrer\r\n";

/* What the page asks for first (ahead in web/src/api/client.ts): the browser fetches it beside the scripts. */
static const char page_ahead[] = "Link: </v1/me>; rel=preload; as=fetch; crossorigin\r\n"
				 "Link: </v1/asks?limit=50&order=attention&snoozed=all>; "
				 "rel=preload; as=fetch; crossorigin\r\n";

static const struct page_file *file_find(struct str path)
{
	for (const struct page_file *f = page_files; f->path; f++)
		if (str_is(path, f->path)) return f;
	return NULL;
}

/* The packed form has a tag of its own, and both say the same. */
static bool has_it(const struct http_request *req, const struct page_file *f)
{
	return str_find(http_header(req, "if-none-match"), str_of(f->tag)) >= 0;
}

static void send_file(
	struct request *r, int status, const struct page_file *f, const char *headers)
{
	const struct http_request *req = http_request(r->x);
	bool packed =
		coding_choose(http_header(req, "accept-encoding"), CODING_GZIP).coding ==
		CODING_GZIP;
	const char *at = packed ? f->packed_at : f->at;
	const char *end = packed ? f->packed_end : f->end;
	struct buf b = { .max = 1024 };

	buf_print(&b,
		"%sETag: \"%s%s\"\r\nVary: Accept-Encoding\r\nCache-Control: %s\r\n%s",
		headers, f->tag, packed ? "-gzip" : "",
		f->always ? "public, max-age=31536000, immutable" : "no-cache",
		packed ? "Content-Encoding: gzip\r\n" : "");
	if (status == 200 && has_it(req, f))
		request_send(r, 304, f->type, buf_str(&b), STR_NONE);
	else
		request_send(r, status, f->type, buf_str(&b),
			str_make(at, (size_t)(end - at)));
	buf_done(&b);
}

/* Every address of the page is the page: it reads where it is itself. Nothing is fetched ahead for
 * somebody who is not logged in, and nothing where one logs in. */
void route_page(struct request *r)
{
	const struct http_request *req = http_request(r->x);
	bool inside = request_cookie(req).len && !str_is(req->path, "/login");
	struct buf b = { .max = 1024 };

	buf_print(&b, "%s%s", page_headers, inside ? page_ahead : "");
	send_file(r, 200, file_find(STR("/index.html")), buf_text(&b));
	buf_done(&b);
}

/* An address that does not exist: the page says so. */
void route_page_lost(struct request *r)
{
	send_file(r, 404, file_find(STR("/index.html")), page_headers);
}

void route_file(struct request *r)
{
	const struct page_file *f = file_find(http_request(r->x)->path);

	if (f)
		send_file(r, 200, f, page_headers);
	else
		request_refuse(r, ERR_NOT_FOUND, "no such file");
}

void route_openapi(struct request *r)
{
	send_file(r, 200, file_find(STR("/openapi.json")),
		"X-Content-Type-Options: nosniff\r\n");
}

void route_healthz(struct request *r)
{
	request_send(r, 200, "application/json", STR("Cache-Control: no-store\r\n"),
		STR("{\"status\":\"ok\"}"));
}

void route_readyz(struct request *r)
{
	if (desk_ready(r->serve->desk)) {
		request_send(r, 200, "application/json",
			STR("Cache-Control: no-store\r\n"),
			STR("{\"status\":\"ready\"}"));
		return;
	}
	r->task.job.why.retry_after_s = 1;
	request_refuse(r, ERR_UNAVAILABLE, "the store does not answer");
}

/* ---- metrics ---- */

void serve_metric(struct buf *b, const char *name, const char *type, const char *help,
	int64_t value)
{
	buf_print(b, "# HELP parley_%s %s\n# TYPE parley_%s %s\nparley_%s %lld\n", name,
		help, name, type, name, (long long)value);
}

static int64_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long long pages = 0;

	if (!f) return 0;
	if (fscanf(f, "%*s %lld", &pages) != 1) pages = 0;
	fclose(f);
	return pages * 4096;
}

static size_t streams_of(const struct serve *s, int64_t ws)
{
	size_t n = 0;

	for (const struct follower *f = s->feed.followers; f; f = f->next)
		n += f->ws == ws;
	return n;
}

/* What concerns a workspace: its own numbers, or (ws 0) those of all. */
static void metrics_workspace(struct serve *s, struct buf *b, int64_t ws)
{
	struct desk_counts c;

	desk_counts(s->desk, ws, &c);
	serve_metric(b, "events_total", "counter", "Events committed by this process.",
		c.events);
	serve_metric(b, "waiters", "gauge", "Requests that wait for an ask.",
		(int64_t)(ws ? holds_of(s, ws) : s->feed.waiters));
	serve_metric(b, "streams", "gauge", "Event streams.",
		(int64_t)(ws ? streams_of(s, ws) : s->feed.followers_len));
	if (!ws)
		serve_metric(b, "commits_total", "counter", "Transactions committed.",
			c.commits);
}

static void metrics_process(struct serve *s, struct buf *b)
{
	size_t connections = 0;

	for (int i = 0; i < s->listeners_len; i++)
		connections += http_connections(s->listeners[i].http);
	serve_metric(
		b, "connections", "gauge", "Open connections.", (int64_t)connections);
	serve_metric(
		b, "resident_bytes", "gauge", "Memory of the process.", resident_bytes());
	for (size_t i = 0; s->receivers && s->receivers[i]; i++)
		if (s->states[i] && s->receivers[i]->metrics)
			s->receivers[i]->metrics(s->states[i], b);
	buf_print(b, "# HELP parley_http_requests_total Replies by class.\n"
		     "# TYPE parley_http_requests_total counter\n");
	for (int i = 2; i <= 5; i++)
		buf_print(b, "parley_http_requests_total{class=\"%dxx\"} %llu\n", i,
			(unsigned long long)s->requests_by_class[i]);
}

/* Owners and the local admin run the server: they see all of it. */
static void metrics_counted(struct request *r)
{
	struct serve *s = r->serve;
	const struct principal *who = &r->task.job.who;
	struct buf *b = &r->task.job.out;
	bool all = who->role >= ROLE_OWNER;

	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	metrics_workspace(s, b, all ? 0 : who->ws);
	if (all) metrics_process(s, b);
	serve_metric(b, "uptime_seconds", "gauge", "Since the start.",
		(clock_now_ms() - s->started_ms) / 1000);
	request_send(
		r, 200, "text/plain; version=0.0.4; charset=utf-8", STR_NONE, buf_str(b));
}

void route_metrics(struct request *r)
{
	request_put(r, r->route->use, metrics_counted);
}

static void csv_written(struct request *r)
{
	if (r->task.job.err || !r->x)
		request_reply(r, STR_NONE);
	else
		request_send(r, 200, "text/csv; charset=utf-8", STR_NONE,
			buf_str(&r->task.job.out));
}

void route_csv(struct request *r)
{
	request_put(r, r->route->use, csv_written);
}
