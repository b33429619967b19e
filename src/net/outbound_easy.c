/* outbound_easy.c - the rules that every request to others keeps. Prefix: connect_. */
#include "net/outbound_easy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "net/outbound.h"

enum { CONNECT_MS = 10 * 1000 };

static bool address_map(const struct sockaddr *from, uint8_t out[16])
{
	if (from->sa_family == AF_INET6) {
		memcpy(out, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
			16);
		return true;
	}
	if (from->sa_family != AF_INET) return false;
	memset(out, 0, 10);
	memset(out + 10, 0xff, 2);
	memcpy(out + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
	return true;
}

static curl_socket_t gate_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct outbound_gate *gate = ctx;
	uint8_t address[16];

	if (purpose != CURLSOCKTYPE_IPCXN || !address_map(&to->addr, address))
		return CURL_SOCKET_BAD;
	if (!gate->may_connect(gate->ctx, address)) {
		inet_ntop(AF_INET6, address, gate->refused, sizeof gate->refused);
		if (to->family == AF_INET)
			inet_ntop(AF_INET, address + 12, gate->refused,
				sizeof gate->refused);
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static bool headers_set(CURL *c, const char *const *headers, struct curl_slist **list)
{
	static const char *const quiet[] = { "Expect:", NULL };

	for (const char *const *lists[] = { quiet, headers, NULL }, *const **each = lists;
		*each; each++)
		for (const char *const *line = *each; *line; line++) {
			struct curl_slist *longer = curl_slist_append(*list, *line);

			if (!longer) return false;
			*list = longer;
		}
	return curl_easy_setopt(c, CURLOPT_HTTPHEADER, *list) == CURLE_OK;
}

bool outbound_stop_asked(int fd)
{
	struct pollfd stop = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&stop, 1, 0) > 0;
}

void outbound_easy_limit(CURL *c, int64_t timeout_ms)
{
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
		(long)(timeout_ms < CONNECT_MS ? timeout_ms : CONNECT_MS));
}

bool outbound_easy_set(CURL *c, struct outbound_gate *gate, const char *url,
	const char *const *headers, int64_t timeout_ms, struct curl_slist **list,
	char error[CURL_ERROR_SIZE])
{
	const char *authority = getenv("SSL_CERT_FILE");

	if (!c || !headers_set(c, headers, list) ||
		curl_easy_setopt(c, CURLOPT_URL, url) != CURLE_OK)
		return false;
	outbound_easy_limit(c, timeout_ms);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "parley/" PARLEY_VERSION);
	if (authority) curl_easy_setopt(c, CURLOPT_CAINFO, authority);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, gate_open);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, gate);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, error);
	return true;
}

bool connect_to_any(void *ctx, const uint8_t address[16])
{
	(void)ctx;
	(void)address;
	return true;
}

bool connect_to_here(void *ctx, const uint8_t address[16])
{
	static const uint8_t six[16] = { [15] = 1 };
	static const uint8_t four[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };

	(void)ctx;
	return memcmp(address, six, sizeof six) == 0 ||
	       memcmp(address, four, sizeof four) == 0;
}
