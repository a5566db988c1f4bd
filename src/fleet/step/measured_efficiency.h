/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of peaks that were measured on devices of the catalogue, each with its source. */
#ifndef FLEET_MEASURED_EFFICIENCY_H
#define FLEET_MEASURED_EFFICIENCY_H

#include "cluster.h"

/* Sets every efficiency and its source by the cluster's name and precision; what was not measured is the paper's 70 %. */
void measured_efficiency(struct cluster *cluster);
void measured_arithmetic(struct cluster *cluster); /* that of its arithmetic alone */

#endif
