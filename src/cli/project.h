/* project.h - which project a command is about. */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include "cli/cli.h"

/* Takes --project, else PARLEY_PROJECT, else a guess: the name of the git work tree that `folder`
 * lies in, its top folder's. NULL: no guess. Whatever the command asks for later goes with
 * it. EXIT_YES, or said. */
int project_say(struct cli *, const char *folder);
/* The same with the folder that it was started in. */
int project_say_here(struct cli *);

#endif
