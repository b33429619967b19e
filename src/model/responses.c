/* responses.c - the wire of OpenAI's Responses API, without anything kept at the provider:
 * reasoning comes sealed and goes back. */
#include "model/inner.h"

/* Models that give reasoning back sealed; others refuse to be asked for it: gpt-5 and later, o1 and later, none
 * that is made for chat. */
static bool reasons(const struct model_request *r)
{
	struct str tail = str_from(r->model, str_starts(r->model, "gpt-") ? 4 : 1);
	bool gpt = str_starts(r->model, "gpt-"), o = str_starts(r->model, "o");
	bool number =
		tail.len > 0 && tail.at[0] >= (gpt ? '5' : '1') && tail.at[0] <= '9';
	bool ten = tail.len > 1 && tail.at[0] >= '1' && tail.at[0] <= '9' &&
		   tail.at[1] >= '0' && tail.at[1] <= '9';

	return r->effort ||
	       ((gpt || o) && (number || ten) && str_find(r->model, STR("-chat")) < 0);
}

static void user_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	bool some = false;

	for (size_t i = 0; i < m->len; i++)
		some |= m->parts[i].type == PART_IMAGE ||
			(m->parts[i].type == PART_TEXT && m->parts[i].text.len);
	if (!some) return;
	JW(w, "{'role':'user','content':[");
	for (size_t i = 0; i < m->len; i++) {
		const struct utterance_part *p = &m->parts[i];

		if (p->type == PART_TEXT && p->text.len)
			JW(w, "{'type':'input_text','text':%s}", p->text);
		else if (p->type == PART_IMAGE)
			JW(w, "{'type':'input_image','detail':'auto','image_url':%s}",
				utterance_data_url(p, arena));
	}
	JW(w, "]}");
}

static void reasoning_write(struct json_writer *w, const struct utterance_part *p)
{
	JW(w, "{'type':'reasoning','id':%s,'summary':[", p->seal_id);
	if (p->text.len) JW(w, "{'type':'summary_text','text':%s}", p->text);
	JW(w, "],'encrypted_content':%s}", p->seal);
}

static void item_write(
	struct json_writer *w, const struct utterance_part *p, struct arena *arena)
{
	switch (p->type) {
	case PART_TEXT:
		if (p->text.len)
			JW(w, "{'role':'assistant','phase':%?,'content':%s}", p->as,
				p->text);
		return;
	case PART_THOUGHT:
		if (p->seal.len) reasoning_write(w, p);
		return;
	case PART_CALL:
		JW(w, "{'type':'function_call','call_id':%s,'name':%s,'arguments':%s}",
			wire_id(p->id, arena), p->name, json_keep(p->arguments, arena));
		return;
	case PART_RESULT:
		JW(w, "{'type':'function_call_output','call_id':%s,'output':%s}",
			wire_id(p->id, arena), p->text);
		return;
	default: return;
	}
}

static void tools_write(struct json_writer *w, const struct model_request *r)
{
	jw_put_array(w, "tools");
	for (const struct model_tool *t = r->tools; t < r->tools + r->tools_len; t++)
		JW(w, "{'type':'function','name':%s,'description':%s,'parameters':%j,'strict':false}",
			t->name, t->description, t->schema);
	jw_array_end(w);
}

static void reasoning_ask(struct json_writer *w, const struct model_request *r)
{
	if (!(r->without & OPTION_SEALED))
		JW(w, "'include':['reasoning.encrypted_content']");
	jw_put_object(w, "reasoning");
	if (r->effort) jw_put_text(w, "effort", effort_names[r->effort]);
	if (!(r->without & OPTION_SUMMARY)) jw_put_text(w, "summary", "auto");
	jw_object_end(w);
}

static void format_write(struct json_writer *w, const struct model_request *r)
{
	JW(w, "'text':{'format':{'type':'json_schema','name':'output'");
	jw_put_bool(w, "strict", output_strict(r->output_schema));
	output_schema_write(w, WIRE_OPENAI_RESPONSES, r->output_schema);
	jw_object_end(w);
	jw_object_end(w);
}

static void message_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	for (size_t k = 0; k < m->len; k++)
		if (m->role == MODEL_ASSISTANT || m->parts[k].type == PART_RESULT)
			item_write(w, &m->parts[k], arena);
	if (m->role != MODEL_ASSISTANT) user_write(w, m, arena);
}

static void request_write(struct json_writer *w, const struct model_request *r,
	const struct utterance *said)
{
	JW(w, "{'model':%s,'stream':true,'store':false", r->model);
	if (r->output_max) jw_put_int(w, "max_output_tokens", r->output_max);
	if (reasons(r)) reasoning_ask(w, r);
	if (!(r->without & OPTION_CACHE_KEY))
		jw_put_some(w, "prompt_cache_key", r->session);
	jw_put_some(w, "instructions", r->system);
	if (r->output_schema) format_write(w, r);
	if (r->tools_len) tools_write(w, r);
	jw_put_array(w, "input");
	for (size_t i = 0; i < r->messages_len; i++)
		jw_members(w, said[i].items);
	jw_array_end(w);
	jw_object_end(w);
}

/* ---- the reply ---- */

static struct model_part *item_begin(
	struct model_reader *r, int64_t index, const struct json *item)
{
	struct str type = json_text_of(item, "type");
	struct model_part *p = index >= 0 ? part_find(r, index) : NULL;

