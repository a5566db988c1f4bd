/* SPDX-License-Identifier: Apache-2.0 */
#include "fix_case.h"

#define MODEL \
    "model = torch.nn.Linear(4, 2).cuda()\n" \
    "optimizer = torch.optim.Adam(model.parameters())\n"
#define PREPARE \
    "def prepare(rows):\n" \
    "    out = []\n" \
    "    for row in rows:\n" \
    "        out.append(np.unique(row))\n" \
    "    return np.stack(out)\n"

static void workers_prepare(void **state)
{
    (void)state;
    becomes("ST302",
            "import numpy as np\n"
            "import torch\n" MODEL PREPARE "def train(data):\n"
            "    batches = [data[i:i + 2] for i in range(0, 8, 2)]\n"
            "    for rows in batches:\n"
            "        batch = prepare(rows)  # in Python\n"
            "        loss = model(torch.from_numpy(batch).cuda()).sum()\n"
            "        loss.backward()\n"
            "        optimizer.step()\n"
            "train(np.zeros((8, 4)))\n",
            "import numpy as np\n"
            "import torch\n" MODEL PREPARE "def train(data):\n"
            "    batches = [data[i:i + 2] for i in range(0, 8, 2)]\n"
            "    batch_loader = torch.utils.data.DataLoader(\n"
            "        batches,\n"
            "        batch_size=None,\n"
            "        collate_fn=prepare,\n"
            "        num_workers=2,\n"
            "        generator=torch.Generator(),\n"
            "    )\n"
            "    for batch in batch_loader:\n"
            "        loss = model(torch.from_numpy(batch).cuda()).sum()\n"
            "        loss.backward()\n"
            "        optimizer.step()\n"
            "train(np.zeros((8, 4)))\n");
}

static void preparation_that_draws_stays(void **state)
{
    (void)state;
    stays("ST30", "import numpy as np\n"
                  "import random\n"
                  "import torch\n" MODEL "def prepare(rows):\n"
                  "    out = []\n"
                  "    for row in rows:\n"
                  "        out.append(np.unique(row)[:random.randint(1, 2)])\n"
                  "    return np.stack(out)\n"
                  "def train(data):\n"
                  "    batches = [data[i:i + 2] for i in range(0, 8, 2)]\n"
                  "    for rows in batches:\n"
                  "        batch = prepare(rows)\n"
                  "        loss = model(torch.from_numpy(batch).cuda()).sum()\n"
                  "        loss.backward()\n"
                  "        optimizer.step()\n"
                  "train(np.zeros((8, 4)))\n");
}

/* Not called by the loop of steps itself, so no worker can take it; what is the same each time is kept. */
#define CLASS(init, lines) \
    MODEL "class Data:\n" \
          "    def __init__(self, rows):\n" init "        self.rows = rows\n" \
          "\n" \
          "    def prepare(self, rows):\n" \
          "        nodes, links, places = [], [], []\n" \
          "        most = max([len(np.unique(row)) for row in rows])\n" \
          "        for row in rows:\n" lines "        return nodes, links, places\n" \
          "data = Data(np.zeros((8, 4, 4), dtype=np.int64))\n" \
          "def step(i):\n" \
          "    nodes, links, places = data.prepare(data.rows[i])\n" \
          "    loss = model(torch.Tensor(np.asarray(links)).cuda()).sum()\n" \
          "    loss.backward()\n" \
          "    optimizer.step()\n" \
          "for i in range(8):\n" \
          "    step(i)\n"

#define PREPARED \
    "            node = np.unique(row)\n" \
    "            nodes.append(node.tolist() + (most - len(node)) * [0])\n" \
    "            link = np.zeros((most, most))\n" \
    "            for i in range(len(row) - 1):\n" \
    "                if row[i + 1] == 0:\n" \
    "                    break\n" \
    "                u = np.where(node == row[i])[0][0]\n" \
    "                v = np.where(node == row[i + 1])[0][0]\n" \
    "                link[u][v] = 1\n" \
    "            links.append(link)\n" \
    "            places.append([np.where(node == item)[0][0] for item in row])\n"
#define KEPT \
    "            row_key = pickle.dumps(row)\n" \
    "            if row_key not in self._kept_of_row:\n" \
    "                node = np.unique(row)\n" \
    "                noted = []\n" \
    "                for i in range(len(row) - 1):\n" \
    "                    if row[i + 1] == 0:\n" \
    "                        break\n" \
    "                    u = np.where(node == row[i])[0][0]\n" \
    "                    v = np.where(node == row[i + 1])[0][0]\n" \
    "                    noted.append((u, v))\n" \
    "                kept = [np.where(node == item)[0][0] for item in row]\n" \
    "                if len(self._kept_of_row) >= 100000:\n" \
    "                    self._kept_of_row.clear()\n" \
    "                self._kept_of_row[row_key] = node, noted, kept\n" \
    "            node, noted, kept = self._kept_of_row[row_key]\n" \
    "            nodes.append(node.tolist() + (most - len(node)) * [0])\n" \
    "            link = np.zeros((most, most))\n" \
    "            for u, v in noted:\n" \
    "                link[u][v] = 1\n" \
    "            links.append(link)\n" \
    "            places.append(list(kept))\n"

