/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <pthread.h>

#include "base/intern.h"
#include "base/mem.h"

struct texts {
    struct intern *all;
    pthread_mutex_t lock;
};

struct texts *texts_new(void)
{
    struct texts *texts = mem_alloc(sizeof *texts);
    *texts = (struct texts){intern_new(), PTHREAD_MUTEX_INITIALIZER};
    return texts;
}

void texts_free(struct texts *texts)
{
    if (!texts)
        return;
    intern_free(texts->all);
    mem_free(texts);
}

str texts_keep(struct texts *texts, str text)
{
    return text.len ? texts_at(texts, texts_number(texts, text)) : S("");
}

uint32_t texts_number(struct texts *texts, str text)
{
    pthread_mutex_lock(&texts->lock);
    const uint32_t number = intern_id(texts->all, text);
    pthread_mutex_unlock(&texts->lock);
    return number;
}

str texts_at(struct texts *texts, uint32_t number)
{
    pthread_mutex_lock(&texts->lock);
    const str kept = intern_text(texts->all, number);
    pthread_mutex_unlock(&texts->lock);
    return kept;
}
