/* Objects by their tables: read with every fault, written, patched. */
#include "core/shared/shape.h"
#include "kit.h"

#include "base/keep.h"

enum size { SIZE_UNSET, SIZE_SMALL, SIZE_LARGE };

struct wheel {
	struct str name;
	int64_t inches;
};

struct car {
	struct str name, note, owner;
	int64_t seats;
	bool old, left;
	enum size size;
	int64_t range_ms, sold_ms;
	unsigned colours;
	struct str *tags;
	size_t tags_len;
	struct wheel spare;
	struct wheel *wheels;
	size_t wheels_len;
	bool has_trailer;
	struct wheel trailer;
	int64_t doubled;
};

static bool lower(struct str s)
{
	return s.len && s.at[0] >= 'a' && s.at[0] <= 'z';
}

static void doubled_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	if (v && !v->is_int) wrong_member(r->check, r->at, m->name, "whole only");
	((struct car *)r->out)->doubled = v ? 2 * v->integer : 0;
}

static void doubled_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	jw_put_int(w, m->name.at, ((const struct car *)from)->doubled / 2);
}

static void car_check(const struct shape_reading *r)
{
	const struct car *c = r->out;

	if (c->old && c->seats > 2) wrong(r->check, r->at, "old ones have two seats");
}

static const char *const sizes[] = { [SIZE_SMALL] = "small", [SIZE_LARGE] = "large" };
static const char *const sides[] = { "right", "left" };
static const char *const colours[] = { "red", NULL, "green", "blue" };

static const struct shape_member wheel_members[] = {
	{ STR("name"), OF_TEXT, AT(wheel, name), 1, 10, TEXT_LINE | TEXT_NEEDED },
	{ STR("inches"), OF_NUMBER, AT(wheel, inches), 10, 30, .otherwise = 16 },
};
static const struct shape wheel_shape = { SHAPE(wheel_members, wheel) };

static const struct shape_member spare_members[] = {
	{ STR("name"), OF_TEXT, AT(wheel, name), 1, 10, TEXT_LINE },
	{ STR("inches"), OF_NUMBER, AT(wheel, inches), 10, 30, .otherwise = 16 },
};
static const struct shape spare_shape = { SHAPE(spare_members, wheel) };

static const struct shape_member car_members[] = {
	{ STR("name"), OF_NAME, AT(car, name), 1, 9, TEXT_NEEDED | SHAPE_FIXED,
		"must be {least} to {most} small letters", .fits = lower },
	{ STR("note"), OF_TEXT, AT(car, note), 0, 5, SHAPE_BARE },
	{ STR("owner"), OF_TEXT, AT(car, owner), 0, 5, TEXT_LINE | SHAPE_SPARE },
	{ STR("seats"), OF_NUMBER, AT(car, seats), 1, 9, .otherwise = 4 },
	{ STR("old"), OF_BOOL, AT(car, old) },
	{ STR("steers"), OF_EITHER, AT(car, left), WORDS(sides) },
	{ STR("size"), OF_WORD, AT(car, size), WORDS(sizes) },
	{ STR("range"), OF_SPAN, AT(car, range_ms), 1000, 86400000 },
	{ STR("sold"), OF_TIME, AT(car, sold_ms) },
	{ STR("colours"), OF_WORDS, AT(car, colours), .most = 3, WORDS(colours) },
	{ STR("tags"), OF_TEXTS, ALL(car, tags), .most = 2, .fits = lower,
		.must = "at most {most}", .each = "{value} is no tag" },
	{ STR("spare"), OF_OBJECT, AT(car, spare), .of = &spare_shape },
	{ STR("wheels"), OF_LIST, ALL(car, wheels), .least = 1, .most = 4,
		.of = &wheel_shape },
	{ STR("trailer"), OF_OBJECT, AT(car, trailer), .has_at = AT(car, has_trailer),
		.of = &wheel_shape },
	{ STR("doubled"), OF_OWN, .read = doubled_read, .write = doubled_write },
	{ STR("secret"), OF_TEXT, AT(car, owner), 0, 5, SHAPE_UNSAID },
};
static const struct shape car_shape = { SHAPE(car_members, car), .together = car_check };

static enum err take(const char *body, struct car *out, struct fault *why)
{
	*out = (struct car){ 0 };
	return shape_take(&car_shape, kit_json(body), NULL, &kit, out, why);
}

static const char *written(const struct car *c)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	shape_write(&w, &car_shape, c);
	return kit_text(buf_keep_done(&b, &kit));
}

