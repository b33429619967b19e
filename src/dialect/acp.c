/* acp.c - the Agent Client Protocol's session/request_permission. */
#include "dialect/inner.h"

static const struct choice_names option_names = { .id = "optionId", .label = "name" };

static size_t offers_of(
	struct arena *arena, const struct json *request, struct offer offers[OFFERS_MAX])
{
	struct choices c = choices_offered(arena, request, &option_names);
	size_t len = c.len < OFFERS_MAX ? c.len : OFFERS_MAX;

	for (size_t i = 0; i < len; i++) {
		struct str kind = json_text_of(c.at[i].from, "kind");

		offers[i] = (struct offer){
			.id = c.at[i].id,
			.label = c.at[i].said,
			.allows = str_starts(kind, "allow"),
			.lasts = str_ends(kind, "_always"),
			.from = c.at[i].from,
		};
	}
	return len;
}

/* What the tool call says of itself: its title, else its kind or id. */
static struct str name_of(const struct json *call)
{
	static const char *const names[] = { "title", "kind", "toolCallId", NULL };
	struct str name = member_first(call, names);

	return name.len ? name : STR("tool call");
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("options"));
	const struct json *call = json_get(in->request, "toolCall");
	const struct json *input = json_get(call, "rawInput");
	struct offer offers[OFFERS_MAX];
	size_t len = offers_of(in->arena, in->request, offers);
	size_t kinds = 0;

	choices_given(in, &root, in->request, &option_names);
	for (size_t i = 0; i < len; i++)
		kinds += str_starts(json_text_of(offers[i].from, "kind"), "allow") ||
			 str_starts(json_text_of(offers[i].from, "kind"), "reject");
	if (!len || kinds < len) {
		wrong(&in->check, &at,
			"must be options with an optionId, a name and a kind: allow_once, "
			"allow_always, reject_once or reject_always");
		return;
	}
	grant_put(in, &at,
		&(struct operation_asked){
			.name = name_of(call),
			.arguments = input ? input : call,
		},
		offers, len);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct offer offers[OFFERS_MAX];
	size_t len = o->request ? offers_of(o->arena, o->request, offers) : 0;
	struct verdict v = verdict_unedited(o);
	const struct offer *taken = answered(o) ? grant_of(o, &v, offers, len) : NULL;
	struct str id = taken ? scalar_text(json_get(taken->from, "optionId")) : STR_NONE;

	/* Asked otherwise there are no options: the kinds stand for them. */
	if (!o->request && answered(o))
		id = v.allow ? STR("allow_once") : STR("reject_once");
	JW(w, "'outcome':{'outcome':%s,'optionId':%?}",
		id.len ? STR("selected") : STR("cancelled"), id);
	if (!v.allow || v.own.len || outcome_words(o).len) meta_put(o, v.words);
}

const struct dialect dialect_acp = {
	.name = "acp",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
