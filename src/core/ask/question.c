/* question.c - reads and checks one question. Its type is a row of question_kind.c. */
#include "core/ask/question.h"

#include "core/ask/draft.h"
#include "core/ask/question_kind.h"
#include "core/ask/reply.h"
#include "core/shared/body.h"

enum question_member {
	M_KEY,
	M_HEADER,
	M_TEXT,
	M_TYPE,
	M_OPTIONS,
	M_OTHER,
	M_NOTE,
	M_REQUIRED,
	M_PLACEHOLDER,
	M_FORMAT,
	M_MIN,
	M_MAX,
	M_INTEGER,
	M_SUGGESTED,
	M_PREFILL,
	M_LEN,
};

/* Flat, a question's text is the member "question" of the ask. */
#define NAMES(text_name)                                                                 \
	{                                                                                \
		[M_KEY] = STR("key"), [M_HEADER] = STR("header"),                        \
		[M_TEXT] = STR(text_name), [M_TYPE] = STR("type"),                       \
		[M_OPTIONS] = STR("options"), [M_OTHER] = STR("other"),                  \
		[M_NOTE] = STR("note"), [M_REQUIRED] = STR("required"),                  \
		[M_PLACEHOLDER] = STR("placeholder"), [M_FORMAT] = STR("format"),        \
		[M_MIN] = STR("min"), [M_MAX] = STR("max"),                              \
		[M_INTEGER] = STR("integer"), [M_SUGGESTED] = STR("suggested"),          \
		[M_PREFILL] = STR("prefill"),                                            \
	}

static const struct str names[M_LEN] = NAMES("text");
static const struct str flat_names[M_LEN] = NAMES("question");
const struct members flat_question_members = { flat_names, M_LEN };

enum option_member { O_ID, O_LABEL, O_DESCRIPTION, O_PREVIEW, O_LEN };

static const struct str option_names[O_LEN] = {
	[O_ID] = STR("id"),
	[O_LABEL] = STR("label"),
	[O_DESCRIPTION] = STR("description"),
	[O_PREVIEW] = STR("preview"),
};
static const struct members option_members = { option_names, O_LEN };

enum note_member { N_PLACEHOLDER, N_REQUIRED, N_LEN };

static const struct str note_names[N_LEN] = {
	[N_PLACEHOLDER] = STR("placeholder"),
	[N_REQUIRED] = STR("required"),
};
static const struct members note_members = { note_names, N_LEN };

/* One question being read. */
struct question_reading {
	struct check *check;
	const struct json_place *at;
	const struct str *names;
	const struct json *m[M_LEN];
};

static struct str text_of(
	struct question_reading *r, enum question_member m, size_t max, unsigned shape)
{
	return text_read(r->check, r->at, r->names[m], r->m[m], max, shape);
}

static void read_type(struct question_reading *r, struct arena *arena, struct question *q)
{
	q->type = r->m[M_OPTIONS] ? Q_CHOICE : Q_TEXT;
	if (r->m[M_TYPE] && !question_type_read(json_text(r->m[M_TYPE]), &q->type))
		wrong_member(r->check, r->at, names[M_TYPE], "must be %.*s",
			STR_ARGS(question_types(arena)));
}

/* An option may be just its label. */
static void option_read(struct check *c, const struct json_place *at,
	const struct json *json, struct option *out)
{
	const struct json *m[O_LEN] = { 0 };

	if (json->type == JSON_STRING)
		m[O_LABEL] = json;
	else if (!members_read(c, at, json, &option_members, NULL, m))
		return;
	out->label = text_read(c, at, option_names[O_LABEL], m[O_LABEL], LABEL_MAX,
		TEXT_NEEDED | TEXT_FILLED | TEXT_LINE);
	out->id = text_read(
		c, at, option_names[O_ID], m[O_ID], LABEL_MAX, TEXT_FILLED | TEXT_LINE);
	if (!m[O_ID]) out->id = out->label;
	text_read(c, at, option_names[O_DESCRIPTION], m[O_DESCRIPTION], DESCRIPTION_MAX,
		TEXT_FREE);
	text_read(c, at, option_names[O_PREVIEW], m[O_PREVIEW], PREVIEW_MAX, TEXT_FREE);
}

