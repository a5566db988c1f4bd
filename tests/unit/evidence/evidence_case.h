/* SPDX-License-Identifier: Apache-2.0 */
/* A planted scene and what the room of evidence makes of it. */
#ifndef UNIT_EVIDENCE_CASE_H
#define UNIT_EVIDENCE_CASE_H

#include "unit/cmocka_first.h"
#include "evidence/evidence.h"
#include "unit/planted.h"

enum { US = 1000 };

static const char *const upload = "Memcpy HtoD (Pageable -> Device)";
static const char *const download = "Memcpy DtoH (Device -> Pageable)";

struct scene {
    struct planted p;
    struct evidence evidence;
};

static inline struct scene scene_new(void)
{
    return (struct scene){.p = planted_new()};
}

static inline void ready(struct scene *s)
{
    trace_finish(s->p.trace);
    evidence_open(&s->evidence, s->p.trace, (struct place_filter){0});
}

static inline void done(struct scene *s)
{
    evidence_close(&s->evidence);
    trace_free(s->p.trace);
}

static inline void kernel(struct scene *s, int64_t us, int64_t start_us, int64_t dur_us)
{
    plant_work(&s->p, (struct planted_work){.launch_us = us, .launch_dur_us = 10, .us = start_us, .dur_us = dur_us});
}

/* A copy of 1000 bytes a microsecond. */
static inline void copy(struct scene *s, const char *call, const char *name, int64_t us, int64_t call_us,
                        int64_t start_us, int64_t dur_us)
{
    plant_work(&s->p, (struct planted_work){.launch_us = us,
                                            .launch_dur_us = call_us,
                                            .kind = EVENT_COPY,
                                            .call = call,
                                            .name = name,
                                            .us = start_us,
                                            .dur_us = dur_us});
}

static inline void sync(struct scene *s, const char *call, int64_t us, int64_t dur_us)
{
    plant_linked(&s->p, EVENT_RUNTIME, planted_thread(&s->p, PLANTED_MAIN), call, us, dur_us, s->p.correlation++);
}

static inline uint32_t op(struct scene *s, const char *name, int64_t us, int64_t dur_us)
{
    return plant_host(&s->p, EVENT_OPERATOR, name, us, dur_us);
}

static inline uint32_t frame(struct scene *s, const char *name, int64_t us, int64_t dur_us)
{
    return plant_host(&s->p, EVENT_PYTHON, name, us, dur_us);
}

#endif
