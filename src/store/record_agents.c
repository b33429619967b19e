/* record_agents.c - the columns of agents, providers and prices. */
#include "store/record_columns.h"

const struct column agent_columns[AGENT_COLUMNS] = {
	FIXED(INT, kept_agent, ws),
	FIXED(TEXT, kept_agent, id),
	FIXED(TEXT, kept_agent, name),
	CHANGES(TEXT, kept_agent, body),
	FIXED(INT, kept_agent, created_ms),
	CHANGES(INT, kept_agent, changed_ms),
	CHANGES(INT, kept_agent, version),
};

const struct column provider_columns[PROVIDER_COLUMNS] = {
	FIXED(INT, kept_provider, ws),
	FIXED(TEXT, kept_provider, id),
	FIXED(TEXT, kept_provider, name),
	CHANGES(TEXT, kept_provider, body),
	CHANGES(TEXT, kept_provider, sealed),
	CHANGES(TEXT, kept_provider, last4),
	FIXED(INT, kept_provider, created_ms),
	CHANGES(INT, kept_provider, changed_ms),
	CHANGES(INT, kept_provider, version),
};

const struct column price_columns[PRICE_COLUMNS] = {
	FIXED(INT, kept_price, ws),
	FIXED(TEXT, kept_price, model),
	CHANGES(TEXT, kept_price, body),
	CHANGES(INT, kept_price, changed_ms),
	CHANGES(INT, kept_price, version),
};
