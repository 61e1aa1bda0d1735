// SPDX-License-Identifier: Apache-2.0

public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a C++ header for a protocol.
///
/// The header needs C++17 and the standard library. It compiles without exceptions and RTTI, and without warnings. The same
/// description always gives the same bytes.
///
/// | in the schema | in C++ |
/// |---|---|
/// | the protocol `Scene` | the namespace `scene` in `scene_protocol.hpp` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the struct `Cs_20001`, `EnterScene` |
/// | field `SceneId` | `scene_id` |
/// | integers | the smallest type that holds them: `uint24` is `std::uint32_t` |
/// | varints | `std::uint64_t`, `std::int64_t` |
/// | floats | `float`, `double` |
/// | strings | `std::string` |
/// | `bytes` | `Bytes`, a `std::vector<std::uint8_t>` |
/// | `properties` | `std::vector<Property>` |
/// | lists | `std::vector` |
/// | enum, flags | an `enum class` |
/// | union | a `Union` of structs: `ShapeCircle` |
/// | an `optional` field, or one with `@if` | a `std::optional` |
public struct CppGenerator: Sendable {
    private let description: ProtocolDescription
    private let namespace: String

    /// Makes a generator for a protocol, as returned by the checker.
    ///
    /// - Parameters:
    ///   - description: The protocol.
    ///   - namespace: The namespace, such as `game::net`; if it is empty (the default), the protocol's name in small
    ///     letters. `files()` refuses a name that C++ does not accept.
    public init(_ description: ProtocolDescription, namespace: String = "") {
        self.description = description
        self.namespace = namespace
    }

    /// Returns the header: `scene_protocol.hpp`.
    ///
    /// - Throws: ``GenerationError`` for a namespace that cannot have its name.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        let plan = GeneratorModel(description, .cpp(description))
        return [
            GeneratedFile(
                path: description.fileStem + "_protocol.hpp",
                text: CppModule(plan, namespace: try space()).text())
        ]
    }

    /// Returns a program that answers the questions of `wire conform`: `scene_conform.cpp`. It belongs beside the header.
    ///
    /// - Throws: ``GenerationError`` for a namespace that cannot have its name.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        CppAdapter(GeneratorModel(description, .cpp(description)), namespace: try space()).file()
    }

    private func space() throws(GenerationError) -> String {
        guard !namespace.isEmpty else {
            let stem = description.fileStem
            return NameStyle.cppWords.contains(stem) ? stem + "_" : stem
        }
        let parts = namespace.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let isName = parts.enumerated().allSatisfy { index, part in
            index % 2 == 1
                ? part.isEmpty
                : part.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil && !NameStyle.cppWords.contains(part)
        }
        guard isName, parts.count % 2 == 1 else {
            throw GenerationError("\(namespace) is no namespace of C++")
        }
        return namespace
    }
}
