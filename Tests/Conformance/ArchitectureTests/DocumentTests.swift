// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Checks that everything that the documents name exists.
struct DocumentTests {
    private static let documents =
        ["README.md", "README.zh-CN.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        + (FileManager.default.enumerator(atPath: Checkout.url("Documentation").path)?.allObjects as? [String] ?? [])
        .filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/" + $0 }

    private static func text(of document: String) throws -> String {
        try String(contentsOf: Checkout.url(document), encoding: .utf8)
    }

    @Test func `each test that a document names is in the file that it links to`() throws {
        let document = "Documentation/ComingFromSocketRocket.md"
        let links = try Self.text(of: document).matches(of: /\[([^\]]+)\]\(..\/(Tests\/[^)]+\.swift)\)/)
        #expect(links.count > 15)
        for link in links {
            #expect(try Self.text(of: String(link.2)).contains("func `\(link.1)`"), "\(link.1)")
        }
    }

    @Test(arguments: documents) func `each link of a document leads to a file`(document: String) throws {
        let folder = Checkout.url(document).deletingLastPathComponent()
        for link in try Self.text(of: document).matches(of: /\]\(([^):#]+)[^):]*\)/) {
            let file = folder.appending(path: String(link.1))
            #expect(FileManager.default.fileExists(atPath: file.path), "\(link.1)")
        }
    }

    @Test func `README is short`() throws {
        #expect(try Self.text(of: "README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    }
}
