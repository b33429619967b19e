/* records.h - every record that is stored, a row each, in the order in which rows are written: what others
 * refer to comes first; then the resources, whose rows begin alike (core/shared/resources.h).
 *
 * RECORD(constant, table, struct, how many columns are its key, which of them names it by itself (-1:
 * all do), what else is to be said of it). Constants, the union of all, the table in record.c and
 * statements are made from these rows; its columns are in record.c. */
#ifndef STORE_RECORDS_H
#define STORE_RECORDS_H

#include "core/shared/resources.h"

#define RECORDS(RECORD)                                                                  \
	RECORD(WORKSPACES, workspaces, workspace, 1, -1)                                 \
	RECORD(USERS, users, user, 2, 1, VERSION(user))                                  \
	RECORD(TOKENS, tokens, token, 1, 0, VERSION(token))                              \
	RECORD(SESSIONS, sessions, session, 2, 1, VERSION(session))                      \
	RECORD(ASKS, asks, ask, 2, 1, VERSION(ask), SESSION(ask))                        \
	RECORD(FETCHED, fetched, fetched_record, 2, -1, .of_asks = true)                 \
	RECORD(MARKS, marks, mark, 3, -1, VERSION(mark), SESSION(mark))                  \
	RECORD(RULES, rules, rule_record, 2, 1, VERSION(rule_record))                    \
	RECORD(STOPS, stops, stop_record, 2, 1, VERSION(stop_record))                    \
	RECORD(MANDATES, mandates, mandate_record, 2, 1, VERSION(mandate_record),        \
		SESSION(mandate_record), .since = 12)                                    \
	RECORD(POLICIES, policies, policy_record, 1, -1, VERSION(policy_record))         \
	RECORD(PRESETS, presets, preset_record, 3, -1, VERSION(preset_record))           \
	RECORD(CONTACTS, contacts, contact, 2, 1, VERSION(contact))                      \
	RECORD(ROUTES, routes, routes_record, 1, -1, VERSION(routes_record))             \
	RECORD(NOTIFY_PEOPLE, notify_people, notify_person, 2, -1,                       \
		VERSION(notify_person))                                                  \
	RECORD(STARTS, starts, start_record, 1, -1, VERSION(start_record), .since = 9)   \
	RECORD(SIGNING_KEYS, signing_keys, signing_key, 2, 1, VERSION(signing_key),      \
		.since = 12)                                                             \
	RECORD(HOLDS, holds, legal_hold, 2, 1, VERSION(legal_hold), .since = 12)         \
	RECORD(KEYS, idempotency, key_record, 4, -1, SESSION(key_record))                \
	RECORD(SERVER_KEYS, server_keys, server_key, 1, 0, VERSION(server_key))          \
	RECORD(MAILBOXES, mailboxes, mailbox_record, 1, 0, VERSION(mailbox_record))      \
	RECORD(CHANNELS, channels, channel_record, 1, 0, VERSION(channel_record),        \
		.since = 8)                                                              \
	RECORD(NODES, nodes, node_record, 1, 0, VERSION(node_record), .since = 12)       \
	RECORD(LEASES, leases, lease_record, 1, 0, VERSION(lease_record), .since = 12)   \
	RECORD(TALLIES, tallies, tally_record, 4, -1, VERSION(tally_record),             \
		.since = 12)                                                             \
	RECORD(ALERTS, alerts, alert, 2, 1, VERSION(alert), .since = 12)                 \
	RECORD(MCP_ENDED, mcp_ended, mcp_ended, 2, -1)                                   \
	RECORD(DELIVERIES, deliveries, delivery, 2, 1, VERSION(delivery),                \
		SESSION(delivery), .of_asks = true)                                      \
	RECORD(RUNS, runs, run, 2, 1, VERSION(run), SESSION(run))                        \
	RECORD(MESSAGES, messages, run_message, 3, 2, SESSION(run_message))              \
	RECORD(TOOL_CALLS, tool_calls, tool_call, 2, 1, VERSION(tool_call),              \
		SESSION(tool_call))                                                      \
	RECORD(TASKS, tasks, todo, 2, 1, VERSION(todo), SESSION(todo))                   \
	RECORD(MEMORIES, memories, memory, 2, 1, SESSION(memory))                        \
	RECORD(MEMORY_WORDS, memory_words, memory_word, 3, -1)                           \
	RECORD(PRICES, prices, price_record, 2, -1, VERSION(price_record))               \
	RECORD(MODEL_LISTS, model_lists, model_list_record, 2, -1,                       \
		VERSION(model_list_record), .since = 10)                                 \
	RECORD(MCP_LISTS, mcp_lists, mcp_list_record, 3, -1, VERSION(mcp_list_record),   \
		.since = 12)                                                             \
	RECORD(EVENTS, events, event, 1, -1)

#endif
