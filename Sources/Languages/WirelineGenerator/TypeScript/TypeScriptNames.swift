// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// TypeScript's spelling of names, and the names that it or the runtime reserves.
extension NameStyle {
    static let typeScript = NameStyle(
        types: Kind(
            spelling: .capitalized,
            reserved: typeScriptGlobals.union(TypeScriptRuntime.names).union([
                "ClientPacket", "ServerPacket", "Header", "Connection", "States",
            ])
        ),
        fields: Kind(spelling: .lowerCamel, reserved: inherited), cases: Kind(spelling: .lowerCamel),
        constants: Kind(
            spelling: .lowerCamel,
            reserved: typeScriptWords.union(typeScriptGlobals).union(TypeScriptRuntime.names)
                .union(typeScriptFunctions)),
        headerFields: Kind(spelling: .lowerCamel, reserved: inherited), trailing: "trailing")

    /// Returns the names for a protocol. Without layers, a schema may use the names that layers need.
    static func typeScript(_ description: ProtocolDescription) -> NameStyle {
        description.layout.hasContent ? layered : typeScript
    }

    private static let layered: NameStyle = {
        var style = typeScript
        let names = TypeScriptRuntime.namesWithLayers.union([
            "layered", "transforms", "settableKeys", "idKeys",
        ])
        style.types.reserved.formUnion(names)
        style.constants.reserved.formUnion(names)
        return style
    }()

    /// The members that every object has: an unset field with such a name would seem to be set.
    private static let inherited: Set<String> = [
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
        "valueOf",
    ]

    /// The functions that every file declares for its own protocol.
    private static let typeScriptFunctions: Set<String> = [
        "unwrap", "unwrapClient", "unwrapServer", "wrap", "wrapClient", "wrapServer", "fromClient", "fromServer",
        "fitted", "fittedClient", "fittedServer", "change", "shapeOf", "shapes", "unwrappers", "wrappers",
    ]

    /// Names of JavaScript that generated code uses, or that would mislead a reader.
    static let typeScriptGlobals: Set<String> = [
        "Array", "ArrayBuffer", "BigInt", "Boolean", "DataView", "Error", "Function", "Infinity", "Int32Array", "Map",
        "Math", "NaN", "Number", "Object", "Omit", "Partial", "Pick", "Promise", "ReadonlyMap", "RegExp", "String",
        "Symbol",
        "TextDecoder", "TextEncoder", "Uint8Array", "globalThis", "undefined",
    ]

    /// The words that no variable can have, including those of strict code and of modules.
    static let typeScriptWords: Set<String> = [
        "abstract", "any", "arguments", "as", "async", "await", "bigint", "boolean", "break", "case", "catch", "class",
        "const", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "eval", "export",
        "extends", "false", "finally", "for", "from", "function", "get", "if", "implements", "import", "in",
        "instanceof", "interface", "is", "keyof", "let", "module", "namespace", "never", "new", "null", "number",
        "object", "of", "package", "private", "protected", "public", "readonly", "require", "return", "set", "static",
        "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof", "unique", "unknown",
        "var", "void", "while", "with", "yield",
    ]
}
