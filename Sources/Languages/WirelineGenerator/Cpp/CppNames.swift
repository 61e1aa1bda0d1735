// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// C++'s spelling of names, and the names that it or the runtime reserves.
///
/// Types begin with a capital, all other names with a small letter.
extension NameStyle {
    static func cpp(_ description: ProtocolDescription) -> NameStyle {
        // Packet fields are members of the header; states share a struct with a connection's members.
        let hasConnection = description.layout.dependsOnStates || description.layout.hasContent
        let members = hasConnection ? cppWords.union(connectionMembers) : cppWords
        let types = Kind(spelling: .exported, reserved: CppRuntime.words)
        return NameStyle(
            types: types, fields: Kind(spelling: .snake, reserved: cppWords),
            cases: Kind(spelling: .snake, reserved: cppWords),
            constants: Kind(spelling: .snake, reserved: cppWords.union(["append", "decode", "detail", "encode"])),
            headerFields: Kind(spelling: .snake, reserved: members), trailing: "trailing",
            arms: Kind(spelling: .upperCamel, reserved: CppRuntime.words))
    }

    /// A state cannot have the name of another member of a connection.
    private static let connectionMembers = ["aes", "keys", "layers", "set_key", "set_layer", "streams", "threshold"]

    /// The words of C++20, and macros of systems; no declaration can have these names.
    static let cppWords = Set(
        """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept
        const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
        dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new
        noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short
        signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
        typename union unsigned using virtual void volatile wchar_t while xor xor_eq
        assert errno far interface linux major minor near small std stderr stdin stdout unix
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
