/* mailbox.c - IMAP by libcurl. */
#include "net/mailbox.h"

#include <stdio.h>

#include "base/mem.h"
#include "net/outbound_easy.h"

enum { CALL_MS = 30 * 1000, LIST_MAX = 256 * 1024 };

struct mailbox {
	const struct mail_server *server;
	const atomic_bool *stop;
	CURL *easy;
	struct outbound_gate gate;
	char line[MAIL_LINE_SIZE], error[CURL_ERROR_SIZE];
};

struct mailbox *mailbox_new(
	const struct mail_server *server, const atomic_bool *stop, struct fault *why)
{
	struct mailbox *m = mem_alloc(sizeof *m);

	if (m && curl_global_init(CURL_GLOBAL_DEFAULT) == 0) m->easy = curl_easy_init();
	if (m && m->easy) {
		m->server = server;
		m->stop = stop;
		return m;
	}
	fail(why, ERR_UNAVAILABLE, "libcurl cannot be used");
	return mailbox_free(m);
}

struct mailbox *mailbox_free(struct mailbox *m)
{
	if (m && m->easy) curl_easy_cleanup(m->easy);
	mem_free(m);
	return NULL;
}

static size_t bytes_take(char *at, size_t size, size_t n, void *ctx)
{
	struct buf *out = ctx;

	buf_add(out, str_make(at, size * n));
	return out->failed ? 0 : size * n;
}

static int stop_look(
	void *ctx, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
	const struct mailbox *m = ctx;

	(void)total;
	(void)now;
	(void)up_total;
	(void)up;
	return atomic_load(m->stop);
}

/* `command` NULL: the message that the URL names. */
static enum err mailbox_call(struct mailbox *m, const char *url, const char *command,
	struct buf *out, struct fault *why)
{
	struct mail_server at = *m->server;
	CURLcode code;

	at.url = url;
	curl_easy_reset(m->easy); /* its connection stays */
	m->gate = (struct outbound_gate){ 0 };
	m->line[0] = m->error[0] = '\0';
	if (!mail_easy_set(m->easy, &m->gate, &at, CALL_MS, m->line, m->error))
		return fail(why, ERR_MEMORY, "out of memory");
	if (command) curl_easy_setopt(m->easy, CURLOPT_CUSTOMREQUEST, command);
	curl_easy_setopt(m->easy, CURLOPT_WRITEFUNCTION, bytes_take);
	curl_easy_setopt(m->easy, CURLOPT_WRITEDATA, out);
	curl_easy_setopt(m->easy, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(m->easy, CURLOPT_XFERINFOFUNCTION, stop_look);
	curl_easy_setopt(m->easy, CURLOPT_XFERINFODATA, m);
	code = curl_easy_perform(m->easy);
	if (code == CURLE_OK || out->failed) return OK;
	if (m->gate.refused[0])
		return fail(why, ERR_UNAVAILABLE, "%s is beyond this machine: use TLS",
			m->gate.refused);
	return fail(why, ERR_UNAVAILABLE, "%s",
		m->error[0] ? m->error : curl_easy_strerror(code));
}

enum err mailbox_unseen(
	struct mailbox *m, int64_t *uids, size_t max, size_t *len, struct fault *why)
{
	struct buf out = { .max = LIST_MAX };
	enum err e = mailbox_call(m, m->server->url, "UID SEARCH UNSEEN", &out, why);
	struct str rest = buf_str(&out), line, word;

	*len = 0;
	while (!e && str_cut(&rest, '\n', &line)) {
		if (!str_starts(line, "* SEARCH")) continue;
		line = str_trim(str_from(line, strlen("* SEARCH")));
		while (*len < max && str_cut(&line, ' ', &word))
			if (str_to_int(str_trim(word), 1, UINT32_MAX, &uids[*len]))
				(*len)++;
	}
	buf_done(&out);
	return e;
}

enum err mailbox_fetch(struct mailbox *m, int64_t uid, struct buf *out, struct fault *why)
{
	char url[2048];
	size_t len = strlen(m->server->url);
	bool slash = len && m->server->url[len - 1] == '/';

	snprintf(url, sizeof url, "%.*s/;UID=%lld", (int)(len - slash), m->server->url,
		(long long)uid);
	return mailbox_call(m, url, NULL, out, why);
}

enum err mailbox_mark(struct mailbox *m, int64_t uid, bool seen, struct fault *why)
{
	struct buf out = { .max = LIST_MAX };
	char command[80];
	enum err e;

	snprintf(command, sizeof command, "UID STORE %lld %cFLAGS.SILENT (\\Seen)",
		(long long)uid, seen ? '+' : '-');
	e = mailbox_call(m, m->server->url, command, &out, why);
	buf_done(&out);
	return e;
}
