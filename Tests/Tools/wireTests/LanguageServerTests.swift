// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `wire lsp` as a process, and with a real editor.
struct LanguageServerTests {
    private func framed(_ messages: String...) -> Data {
        Data(messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined().utf8)
    }

    private static let initialize = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#
    private static let shutdown = #"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#
    private static let exit = #"{"jsonrpc":"2.0","method":"exit"}"#

    @Test(arguments: [["lsp"], ["lsp", "--stdio"]])
    func `the server reads the protocol's other files, and ends with 0 after shutdown and exit`(
        _ words: [String]
    ) throws {
        let workspace = try Workspace(["P/types.wire": "struct Item { Unit8 a; }\n"])
        let uri = workspace.folder.appending(path: "P/a.wire").absoluteString
        let open =
            #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"\#(uri)","#
            + #""languageId":"wire","version":1,"text":"message Cs_1 { Item i; }"}}}"#
        let input = framed(Self.initialize, open, Self.shutdown, Self.exit)
        // The problems are told when no more input has arrived.
        let opened = try workspace.wire(words, input: framed(Self.initialize, open))
        #expect(opened.status == 1 && opened.errors.isEmpty)
        #expect(opened.output.contains("P/types.wire"))
        #expect(opened.output.contains("unknown type `Unit8`"))
        let outcome = try workspace.wire(words, input: input)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasSuffix(#"{"jsonrpc":"2.0","id":2,"result":null}"#))
    }

    @Test func `the end of the input ends the server, with 1 if nobody has said goodbye`() throws {
        let workspace = try Workspace()
        #expect(try workspace.wire("lsp") == .success(""))
        #expect(try workspace.wire("lsp", input: framed(Self.initialize)).status == 1)
        #expect(try workspace.wire("lsp", input: framed(Self.initialize, Self.shutdown)).status == 0)
        #expect(try workspace.wire("lsp", input: framed(Self.exit)).status == 1)
        #expect(try workspace.wire("lsp", input: Data("hello\r\n\r\n".utf8)).status == 1)
    }

    @Test func `SIGTERM ends it while it waits for input`() throws {
        let workspace = try Workspace()
        let process = workspace.process(["lsp"])
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.runWatched()
        input.fileHandleForWriting.write(framed(Self.initialize))
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 143)
    }

    /// Neovim's own client, without any plugin.
    @Test(.enabled(if: Peers.isWanted("nvim")))
    func `Neovim edits a protocol`() throws {
        let workspace = try Workspace([
            "P/a.wire": "// 场景 🎮\nmessage Cs_1 {\n    Itme item = 1;  // 道具\n}\n",
            "P/types.wire": "struct Item { uint32 id; }\n",
            "try.lua": Self.script,
        ])
        let outcome = try workspace.shell(
            "HOME=$PWD XDG_CONFIG_HOME=$PWD nvim --headless -u NONE -c 'luafile try.lua' -c 'qa!'")
        let expected = """
            problem 2:4 unknown type `Itme`
            problems 0
            hover true
            definition types.wire 0:7
            completion true
            renamed     Thing item = 1;  // 道具
            other struct Thing { uint32 id; }
            formatted message Cs_2 {}
            stopped true

            """
        #expect(outcome.output == expected, "\(outcome)")
    }

    private static let script = #"""
        local function say(...) io.stdout:write(table.concat({...}, ' ') .. '\n') end
        local function wait(condition) return vim.wait(60000, condition, 10) end
        vim.o.hidden = true
        vim.cmd('edit P/a.wire')
        local client = vim.lsp.start_client({name = 'wire', cmd = {'wire', 'lsp'}, root_dir = vim.fn.getcwd()})
        vim.lsp.buf_attach_client(0, client)
        wait(function() return #vim.diagnostic.get(0) > 0 end)
        local problem = vim.diagnostic.get(0)[1]
        say('problem', problem.lnum .. ':' .. problem.col, vim.split(problem.message, '\n')[1])
        -- The client sends only the part that changes.
        vim.api.nvim_buf_set_text(0, 2, 4, 2, 8, {'Item'})
        wait(function() return #vim.diagnostic.get(0) == 0 end)
        say('problems', #vim.diagnostic.get(0))
        vim.api.nvim_win_set_cursor(0, {3, 5})
        local function ask(method)
            local answers = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(), 60000)
            return answers[client].result
        end
        say('hover', tostring(ask('textDocument/hover').contents.value:find('struct Item') ~= nil))
        local place = ask('textDocument/definition')[1]
        say('definition', place.uri:match('[^/]+$'), place.range.start.line .. ':' .. place.range.start.character)
        local words = ask('textDocument/completion')
        say('completion', tostring(#vim.tbl_filter(function(word) return word.label == 'Item' end, words) == 1))
        vim.lsp.buf.rename('Thing')
        wait(function() return vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]:find('Thing') end)
        say('renamed', vim.api.nvim_buf_get_lines(0, 2, 3, true)[1])
        say('other', vim.api.nvim_buf_get_lines(vim.fn.bufnr('types.wire'), 0, 1, true)[1])
        vim.api.nvim_buf_set_lines(0, -1, -1, true, {'', 'message Cs_2{}'})
        vim.lsp.buf.formatting_sync(nil, 60000)
        say('formatted', vim.api.nvim_buf_get_lines(0, -2, -1, true)[1])
        vim.lsp.stop_client(client)
        say('stopped', tostring(wait(function() return vim.lsp.client_is_stopped(client) end)))
        """#
}
