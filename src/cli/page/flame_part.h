/* SPDX-License-Identifier: Apache-2.0 */
/* Calls inside calls, added up, as a part of a page with a timeline, whose data it shows. */
#ifndef CLI_PAGE_FLAME_PART_H
#define CLI_PAGE_FLAME_PART_H

#include "report/report.h"

const struct page_part *flame_part(void);

#endif
