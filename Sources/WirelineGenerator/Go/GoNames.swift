// SPDX-License-Identifier: Apache-2.0

/// How Go spells names, and those that it or the package needs.
///
/// All names of a schema begin with a capital, so none is a word of Go, and none is a small name of the package.
extension NameStyle {
    static let go = NameStyle(
        types: Kind(spelling: .exported, reserved: goNames),
        fields: Kind(spelling: .exportedCamel, reserved: goMethods),
        cases: Kind(spelling: .exportedCamel, reserved: goNames),
        constants: Kind(spelling: .exportedCamel, reserved: goNames),
        headerFields: Kind(spelling: .exportedCamel), trailing: "Trailing",
        arms: Kind(spelling: .exportedCamel, reserved: goNames), prefixesCases: true)

    /// The names with a capital that packages declare for themselves.
    private static let goNames: Set<String> = [
        "Append", "AppendFrom", "Client", "Decode", "Encode", "EncodeFrom", "Error", "Header", "Message", "NewHeader",
        "NewSplitter", "Packet", "Property", "Sender", "Server", "Split", "SplitClient", "SplitServer", "Splitter",
        "Unknown",
    ]

    /// The methods of messages, and those of types with `@sensitive` fields. A field cannot have the name of a method.
    private static let goMethods: Set<String> = ["GoString", "MessageID", "MessageName", "String"]
}
