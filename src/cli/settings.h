/* settings.h - everything that can be set, from flags, PARLEY_* variables, the
 * configuration file and defaults, in this order. One table; adding a setting is one row.
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "base/log.h"
#include "cli/flags.h"
#include "text/msg.h"

/* Who reads a setting. A command takes those of its groups as flags, and only they are
 * checked for it. */
enum {
	SETTINGS_ALL = 1 << 0,	  /* every command: config, lang, color */
	SETTINGS_CLIENT = 1 << 1, /* what speaks to a server */
	SETTINGS_STORE = 1 << 2,  /* what opens the store */
	SETTINGS_SERVE = 1 << 3,  /* the server */
};

struct settings_file_named;
struct settings_section;

/* Who may connect to a Unix socket that people use: its owner, its group, everybody. */
enum socket_mode { SOCKET_OWNER, SOCKET_GROUP, SOCKET_ALL };
/* Of resumers: where the system allows it; or the server does not start; or not at all. */
enum isolation { ISOLATION_AUTO, ISOLATION_REQUIRE, ISOLATION_OFF };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Texts are NUL-terminated; empty: not set. */
struct settings {
	struct str config;
	struct str listen; /* "127.0.0.1:7275", "[::]:443", "unix:/run/parley.sock" */
	struct str url; /* how people (and clients) reach the server, no trailing slash */
	bool url_said;	/* by flag or environment: it is meant for this one call */
	struct str token; /* a client's */
	struct str tls_cert;
	struct str tls_key;
	struct str store; /* "sqlite:PATH" or "postgresql://…"; never empty */
	struct str data;  /* the data directory; never empty */
	struct str port_file;
	struct str allowed_hosts; /* comma list of further Host values */
	bool plain;		  /* beyond loopback without TLS: a proxy does it */
	bool log_json;
	enum log_level log_level;
	int64_t mcp_wait_ms, store_timeout_ms, state_timeout_ms;
	int64_t ask_rate; /* asks a minute for one token; 0: no limit */
	int64_t timeout_min_ms;
	int64_t timeout_max_ms;
	struct str webhook_internal; /* what of it webhooks may reach: core/address */
	int64_t webhook_timeout_ms;
	int64_t runs_max, model_timeout_ms, model_idle_ms;
	int64_t webhook_host_max;
	struct str resumer_env; /* comma list of variables that resumers see */
	int64_t resumer_timeout_ms;
	int socket_mode;					/* an enum socket_mode */
	int resumer_isolation;					/* an enum isolation */
	const struct settings_file_named *resumers, *verifiers; /* in the arena */
	size_t resumers_len, verifiers_len;
	const struct settings_file_named *channels; /* commands that tell people */
	size_t channels_len;
	int64_t notify_rate;	 /* messages a minute to one contact */
	struct str push_subject; /* mailto: or https:; empty: url */
	/* E-mail: how it is sent, whom it is from, where replies go and who vouches for
	 * their senders; and the mailbox that replies are fetched from. */
	struct str smtp_url, smtp_password, smtp_password_file;
	struct str mail_from, mail_reply, mail_authserv;
	int mail_approve; /* an enum risk; 0: nothing is approved by mail */
	bool mail_settled;
	struct str imap_url, imap_password, imap_password_file;
	int64_t imap_poll_ms;
	/* Slack. */
	struct str slack_token, slack_token_file, slack_app_token, slack_app_token_file,
		slack_signing_secret, slack_signing_secret_file, slack_api;
	int slack_approve; /* an enum risk; 0: nothing is approved there */
	const struct settings_section
		*sections; /* [provider X], [agent X]; in the arena */
	struct str
		model_internal; /* what of it model providers may be at: core/address */
	struct str secret_key_file; /* empty: secret.key in `data` */
	struct str default_agent;
	enum lang lang;
	enum color color;
};

/* One row of the table, for help and documentation. */
struct setting_info {
	const char *name;     /* "ask_rate" */
	const char *fallback; /* its default as text; NULL: none, or computed */
	const char *value;    /* placeholder: "N" */
	unsigned groups;
	bool in_file; /* may stand in the configuration file */
};
bool setting_info(size_t i, struct setting_info *out); /* false at the end */
/* "a whole number from 0 to 10": what a setting accepts, in the person's language. */
struct str setting_accepts(size_t i, struct arena *);

/* Who we are to push services (mailto: or https:); empty: push is off. */
struct str settings_push_subject(const struct settings *);

/* The settings of these groups as a table of flags, in the arena; NULL: out of memory. */
const struct flag *settings_flags(unsigned groups, struct arena *);
/* ERR_INVALID: one line that names the setting, its value and what is accepted. */
enum err settings_read(const struct args *, unsigned groups, struct arena *,
	struct settings *out, struct fault *why);

#endif
