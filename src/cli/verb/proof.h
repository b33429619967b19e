/* proof.h - what verbs that check signed things share. Prefix: proof_. */
#ifndef CLI_VERB_PROOF_H
#define CLI_VERB_PROOF_H

#include "cli/cli.h"
#include "core/proof/jws.h"

/* Those of --key. What is wrong with it is said, and ends the program. */
struct proof_keys proof_keys_given(struct cli *);

/* parley check --export. */
int export_check_run(struct cli *);

#endif
