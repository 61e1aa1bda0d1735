// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// What a program sees of the module that it imports.
struct SurfaceTests {
    /// The most top-level types of the module `Wireline`, so that a reader can know all of them.
    private static let typeLimit = 68

    @Test func `the module that people import has few types, and its page lists each of them once`() throws {
        let page = try String(
            contentsOf: Checkout.url("Sources/Core/Wireline/Wireline.docc/Wireline.md"), encoding: .utf8)
        let topics = try #require(page.components(separatedBy: "## Topics").last)
        let listed = topics.matches(of: /- ``(\w+)``/).map { String($0.output.1) }
        let types = try Self.publicTypes(of: "Wireline")
        #expect(types.count <= Self.typeLimit)
        #expect(listed.sorted() == types.sorted())
    }

    /// The public types that a module declares at the top level of its files.
    private static func publicTypes(of module: String) throws -> [String] {
        let root = Checkout.url(Module.path(module))
        let files = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
        return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            let declaration = /(?m)^public (?:final |indirect )?(?:class|struct|enum|protocol|actor|typealias) (\w+)/
            return text.matches(of: declaration).map { String($0.output.1) }
        }
    }
}
