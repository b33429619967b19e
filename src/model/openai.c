/* openai.c - the wire of Chat Completions, which OpenAI, Ollama, vLLM, OpenRouter and many
 * others speak, each with habits of its own. */
#include "model/inner.h"

#include <math.h>

static bool has_type(const struct utterance *m, enum part_type type)
{
	for (size_t i = 0; i < m->len; i++)
		if (m->parts[i].type == type) return true;
	return false;
}

static void user_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	if (!has_type(m, PART_IMAGE)) {
		if (has_type(m, PART_TEXT))
			JW(w, "{'role':'user','content':%s}", utterance_text(m, arena));
		return;
	}
	JW(w, "{'role':'user','content':[");
	for (size_t i = 0; i < m->len; i++) {
		const struct utterance_part *p = &m->parts[i];

		if (p->type == PART_TEXT && p->text.len)
			JW(w, "{'type':'text','text':%s}", p->text);
		else if (p->type == PART_IMAGE)
			JW(w, "{'type':'image_url','image_url':{'url':%s}}",
				utterance_data_url(p, arena));
	}
	JW(w, "]}");
}

/* Each result is a message of its own. */
static void results_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	for (size_t i = 0; i < m->len; i++)
		if (m->parts[i].type == PART_RESULT)
			JW(w, "{'role':'tool','tool_call_id':%s,'content':%s}",
				wire_id(m->parts[i].id, arena), m->parts[i].text);
}

static void calls_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	jw_put_array(w, "tool_calls");
	for (size_t i = 0; i < m->len; i++) {
		const struct utterance_part *p = &m->parts[i];

		if (p->type == PART_CALL)
			JW(w, "{'id':%s,'type':'function','function':{'name':%s,'arguments':%s}}",
				wire_id(p->id, arena), p->name,
				json_keep(p->arguments, arena));
	}
	jw_array_end(w);
}

/* Reasoning goes back as it came, to who gave it: OpenRouter's details whole, DeepSeek's
 * text beside the calls it led to. */
static void reasoning_write(struct json_writer *w, const struct utterance *m, bool calls)
{
	for (size_t i = 0; i < m->len; i++) {
		const struct utterance_part *p = &m->parts[i];

		if (p->type != PART_THOUGHT) continue;
		if (str_is(p->as, "details") && p->seal.len)
			JW(w, "'reasoning_details':[%j]", p->seal);
		else if (str_is(p->as, "reasoning_content") && calls)
			JW(w, "'reasoning_content':%s", p->text);
		else
			continue;
		return;
	}
}

static void assistant_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	bool calls = has_type(m, PART_CALL);
	struct str text = utterance_text(m, arena);

	if (!calls && !text.len) return;
	JW(w, "{'role':'assistant','content':");
	text.len ? jw_str(w, text) : jw_null(w);
	reasoning_write(w, m, calls);
	if (calls) calls_write(w, m, arena);
	jw_object_end(w);
}

static void tools_write(struct json_writer *w, const struct model_request *r)
{
	jw_put_array(w, "tools");
	for (const struct model_tool *t = r->tools; t < r->tools + r->tools_len; t++)
		JW(w, "{'type':'function','function':{'name':%s,'description':%s,'parameters':%j}}",
			t->name, t->description, t->schema);
	jw_array_end(w);
}

static void format_write(struct json_writer *w, const struct model_request *r)
{
	JW(w, "'response_format':{'type':'json_schema','json_schema':{'name':'output'");
	jw_put_bool(w, "strict", output_strict(r->output_schema));
	output_schema_write(w, WIRE_OPENAI, r->output_schema);
	jw_object_end(w);
	jw_object_end(w);
}

static void message_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	if (m->role == MODEL_ASSISTANT) {
		assistant_write(w, m, arena);
		return;
	}
	results_write(w, m, arena);
	user_write(w, m, arena);
}

static void request_write(struct json_writer *w, const struct model_request *r,
	const struct utterance *said)
{
	JW(w, "{'model':%s,'stream':true,'stream_options':{'include_usage':true}",
		r->model);
	if (r->output_max) jw_put_int(w, "max_completion_tokens", r->output_max);
	if (r->effort) jw_put_text(w, "reasoning_effort", effort_names[r->effort]);
	if (r->output_schema) format_write(w, r);
	if (r->tools_len) tools_write(w, r);
	jw_put_array(w, "messages");
	if (r->system.len) JW(w, "{'role':'system','content':%s}", r->system);
	for (size_t i = 0; i < r->messages_len; i++)
		jw_members(w, said[i].items);
	jw_array_end(w);
	jw_object_end(w);
}

/* ---- the reply ---- */

static void usage_take(struct model_reader *r, const struct json *usage)
{
	const struct json *in = json_get(usage, "prompt_tokens_details");
	const struct json *out = json_get(usage, "completion_tokens_details");
	const struct json *cost = json_get(usage, "cost");
	int64_t prompt = number_of(usage, "prompt_tokens");
	struct usage u = { .cache_read = number_of(in, "cached_tokens"),
		.cache_write = number_of(in, "cache_write_tokens"),
		.output = number_of(usage, "completion_tokens"),
		.reasoning = number_of(out, "reasoning_tokens") };

	if (!json_is(usage, JSON_OBJECT)) return;
	/* DeepSeek names it otherwise. */
	if (!u.cache_read) u.cache_read = number_of(usage, "prompt_cache_hit_tokens");
	reader_usage(r, u, prompt);
	if (json_is(cost, JSON_NUMBER) && json_real(cost) >= 0 && json_real(cost) < 1e6)
		r->cost = (int64_t)llround(json_real(cost) * 1e9);
}

