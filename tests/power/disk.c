/* disk.c - the disk's rules, one by one. */
#include "../lib/cutdisk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 200 };

static void add(struct cut_history *h, enum cut_op_kind kind, uint32_t file, size_t at,
	const char *data)
{
	size_t len = data ? strlen(data) + (kind != CUT_OP_WRITE) : 0;

	cut_history_add(h,
		(struct cut_op){ kind, file, at, len, (unsigned char *)(uintptr_t)data });
}

/* A disk with the durable, empty file 0 "a". */
static struct cut_history *disk_new(void)
{
	struct cut_image base = { 0 };

	cut_image_link(&base, "a", 0);
	return cut_history_new(base);
}

static void text_of(const struct cut_image *image, const char *name, char out[64])
{
	int64_t file = cut_image_find(image, name);

	if (file < 0) {
		snprintf(out, 64, "(none)");
		return;
	}
	const struct cut_bytes *b = &image->files[file];

	snprintf(out, 64, "%.*s", (int)b->len, b->len ? (const char *)b->at : "");
}

static void expect(struct cut_history *h, uint64_t position, enum cut_choice choice,
	const char *name, const char *text)
{
	struct cut_image image = cut_history_cut(h, position, choice, 1);
	char found[64];

	text_of(&image, name, found);
	assert_string_equal(found, text);
	cut_image_done(&image);
}

/* Over many seeds the file is each of these, and nothing else. */
static void expect_each(struct cut_history *h, enum cut_choice choice, const char *name,
	const char *const *texts, size_t len)
{
	unsigned met = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct cut_image image =
			cut_history_cut(h, cut_history_length(h), choice, seed);
		char found[64];
		size_t i = 0;

		text_of(&image, name, found);
		while (i < len && strcmp(found, texts[i]) != 0)
			i++;
		if (i == len) fail_msg("unexpected: %s", found);
		met |= 1u << i;
		cut_image_done(&image);
	}
	assert_int_equal(met, (1u << len) - 1);
}

static void what_is_synced_survives(void **state)
{
	struct cut_history *h = disk_new();

	(void)state;
	add(h, CUT_OP_WRITE, 0, 0, "one");
	add(h, CUT_OP_SYNC, 0, 0, NULL);
	add(h, CUT_OP_WRITE, 0, 3, "two");
	expect(h, 1, CUT_NONE, "a", "");
	expect(h, 1, CUT_ALL, "a", "one");
	expect(h, 3, CUT_NONE, "a", "one");
	expect(h, 3, CUT_ALL, "a", "onetwo");
	expect(h, 2, CUT_ALL, "a", "one"); /* and back */
	assert_int_equal(cut_history_doubts(h, 2), 0);
	assert_int_equal(cut_history_doubts(h, 3), 1);
	cut_history_free(h);
}

static void what_is_not_synced_survives_in_any_part(void **state)
{
	static const char *const prefixes[] = { "....", "1...", "12..", "123." };
	static const char *const subsets[] = { "....", "1...", ".2..", "12..", "..3.",
		"1.3.", ".23.", "123." };
	struct cut_history *h = disk_new();

	(void)state;
	add(h, CUT_OP_WRITE, 0, 0, "....");
	add(h, CUT_OP_SYNC, 0, 0, NULL);
	add(h, CUT_OP_WRITE, 0, 0, "1");
	add(h, CUT_OP_WRITE, 0, 1, "2");
	add(h, CUT_OP_WRITE, 0, 2, "3");
	expect_each(h, CUT_PREFIX, "a", prefixes, 4);
	expect_each(h, CUT_SUBSET, "a", subsets, 8);
	cut_history_free(h);
}

static void a_write_may_be_torn_at_sectors_only(void **state)
{
	struct cut_history *h = disk_new();
	char old[3 * CUT_SECTOR + 1] = { 0 }, new[2 * CUT_SECTOR + 1] = { 0 };
	unsigned met = 0;

	(void)state;
	memset(old, 'o', sizeof(old) - 1);
	memset(new, 'n', sizeof(new) - 1);
	add(h, CUT_OP_WRITE, 0, 0, old);
	add(h, CUT_OP_SYNC, 0, 0, NULL);
	add(h, CUT_OP_WRITE, 0, CUT_SECTOR / 2, new);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct cut_image image = cut_history_cut(h, 3, CUT_TORN, seed);
		const unsigned char *at = image.files[0].at;
		unsigned sectors = 0;

		for (size_t i = 0; i < 3; i++)
			sectors |= (unsigned)(at[i * CUT_SECTOR + 300] == 'n') << i;
		sectors &= 3;
		assert_int_equal(
			at[CUT_SECTOR / 2 - 1], 'o'); /* the neighbour is unharmed */
		assert_int_equal(at[CUT_SECTOR], at[2 * CUT_SECTOR - 1]);
		met |= 1u << sectors;
		cut_image_done(&image);
	}
	assert_int_equal(met, 15);
	cut_history_free(h);
}

static void after_a_failed_sync_the_write_stays_in_doubt(void **state)
{
	struct cut_history *h = disk_new();

	(void)state;
	add(h, CUT_OP_WRITE, 0, 0, "lost");
	add(h, CUT_OP_SYNC_FAILED, 0, 0, NULL);
	add(h, CUT_OP_SYNC, 0, 0, NULL);
	expect(h, 3, CUT_NONE, "a", "");
	expect(h, 3, CUT_ALL, "a", "lost");
	add(h, CUT_OP_WRITE, 0, 0, "sure");
	add(h, CUT_OP_SYNC, 0, 0, NULL);
	expect(h, 5, CUT_NONE, "a", "sure");
	expect(h, 5, CUT_ALL, "a", "sure"); /* the old one never comes back over it */
	cut_history_free(h);
}

static void a_name_needs_a_sync_of_the_directory(void **state)
{
	static const char *const moments[] = { "old", "(none)", "new" };
	struct cut_history *h = disk_new();

	(void)state;
	add(h, CUT_OP_WRITE, 0, 0, "old");
	add(h, CUT_OP_SYNC, 0, 0, NULL);
	add(h, CUT_OP_UNLINK, 0, 0, "a");
	add(h, CUT_OP_LINK, 1, 0, "a");
	add(h, CUT_OP_WRITE, 1, 0, "new");
	add(h, CUT_OP_SYNC, 1, 0, NULL);
	expect_each(h, CUT_SUBSET, "a", moments, 3);
	expect(h, 6, CUT_NONE, "a", "old");
	add(h, CUT_OP_SYNC_DIR, 0, 0, NULL);
	expect(h, 7, CUT_NONE, "a", "new");
	cut_history_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_synced_survives),
		cmocka_unit_test(what_is_not_synced_survives_in_any_part),
		cmocka_unit_test(a_write_may_be_torn_at_sectors_only),
		cmocka_unit_test(after_a_failed_sync_the_write_stays_in_doubt),
		cmocka_unit_test(a_name_needs_a_sync_of_the_directory),
	};

	return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
