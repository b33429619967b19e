/* settings.h - everything that can be set: one row a setting. cli/settings.c reads them from flags,
 * PARLEY_* variables, the configuration file and defaults, in this order; a person reads what a row
 * is for in messages/ (setting.NAME). */
#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H

#include "base/str.h"

/* Who may connect to a Unix socket that people use: its owner, its group, everybody. */
enum socket_mode { SOCKET_OWNER, SOCKET_GROUP, SOCKET_ALL };
/* Of resumers: where the system allows it; or the server does not start; or not at all. */
enum isolation { ISOLATION_AUTO, ISOLATION_REQUIRE, ISOLATION_OFF };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct named_command;
struct settings_section;

/* X(kind, name, who reads it, its value in help, default, least, most): A every command, S the server, C what speaks
 * to a server, D what opens the store. */
#define SETTINGS(X)                                                                      \
	/* "127.0.0.1:7275", "[::]:443", "unix:/run/parley.sock" */                      \
	X(LISTEN, listen, S, "ADDRESS", "127.0.0.1:7275")                                \
	/* how people (and clients) reach the server, no trailing slash */               \
	X(URL, url, S | C, "URL")                                                        \
	/* a client's */                                                                 \
	X(SECRET, token, C, "TOKEN")                                                     \
	X(PATH, tls_cert, S, "FILE")                                                     \
	X(PATH, tls_key, S, "FILE")                                                      \
	/* beyond loopback without TLS: a proxy does it */                               \
	X(BOOL, plain, S, NULL, "no")                                                    \
	/* an enum socket_mode */                                                        \
	X(WORD, socket_mode, S, "MODE", "600", .words = modes)                           \
	/* comma list of further Host values */                                          \
	X(HOSTS, allowed_hosts, S, "HOST,…")                                             \
	/* "sqlite:PATH" or "postgresql://…"; never empty */                           \
	X(STORE, store, S | D, "STORE")                                                  \
	/* the data directory; never empty */                                            \
	X(PATH, data, S | C | D, "FOLDER")                                               \
	/* 0: text, 1: JSON */                                                           \
	X(WORD, log, S | D, "FORM", "text", .words = logs)                               \
	/* an enum log_level */                                                          \
	X(WORD, log_level, S | D, "LEVEL", "info", .words = levels)                      \
	X(TIME, mcp_wait, S, "TIME", "50s", SECOND, 3600 * SECOND)                       \
	/* how long an approved call at the gateway waits for its caller */              \
	X(TIME, gateway_keep, S, "TIME", "24h", SECOND, 720LL * 3600 * SECOND)           \
	/* bytes of a result that are read there */                                      \
	X(INT, gateway_result_max, S, "BYTES", "8388608", 65536, 67108864)               \
	X(TIME, store_timeout, S, "TIME", "30s", SECOND, 3600 * SECOND)                  \
	X(TIME, state_timeout, S, "TIME", "60s", SECOND, 3600 * SECOND)                  \
	/* asks a minute for one token; 0: no limit */                                   \
	X(INT, ask_rate, S, "N", "6000", 0, 1000000000)                                  \
	/* of one session: open asks, and asks a minute; 0: no limit */                  \
	X(INT, session_open, S, "N", "1000", 0, 1000000000)                              \
	X(INT, session_rate, S, "N", "6000", 0, 1000000000)                              \
	X(TIME, timeout_min, S, "TIME", "1s", 1, INT64_MAX)                              \
	X(TIME, timeout_max, S, "TIME", "30d", 1, INT64_MAX)                             \
	X(TIME, approval_ttl, S, "TIME", "5m", 10 * SECOND, 3600 * SECOND)               \
	/* internal addresses that webhooks may reach: core/address */                   \
	X(REACH, webhook_internal, S, "LIST", "no")                                      \
	X(TIME, webhook_timeout, S, "TIME", "20s", SECOND, 300 * SECOND)                 \
	X(INT, webhook_host_max, S, "N", "8", 1, 64)                                     \
	/* internal addresses that model providers may be at */                          \
	X(REACH, model_internal, S, "LIST", "no")                                        \
	/* internal addresses that tools of the file may reach without TLS */            \
	X(REACH, tool_internal, S, "LIST", "no")                                         \
	/* empty: secret.key in `data` */                                                \
	X(PATH, secret_key_file, S, "FILE")                                              \
	X(TEXT, default_agent, S, "NAME")                                                \
	X(INT, runs_max, S, "N", "64", 1, 1024)                                          \
	X(TIME, model_timeout, S, "TIME", "300s", SECOND, 3600 * SECOND)                 \
	X(TIME, model_idle, S, "TIME", "90s", SECOND, 3600 * SECOND)                     \
	/* comma list of variables that resumers see */                                  \
	X(NAMES, resumer_env, S, "NAME,…")                                               \
	X(TIME, resumer_timeout, S, "TIME", "24h", SECOND, INT64_MAX)                    \
	/* an enum isolation */                                                          \
	X(WORD, resumer_isolation, S, "WHEN", "auto", .words = isolations)               \
	/* messages a minute to one contact */                                           \
	X(INT, notify_rate, S, "N", "10", 1, 1000)                                       \
	/* mailto: or https:; empty: url */                                              \
	X(TEXT, push_subject, S, "URL")                                                  \
	X(SERVER, smtp_url, S, "URL", .words = smtp)                                     \
	X(SECRET, smtp_password, S, "PASSWORD")                                          \
	X(PATH, smtp_password_file, S, "FILE")                                           \
	X(MAIL, mail_from, S, "ADDRESS")                                                 \
	/* where replies by mail go */                                                   \
	X(REPLY, mail_reply, S, "ADDRESS")                                               \
	/* who vouches for their senders */                                              \
	X(TEXT, mail_authserv, S, "NAME")                                                \
	/* an enum risk; 0: nothing is approved by mail */                               \
	X(WORD, mail_approve, S, "RISK", "medium", .words = approvals)                   \
	X(BOOL, mail_settled, S, NULL, "no")                                             \
	X(SERVER, imap_url, S, "URL", .words = imap)                                     \
	X(SECRET, imap_password, S, "PASSWORD")                                          \
	X(PATH, imap_password_file, S, "FILE")                                           \
	X(TIME, imap_poll, S, "TIME", "15s", SECOND, 3600 * SECOND)                      \
	X(SECRET, slack_token, S, "TOKEN")                                               \
	X(PATH, slack_token_file, S, "FILE")                                             \
	X(SECRET, slack_app_token, S, "TOKEN")                                           \
	X(PATH, slack_app_token_file, S, "FILE")                                         \
	X(SECRET, slack_signing_secret, S, "SECRET")                                     \
	X(PATH, slack_signing_secret_file, S, "FILE")                                    \
	/* likewise, in Slack */                                                         \
	X(WORD, slack_approve, S, "RISK", "medium", .words = approvals)                  \
	X(SERVER, slack_api, S, "URL", "https://slack.com/api/", .words = web)           \
	X(PATH, port_file, S, "FILE")                                                    \
	X(PATH, config, A, "FILE", .not_in_file = true)                                  \
	/* an enum lang, once read */                                                    \
	X(WORD, lang, A, "LANG", "auto", .words = langs)                                 \
	/* an enum color, likewise */                                                    \
	X(WORD, color, A, "WHEN", "auto", .words = colors)

