/* json_schema.c - does a value fit a schema, and if not, what would? In bounded time, whatever the schema
 * refers to. */
#include "base/keep.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "core/shared/json_schema_inner.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	STEPS_MAX = 1000 * 1000, /* of one value */
	NEST_MAX = 160,		 /* schemas under way, references among them */
	SHOWN = 200,		 /* bytes of what is allowed */
};

struct fitting {
	const struct json *root;
	const struct json_schema_rules *rules;
	struct arena *arena;
	struct json_miss *miss; /* NULL: nobody asks */
	int steps, nest;
};

static bool fits(struct fitting *, const struct json *schema, const struct json *value,
	const struct json_place *);

/* ---- saying what is wrong ---- */

static void pointer_write(struct buf *out, const struct json_place *at)
{
	if (!at->up) return;
	pointer_write(out, at->up);
	buf_add_char(out, '/');
	if (!at->name.at) buf_print(out, "%zu", at->index);
	for (size_t i = 0; i < at->name.len && i < 100; i++)
		if (at->name.at[i] == '~' || at->name.at[i] == '/')
			buf_add_text(out, at->name.at[i] == '~' ? "~0" : "~1");
		else
			buf_add_char(out, at->name.at[i]);
}

__attribute__((format(printf, 3, 4))) static bool misses(
	struct fitting *f, const struct json_place *at, const char *format, ...)
{
	struct buf pointer = { .max = 4096 };
	char must[1024];
	va_list args;

	if (!f->miss || f->miss->must.len) return false;
	va_start(args, format);
	vsnprintf(must, sizeof must, format, args);
	va_end(args);
	pointer_write(&pointer, at);
	f->miss->at = buf_keep_done(&pointer, f->arena);
	f->miss->must = arena_str(f->arena, str_of(must));
	return false;
}

/* A value as JSON, its beginning. */
static struct str shown(struct fitting *f, const struct json *v)
{
	struct buf b = { .max = JSON_SCHEMA_MAX };

	if (f->miss) json_write(&b, v);
	return utf8_fit(buf_keep_done(&b, f->arena), SHOWN);
}

/* ---- type, enum, const ---- */

static const struct {
	const char *name, *words;
	unsigned type;
} types[] = { { "null", "null", TYPES_NULL },
	{ "boolean", "true or false", TYPES_BOOLEAN },
	{ "number", "a number", TYPES_NUMBER },
	{ "integer", "a whole number", TYPES_INTEGER },
	{ "string", "a string", TYPES_STRING }, { "array", "an array", TYPES_ARRAY },
	{ "object", "an object", TYPES_OBJECT } };

unsigned json_schema_type(struct str name)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_is(name, types[i].name)) return types[i].type;
	return TYPES_NONE;
}

static unsigned types_of(const struct json *v)
{
	static const unsigned of[] = { [JSON_NULL] = TYPES_NULL,
		[JSON_FALSE] = TYPES_BOOLEAN,
		[JSON_TRUE] = TYPES_BOOLEAN,
		[JSON_NUMBER] = TYPES_NUMBER,
		[JSON_STRING] = TYPES_STRING,
		[JSON_ARRAY] = TYPES_ARRAY,
		[JSON_OBJECT] = TYPES_OBJECT };
	bool whole = v->type == JSON_NUMBER &&
		     (v->is_int || floor(json_real(v)) == json_real(v));

	return of[v->type] | (whole ? TYPES_INTEGER : 0u);
}

static bool type_fits(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *type = json_get(schema, "type");
	unsigned allowed = json_schema_type(json_text(type));
	struct buf words = { .max = 512 };

	if (!type) return true;
	for (uint32_t i = 0; type->type == JSON_ARRAY && i < type->count; i++)
		allowed |= json_schema_type(type->items[i].text);
	if (allowed & types_of(value)) return true;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (allowed & types[i].type)
			buf_print(
				&words, "%s%s", words.len ? " or " : "", types[i].words);
	misses(f, at, "must be %.*s", STR_ARGS(buf_str(&words)));
	buf_done(&words);
	return false;
}

static bool values_fit(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *all = json_get(schema, "enum"),
			  *one = json_get(schema, "const");
	bool found = all == NULL;

	for (uint32_t i = 0; all && !found && i < all->count; i++)
		found = json_equal(&all->items[i], value);
	if (!found) {
		struct str list = shown(f, all);

		return misses(f, at, "must be one of %.*s%s", STR_ARGS(list),
			list.len + 3 > SHOWN ? "…" : "");
	}
	if (one && !json_equal(one, value))
		return misses(f, at, "must be %.*s", STR_ARGS(shown(f, one)));
	return true;
}

