/* help.h - what the tables and the catalogue say about the verbs: as help, as manual
 * pages, as completions. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "base/buf.h"
#include "cli/cli.h"

enum { HELP_WIDTH = 80 };

/* `command` NULL: about parley as a whole. Returns EXIT_YES. */
int help_print(struct cli *, const struct command *, FILE *to);
int help_print_all(struct cli *); /* every command, by subject, on stdout */
/* The commands of every day, in turn; NULL at the end. */
const struct command *help_everyday(const struct cli *, size_t i);
/* The verbs that begin with this word, such as "token", which is no verb by itself. False:
 * there are none. */
bool help_group(struct cli *, struct str first, FILE *to);
/* A left column of so many, and a text that goes on under itself. */
void help_row_add(struct buf *, struct str left, size_t column, struct str text);
/* --help, a manual page, a completion (cli/templates/templates.h), about this verb if it is about
 * one. */
void help_fill(struct cli *, const struct command *, const char *template, struct buf *);
/* False: no such shell. */
bool completion_write(struct cli *, struct str shell, struct buf *);

/* Texts of the tables; NUL-terminated, never NULL. */
const char *help_summary(struct cli *, const struct command *);
const char *help_text(struct cli *, const struct command *); /* "" when there is none */
const char *help_flag(struct cli *, const struct command *, const struct flag *);
/* The same of a setting, with what it accepts and its default. */
const char *help_setting(struct cli *, const struct command *, const struct flag *);
const char *help_group_title(unsigned group); /* COMMANDS_ASK, … */
unsigned help_group_of(const struct command *);
const char *help_exit(struct cli *, const struct command *, struct str status);
/* Its flags in turn, its own first, the settings' then: NULL at the end. *own tells. */
const struct flag *help_flag_at(
	struct cli *, const struct command *, size_t i, bool *own);

#endif
