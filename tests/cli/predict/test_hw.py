# SPDX-License-Identifier: Apache-2.0
"""The catalogue as users see it: lists, one device with its sources, single figures set."""
import csv
import io
import json
import os
import tempfile
import unittest

from support import OK, USAGE, steptime


def figures(*words):
    """The figures of a device by key, as the CSV has them."""
    done = steptime("hw", *words, "--format", "csv")
    assert done.code == OK, done.err
    return {row["key"]: row for row in csv.DictReader(io.StringIO(done.out))}


def refused(*words):
    """What the program says where it does not understand."""
    done = steptime("hw", *words)
    assert done.code == USAGE, done
    return done.err


class Hardware(unittest.TestCase):
    def test_the_lists_hold_old_and_new_devices_links_and_servers(self):
        text = json.dumps(steptime("hw", "--format", "json").json)
        for name in ("NVIDIA Tesla P4", "NVIDIA B200", "AMD Instinct MI300X", "PCIe 5.0 x16", "400 Gb/s", "DGX A100"):
            self.assertIn(name, text)

    def test_every_spelling_of_a_device_shows_the_same_figures(self):
        one = figures("H100")
        for spelling in ("NVIDIA H100 80GB HBM3", "NVIDIA_H100_80GB_HBM3", "h100 sxm"):
            self.assertEqual(figures(spelling), one)
        self.assertEqual((float(one["memory"]["value"]), one["memory"]["unit"]), (3350, "GB/s"))
        self.assertIn("data sheet", one["memory"]["source"])

    def test_of_several_variants_the_most_common_is_taken_and_told(self):
        done = steptime("hw", "A100", "--format", "json")
        self.assertEqual(done.code, OK)
        self.assertIn("NVIDIA A100-SXM4-80GB", done.json["warnings"][0]["message"])
        self.assertIn("MLPerf Training v2.0", done.json["warnings"][0]["message"])
        self.assertEqual(figures("A100"), figures("NVIDIA A100-SXM4-80GB"))
        self.assertEqual(steptime("hw", "A100-SXM4-80GB", "--format", "json").json["warnings"], [])

    def test_what_is_not_known_is_empty_not_zero(self):
        self.assertEqual(figures("T4")["fp8"]["value"], "")
        self.assertEqual(figures("T4")["gpu_link"]["value"], "")

    def test_figures_are_set_in_the_order_given(self):
        after = figures("V100", "--set", "memory=1TB/s", "--set", "memory=150%", "--set", "network=100Gbps")
        self.assertEqual(float(after["memory"]["value"]), 1500)
        self.assertEqual(float(after["network"]["value"]), 12.5)
        self.assertEqual(after["memory"]["source"], "as set")
        self.assertEqual(after["fp32"], figures("V100")["fp32"])

    def test_a_wrong_setting_names_key_unit_and_what_to_write(self):
        for setting, part in (("memory=4", "write memory=4TB/s"), ("memroy=4TB/s", "did you mean 'memory'"),
                              ("network=100gb/s", "Gbps are bits"), ("l2=4GHz", "another unit")):
            self.assertIn(part, refused("V100", "--set", setting))

    def test_a_name_that_is_several_or_none_has_its_neighbours(self):
        self.assertIn("near are AMD Instinct MI3", refused("MI300"))
        self.assertIn("quotes", refused("H100", "H200"))
        self.assertIn("which one?", refused("--set", "memory=1TB/s"))

    def test_a_device_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.csv")
            with open(path, "w") as out:
                out.write("name,fp32_tflop_per_s,memory_gb_per_s,gpu_link\nMine,40,1200,NVLink 4 x18\n")
            mine = figures(path)
        self.assertEqual(float(mine["fp32"]["value"]), 40)
        self.assertEqual(float(mine["gpu_link"]["value"]), 450)
        self.assertEqual(mine["fp32"]["source"], "as given")


if __name__ == "__main__":
    unittest.main()
