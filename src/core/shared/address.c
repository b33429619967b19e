/* address.c - reads URLs, IP addresses and networks; knows which are internal. */
#include "core/shared/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>

/* ---- web addresses ---- */

static bool host_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_';
}

/* The host at the front of *rest; what stands behind it stays there. */
static bool host_cut(struct str *rest, struct str *host)
{
	bool six = rest->len && rest->at[0] == '[';
	struct address ignored;
	size_t n = 0;

	if (six) {
		int end = str_find(*rest, STR("]"));

		if (end < 0) return false;
		*host = str_from(str_first(*rest, (size_t)end), 1);
		*rest = str_from(*rest, (size_t)end + 1);
		return str_find(*host, STR(":")) >= 0 && address_read(*host, &ignored);
	}
	while (n < rest->len && host_char(rest->at[n]))
		n++;
	*host = str_first(*rest, n);
	*rest = str_from(*rest, n);
	return n > 0;
}

static bool port_cut(struct str *rest)
{
	int64_t port;
	size_t n = 1;

	if (!rest->len || rest->at[0] != ':') return true;
	while (n < rest->len && isdigit((unsigned char)rest->at[n]))
		n++;
	if (!str_to_int(str_from(str_first(*rest, n), 1), 1, 65535, &port)) return false;
	*rest = str_from(*rest, n);
	return true;
}

bool url_split(struct str text, struct url *out)
{
	struct url url = { .https = str_starts(text, "https://") };
	struct str rest = url.https			? str_from(text, 8)
			  : str_starts(text, "http://") ? str_from(text, 7)
							: STR_NONE;

	if (!host_cut(&rest, &url.host) || !port_cut(&rest)) return false;
	if (rest.len && !memchr("/?#", rest.at[0], 3)) return false;
	for (size_t i = 0; i < rest.len; i++)
		if ((unsigned char)rest.at[i] <= ' ' || rest.at[i] == '\\') return false;
	*out = url;
	return true;
}

struct str url_host(struct str text, struct arena *arena)
{
	struct url url = { 0 };
	char *host = url_split(text, &url) ? arena_copy(arena, url.host) : NULL;

	for (char *at = host; at && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return str_of(host);
}

/* ---- network addresses ---- */

enum { MAPPED_BITS = 96 };

static void address_map(struct address *a, const uint8_t four[4])
{
	*a = (struct address){ .bytes = { [10] = 0xff, 0xff } };
	memcpy(a->bytes + 12, four, 4);
}

bool address_read(struct str text, struct address *out)
{
	char copy[INET6_ADDRSTRLEN];
	uint8_t four[4];

	if (!text.len || text.len >= sizeof copy || memchr(text.at, '\0', text.len))
		return false;
	snprintf(copy, sizeof copy, "%.*s", STR_ARGS(text));
	if (inet_pton(AF_INET6, copy, out->bytes) == 1) return true;
	if (inet_pton(AF_INET, copy, four) != 1) return false;
	address_map(out, four);
	return true;
}

static bool address_in(const struct address *a, const struct address *net, int bits)
{
	int whole = bits / 8, rest = bits % 8;

	if (memcmp(a->bytes, net->bytes, (size_t)whole) != 0) return false;
	return !rest || (a->bytes[whole] ^ net->bytes[whole]) >> (8 - rest) == 0;
}

/* "10.0.0.0/8", "fd00::/8" or one address. */
static bool net_read(struct str text, struct address *net, int *bits)
{
	int slash = str_find(text, STR("/"));
	struct str host = slash < 0 ? text : str_first(text, (size_t)slash);
	bool four = str_find(host, STR(":")) < 0;
	int64_t n = four ? 32 : 128;

	if (!address_read(host, net)) return false;
	if (slash >= 0 && !str_to_int(str_from(text, (size_t)slash + 1), 0, n, &n))
		return false;
	*bits = (int)n + (four ? MAPPED_BITS : 0);
	return true;
}

static bool net_holds(const char *net, const struct address *a)
{
	struct address first;
	int bits;

	return net_read(str_of(net), &first, &bits) && address_in(a, &first, bits);
}

/* Of the ranges that IANA's registries of special addresses name, all that nobody on the
 * internet answers under. */
static const char *const internal[] = {
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/4",
	"240.0.0.0/4",
	"2001::/23", /* Teredo among them */
	"2001:db8::/32",
	"3fff::/20",
};

bool address_internal(const struct address *given)
{
	struct address a = *given;

	/* NAT64 and 6to4 lead to the IPv4 address inside. */
	if (net_holds("64:ff9b::/96", &a))
		address_map(&a, given->bytes + 12);
	else if (net_holds("2002::/16", &a))
		address_map(&a, given->bytes + 2);
	for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
		if (net_holds(internal[i], &a)) return true;
	return !net_holds("::ffff:0:0/96", &a) && !net_holds("2000::/3", &a);
}

/* ---- what the operator allows ---- */

bool reach_valid(struct str reach)
{
	struct address net;
	struct str one;
	int bits;

	if (!reach.len || reach.at[reach.len - 1] == ',') return false;
	while (str_cut(&reach, ',', &one)) {
		size_t n = 0;

		one = str_trim(one);
		while (n < one.len && host_char(one.at[n]))
			n++;
		if (!one.len || (n < one.len && !net_read(one, &net, &bits)))
			return false;
	}
	return true;
}

static bool host_same(struct str a, struct str b)
{
	for (size_t i = 0; i < a.len && i < b.len; i++)
		if (tolower((unsigned char)a.at[i]) != tolower((unsigned char)b.at[i]))
			return false;
	return a.len == b.len;
}

/* `a` NULL: whatever address the host may turn out to have. */
static bool reach_names(struct str reach, struct str host, const struct address *a)
{
	struct address net;
	struct str one;
	int bits;

	while (str_cut(&reach, ',', &one)) {
		one = str_trim(one);
		if (host_same(one, host)) return true;
		if (net_read(one, &net, &bits) && (!a || address_in(a, &net, bits)))
			return true;
	}
	return false;
}

bool reach_allows(struct str reach, const struct url *url, const struct address *a)
{
	if (str_is(reach, "yes")) return true;
	if (url->https && !address_internal(a)) return true;
	return !str_is(reach, "no") && reach_names(reach, url->host, a);
}

bool reach_may_allow(struct str reach, const struct url *url)
{
	struct address a;

	if (address_read(url->host, &a)) return reach_allows(reach, url, &a);
	if (url->https || str_is(reach, "yes")) return true;
	return !str_is(reach, "no") && reach_names(reach, url->host, NULL);
}

/* 127.0.0.0/8 and ::1. */
bool address_loopback(const struct address *a)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	static const uint8_t v6[16] = { [15] = 1 };

	return (memcmp(a->bytes, v4, sizeof v4) == 0 && a->bytes[12] == 127) ||
	       memcmp(a->bytes, v6, sizeof v6) == 0;
}

bool model_reach_allows(struct str reach, const struct url *url, const struct address *a)
{
	return address_loopback(a) || reach_allows(reach, url, a);
}

bool model_reach_may_allow(struct str reach, const struct url *url)
{
	struct address a;

	if (address_read(url->host, &a)) return model_reach_allows(reach, url, &a);
	return str_is_nocase(url->host, "localhost") || reach_may_allow(reach, url);
}
