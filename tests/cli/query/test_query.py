# SPDX-License-Identifier: Apache-2.0
"""steptime query: its answers are those of plain SQLite over the same rows, its examples run, and it does nothing but read."""
import json
import os
import random
import sqlite3
import subprocess
import unittest

from support import INPUT, OK, PROGRAM, SANITIZED, SOURCE, USAGE, Folder, recorded, rows_of, shared_trace, steptime, write_trace

LISTED = steptime("query", recorded("dlrm-cpu.json.gz"), "--format", "json")
BUILT_IN = steptime("query", recorded("dlrm-cpu.json.gz"), "SELECT 1 AS one", "--format", "json").code == OK


def columns_of(table):
    return [row["column"] for row in rows_of(LISTED.json, "columns") if row["table"] == table]


class Listing(Folder):
    def test_tables_and_examples(self):
        self.assertEqual(LISTED.code, OK, LISTED.err)
        tables = {row["table"] for row in rows_of(LISTED.json, "tables")}
        self.assertLessEqual({"events", "operators", "kernels", "copies", "steps", "ranks", "stacks", "flows", "lanes"}, tables)
        self.assertEqual({row["table"] for row in rows_of(LISTED.json, "columns")}, tables)
        self.assertEqual(len(rows_of(LISTED.json, "examples")), 10)
        for row in rows_of(LISTED.json, "columns"):
            self.assertEqual(row["unit"] == "ns", row["column"].endswith("_ns"), row)
            self.assertTrue(row["about"])

    def test_the_page_has_every_column(self):
        with open(os.path.join(SOURCE, "doc", "query.md"), encoding="utf-8") as page:
            text = page.read()
        for row in rows_of(LISTED.json, "columns"):
            self.assertIn(f"| `{row['table']}` | `{row['column']}` |", text)
            self.assertIn(row["about"], text)


