/* The documents of tests/json, each a file. `good` we read, `bad` is no JSON, `refused`
 * is JSON that we do not take. jansson has to agree on each, but for what is listed here.
 */
#include "base/json.h"

#include "oracle.h"
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const char *root;
static int documents, wrong; /* checked, and not as they should be */

/* Where jansson sees it otherwise than we do, and why we keep to our view. */
static const struct {
	const char *name, *reason;
} differences[] = {
	{ "bad/structure_nul_behind.json", "jansson takes a NUL byte for the end" },
	{ "good/number_int_beyond_int64.json",
		"jansson's integers end at 2^63; ours keep "
		"their digits" },
	{ "good/number_int_below_int64.json", "the same" },
	{ "good/number_int_30_digits.json", "the same" },
	{ "good/number_int_300_digits.json", "the same" },
	{ "refused/depth_65_arrays.json", "our limit is 64 levels, jansson's 2,048" },
	{ "refused/depth_65_objects.json", "the same" },
	{ "refused/depth_500_mixed.json", "the same" },
	{ "refused/string_escaped_nul.json", "no text of ours holds U+0000" },
	{ "refused/string_escaped_nul_in_middle.json", "the same" },
	{ "refused/array_200001_values.json", "our limit is 200,000 values" },
};

static bool differs(const char *name)
{
	for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
		if (strcmp(name, differences[i].name) == 0) return true;
	}
	return false;
}

static void load(struct buf *out, const char *path)
{
	FILE *f = fopen(path, "rb");
	int c;

	if (!f) fail_msg("%s cannot be read", path);
	while ((c = getc(f)) != EOF)
		buf_add_char(out, (char)c);
	fclose(f);
}

static void complain(const char *name, const char *what)
{
	print_error("%s: %s\n", name, what);
	wrong++;
}

/* Our compact form says the same to jansson as the document itself. */
static void check_same_value(
	struct str document, const struct json *ours, const char *name)
{
	struct buf written = { 0 };

	json_write(&written, ours);
	if (!oracle_same(document, buf_str(&written)))
		complain(name, "written otherwise");
	buf_done(&written);
}

static void check_document(const char *name, enum err want)
{
	struct buf text = { 0 };
	struct arena arena = { 0 };
	struct fault why = { 0 };
	const struct json *j = NULL;
	char path[4096];
	enum err err;

	snprintf(path, sizeof path, "%s/%s", root, name);
	load(&text, path);
	err = json_read(buf_str(&text), NULL, &arena, &j, &why);
	if (err != want) complain(name, err ? why.detail : "was read");
	if (oracle_reads(buf_str(&text)) != ((err == OK) != differs(name)))
		complain(name, "jansson does not agree");
	if (err == OK && !differs(name)) check_same_value(buf_str(&text), j, name);
	arena_done(&arena);
	buf_done(&text);
	documents++;
}

static void check_folder(const char *folder, enum err want)
{
	char path[4096], name[512];
	struct dirent *entry;
	DIR *dir;

	wrong = 0;
	snprintf(path, sizeof path, "%s/%s", root, folder);
	dir = opendir(path);
	if (!dir) fail_msg("%s cannot be read", path);
	while ((entry = readdir(dir))) {
		if (!str_ends(str_of(entry->d_name), ".json")) continue;
		snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
		check_document(name, want);
	}
	closedir(dir);
	CHECK_INT(wrong, 0);
}

static void good_documents_are_read(void **state)
{
	(void)state;
	check_folder("good", OK);
}

static void bad_documents_are_no_json(void **state)
{
	(void)state;
	check_folder("bad", ERR_BAD_REQUEST);
}

static void refused_documents_are_json_we_do_not_take(void **state)
{
	(void)state;
	check_folder("refused", ERR_INVALID);
}

static void there_are_enough_of_them(void **state)
{
	(void)state;
	CHECK(documents >= 150);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(good_documents_are_read),
		TEST(bad_documents_are_no_json),
		TEST(refused_documents_are_json_we_do_not_take),
		TEST(there_are_enough_of_them),
	};

	if (argc != 2) return EXIT_FAILURE;
	root = argv[1];
	return RUN(tests);
}
