/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI as the program has it: found and opened at run time, never linked. */
#ifndef CUDA_CUPTI_H
#define CUDA_CUPTI_H

#include <stdbool.h>

#include "cupti_abi.h"

/* Those that may be NULL are missing in some versions. */
struct cupti {
    void *library;
    char path[1024];
    uint32_t version;
    int (*get_version)(uint32_t *version);
    int (*get_timestamp)(uint64_t *ns);
    int (*register_callbacks)(cupti_request request, cupti_complete complete);
    int (*enable)(int kind);
    int (*flush_all)(uint32_t flag);
    int (*next_record)(uint8_t *buffer, size_t valid, uint8_t **record);
    int (*dropped)(void *context, uint32_t stream, size_t *count);
    int (*callback_name)(int domain, uint32_t id, const char **name);
    int (*subscribe)(cupti_subscriber *subscriber, cupti_callback callback, void *ours);
    int (*unsubscribe)(cupti_subscriber subscriber);
    int (*enable_callback)(uint32_t enable, cupti_subscriber subscriber, int domain, uint32_t id);
    int (*result_text)(int result, const char **text);       /* may be NULL */
    int (*set_thread_ids)(int type);                         /* may be NULL */
    int (*enable_runtime_call)(uint32_t id, uint8_t enable); /* may be NULL */
    int (*enable_driver_call)(uint32_t id, uint8_t enable);  /* may be NULL */
};

/* False with *why, which says what is missing: no library, or a function of it. */
bool cupti_open(struct cupti *cupti, const char **why);

/* "CUPTI_ERROR_UNKNOWN"; "?" where CUPTI has no word. */
const char *cupti_words(const struct cupti *cupti, int result);

/* Another function of the library; NULL. */
void *cupti_symbol(const struct cupti *cupti, const char *name);

#endif
