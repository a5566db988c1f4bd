/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hardware that this program knows by name: data/hw.csv, built in. A name is
 * found in any usual spelling. One that fits several devices, or none, is not
 * found; nothing is guessed, and the nearest names can be asked for.
 */
#ifndef HW_CATALOGUE_H
#define HW_CATALOGUE_H

#include "hardware.h"

/* What joins devices or servers, in one of its usual widths. */
enum link_kind { LINK_DEVICES, LINK_SERVERS };

struct link {
    enum link_kind kind;
    str name, aliases;  /* "PCIe 4.0 x16"; between semicolons: "PCIe4" */
    double bytes_per_s; /* one way */
    double latency_s;   /* a message; 0: not known */
    str source;
};

/* A usual machine around the GPUs. */
struct server {
    str name; /* "DGX A100" */
    int64_t gpus;
    const struct link *network;
    int64_t ports; /* of the network */
    str source;
};

/* What a trace says of its device beside the name; -1 where it is silent. Tells variants of one name apart. */
struct gpu_signs {
    int64_t memory_bytes, sms;
};

/* The variant that people mean most often who name none: a fact with a source, for names that fit several devices. */
struct common_variant {
    str spellings; /* between semicolons: "A100;A100 80GB" */
    const struct hardware *gpu;
    str source;
};

struct catalogue;

/* The built-in table; it lives as long as the process. */
const struct catalogue *catalogue_built_in(void);

uint32_t catalogue_gpu_count(const struct catalogue *catalogue);
const struct hardware *catalogue_gpu_at(const struct catalogue *catalogue, uint32_t i);

/* NULL where the name fits no device, or several that the signs do not tell apart. */
const struct hardware *catalogue_gpu(const struct catalogue *catalogue, str name, struct gpu_signs signs);

uint32_t catalogue_link_count(const struct catalogue *catalogue);
const struct link *catalogue_link_at(const struct catalogue *catalogue, uint32_t i);
const struct link *catalogue_link(const struct catalogue *catalogue, str name); /* or an alias; NULL: none */

uint32_t catalogue_server_count(const struct catalogue *catalogue);
const struct server *catalogue_server_at(const struct catalogue *catalogue, uint32_t i);
const struct server *catalogue_server(const struct catalogue *catalogue, str name);

/* NULL where nothing is known of how common the variants of the name are. */
const struct common_variant *catalogue_common(const struct catalogue *catalogue, str name);

/* Up to three names of devices that come nearest, "A, B, C"; "" where no name is near. */
str catalogue_closest(const struct catalogue *catalogue, struct arena *arena, str name);

/* The same as a part of a sentence: "near are A, B, C". */
str catalogue_hint(const struct catalogue *catalogue, struct arena *arena, str name);

#endif
