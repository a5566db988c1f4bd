/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#ifdef HAVE_SQLITE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

enum { LEAST_VERSION = 3038000 }; /* sqlite3_vtab_distinct() */

static const char *const names[] = {"libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *why; /* it could not be had; NULL: it is there */

/* SQLite calls what is registered so with the table for every database that is opened. */
static int take_routines(sqlite3 *db, char **message, const sqlite3_api_routines *routines)
{
    sqlite3_api = routines;
    return SQLITE_OK;
}

struct first_calls {
    int (*version)(void);
    int (*register_extension)(void (*entry)(void));
    int (*forget_extension)(void (*entry)(void));
    int (*open)(const char *name, sqlite3 **db, int flags, const char *vfs);
    int (*close)(sqlite3 *db);
};

static bool find_calls(void *library, struct first_calls *calls)
{
    static const char *const wanted[] = {"sqlite3_libversion_number", "sqlite3_auto_extension",
                                         "sqlite3_cancel_auto_extension", "sqlite3_open_v2", "sqlite3_close"};
    void *found[sizeof wanted / sizeof *wanted];
    bool all = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        all &= (found[i] = dlsym(library, wanted[i])) != NULL;
    memcpy(calls, found, sizeof *calls);
    return all;
}

static void *open_any(void)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void open_library(void)
{
    struct first_calls calls;
    sqlite3 *db = NULL;
    void *const library = open_any();
    if (!library) {
        why = "SQLite, which runs queries, is not here: install libsqlite3-0 (or sqlite-libs, sqlite)";
        return;
    }
    if (!find_calls(library, &calls) || calls.version() < LEAST_VERSION) {
        why = "the SQLite that is here is older than 3.38";
        return;
    }
    calls.register_extension((void (*)(void))take_routines);
    calls.open(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);
    calls.close(db);
    calls.forget_extension((void (*)(void))take_routines);
    if (!sqlite3_api)
        why = "the SQLite that is here takes no extensions, by which it is called";
}

bool sql_library_open(struct steptime_error *err)
{
    pthread_once(&once, open_library);
    return !why || fail(err, STEPTIME_INPUT, "%s", why);
}
#endif
