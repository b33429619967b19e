/* errors.c - what providers call errors, as the kinds of trouble. */
#include "model/inner.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "core/run/provider.h"

/* As much as fits; a provider that repeats the key it refuses is not quoted with it. */
static void message_keep(struct model_reader *r, struct str message)
{
	struct buf masked = { .max = ERROR_BODY_MAX };

	mask_text(&masked, str_first(message, ERROR_BODY_MAX / 2), &r->setup.secret, 1);
	message = utf8_first(buf_str(&masked), 240);
	while (message.len >= sizeof r->message)
		message = utf8_first(message, 60);
	memcpy(r->message, message.at ? message.at : "", message.len);
	r->message[message.len] = 0;
	buf_done(&masked);
}

void reader_trouble(
	struct model_reader *r, enum trouble trouble, bool retry, struct str message)
{
	if (!r->trouble) {
		r->trouble = trouble;
		r->retry = retry;
	}
	if (!r->message[0]) message_keep(r, str_trim(message));
}

/* Words by which a provider names an error, whatever its status says. */
static const struct {
	const char *word;
	int status;
	enum trouble trouble;
} words[] = {
	{ "insufficient_quota", 429, TROUBLE_NO_CREDIT },
	{ "enforced_spend_limit_reached", 429, TROUBLE_NO_CREDIT },
	{ "billing_error", 402, TROUBLE_NO_CREDIT },
	{ "billing_hard_limit_reached", 429, TROUBLE_NO_CREDIT },
	{ "context_length_exceeded", 400, TROUBLE_TOO_LONG },
	{ "request_too_large", 413, TROUBLE_TOO_LONG },
	{ "overloaded_error", 529, TROUBLE_OVERLOADED },
	{ "rate_limit_error", 429, TROUBLE_RATE_LIMITED },
	{ "rate_limit_exceeded", 429, TROUBLE_RATE_LIMITED },
	{ "RESOURCE_EXHAUSTED", 429, TROUBLE_RATE_LIMITED },
	{ "UNAVAILABLE", 503, TROUBLE_OVERLOADED },
	{ "api_error", 500, TROUBLE_OVERLOADED },
	{ "server_error", 500, TROUBLE_OVERLOADED },
	{ "timeout_error", 504, TROUBLE_OVERLOADED },
	{ "authentication_error", 401, TROUBLE_UNAUTHORIZED },
	{ "permission_error", 403, TROUBLE_UNAUTHORIZED },
	{ "invalid_api_key", 401, TROUBLE_UNAUTHORIZED },
	{ "API_KEY_INVALID", 401, TROUBLE_UNAUTHORIZED },
	{ "not_found_error", 404, TROUBLE_REFUSED },
	{ "invalid_request_error", 400, TROUBLE_REFUSED },
	{ "invalid_prompt", 400, TROUBLE_REFUSED },
	{ "content_filter", 400, TROUBLE_DECLINED },
};

/* Sentences that say more than the status they come with. */
static const struct {
	const char *part;
	enum trouble trouble;
} sentences[] = {
	{ "prompt is too long", TROUBLE_TOO_LONG },
	{ "maximum context length", TROUBLE_TOO_LONG },
	{ "exceed context limit", TROUBLE_TOO_LONG },
	{ "exceeds the maximum number of tokens", TROUBLE_TOO_LONG },
	{ "exceeds the context window", TROUBLE_TOO_LONG },
	{ "exceeds the available context size", TROUBLE_TOO_LONG },
	{ "credit balance is too low", TROUBLE_NO_CREDIT },
	{ "API key not valid", TROUBLE_UNAUTHORIZED },
};

static enum trouble trouble_of_status(int status)
{
	switch (status) {
	case 401:
	case 403: return TROUBLE_UNAUTHORIZED;
	case 402: return TROUBLE_NO_CREDIT;
	case 408: return TROUBLE_UNREACHABLE;
	case 413: return TROUBLE_TOO_LONG;
	case 429: return TROUBLE_RATE_LIMITED;
	case 409: return TROUBLE_OVERLOADED;
	default:
		return status >= 500 || status < 300 ? TROUBLE_OVERLOADED
						     : TROUBLE_REFUSED;
	}
}

