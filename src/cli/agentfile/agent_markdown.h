/* agent_markdown.h - an agent in a markdown file: front matter, then its prompt. */
#ifndef CLI_AGENTFILE_AGENT_MARKDOWN_H
#define CLI_AGENTFILE_AGENT_MARKDOWN_H

#include "base/arena.h"
#include "base/fault.h"

/* Texts are borrowed from the file's. Empty: not said. */
struct agent_markdown {
	struct str name, description, provider, model, effort;
	/* With commas, as it stands; lines of a list joined by commas. */
	struct str tools;
	struct str prompt;
};

/* ERR_INVALID: it does not begin with "---", or that does not end, or it has no name. */
enum err agent_markdown_read(
	struct str text, struct arena *, struct agent_markdown *out, struct fault *why);

#endif
