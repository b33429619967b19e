/* mail_server.c - reads the URL of a mail server, and prepares requests to it. */
#include "net/mail_server.h"

#include <stdlib.h>

#include "net/http.h"
#include "net/outbound.h"
#include "net/outbound_easy.h"

/* ---- the URL ---- */

static bool host_is_here(struct str host)
{
	return str_starts(host, "127.") || str_starts(host, "[::1]") ||
	       str_is_nocase(host, "localhost");
}

static struct str host_of(struct str rest)
{
	size_t n = 0;
	bool inside = rest.len && rest.at[0] == '[';

	while (n < rest.len && rest.at[n] != '/' && (inside || rest.at[n] != ':'))
		if (rest.at[n++] == ']') inside = false;
	return str_first(rest, n);
}

bool mail_server_read(
	struct str url, struct str password, struct arena *arena, struct mail_server *out)
{
	int colon = str_find(url, STR("://"));
	struct str scheme = str_first(url, colon < 0 ? 0 : (size_t)colon);
	struct str rest = str_from(url, colon < 0 ? url.len : (size_t)colon + 3);
	struct str user = STR_NONE;
	struct mail_server s = { 0 };
	size_t end = 0, at = 0;

	while (end < rest.len && rest.at[end] != '/')
		end++;
	/* The last one: names of users are often addresses. */
	for (size_t i = 0; i < end; i++)
		if (rest.at[i] == '@') at = i + 1;
	if (at) {
		if (!http_decode(str_first(rest, at - 1), false, arena, &user))
			return false;
		s.user = arena_copy(arena, user);
		s.password = arena_copy(arena, password);
		rest = str_from(rest, at);
	}
	s.url = arena_print(arena, "%.*s://%.*s", STR_ARGS(scheme), STR_ARGS(rest)).at;
	s.tls = str_ends(scheme, "s") || !host_is_here(host_of(rest));
	if (colon < 0 || arena->failed) return false;
	*out = s;
	return true;
}

/* ---- requests ---- */

static size_t line_take(char *at, size_t size, size_t n, void *ctx)
{
	char *line = ctx;
	size_t len = size * n, kept = 0;

	/* How SMTP says goodbye is not what it had to say. */
	if (str_starts(str_make(at, len), "221")) return len;
	for (size_t i = 0; i < len && kept + 1 < MAIL_LINE_SIZE; i++)
		if ((unsigned char)at[i] >= ' ' && at[i] != 0x7f) line[kept++] = at[i];
	line[kept] = '\0';
	return len;
}

bool mail_easy_set(CURL *c, struct outbound_gate *gate, const struct mail_server *s,
	int64_t timeout_ms, char line[MAIL_LINE_SIZE], char error[CURL_ERROR_SIZE])
{
	struct curl_slist *none = NULL;
	static const char *const headers[] = { NULL };

	gate->may_connect = s->tls ? connect_to_any : connect_to_here;
	if (!outbound_easy_set(c, gate, s->url, headers, timeout_ms, &none, error)) {
		curl_slist_free_all(none);
		return false;
	}
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, NULL);
	curl_slist_free_all(none);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps,imap,imaps");
	curl_easy_setopt(c, CURLOPT_USE_SSL,
		s->tls ? (long)CURLUSESSL_ALL : (long)CURLUSESSL_NONE);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, line_take);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, line);
	if (!s->user) return true;
	return curl_easy_setopt(c, CURLOPT_USERNAME, s->user) == CURLE_OK &&
	       curl_easy_setopt(c, CURLOPT_PASSWORD, s->password) == CURLE_OK;
}

static size_t nothing_take(char *at, size_t size, size_t n, void *ctx)
{
	(void)at;
	(void)ctx;
	return size * n;
}

enum err mail_server_try(
	const struct mail_server *s, int64_t timeout_ms, struct fault *why)
{
	char line[MAIL_LINE_SIZE] = "", error[CURL_ERROR_SIZE] = "";
	struct outbound_gate gate = { 0 };
	CURL *c = curl_global_init(CURL_GLOBAL_DEFAULT) == 0 ? curl_easy_init() : NULL;
	CURLcode code;

	if (!c || !mail_easy_set(c, &gate, s, timeout_ms, line, error)) {
		if (c) curl_easy_cleanup(c);
		return fail(why, ERR_UNAVAILABLE, "libcurl cannot be used");
	}
	curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, "NOOP");
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, nothing_take);
	code = curl_easy_perform(c);
	curl_easy_cleanup(c);
	if (code == CURLE_OK) return OK;
	if (gate.refused[0])
		return fail(why, ERR_UNAVAILABLE, "%s is beyond this machine: use TLS",
			gate.refused);
	return fail(why, ERR_UNAVAILABLE, "%s%s%s",
		error[0] ? error : curl_easy_strerror(code), line[0] ? ": " : "", line);
}
