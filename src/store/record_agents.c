/* record_agents.c - the columns of agents, providers and prices. */
#include "store/record_columns.h"

const struct column agent_columns[AGENT_COLUMNS] = {
	FIXED(INT, agent_record, ws),
	FIXED(TEXT, agent_record, id),
	FIXED(TEXT, agent_record, name),
	CHANGES(TEXT, agent_record, body),
	FIXED(INT, agent_record, created_ms),
	CHANGES(INT, agent_record, changed_ms),
	CHANGES(INT, agent_record, version),
};

const struct column provider_columns[PROVIDER_COLUMNS] = {
	FIXED(INT, provider_record, ws),
	FIXED(TEXT, provider_record, id),
	FIXED(TEXT, provider_record, name),
	CHANGES(TEXT, provider_record, body),
	CHANGES(TEXT, provider_record, sealed),
	CHANGES(TEXT, provider_record, last4),
	FIXED(INT, provider_record, created_ms),
	CHANGES(INT, provider_record, changed_ms),
	CHANGES(INT, provider_record, version),
};

const struct column price_columns[PRICE_COLUMNS] = {
	FIXED(INT, price_record, ws),
	FIXED(TEXT, price_record, model),
	CHANGES(TEXT, price_record, body),
	CHANGES(INT, price_record, changed_ms),
	CHANGES(INT, price_record, version),
};