static bool option_known(const struct question *q, struct str id)
{
	for (size_t i = 0; i < q->options_len; i++)
		if (str_eq(q->options[i].id, id)) return true;
	return false;
}

/* Told where the id came from: its own member, the label, or the bare text. */
static void option_wrong(struct check *c, const struct json_place *at,
	const struct json *json, const struct option *o)
{
	struct str name = json_get(json, "id") ? STR("id") : STR("label");
	struct json_place member = place_member(at, name);

	wrong(c, json->type == JSON_OBJECT ? &member : at,
		"another option has the id \"%.*s\"", STR_ARGS(text_excerpt(o->id)));
}

void options_check(struct check *c, const struct json_place *at, const struct json *list,
	struct arena *arena, struct question *q)
{
	if (!json_is(list, JSON_ARRAY) || list->count < 1 || list->count > OPTIONS_MAX) {
		wrong(c, at, "must be 1 to %d options", OPTIONS_MAX);
		return;
	}
	q->options = ARENA_ARRAY(arena, struct option, list->count);
	if (!q->options) return;
	for (uint32_t i = 0; i < list->count; i++) {
		struct option *o = &q->options[i];
		struct json_place item = place_item(at, i);

		option_read(c, &item, &list->items[i], o);
		if (o->id.len && option_known(q, o->id))
			option_wrong(c, &item, &list->items[i], o);
		q->options_len++;
	}
}

static void read_options(
	struct question_reading *r, struct arena *arena, struct question *q)
{
	const struct json *list = r->m[M_OPTIONS];
	struct json_place at = place_member(r->at, names[M_OPTIONS]);

	if (question_has_options(q))
		options_check(r->check, &at, list, arena, q);
	else if (list)
		wrong(r->check, &at, "only for type choice or choices");
}

/* `true`, or {placeholder?, required?}. */
static void read_note(struct question_reading *r, struct question *q)
{
	const struct json *note = r->m[M_NOTE], *m[N_LEN];
	struct json_place at = place_member(r->at, names[M_NOTE]);

	if (!note || note->type == JSON_FALSE) return;
	if (!question_kind(q)->note) {
		wrong(r->check, &at, "not for type %s", question_kind(q)->name);
		return;
	}
	q->note = true;
	if (note->type == JSON_TRUE) return;
	if (!members_read(r->check, &at, note, &note_members, NULL, m)) return;
	text_read(r->check, &at, note_names[N_PLACEHOLDER], m[N_PLACEHOLDER],
		PLACEHOLDER_MAX, TEXT_FREE);
	q->note_required =
		flag_read(r->check, &at, note_names[N_REQUIRED], m[N_REQUIRED], false);
}

static void read_other(struct question_reading *r, struct question *q)
{
	q->other = flag_read(r->check, r->at, names[M_OTHER], r->m[M_OTHER], false);
	if (q->other && !question_has_options(q))
		wrong_member(r->check, r->at, names[M_OTHER],
			"only for type choice or choices");
}

static void read_format(struct question_reading *r, struct question *q)
{
	const struct json *format = r->m[M_FORMAT];

	if (!format) return;
	if (!question_kind(q)->format)
		wrong_member(r->check, r->at, names[M_FORMAT], "only for type text");
	else if (!text_format_read(json_text(format), &q->format))
		wrong_member(r->check, r->at, names[M_FORMAT],
			"must be email, uri, date or date-time");
}

/* True when there is a bound and it makes sense by itself. */
static bool read_bound(struct question_reading *r, const struct question *q,
	enum question_member m, double *out)
{
	const struct json *bound = r->m[m];
	int64_t least = m == M_MAX ? 1 : 0;
	bool number = question_kind(q)->input == INPUT_NUMBER;

