/* state.c - requestState and its like: what was sealed here is read back the same; what was changed, or was never ours,
 * is refused. */
#include "mcp/ticket.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct str key = { "0123456789abcdef0123456789abcdef", 32 };

/* One that is ours, with what the input says in it. */
static void round_trip(struct str text, struct arena *arena)
{
	const struct ticket_call c = { .ask = STR("call_1"),
		.state = text,
		.agent = STR("coder"),
		.digest = str_first(text, 64),
		.how = 3,
		.expires_ms = 12345 };
	struct ticket_call again;
	struct buf b = { .max = 1 << 20 };

	ticket_call_write(&b, key, TICKET_STATE, &c);
	assert(ticket_call_read(buf_str(&b), key, TICKET_STATE, arena, &again));
	assert(str_eq(again.state, c.state) && str_eq(again.digest, c.digest));
	assert(str_eq(again.ask, c.ask) && again.how == c.how &&
		again.expires_ms == 12345);
	assert(!ticket_call_read(buf_str(&b), key, TICKET_EVENT, arena, &again));
	/* Another letter anywhere before the dot is another payload. */
	if (text.len) b.at[(size_t)text.at[0] % 8] ^= 1;
	assert(!text.len ||
		!ticket_call_read(buf_str(&b), key, TICKET_STATE, arena, &again));
	buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct arena arena = { 0 };
	struct ticket_session session;
	struct ticket_call call;
	char *plain;

	ticket_call_read(text, key, TICKET_STATE, &arena, &call);
	ticket_session_read(text, key, &arena, &session);
	if (size > 4096) size = 4096;
	plain = arena_alloc(&arena, size + 1);
	for (size_t i = 0; plain && i < size; i++)
		plain[i] = (char)(' ' + data[i] % 95);
	if (plain) round_trip(str_make(plain, size), &arena);
	arena_done(&arena);
	return 0;
}
