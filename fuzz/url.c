/* url.c - the addresses of webhooks: what is taken for a URL has the host that libcurl
 * would go to, and lists of what may be reached say the same however they are asked. */
#include "core/shared/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <curl/curl.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* "0x7f.1", "2130706433", "127.0.0.01": libcurl writes them as an address. */
static bool host_is_number(struct str host)
{
	for (size_t i = 0; i < host.len; i++)
		if (!isxdigit((unsigned char)host.at[i]) && !memchr("xX.", host.at[i], 3))
			return false;
	return true;
}

static void curl_agrees(const char *text, const struct url *url)
{
	CURLU *u = curl_url();
	char *host = NULL, *scheme = NULL, *user = NULL;

	if (curl_url_set(u, CURLUPART_URL, text, 0) == CURLUE_OK) {
		assert(curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK);
		assert(curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK);
		assert(curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_NO_USER);
		assert(strcmp(scheme, url->https ? "https" : "http") == 0);
		if (host[0] == '[')
			assert(str_find(url->host, STR(":")) >= 0);
		else
			assert(str_is_nocase(url->host, host) ||
				host_is_number(url->host));
	}
	curl_free(host);
	curl_free(scheme);
	curl_url_cleanup(u);
}

static void reach_check(struct str reach, const struct url *url)
{
	struct address a;

	if (!address_read(url->host, &a)) return;
	assert(reach_allows(reach, url, &a) == reach_may_allow(reach, url));
	assert(reach_allows(STR("yes"), url, &a));
	assert(!reach_allows(STR("no"), url, &a) ||
		(url->https && !address_internal(&a)));
}

static void address_check(struct str text)
{
	struct address a, again;
	char out[INET6_ADDRSTRLEN];

	if (!address_read(text, &a)) return;
	assert(inet_ntop(AF_INET6, a.bytes, out, sizeof out));
	assert(address_read(str_of(out), &again));
	assert(memcmp(a.bytes, again.bytes, sizeof a.bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str reach = str_make((const char *)data, size), text = STR_NONE;
	struct arena arena = { 0 };
	struct url url = { .host = STR("untouched") };

	str_cut(&reach, '\n', &text);
	address_check(text);
	if (url_split(text, &url)) {
		assert(url.host.len && url_host(text, &arena).len == url.host.len);
		curl_agrees(arena_copy(&arena, text), &url);
		reach_check(reach_valid(reach) ? reach : STR("no"), &url);
	} else {
		assert(str_is(url.host, "untouched") && !url_host(text, &arena).len);
	}
	arena_done(&arena);
	return 0;
}
