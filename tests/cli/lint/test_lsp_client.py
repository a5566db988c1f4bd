# SPDX-License-Identifier: Apache-2.0
"""`steptime lsp` with a client that others wrote: pygls, with the types of lsprotocol."""
import asyncio
import os
import unittest

from support import PROGRAM, Folder

from test_lsp import READ, TRAINING

try:
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient
except ImportError:
    LanguageClient = None

ANSWER_S = 20


@unittest.skipUnless(LanguageClient, "pygls is not installed")
class Pygls(Folder):
    async def begin(self):
        client = LanguageClient("steptime-test", "1")
        published = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def take(params):
            published.put_nowait(params)

        await client.start_io(PROGRAM, "lsp")
        result = await client.initialize_async(types.InitializeParams(
            capabilities=types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(
                publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True))),
            workspace_folders=[types.WorkspaceFolder(uri=f"file://{self.folder}", name="w")]))
        client.initialized(types.InitializedParams())
        return client, published, result

    async def end(self, client):
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    def open(self, client, uri):
        client.text_document_did_open(types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(uri=uri, language_id="python", version=1, text=TRAINING)))

    async def a_life(self):
        uri = f"file://{os.path.realpath(self.folder)}/train.py"
        client, published, result = await self.begin()
        self.assertEqual(result.server_info.name, "steptime")
        self.open(client, uri)
        first = await asyncio.wait_for(published.get(), ANSWER_S)
        (read,) = [one for one in first.diagnostics if one.code == "ST401"]
        self.assertEqual(read.range.start.line, READ)
        self.assertTrue(read.related_information)
        document = types.TextDocumentIdentifier(uri=uri)
        hover = await client.text_document_hover_async(types.HoverParams(text_document=document, position=read.range.start))
        self.assertIn("ST401", hover.contents.value)
        (made,) = [one for one in first.diagnostics if one.code == "ST601"]
        actions = await client.text_document_code_action_async(types.CodeActionParams(
            text_document=document, range=made.range, context=types.CodeActionContext(diagnostics=[made])))
        (edits,) = actions[0].edit.changes.values()
        self.assertTrue(any("device=device" in edit.new_text for edit in edits))
        everything = await client.text_document_code_action_async(types.CodeActionParams(
            text_document=document, range=made.range,
            context=types.CodeActionContext(diagnostics=[], only=[types.CodeActionKind.SourceFixAll])))
        self.assertEqual([action.kind for action in everything], ["source.fixAll.steptime"])
        client.text_document_did_change(types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text="print(1)\n")]))
        second = await asyncio.wait_for(published.get(), ANSWER_S)
        self.assertEqual((second.version, list(second.diagnostics)), (2, []))
        await self.end(client)

    async def a_notebook(self):
        folder = os.path.realpath(self.folder)
        notebook, first, second = (f"{scheme}:{folder}/n.ipynb{part}" for scheme, part in (
            ("file", ""), ("vscode-notebook-cell", "#a"), ("vscode-notebook-cell", "#b")))
        head, _, body = TRAINING.partition("\n")
        client, published, result = await self.begin()
        (selector,) = result.capabilities.notebook_document_sync.notebook_selector
        self.assertEqual((selector.notebook, selector.cells[0].language), ("jupyter-notebook", "python"))
        client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(
            notebook_document=types.NotebookDocument(uri=notebook, notebook_type="jupyter-notebook", version=1, cells=[
                types.NotebookCell(kind=types.NotebookCellKind.Code, document=uri) for uri in (first, second)]),
            cell_text_documents=[types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
                                 for uri, text in ((first, head), (second, body))]))
        lists = {one.uri: one.diagnostics for one in [await asyncio.wait_for(published.get(), ANSWER_S) for _ in range(2)]}
        self.assertEqual(list(lists[first]), [])
        (read,) = [one for one in lists[second] if one.code == "ST401"]
        self.assertEqual(read.range.start.line, READ - 1)
        (made,) = [one for one in lists[second] if one.code == "ST601"]
        actions = await client.text_document_code_action_async(types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=second), range=made.range,
            context=types.CodeActionContext(diagnostics=[made])))
        self.assertEqual(list(actions[0].edit.changes), [second])
        client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(
            notebook_document=types.VersionedNotebookDocumentIdentifier(uri=notebook, version=2),
            change=types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(
                structure=types.NotebookDocumentCellChangeStructure(
                    array=types.NotebookCellArrayChange(start=1, delete_count=1),
                    did_close=[types.TextDocumentIdentifier(uri=second)])))))
        gone = await asyncio.wait_for(published.get(), ANSWER_S)
        self.assertEqual((gone.uri, list(gone.diagnostics)), (second, []))
        await self.end(client)

    def test_a_life(self):
        asyncio.run(self.a_life())

    def test_a_notebook(self):
        asyncio.run(self.a_notebook())


if __name__ == "__main__":
    unittest.main()
