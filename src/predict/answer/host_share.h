/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder left out of a prediction. It slows the host, not the device, and by how much a step became longer is known
 * where steps were also left bare (inputs/step_times.h). So the share s of the host's time that is the program's own is
 * that with which the recorded step, replayed, takes what a bare one took:
 *
 *     replay(s) = replay(1) / slowed        s found by halving: the replay never gets longer where s gets smaller
 *
 * Where no share does (the device alone takes longer than that), the recorder slowed the device, too, and s is 1 / slowed,
 * which is what it is for the host alone.
 */
#ifndef PREDICT_HOST_SHARE_H
#define PREDICT_HOST_SHARE_H

#include "predict.h"

/* Of the step in the middle; 0 where source->slowed is. False with *err as plan_of and walk. */
bool host_share_of(const struct predict_source *source, const struct predict_asked *asked,
                   const struct overheads *overheads, double *share, struct steptime_error *err);

#endif
