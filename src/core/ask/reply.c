/* reply.c - reads and checks the value given to one question, by the question's type. */
#include "core/ask/reply.h"

#include "core/ask/question_kind.h"

static const struct str part_names[REPLY_PARTS] = {
	[PART_SELECTED] = STR("selected"),
	[PART_OTHER] = STR("other"),
	[PART_TEXT] = STR("text"),
	[PART_VALUE] = STR("value"),
	[PART_ARGUMENTS] = STR("arguments"),
};
static const struct members part_members = { part_names, REPLY_PARTS };

/* One value being read. In a shorthand only the main part is there. */
struct reply_reading {
	struct check *check;
	const struct json_place *at;
	const struct question *q;
	const struct json *part[REPLY_PARTS];
	bool shorthand;
};

static struct json_place part_spot(const struct reply_reading *r, enum reply_part p)
{
	return r->shorthand ? *r->at : place_member(r->at, part_names[p]);
}

/* A free text; blank is as good as none. */
static struct str part_text(struct reply_reading *r, enum reply_part p)
{
	const struct json *json = r->part[p];
	struct json_place at = part_spot(r, p);

	if (!json) return STR_NONE;
	if (json->type != JSON_STRING) {
		wrong(r->check, &at, "must be a string");
		return STR_NONE;
	}
	if (text_longer(json->text, ANSWER_TEXT_MAX)) {
		wrong(r->check, &at, "must have at most %d characters", ANSWER_TEXT_MAX);
		return STR_NONE;
	}
	return text_blank(json->text) ? STR_NONE : json->text;
}

void reply_read_text(struct reply_reading *r, struct reply *out)
{
	const struct question *q = r->q;
	struct json_place at = part_spot(r, PART_TEXT);
	struct str text = part_text(r, PART_TEXT);

	if (!text.len) return;
	if (q->has_max && text_longer(text, (size_t)q->max))
		wrong(r->check, &at, "must have at most %.0f characters", q->max);
	else if (q->has_min && q->min >= 1 && !text_longer(text, (size_t)q->min - 1))
		wrong(r->check, &at, "must have at least %.0f characters", q->min);
	else if (!format_fits(q->format, text))
		wrong(r->check, &at, "is not a valid %s", text_format_name(q->format));
	out->text = text;
	out->given = true;
}

static bool whole(const struct json *number)
{
	double real = json_real(number);

	return number->is_int || real == __builtin_trunc(real);
}

void reply_read_number(struct reply_reading *r, struct reply *out)
{
	const struct json *value = r->part[PART_VALUE];
	const struct question *q = r->q;
	struct json_place at = part_spot(r, PART_VALUE);

	if (!value) return;
	if (value->type != JSON_NUMBER)
		wrong(r->check, &at, "must be a number");
	else if (q->has_min && json_real(value) < q->min)
		wrong(r->check, &at, "must be at least %g", q->min);
	else if (q->has_max && json_real(value) > q->max)
		wrong(r->check, &at, "must be at most %g", q->max);
	else if (q->integer && !whole(value))
		wrong(r->check, &at, "must be a whole number");
	out->value = value;
	out->given = true;
}

void reply_read_boolean(struct reply_reading *r, struct reply *out)
{
	const struct json *value = r->part[PART_VALUE];
	struct json_place at = part_spot(r, PART_VALUE);

	if (!value) return;
	if (!json_is_bool(value)) wrong(r->check, &at, "must be true or false");
	out->value = value;
	out->given = true;
}

void reply_read_approval(struct reply_reading *r, struct reply *out)
{
	const struct json *value = r->part[PART_VALUE],
			  *arguments = r->part[PART_ARGUMENTS];
	struct json_place at = part_spot(r, PART_VALUE);

	if (json_is(value, JSON_STRING) && str_is(value->text, "approve"))
		out->decision = DECISION_APPROVE;
	else if (json_is(value, JSON_STRING) && str_is(value->text, "reject"))
		out->decision = DECISION_REJECT;
	else if (value)
		wrong(r->check, &at, "must be approve or reject");
	out->given = value != NULL;
	if (!arguments) return;
	if (arguments->type != JSON_OBJECT)
		wrong_member(
			r->check, r->at, part_names[PART_ARGUMENTS], "must be an object");
	else if (out->decision != DECISION_APPROVE)
		wrong_member(
			r->check, r->at, part_names[PART_ARGUMENTS], "only with approve");
	out->arguments = arguments;
}

/* Ids go before labels, so that an option named like another's label can be reached. */
static int option_find(const struct question *q, struct str name)
{
	for (size_t i = 0; i < q->options_len; i++)
		if (str_eq(q->options[i].id, name)) return (int)i;
	for (size_t i = 0; i < q->options_len; i++)
		if (str_eq(q->options[i].label, name)) return (int)i;
	return -1;
}

