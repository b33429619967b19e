/* trace.c - W3C trace context: what came with a request is kept, and passed on as ours. */
#include "core/shared/trace.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/keep.h"

#define OPENING "{\"traceparent\":\""

enum {
	MEMBERS_MAX = 32,
	KEY_MAX = 256,
	VALUE_MAX = 256,
	PARENT_MAX = 256,
	SPAN_LEN = 16
};

/* ---- traceparent: version-trace id-parent id-flags ---- */

static bool hex_is(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!(s.at[i] >= '0' && s.at[i] <= '9') &&
			!(s.at[i] >= 'a' && s.at[i] <= 'f'))
			return false;
	return true;
}

static bool zeros(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] != '0') return false;
	return true;
}

static struct str part(struct str s, size_t from, size_t len)
{
	return str_first(str_from(s, from), len);
}

/* A later version has ours at its start, and may go on after another '-'. */
static bool parent_valid(struct str s)
{
	bool first = str_starts(s, "00");

	if (s.len < TRACE_PARENT_LEN || s.len > PARENT_MAX || str_starts(s, "ff"))
		return false;
	if (s.len > TRACE_PARENT_LEN && (first || s.at[TRACE_PARENT_LEN] != '-'))
		return false;
	for (size_t i = TRACE_PARENT_LEN; i < s.len; i++)
		if (s.at[i] <= ' ' || s.at[i] > '~' || s.at[i] == '"' || s.at[i] == '\\')
			return false;
	if (s.at[2] != '-' || s.at[35] != '-' || s.at[52] != '-') return false;
	return hex_is(str_first(s, 2)) && hex_is(part(s, 3, TRACE_ID_LEN)) &&
	       hex_is(part(s, 36, SPAN_LEN)) && hex_is(part(s, 53, 2)) &&
	       !zeros(part(s, 3, TRACE_ID_LEN)) && !zeros(part(s, 36, SPAN_LEN));
}

/* ---- tracestate: key=value, … ---- */

static bool key_valid(struct str key)
{
	for (size_t i = 0; i < key.len; i++) {
		char c = key.at[i];
		bool letter = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';

		if (!letter && !digit && (i == 0 || !memchr("_-*/@", c, 5))) return false;
	}
	return key.len > 0 && key.len <= KEY_MAX;
}

static bool value_valid(struct str value)
{
	for (size_t i = 0; i < value.len; i++)
		if (value.at[i] < ' ' || value.at[i] > '~' || value.at[i] == '=')
			return false;
	return value.len > 0 && value.len <= VALUE_MAX;
}

static bool state_valid(struct str state)
{
	struct str rest = state, member, key;
	size_t members = 0;

	if (!state.len || state.len > TRACE_STATE_MAX) return false;
	while (str_cut(&rest, ',', &member)) {
		member = str_trim(member);
		if (!member.len) continue;
		if (++members > MEMBERS_MAX || !str_cut(&member, '=', &key) ||
			!member.at || !key_valid(key) || !value_valid(member))
			return false;
	}
	return members > 0;
}

struct str trace_read(struct str parent, struct str state, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	parent = str_trim(parent);
	state = str_trim(state);
	if (!parent_valid(parent)) return STR_NONE;
	jw_object(&w);
	jw_put_str(&w, "traceparent", parent);
	jw_key(&w, "tracestate");
	if (state_valid(state))
		jw_str(&w, state);
	else
		jw_null(&w);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

struct str trace_id(struct str kept)
{
	return str_starts(kept, OPENING)
		       ? part(kept, sizeof OPENING - 1 + 3, TRACE_ID_LEN)
		       : STR_NONE;
}

/* ---- passed on ---- */

/* Of its flags only those that our version knows go on: sampled, and a random trace id. */
struct trace_on trace_pass(struct str kept, struct str by, struct arena *arena)
{
	const struct json *trace;
	uint8_t digest[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE], flags;
	struct str parent;

	if (!kept.len || json_read(kept, NULL, arena, &trace, NULL))
		return (struct trace_on){ 0 };
	parent = json_text_of(trace, "traceparent");
	if (parent.len < TRACE_PARENT_LEN) return (struct trace_on){ 0 };
	sha256(by, digest);
	digest[0] |= 1; /* never all zeros */
	hex_write(digest, sizeof digest, hex);
	flags = parent.at[54];
	flags = (char)('0' + ((flags <= '9' ? flags - '0' : flags - 'a' + 10) & 3));
	return (struct trace_on){ arena_print(arena, "00-%.*s-%.*s-0%c",
					  STR_ARGS(part(parent, 3, TRACE_ID_LEN)),
					  SPAN_LEN, hex, flags),
		json_text_of(trace, "tracestate") };
}

struct str trace_members(const struct trace_on *on, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str all;

	if (!on->parent.len) return STR_NONE;
	jw_object(&w);
	jw_put_str(&w, "traceparent", on->parent);
	jw_put_some(&w, "tracestate", on->state);
	jw_object_end(&w);
	all = buf_keep_done(&b, arena);
	return all.len > 2 ? str_make(all.at + 1, all.len - 2) : STR_NONE;
}
