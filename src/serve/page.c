/* page.c - what needs no store: the embedded files, health, and the counters. */
#include "serve/inner.h"

#include "base/clock.h"
#include "embedded.h" /* made anew when an embedded file changes */

#include <stdio.h>

/* Hidden, not local: through the table of a position-independent program two local labels
 * could come to share one entry. */
#define EMBED_LABEL(label) ".global " label "\n.hidden " label "\n" label ":\n"
#define EMBED(name, file) \
	__asm__(".pushsection .rodata\n.balign 16\n" EMBED_LABEL(#name "_start") \
		".incbin \"" file "\"\n" EMBED_LABEL(#name "_end") ".popsection\n"); \
	extern const char name##_start[], name##_end[] \
		__attribute__((visibility("hidden")))

EMBED(openapi, PARLEY_SERVE "/openapi.json");
EMBED(index_html, PARLEY_SERVE "/page/index.html");
EMBED(app_js, PARLEY_SERVE "/page/app.js");
EMBED(app_css, PARLEY_SERVE "/page/app.css");

#define EMBEDDED(name) str_make(name##_start, (size_t)(name##_end - name##_start))

static const char page_headers[] =
	"Content-Security-Policy: default-src 'self'; img-src 'self' data:; "
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
	"require-trusted-types-for 'script'; trusted-types svelte-trusted-html parley\r\n"
	"X-Content-Type-Options: nosniff\r\n"
	"Referrer-Policy: no-referrer\r\n"
	"Cache-Control: no-cache\r\n";

static void send_whole(struct request *r, int status, const char *type, struct str headers,
	struct str body)
{
	http_on_gone(r->x, NULL, NULL);
	serve_count(r->serve, status);
	http_reply(r->x, status, type, headers, body);
	request_free(r);
}

void route_page(struct request *r)
{
	send_whole(r, 200, "text/html; charset=utf-8", str_of(page_headers),
		EMBEDDED(index_html));
}

void route_asset(struct request *r)
{
	bool css = str_ends(str_of(r->route->path), ".css");

	send_whole(r, 200, css ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
		str_of(page_headers), css ? EMBEDDED(app_css) : EMBEDDED(app_js));
}

void route_openapi(struct request *r)
{
	send_whole(r, 200, "application/json", STR("Cache-Control: no-cache\r\n"),
		EMBEDDED(openapi));
}

void route_healthz(struct request *r)
{
	send_whole(r, 200, "application/json", STR("Cache-Control: no-store\r\n"),
		STR("{\"status\":\"ok\"}"));
}

void route_readyz(struct request *r)
{
	struct fault why = { .err = ERR_UNAVAILABLE, .retry_after_s = 1 };

	if (desk_ready(r->serve->desk)) {
		send_whole(r, 200, "application/json", STR("Cache-Control: no-store\r\n"),
			STR("{\"status\":\"ready\"}"));
		return;
	}
	fail(&why, ERR_UNAVAILABLE, "the store does not answer");
	why.retry_after_s = 1;
	r->task.job.err = ERR_UNAVAILABLE;
	r->task.job.why = why;
	request_reply(r, STR_NONE);
}

/* ---- metrics ---- */

static void metric(struct buf *b, const char *name, const char *type, const char *help,
	int64_t value)
{
	buf_print(b, "# HELP parley_%s %s\n# TYPE parley_%s %s\nparley_%s %lld\n", name, help,
		name, type, name, (long long)value);
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

static void metrics_counted(struct request *r)
{
	struct serve *s = r->serve;
	struct buf *b = &r->task.job.out;
	struct desk_counts c;
	size_t connections = 0;

	if (r->task.job.err || !r->x) {
		request_reply(r, STR_NONE);
		return;
	}
	desk_counts(s->desk, &c);
	for (int i = 0; i < s->doors_len; i++)
		connections += http_connections(s->doors[i].http);
	metric(b, "asks_answered_total", "counter", "Asks answered by people.", c.answers);
	metric(b, "asks_skipped_total", "counter", "Asks skipped by people.", c.skips);
	metric(b, "asks_cancelled_total", "counter", "Asks withdrawn.", c.cancels);
	metric(b, "asks_expired_total", "counter", "Asks whose deadline passed.", c.expiries);
	metric(b, "events_total", "counter", "Events committed by this process.", c.events);
	metric(b, "commits_total", "counter", "Transactions committed.", c.commits);
	metric(b, "connections", "gauge", "Open connections.", (int64_t)connections);
	metric(b, "waiters", "gauge", "Requests that wait for an ask.", (int64_t)s->feed.waiters);
	metric(b, "streams", "gauge", "Event streams.", (int64_t)s->feed.followers_len);
	metric(b, "resident_bytes", "gauge", "Memory of the process.", resident_bytes());
	metric(b, "uptime_seconds", "gauge", "Since the start.",
		(clock_now_ms() - s->started_ms) / 1000);
	buf_print(b, "# HELP parley_http_requests_total Replies by class.\n"
		     "# TYPE parley_http_requests_total counter\n");
	for (int i = 2; i <= 5; i++)
		buf_print(b, "parley_http_requests_total{class=\"%dxx\"} %llu\n", i,
			(unsigned long long)s->requests_by_class[i]);
	http_on_gone(r->x, NULL, NULL);
	serve_count(s, 200);
	http_reply(r->x, 200, "text/plain; version=0.0.4; charset=utf-8", STR_NONE, buf_str(b));
	request_free(r);
}

void route_metrics(struct request *r)
{
	request_put(r, r->route->use, metrics_counted);
}
