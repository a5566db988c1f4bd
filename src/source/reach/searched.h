/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program looks classes up by their names, or fetches modules by theirs. */
#ifndef SOURCE_SEARCHED_H
#define SOURCE_SEARCHED_H

#include "source/contexts/contexts.h"

enum searched_kind {
    SEARCHED_NOTHING,
    SEARCHED_FILE,    /* getattr(nets, name), globals()[name]: any name of one file */
    SEARCHED_NAME,    /* getattr(x, "NAME"): what is called so */
    SEARCHED_MODULES, /* import_module("nets." + name): any module whose name begins so */
    SEARCHED_ALL,     /* Base.__subclasses__() */
};

struct searched {
    enum searched_kind kind;
    uint32_t file;
    str text; /* the name, or how modules begin; "" of modules: those that nothing imports by name */
};

struct searched searched_at(const struct project *project, struct site site);

#endif