static void what_depends_on_the_sample_alone_is_kept(void **state)
{
    (void)state;
    becomes("ST303", "import numpy as np\nimport torch\n" CLASS("", PREPARED),
            "import pickle\n\nimport numpy as np\nimport torch\n" CLASS(
                "        self._kept_of_row = {}  # by content of the sample: what is the same each time\n", KEPT));
}

/* A function could keep it in its module alone: no rewrite makes a global. */
static void a_function_has_nowhere_to_keep_it(void **state)
{
    (void)state;
    stays("ST303", "import numpy as np\n"
                   "import torch\n" MODEL "def prepare(rows):\n"
                   "        nodes, links, places = [], [], []\n"
                   "        most = max([len(np.unique(row)) for row in rows])\n"
                   "        for row in rows:\n" PREPARED "        return nodes, links, places\n"
                   "def step(data, i):\n"
                   "    nodes, links, places = prepare(data[i])\n"
                   "    loss = model(torch.Tensor(np.asarray(links)).cuda()).sum()\n"
                   "    loss.backward()\n"
                   "    optimizer.step()\n"
                   "for i in range(8):\n"
                   "    step(np.zeros((8, 4, 4), dtype=np.int64), i)\n");
}

/* ---- places among distinct values ---- */

#define SEARCHING(lines) \
    "import numpy as np\nimport torch\n" MODEL "class Data:\n" \
    "    def __init__(self, rows):\n" \
    "        self.rows = rows\n" \
    "\n" \
    "    def prepare(self, rows):\n" \
    "        links, places = [], []\n" \
    "        for row in rows:\n" lines "        return links, places\n" \
    "data = Data(np.load('rows.npy'))\n" \
    "def step(i):\n" \
    "    links, places = data.prepare(data.rows[i])\n" \
    "    loss = model(torch.Tensor(np.asarray(links)).cuda()).sum()\n" \
    "    loss.backward()\n" \
    "    optimizer.step()\n" \
    "for i in range(8):\n" \
    "    step(i)\n"
#define TESTED \
    "            for i in range(len(row) - 1):\n                if row[i + 1] == 0:\n                    break\n"

static void places_are_searched_for(void **state)
{
    (void)state;
    becomes("ST302",
            SEARCHING("            node = np.unique(row)\n" TESTED
                      "                u = np.where(node == row[i])[0][0]\n"
                      "                v = np.where(row[i + 1] == node)[0][0]  # its place\n"
                      "                links.append((u, v))\n"
                      "            places.append([np.where(node == item)[0][0] for item in row])\n"),
            SEARCHING("            node = np.unique(row)\n" TESTED "                u = node.searchsorted(row[i])\n"
                      "                v = node.searchsorted(row[i + 1])  # its place\n"
                      "                links.append((u, v))\n"
                      "            places.append(list(node.searchsorted(row)))\n"));
}

#define PLACE(node, search) \
    SEARCHING("            node = " node "\n" TESTED "                links.append(" search ")\n" \
              "            places.append(len(node))\n")

/* Sorted and distinct is what np.unique alone promises, and what is in it what the text shows. */
static void only_of_distinct_values_of_the_same(void **state)
{
    (void)state;
    stays("ST302", PLACE("np.sort(row)", "np.where(node == row[i])[0][0]"));
    stays("ST302", PLACE("np.unique(rows)", "np.where(node == row[i])[0][0]"));
    stays("ST302", PLACE("np.unique(row, return_index=True)[0]", "np.where(node == row[i])[0][0]"));
    stays("ST302", PLACE("np.unique(row) if i else row", "np.where(node == row[i])[0][0]"));
    stays("ST302", PLACE("np.unique(row)", "np.where(node == i)[0][0]"));
    stays("ST302", PLACE("np.unique(row)", "np.where(node == row[i:])[0][0]"));
    stays("ST302", PLACE("np.unique(row)", "np.where(node >= row[i])[0][0]"));
    stays("ST302", PLACE("np.unique(row)", "np.where(node == row[i])[0][1]"));
    stays("ST302", PLACE("np.unique(row)", "np.where(node == row[i])[0]"));
    stays("ST302", PLACE("np.unique(row)", "np.where(node == row[i], 1, 0)[0][0]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_prepare),
        cmocka_unit_test(preparation_that_draws_stays),
        cmocka_unit_test(what_depends_on_the_sample_alone_is_kept),
        cmocka_unit_test(a_function_has_nowhere_to_keep_it),
        cmocka_unit_test(places_are_searched_for),
        cmocka_unit_test(only_of_distinct_values_of_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
