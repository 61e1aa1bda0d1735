// SPDX-License-Identifier: Apache-2.0

public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a C# file for a protocol.
///
/// The file needs C# 7.0 and .NET Standard 2.0. It compiles without warnings. The same description always gives the same bytes.
///
/// | in the schema | in C# |
/// |---|---|
/// | the protocol `Scene` | the namespace `Scene` with the class `SceneProtocol` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the class `Cs_20001`, `EnterScene` |
/// | field `SceneId` | `SceneId` |
/// | integers, flags, enums | the narrowest type, such as `byte`, `uint`, `ulong`; an `enum` of it |
/// | varints | `ulong` or `long` |
/// | floats | `float`, `double` |
/// | `bool` | `bool` |
/// | strings | `string` |
/// | `bytes` | `byte[]` |
/// | `properties` | `List<KeyValuePair<string, string>>` |
/// | lists | arrays |
/// | union | a class, with a class for each arm |
/// | an `optional` field, or one with `@if` | null if it is not set |
public struct CSharpGenerator: Sendable {
    private let description: ProtocolDescription
    private let namespace: String

    /// Makes a generator for a protocol, as returned by the checker.
    ///
    /// - Parameters:
    ///   - description: The protocol.
    ///   - namespace: The namespace, such as `Example.Net`; empty for the protocol's name (default: empty).
    public init(_ description: ProtocolDescription, namespace: String = "") {
        self.description = description
        self.namespace = namespace.isEmpty ? description.upperCamelName : namespace
    }

    /// Returns the file: `SceneProtocol.cs`.
    ///
    /// - Throws: ``GenerationError`` for a protocol that C# cannot express.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        let dialect = CSharpDialect(GeneratorModel(description, .cSharp(description)), namespace: namespace)
        return [
            GeneratedFile(
                path: dialect.className + ".cs", text: CSharpModule(dialect).text())
        ]
    }

    /// Returns a program that answers the questions of `wire conform`: `SceneConform.cs`.
    ///
    /// - Throws: ``GenerationError`` for a protocol that C# cannot express.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        let dialect = CSharpDialect(GeneratorModel(description, .cSharp(description)), namespace: namespace)
        return CSharpAdapter(dialect).file()
    }
}
