/* yaml_late.c - libyaml, loaded when an agent whose configuration is YAML is connected. */
#include <yaml.h>

#include "base/late.h"

#define FUNCTIONS(X)                                                                     \
	X(int, 0, yaml_parser_initialize, (yaml_parser_t * p), (p))                      \
	X(void, , yaml_parser_set_input_string,                                          \
		(yaml_parser_t * p, const unsigned char *at, size_t len), (p, at, len))  \
	X(int, 0, yaml_parser_parse, (yaml_parser_t * p, yaml_event_t * e), (p, e))      \
	X(void, , yaml_event_delete, (yaml_event_t * e), (e))                            \
	X(void, , yaml_parser_delete, (yaml_parser_t * p), (p))

LATE_LIBRARY("libyaml-0.so.2", FUNCTIONS)

FUNCTIONS(LATE_CALL)
