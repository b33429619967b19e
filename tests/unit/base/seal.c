#include "base/seal.h"

#include "unit.h"

static const uint8_t key[SEAL_KEY_SIZE] = "0123456789abcdef0123456789abcde";
static const uint8_t other[SEAL_KEY_SIZE] = "another key of the same length!";

static void what_is_sealed_opens_with_its_key_alone(void **state)
{
	struct buf sealed = { 0 }, again = { 0 }, open = { 0 };

	(void)state;
	CHECK(seal_close(key, STR("a secret"), &sealed));
	CHECK(seal_close(key, STR("a secret"), &again));
	CHECK(!str_eq(buf_str(&sealed), buf_str(&again)));
	CHECK(str_find(buf_str(&sealed), STR("secret")) < 0);
	CHECK(seal_fits(key, buf_str(&sealed)) && !seal_fits(other, buf_str(&sealed)));
	CHECK(seal_open(key, buf_str(&sealed), &open));
	CHECK_STR(buf_str(&open), "a secret");
	buf_clear(&open);
	CHECK(!seal_open(other, buf_str(&sealed), &open));
	for (size_t i = 8; i < sealed.len; i++) { /* not one character may change */
		char was = sealed.at[i];

		sealed.at[i] = was == 'A' ? 'B' : 'A';
		CHECK(!seal_open(key, buf_str(&sealed), &open));
		sealed.at[i] = was;
	}
	CHECK(!seal_open(key, STR(""), &open) && !seal_open(key, STR("AAAA"), &open));
	CHECK_INT(open.len, 0);
	buf_done(&sealed);
	buf_done(&again);
	buf_done(&open);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(
		what_is_sealed_opens_with_its_key_alone) };

	return RUN(tests);
}
