/* channels.h - the ways to reach people, a row each: the constant, the name, what an address of it is
 * (channel_kind.c), its place in the order in which people are tried, and how it differs from the
 * others (CHANNEL_… of channel_kind.h). Enumeration, names and both tables of channels are made from
 * these rows. */
#ifndef CORE_CHANNELS_H
#define CORE_CHANNELS_H

#define CHANNELS(ROW)                                                                    \
	ROW(WEBHOOK, webhook, address_url, 4,                                            \
		CHANNEL_ADMINS | CHANNEL_URL | CHANNEL_HOST | CHANNEL_FORMATS |          \
			CHANNEL_REPLACES)                                                \
	ROW(EMAIL, email, address_mail, 3, CHANNEL_CODE | CHANNEL_KEEPS)                 \
	ROW(SLACK, slack, address_slack, 2,                                              \
		CHANNEL_CODE | CHANNEL_IDS | CHANNEL_EDITS | CHANNEL_REPLACES)           \
	ROW(PUSH, push, address_browser, 1, CHANNEL_BROWSER | CHANNEL_URL)               \
	ROW(COMMAND, command, address_name, 5, CHANNEL_ADMINS | CHANNEL_NAMED)
#define CHANNEL_MUST "must be email, slack, push, webhook or command"

#endif
