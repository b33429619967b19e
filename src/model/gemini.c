/* gemini.c - the wire of Gemini's generateContent. */
#include "model/inner.h"

/* Before Gemini 3 models think within a budget of tokens; from then on by a level. */
static bool thinks_by_budget(struct str model)
{
	return str_starts(model, "gemini-2");
}

static void thinking_write(struct json_writer *w, const struct model_request *r)
{
	static const int64_t budgets[EFFORTS] = { 0, 0, 512, 1024, 8192, 24576, 24576,
		24576 };
	static const char *const levels[EFFORTS] = { [EFFORT_MINIMAL] = "MINIMAL",
		[EFFORT_LOW] = "LOW",
		[EFFORT_MEDIUM] = "MEDIUM",
		[EFFORT_HIGH] = "HIGH" };
	enum effort level = effort_nearest(r->effort, STR("minimal low medium high"));

	jw_put_object(w, "thinkingConfig");
	jw_put_bool(w, "includeThoughts", true);
	if (thinks_by_budget(r->model)) {
		jw_put_int(w, "thinkingBudget", budgets[r->effort]);
	} else {
		jw_put_text(w, "thinkingLevel", levels[level]);
	}
	jw_object_end(w);
}

/* Ids that were made here mean nothing to the provider. */
static struct str id_of(const struct utterance_part *p, struct arena *arena)
{
	return !p->id.len || str_starts(p->id, "parley_") ? STR_NONE
							  : wire_id(p->id, arena);
}

static bool part_goes(const struct utterance_part *p)
{
	if (p->type == PART_TEXT) return p->text.len > 0 || p->seal.len > 0;
	return p->type !=
	       PART_THOUGHT; /* thoughts stay; their seals are on other parts */
}

/* From Gemini 3 on the first call of a message must be signed. Of one that another model made none is. */
static bool signature_missing(const struct utterance *m)
{
	bool some = false;

	for (size_t i = 0; i < m->len; i++)
		some |= m->parts[i].seal.len > 0;
	return !some && !thinks_by_budget(m->model);
}

static void part_write(struct json_writer *w, const struct utterance_part *p,
	bool missing, struct arena *arena)
{
	switch (p->type) {
	case PART_CALL:
		JW(w, "{'functionCall':{'id':%?,'name':%s", id_of(p, arena), p->name);
		jw_put_json(w, "args", p->arguments);
		jw_object_end(w);
		break;
	case PART_RESULT:
		JW(w,
			p->is_error
				? "{'functionResponse':{'id':%?,'name':%s,'response':{'error':%s}}"
				: "{'functionResponse':{'id':%?,'name':%s,'response':{'output':%s}}",
			id_of(p, arena), p->name, p->text);
		break;
	case PART_IMAGE:
		JW(w, "{'inlineData':{'mimeType':%s,'data':%s}", p->media_type, p->text);
		break;
	default: JW(w, "{'text':%s", p->text);
	}
	JW(w, "'thoughtSignature':%?}",
		missing && p->type == PART_CALL ? STR("skip_thought_signature_validator")
						: p->seal);
}

static void message_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	bool missing = signature_missing(m);

	for (size_t i = 0; i < m->len; i++)
		if (part_goes(&m->parts[i])) part_write(w, &m->parts[i], missing, arena);
}

/* Results and a person's words that follow each other are one content: roles take turns. */
static void contents_write(struct json_writer *w, const struct model_request *r,
	const struct utterance *said)
{
	int before = -1;

	jw_put_array(w, "contents");
	for (size_t i = 0; i < r->messages_len; i++) {
		int role = said[i].role == MODEL_ASSISTANT;

		if (!said[i].items.len) continue;
		if (role != before) {
			if (before >= 0) JW(w, "]}");
			JW(w, "{'role':%s,'parts':[", role ? STR("model") : STR("user"));
			before = role;
		}
		jw_members(w, said[i].items);
	}
	if (before >= 0) JW(w, "]}");
	jw_array_end(w);
}

static void tools_write(struct json_writer *w, const struct model_request *r)
{
	JW(w, "'tools':[{'functionDeclarations':[");
	for (const struct model_tool *t = r->tools; t < r->tools + r->tools_len; t++)
		JW(w, "{'name':%s,'description':%s,'parametersJsonSchema':%j}", t->name,
			t->description, t->schema);
	JW(w, "]}]");
}