static struct model_part *call_by_id(struct model_reader *r, struct str id)
{
	for (size_t i = r->parts_len; i-- > 0;)
		if (r->parts[i].type == PART_CALL && str_eq(buf_str(&r->parts[i].id), id))
			return &r->parts[i];
	return NULL;
}

static struct model_part *call_last(struct model_reader *r)
{
	for (size_t i = r->parts_len; i-- > 0;)
		if (r->parts[i].type == PART_CALL) return &r->parts[i];
	return NULL;
}

/* Are its arguments whole by now? Then a name that comes begins another call. */
static bool call_whole(struct model_reader *r, const struct model_part *p)
{
	const struct json *value;

	return p->text.len > 0 &&
	       json_read(buf_str(&p->text), NULL, &r->frame, &value, NULL) == OK &&
	       value->type == JSON_OBJECT;
}

/* The call that a delta is about. An index may be missing, or the same for all calls; an id
 * may be missing, or come with every delta. */
static struct model_part *call_of(
	struct model_reader *r, int64_t index, struct str id, struct str name)
{
	struct model_part *p = id.len ? call_by_id(r, id) : NULL;

	if (p) return p;
	p = index >= 0 ? part_find(r, index) : call_last(r);
	if (p && p->type != PART_CALL) p = NULL;
	if (p && id.len && p->id.len) return NULL; /* another id: another call */
	if (p && name.len && p->name.len && call_whole(r, p)) return NULL;
	return p;
}

static void call_take(struct model_reader *r, const struct json *delta)
{
	const struct json *function = json_get(delta, "function");
	const struct json *arguments = json_get(function, "arguments");
	int64_t index = reader_index(delta, "index");
	struct str id = json_text_of(delta, "id");
	struct str name = json_text_of(function, "name");
	struct model_part *p = call_of(r, index, id, name);

	if (!p) p = part_new(r, PART_CALL, index);
	if (!p) return;
	if (!p->id.len) part_add(r, p, &p->id, id);
	if (!p->name.len && name.len) {
		part_add(r, p, &p->name, name);
		part_tell(r, PART_CALL, name);
	}
	if (json_is(arguments, JSON_OBJECT) && !p->text.len)
		json_write(&p->text, arguments);
	else
		part_add(r, p, &p->text, json_text(arguments));
}

/* Objects of an array, with commas between, behind what is there. */
static void details_take(
	struct model_reader *r, struct model_part *p, const struct json *details)
{
	struct buf one = { 0 };

	if (!p->as.len) part_add(r, p, &p->as, STR("details"));
	for (uint32_t i = 0; i < details->count; i++) {
		buf_clear(&one);
		if (p->seal.len) buf_add_char(&one, ',');
		json_write(&one, &details->items[i]);
		part_add(r, p, &p->seal, buf_str(&one));
	}
	buf_done(&one);
}

static struct model_part *thought_part(struct model_reader *r)
{
	struct model_part *p = part_last(r);

	return p && p->type == PART_THOUGHT ? p : part_new(r, PART_THOUGHT, -1);
}

static void reasoning_take(struct model_reader *r, const struct json *delta)
{
	const struct json *details = json_get(delta, "reasoning_details");
	struct str plain = json_text_of(delta, "reasoning_content");
	struct str text = plain.len ? plain : json_text_of(delta, "reasoning");
	struct model_part *p;

	if (!text.len && !(json_is(details, JSON_ARRAY) && details->count)) return;
	p = thought_part(r);
	if (!p) return;
	part_more(r, p, text);
	if (json_is(details, JSON_ARRAY))
		details_take(r, p, details);
	else if (plain.len && !p->as.len)
		part_add(r, p, &p->as, STR("reasoning_content"));
}

static const struct model_ending ends[] = {
	{ "length", TROUBLE_CUT, false, MODEL_CUT },
	{ "content_filter", TROUBLE_DECLINED, false, MODEL_FILTERED },
	{ "error", TROUBLE_OVERLOADED, true, "the provider stopped with an error" },
	{ 0 },
};

static void chunk_take(struct model_reader *r, struct str event, const struct json *data)
{
	const struct json *choices = json_get(data, "choices"), *delta, *calls;
	const struct json *choice = json_is(choices, JSON_ARRAY) && choices->count
					    ? &choices->items[0]
					    : NULL;
	const struct json *error = json_get(data, "error");

	if (!error) error = json_get(choice, "error");
	if (json_is(error, JSON_OBJECT) || str_is(event, "error")) {
		reader_error(r, 200, json_is(error, JSON_OBJECT) ? error : data);
		return;
	}
	usage_take(r, json_get(data, "usage"));
	delta = json_get(choice, "delta");
	if (!json_is(delta, JSON_OBJECT)) delta = json_get(choice, "message");
	reasoning_take(r, delta);
	part_say(r, PART_TEXT, json_text_of(delta, "content"));
	if (json_text_of(delta, "refusal").len) {
		part_say(r, PART_TEXT, json_text_of(delta, "refusal"));
		reader_trouble(r, TROUBLE_DECLINED, false, STR(MODEL_DECLINED));
	}
	calls = json_get(delta, "tool_calls");
	for (uint32_t i = 0; json_is(calls, JSON_ARRAY) && i < calls->count; i++)
		call_take(r, &calls->items[i]);
	reader_finish(r, json_text_of(choice, "finish_reason"), ends);
}

const struct wire wire_openai = {
	.path = "/chat/completions",
	.key_header = "authorization: Bearer ",
	.message = message_write,
	.write = request_write,
	.take = chunk_take,
};
