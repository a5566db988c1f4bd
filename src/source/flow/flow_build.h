/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions and the uses they reach, function by function, in one walk each:
 * static single assignment on the tree. `current` holds for each slot the
 * definition that is valid here. Branches write to it too, and a log lets their
 * writes be taken back; what they left is collected, and where ways meet with
 * different definitions a MEETING stands for them. Cost is the number of writes
 * times the depth at which they stand.
 */
#ifndef SOURCE_FLOW_BUILD_H
#define SOURCE_FLOW_BUILD_H

#include "file.h"

/* Nesting deeper than Python takes (100 blocks) is not looked into, which the file says: its too_deep. */
enum { DEEPEST = 400 };

enum binding { BINDS_NOT, BINDS, BINDS_CHANGE };

struct write {
    uint32_t slot, def;
};

struct writes {
    struct write *at;
    size_t count, room;
};

/* Around break and continue: where in `leaving` and `again` this loop's ways begin. */
struct loop_frame {
    struct loop_frame *outer;
    struct writes leaving, again;
    const struct writes *heads; /* slots that the loop binds, and what they are at its head */
};

struct builder {
    struct file *file;
    const struct syntax *tree;
    struct flow *flow;
    struct intern *texts;
    uint32_t *text_of;    /* per node: of names */
    uint8_t *binds;       /* per node: enum binding */
    uint32_t *current;    /* per slot */
    uint32_t *outside_of; /* per slot: what it is before the function binds it; NONE: not read yet */
    size_t slot_room, def_room, operand_room, current_room, outside_room;
    struct writes log;  /* slot and what it was before */
    struct writes ways; /* ends of branches that have not met yet */
    struct loop_frame *loop;
    uint32_t *stamps; /* per slot: the last round in which it was met */
    size_t stamp_room, stamped;
    uint32_t stamp;
    uint32_t function, statement;
    uint32_t depth, loops;
    bool dead; /* this way has returned, raised or left the loop */
};

/* One level down, to be left by depth--; false where that is too deep. */
bool build_deeper(struct builder *b, uint32_t node);
void build_push(struct writes *list, uint32_t slot, uint32_t def);
int64_t build_slot_key(uint32_t function, uint32_t text);
uint32_t build_slot_bound(struct builder *b, uint32_t function, uint32_t text);
uint32_t build_def_add(struct builder *b, struct def def);
void build_write(struct builder *b, uint32_t slot, uint32_t def);
uint32_t build_slot_of_name(struct builder *b, uint32_t name);
uint32_t build_read_slot(struct builder *b, uint32_t slot, uint32_t name);
uint32_t build_bind(struct builder *b, uint32_t name, enum definition_kind kind, uint32_t value, bool unpacked);
void build_undo(struct builder *b, size_t mark);
void build_bind_target(struct builder *b, uint32_t target, enum definition_kind kind, uint32_t value);
void build_expression(struct builder *b, uint32_t node);
void build_parameters(struct builder *b, uint32_t list);
int build_by_slot(const void *a, const void *b);
uint32_t build_meeting(struct builder *b, uint32_t slot, const struct write *from, size_t count);
void build_way_ends(struct builder *b, size_t mark, uint32_t *alive);
void build_ways_meet(struct builder *b, size_t first, uint32_t alive);
void build_loop_begin(struct builder *b, uint32_t node, struct loop_frame *frame, struct writes *heads);
void build_leave_by(struct builder *b, struct writes *list, const struct writes *heads);
void build_loop_end(struct builder *b, struct loop_frame *frame, struct writes *heads);
void build_loop_left(struct builder *b, struct loop_frame *frame);
uint32_t build_changed_name(const struct syntax *tree, uint32_t target);
uint32_t build_changed_by_call(const struct syntax *tree, uint32_t call);
void build_mark_all(struct builder *b);

#endif
