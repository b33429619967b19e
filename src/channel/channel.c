/* channel.c - the table of channels, and who walks it. */
#include "channel/channel.h"

#define ROW(kind, name, ...) [DELIVERY_##kind] = &channel_##name,
const struct channel *const channels[DELIVERY_KINDS] = {
	CHANNELS(ROW)[DELIVERY_RESUMER] = &channel_resumer, [DELIVERY_VERIFIER] =
								    &channel_verifier
};

struct str channels_on(const struct settings *set, struct arena *arena)
{
	struct str names = STR_NONE;

	for (int k = 0; k < DELIVERY_KINDS; k++)
		if (channel_names[k] && (!channels[k]->on || channels[k]->on(set)))
			names = arena_print(arena, "%.*s%s%s", STR_ARGS(names),
				names.len ? "," : "", channel_names[k]);
	return names;
}

void channels_receivers(const struct receiver *out[DELIVERY_KINDS + 1])
{
	size_t len = 0;

	for (int k = 0; k < DELIVERY_KINDS; k++)
		if (channels[k] && channels[k]->receiver)
			out[len++] = channels[k]->receiver;
	out[len] = NULL;
}

void channels_doctor(const struct settings *set, const struct doctor *d)
{
	for (int k = 0; k < DELIVERY_KINDS; k++)
		if (channels[k] && channels[k]->doctor) channels[k]->doctor(set, d);
}
