/* main.c - puts it all together: the verbs of the command line, and the server's. */
#include "channel/channel.h"
#include "cli/cli.h"
#include "net/process.h"
#include "serve/serve.h"
#include "server.h"

int main(int argc, char **argv)
{
	process_main(argc, argv);
	return cli_main(argc, argv,
		&(struct cli_above){ serve_verbs, serve_local_use, channels_doctor });
}
