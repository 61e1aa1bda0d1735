// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a TypeScript module for a protocol.
///
/// The module is one file that imports nothing. It needs ES2015 and TypeScript 4.8 or later. It needs no `TextDecoder`,
/// and `BigInt` only if the schema has integers beyond 53 bits. It compiles without warnings under `--strict` and
/// stricter settings. The same description always gives the same bytes.
///
/// | in the schema | in TypeScript |
/// |---|---|
/// | the protocol `Scene` | `scene_protocol.ts` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the interface `Cs_20001`, `EnterScene`; for a message a constant of that name, too |
/// | field `SceneId` | `sceneId` |
/// | integers and varints | `number`; `bigint` for those that can be beyond 53 bits |
/// | floats | `number` |
/// | `bool` | `boolean` |
/// | strings | `string` |
/// | `bytes` | `Uint8Array` |
/// | `properties` | `Map<string, string>` |
/// | lists | arrays |
/// | enum, flags | `number`, with an object of constants; `@closed`: the union of the numbers |
/// | union | objects with the arm's name as `kind`, and a `value` |
/// | an `optional` field, or one with `@if`, that is not set | no property |
public struct TypeScriptGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the module: `scene_protocol.ts`.
    ///
    /// - Throws: ``GenerationError`` for a protocol that TypeScript cannot express; so far there is none.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        let plan = GeneratorModel(description, .typeScript(description))
        return [
            GeneratedFile(path: description.fileStem + "_protocol.ts", text: TypeScriptModule(plan).text())
        ]
    }

    /// Returns a module of JavaScript with the same functions: `scene_protocol.js`.
    ///
    /// It is for pages of Wireline. `inspect_packet` also reports the bytes of each value.
    ///
    /// - Throws: ``GenerationError`` for a protocol that TypeScript cannot express; so far there is none.
    package func script() throws(GenerationError) -> GeneratedFile {
        let text = TypeScriptModule(GeneratorModel(description, .typeScript(description)), isForPages: true).text()
        return GeneratedFile(path: description.fileStem + "_protocol.js", text: text)
    }

    /// Returns a script that answers the questions of `wire conform`: `scene_conform.mjs`.
    ///
    /// It belongs beside the compiled module, and runs in Node.
    ///
    /// - Throws: ``GenerationError`` for a protocol that TypeScript cannot express; so far there is none.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        TypeScriptAdapter(GeneratorModel(description, .typeScript(description))).file()
    }
}
