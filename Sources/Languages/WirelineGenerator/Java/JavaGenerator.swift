// SPDX-License-Identifier: Apache-2.0

public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a Java class for a protocol.
///
/// The class is one file that needs only the library of Java 8. It compiles without warnings under `-Xlint:all`. The same description
/// always gives the same bytes.
///
/// | in the schema | in Java |
/// |---|---|
/// | the protocol `Scene` | the class `SceneProtocol`, which contains all others |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the class `Cs_20001`, `EnterScene` |
/// | field `SceneId` | `sceneId` |
/// | integers of up to 31 bits, and `int32` | `int` |
/// | `uint32`, wider integers and varints | `long`; one of 64 bits without a sign is its bits |
/// | floats | `float`, `double` |
/// | `bool` | `boolean` |
/// | strings | `String` |
/// | `bytes` | `byte[]` |
/// | `properties` | `Map<String, String>` |
/// | lists | arrays |
/// | enum, flags | `int` or `long`, with a class of constants |
/// | union | a class, with a class for each arm |
/// | an `optional` field, or one with `@if` | null if it is not set |
public struct JavaGenerator: Sendable {
    private let description: ProtocolDescription
    private let package: String

    /// Makes a generator for a protocol, as returned by the checker.
    ///
    /// - Parameters:
    ///   - description: The protocol.
    ///   - package: The package of the class, such as `com.example.net`; empty for none (default: empty).
    public init(_ description: ProtocolDescription, package: String = "") {
        self.description = description
        self.package = package
    }

    /// Returns the class: `SceneProtocol.java`, in the folder of its package.
    ///
    /// - Throws: ``GenerationError`` for a protocol that Java cannot express.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        let dialect = JavaDialect(GeneratorModel(description, .java(description)))
        let path = folder + dialect.className + ".java"
        return [GeneratedFile(path: path, text: JavaModule(dialect, package: package).text())]
    }

    /// Returns a program that answers the questions of `wire conform`: `SceneConform.java`.
    ///
    /// - Throws: ``GenerationError`` for a protocol that Java cannot express.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        let dialect = JavaDialect(GeneratorModel(description, .java(description)))
        return JavaAdapter(dialect, package: package).file(in: folder)
    }

    private var folder: String { package.isEmpty ? "" : package.replacing(".", with: "/") + "/" }
}
