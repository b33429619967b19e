/* mail.c - messages read, replies understood, tokens checked: the pure parts of mail. */
#include "core/notify/mail_decode.h"
#include "core/notify/mail_read.h"
#include "core/notify/mail_reply.h"
#include "core/notify/mail_token.h"
#include "kit.h"

#include <stdio.h>

static struct mail_in read_ok(const char *raw)
{
	struct mail_in m = { 0 };

	assert_int_equal(mail_read(str_of(raw), &kit, &m), MAIL_READ);
	return m;
}

static void text_is(struct str got, const char *expected)
{
	if (!str_is(got, expected))
		fail_msg("\"%.*s\" and not \"%s\"", STR_ARGS(got), expected);
}

static void a_token_is_only_ours(void **state)
{
	const struct str key = STR("0123456789abcdef0123456789abcdef");
	const struct str id = STR("dlv_01hx0000000000000000000abc");
	char token[MAIL_TOKEN_SIZE], found[ID_SIZE], shouted[MAIL_TOKEN_SIZE] = "";

	(void)state;
	mail_token_write(key, id, token);
	assert_int_equal(strlen(token), MAIL_TOKEN_LEN);
	assert_true(mail_token_read(key, "dlv", str_of(token), found));
	assert_string_equal(found, id.at);
	for (size_t i = 0; i < MAIL_TOKEN_LEN; i++)
		shouted[i] = (char)(token[i] >= 'a' && token[i] <= 'z' ? token[i] - 32
								       : token[i]);
	assert_true(mail_token_read(key, "dlv", str_of(shouted), found));
	assert_false(mail_token_read(key, "con", str_of(token), found));
	assert_false(mail_token_read(STR("another key"), "dlv", str_of(token), found));
	for (size_t i = 0; i < MAIL_TOKEN_LEN; i++) {
		char was = token[i];

		token[i] = was == '0' ? '1' : '0';
		assert_false(mail_token_read(key, "dlv", str_of(token), found));
		token[i] = was;
	}
	text_is(mail_token_find(
			STR("p+{token}@x.org"), arena_print(&kit, "P+%s@X.org", token)),
		token);
	assert_int_equal(mail_token_find(STR("p+{token}@x.org"),
				 arena_print(&kit, "p+%s@y.org", token))
				 .len,
		0);
}

