/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is given: its files, and what the user says of them. */
#ifndef SOURCE_GIVEN_H
#define SOURCE_GIVEN_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"

/* Path (as the user gave it; folders make the module names) and bytes; both must outlive the project. */
struct project_source {
    str path, text;
};

/*
 * A folder in which a project keeps its packages: `import package.x` of a file below `below` is looked for as x in
 * `folder`. Of an empty package the folder holds them all.
 */
struct source_root {
    str below, package, folder;
};

/* What the user's configuration adds. Names are last names ("to_gpu") or dotted ends of qualified names. */
struct project_options {
    const str *uploads; /* helpers that move their first argument to the device, nested containers too */
    uint32_t upload_count;
    const str *downloads; /* helpers that move it back to the CPU */
    uint32_t download_count;
    const struct source_root *roots; /* as the projects say */
    uint32_t root_count;
    /*
     * The names that stand in what lies beside the sources and says what they run, as hash_bytes of each; NULL where
     * that is not known, and any class may be made by what a setting names.
     */
    const struct map *mentioned;
    unsigned threads; /* 0: all cores */
};

#endif
