// SPDX-License-Identifier: Apache-2.0

/// How Lua spells names, and those that the module needs: only what stands in its table can be hidden.
extension NameStyle {
    static let lua = NameStyle(
        types: Kind(spelling: .unchanged, reserved: LuaRuntime.moduleFunctions), fields: Kind(spelling: .unchanged),
        cases: Kind(spelling: .unchanged), constants: Kind(spelling: .unchanged, reserved: LuaRuntime.moduleFunctions),
        headerFields: Kind(spelling: .unchanged), trailing: "trailing")
}
