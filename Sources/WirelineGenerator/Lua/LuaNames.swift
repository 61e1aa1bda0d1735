// SPDX-License-Identifier: Apache-2.0

/// How Lua spells names, and those that the module needs: only what stands in its table can be hidden.
extension NameStyle {
    static let lua = NameStyle(
        types: Kind(spelling: .unchanged, reserved: moduleFunctions), fields: Kind(spelling: .unchanged),
        cases: Kind(spelling: .unchanged), constants: Kind(spelling: .unchanged, reserved: moduleFunctions),
        headerFields: Kind(spelling: .unchanged), trailing: "trailing")

    private static let moduleFunctions: Set<String> = ["connection", "decode", "encode", "has", "splitter"]
}