	if (!bound) return false;
	if (!question_kind(q)->bounds) {
		wrong_member(r->check, r->at, names[m], "not for type %s",
			question_kind(q)->name);
		return false;
	}
	if (number && bound->type != JSON_NUMBER) {
		wrong_member(r->check, r->at, names[m], "must be a number");
		return false;
	}
	if (!number && !count_read(r->check, r->at, names[m], bound, least,
			       question_many(q) ? OPTIONS_MAX + 1 : ANSWER_TEXT_MAX))
		return false;
	*out = json_real(bound);
	return true;
}

static void read_bounds(struct question_reading *r, struct question *q)
{
	q->has_min = read_bound(r, q, M_MIN, &q->min);
	q->has_max = read_bound(r, q, M_MAX, &q->max);
	if (q->has_min && q->has_max && q->min > q->max)
		wrong_member(r->check, r->at, names[M_MIN], "must not be more than max");
	if (question_many(q) && q->has_min && q->options_len &&
		q->min > (double)(q->options_len + q->other))
		wrong_member(r->check, r->at, names[M_MIN],
			"must not be more than the options");
}

static void read_integer(struct question_reading *r, struct question *q)
{
	q->integer = flag_read(r->check, r->at, names[M_INTEGER], r->m[M_INTEGER], false);
	if (q->integer && question_kind(q)->input != INPUT_NUMBER)
		wrong_member(r->check, r->at, names[M_INTEGER], "only for type number");
}

/* What the agent suggests or already knows must be a possible answer. */
static void read_hint(
	struct question_reading *r, const struct question *q, enum question_member m)
{
	struct json_place at = place_member(r->at, names[m]);
	struct reply reply;

	if (r->m[m]) reply_read(r->check, &at, q, r->m[m], &reply);
}

static void read_all(
	struct question_reading *r, size_t n, struct arena *arena, struct question *q)
{
	q->key = text_of(r, M_KEY, KEY_MAX, TEXT_LINE | TEXT_FILLED);
	if (!r->m[M_KEY]) q->key = arena_print(arena, "q%zu", n);
	q->header = text_of(r, M_HEADER, HEADER_MAX, TEXT_LINE);
	q->text = text_of(r, M_TEXT, QUESTION_TEXT_MAX, TEXT_NEEDED | TEXT_FILLED);
	q->required =
		flag_read(r->check, r->at, names[M_REQUIRED], r->m[M_REQUIRED], true);
	text_of(r, M_PLACEHOLDER, PLACEHOLDER_MAX, TEXT_FREE);
	read_type(r, arena, q);
	read_options(r, arena, q);
	read_other(r, q);
	read_note(r, q);
	read_format(r, q);
	read_bounds(r, q);
	read_integer(r, q);
}

void question_check(struct check *c, const struct json *json, const struct json_place *at,
	bool flat, size_t n, struct arena *arena, struct question *q)
{
	struct check own = { .why = c->why };
	struct question_reading r = {
		.check = &own, .at = at, .names = flat ? flat_names : names
	};
	const struct members members = { r.names, M_LEN };

	*q = (struct question){ .json = json, .required = true };
	if (members_read(&own, at, json, &members, flat ? &ask_members : NULL, r.m)) {
		read_all(&r, n, arena, q);
		/* Answers can be told right or wrong only by a question that is right. */
		if (!own.failed && !arena->failed) {
			read_hint(&r, q, M_SUGGESTED);
			read_hint(&r, q, M_PREFILL);
		}
	}
	c->failed |= own.failed;
}

enum err question_read(const struct json *json, const char *at, bool flat, size_t n,
	struct arena *arena, struct question *out, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place spot = place_root(at);
	struct question q;

	question_check(&c, json, &spot, flat, n, arena, &q);
	enum err e = check_end(&c, arena);
	if (!e) *out = q;
	return e;
}

static void option_load(const struct json *json, struct option *out)
{
	out->id = json_text(json_get(json, "id"));
	out->label = json_text(json_get(json, "label"));
}

/* Reads what question_write wrote: nothing is checked again, so that a stricter version
 * still reads what an older one took. */