@unittest.skipUnless(BUILT_IN, "built without SQLite")
class Queries(Folder):
    def ask(self, trace, query, *options, code=OK):
        run = steptime("query", *([trace] if isinstance(trace, str) else trace), query, "--format", "json", *options)
        self.assertEqual(run.code, code, run.err)
        return rows_of(run.json, "answer") if code == OK else run.err

    def loaded(self, trace, table):
        """The same rows in a plain database."""
        names = columns_of(table)
        rows = self.ask(trace, f"SELECT * FROM {table}", "--most-rows", "100000")
        plain = sqlite3.connect(":memory:")
        types = {row["column"]: row["type"] for row in rows_of(LISTED.json, "columns") if row["table"] == table}
        plain.execute(f"CREATE TABLE {table}({', '.join(f'{name} {types[name]}' for name in names)})")
        plain.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})",
                          [[row[name] for name in names] for row in rows])
        return plain

    def test_every_example_runs(self):
        for trace in (recorded("dlrm-cpu.json.gz"), shared_trace("kineto/hta_alexnet_critical_path.json.gz"),
                      shared_trace("multirank/torchrec_a2a_v100_w4")):
            for row in rows_of(LISTED.json, "examples"):
                with self.subTest(trace=trace, query=row["sql"]):
                    self.ask(trace, row["sql"])

    def test_filters_and_orders_change_nothing(self):
        """What the tables do themselves (ranges, groups, orders) gives what SQLite gives without them."""
        draw = random.Random(7)
        for trace in (shared_trace("kineto/hta_alexnet_critical_path.json.gz"), recorded("dlrm-cpu.json.gz")):
            plain = self.loaded(trace, "events")
            names = [row[0] for row in plain.execute("SELECT DISTINCT name FROM events")]
            most = plain.execute("SELECT max(start_ns) FROM events").fetchone()[0]
            conditions = ["start_ns >= {a}", "start_ns > {a} AND start_ns <= {b}", "start_ns = {s}", "kind = '{k}'", "kind > '{k}'",
                          "name = '{n}'", "name = '{n}' COLLATE NOCASE", "event = {e}", "event = '{e}'", "event IN ({e}, {e} + 1, -1)",
                          "lane = 1 OR dur_ns > {a}", "step IS NULL", "step = 0", "dur_ns < 3.5", "start_ns < 'text'", "parent = NULL",
                          "name LIKE 'aten::%' AND kind = 'operator'", "rank = 0", "rank <> 0", "event >= {e} AND rank < 1"]
            shapes = ["SELECT count(*) AS n, sum(dur_ns) AS s FROM events WHERE {w}",
                      "SELECT kind, name, count(*) AS n, sum(dur_ns) AS s FROM events WHERE {w} GROUP BY kind, name ORDER BY kind, name",
                      "SELECT step, lane, max(end_ns) AS e FROM events WHERE {w} GROUP BY step, lane ORDER BY 1, 2",
                      "SELECT DISTINCT name FROM events WHERE {w} ORDER BY name DESC",
                      "SELECT event, start_ns FROM events WHERE {w} ORDER BY start_ns, event LIMIT 50",
                      "SELECT name FROM events WHERE {w} ORDER BY name LIMIT 20"]
            for condition in conditions:
                word = condition.format(a=draw.randrange(most), b=most * 3 // 4, k=draw.choice(["kernel", "operator", "python"]),
                                        s=plain.execute("SELECT start_ns FROM events LIMIT 1 OFFSET 9").fetchone()[0],
                                        n=draw.choice(names).replace("'", "''").replace("{", "").replace("}", ""),
                                        e=draw.randrange(100))
                for shape in shapes:
                    query = shape.format(w=word)
                    with self.subTest(trace=trace, query=query):
                        mine = [tuple(row.values()) for row in self.ask(trace, query, "--most-rows", "100000")]
                        self.assertEqual(mine, [tuple(row) for row in plain.execute(query)])

    def test_values_laid_out_in_an_order_are_those_of_the_rows(self):
        """Every column, nulls among them, in orders whose neighbours lie far apart: groups of all events, and two orders of one join."""
        for trace in (shared_trace("kineto/hta_alexnet_critical_path.json.gz"), recorded("dlrm-cpu.json.gz")):
            for table in ("events", "operators", "stacks"):
                plain = self.loaded(trace, table)
                values = ", ".join(f"count({name}), min({name}), max({name})" for name in columns_of(table) if name != "stack")
                queries = [f"SELECT name, {values} FROM {table} GROUP BY name ORDER BY name",
                           f"SELECT name, lane, {values} FROM {table} WHERE parent > 40 GROUP BY name, lane ORDER BY name, lane",
                           f"SELECT name, step, count(parent), sum(dur_ns) FROM {table} WHERE step IS NULL OR step > 0 GROUP BY 1, 2 ORDER BY 1, 2",
                           f"SELECT a.name, (SELECT max(b.start_ns) FROM {table} b WHERE b.name = a.name GROUP BY b.name) AS last "
                           f"FROM (SELECT name FROM {table} GROUP BY name LIMIT 20) a"]
                for query in queries:
                    with self.subTest(trace=trace, query=query):
                        run = steptime("query", trace, query, "--format", "json", "--most-rows", "100000")
                        self.assertEqual([tuple(row.values()) for row in rows_of(run.json, "answer")],
                                         [tuple(row) for row in plain.execute(query)], run.err)

    def test_orders_and_indexes_of_any_column(self):
        """Groups and joins by all kinds of columns, nulls among them, are those of plain SQLite; so are patterns."""
        trace = shared_trace("kineto/hta_alexnet_critical_path.json.gz")
        plain = self.loaded(trace, "kernels")
        other = self.loaded(trace, "operators")
        plain.execute("CREATE TABLE operators(" + ", ".join(columns_of("operators")) + ")")
        plain.executemany(f"INSERT INTO operators VALUES ({', '.join('?' * len(columns_of('operators')))})", other.execute("SELECT * FROM operators"))
        groups = [name for name in columns_of("kernels") if not name.endswith("_per_sm")]
        queries = [f"SELECT {name}, count(*), sum(dur_ns), min(start_ns) FROM kernels GROUP BY {name} ORDER BY {name}" for name in groups]
        queries += [f"SELECT {a}, {b}, count(*) FROM kernels WHERE {w} GROUP BY {a}, {b} ORDER BY {a}, {b}"
                    for a, b in (("operator_name", "dur_ns"), ("dur_ns", "operator_name"), ("registers", "grid"), ("stream", "start_ns"))
                    for w in ("1", "start_ns BETWEEN 1000000 AND 90000000", "name LIKE '%GEMM%'", "name NOT LIKE '%gemm%'", "name GLOB '*gemm*'")]
        queries += [f"SELECT o.{name}, count(*), sum(k.dur_ns) FROM kernels k JOIN operators o ON o.rank = k.rank AND o.event = k.operator "
                    f"GROUP BY o.{name} ORDER BY o.{name}" for name in ("name", "input_dims", "parent", "dur_ns", "step")]
        queries += [f"SELECT count(*), sum(a.event * b.event % 1000) FROM kernels a JOIN kernels b ON b.{name} = a.{name} AND b.event > a.event"
                    for name in ("name", "operator", "grid", "dur_ns", "launch_delay_ns", "step")]
        queries += ["SELECT count(*) FROM kernels WHERE name IN (SELECT name FROM kernels LIMIT 9) OR grid IN ('x', '[1,1,1]', 3, NULL, 2.5, 'y')",
                    "SELECT count(*) FROM kernels WHERE registers IN (1, 2, 3, 16, 32, 40, '32', 1e300, NULL)"]
        for query in queries:
            with self.subTest(query=query):
                mine = [tuple(row.values()) for row in self.ask(trace, query, "--most-rows", "100000")]
                self.assertEqual(mine, [tuple(row) for row in plain.execute(query)])

    def test_numbers_that_look_like_nulls(self):
        """The least number that a trace can record is none, in orders and in indexes."""
        path = os.path.join(self.folder, "least.json")
        write_trace(path, [{"ph": "X", "cat": "cpu_op", "name": f"op{i % 3}", "pid": 1, "tid": 1, "ts": i * 2, "dur": 1,
                            **({"args": {"Sequence number": (-2**63, -2**63 + 1, 7)[i % 3]}} if i % 4 else {})} for i in range(400)])
        plain = self.loaded(path, "operators")
        for query in ("SELECT sequence, count(*) FROM operators GROUP BY sequence ORDER BY sequence",
                      "SELECT sequence, name, count(*) FROM operators GROUP BY sequence, name ORDER BY 1, 2",
                      "SELECT count(*) FROM operators a JOIN operators b ON a.sequence = b.sequence"):
            self.assertEqual([tuple(row.values()) for row in self.ask(path, query)], [tuple(row) for row in plain.execute(query)])

    def test_a_pattern_that_is_too_long_is_refused(self):
        self.assertIn("pattern too complex", self.ask(recorded("dlrm-cpu.json.gz"), f"SELECT count(*) FROM events WHERE name LIKE '{'a%' * 600}'", code=USAGE))

    def test_numbers_are_shown_as_they_are(self):
        """In the unit that their name says; json tells it beside them."""
        trace, query = recorded("dlrm-cpu.json.gz"), "SELECT dur_ns, dur_ns * 1000 AS bytes FROM events ORDER BY dur_ns DESC LIMIT 3"
        rows = [[str(value) for value in row.values()] for row in self.ask(trace, query)]
        screen = [line.split() for line in steptime("query", trace, query).out.splitlines()]
        self.assertIn(["dur_ns", "bytes"], screen)
        for row in rows:
            self.assertIn(row, screen)
        table = steptime("query", trace, query, "--format", "json").json["sections"][0]["tables"][0]
        self.assertEqual([column["unit"] for column in table["columns"]], ["ns", "bytes"])

    def test_a_column_of_nothing_is_shown(self):
        trace = recorded("dlrm-cpu.json.gz")
        for form in ("term", "markdown", "html"):
            run = steptime("query", trace, "SELECT NULL AS absent, 1 AS one", "--format", form)
            self.assertEqual(run.code, OK, run.err)
            self.assertIn("absent", run.out, form)

    def test_names_that_there_are_not_name_the_nearest(self):
        trace = recorded("dlrm-cpu.json.gz")
        for query, said in (("SELECT nam FROM kernels", "did you mean 'name'?"), ("SELECT k.durns FROM kernels k", "did you mean 'dur_ns'?"),
                            ("SELECT 1 FROM kernls", "did you mean 'kernels'?"), ("SELECT 1 FROM zzz", "; there are events, operators, kernels"),
                            ("SELECT utterly FROM kernels", "no such column: utterly ("),
                            ("SELECT Input_Dims FROM events", "no such column: Input_Dims; it is a column of operators (")):
            told = self.ask(trace, query, code=USAGE)
            self.assertIn(said, told)
            self.assertIn("'steptime query TRACE' lists all", told)
        self.assertNotIn("lists all", self.ask(trace, "SELECT FROM", code=USAGE))

    def test_ids_join(self):
        trace = shared_trace("kineto/hta_alexnet_critical_path.json.gz")
        rows = self.ask(trace, "SELECT k.event, k.launch, k.start_ns - c.start_ns AS delay, k.launch_delay_ns AS told FROM kernels k "
                               "JOIN calls c ON c.event = k.launch AND c.rank = k.rank")
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(row["delay"], row["told"])
        flows = self.ask(trace, "SELECT count(*) AS n FROM flows WHERE kind = 'launch'")[0]["n"]
        work = self.ask(trace, "SELECT count(*) AS n FROM events WHERE kind IN ('kernel', 'copy', 'memset') AND cause IS NOT NULL")[0]["n"]
        self.assertEqual(flows, work)

    def test_stacks_are_their_frames(self):
        trace = recorded("dlrm-cpu.json.gz")
        rows = self.ask(trace, "SELECT s.stack, s.depth, s.name, p.stack AS above FROM stacks s LEFT JOIN stacks p "
                               "ON p.rank = s.rank AND p.event = s.parent")
        for row in rows:
            self.assertEqual(row["stack"], f"{row['above']};{row['name']}" if row["above"] is not None else row["name"])

    def test_ranks_are_one_table(self):
        folder = shared_trace("multirank/torchrec_a2a_v100_w4")
        ranks = self.ask(folder, "SELECT rank, events FROM ranks ORDER BY rank")
        self.assertEqual([row["rank"] for row in ranks], [0, 1, 2, 3])
        counted = self.ask(folder, "SELECT rank, count(*) AS events FROM events GROUP BY rank ORDER BY rank")
        self.assertEqual(counted, ranks)
        named = self.ask(folder, "SELECT name, count(*) AS n FROM events GROUP BY name ORDER BY name")
        self.assertEqual([row["name"] for row in named], sorted({row["name"] for row in named}, key=lambda text: text.encode()))
        self.assertEqual(sum(row["n"] for row in named), sum(row["events"] for row in ranks))
        self.assertEqual(self.ask(folder, "SELECT DISTINCT rank FROM kernels WHERE rank = 2"), [{"rank": 2}])

    # ---- hostile ----

    @unittest.skipIf(SANITIZED, "a sanitized program has a library path of its own")
    def test_without_the_library_it_says_what_to_install(self):
        for name in ("libsqlite3.so.0", "libsqlite3.so"):
            with open(os.path.join(self.folder, name), "wb"):
                pass  # no library: the loader takes none behind it
        done = steptime("query", recorded("dlrm-cpu.json.gz"), "SELECT 1", env={"LD_LIBRARY_PATH": self.folder})
        self.assertEqual(done.code, INPUT)
        self.assertIn("install libsqlite3-0", done.err)

    def test_no_other_command_loads_it(self):
        linked = subprocess.run(["ldd", os.path.realpath(PROGRAM)], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("sqlite", linked)

    def test_it_only_reads(self):
        stolen = os.path.join(self.folder, "stolen.db")
        for query in (f"ATTACH '{stolen}' AS s", f"VACUUM INTO '{stolen}'", "DROP TABLE events", "DELETE FROM events", "PRAGMA user_version",
                      "INSERT INTO events(event) VALUES (1)", "UPDATE events SET name = 'x'", "CREATE TABLE t(x)", "BEGIN TRANSACTION",
                      "CREATE TEMP TABLE t AS SELECT 1", "CREATE VIRTUAL TABLE t USING fts5(x)", "SELECT load_extension('x')",
                      "SELECT writefile('stolen.db', 'x')", "SELECT readfile('/etc/passwd')", "SELECT 1; SELECT 2", "DETACH DATABASE main",
                      "SELECT * FROM pragma_database_list", "ANALYZE main", "SELECT fts3_tokenizer('simple')"):
            with self.subTest(query=query):
                self.ask(recorded("dlrm-cpu.json.gz"), query, code=USAGE)
        self.assertEqual(os.listdir(self.folder), [])

    def test_garbage_is_an_error(self):
        draw = random.Random(3)
        words = ["SELECT", "FROM", "events", "(", ")", "*", ",", "WHERE", "'", '"', "name", "=", "1", "UNION", "ALL", ";", "--", "/*", "\x01",
                 "é", "WITH", "x", "AS", "GROUP BY", "OVER", "NULL", "LIMIT", "-9223372036854775808", "1e999", "x'00'", "?1", ":a"]
        for number in range(150):
            query = "SELECT " + " ".join(draw.choice(words) for _ in range(draw.randrange(1, 12)))
            run = steptime("query", recorded("dlrm-cpu.json.gz"), query, "--most-seconds", "5")
            self.assertIn(run.code, (OK, USAGE, INPUT), (number, query, run.err))
            self.assertEqual(run.code == OK, not run.err.startswith("steptime: SQL"), query)

    def test_it_ends(self):
        trace = recorded("dlrm-cpu.json.gz")
        endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        self.assertIn("--most-seconds", self.ask(trace, endless + "SELECT count(*) FROM c", "--most-seconds", "1", code=INPUT))
        self.assertIn("too big", self.ask(trace, "SELECT zeroblob(1000000000)", code=USAGE))
        self.ask(trace, "SELECT 1 AS one", "--most-rows", "0", code=USAGE)
        run = steptime("query", trace, endless + "SELECT x FROM c", "--format", "json", "--most-rows", "7")
        self.assertEqual((run.code, len(rows_of(run.json, "answer"))), (OK, 7))
        self.assertIn("cut", str(run.json["warnings"]))
        told = steptime("query", trace, endless + "SELECT x FROM c", "--format", "csv", "--table", "answer", "--most-rows", "7")
        self.assertIn("cut", told.err)

    def test_memory_ends_it(self):
        run = steptime("query", recorded("dlrm-cpu.json.gz"), "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                       "SELECT count(*) FROM (SELECT zeroblob(60000) || x AS y FROM c ORDER BY y)")
        self.assertEqual(run.code, INPUT, run.err)
        self.assertIn("1 GiB", run.err)
        self.assertLess(run.peak_bytes, 3 << 30)

    def test_an_order_of_a_subquery_is_sorted_once(self):
        """Not anew at each row around it: 4000 orders of 4000 names were 64 MB of them."""
        path = os.path.join(self.folder, "many.json")
        write_trace(path, [{"ph": "X", "cat": "cpu_op", "name": f"op{i * 7919 % 4000}", "pid": 1, "tid": 1, "ts": i, "dur": 1} for i in range(4000)])
        one = "SELECT e.name FROM events e WHERE e.event >= o.event ORDER BY e.name LIMIT 1"
        other = "SELECT k.name FROM events k WHERE k.event >= o.event ORDER BY k.kind, k.name LIMIT 1"
        run = steptime("query", path, f"SELECT count(({one})) AS n, sum(({one}) = ({other})) AS same FROM events o", "--format", "json")
        self.assertEqual(rows_of(run.json, "answer"), [{"n": 4000, "same": 4000}], run.err)
        few = steptime("query", path, f"SELECT ({one}) AS n FROM events o LIMIT 1", "--format", "json")
        if not SANITIZED:  # it keeps what was freed
            self.assertLess(run.peak_bytes - few.peak_bytes, 16 << 20)

    def test_bytes_take_no_more_than_what_is_shown_of_them(self):
        blobs = ", ".join(f"randomblob(65) AS b{i}" for i in range(64))
        run = steptime("query", recorded("dlrm-cpu.json.gz"), "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500) "
                       f"SELECT {blobs} FROM c", "--format", "json")
        cell = rows_of(run.json, "answer")[0]["b0"]
        self.assertRegex(cell, r"^x'[0-9a-f]{128}\.\.\.'$")
        if not SANITIZED:
            self.assertLess(run.peak_bytes, 120 << 20)

    def test_bytes_count_towards_the_limit_of_texts(self):
        blobs = ", ".join(f"x AS x{i}" for i in range(1900))
        run = steptime("query", recorded("dlrm-cpu.json.gz"), "WITH RECURSIVE c(n, x) AS (SELECT 1, zeroblob(70) UNION ALL SELECT n + 1, x FROM c "
                       f"LIMIT 1100) SELECT {blobs} FROM c", "--format", "csv", "--table", "answer", stdout=subprocess.DEVNULL)
        self.assertEqual(run.code, OK, run.err)
        self.assertIn("256 MiB", run.err)

    def test_names_of_columns(self):
        rows = self.ask(recorded("dlrm-cpu.json.gz"), "SELECT 1 AS \"A b!\", 2 AS \"a B\", 3, NULL AS \"\", x'00ff' AS bytes, 1e999 AS r, "
                                                     "'</script>\x01' AS t")
        self.assertEqual(list(rows[0])[:3], ["a_b", "a_b_2", "3"])
        self.assertEqual(rows[0]["bytes"], "x'00ff'")
        rows = self.ask(recorded("dlrm-cpu.json.gz"), "SELECT 1 AS a_3, 2 AS a, 3 AS a, 4 AS a_3")
        self.assertEqual(rows, [{"a_3": 1, "a": 2, "a_4": 3, "a_3_4": 4}])

    def test_an_empty_trace(self):
        path = os.path.join(self.folder, "empty.json")
        write_trace(path, [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 0}])
        for table in {row["table"] for row in rows_of(LISTED.json, "tables")}:
            self.ask(path, f"SELECT * FROM {table} ORDER BY 1")

    def tool(self, query):
        begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
                 "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                 "params": {"name": "query", "arguments": {"inputs": [recorded("dlrm-cpu.json.gz")], "sql": query}}}
        done = subprocess.run([PROGRAM, "mcp"], input=f"{json.dumps(begin)}\n{json.dumps(asked)}\n".encode(), capture_output=True,
                              timeout=120, check=True, cwd=self.folder)
        return json.loads(done.stdout.splitlines()[1])["result"]

    def test_as_a_tool(self):
        answer = self.tool("SELECT count(*) AS n FROM events")
        self.assertFalse(answer["isError"], answer)
        self.assertIn("n", answer["content"][0]["text"])
        self.assertTrue(self.tool("DROP TABLE events")["isError"])


class Absent(Folder):
    def test_words_that_make_no_sense(self):
        trace = recorded("dlrm-cpu.json.gz")
        self.assertEqual(steptime("query").code, USAGE)
        self.assertEqual(steptime("query", trace, "--steps", "1").code, USAGE)
        for words in (("select 1", trace), ("select 1",), (trace, "WITH a AS (SELECT 1) SELECT 2", trace)):
            run = steptime("query", *words)
            self.assertEqual((run.code, run.out), (USAGE, ""), words)
            self.assertIn("first the traces, then one query", run.err)
        self.assertEqual(steptime("query", os.path.join(self.folder, "none.json"), "SELECT 1").code, INPUT if BUILT_IN else USAGE)

    @unittest.skipIf(BUILT_IN, "SQLite is there")
    def test_it_says_what_is_missing(self):
        self.assertIn("libsqlite3-dev", steptime("query", recorded("dlrm-cpu.json.gz"), "SELECT 1").err)


if __name__ == "__main__":
    unittest.main()
