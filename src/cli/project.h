/* project.h - which project a command is about. */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include "cli/cli.h"

/* Takes --project, else PARLEY_PROJECT, else a guess: the name of the git work tree that `folder`
 * lies in, its top folder's. NULL: no guess. Whatever the command asks for later goes with
 * it. A wrong name is said, and ends the program. */
void project_say(struct cli *, const char *folder);
/* The same with the folder that it was started in. */
void project_say_here(struct cli *);

#endif
