/* config_edit.h - changes to the configuration files of other programs. Pure.
 *
 * A file is a text in one of three formats. What is not ours keeps every byte: comments,
 * order, blanks, line ends. A change that is made already changes nothing, and one that is
 * undone leaves the text that was there before:
 *
 * 1. What we add to a list or a table that has members goes behind the last of them.
 * 2. What we add to one that is empty goes right behind its opening bracket. What we open
 *    ourselves has a blank or a line end there: so it is known for ours, and goes with the
 *    last of its members.
 * 3. A file that we begin ends with a line end; one that was there and empty does not.
 *
 * A text that cannot be read is refused with its line, never mended. */
#ifndef CLI_CONNECT_CONFIG_EDIT_H
#define CLI_CONNECT_CONFIG_EDIT_H

#include "base/json.h"

enum config_format {
	CONFIG_JSON, /* also with comments and trailing commas */
	CONFIG_TOML,
	CONFIG_YAML,
};

struct config_change {
	const char *path;  /* from the root, with '/' between: "permissions/allow" */
	struct str value;  /* as JSON: what stands there */
	bool item;	   /* it is one item of the list at `path` */
	const char *known; /* an item with a text that contains this is ours, however it
			    * was changed since, and stays so; NULL: what equals it */
	struct str last;   /* one more name behind the path, of any text; empty: none */
};

enum { CONFIG_MAX = 16 << 20 }; /* bytes of a file */

/* Makes the change, or undoes it. A text whose `at` is NULL is a file that is not there;
 * in *out it is one that can go. ERR_INVALID: the text cannot be read, or has something
 * else where the change belongs; why->detail says in which line. */
enum err config_edit(enum config_format, struct str text, const struct config_change *,
	bool remove, struct arena *, struct str *out, struct fault *why);

/* Where a value stands in a text; { 0, 0 }: nowhere. */
struct config_span {
	size_t start, end;
};
/* `command` and `args` of the table NAME below `path`; in YAML, of the item of that name. ERR_NOT_FOUND: there is no such. */
struct config_command {
	const char *path;
	struct str name;
	struct config_span command, args;
	/* In YAML: */
	bool brackets; /* the table is in brackets */
	bool lines;    /* `args` is a list of lines */
	size_t column; /* of the names in the table, or of the dashes of such a list */
};
/* Puts this program, with these words, before the command of a server; or takes it away again, byte by byte. *out is
 * the text itself when there is nothing to change. ERR_NOT_FOUND: it has no such server that is a program. */
enum err config_gate(enum config_format, struct str text, const char *path,
	struct str name, struct str program, bool remove, struct arena *, struct str *out,
	struct fault *why);

/* ---- for the formats ---- */

typedef enum err config_find_fn(
	struct str text, struct config_command *, struct arena *, struct fault *why);
config_find_fn config_find_json, config_find_toml, config_find_yaml;

typedef enum err config_edit_fn(struct str text, const struct config_change *,
	bool remove, struct arena *, struct str *out, struct fault *why);
config_edit_fn config_edit_json, config_edit_toml, config_edit_yaml;

/* "\r\n" where the text's first line ends so, else "\n". */
const char *config_newline(struct str text);
/* How many bytes of a line end stand before this one. */
size_t config_newline_before(struct str text, size_t at);
enum err config_wrong(struct str text, size_t at, struct fault *why, const char *format,
	...) __attribute__((format(printf, 4, 5)));
/* Is an item with these values ours? */
bool config_is_ours(
	const struct json *item, const struct json *wanted, const char *known);
/* `text` without [from, to), with `put` in its place. */
struct str config_splice(
	struct str text, size_t from, size_t to, struct str put, struct arena *);

#endif