static bool question_load(
	const struct json *json, struct arena *arena, struct question *q)
{
	const struct json *options = json_get(json, "options"),
			  *note = json_get(json, "note");
	const struct json *min = json_get(json, "min"), *max = json_get(json, "max");

	*q = (struct question){
		.json = json,
		.key = json_text(json_get(json, "key")),
		.header = json_text(json_get(json, "header")),
		.text = json_text(json_get(json, "text")),
		.other = json_is(json_get(json, "other"), JSON_TRUE),
		.note = json_is(note, JSON_OBJECT),
		.note_required = json_is(json_get(note, "required"), JSON_TRUE),
		.required = json_is(json_get(json, "required"), JSON_TRUE),
		.has_min = json_is(min, JSON_NUMBER),
		.min = json_real(min),
		.has_max = json_is(max, JSON_NUMBER),
		.max = json_real(max),
		.integer = json_is(json_get(json, "integer"), JSON_TRUE),
	};
	text_format_read(json_text(json_get(json, "format")), &q->format);
	if (!question_type_read(json_text(json_get(json, "type")), &q->type))
		return false;
	if (!json_is(options, JSON_ARRAY)) return true;
	if (options->count > OPTIONS_MAX) return false;
	q->options = ARENA_ARRAY(arena, struct option, options->count);
	for (; q->options && q->options_len < options->count; q->options_len++)
		option_load(&options->items[q->options_len], &q->options[q->options_len]);
	return true;
}

enum err questions_load(const struct json *array, struct arena *arena,
	struct question **out, size_t *len, struct fault *why)
{
	if (!json_is(array, JSON_ARRAY))
		return fail(why, ERR_INTERNAL, "the stored questions are not an array");

	struct question *q = ARENA_ARRAY(arena, struct question, array->count);
	for (uint32_t i = 0; q && i < array->count; i++)
		if (!question_load(&array->items[i], arena, &q[i]))
			return fail(why, ERR_INTERNAL, "stored question %u is unreadable",
				i + 1);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = q;
	*len = array->count;
	return OK;
}

static void member_write(
	struct json_writer *w, const char *name, const struct json *value)
{
	if (!value || value->type == JSON_NULL) return;
	jw_put_json(w, name, value);
}

void options_write(
	struct json_writer *w, const struct question *q, const struct json *given)
{
	jw_array(w);
	for (size_t i = 0; i < q->options_len; i++) {
		const struct json *option = given ? &given->items[i] : NULL;

		jw_object(w);
		jw_put_str(w, "id", q->options[i].id);
		jw_put_str(w, "label", q->options[i].label);
		member_write(w, "description", json_get(option, "description"));
		member_write(w, "preview", json_get(option, "preview"));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static void note_write(struct json_writer *w, const struct question *q)
{
	jw_put_object(w, "note");
	member_write(
		w, "placeholder", json_get(json_get(q->json, "note"), "placeholder"));
	jw_put_bool(w, "required", q->note_required);
	jw_object_end(w);
}

void question_write(struct json_writer *w, const struct question *q)
{
	jw_object(w);
	jw_put_str(w, "key", q->key);
	jw_put_some(w, "header", q->header);
	jw_put_str(w, "text", q->text);
	jw_put_text(w, "type", question_kind(q)->name);
	if (q->options_len) {
		jw_key(w, "options");
		options_write(w, q, json_get(q->json, "options"));
	}
	if (q->other) jw_put_bool(w, "other", true);
	if (q->note) note_write(w, q);
	jw_put_bool(w, "required", q->required);
	member_write(w, "placeholder", json_get(q->json, "placeholder"));
	if (q->format) jw_put_text(w, "format", text_format_name(q->format));
	member_write(w, "min", json_get(q->json, "min"));
	member_write(w, "max", json_get(q->json, "max"));
	if (q->integer) jw_put_bool(w, "integer", true);
	member_write(w, "suggested", json_get(q->json, "suggested"));
	member_write(w, "prefill", json_get(q->json, "prefill"));
	jw_object_end(w);
}
