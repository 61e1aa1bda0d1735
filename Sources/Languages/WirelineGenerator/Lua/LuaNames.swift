// SPDX-License-Identifier: Apache-2.0

/// Lua's spelling of names. It reserves only the functions in the module's table.
extension NameStyle {
    static let lua = NameStyle(
        types: Kind(spelling: .unchanged, reserved: LuaRuntime.moduleFunctions), fields: Kind(spelling: .unchanged),
        cases: Kind(spelling: .unchanged), constants: Kind(spelling: .unchanged, reserved: LuaRuntime.moduleFunctions),
        headerFields: Kind(spelling: .unchanged), trailing: "trailing")
}
