/* argument_test.c - reads tests of arguments, and applies them. */
#include "core/policy/argument_test.h"

#include "core/policy/subject.h"
#include "core/shared/body.h"
#include "core/shared/glob.h"

enum { IN_MAX = 100, POINTER_MAX = 200 };

enum { T_IS, T_IN, T_GLOB, T_UNDER, T_HOST, T_MIN, T_MAX, T_HAS, T_LEN };

static const char *const names[T_LEN] = {
	[T_IS] = "is",
	[T_IN] = "in",
	[T_GLOB] = "glob",
	[T_UNDER] = "under",
	[T_HOST] = "host",
	[T_MIN] = "min",
	[T_MAX] = "max",
	[T_HAS] = "has",
};

/* ---- pointers ---- */

static bool pointer_valid(struct str p)
{
	if (p.len > 0 && p.at[0] != '/') return false;
	for (size_t i = 0; i < p.len; i++)
		if (p.at[i] == '~' &&
			(i + 1 == p.len || (p.at[i + 1] != '0' && p.at[i + 1] != '1')))
			return false;
	return true;
}

/* A member's name against a part of a pointer, whose ~1 is / and ~0 is ~. */
static bool part_is(struct str part, struct str name)
{
	size_t n = 0;

	for (size_t i = 0; i < part.len; i++, n++) {
		char c = part.at[i];

		if (c == '~') c = part.at[++i] == '1' ? '/' : '~';
		if (n >= name.len || name.at[n] != c) return false;
	}
	return n == name.len;
}

static const struct json *child_of(const struct json *v, struct str part)
{
	int64_t index;

	if (v->type == JSON_OBJECT) {
		for (uint32_t i = 0; i < v->count; i++)
			if (part_is(part, v->members[i].name))
				return &v->members[i].value;
		return NULL;
	}
	if (v->type != JSON_ARRAY || part.len == 0 ||
		(part.len > 1 && part.at[0] == '0') ||
		!str_to_int(part, 0, (int64_t)v->count - 1, &index))
		return NULL;
	return &v->items[index];
}

const struct json *argument_at(const struct json *v, struct str pointer)
{
	while (v && pointer.len > 0) {
		size_t end = 1;

		while (end < pointer.len && pointer.at[end] != '/')
			end++;
		v = child_of(v, str_make(pointer.at + 1, end - 1));
		pointer = str_from(pointer, end);
	}
	return v;
}

/* ---- reading ---- */

struct reading {
	struct check *check;
	const struct json_place *at;
	struct arena *arena;
	struct argument_test *out;
};

static void bound_read(struct reading *r, int which, const struct json *v)
{
	if (v->type != JSON_NUMBER)
		wrong_member(r->check, r->at, str_of(names[which]), "must be a number");
	else if (which == T_MIN)
		r->out->min = v;
	else
		r->out->max = v;
	r->out->kind = ARGUMENT_RANGE;
}

static void under_read(struct reading *r, struct str path)
{
	r->out->text = path_normal(path, r->arena);
	if (str_starts(path, "~") || str_is(r->out->text, "..") ||
		str_starts(r->out->text, "../"))
		wrong_member(r->check, r->at, STR("under"),
			"never matches: write the whole path, without ~ and ..");
}

static void host_read(struct reading *r, struct str host)
{
	r->out->text = host;
	if (!host_pattern_valid(host))
		wrong_member(r->check, r->at, STR("host"),
			"must be a host in small letters (example.com), or *. and a host");
}