/* The type and the member of each kind. */
#define SETTING_TEXT(name)	    struct str, name
#define SETTING_SECRET(name)	    struct str, name
#define SETTING_PATH(name)	    struct str, name
#define SETTING_LISTEN(name)	    struct str, name
#define SETTING_URL(name)	    struct str, name
#define SETTING_STORE(name)	    struct str, name
#define SETTING_HOSTS(name)	    struct str, name
#define SETTING_NAMES(name)	    struct str, name
#define SETTING_REACH(name)	    struct str, name
#define SETTING_SERVER(name)	    struct str, name
#define SETTING_MAIL(name)	    struct str, name
#define SETTING_REPLY(name)	    struct str, name
#define SETTING_INT(name)	    int64_t, name
#define SETTING_TIME(name)	    int64_t, name##_ms
#define SETTING_WORD(name)	    int, name /* which of its words */
#define SETTING_BOOL(name)	    bool, name
#define SETTING_WITH(use, ...)	    use(__VA_ARGS__)
#define SETTING_DECLARE(type, name) type name;
#define SETTING_MEMBER(kind, name, ...)                                                  \
	SETTING_WITH(SETTING_DECLARE, SETTING_##kind(name))

/* Texts are NUL-terminated; empty: not set. */
struct settings {
	SETTINGS(SETTING_MEMBER)
	bool url_said; /* by flag or environment: it is meant for this one call */
	/* Sections of the configuration file; all in the arena. */
	const struct named_command *resumers, *verifiers;
	const struct named_command *channels; /* commands that tell people */
	size_t resumers_len, verifiers_len, channels_len;
	const struct settings_section *sections; /* [provider X], [agent X] */
};

#endif
