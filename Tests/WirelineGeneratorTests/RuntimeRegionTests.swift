// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator

/// What of a runtime's file stays for the features of a protocol.
struct RuntimeRegionTests {
    private static let java = RuntimeFile(
        """
        class Runtime {
            // #region reader
            class Reader {
                // #region layers
                int limit = MAXIMUM_SIZE;
                // #endregion
                // #region !layers
                //| int limit() { return MAXIMUM_SIZE; }
                // #endregion
                int end = /*layers{*/start + /*}*/count/*!layers{ - 1}*/;

                // #region called
                int u8() { return 8; }

                int u16() { return 16; }
                // #endregion
            }
            // #endregion
        }
        """)

    @Test func `a region without a feature has what stands in comments`() {
        let text = Self.java.with([], ["MAXIMUM_SIZE": "10"]).text("reader")
        let expected = """
            class Reader {
                int limit() { return 10; }
                int end = count - 1;

                int u8() { return 8; }

                int u16() { return 16; }
            }
            """
        #expect(text == expected)
    }

    @Test func `a region with a feature has its lines, and the caller chooses among pieces`() {
        let text = Self.java.with(["layers"], ["MAXIMUM_SIZE": "10"]).text("reader") { pieces in
            #expect(pieces == "int u8() { return 8; }\n\nint u16() { return 16; }")
            return "int u16() { return 16; }"
        }
        let expected = """
            class Reader {
                int limit = 10;
                int end = start + count;

                int u16() { return 16; }
            }
            """
        #expect(text == expected)
    }

    @Test(arguments: [(["wide"], "f(a, b)"), ([], "f(a)")] as [(Set<String>, String)])
    func `a line of Lua has regions between its own comments`(features: Set<String>, line: String) {
        let lua = RuntimeFile("-- #region all\nf(a--[[wide{]], b--[[}]])\n-- #endregion\n")
        #expect(lua.with(features).text("all") == line)
    }
}
