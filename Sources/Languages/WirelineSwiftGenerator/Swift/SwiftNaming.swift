// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The unique Swift names of all top-level declarations of a protocol.
struct SwiftNaming {
    /// The name of the protocol's type: `SceneProtocol`.
    let protocolName: String
    let messages: [SwiftTypeName]
    let structures: [SwiftTypeName]
    let unions: [SwiftTypeName]
    let enumerations: [SwiftTypeName]
    let flagSets: [SwiftTypeName]
    /// The function that returns all types of messages, and its parameter.
    let registry: (name: String, sender: String)

    /// The members of the protocol's type, except constants and deprecated types.
    static let protocolMembers: Set<String> = [
        "protocolName", "layout", "plan", "maximumPacketByteCount", "maximumDepth", "messageTypes", "FromClient",
        "FromServer",
    ]

    /// Names with another meaning inside a message, or inside the protocol's type. With a type called
    /// `PacketProtocol`, Swift 6.3 does not see that the protocol's type conforms to the codec's one. It should,
    /// because the code names the module.
    private static let reservedTypes: Set<String> = [
        "Definition", "FromClient", "FromServer", "PacketProtocol", "Reply",
    ]

    init(_ description: ProtocolDescription) {
        let declarations = description.declarations
        var taken = Self.reservedTypes
        var names: [String: String] = [:]
        let wanted = declarations.flatMap { [$0.name, $0.alias].compactMap { $0 } }
        // Names that can stay unchanged are assigned first, so that no other name takes them.
        for name in wanted where SwiftIdentifier.isFree(name, among: taken) {
            names[name] = SwiftIdentifier.unique(name, among: &taken)
        }
        for name in wanted where names[name] == nil { names[name] = SwiftIdentifier.unique(name, among: &taken) }
        protocolName = SwiftIdentifier.unique(Self.protocolName(of: description.name), among: &taken)
        registry = (
            SwiftIdentifier.unique("registeredMessageTypes", among: &taken),
            SwiftIdentifier.unique("sender", among: &taken)
        )
        let scope = protocolName
        var members = Self.protocolMembers
        func typeNames(_ list: [SwiftDeclaration]) -> [SwiftTypeName] {
            list.map { declaration in
                let name = names[declaration.alias ?? declaration.name] ?? declaration.name
                let schemaName = declaration.alias == nil ? nil : names[declaration.name]
                guard declaration.deprecation != nil else {
                    return SwiftTypeName(declared: name, scope: nil, aliases: [schemaName].compactMap { $0 })
                }
                let inner = SwiftIdentifier.unique(name, among: &members)
                return SwiftTypeName(declared: inner, scope: scope, aliases: [name, schemaName].compactMap { $0 })
            }
        }
        messages = typeNames(description.messages.map(SwiftDeclaration.init))
        structures = typeNames(description.structures.map(SwiftDeclaration.init))
        unions = typeNames(description.unions.map(SwiftDeclaration.init))
        enumerations = typeNames(description.enumerations.map(SwiftDeclaration.init))
        flagSets = typeNames(description.flagSets.map(SwiftDeclaration.init))
    }

    /// Returns the name of the protocol's type: the folder's name as an identifier, followed by `Protocol`.
    private static func protocolName(of folder: String) -> String {
        let isIdentifier =
            folder.unicodeScalars.allSatisfy { $0 == "_" || $0.isASCII && $0.properties.isAlphabetic || $0.isDigit }
            && folder.unicodeScalars.first.map { !$0.isDigit && $0.properties.isUppercase } == true
        let name = isIdentifier ? folder : SwiftWords.upperCamel(folder)
        guard let first = name.unicodeScalars.first else { return "WireProtocol" }
        return (first.isDigit ? "_" : "") + name + "Protocol"
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

struct SwiftTypeName {
    /// The name after `struct` or `enum`, without backticks.
    let declared: String
    /// The type that contains this type; nil at file scope.
    ///
    /// A deprecated type is nested and has deprecated aliases at file scope, so that generated code can use it without
    /// a warning.
    let scope: String?
    /// Other names, at file scope.
    let aliases: [String]

    /// The expression for the type in generated code.
    var reference: String {
        let name = SwiftIdentifier.quoted(declared)
        return scope.map { $0 + "." + name } ?? name
    }
}

struct SwiftDeclaration {
    var name: String
    /// The value of `@name`, if it differs from the name.
    var alias: String?
    var deprecation: String?

    private init(_ name: String, _ alias: String?, _ deprecation: String?) {
        self.name = name
        self.alias = alias == name ? nil : alias
        self.deprecation = deprecation
    }

    init(_ message: MessageDescription) { self.init(message.name, message.alias, message.deprecation) }
    init(_ structure: StructureDescription) { self.init(structure.name, structure.alias, structure.deprecation) }
    init(_ union: UnionDescription) { self.init(union.name, union.alias, union.deprecation) }
    init(_ flags: FlagsDescription) { self.init(flags.name, flags.alias, flags.deprecation) }
    init(_ enumeration: EnumerationDescription) {
        self.init(enumeration.name, enumeration.alias, enumeration.deprecation)
    }
}

extension ProtocolDescription {
    fileprivate var declarations: [SwiftDeclaration] {
        messages.map(SwiftDeclaration.init) + structures.map(SwiftDeclaration.init)
            + unions.map(SwiftDeclaration.init) + enumerations.map(SwiftDeclaration.init)
            + flagSets.map(SwiftDeclaration.init)
    }
}
