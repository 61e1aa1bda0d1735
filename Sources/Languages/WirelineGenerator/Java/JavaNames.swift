// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Java's spelling of names, and the names that it or the runtime reserves.
extension NameStyle {
    static func java(_ description: ProtocolDescription) -> NameStyle {
        let types = javaTypes.union(javaWords).union(JavaRuntime.names).union(
            [
                description.upperCamelName + "Protocol", description.upperCamelName + "Conform", "Header",
            ] + (description.layout.dependsOnStates || description.layout.hasContent ? ["Connection"] : [])
                + (description.layout.hasContent ? JavaRuntime.namesOfLayers : []))
        // States share a class with these members of a connection.
        let members: Set<String> = description.layout.hasContent ? ["keys", "layers", "streams", "threshold"] : []
        return NameStyle(
            types: Kind(spelling: .capitalized, reserved: types),
            fields: Kind(spelling: .lowerCamel, reserved: javaWords),
            cases: Kind(spelling: .shouting, reserved: javaWords),
            constants: Kind(spelling: .shouting, reserved: javaWords),
            headerFields: Kind(spelling: .lowerCamel, reserved: javaWords.union(members)), trailing: "trailing",
            arms: Kind(spelling: .upperCamel, reserved: types))
    }

    /// The language's classes that generated code names, or that would mislead a reader.
    static let javaTypes: Set<String> = [
        "Boolean", "Byte", "Character", "Class", "Deprecated", "Double", "Enum", "Error", "Exception", "Float",
        "Integer", "Iterable", "Long", "Math", "Number", "Object", "Override", "Record", "Runnable",
        "RuntimeException", "Short", "String", "StringBuilder", "SuppressWarnings", "System", "Thread", "Throwable",
        "Void",
    ]

    /// The words that no name can be, and the package that generated code names.
    static let javaWords: Set<String> = [
        "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
        "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto",
        "if", "implements", "import", "instanceof", "int", "interface", "java", "long", "native", "new", "null",
        "package", "permits", "private", "protected", "public", "record", "return", "sealed", "short", "static",
        "strictfp",
        "super", "switch", "synchronized", "this", "throw", "throws", "transient", "true", "try", "var", "void",
        "volatile", "while", "yield",
    ]
}

extension ProtocolDescription {
    /// The protocol's name as the beginning of a type's name: `Scene`, `TwoByteHeader`, `HTTP2`.
    var upperCamelName: String {
        let words = NameWords.words(of: name)
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        if joined.isEmpty { return "Wire" }
        return (joined.first?.isNumber == true ? "Wire" : "") + joined
    }
}
