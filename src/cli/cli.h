/* cli.h - the verbs of the command line: a file and a row each, and what runs them. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "admin/admin.h"
#include "base/json.h"
#include "cli/flags.h"
#include "cli/settings.h"
#include "cli/term.h"
#include "core/people/project.h"

/* The exit status of every verb. Every failure is non-zero. */
enum {
	EXIT_YES = 0,	    /* yes, approved, answered, done */
	EXIT_NO = 1,	    /* no, rejected, skipped; settled by another already */
	EXIT_USAGE = 2,	    /* wrong words, options, settings or values */
	EXIT_NO_SERVER = 3, /* the server is not reached, or cannot help now */
	EXIT_NOT_ALLOWED = 4,
	EXIT_UNKNOWN_ID = 5,
	EXIT_CANCELLED = 6,
	EXIT_WAITS = 7,	     /* a run waits, and is left */
	EXIT_DEADLINE = 124, /* the deadline passed without an answer */
	EXIT_INTERRUPTED = 130,
};

enum { WORDS_MANY = 255 };

/* Groups of the overview, in its order. */
enum {
	COMMANDS_ASK,
	COMMANDS_ANSWER,
	COMMANDS_RULES,
	COMMANDS_AGENTS,
	COMMANDS_SERVER,
	COMMANDS_ADMIN,
	COMMANDS_GROUPS,
};

struct cli;
struct client;
struct doctor;
struct cli_request;
struct resource;

/* What a verb's row says of it: the settings that it reads, as flags, too (SETTINGS_…); that its
 * options stop at the first word, which begins a command line; that it may come before the first
 * start of the server and makes the store; that a running server is asked, as its configuration
 * matters. */
enum {
	CLIENT = SETTINGS_CLIENT,
	STORE = SETTINGS_STORE,
	EITHER = CLIENT |
		 STORE, /* a server that is named or logged in to, else the store */
	SERVER = SETTINGS_SERVE,
	STOPS = 1 << 8,
	MAKES_STORE = 1 << 9,
	SERVED = 1 << 10,
};

/* A verb. Its texts are in the catalogue: help.NAME in one line, help.NAME.text at
 * length, help.NAME.--FLAG for its own flags; the blank of a two-word name is a dot. */
struct command {
	const char *name;	  /* "ask", or two words: "token create" */
	int (*run)(struct cli *); /* its exit status */
	const char *words;	  /* behind the options, for the usage: "ID VALUE…" */
	unsigned char words_min, words_max; /* how many there may be */
	const struct flag *flags; /* its own, up to one without a name; NULL: none */
	unsigned what;		  /* CLIENT, STORE, … */
	const char *exits;	  /* what it may exit with: "0 1 2 3" */
	const char *examples;	  /* lines, indented where one goes on; NULL: none */
	/* Each NULL for most. */
	const struct flag *also;     /* flags it shares with others */
	const struct command *takes; /* whose flags it takes as well, not listed */
	const char *alias; /* other names for it, not listed: "undo|taking back" */
	const struct resource *of;	/* what it lists, shows or removes */
	const struct cli_request *does; /* the one request that it is */
};

/* What a verb runs in. */
struct cli {
	const struct command *command;
	struct str called;	       /* its first word, as it was typed */
	const struct cli_above *above; /* as given to cli_main */
	struct args args;
	struct settings settings;
	struct term term;
	struct project_said project; /* of what it asks for: cli/project.h */
	struct str program;	     /* that asks by us; empty: nobody but us */
	struct str machine_user;     /* whose it is on this machine, beside it */
	struct client *client;	     /* whom cli_call asks: a server, or */
	struct admin *admin;	     /* the store, or the socket of its server */
	bool stdout_closed;	     /* nothing that is written there is read */
	size_t id_shown;	     /* how much of an id a table shows; 0: all */
	struct json beside;	     /* a list that another one's cells look into */
	struct arena arena;	     /* goes at exit */
};

/* What was given: the last value of an option, whether it was, a word. */
static inline struct str cli_arg(const struct cli *cli, const char *name)
{
	return args_get(&cli->args, name);
}

static inline bool cli_has(const struct cli *cli, const char *name)
{
	return args_have(&cli->args, name);
}

static inline struct str cli_word(const struct cli *cli, size_t i)
{
	return args_word(&cli->args, i);
}

/* All its words, a blank between. */
struct str cli_words(struct cli *);

/* What layers above bring along: their rows, the table of routes for administration, and what tries
 * channels out. */
struct cli_above {
	const struct command *verbs; /* up to one without a name */
	admin_use_fn *use;
	void (*channels_doctor)(const struct settings *, const struct doctor *);
};

/* Returns the exit status. */
int cli_main(int argc, char **argv, const struct cli_above *);

extern const struct flag json_flags[];	 /* --json */
extern const struct flag reason_flags[]; /* --reason, --json */

/* Goes over all rows; NULL at the end. */
const struct command *command_at(const struct cli *, size_t i);
const struct command *command_find(const struct cli *, struct str name);

/* Ends the program with this exit status, as the end of the verb would. */
_Noreturn void cli_end(struct cli *, int status);
/* Says what went wrong in one line ("parley: …") and gives the exit status for it. */
int cli_fail(const struct cli *, const struct fault *);
/* The same for a wrong use of the verb, with a pointer to its help: always EXIT_USAGE. */
int cli_usage(const struct cli *, struct str what);
#define CLI_USAGE(cli, id, ...) cli_usage((cli), MSG(&(cli)->arena, (id), __VA_ARGS__))
/* Both, and the program ends. */
_Noreturn void cli_fail_end(struct cli *, const struct fault *);
#define CLI_REFUSE(cli, ...) cli_end((cli), CLI_USAGE((cli), __VA_ARGS__))
/* Says it, and gives the exit status that goes with it. */
#define CLI_SAY(status, ...) (SAY(__VA_ARGS__), (status))
/* Is the only word one that looks for something ("list", "status"), where a sentence belongs?
 * Then it was said which command, `list`, shows such things: EXIT_USAGE follows. */
bool cli_word_looks(struct cli *, const char *list);

#endif
