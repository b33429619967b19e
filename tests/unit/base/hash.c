#include "base/hash.h"

#include "unit.h"

static void sha256_agrees_with_the_standard(void **state)
{
	char hex[SHA256_HEX_SIZE];
	uint8_t one[SHA256_SIZE], two[SHA256_SIZE];

	(void)state;
	sha256_hex(STR("abc"), hex);
	assert_string_equal(
		hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex(STR_NONE, hex);
	assert_string_equal(
		hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256(STR("abcdef"), one);
	sha256_2(STR("abc"), STR("def"), two);
	assert_memory_equal(one, two, SHA256_SIZE);
}

static void check_fields(const struct str *fields, size_t len, const char *want)
{
	uint8_t digest[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];

	sha256_fields(fields, len, digest);
	hex_write(digest, sizeof digest, hex);
	assert_string_equal(hex, want);
}

/* Of what stands in logs: it must never change. Made with Python's hashlib; some are longer than
 * what is gathered. */
static void fields_are_hashed_as_ever(void **state)
{
	static char x[1536], y[255];

	(void)state;
	memset(x, 'x', sizeof x);
	memset(y, 'y', sizeof y);
	check_fields((struct str[]){ STR("a"), STR_NONE, STR("bc") }, 3,
		"f2dfef166305b94b4b1993c6ada1147aab348b9c777ce7a8a42f63326f61e3fe");
	check_fields((struct str[]){ str_make(x, 254), str_make(y, 255), STR("z") }, 3,
		"32a9d35eddc4375cc1f61f9c67910d8a2745173ec44adec020b277c13effbfef");
	check_fields((struct str[]){ str_make(x, 1536), STR("y") }, 2,
		"6105183945802b94e481ce72ec6a0cbcbfdb1c0bd8e5a4b8ce8f4df0880b1415");
	check_fields((struct str[]){ str_make(x, 1536) }, 1,
		"3f1b8ef4c43a5bac6f783c5df867e079495b7212fe1621b4657baaf585235e2c");
}

static void check_hmac(struct str key, struct str text, const char *want)
{
	uint8_t mac[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];

	hmac_sha256(key, text, mac);
	hex_write(mac, sizeof mac, hex);
	assert_string_equal(hex, want);
}

/* RFC 4231, cases 1, 2 and 6. */
static void hmac_agrees_with_its_rfc(void **state)
{
	char long_key[131];

	(void)state;
	check_hmac(STR("\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
		       "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"),
		STR("Hi There"),
		"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	check_hmac(STR("Jefe"), STR("what do ya want for nothing?"),
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(long_key, 0xaa, sizeof long_key);
	check_hmac(str_make(long_key, sizeof long_key),
		STR("Test Using Larger Than Block-Size Key - Hash Key First"),
		"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void secrets_are_compared_whole(void **state)
{
	(void)state;
	CHECK(same_secret(STR("secret"), STR("secret")));
	CHECK(!same_secret(STR("secret"), STR("secreT")));
	CHECK(!same_secret(STR("secret"), STR("secre")));
	CHECK(same_secret(STR_NONE, STR("")));
}

static void hex_goes_both_ways(void **state)
{
	uint8_t bytes[4] = { 0 };
	char text[9];

	(void)state;
	CHECK(hex_read(STR("00fF7aA5"), bytes, 4));
	hex_write(bytes, 4, text);
	assert_string_equal(text, "00ff7aa5");
	CHECK(!hex_read(STR("00ff7a"), bytes, 4));
	CHECK(!hex_read(STR("00ff7aa"), bytes, 4));
	CHECK(!hex_read(STR("11111g11"), bytes, 4));
	CHECK(!hex_read(STR("1111111111"), bytes, 4));
	CHECK_INT(bytes[0], 0);
}

static void base64url_goes_both_ways(void **state)
{
	static const struct {
		const char *plain, *coded;
	} pairs[] = { { "", "" }, { "f", "Zg" }, { "fo", "Zm8" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg" }, { "\xff\xfe\xfd", "__79" }, { "\xfb\xf0", "-_A" } };

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct buf b = { 0 };

		base64url_write(&b, str_of(pairs[i].plain));
		CHECK_STR(buf_str(&b), pairs[i].coded);
		buf_clear(&b);
		CHECK(base64url_read(str_of(pairs[i].coded), &b));
		CHECK_STR(buf_str(&b), pairs[i].plain);
		buf_done(&b);
	}
}

static void base64_goes_both_ways_and_is_padded(void **state)
{
	static const struct {
		const char *plain, *coded;
	} pairs[] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "\xff\xfe\xfd", "//79" },
		{ "\xfb\xf0", "+/A=" } };
	static const char *const bad[] = { "Zg", "Zg=", "Z===", "Zm9v=", "=",
		"====", "__79", "Zh==", "Zm9v\n" };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		base64_write(&b, str_of(pairs[i].plain));
		CHECK_STR(buf_str(&b), pairs[i].coded);
		buf_clear(&b);
		CHECK(base64_read(str_of(pairs[i].coded), &b));
		CHECK_STR(buf_str(&b), pairs[i].plain);
		buf_clear(&b);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (base64_read(str_of(bad[i]), &b)) fail_msg("%s", bad[i]);
	buf_done(&b);
}

static void padding_stray_bits_and_foreign_characters_are_refused(void **state)
{
	static const char *const bad[] = { "Z", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm+v",
		"Zm/v", "Zm 9v", "Zm9v\n" };
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, STR("kept"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (base64url_read(str_of(bad[i]), &b)) fail_msg("%s", bad[i]);
		CHECK_STR(buf_str(&b), "kept");
	}
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sha256_agrees_with_the_standard),
		TEST(fields_are_hashed_as_ever),
		TEST(hmac_agrees_with_its_rfc),
		TEST(secrets_are_compared_whole),
		TEST(hex_goes_both_ways),
		TEST(base64url_goes_both_ways),
		TEST(base64_goes_both_ways_and_is_padded),
		TEST(padding_stray_bits_and_foreign_characters_are_refused),
	};

	return RUN(tests);
}
