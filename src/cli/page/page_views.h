/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the page below its timeline: what the tables of other commands say, drawn. */
#ifndef CLI_PAGE_VIEWS_H
#define CLI_PAGE_VIEWS_H

#include "page_take.h"

/* Everything of the report but what is told of the inputs. */
void page_views_show(const struct page_taken *const *traces, uint32_t count, struct report *report);

#endif
