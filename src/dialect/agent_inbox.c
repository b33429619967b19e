/* agent_inbox.c - LangGraph's Agent Inbox: interrupts with an action, and what may be
 * done with it. A list of them, or one alone; the reply is always a list. */
#include "dialect/inner.h"

static bool allowed(const struct json *interrupt, const char *what)
{
	return member_flag(json_get(interrupt, "config"), what);
}

static size_t actions_of(
	struct arena *arena, const struct json *list, struct action **out)
{
	struct action *actions = ARENA_ARRAY(arena, struct action, list->count + 1);

	for (uint32_t i = 0; actions && i < list->count; i++) {
		const struct json *it = &list->items[i];
		const struct json *action = json_get(it, "action_request");
		bool runs = allowed(it, "allow_accept") || allowed(it, "allow_edit");

		actions[i] = (struct action){
			.name = json_text_of(action, "action"),
			.arguments = json_get(action, "args"),
			.about = json_text_of(it, "description"),
			/* An action that must not run can only be answered with text. */
			.text_only = !runs && allowed(it, "allow_respond"),
		};
	}
	*out = actions;
	return actions ? list->count : 0;
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 };
	const struct json *list = list_of(in->arena, in->request);
	struct action *actions;

	for (uint32_t i = 0; list && i < list->count; i++) {
		struct json_place item = place_item(&root, i);

		if (!json_is(json_get(&list->items[i], "action_request"), JSON_OBJECT))
			wrong(&in->check, &item, "must have an action_request");
	}
	if (in->check.failed || !list) return;
	size_t len = actions_of(in->arena, list, &actions);
	actions_put(in, &root, actions, len);
}

/* ---- out ---- */

static void response_write(struct json_writer *w, struct str text)
{
	JW(w, "'response','args':%s", text);
}

static void action_write(struct json_writer *w, const char *type, struct str name,
	const struct json *arguments)
{
	jw_text(w, type);
	jw_put_object(w, "args");
	jw_put_str(w, "action", name);
	put_object(w, "args", arguments);
	jw_object_end(w);
}

static void ignore_write(struct json_writer *w)
{
	JW(w, "'ignore','args':null");
}

/* Without room for a reason the reply is "ignore". */
static void denial_write(struct json_writer *w, const struct json *interrupt,
	struct str own, struct str words)
{
	bool may_ignore = allowed(interrupt, "allow_ignore");

	if (allowed(interrupt, "allow_respond") && (own.len || !may_ignore))
		response_write(w, own.len ? own : words);
	else
		ignore_write(w);
}

static void verdict_write(struct foreign_reply *o, const struct json *interrupt,
	const struct action *a, const struct operation_done *d)
{
	struct json_writer *w = &o->reply;
	bool accept = allowed(interrupt, "allow_accept");
	struct verdict v = d->verdict;

	if (!allowed(interrupt, "allow_edit")) v = verdict_plain(o, v);
	if (a->text_only && d->response.len)
		response_write(w, d->response);
	else if (!v.allow)
		denial_write(w, interrupt, v.own, v.words);
	else if (v.arguments)
		action_write(w, "edit", a->name, v.arguments);
	else
		action_write(w, accept ? "accept" : "edit", a->name, a->arguments);
}

/* The reply for an ask that was made in another dialect: its operation is the action. */
static void other_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct operation_asked operation = operation_of(o);
	struct verdict v = verdict_of(o);

	if (o->ask->kind != ASK_APPROVAL && answered(o))
		response_write(w, o->whole->summary);
	else if (!v.allow && v.own.len)
		response_write(w, v.own);
	else if (!v.allow)
		ignore_write(w);
	else
		action_write(w, v.arguments ? "edit" : "accept", operation.name,
			v.arguments ? v.arguments : operation.arguments);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const struct json *list = o->request ? list_of(o->arena, o->request) : NULL;
	struct action *actions = NULL;
	size_t len = list ? actions_of(o->arena, list, &actions) : 1;

	for (size_t i = 0; i < len; i++) {
		jw_object(w);
		jw_key(w, "type");
		if (actions) {
			struct operation_done d = action_done(o, i, actions, len);

			verdict_write(o, &list->items[i], &actions[i], &d);
		} else {
			other_write(o);
		}
		jw_object_end(w);
	}
}

const struct dialect dialect_agent_inbox = {
	.name = "agent_inbox",
	.to_ask = to_ask,
	.from_ask = from_ask,
	.replies_list = true,
};
