/* gate.c - who may talk to us at all: our own names, our own page. Against DNS rebinding
 * and requests forged by other sites; loopback is no protection from either. */
#include "serve/inner.h"

#include <arpa/inet.h>

static bool is_port(struct str s)
{
	int64_t port;

	return s.len && s.len <= 5 && s.at[0] != '-' && str_to_int(s, 0, 65535, &port);
}

/* Without the port; empty unless it is "name", "name:port", "[address]" or
 * "[address]:port" and nothing else. */
static struct str host_name(struct str host)
{
	int end = host.len && host.at[0] == '[' ? str_find(host, STR("]")) + 1
						: str_find(host, STR(":"));
	struct str name = end < 0 ? host : str_first(host, (size_t)end);
	struct str rest = str_from(host, name.len);

	if (!rest.len) return name;
	return rest.at[0] == ':' && is_port(str_from(rest, 1)) ? name : STR_NONE;
}

/* The host of "scheme://host:port/…", with its port. */
static struct str url_host(struct str url)
{
	int at = str_find(url, STR("://"));
	struct str rest = at < 0 ? STR_NONE : str_from(url, (size_t)at + 3);
	int slash = str_find(rest, STR("/"));

	return slash < 0 ? rest : str_first(rest, (size_t)slash);
}

/* Rebinding needs a name: an address cannot be made to point elsewhere. */
static bool is_address(struct str name)
{
	bool six = name.len > 2 && name.at[0] == '[';
	char text[INET6_ADDRSTRLEN + 2] = "";
	unsigned char out[16];

	if (six) name = str_make(name.at + 1, name.len - 2);
	if (!name.len || name.len >= sizeof text) return false;
	memcpy(text, name.at, name.len);
	return inet_pton(six ? AF_INET6 : AF_INET, text, out) == 1;
}

static bool host_allowed(struct serve *s, struct str host)
{
	struct str name = host_name(host), list = s->set.allowed_hosts, one;

	if (!name.len) return false;
	if (is_address(name) || str_is_nocase(name, "localhost")) return true;
	if (str_eq_nocase(name, host_name(url_host(str_of(s->url))))) return true;
	while (str_cut(&list, ',', &one))
		if (str_eq_nocase(name, str_trim(one))) return true;
	return false;
}

bool gate_url_is_named(const struct serve *s)
{
	struct str name = host_name(url_host(str_of(s->url)));

	return name.len && !is_address(name) && !str_is_nocase(name, "localhost");
}

/* At the address that people are given the scheme counts as well: what came without TLS to a host
 * that has it is not our page. */
static bool origin_ours(struct serve *s, struct str origin, struct str host)
{
	struct str from = url_host(origin), url = str_of(s->url);

	if (!from.len) return false;
	if (str_eq_nocase(from, url_host(url)))
		return str_starts(origin, "https:") == str_starts(url, "https:");
	return str_eq_nocase(from, host);
}

enum err gate_check(struct serve *s, const struct listener *listener,
	const struct http_request *r, const struct route *route, struct fault *why)
{
	struct str host = http_header(r, "host"), origin = http_header(r, "origin");
	struct str site = http_header(r, "sec-fetch-site");
	bool page = route && (route->flags & ROUTE_PAGE);

	if (listener->local_admin) return OK;
	/* Host and Origin are those of somebody else's client. */
	if (route && (route->flags & ROUTE_ORIGINAL)) return OK;
	if (host.len && !host_allowed(s, host))
		return fail(
			why, ERR_FORBIDDEN, "this server does not answer to that Host");
	if (route && (route->flags & ROUTE_ANYWHERE)) return OK;
	if (origin.len && !origin_ours(s, origin, host))
		return fail(why, ERR_FORBIDDEN,
			"requests from this Origin are not accepted; set url or allowed_hosts");
	if (!page && (str_is(site, "cross-site") || str_is(site, "same-site")))
		return fail(why, ERR_FORBIDDEN, "requests from other sites are refused");
	return OK;
}

enum err gate_check_cookie(
	struct serve *s, const struct http_request *r, struct fault *why)
{
	(void)s;
	/* Whatever Origin came was found to be ours; a write must have one, or a
	 * Sec-Fetch-Site that says the page is ours. */
	if (r->method == HTTP_M_GET || r->method == HTTP_M_HEAD) return OK;
	if (http_header(r, "origin").len ||
		str_is(http_header(r, "sec-fetch-site"), "same-origin"))
		return OK;
	return fail(why, ERR_FORBIDDEN, "with a cookie, a write needs its Origin");
}
