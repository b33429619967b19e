/* project.c - the project of a command: what was said, or the work tree it stands in. */
#include "cli/project.h"

#include <stdlib.h>
#include <unistd.h>

/* Of a work tree or a submodule .git is a file. */
static bool is_top(struct arena *arena, struct str folder)
{
	struct str git = arena_print(arena, "%.*s/.git", STR_ARGS(folder));

	return git.at && access(git.at, F_OK) == 0;
}

static struct str last_part(struct str path, struct str *above)
{
	size_t n = path.len;

	while (n && path.at[n - 1] != '/')
		n--;
	*above = str_first(path, n ? n - 1 : 0);
	return str_from(path, n);
}

/* Empty: it lies in none. */
static struct str work_tree(struct arena *arena, struct str folder)
{
	struct str name, above;

	while (folder.len > 1 && folder.at[folder.len - 1] == '/')
		folder.len--;
	for (; folder.len > 1; folder = above) {
		name = last_part(folder, &above);
		if (is_top(arena, folder)) return name;
	}
	return STR_NONE;
}

void project_say(struct cli *cli, const char *folder)
{
	struct project_said *said = &cli->project;
	struct fault why = { 0 };

	said->name = str_trim(cli_has(cli, "project") ? cli_arg(cli, "project")
						      : str_of(getenv("PARLEY_PROJECT")));
	if (said->name.len && project_check(said->name, "/project", &why))
		CLI_REFUSE(cli, "cli.project.wrong");
	if (!said->name.len && folder)
		said->work_tree = work_tree(&cli->arena, str_of(folder));
	/* What cannot be a name is no guess. */
	if (said->work_tree.len && project_check(said->work_tree, "", &why))
		said->work_tree = STR_NONE;
}

void project_say_here(struct cli *cli)
{
	char *here = getcwd(NULL, 0);

	project_say(cli, here);
	cli->project.work_tree = arena_str(&cli->arena, cli->project.work_tree);
	free(here);
}
