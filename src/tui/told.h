/* told.h - who was told of an ask, and what comes next, in words. Pure. */
#ifndef TUI_TOLD_H
#define TUI_TOLD_H

#include "base/json.h"
#include "tui/page.h"

/* `told`: the reply of /v1/asks/{id}/deliveries, or NULL; `me`: usr_… of who looks, or empty. */
/* `pending`: what is still to come counts. */
void told_draw(struct page *, const struct json *told, struct str me, bool pending,
	int64_t now_ms);

#endif
