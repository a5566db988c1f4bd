/* SPDX-License-Identifier: Apache-2.0 */
#include "flame_part.h"

extern const char flame_css[], flame_tree_js[], flame_view_js[], flame_tree_js_sha256[], flame_view_js_sha256[];
extern const size_t flame_css_bytes, flame_tree_js_bytes, flame_view_js_bytes;

enum { SCRIPTS = 2 };

static const char markup[] =
    "<div id=\"flame\">"
    "<p>Calls inside calls, added up by their names over all of the trace: the wider, the longer. A click shows one alone, "
    "a click on what stands above it goes back.</p>\n"
    "<noscript><p>It needs JavaScript, as the timeline does.</p></noscript></div>\n";

const struct page_part *flame_part(void)
{
    static struct page_script scripts[SCRIPTS];
    static struct page_part part;
    scripts[0] = (struct page_script){{flame_tree_js, flame_tree_js_bytes}, flame_tree_js_sha256};
    scripts[1] = (struct page_script){{flame_view_js, flame_view_js_bytes}, flame_view_js_sha256};
    part = (struct page_part){
        .id = S("flame"),
        .title = S("Calls inside calls"),
        .markup = {markup, sizeof markup - 1},
        .style = {flame_css, flame_css_bytes},
        .scripts = scripts,
        .script_count = SCRIPTS,
    };
    return &part;
}
