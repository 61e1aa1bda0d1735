// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Go's spelling of names, and the names that it or the package reserves.
///
/// All names of a schema begin with a capital, so none is a word of Go or a private name of the package.
extension NameStyle {
    static func go(_ description: ProtocolDescription) -> NameStyle {
        let hasConnection = description.layout.dependsOnStates || description.layout.hasContent
        let names = hasConnection ? goNames.union(connectionNames) : goNames
        return NameStyle(
            types: Kind(spelling: .exported, reserved: names),
            fields: Kind(spelling: .exportedCamel, reserved: goMethods),
            cases: Kind(spelling: .exportedCamel, reserved: names),
            constants: Kind(spelling: .exportedCamel, reserved: names),
            // States share this spelling, and must differ from the methods of a connection.
            headerFields: Kind(spelling: .exportedCamel, reserved: hasConnection ? names : []), trailing: "Trailing",
            arms: Kind(spelling: .exportedCamel, reserved: names),
            prefixesCases: true)
    }

    /// The exported names that every package declares for itself.
    private static let goNames = declared(with: []).union(declared(with: ["sender", "dependsOnSender"]))
        .union(["Client", "Header", "NewHeader", "Server"])

    /// The exported names that packages with states or layers add, and the members of a connection.
    private static let connectionNames = declared(with: ["connection", "layers", "packets", "program"])
        .union(["Connection", "Layers", "SetKey", "Threshold"])

    private static func declared(with features: Set<String>) -> Set<String> {
        RuntimeFile.go.with(features).names(after: ["func", "type"], in: ["interface", "pieces"])
            .filter { $0.first?.isUppercase == true }
    }

    /// The methods of messages, and of types with `@sensitive` fields. A field cannot have the name of a method.
    private static let goMethods: Set<String> = ["GoString", "MessageID", "MessageName", "String"]
}
