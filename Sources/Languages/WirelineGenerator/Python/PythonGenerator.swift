// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a Python module for a protocol.
///
/// The module is one file that needs Python 3.10 or later and its standard library. `mypy --strict` accepts it. The same
/// description always gives the same bytes.
///
/// | in the schema | in Python |
/// |---|---|
/// | the protocol `Scene` | `scene_protocol.py` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the data class `Cs_20001`, `EnterScene` |
/// | field `SceneId` | `scene_id` |
/// | integers and varints | `int` |
/// | floats | `float` |
/// | `bool` | `bool` |
/// | strings | `str` |
/// | `bytes` | `bytes` |
/// | `properties` | `dict[str, str]` |
/// | lists | `list` |
/// | enum | an `IntEnum`; numbers without a name stay an `int`, unless it is `@closed` |
/// | flags | `int`, with an `IntFlag` of the names |
/// | union | a data class for each arm: `ShapeCircle(value)` |
/// | an `optional` field, or one with `@if`, that is not set | `None` |
public struct PythonGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the module: `scene_protocol.py`.
    ///
    /// - Throws: ``GenerationError`` for a protocol that Python cannot express; so far there is none.
    public func files() throws(GenerationError) -> [GeneratedFile] {
        let plan = GeneratorModel(description, .python(description))
        return [
            GeneratedFile(path: description.fileStem + "_protocol.py", text: PythonModule(plan).text())
        ]
    }

    /// Returns a script that answers the questions of `wire conform`: `scene_conform.py`.
    ///
    /// It belongs beside the module.
    ///
    /// - Throws: ``GenerationError`` for a protocol that Python cannot express; so far there is none.
    public func adapter() throws(GenerationError) -> GeneratedFile {
        PythonAdapter(GeneratorModel(description, .python(description))).file()
    }
}
