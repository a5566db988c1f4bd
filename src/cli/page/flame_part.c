/* SPDX-License-Identifier: Apache-2.0 */
#include "flame_part.h"

static const char markup[] =
    "<div id=\"flame\">"
    "<p>Calls inside calls, added up by their names over all of the trace: the wider, the longer. A click shows one alone, "
    "a click on what stands above it goes back.</p></div>\n";

const struct page_part *flame_part(void)
{
    static struct page_part part;
    part =
        (struct page_part){.id = S("flame"), .title = S("Calls inside calls"), .markup = {markup, sizeof markup - 1}};
    return &part;
}
