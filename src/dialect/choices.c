/* choices.c - the options of a foreign question. Reading them is the same on both ways:
 * an option's id follows from the list alone, so an answer leads back to what came. */
#include "dialect/inner.h"

static const char recommended[] = "(recommended)";

/* "Staging (Recommended)" → "Staging". */
static struct str recommendation_cut(struct str label, bool *found)
{
	size_t len = sizeof recommended - 1;
	struct str text = str_trim(label);

	*found = text.len > len &&
		 str_is_nocase(str_from(text, text.len - len), recommended);
	return *found ? str_trim(str_first(text, text.len - len)) : label;
}

static bool id_taken(const struct choices *c, struct str id)
{
	return choice_find(c, id) != NULL;
}

static bool id_fits(struct str id)
{
	return !text_blank(id) && text_one_line(id) && !text_longer(id, LABEL_MAX);
}

/* Its own, else its label, else its place. */
static struct str id_make(
	struct arena *arena, const struct choices *before, struct str own, uint32_t place)
{
	struct str id = arena_print(arena, "#%u", place + 1);

	if (id_fits(own) && !id_taken(before, own)) return own;
	while (id.len && id_taken(before, id))
		id = arena_print(arena, "#%.*s", STR_ARGS(id));
	return id;
}

/* The label by its proper name, or by one that models use instead. */
static struct str label_of(
	const struct json *option, uint32_t place, const struct choice_names *names)
{
	const char *const others[] = { names->label, "label", "title", "name", "text",
		"value", "id", "const" };

	if (names->labels && !text_blank(scalar_text(&names->labels->items[place])))
		return scalar_text(&names->labels->items[place]);
	if (option->type != JSON_OBJECT) return scalar_text(option);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct str label = scalar_text(json_get(option, others[i]));

		if (!text_blank(label)) return label;
	}
	return STR_NONE;
}

static struct str detail_of(const struct json *option, const char *name)
{
	return name ? json_text_of(option, name) : STR_NONE;
}

struct choices choices_make(
	struct arena *arena, const struct json *list, const struct choice_names *names)
{
	struct choices out = { 0 };

	if (!list || !list->count) return out;
	out.at = ARENA_ARRAY(arena, struct choice, list->count);
	for (uint32_t i = 0; out.at && i < list->count; i++) {
		const struct json *from = &list->items[i];
		struct choice c = { .from = from, .said = label_of(from, i, names) };
		struct str id = names->labels ? scalar_text(from)
				: names->id   ? scalar_text(json_get(from, names->id))
					      : STR_NONE;

		if (names->other_ours && str_is_nocase(str_trim(c.said), "other"))
			continue;
		c.label = recommendation_cut(c.said, &c.suggested);
		c.id = id_make(arena, &out, id.len ? id : c.label, i);
		c.description = detail_of(from, names->description);
		c.preview = detail_of(from, names->preview);
		out.at[out.len++] = c;
	}
	return out;
}

/* What was mended in one option, or cannot be. */
static void choice_check(struct inbound *in, const struct json_place *at,
	const struct choice *c, const struct choice_names *names)
{
	bool plain = c->from->type != JSON_OBJECT;

	if (text_blank(c->said))
		wrong(&in->check, at, "an option needs a label");
	else if (plain && (names->description || names->id))
		repair(in, at, "taken as its label", "an option must be an object");
	else if (!plain && !json_get(c->from, names->label))
		repair(in, at, "another member was taken for it",
			"an option must have a member %s", names->label);
	if (c->suggested)
		repair(in, at, "it is shown as suggested",
			"a label must not say \"(Recommended)\"");
}

/* Options with the same label can only be told apart by their position. */
static void twins_check(
	struct inbound *in, const struct json_place *at, const struct choices *c)
{
	for (size_t i = 0; i < c->len; i++)
		for (size_t j = 0; j < i; j++)
			if (str_eq(c->at[i].label, c->at[j].label))
				repair(in, at, "both are offered",
					"two options have the label \"%.*s\"",
					STR_ARGS(text_excerpt(c->at[i].label)));
}

struct choices choices_read(struct inbound *in, const struct json_place *at,
	const struct json *list, const struct choice_names *names)
{
	struct choices out = { 0 };

	if (list && list->count > OPTIONS_MAX) {
		wrong(&in->check, at, "must have at most %d options", OPTIONS_MAX);
		return out;
	}
	out = choices_make(in->arena, list, names);
	for (size_t i = 0; i < out.len; i++) {
		struct json_place item =
			place_item(at, (size_t)(out.at[i].from - list->items));

		choice_check(in, &item, &out.at[i], names);
	}
	twins_check(in, at, &out);
	return out;
}

struct choices choices_given(struct inbound *in, const struct json_place *at,
	const struct json *object, const struct choice_names *names)
{
	struct json_place options = place_member(at, STR("options"));

	return choices_read(in, &options, member_list(in, at, object, "options"), names);
}

struct choices choices_offered(
	struct arena *arena, const struct json *object, const struct choice_names *names)
{
	return choices_make(arena, list_of(arena, json_get(object, "options")), names);
}

const struct choice *choice_find(const struct choices *c, struct str id)
{
	for (size_t i = 0; i < c->len; i++)
		if (str_eq(c->at[i].id, id)) return &c->at[i];
	return NULL;
}
