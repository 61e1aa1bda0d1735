// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// README.md names tests that show what it says: they have to be there.
struct ReadmeTests {
    @Test func `each test that README names is in the file that it links to`() throws {
        let readme = try String(contentsOf: ArrowTests.root.appending(path: "README.md"), encoding: .utf8)
        let links = readme.matches(of: /\[([^\]]+)\]\((Tests\/[^)]+\.swift)\)/)
        #expect(links.count > 15)
        for link in links {
            let file = try String(contentsOf: ArrowTests.root.appending(path: String(link.2)), encoding: .utf8)
            #expect(file.contains("func `\(link.1)`"), "\(link.1)")
        }
    }
}
