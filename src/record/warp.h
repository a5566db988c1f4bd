/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of one clock on another: exact at the anchors, even between two of them, a constant shift beyond the last. */
#ifndef RECORD_WARP_H
#define RECORD_WARP_H

#include <stddef.h>
#include <stdint.h>

struct anchor {
    int64_t from, to;
};

/* Anchors in order of `from`; `to` never falls. So what lay inside something else still does. */
struct warp {
    struct anchor *at;
    size_t count, room;
};

void warp_add(struct warp *warp, int64_t from, int64_t to);
void warp_finish(struct warp *warp);                      /* puts the anchors in order */
int64_t warp_time(const struct warp *warp, int64_t from); /* `from` itself where there is no anchor */
void warp_free(struct warp *warp);

#endif
