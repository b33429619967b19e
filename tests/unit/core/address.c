/* Web addresses that can be read in one way only, and what is internal. */
#include "core/shared/address.h"

#include "kit.h"

static void a_url_has_one_host(void **state)
{
	static const struct {
		const char *url, *host; /* NULL: it is none */
	} table[] = {
		{ "https://example.org", "example.org" },
		{ "http://example.org:8080/a?b#c", "example.org" },
		{ "https://[fd00::1]:443/x", "fd00::1" },
		{ "https://10.0.0.1?x", "10.0.0.1" },
		{ "https://0x7f.1/", "0x7f.1" },
		{ "https://example.org/a/%20/é", "example.org" },
		{ "https://", NULL },
		{ "https:///x", NULL },
		{ "ftp://example.org", NULL },
		{ "https://user@example.org/", NULL },
		{ "https://good.org\\@evil.org/", NULL },
		{ "https://good.org/\\evil", NULL },
		{ "https://good.org:x/", NULL },
		{ "https://good.org:0/", NULL },
		{ "https://good.org:70000/", NULL },
		{ "https://[fd00::1", NULL },
		{ "https://[10.0.0.1]/", NULL },
		{ "https://[fe80::1%25eth0]/", NULL },
		{ "https://good org/", NULL },
		{ "https://good.org/a b", NULL },
		{ "https://góod.org/", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct url url;
		bool fits = url_split(str_of(table[i].url), &url);

		if (fits != (table[i].host != NULL)) fail_msg("%s", table[i].url);
		if (!fits) continue;
		assert_string_equal(kit_text(url.host), table[i].host);
		assert_int_equal(url.https, table[i].url[4] == 's');
	}
}

static const char *const internal[] = { "127.0.0.1", "127.255.0.9", "0.0.0.0", "10.1.2.3",
	"100.64.0.1", "100.100.100.200", "169.254.169.254", "172.16.0.1",
	"172.31.255.255", "192.168.1.1", "192.0.2.1", "198.18.0.1", "198.51.100.7",
	"203.0.113.7", "224.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
	"::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "64:ff9b:1::1",
	"100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1",
	"3fff::1", "4000::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1",
	"ff02::1" };

static const char *const public[] = { "1.1.1.1", "8.8.8.8", "100.63.255.255",
	"100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "::ffff:8.8.8.8",
	"64:ff9b::8.8.8.8", "2002:808:808::1", "2606:4700::1111", "2a00:1450::1",
	"2001:200::1" };

static void what_is_internal_is_known_in_every_wrapping(void **state)
{
	struct address a;

	(void)state;
	for (size_t i = 0; i < sizeof internal / sizeof *internal; i++) {
		assert_true(address_read(str_of(internal[i]), &a));
		if (!address_internal(&a)) fail_msg("%s is public", internal[i]);
	}
	for (size_t i = 0; i < sizeof public / sizeof *public; i++) {
		assert_true(address_read(str_of(public[i]), &a));
		if (address_internal(&a)) fail_msg("%s is internal", public[i]);
	}
	assert_false(address_read(STR("10.0.0"), &a));
	assert_false(address_read(STR("example.org"), &a));
	assert_false(address_read(STR_NONE, &a));
}

static void an_ipv4_address_is_read_as_the_one_mapped_to_it(void **state)
{
	struct address four, six;

	(void)state;
	assert_true(address_read(STR("10.0.0.1"), &four));
	assert_true(address_read(STR("::ffff:10.0.0.1"), &six));
	assert_memory_equal(four.bytes, six.bytes, sizeof four.bytes);
}

static void the_operator_says_what_may_be_reached(void **state)
{
	static const struct {
		const char *reach, *url, *address;
		bool may;
	} table[] = {
		{ "no", "https://a.example", "8.8.8.8", true },
		{ "no", "https://a.example", "10.0.0.1", false },
		{ "no", "http://a.example", "8.8.8.8", false },
		{ "yes", "http://a.example", "10.0.0.1", true },
		{ "10.0.0.0/8", "https://a.example", "10.9.9.9", true },
		{ "10.0.0.0/8", "http://a.example", "10.9.9.9", true },
		{ "10.0.0.0/8", "https://a.example", "192.168.0.1", false },
		{ "10.0.0.0/8", "http://a.example", "8.8.8.8", false },
		{ "hooks.lan, ::1", "http://HOOKS.lan", "192.168.0.1", true },
		{ "hooks.lan, ::1", "https://other.lan", "192.168.0.1", false },
		{ "hooks.lan, ::1", "http://other.lan", "::1", true },
		{ "127.0.0.1", "http://127.0.0.1", "127.0.0.1", true },
		{ "127.0.0.1", "http://x", "127.0.0.2", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct url url;
		struct address a;

		assert_true(url_split(str_of(table[i].url), &url));
		assert_true(address_read(str_of(table[i].address), &a));
		if (reach_allows(str_of(table[i].reach), &url, &a) != table[i].may)
			fail_msg("%s: %s at %s", table[i].reach, table[i].url,
				table[i].address);
		if (table[i].may)
			assert_true(reach_may_allow(str_of(table[i].reach), &url));
	}
}

static void what_no_address_could_mend_is_refused_early(void **state)
{
	struct url http, https, local;

	(void)state;
	assert_true(url_split(STR("http://a.example/"), &http));
	assert_true(url_split(STR("https://a.example/"), &https));
	assert_true(url_split(STR("https://127.0.0.1/"), &local));
	assert_false(reach_may_allow(STR("no"), &http));
	assert_true(reach_may_allow(STR("no"), &https));
	assert_false(reach_may_allow(STR("no"), &local));
	assert_false(reach_may_allow(STR("b.example"), &http));
	assert_true(reach_may_allow(STR("b.example,10.0.0.0/8"), &http));
}

static void a_list_of_what_may_be_reached_is_checked(void **state)
{
	static const char *const good[] = { "yes", "no", "a.lan", "a.lan,10.0.0.0/8",
		"::1, fd00::/8", "127.0.0.1" };
	static const char *const bad[] = { "", ",", "a,", "a,,b", "10.0.0.0/33", "10/8",
		"fd00::/129", "http://a", "a b" };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!reach_valid(str_of(good[i]))) fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (reach_valid(str_of(bad[i]))) fail_msg("%s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_url_has_one_host),
		KIT_TEST(what_is_internal_is_known_in_every_wrapping),
		KIT_TEST(an_ipv4_address_is_read_as_the_one_mapped_to_it),
		KIT_TEST(the_operator_says_what_may_be_reached),
		KIT_TEST(what_no_address_could_mend_is_refused_early),
		KIT_TEST(a_list_of_what_may_be_reached_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
