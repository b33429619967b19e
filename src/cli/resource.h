/* resource.h - things that commands list, show, test and remove: a table each, which the
 * command's row names; and what commands print of them. Prefix: count_. */
#ifndef CLI_RESOURCE_H
#define CLI_RESOURCE_H

#include <stdio.h>

#include "cli/administer.h"
#include "cli/request.h"
#include "cli/table.h"

struct resource {
	const char *path; /* "/v1/agents" */
	/* The flags that choose among them, blanks between; NULL: none. */
	const char *query;
	/* The message that says that there are none; NULL: nothing does. */
	const char *none;
	const struct table_column *columns;		  /* how a list shows one, and */
	void (*print)(struct cli *, const struct json *); /* in a pipe; NULL: the same */
	const char *removed; /* the message that says so, with {id}; NULL: nothing does */
	/* The id of what a command names. NULL: ids are given as they are. */
	struct str (*find)(struct cli *, struct str who);
	enum {
		LIST_ALL,    /* all pages */
		LIST_PAGE,   /* the first, as the server gives it */
		LIST_PERSON, /* the same for a person */
		LIST_SOME,   /* for a person, as many as --limit says */
	} list;
};

/* What a row may run: NOUN list, show ID, test ID, remove ID. */
int resource_list(struct cli *);
int resource_show(struct cli *);
int resource_test(struct cli *);
int resource_remove(struct cli *);

/* What a test found, a line a check; EXIT_YES if all is well. */
int resource_checks(struct cli *, const struct json *reply);
/* The id of what the first word names. */
struct str resource_id(struct cli *);
/* The same of another than the row names. */
int resource_list_of(struct cli *, const struct resource *);
int resource_show_at(struct cli *, struct str path);

/* Items of an array, as a list shows them. */
void resource_print(struct cli *, const struct resource *, const struct json *items);
/* The item of this id or name; NULL: none. */
const struct json *resource_find(const struct json *items, struct str who);
/* Reads the list and finds the one, or ends the program. `what`: "user", for the refusal. */
const struct json *resource_pick(
	struct cli *, const struct resource *, const char *what, struct str who);
int resource_unknown(struct cli *, const char *what, struct str who); /* says so */
int resource_delete(struct cli *, const struct resource *, struct str id);
/* "/v1/agents/<id><tail>" */
struct str resource_path(
	struct cli *, const struct resource *, struct str id, const char *tail);

/* A cell: "ok", or why an agent is not runnable, a provider not usable. */
struct str state_cell(struct cli *, const struct json *);

/* --limit, or what holds without it. */
int64_t resource_limit(struct cli *);
/* The end of a list of so many: with --json one object, as one page would have been; says when there
 * are more. Returns EXIT_YES. */
int resource_pages_end(struct cli *, const struct call_pages *);

bool as_json(const struct cli *); /* --json */
/* A text member of a reply, safe for a terminal. */
struct str reply_text(struct cli *, const struct json *, const char *name);
/* The texts of a list, safe for a terminal. */
struct str reply_texts(struct cli *, const struct json *list, const char *between);
/* The end of a command that says nothing when it is done; with --json what it changed, {} when
 * that is gone. */
int reply_done(struct cli *, const struct json *reply);
/* Pretty, as people read and edit it. */
void json_print_pretty(const struct json *);
/* A message that counts, on a line. */
void count_print(struct cli *, FILE *, const char *id, int64_t n);
/* What the reply warns of, on stderr. */
void warnings_say(struct cli *, const struct json *reply);
/* All of a file, or with "-" of stdin. False: why not. */
bool file_whole(struct cli *, struct str path, struct str *out, struct fault *why);
/* The same; without it the program ends. */
struct str resource_file(struct cli *, struct str path);

#endif
