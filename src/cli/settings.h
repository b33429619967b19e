/* settings.h - the settings (core/shared/settings.h) as they are read, shown and explained. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "base/log.h"
#include "cli/flags.h"
#include "core/shared/settings.h"
#include "text/msg.h"

/* Who reads a setting. A command takes those of its groups as flags, and only they are
 * checked for it. */
enum {
	SETTINGS_ALL = 1 << 0,	  /* every command: config, lang, color */
	SETTINGS_CLIENT = 1 << 1, /* what speaks to a server */
	SETTINGS_STORE = 1 << 2,  /* what opens the store */
	SETTINGS_SERVE = 1 << 3,  /* the server */
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

/* The settings of these groups as a table of flags, in the arena; NULL: out of memory. */
const struct flag *settings_flags(unsigned groups, struct arena *);
/* The store's address without user, password and options. */
struct str settings_store_shown(struct str store, struct arena *);
/* ERR_INVALID: one line that names the setting, its value and what is accepted. */
enum err settings_read(const struct args *, unsigned groups, struct arena *,
	struct settings *out, struct fault *why);

#endif
