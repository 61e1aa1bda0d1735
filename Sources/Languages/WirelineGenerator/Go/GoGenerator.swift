// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a package of Go for a protocol.
///
/// The package is one file that needs Go 1.18 and the standard library. `go vet` reports nothing about it. The same
/// description always gives the same bytes.
///
/// | in the schema | in Go |
/// |---|---|
/// | the protocol `Scene` | the package `scene` in `scene_protocol.go` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the struct `Cs_20001`, `EnterScene` |
/// | field `SceneId` | `SceneID` |
/// | integers | the smallest type that holds them: `uint24` is `uint32` |
/// | varints | `uint64`, `int64`, `int32` |
/// | floats | `float32`, `float64` |
/// | `bool` | `bool` |
/// | strings | `string` |
/// | `bytes` | `[]byte` |
/// | `properties` | `[]Property` |
/// | lists | slices; arrays for those of a fixed length |
/// | enum, flags | a named integer with constants: `ChannelWorld` |
/// | union | an interface; each arm is a struct: `ShapeCircle` |
/// | an `optional` field, or one with `@if` | a pointer; a slice or a union that is nil |
public struct GoGenerator: Sendable {
    private let description: ProtocolDescription
    private let package: String

    /// Makes a generator for a protocol, as returned by the checker.
    ///
    /// - Parameters:
    ///   - description: The protocol.
    ///   - package: The name of the package; if it is empty (the default), the protocol's name in small letters.
    ///     `files()` refuses a name that Go does not accept.
    public init(_ description: ProtocolDescription, package: String = "") {
        self.description = description
        let stem = description.fileStem
        self.package = !package.isEmpty ? package : Self.keywords.contains(stem) ? stem + "_" : stem
    }

    /// Returns the package: `scene_protocol.go`.
    ///
    /// - Throws: ``GenerationError`` for a package that cannot have its name.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        try checkPackage()
        let plan = GeneratorModel(description, .go(description))
        return [
            GeneratedFile(
                path: description.fileStem + "_protocol.go", text: GoModule(plan, package: package).text())
        ]
    }

    /// Returns a program that answers the questions of `wire conform`: `scene_conform.go`.
    ///
    /// It belongs beside the package, which must have been generated as `main`.
    ///
    /// - Throws: ``GenerationError`` for what Go does not print.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        GoAdapter(GeneratorModel(description, .go(description))).file()
    }

    private func checkPackage() throws(GenerationError) {
        let isName =
            !Self.keywords.contains(package) && package != "_"
            && package.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
        guard isName else { throw GenerationError("\(package) is no name of a package in Go") }
    }

    /// The words that no package can have.
    static let keywords: Set<String> = [
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
        "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type",
        "var",
    ]
}
