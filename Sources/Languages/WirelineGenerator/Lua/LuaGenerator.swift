// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a Lua module for a protocol.
///
/// The module is one file for Lua 5.1, 5.2, 5.3, 5.4 and LuaJIT. It requires nothing: no C module, no `ffi`, no `bit`.
/// For layers, the program supplies functions for compression and AES from its own packages. The same description
/// always gives the same bytes.
///
/// | in the schema | in Lua |
/// |---|---|
/// | the protocol `Scene` | `scene_protocol.lua` |
/// | message or struct | table |
/// | field `SceneId` | `SceneId` |
/// | integers and varints | number; decimal digits as a string if the interpreter has no exact number |
/// | floats | number |
/// | `bool` | boolean |
/// | strings, `bytes` | string |
/// | `properties` | table with the keys in order, and each key's value |
/// | lists | tables |
/// | enum | number, with a table of names and numbers |
/// | flags | number, with a table of masks and `has` |
/// | union | table with the arm's name as `kind`, and a `value` |
/// | an `optional` field, or one with `@if`, that is not set | nil |
public struct LuaGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the module: `scene_protocol.lua`.
    ///
    /// - Throws: ``GenerationError`` for a protocol that Lua cannot express; so far there is none.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        let plan = GeneratorModel(description, .lua)
        return [GeneratedFile(path: description.fileStem + "_protocol.lua", text: LuaModule(plan).text())]
    }

    /// Returns a script that answers the questions of `wire conform`: `scene_conform.lua`.
    ///
    /// It belongs beside the module.
    ///
    /// - Throws: ``GenerationError`` for a protocol that Lua cannot express; so far there is none.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        LuaAdapter(GeneratorModel(description, .lua)).file()
    }
}
