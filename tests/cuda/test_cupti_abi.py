# SPDX-License-Identifier: Apache-2.0
"""What cuda/cupti_abi.h says of CUPTI against NVIDIA's own headers, of each version that is here.

Looked for: the folders in STEPTIME_CUPTI_INCLUDE (separated by colons), those of wheels in this interpreter (nvidia-cuda-cupti,
nvidia-cuda-cupti-cu12), and /usr/local/cuda. A wheel has no cuda.h; what CUPTI's headers want of it is written here.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

from support import SOURCE

FACTS = os.path.join(SOURCE, "cuda", "cupti_abi.h")
LAYOUTS = os.path.join(SOURCE, "cuda", "cupti_layout.c")

# What a program that is compiled for the check needs of CUDA's own headers: types, of their sizes alone.
CUDA_H = """
#pragma once
#include <stdint.h>
#include <stddef.h>
#define CUDA_VERSION 12090
#define CUDAAPI
typedef int CUdevice; typedef int CUresult;
typedef struct CUctx_st *CUcontext; typedef struct CUstream_st *CUstream; typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode; typedef struct CUgraphExec_st *CUgraphExec; typedef int CUgraphNodeType;
typedef struct CUuuid_st { char bytes[16]; } CUuuid;
typedef struct CUevent_st *CUevent; typedef struct CUfunc_st *CUfunction; typedef struct CUmod_st *CUmodule;
typedef enum { CU_DUMMY } CUlaunchAttributeID; typedef int CUdevice_attribute; typedef int CUstreamAttrID;
typedef union { char bytes[64]; } CUstreamAttrValue; typedef struct { char bytes[32]; } CUaccessPolicyWindow;
typedef unsigned long long CUdeviceptr;
"""


def header_folders():
    named = os.environ.get("STEPTIME_CUPTI_INCLUDE", "").split(":")
    wheels = [path for root in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
              for path in glob.glob(os.path.join(root, "nvidia", "*", "include"))]
    folders = [*named, *wheels, "/usr/local/cuda/include"]
    return [path for path in dict.fromkeys(folders) if path and os.path.exists(os.path.join(path, "cupti_activity.h"))]


def facts():
    """(number, name in the headers) of the enums; struct -> [(offset, field, bytes)]."""
    values, fields, struct = [], {}, None
    with open(FACTS, encoding="utf-8") as text:
        for line in text:
            about = re.match(r"/\* (CUpti_\w+)", line)
            struct = about[1] if about else struct
            value = re.match(r"\s*\w+ = (\d+),\s*/\* = (\w+) \*/", line)
            field = re.match(r"\s*\w+ = (\d+),\s*/\* (\w+), (\d+) \*/", line)
            if value:
                values.append((int(value[1]), value[2]))
            if field:
                fields.setdefault(struct, []).append((int(field[1]), field[2], int(field[3])))
    return values, fields


def layouts():
    with open(LAYOUTS, encoding="utf-8") as text:
        return [[int(n) for n in re.findall(r"\d+", row)] for row in re.findall(r"^    \{(\d[\d, ]+)\},$", text.read(), re.M)]


SIZED = ("Kernel", "Memcpy", "MemcpyPtoP", "Memset", "Synchronization", "API", "Marker", "Device", "Overhead")


def newest(headers, struct):
    """The record that a library of this version gives: the one of the main header, of the highest number."""
    found = re.findall(r"}\s*(%s(\d*))\s*;" % struct, headers)
    return max(found, key=lambda name: int(name[1] or 1))[0]


class Abi(unittest.TestCase):
    def read(self, folder, name):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as text:
            return text.read()

    def answers(self, folder, asked):
        """What a program that is compiled with the headers prints of the expressions."""
        with tempfile.TemporaryDirectory() as work:
            source = os.path.join(work, "ask.c")
            includes = ["-I" + folder, "-I/usr/local/cuda/include"]
            if not os.path.exists("/usr/local/cuda/include/cuda.h"):
                for name in ("cuda.h", "builtin_types.h", "cuda_stdint.h", "generated_cuda_runtime_api_meta.h"):
                    with open(os.path.join(work, name), "w", encoding="utf-8") as out:
                        out.write(CUDA_H if name == "cuda.h" else "#include <cuda.h>\n")
                includes = ["-I" + work, "-I" + folder]
            with open(source, "w", encoding="utf-8") as out:
                out.write("#include <stdio.h>\n#include <stddef.h>\n#include <cupti_activity.h>\n#include <cupti_callbacks.h>\n"
                          "#include <cupti_result.h>\nint main(void) {\n")
                out.writelines(f'printf("%lld\\n", (long long)({what}));\n' for what in asked)
                out.write("return 0; }\n")
            compiler = shutil.which("cc") or self.skipTest("no C compiler")
            done = subprocess.run([compiler, "-w", *includes, source, "-o", source[:-2]], capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                self.skipTest(f"{folder}: headers that do not compile here: {done.stderr[:300]}")
            out = subprocess.run([source[:-2]], capture_output=True, text=True, check=True).stdout
        return [int(line) for line in out.split()]

    def check(self, folder):
        values, fields = facts()
        headers = self.read(folder, "cupti_activity.h")
        version = int(re.search(r"CUPTI_API_VERSION (\d+)", self.read(folder, "cupti_version.h"))[1])
        asked, expected = [name for _, name in values], [value for value, _ in values]
        for struct, members in fields.items():
            name = struct if struct == "CUpti_CallbackData" else newest(headers, struct)
            for offset, field, size in members:
                asked += [f"offsetof({name}, {field})", f"sizeof((({name} *)0)->{field})"]
                expected += [offset, size]
        row = [row for row in layouts() if row[0] <= version][-1]
        for size, struct in zip(row[1:], SIZED):
            if size:
                asked.append(f"sizeof({newest(headers, 'CUpti_Activity' + struct)})")
                expected.append(size)
        self.assertGreater(len(asked), 150)
        for what, is_so, said in zip(asked, self.answers(folder, asked), expected):
            self.assertEqual(is_so, said, f"CUPTI version {version}: {what}")
        print(f"CUPTI version {version}: {len(asked)} facts hold ({folder})", file=sys.stderr)

    def test_facts_are_found(self):
        values, fields = facts()
        self.assertEqual((len(values) > 20, len(fields), len(layouts()) > 8), (True, 10, True))

    def test_against_the_headers(self):
        folders = header_folders()
        if not folders:
            self.skipTest("no headers of CUPTI here; STEPTIME_CUPTI_INCLUDE names folders that have them")
        for folder in folders:
            with self.subTest(folder=folder):
                self.check(folder)


if __name__ == "__main__":
    unittest.main()
