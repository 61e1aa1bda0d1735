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

    @Test func `code after two bars begins in the first column, though the formatter of Go indents its comment`() {
        let go = RuntimeFile(
            """
            // #region all
            // #region c
            func f(c *C) {
            \t// #endregion
            \t// #region !c
            \t//|| func f() {
            \t//| \tg()
            \t// #endregion
            }

            // #endregion
            """)
        #expect(go.with([]).text("all") == "func f() {\n\t\tg()\n}")
        #expect(go.with(["c"]).text("all") == "func f(c *C) {\n}")
    }

    @Test(arguments: [([1, 2], "switch {\n\tcase 1:\n\tcase 2:\n}"), ([], "switch {\n}")] as [([Int], String)])
    func `a region stands once for each row of constants`(values: [Int], text: String) {
        let go = RuntimeFile(
            """
            // #region all
            switch {
            \t// #region each
            \tcase SOME_BYTE:
            \t// #endregion
            }
            // #endregion
            """)
        let rows = values.map { ["SOME_BYTE": String($0)] }
        #expect(go.with([], each: rows).text("all") == text)
    }

    @Test func `what takes the place of a name is not looked at again, and the longer name counts`() {
        let file = RuntimeFile("// #region all\nf(LAYER_NAME, LAYER_NAMES)\n// #endregion\n")
        let constants = ["LAYER_NAME": "\"LAYER_NAMES\"", "LAYER_NAMES": "none"]
        #expect(file.with([], constants).text("all") == "f(\"LAYER_NAMES\", none)")
    }
}
