#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`steptime lsp` in Neovim without a screen: a file is opened, its diagnostics come, and a rewrite is taken over."""
import json
import os
import shutil
import subprocess
import unittest

from support import PROGRAM, Folder

from test_lsp import READ, TRAINING

SESSION = """
local wait_ms = 20000
local id = vim.lsp.start_client({ name = 'steptime', cmd = { os.getenv('SERVER'), 'lsp' }, root_dir = vim.fn.getcwd() })
vim.cmd('edit train.py')
vim.lsp.buf_attach_client(0, id)
vim.wait(wait_ms, function() return #vim.diagnostic.get(0) > 0 end, 20)
local said = {}
for _, one in ipairs(vim.diagnostic.get(0)) do
  table.insert(said, { line = one.lnum, source = one.source, message = one.message })
end
vim.api.nvim_win_set_cursor(0, { 7, 20 })
local ask = vim.lsp.util.make_range_params()
ask.context = { diagnostics = {} }
local title
for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', ask, wait_ms)) do
  for _, action in ipairs(answer.result or {}) do
    title = action.title
    vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
  end
end
local before = #said
vim.wait(wait_ms, function() return #vim.diagnostic.get(0) < before end, 20)
local file = io.open('session.json', 'w')
file:write(vim.json.encode({ said = said, title = title, left = #vim.diagnostic.get(0),
                             text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n') .. '\\n' }))
file:close()
vim.cmd('qa!')
"""


@unittest.skipUnless(shutil.which("nvim"), "Neovim is not installed")
class Neovim(Folder):
    def test_a_session(self):
        for name, text in (("train.py", TRAINING), ("session.lua", SESSION)):
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile session.lua"], timeout=120,
                       cwd=self.folder, capture_output=True, check=True, env={**os.environ, "HOME": self.folder,
                                                                              "SERVER": os.path.abspath(PROGRAM)})
        with open(os.path.join(self.folder, "session.json"), encoding="utf-8") as file:
            session = json.load(file)
        self.assertIn(READ, [one["line"] for one in session["said"]])
        self.assertEqual({one["source"] for one in session["said"]}, {"steptime"})
        self.assertIn("ST601", session["title"])
        self.assertIn("noise = torch.zeros(3, device=device)\n", session["text"])
        self.assertLess(session["left"], len(session["said"]))


if __name__ == "__main__":
    unittest.main()