static void choose(struct reply_reading *r, const struct json_place *at,
	const struct json *json, struct reply *out)
{
	struct str name = json_text(json);
	int i = option_find(r->q, name);

	if (json->type != JSON_STRING)
		wrong(r->check, at, "must be a string");
	else if (i >= 0)
		out->selected |= UINT32_C(1) << i;
	else if (!r->shorthand || !r->q->other)
		wrong(r->check, at, "\"%.*s\" is not an option",
			STR_ARGS(text_excerpt(name)));
	else if (out->other.len)
		wrong(r->check, at, "only one text can be given for Other");
	else if (text_longer(name, ANSWER_TEXT_MAX))
		wrong(r->check, at, "must have at most %d characters", ANSWER_TEXT_MAX);
	else if (!text_blank(name))
		out->other = name;
}

static void check_count(struct reply_reading *r, const struct reply *out)
{
	const struct question *q = r->q;
	int count = __builtin_popcount(out->selected) + (out->other.len > 0);

	if (!question_many(q) && count > 1)
		wrong(r->check, r->at, "only one may be chosen");
	if (!question_many(q)) return;
	if (q->has_min && count < q->min)
		wrong(r->check, r->at, "at least %.0f must be chosen", q->min);
	if (q->has_max && count > q->max)
		wrong(r->check, r->at, "at most %.0f may be chosen", q->max);
}

void reply_read_choices(struct reply_reading *r, struct reply *out)
{
	const struct json *selected = r->part[PART_SELECTED];
	struct json_place at = part_spot(r, PART_SELECTED);

	if (r->part[PART_OTHER] && !r->q->other)
		wrong_member(r->check, r->at, part_names[PART_OTHER], "is not offered");
	else
		out->other = part_text(r, PART_OTHER);
	if (json_is(selected, JSON_ARRAY)) {
		for (uint32_t i = 0; i < selected->count; i++) {
			struct json_place item = place_item(&at, i);
			choose(r, &item, &selected->items[i], out);
		}
	} else if (selected && r->shorthand) {
		choose(r, &at, selected, out);
	} else if (selected) {
		wrong(r->check, &at, "must be an array of option ids");
	}
	out->given = out->selected || out->other.len;
	if (out->given && !r->check->failed) check_count(r, out);
}

/* The free text beside the answer proper. A rejection can always be explained. */
static void read_note(struct reply_reading *r, struct reply *out)
{
	out->text = part_text(r, PART_TEXT);
	if (out->text.len && !r->q->note && !question_decides(r->q))
		wrong_member(r->check, r->at, part_names[PART_TEXT],
			"this question takes no note");
}

static bool read_parts(struct reply_reading *r, const struct json *json)
{
	const struct question_kind *kind = question_kind(r->q);
	bool fits = true;

	r->shorthand = json->type != JSON_OBJECT;
	if (r->shorthand) {
		r->part[kind->main] = json;
		return true;
	}
	members_read(r->check, r->at, json, &part_members, NULL, r->part);
	for (enum reply_part p = 0; p < REPLY_PARTS; p++) {
		if (!r->part[p] || (kind->parts & 1u << p)) continue;
		wrong_member(
			r->check, r->at, part_names[p], "not for type %s", kind->name);
		fits = false;
	}
	return fits;
}

void reply_read(struct check *c, const struct json_place *at, const struct question *q,
	const struct json *json, struct reply *out)
{
	const struct question_kind *kind = question_kind(q);
	struct check own = { .why = c->why };
	struct reply_reading r = { .check = &own, .at = at, .q = q };

	*out = (struct reply){ 0 };
	if (!json || json->type == JSON_NULL) return;
	if (read_parts(&r, json)) {
		kind->read(&r, out);
		if (!r.shorthand && kind->main != PART_TEXT) read_note(&r, out);
	}
	c->failed |= own.failed;
}

void reply_write(struct json_writer *w, const struct question *q, const struct reply *r)
{
	jw_object(w);
	if (r->selected) {
		jw_put_array(w, "selected");
		for (size_t i = 0; i < q->options_len; i++)
			if (r->selected & UINT32_C(1) << i) jw_str(w, q->options[i].id);
		jw_array_end(w);
	}
	jw_put_some(w, "other", r->other);
	jw_put_some(w, "text", r->text);
	if (r->value) jw_put_json(w, "value", r->value);
	if (r->decision) {
		jw_put_text(w, "value",
			r->decision == DECISION_APPROVE ? "approve" : "reject");
	}
	if (r->arguments) jw_put_json(w, "arguments", r->arguments);
	jw_object_end(w);
}