static void an_author_is_one_address(void **state)
{
	static const struct {
		const char *field, *from;
	} cases[] = { { "From: a@b.org", "a@b.org" }, { "from:<a@b.org>", "a@b.org" },
		{ "From: \"x, y\" (z <q@r>) <a@b.org>", "a@b.org" },
		{ "From: \"evil@x.org\"\r\n <a@b.org>", "a@b.org" },
		{ "From: a@b.org, c@d.org", "" },
		{ "From: a@b.org\r\nFrom: a@b.org", "" },
		{ "From: <a@b.org> <c@d.org>", "" }, { "From: <a@b.org> c@d.org", "" },
		{ "From: team: a@b.org;", "" }, { "From: nobody", "" },
		{ "From: <a b@c.org>", "" }, { "Sender: a@b.org", "" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		text_is(read_ok(arena_print(&kit, "%s\r\n\r\nx", cases[i].field).at).from,
			cases[i].from);
}

static void who_vouches_is_the_topmost(void **state)
{
	static const struct {
		const char *head;
		bool vouched;
	} cases[] = {
		{ "Authentication-Results: MX; dmarc=pass header.from=b.org", true },
		{ "Authentication-Results: mx 1; spf=fail; DMARC = pass (p=none)\r\n"
		  "\theader.from = B.org",
			true },
		{ "Authentication-Results: other; dmarc=fail\r\n"
		  "Authentication-Results: mx; dmarc=pass header.from=b.org",
			true },
		{ "Authentication-Results: mx; dmarc=fail header.from=b.org\r\n"
		  "Authentication-Results: mx; dmarc=pass header.from=b.org",
			false },
		{ "Authentication-Results: mx; none\r\n"
		  "Authentication-Results: mx; dmarc=pass header.from=b.org",
			false },
		{ "Authentication-Results: mx; dmarc=pass header.from=c.org", false },
		{ "Authentication-Results: mx; dmarc=pass header.from=b.org.evil",
			false },
		{ "Authentication-Results: mx; dmarc=pass", false },
		{ "Authentication-Results: mx; x=y (; dmarc=pass header.from=b.org)",
			false },
		{ "Authentication-Results: mx; x=\"; dmarc=pass header.from=b.org\"",
			false },
		{ "Authentication-Results: mx; dmarc=fail; dmarc=pass header.from=b.org",
			false },
		{ "X-Authentication-Results: mx; dmarc=pass header.from=b.org", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mail_in m = read_ok(
			arena_print(&kit, "%s\r\nFrom: a@b.org\r\n\r\nx", cases[i].head)
				.at);

		if (mail_vouched(&m, STR("mx"), &kit) != cases[i].vouched)
			fail_msg("%s", cases[i].head);
		assert_false(mail_vouched(&m, STR(""), &kit));
	}
}

static void bounds_hold(void **state)
{
	struct buf deep = { 0 };
	struct mail_in m;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_print(&deep, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n",
			i, i);
	assert_int_equal(mail_read(buf_str(&deep), &kit, &m), MAIL_BEYOND);
	buf_clear(&deep);
	buf_add_text(&deep, "Content-Type: multipart/mixed; boundary=b\n\n");
	for (int i = 0; i < 51; i++)
		buf_add_text(&deep, "--b\n\nx\n");
	assert_int_equal(mail_read(buf_str(&deep), &kit, &m), MAIL_BEYOND);
	buf_clear(&deep);
	while (deep.len <= MAIL_IN_MAX)
		buf_add_text(&deep, "From: a@b.org\n");
	assert_int_equal(mail_read(buf_str(&deep), &kit, &m), MAIL_BEYOND);
	buf_done(&deep);
	assert_int_equal(mail_read(STR(""), &kit, &m), MAIL_NONE);
	assert_int_equal(mail_read(STR("no header"), &kit, &m), MAIL_NONE);
	assert_int_equal(mail_read(STR("\n\nFrom: a"), &kit, &m), MAIL_NONE);
}

static void letters_of_all_kinds(void **state)
{
	(void)state;
	text_is(mail_decode(STR("=C3=A9=\r\n!=3D =zz"), STR("Quoted-Printable"),
			STR("UTF-8"), &kit),
		"\xc3\xa9!= =zz");
	text_is(mail_decode(STR("aGV\nsbG8="), STR("base64"), STR_NONE, &kit), "hello");
	text_is(mail_decode(STR("\xe9"), STR("8bit"), STR("latin1"), &kit), "\xc3\xa9");
	text_is(mail_decode(STR("\xe9"), STR_NONE, STR("utf-8"), &kit), "\xef\xbf\xbd");
	text_is(mail_decode(STR("\xe9"), STR_NONE, STR("us-ascii"), &kit), "\xc3\xa9");
	text_is(mail_decode(STR("\xa4"), STR_NONE, STR("ISO-8859-15"), &kit),
		"\xe2\x82\xac");
	/* Not on the list: never given to the C library. */
	text_is(mail_decode(STR("abc"), STR_NONE, STR("ISO-2022-CN-EXT"), &kit), "abc");
	text_is(mail_decode(STR("abc"), STR_NONE, STR("UTF-8//IGNORE"), &kit), "abc");
}

static void html_is_text(void **state)
{
	static const struct {
		const char *html, *text;
	} cases[] = { { "<p>a&amp;b</p><p>c", "\na&b\n\nc" },
		{ "x<script>y</script>z<!-- <b> -->!", "xz!" },
		{ "a<br/>b<div>c</div>", "a\nb\nc\n" }, { "1 < 2 & 3", "1 < 2 & 3" },
		{ "<a title=\"a>b\">x</a>", "x" }, { "a<blockquote>q", "a\n> q" },
		{ "&#233;&#xE9;&#99999999;&bogus;",
			"\xc3\xa9\xc3\xa9\xef\xbf\xbd&bogus;" },
		{ "<style", "" }, { "<!--", "" }, { "<", "<" }, { "&", "&" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = { 0 };

		mail_unhtml(&out, str_of(cases[i].html));
		text_is(buf_str(&out), cases[i].text);
		buf_done(&out);
	}
}

static void what_is_above_the_quote(void **state)
{
	static const struct {
		const char *mail, *text;
	} cases[] = { { "yes\n", "yes" }, { "\n\n yes \n\n> no", "yes" },
		{ "> no\nyes", "" }, { "a\n--\nb", "a" }, { "a\n-- \nb", "a" },
		{ "a\n--b", "a\n--b" },
		{ "On second thoughts: no", "On second thoughts: no" },
		{ "On we go\n\nX wrote:", "On we go\n\nX wrote:" },
		{ "a\nOn Mon,\nParley <p@x>\nwrote:\n> b", "a" },
		{ "a\nLe lundi, P a \xc3\xa9"
		  "crit\xe2\x80\xaf:\nb",
			"a" },
		{ "From: here on we go", "From: here on we go" },
		{ "a\nDe : P\nEnvoy\xc3\xa9 : x\n\nb", "a" },
		{ "Sent from my office", "Sent from my office" },
		{ "a\n" MAIL_RULE " Write " MAIL_RULE "\nb", "a" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		text_is(mail_reply_text(str_of(cases[i].mail)), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_token_is_only_ours),
		KIT_TEST(an_author_is_one_address),
		KIT_TEST(who_vouches_is_the_topmost),
		KIT_TEST(bounds_hold),
		KIT_TEST(letters_of_all_kinds),
		KIT_TEST(html_is_text),
		KIT_TEST(what_is_above_the_quote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