static void every_type_is_read_and_written_back(void **state)
{
	const char *body =
		"{'name':'vw','note':'n','owner':'me','seats':2,'old':true,'steers':'left',"
		"'size':'large','range':'90m','sold':'2026-11-17T10:00:00.000Z',"
		"'colours':['red','blue'],'tags':['a','b'],'spare':{'name':'s','inches':12},"
		"'wheels':[{'name':'w','inches':10}],'trailer':{'name':'t','inches':20},"
		"'doubled':21}";
	struct car c;

	(void)state;
	assert_int_equal(take(body, &c, NULL), OK);
	assert_int_equal(c.colours, 1u | 1u << 3);
	assert_int_equal(c.range_ms, 90 * 60 * 1000);
	assert_int_equal(c.doubled, 42);
	assert_true(c.left && c.has_trailer && c.size == SIZE_LARGE);
	kit_same("written", str_of(written(&c)), body);
}

static void what_is_absent_is_as_usual(void **state)
{
	struct car c;

	(void)state;
	assert_int_equal(take("{'name':'vw','size':null}", &c, NULL), OK);
	kit_same("written", str_of(written(&c)),
		"{'name':'vw','note':'','seats':4,'old':false,'steers':'right','size':null,"
		"'range':null,'sold':null,'colours':null,'tags':[],"
		"'spare':{'name':null,'inches':16},'wheels':null,'trailer':null,'doubled':0}");
}

static void every_fault_has_its_pointer(void **state)
{
	struct fault why = { 0 };
	struct car c;

	(void)state;
	assert_int_equal(
		take("{'name':'VW','note':'123456','seats':10,'old':1,'steers':'up',"
		     "'size':'huge','tags':['Z','b']}",
			&c, &why),
		ERR_INVALID);
	kit_item("name", &why, "/name", "must be 1 to 9 small letters");
	kit_item("note", &why, "/note", "must have at most 5 characters");
	kit_item("seats", &why, "/seats", "must be a whole number from 1 to 9");
	kit_item("old", &why, "/old", "must be true or false");
	kit_item("steers", &why, "/steers", "must be right or left");
	kit_item("size", &why, "/size", "must be small or large");
	kit_item("tag", &why, "/tags/0", "Z is no tag");
	why = (struct fault){ 0 };
	assert_int_equal(
		take("{'name':'vw','range':'2s ago','sold':'soon','colours':['pink'],"
		     "'tags':['a','b','c'],'spare':7,'wheels':[],'doubled':1.5}",
			&c, &why),
		ERR_INVALID);
	kit_item("range", &why, "/range", "must be a duration");
	kit_item("sold", &why, "/sold", "must be a time (RFC 3339)");
	kit_item("colour", &why, "/colours/0", "must be red, green or blue");
	kit_item("tags", &why, "/tags", "at most 2");
	kit_item("spare", &why, "/spare", "must be an object");
	kit_item("wheels", &why, "/wheels", "must be an array");
	kit_item("doubled", &why, "/doubled", "whole only");
	why = (struct fault){ 0 };
	assert_int_equal(take("{'name':'vw','old':true,'seats':3,'zz':1,"
			      "'wheels':[{'inches':9}]}",
				 &c, &why),
		ERR_INVALID);
	kit_item("unknown", &why, "/zz", "unknown member");
	kit_item("wheel", &why, "/wheels/0/name", "required");
	kit_item("wheel", &why, "/wheels/0/inches", "from 10 to 30");
	kit_item("together", &why, "", "old ones have two seats");
	why = (struct fault){ 0 };
	assert_int_equal(take("[]", &c, &why), ERR_INVALID);
	kit_item("array", &why, "", "must be an object");
}

static void a_patch_is_laid_over_what_is_kept(void **state)
{
	struct fault why = { 0 };
	struct str before, after;
	struct car c;

	(void)state;
	assert_int_equal(
		shape_keep(&car_shape, kit_json("{'name':'vw','note':'n','seats':3}"),
			STR_NONE, NULL, &kit, &before, NULL, &why),
		OK);
	assert_int_equal(shape_keep(&car_shape, kit_json("{'note':null,'size':'small'}"),
				 before, NULL, &kit, &after, &c, &why),
		OK);
	assert_int_equal(c.seats, 3);
	assert_int_equal(c.size, SIZE_SMALL);
	assert_int_equal(c.note.len, 0);
	assert_int_equal(shape_load(&car_shape, after, &kit, &c, "damaged", &why), OK);
	assert_int_equal(c.seats, 3);
	assert_int_equal(shape_keep(&car_shape, kit_json("{'name':'bmw'}"), before, NULL,
				 &kit, &after, NULL, &why),
		ERR_INVALID);
	kit_item("fixed", &why, "/name", "cannot be changed");
	assert_int_equal(shape_load(&car_shape, STR("{}"), &kit, &c, "damaged", &why),
		ERR_INTERNAL);
	assert_string_equal(why.detail, "damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(every_type_is_read_and_written_back),
		KIT_TEST(what_is_absent_is_as_usual),
		KIT_TEST(every_fault_has_its_pointer),
		KIT_TEST(a_patch_is_laid_over_what_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