/* ---- numbers and lengths ---- */

static bool multiple(double value, double of)
{
	double quotient = value / of, near = round(quotient);

	if (!(fabs(quotient) < 0x1p52)) return fmod(value, of) == 0;
	return fabs(quotient - near) <= 4 * DBL_EPSILON * fabs(quotient);
}

/* Between two keywords: how many of what. */
static bool range_fits(struct fitting *f, const struct json *schema, double n,
	const char *least_name, const char *most_name, const char *unit,
	const struct json_place *at)
{
	const struct json *least = json_get(schema, least_name),
			  *most = json_get(schema, most_name);
	const char *verb = *unit ? "have" : "be";

	if ((!least || n >= json_real(least)) && (!most || n <= json_real(most)))
		return true;
	if (least && most)
		return misses(f, at, "must %s %.*s to %.*s%s", verb,
			STR_ARGS(least->text), STR_ARGS(most->text), unit);
	return misses(f, at, "must %s at %s %.*s%s", verb, least ? "least" : "most",
		STR_ARGS((least ? least : most)->text), unit);
}

static bool number_fits(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *of = json_get(schema, "multipleOf");
	bool exact = of && of->is_int && value->is_int;

	if (!range_fits(f, schema, json_real(value), "minimum", "maximum", "", at))
		return false;
	if (!of || (exact ? value->integer % of->integer == 0
			  : multiple(json_real(value), json_real(of))))
		return true;
	return misses(f, at, "must be a multiple of %.*s", STR_ARGS(of->text));
}

static bool string_fits(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	struct str pattern = json_text(json_get(schema, "pattern"));
	enum regex_fit fit = REGEX_COSTS;
	struct regex *r;

	if ((json_get(schema, "minLength") || json_get(schema, "maxLength")) &&
		!range_fits(f, schema, (double)utf8_count(value->text), "minLength",
			"maxLength", " characters", at))
		return false;
	if (!json_get(schema, "pattern")) return true;
	r = regex_new(pattern, NULL);
	if (r) fit = regex_try(r, value->text);
	regex_free(r);
	f->steps += (int)(value->text.len / 16);
	if (fit == REGEX_FITS) return true;
	return misses(f, at,
		fit == REGEX_COSTS ? "takes too long to compare with %.*s"
				   : "must match %.*s",
		STR_ARGS(utf8_fit(pattern, SHOWN)));
}

/* ---- arrays ---- */

