/* SPDX-License-Identifier: Apache-2.0 */
/* Worked examples: each is run on a real trace by the tests. */
#include "sql.h"

const struct sql_example sql_examples[SQL_EXAMPLES] = {
    {"what the trace holds", "SELECT kind, count(*) AS events, sum(dur_ns) AS total_ns FROM events GROUP BY kind"},
    {"the operators that take longest, their callees included",
     "SELECT name, count(*) AS calls, sum(dur_ns) AS total_ns FROM operators GROUP BY name ORDER BY total_ns DESC LIMIT 20"},
    {"how long the steps were, and how far from their mean",
     "SELECT rank, step, dur_ns, dur_ns - avg(dur_ns) OVER (PARTITION BY rank) AS from_mean_ns FROM steps ORDER BY rank, step"},
    {"the ten kernels that waited longest behind their launch",
     "SELECT rank, event, name, launch_delay_ns, dur_ns FROM kernels ORDER BY launch_delay_ns DESC LIMIT 10"},
    {"device time of the operators that launched it, by shape",
     "SELECT o.name, o.input_dims, count(*) AS kernels, sum(k.dur_ns) AS device_ns FROM kernels k JOIN operators o "
     "ON o.rank = k.rank AND o.event = k.operator GROUP BY o.name, o.input_dims ORDER BY device_ns DESC LIMIT 20"},
    {"copies by direction: how much, how fast",
     "SELECT name, count(*) AS copies, sum(bytes) AS total_bytes, sum(bytes) * 1.0 / nullif(sum(dur_ns), 0) AS gb_per_s "
     "FROM copies GROUP BY name ORDER BY total_bytes DESC"},
    {"calls of the runtime that block: waits by the line of Python around them",
     "SELECT s.name AS frame, c.name AS call, count(*) AS calls, sum(c.dur_ns) AS total_ns FROM calls c LEFT JOIN stacks s "
     "ON s.rank = c.rank AND s.event = c.frame WHERE c.name LIKE '%Synchronize%' GROUP BY 1, 2 ORDER BY total_ns DESC LIMIT 20"},
    {"the busiest threads and streams",
     "SELECT l.rank, l.lane, l.on_device, l.name, e.events, e.last_ns - e.first_ns AS span_ns FROM (SELECT rank, lane, "
     "count(*) AS events, min(start_ns) AS first_ns, max(end_ns) AS last_ns FROM events GROUP BY rank, lane) e JOIN lanes l "
     "ON l.rank = e.rank AND l.lane = e.lane ORDER BY e.events DESC LIMIT 20"},
    {"everything that began in the first millisecond of the second step",
     "WITH second AS (SELECT rank, start_ns FROM steps LIMIT 1 OFFSET 1) SELECT e.event, e.kind, e.name, e.start_ns - "
     "s.start_ns AS after_ns, e.dur_ns FROM second s JOIN events e ON e.rank = s.rank AND e.start_ns >= s.start_ns AND "
     "e.start_ns < s.start_ns + 1000000 ORDER BY e.start_ns LIMIT 50"},
    {"launches and device work of each step",
     "SELECT s.rank, s.step, count(f.to_event) AS launched, sum(e.dur_ns) AS device_ns FROM flows f JOIN events e ON e.rank = "
     "f.rank AND e.event = f.to_event JOIN steps s ON s.rank = e.rank AND s.step = e.step WHERE f.kind = 'launch' GROUP BY 1, 2"},
};
