/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#ifdef HAVE_SQLITE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

enum { LEAST_VERSION = 3038000 }; /* sqlite3_vtab_distinct() */

static const char *const names[] = {"libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *why; /* it cannot be had, once and for all; NULL with sqlite3_api: it is there */

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

/* The loader tells its want of memory in words alone. */
static bool loader_lacks_memory(void)
{
    const char *const text = dlerror();
    return !text || strstr(text, "out of memory") || strstr(text, "annot allocate memory");
}

static void *open_any(bool *memory)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        *memory &= library || !loader_lacks_memory();
    }
    *memory |= library != NULL;
    return library;
}

/* False: memory ran out; all else that stands in the way is kept in `why`. */
static bool take_table(const struct first_calls *calls)
{
    sqlite3 *db = NULL;
    int code = calls->register_extension((void (*)(void))take_routines);
    if (code == SQLITE_OK) {
        code = calls->open(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);
        calls->close(db);
        calls->forget_extension((void (*)(void))take_routines);
    }
    if (!sqlite3_api && code != SQLITE_NOMEM)
        why = "the SQLite that is here takes no extensions, by which it is called";
    return sqlite3_api || code != SQLITE_NOMEM;
}

static bool open_library(void)
{
    struct first_calls calls;
    bool memory = true;
    void *const library = open_any(&memory);
    if (!memory)
        return false;
    if (!library)
        why = "SQLite, which runs queries, is not here: install libsqlite3-0 (or sqlite-libs, sqlite)";
    else if (!find_calls(library, &calls) || calls.version() < LEAST_VERSION)
        why = "the SQLite that is here is older than 3.38";
    else
        return take_table(&calls);
    return true;
}

/* What memory stood in the way of is tried again at the next call. */
bool sql_library_open(struct steptime_error *err)
{
    pthread_mutex_lock(&lock);
    const bool memory = sqlite3_api || why || open_library();
    pthread_mutex_unlock(&lock);
    if (!memory)
        return fail(err, STEPTIME_MEMORY, "out of memory while SQLite is opened");
    return !why || fail(err, STEPTIME_INPUT, "%s", why);
}
#endif