static void request_write(struct json_writer *w, const struct model_request *r,
	const struct utterance *said)
{
	jw_object(w);
	if (r->system.len)
		JW(w, "'systemInstruction':{'parts':[{'text':%s}]}", r->system);
	if (r->tools_len) tools_write(w, r);
	if (r->output_max || r->effort || r->output_schema) {
		jw_put_object(w, "generationConfig");
		if (r->output_max) jw_put_int(w, "maxOutputTokens", r->output_max);
		if (r->effort) thinking_write(w, r);
		if (r->output_schema) {
			jw_put_text(w, "responseMimeType", "application/json");
			output_schema_write(w, WIRE_GEMINI, r->output_schema);
		}
		jw_object_end(w);
	}
	contents_write(w, r, said);
	jw_object_end(w);
}

/* ---- the reply ---- */

static void usage_take(struct model_reader *r, const struct json *usage)
{
	int64_t prompt = number_of(usage, "promptTokenCount");
	int64_t thoughts = number_of(usage, "thoughtsTokenCount");
	struct usage u = { .cache_read = number_of(usage, "cachedContentTokenCount"),
		.output = number_of(usage, "candidatesTokenCount") + thoughts,
		.reasoning = thoughts };

	if (!json_is(usage, JSON_OBJECT)) return;
	reader_usage(r, u, prompt);
}

static void part_take(struct model_reader *r, const struct json *part)
{
	const struct json *call = json_get(part, "functionCall"), *args;
	struct str text = json_text_of(part, "text");
	struct str seal = json_text_of(part, "thoughtSignature");
	bool thought = json_is(json_get(part, "thought"), JSON_TRUE);
	struct model_part *p = NULL;

	if (json_is(call, JSON_OBJECT)) {
		p = part_call(
			r, -1, json_text_of(call, "id"), json_text_of(call, "name"));
		args = json_get(call, "args");
		if (p && json_is(args, JSON_OBJECT)) json_write(&p->text, args);
	} else if (text.len) {
		p = part_say(r, thought ? PART_THOUGHT : PART_TEXT, text);
	} else if (seal.len) {
		p = part_new(r, PART_TEXT, -1); /* a seal may come alone */
	}
	if (p && seal.len) part_add(r, p, &p->seal, seal);
}

/* Every other reason is an end as STOP is. */
static const struct model_ending ends[] = {
	{ "MAX_TOKENS", TROUBLE_CUT, false, MODEL_CUT },
	{ "MALFORMED_FUNCTION_CALL", TROUBLE_EMPTY, false,
		"the model's call of a tool was malformed" },
	{ "UNEXPECTED_TOOL_CALL", TROUBLE_EMPTY, false,
		"the model called a tool that it was not offered" },
	{ "TOO_MANY_TOOL_CALLS", TROUBLE_EMPTY, false,
		"the model called too many tools in a row" },
	{ "MISSING_THOUGHT_SIGNATURE", TROUBLE_EMPTY, false,
		"the signature of a thought is missing" },
	{ "OTHER", TROUBLE_EMPTY, false, "the model stopped for no known reason" },
	{ "SAFETY", TROUBLE_DECLINED, false, "declined for safety" },
	{ "RECITATION", TROUBLE_DECLINED, false,
		"declined: it would recite others' work" },
	{ "BLOCKLIST", TROUBLE_DECLINED, false, "declined: a forbidden term" },
	{ "PROHIBITED_CONTENT", TROUBLE_DECLINED, false, "declined: prohibited content" },
	{ "SPII", TROUBLE_DECLINED, false, "declined: sensitive personal information" },
	{ "LANGUAGE", TROUBLE_DECLINED, false, "declined: an unsupported language" },
	{ "IMAGE_SAFETY", TROUBLE_DECLINED, false, "declined for safety of an image" },
	{ 0 },
};

static void chunk_take(struct model_reader *r, struct str event, const struct json *data)
{
	const struct json *candidates = json_get(data, "candidates"), *candidate, *parts;
	struct str blocked =
		json_text_of(json_get(data, "promptFeedback"), "blockReason");
	struct str why;

	(void)event;
	if (json_get(data, "error")) {
		reader_error(r, 200, data);
		return;
	}
	usage_take(r, json_get(data, "usageMetadata"));
	if (blocked.len) {
		r->finished = true;
		reader_trouble(r, TROUBLE_DECLINED, false, blocked);
	}
	candidate = json_is(candidates, JSON_ARRAY) && candidates->count
			    ? &candidates->items[0]
			    : NULL;
	parts = json_get(json_get(candidate, "content"), "parts");
	for (uint32_t i = 0; json_is(parts, JSON_ARRAY) && i < parts->count; i++)
		part_take(r, &parts->items[i]);
	why = json_text_of(candidate, "finishReason");
	if (!str_is(why, "FINISH_REASON_UNSPECIFIED")) reader_finish(r, why, ends);
}

const struct wire wire_gemini = {
	.path = "/models/%:streamGenerateContent?alt=sse",
	.key_header = "x-goog-api-key: ",
	.message = message_write,
	.write = request_write,
	.take = chunk_take,
};
