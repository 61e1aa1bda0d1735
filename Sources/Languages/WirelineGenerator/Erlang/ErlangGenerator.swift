// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates an Erlang module for a protocol, and a header file with its records.
///
/// The module needs only the records and OTP 21 or later. It compiles without warnings, and Dialyzer accepts its
/// specifications. The same description always gives the same bytes.
///
/// | in the schema | in Erlang |
/// |---|---|
/// | the protocol `Scene` | `scene_protocol.erl`, `scene_protocol.hrl` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the record `#cs_20001{}`, `#enter_scene{}` |
/// | field `SceneId` | `scene_id` |
/// | integers, varints | integers |
/// | floats | floats; `infinity`, `neg_infinity` and `{nan, Bits}` for values that Erlang has no float for |
/// | `bool` | `true` and `false` |
/// | strings, bytes | binaries |
/// | `properties` | a list of `{Key, Value}` |
/// | enum | the atom of the case, or the number if it has none |
/// | flags | the list of their atoms, and one number for bits that have none |
/// | an `optional` field, or one with `@if`, that is not set | `undefined` |
/// | a message that the protocol does not define, or an opaque content | `{unknown, Id, Payload}` |
/// | a packet that holds packets | `{packets, Id, [{Header, Message}]}` |
public struct ErlangGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the module and the header file, sorted by name.
    public func files() -> [GeneratedFile] {
        let types = ErlangTypes(description)
        let module = types.naming.module
        return [
            GeneratedFile(path: module + ".erl", text: ErlangModule(types).text()),
            GeneratedFile(path: module + ".hrl", text: ErlangHeaderFile(types).text()),
        ]
    }

    /// Returns a script that answers the questions of `wire conform`, and can run as an echo server.
    ///
    /// It is called `scene_conform.escript`, and belongs in the folder of the module.
    public func adapter() -> GeneratedFile {
        let adapter = ErlangAdapter(ErlangTypes(description), description)
        return GeneratedFile(path: adapter.path, text: adapter.text())
    }
}

extension ErlangTypes {
    /// The first lines of each file. The encoding comes first, before any name from the schema.
    var banner: [String] { ["%% -*- coding: utf-8 -*-", description.fileHead("%%")] }
}