static bool passes(enum trouble trouble)
{
	return trouble == TROUBLE_RATE_LIMITED || trouble == TROUBLE_OVERLOADED ||
	       trouble == TROUBLE_UNREACHABLE;
}

/* Gemini says "34.2s" in a RetryInfo among the details. */
static void retry_info_read(struct model_reader *r, const struct json *error)
{
	const struct json *details = json_get(error, "details");

	for (uint32_t i = 0; json_is(details, JSON_ARRAY) && i < details->count; i++) {
		struct str delay = json_text_of(&details->items[i], "retryDelay");
		char text[32];
		double s;

		if (!str_ends(delay, "s") || delay.len >= sizeof text) continue;
		snprintf(text, sizeof text, "%.*s", (int)delay.len - 1, delay.at);
		s = strtod(text, NULL);
		if (s >= 0 && s <= 86400) r->retry_after_ms = (int64_t)(s * 1000);
	}
}

/* The whole number behind these words; 0: there is none. */
static int64_t number_behind(struct str message, const char *before)
{
	int64_t at = str_find(message, str_of(before)), n = 0;
	struct str rest;

	if (at < 0) return 0;
	rest = str_from(message, (size_t)at + str_of(before).len);
	for (size_t i = 0; i < rest.len && n < INT64_C(1000000000); i++) {
		if (rest.at[i] == ',' && n) continue; /* 200,000 */
		if (rest.at[i] < '0' || rest.at[i] > '9') break;
		n = n * 10 + (rest.at[i] - '0');
	}
	return n;
}

/* How many tokens a model takes and how many it was sent, in the words that vendors have for it. */
static void numbers_read(struct model_reader *r, struct str message)
{
	static const char *const takes[] = { "maximum context length is ",
		"tokens allowed (", "available context size (", " > ", NULL };
	static const char *const sent[] = { "too long: ", "resulted in ", "requested ",
		"token count (", "request (", "context limit: ", NULL };

	for (int i = 0; takes[i] && !r->told_context; i++)
		r->told_context = number_behind(message, takes[i]);
	for (int i = 0; sent[i] && !r->told_sent; i++)
		r->told_sent = number_behind(message, sent[i]);
}

static bool word_find(struct str word, int *status, enum trouble *trouble)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(word, words[i].word)) {
			*status = words[i].status;
			*trouble = words[i].trouble;
			return true;
		}
	return false;
}

void reader_error(struct model_reader *r, int status, const struct json *body)
{
	const struct json *inner = json_get(body, "error");
	const struct json *error = json_is(inner, JSON_OBJECT) ? inner : body;
	const struct json *code = json_get(error, "code");
	struct str message = json_text_of(error, "message");
	bool unpaid = status == 402;
	enum trouble trouble;

	if (json_is(inner, JSON_STRING)) message = json_text(inner);
	if (json_is(code, JSON_NUMBER) && code->is_int && status < 300 &&
		code->integer >= 400 && code->integer < 600)
		status = (int)code->integer;
	trouble = trouble_of_status(status);
	if (!word_find(json_text(code), &status, &trouble))
		if (!word_find(json_text_of(error, "type"), &status, &trouble))
			word_find(json_text_of(error, "status"), &status, &trouble);
	/* The status is more precise than a general word such as "api_error". */
	if (unpaid) trouble = TROUBLE_NO_CREDIT;
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		if (status < 500 && status != 429 &&
			str_find(message, str_of(sentences[i].part)) >= 0)
			trouble = sentences[i].trouble;
	retry_info_read(r, error);
	if (trouble == TROUBLE_TOO_LONG) numbers_read(r, message);
	reader_trouble(r, trouble, passes(trouble), message);
}
