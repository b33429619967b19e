/* main.c - puts it all together: the verbs of the command line, and the server's. */
#include "cli/cli.h"
#include "net/process.h"
#include "server.h"

int main(int argc, char **argv)
{
	process_main(argc, argv);
	return cli_main(argc, argv, serve_verbs);
}