static int text_order(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static bool unique(struct fitting *f, const struct json *value)
{
	struct arena arena = { 0 };
	struct str *texts = ARENA_ARRAY(&arena, struct str, value->count + 1);
	bool differ = texts != NULL;

	for (uint32_t i = 0; differ && i < value->count; i++) {
		struct buf b = { 0 };

		json_canonical(&b, &value->items[i]);
		texts[i] = buf_keep_done(&b, &arena);
	}
	differ = differ && !arena.failed;
	if (differ) qsort(texts, value->count, sizeof *texts, text_order);
	for (uint32_t i = 1; differ && i < value->count; i++)
		differ = !str_eq(texts[i - 1], texts[i]);
	f->steps += (int)value->count;
	arena_done(&arena);
	return differ;
}

static bool array_fits(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *prefix = json_get(schema, "prefixItems"),
			  *items = json_get(schema, "items");
	uint32_t before = prefix ? prefix->count : 0;

	if (!range_fits(f, schema, value->count, "minItems", "maxItems", " items", at))
		return false;
	if (json_is(json_get(schema, "uniqueItems"), JSON_TRUE) && !unique(f, value))
		return misses(f, at, "must have no two equal items");
	for (uint32_t i = 0; (prefix || items) && i < value->count; i++) {
		const struct json *of = i < before ? &prefix->items[i] : items;
		struct json_place item = place_item(at, i);

		if (of && !fits(f, of, &value->items[i], &item)) return false;
	}
	return true;
}

/* ---- objects ---- */

static bool there(const struct fitting *f, const struct json *value)
{
	return value && !(f->rules && f->rules->nulls && value->type == JSON_NULL);
}

/* "a, b": what else it may have. */
static struct str names_shown(struct fitting *f, const struct json *properties)
{
	struct buf b = { .max = 4096 };

	for (uint32_t i = 0; f->miss && properties && i < properties->count; i++)
		if (b.len < SHOWN)
			buf_print(&b, "%s%.*s", b.len ? ", " : "; there are: ",
				STR_ARGS(properties->members[i].name));
	return buf_keep_done(&b, f->arena);
}

static bool members_fit(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *properties = json_get(schema, "properties"),
			  *others = json_get(schema, "additionalProperties");

	for (uint32_t i = 0; (properties || others) && i < value->count; i++) {
		const struct json_member *m = &value->members[i];
		const struct json *own = json_get_str(properties, m->name);
		struct json_place member = place_member(at, m->name);

		if (!there(f, &m->value)) continue;
		if (!own && json_is(others, JSON_FALSE))
			return misses(f, &member, "is not allowed%.*s",
				STR_ARGS(names_shown(f, properties)));
		if (!own) own = others;
		if (own && !fits(f, own, &m->value, &member)) return false;
	}
	return true;
}

static bool object_fits(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *required = json_get(schema, "required");

	for (uint32_t i = 0; required && i < required->count; i++) {
		struct json_place member = place_member(at, required->items[i].text);

		if (!there(f, json_get_str(value, required->items[i].text)))
			return misses(f, &member, "is required");
	}
	return range_fits(f, schema, value->count, "minProperties", "maxProperties",
		       " members", at) &&
	       members_fit(f, schema, value, at);
}

/* ---- schemas of schemas ---- */

/* How many of these fit; what is wrong is not told. */
static uint32_t count_fits(struct fitting *f, const struct json *all,
	const struct json *value, const struct json_place *at, uint32_t enough)
{
	struct json_miss *miss = f->miss;
	uint32_t n = 0;

	f->miss = NULL;
	for (uint32_t i = 0; i < all->count && n < enough; i++)
		n += fits(f, &all->items[i], value, at);
	f->miss = miss;
	return n;
}

static bool combined_fit(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	const struct json *all = json_get(schema, "allOf"),
			  *any = json_get(schema, "anyOf"),
			  *one = json_get(schema, "oneOf"),
			  *none = json_get(schema, "not"),
			  *ref = json_get(schema, "$ref");
	struct json_miss *miss = f->miss;
	uint32_t n;
	bool fit;

	if (ref && !fits(f, json_schema_ref(f->root, ref->text), value, at)) return false;
	for (uint32_t i = 0; all && i < all->count; i++)
		if (!fits(f, &all->items[i], value, at)) return false;
	if (any && !count_fits(f, any, value, at, 1)) {
		if (any->count == 1) return fits(f, &any->items[0], value, at);
		return misses(f, at, "must fit one of %.*s", STR_ARGS(shown(f, any)));
	}
	n = one ? count_fits(f, one, value, at, 2) : 1;
	if (n != 1)
		return misses(f, at, "%s %.*s",
			n ? "must fit only one of" : "must fit one of",
			STR_ARGS(shown(f, one)));
	if (!none) return true;
	f->miss = NULL;
	fit = fits(f, none, value, at);
	f->miss = miss;
	return !fit || misses(f, at, "must not fit %.*s", STR_ARGS(shown(f, none)));
}

static bool own_fit(struct fitting *f, const struct json *schema,
	const struct json *value, const struct json_place *at)
{
	switch (value->type) {
	case JSON_NUMBER: return number_fits(f, schema, value, at);
	case JSON_STRING: return string_fits(f, schema, value, at);
	case JSON_ARRAY: return array_fits(f, schema, value, at);
	case JSON_OBJECT: return object_fits(f, schema, value, at);
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE: break;
	}
	return true;
}

static bool fits(struct fitting *f, const struct json *schema, const struct json *value,
	const struct json_place *at)
{
	bool fit;

	if (json_is(schema, JSON_TRUE)) return true;
	if (json_is(schema, JSON_FALSE)) return misses(f, at, "is not allowed");
	if (!json_is(schema, JSON_OBJECT) || f->nest >= NEST_MAX ||
		++f->steps > STEPS_MAX) {
		f->steps = STEPS_MAX; /* whatever an alternative says: it is given up */
		return misses(f, at, "takes too long to check");
	}
	f->nest++;
	fit = type_fits(f, schema, value, at) && values_fit(f, schema, value, at) &&
	      own_fit(f, schema, value, at) && combined_fit(f, schema, value, at);
	f->nest--;
	return fit;
}

bool json_schema_fits(const struct json *schema, const struct json *value,
	const struct json_schema_rules *rules, struct arena *arena,
	struct json_miss *miss)
{
	struct fitting f = { schema, rules, arena, miss, 0, 0 };
	const struct json_place root = place_root("");
	bool fit;

	*miss = (struct json_miss){ 0 };
	fit = fits(&f, schema, value, &root) && f.steps < STEPS_MAX;
	if (!fit && !miss->must.len) miss->must = STR("takes too long to check");
	return fit;
}
