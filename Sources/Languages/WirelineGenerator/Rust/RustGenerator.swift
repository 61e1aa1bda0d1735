// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a module of Rust for a protocol.
///
/// The module is one file that needs edition 2021 and the standard library. It needs no crate and contains no `unsafe`.
/// The same description always gives the same bytes.
///
/// | in the schema | in Rust |
/// |---|---|
/// | the protocol `Scene` | the module `scene_protocol` in `scene_protocol.rs` |
/// | message or struct `Cs_20001`, `@name(EnterScene)` | the struct `Cs_20001`, `EnterScene` |
/// | field `SceneId` | `scene_id` |
/// | integers | the smallest type that holds them: `uint24` is `u32` |
/// | varints | `u64`, `i64` |
/// | floats | `f32`, `f64` |
/// | `bool` | `bool` |
/// | strings | `String` |
/// | `bytes` | `Vec<u8>` |
/// | `properties` | `Vec<(String, String)>` |
/// | lists | `Vec<T>`; `[T; N]` for those of a fixed length up to 32 |
/// | enum, flags | a struct of a number with constants: `Channel::WORLD` |
/// | union | an enum: `Shape::Circle(5)` |
/// | an `optional` field, or one with `@if` | an `Option` |
public struct RustGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the module: `scene_protocol.rs`.
    public func files() -> [GeneratedFile] {
        let plan = GeneratorModel(description, .rust(description))
        return [GeneratedFile(path: description.fileStem + "_protocol.rs", text: RustModule(plan).text())]
    }

    /// Returns a program that answers the questions of `wire conform`: `scene_conform.rs`. It belongs beside the module.
    public func adapter() -> GeneratedFile { RustAdapter(GeneratorModel(description, .rust(description))).file() }
}