static void value_read(struct reading *r, int which, const struct json *v)
{
	struct str name = str_of(names[which]), text;

	switch (which) {
	case T_IS: r->out->kind = ARGUMENT_IS, r->out->value = v; return;
	case T_HAS: r->out->kind = ARGUMENT_HAS, r->out->value = v; return;
	case T_IN:
		r->out->kind = ARGUMENT_IN, r->out->value = v;
		if (v->type != JSON_ARRAY || v->count == 0 || v->count > IN_MAX)
			wrong_member(r->check, r->at, name,
				"must be an array of 1 to %d values", IN_MAX);
		return;
	case T_MIN:
	case T_MAX: bound_read(r, which, v); return;
	default: break;
	}
	r->out->kind = which == T_GLOB	  ? ARGUMENT_GLOB
		       : which == T_UNDER ? ARGUMENT_UNDER
					  : ARGUMENT_HOST;
	text = text_read(r->check, r->at, name, v, TOOL_PATTERN_MAX,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	if (!text.len) return;
	if (which == T_GLOB)
		r->out->text = text;
	else if (which == T_UNDER)
		under_read(r, text);
	else
		host_read(r, text);
}

static double number_of(const struct json *v)
{
	return v->is_int ? (double)v->integer : v->real;
}

static int number_cmp(const struct json *a, const struct json *b)
{
	if (a->is_int && b->is_int)
		return (a->integer > b->integer) - (a->integer < b->integer);
	double x = number_of(a), y = number_of(b);
	return (x > y) - (x < y);
}

static void test_read(struct reading *r, const struct json *v)
{
	unsigned seen = 0;

	if (!json_is(v, JSON_OBJECT)) {
		wrong(r->check, r->at, "must be an object such as {\"is\": \"main\"}");
		return;
	}
	for (uint32_t i = 0; i < v->count; i++) {
		int which = name_find(names, T_LEN, v->members[i].name);

		if (which < 0) {
			wrong_member(r->check, r->at, v->members[i].name,
				"must be is, in, glob, under, host, min, max or has");
			continue;
		}
		seen |= 1u << which;
		value_read(r, which, &v->members[i].value);
	}
	if (seen == 0 || ((seen & (seen - 1)) && seen != (1u << T_MIN | 1u << T_MAX)))
		wrong(r->check, r->at,
			"must have one of is, in, glob, under, host, min/max and has");
	if (r->out->min && r->out->max && number_cmp(r->out->min, r->out->max) > 0)
		wrong_member(r->check, r->at, STR("min"),
			"never matches: min is greater than max");
}

void argument_tests_read(struct check *c, const struct json_place *at,
	const struct json *v, struct arena *arena, struct argument_test **out,
	size_t *len)
{
	struct argument_test *tests;

	if (!json_is(v, JSON_OBJECT)) {
		wrong(c, at, "must be an object: JSON pointers and their tests");
		return;
	}
	if (v->count > ARGUMENT_TESTS_MAX)
		wrong(c, at, "must have at most %d pointers", ARGUMENT_TESTS_MAX);
	tests = ARENA_ARRAY(arena, struct argument_test, v->count ? v->count : 1);
	for (uint32_t i = 0; tests && i < v->count; i++) {
		struct str pointer = v->members[i].name;
		struct json_place spot = place_member(at, pointer);
		struct reading r = { c, &spot, arena, &tests[i] };

		tests[i].pointer = pointer;
		if (!pointer_valid(pointer) || text_longer(pointer, POINTER_MAX))
			wrong(c, &spot,
				"must be named by a JSON pointer such as /branch, of at "
				"most %d characters",
				POINTER_MAX);
		test_read(&r, &v->members[i].value);
	}
	if (!tests) return;
	*out = tests;
	*len = v->count;
}

/* ---- applying ---- */

static enum fit doubtful(enum doubt why, enum doubt *out)
{
	if (out) *out = why;
	return FIT_DOUBT;
}

static enum fit sure(bool fits)
{
	return fits ? FIT_YES : FIT_NO;
}

static bool same_type(const struct json *a, const struct json *b)
{
	return a->type == b->type || (json_is_bool(a) && json_is_bool(b));
}

static enum fit is_fit(const struct json *want, const struct json *v, enum doubt *doubt)
{
	if (!same_type(want, v)) return doubtful(DOUBT_TYPE, doubt);
	return sure(json_equal(want, v));
}

static enum fit in_fit(const struct json *list, const struct json *v, enum doubt *doubt)
{
	enum fit best = FIT_DOUBT;

	for (uint32_t i = 0; i < list->count; i++) {
		if (!same_type(&list->items[i], v)) continue;
		if (json_equal(&list->items[i], v)) return FIT_YES;
		best = FIT_NO;
	}
	return best == FIT_DOUBT ? doubtful(DOUBT_TYPE, doubt) : FIT_NO;
}

static enum fit has_fit(const struct json *want, const struct json *v, enum doubt *doubt)
{
	if (v->type == JSON_OBJECT && want->type == JSON_STRING)
		return sure(json_get_str(v, want->text) != NULL);
	if (v->type != JSON_ARRAY) return doubtful(DOUBT_TYPE, doubt);
	for (uint32_t i = 0; i < v->count; i++)
		if (json_equal(want, &v->items[i])) return FIT_YES;
	return FIT_NO;
}

static enum fit under_fit(
	struct str folder, struct str path, struct arena *arena, enum doubt *doubt)
{
	struct str normal = path_normal(path, arena);
	bool rooted = folder.at[0] == '/';

	if (!normal.len) return doubtful(DOUBT_MEMORY, doubt);
	if (str_starts(path, "~")) return doubtful(DOUBT_HOME, doubt);
	if (rooted != (normal.at[0] == '/')) return doubtful(DOUBT_RELATIVE, doubt);
	if (str_is(normal, "..") || str_starts(normal, "../"))
		return doubtful(DOUBT_PARENT, doubt);
	if (folder.len == 1) return FIT_YES; /* "/" and "." */
	return sure(str_eq(str_first(normal, folder.len), folder) &&
		    (normal.len == folder.len || normal.at[folder.len] == '/'));
}

static enum fit text_fit(const struct argument_test *t, const struct json *v,
	struct arena *arena, enum doubt *doubt)
{
	if (v->type != JSON_STRING) return doubtful(DOUBT_TYPE, doubt);
	if (t->kind == ARGUMENT_GLOB) return sure(glob_fits(t->text, v->text));
	if (t->kind == ARGUMENT_UNDER) return under_fit(t->text, v->text, arena, doubt);
	struct str host = host_of(v->text, arena);

	if (!host.len) return doubtful(DOUBT_ADDRESS, doubt);
	return sure(host_fits(t->text, host));
}

enum fit argument_test_fit(const struct argument_test *t, const struct json *arguments,
	struct arena *arena, enum doubt *doubt)
{
	const struct json *v = argument_at(arguments, t->pointer);

	if (!v) return doubtful(DOUBT_ABSENT, doubt);
	switch (t->kind) {
	case ARGUMENT_IS: return is_fit(t->value, v, doubt);
	case ARGUMENT_IN: return in_fit(t->value, v, doubt);
	case ARGUMENT_HAS: return has_fit(t->value, v, doubt);
	case ARGUMENT_RANGE:
		if (v->type != JSON_NUMBER) return doubtful(DOUBT_TYPE, doubt);
		return sure((!t->min || number_cmp(v, t->min) >= 0) &&
			    (!t->max || number_cmp(v, t->max) <= 0));
	case ARGUMENT_GLOB:
	case ARGUMENT_UNDER:
	case ARGUMENT_HOST: break;
	}
	return text_fit(t, v, arena, doubt);
}

static bool optional_equal(const struct json *a, const struct json *b)
{
	return a == b || (a && b && json_equal(a, b));
}

bool argument_tests_equal(const struct argument_test *a, const struct argument_test *b)
{
	return a->kind == b->kind && str_eq(a->pointer, b->pointer) &&
	       str_eq(a->text, b->text) && optional_equal(a->value, b->value) &&
	       optional_equal(a->min, b->min) && optional_equal(a->max, b->max);
}
