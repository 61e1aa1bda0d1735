// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

struct ManualTests {
    @Test func `the manual has every command with its options, as the help has`() throws {
        let workspace = try Workspace()
        let manual = try workspace.wire("manual")
        #expect(manual.status == 0 && manual.errors.isEmpty)
        let text = manual.output.replacing("\\-", with: "-")
        let names = try workspace.shell("wire completions words -- ''").output.split(separator: "\n")
            .map { $0.prefix { $0 != "\t" } }.filter { $0 != "help" && $0 != "websocket" }
        #expect(names.count > 10)
        for name in names {
            #expect(text.contains(".SS \"wire \(name)"), "\(name)")
            for line in try workspace.wire("\(name)", "--help").output.split(separator: "\n") {
                guard let option = line.firstMatch(of: /^ {4}(--[a-z-]+)/)?.output.1, option != "--help" else {
                    continue
                }
                #expect(text.contains(".B \"\(option)"), "\(name) \(option)")
            }
        }
    }

    @Test(.enabled(if: Peers.isWanted("groff")))
    func `groff prints it without a warning`() throws {
        let outcome = try Workspace().shell("wire manual | groff -man -ww -Tutf8 -P-c -P-b -P-u")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.output.contains("wire check [DIR] [options]"))
        #expect(outcome.output.contains("--protocol DIR"))
        #expect(outcome.output.contains("EXIT STATUS"))
    }

    @Test(.enabled(if: Peers.isWanted("mandoc")))
    func `mandoc finds no fault in it, not even of style`() throws {
        let lint = try Workspace().shell("wire manual | mandoc -T lint -W style")
        // The page is generated for each version, so it has no date.
        let faults = lint.output.split(separator: "\n").filter { !$0.contains("missing date") }
        #expect(faults == [])
    }

    @Test(.enabled(if: Peers.isWanted("man")))
    func `man shows the page`() throws {
        let outcome = try Workspace().shell("wire manual > wire.1 && MANPAGER=cat MANWIDTH=100 man ./wire.1")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.output.contains("works with length-prefixed messages"))
    }
}
