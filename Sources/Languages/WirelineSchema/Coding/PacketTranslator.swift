// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
package import WirelineLayers

/// Converts packets to JSON and JSON to packets, using only a protocol's description.
///
/// It accepts and refuses the same packets and values as generated code.
///
/// ```swift
/// let translator = PacketTranslator(description)
/// let packet = try translator.encode(message: "Cs_20001", json: JSONValue(parsing: text))
/// print(try translator.decode(packet.span.bytes, from: .client))
/// // {"message":"Cs_20001","id":20001,"header":{"length":15,"id":20001},"fields":{"SceneId":7,"Line":2,"message":"hi"}}
/// ```
///
/// JSON uses the schema's names, in wire order:
///
/// - Integers are numbers, and strings beyond ±(2^53 − 1).
/// - Floats are their shortest digits, or `"NaN"`, `"Infinity"` and `"-Infinity"`. A NaN's other bits are lost.
/// - Lists are arrays. Bytes are Base64. `char` and `bcd` are strings. `properties` are an object of strings.
/// - An enum is its name, or its number if it has no name. Flags are an array of names, with one number for bits
///   without a name.
/// - A union is an object with one key, the name of its arm: `{"circle":{…}}`, `{"none":null}`. A `default` arm keeps
///   `{"other":{"tag":9,"bytes":"AAE="}}`.
/// - An `optional` field may be absent or `null`, a `@since` field absent. A field with `@if` is present exactly if its
///   condition holds. All other fields are required.
/// - In a `sized` structure or union with more bytes than the description knows, the unknown bytes are left out.
///
/// A packet with layers is opened and sealed as the first of its connection. State that lasts from packet to packet
/// needs a `PacketOpener` or a `PacketSealer`.
public struct PacketTranslator: Sendable {
    let index: DescriptionIndex
    /// The keys of layers, and the program's settings for them (default: none).
    package var layers = LayerSettings()

    /// Makes a translator; this indexes names and numbers once.
    public init(_ description: ProtocolDescription) {
        index = DescriptionIndex(description)
    }

    /// The protocol whose packets are translated.
    public var description: ProtocolDescription { index.description }

    /// Returns the message with this schema name or `@name`, without a search.
    func message(named name: String) -> MessageDescription? {
        index.message(named: name).map { description.messages[$0] }
    }

    /// The deepest nesting of arrays and objects in the result of ``decode(_:from:)-(Packet,_)``.
    ///
    /// Pass it to the JSON parser, so that it reads everything that was printed.
    public var maximumJSONDepth: Int {
        // A structure or a union in a list has two levels, and a union's kept value has one more. The line and its
        // `fields` enclose the outermost fields.
        let levels = max(0, min(index.description.options.maximumDepth, 1 << 16))
        let packets = hasContent ? 2 * description.layout.content.maximumNestedDepth : 0
        return max(JSONValue.defaultMaximumDepth, 2 * levels + packets + 4)
    }
}