	if (p) return p;
	if (str_is(type, "message")) return part_new(r, PART_TEXT, index);
	if (str_is(type, "reasoning")) return part_new(r, PART_THOUGHT, index);
	if (!str_is(type, "function_call")) return NULL;
	return part_call(
		r, index, json_text_of(item, "call_id"), json_text_of(item, "name"));
}

/* A text that came in deltas, and now whole: only what is missing of it is added. */
static void text_settle(struct model_reader *r, struct model_part *p, struct str whole)
{
	if (p->text.len == 0) part_more(r, p, whole);
}

static void texts_settle(
	struct model_reader *r, struct model_part *p, const struct json *list)
{
	struct buf whole = { .max = REPLY_TEXT_MAX };

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++) {
		struct str type = json_text_of(&list->items[i], "type");
		bool refusal = str_is(type, "refusal");

		/* Parts of a summary are paragraphs. */
		if (p->type == PART_THOUGHT && whole.len) buf_add_text(&whole, "\n\n");
		buf_add(&whole,
			json_text_of(&list->items[i], refusal ? "refusal" : "text"));
		if (refusal)
			reader_trouble(r, TROUBLE_DECLINED, false, STR(MODEL_DECLINED));
	}
	text_settle(r, p, buf_str(&whole));
	buf_done(&whole);
}

static void item_end(struct model_reader *r, int64_t index, const struct json *item)
{
	struct model_part *p = item_begin(r, index, item);
	struct str sealed = json_text_of(item, "encrypted_content");

	if (!p) return;
	if (p->type == PART_CALL) {
		text_settle(r, p, json_text_of(item, "arguments"));
		return;
	}
	texts_settle(r, p, json_get(item, p->type == PART_TEXT ? "content" : "summary"));
	if (p->type == PART_TEXT && !p->as.len)
		part_add(r, p, &p->as, json_text_of(item, "phase"));
	if (p->type != PART_THOUGHT || !sealed.len) return;
	buf_clear(&p->seal);
	buf_clear(&p->seal_id);
	part_add(r, p, &p->seal, sealed);
	part_add(r, p, &p->seal_id, json_text_of(item, "id"));
}

static void delta_take(
	struct model_reader *r, const struct json *data, enum part_type type)
{
	struct model_part *p = part_find(r, reader_index(data, "output_index"));

	if (p && p->type == type) part_more(r, p, json_text_of(data, "delta"));
}

static void usage_take(struct model_reader *r, const struct json *usage)
{
	const struct json *in = json_get(usage, "input_tokens_details");
	int64_t prompt = number_of(usage, "input_tokens");
	struct usage u = { .cache_read = number_of(in, "cached_tokens"),
		.cache_write = number_of(in, "cache_write_tokens"),
		.output = number_of(usage, "output_tokens"),
		.reasoning = number_of(
			json_get(usage, "output_tokens_details"), "reasoning_tokens") };

	if (!json_is(usage, JSON_OBJECT)) return;
	reader_usage(r, u, prompt);
}

static void response_end(struct model_reader *r, const struct json *response)
{
	bool alone = r->parts_len == 0;
	const struct json *output = json_get(response, "output");
	struct str why = json_text_of(json_get(response, "incomplete_details"), "reason");

	r->finished = true;
	usage_take(r, json_get(response, "usage"));
	/* Some servers stream nothing but this. */
	for (uint32_t i = 0; alone && json_is(output, JSON_ARRAY) && i < output->count;
		i++)
		item_end(r, (int64_t)i, &output->items[i]);
	if (str_is(why, "content_filter"))
		reader_trouble(r, TROUBLE_DECLINED, false, STR(MODEL_FILTERED));
	else if (why.len)
		reader_trouble(r, TROUBLE_CUT, false, STR(MODEL_CUT));
}

static void summary_break(struct model_reader *r, const struct json *data)
{
	struct model_part *p = part_find(r, reader_index(data, "output_index"));

	if (p && p->type == PART_THOUGHT && p->text.len) part_more(r, p, STR("\n\n"));
}

static void event_take(struct model_reader *r, struct str event, const struct json *data)
{
	struct str type = json_text_of(data, "type");
	const struct json *response = json_get(data, "response");

	if (!type.len) type = event;
	if (str_is(type, "response.output_item.added")) {
		item_begin(r, reader_index(data, "output_index"), json_get(data, "item"));
	} else if (str_is(type, "response.output_item.done")) {
		item_end(r, reader_index(data, "output_index"), json_get(data, "item"));
	} else if (str_is(type, "response.output_text.delta") ||
		   str_is(type, "response.refusal.delta")) {
		delta_take(r, data, PART_TEXT);
	} else if (str_is(type, "response.reasoning_summary_part.added")) {
		summary_break(r, data);
	} else if (str_is(type, "response.reasoning_summary_text.delta")) {
		delta_take(r, data, PART_THOUGHT);
	} else if (str_is(type, "response.function_call_arguments.delta")) {
		delta_take(r, data, PART_CALL);
	} else if (str_is(type, "response.completed") ||
		   str_is(type, "response.incomplete")) {
		response_end(r, response);
	} else if (str_is(type, "response.failed")) {
		usage_take(r, json_get(response, "usage"));
		reader_error(r, 200, json_get(response, "error") ? response : data);
	} else if (str_is(type, "error")) {
		reader_error(r, 200, data);
	}
}

const struct wire wire_responses = {
	.path = "/responses",
	.key_header = "authorization: Bearer ",
	.message = message_write,
	.write = request_write,
	.take = event_take,
};
