// SPDX-License-Identifier: Apache-2.0

/// Turns packets into JSON and JSON into packets, by a protocol's description alone.
///
/// What it reads and refuses is what generated code reads and refuses.
///
/// ```swift
/// let translator = PacketTranslator(description)
/// let packet = try translator.encode(message: "Cs_20001", json: JSONValue(parsing: text))
/// print(try translator.decode(packet.span.bytes, from: .client))
/// // {"message":"Cs_20001","id":20001,"header":{"length":15,"id":20001},"fields":{"SceneId":7,"Line":2,"message":"hi"}}
/// ```
///
/// In JSON, names are the schema's and stand in the order of the wire. Integers are numbers, and strings beyond
/// ±(2^53 − 1); lists are arrays; bytes are Base64; an enum is its name, or its number when it has none; flags are an
/// array of names, with one number for bits that have none; `properties` are an object of strings; floats have their
/// shortest digits, or are `"NaN"`, `"Infinity"` and `"-Infinity"` (a NaN's other bits are not kept). An `optional`
/// field may be absent or `null`, a `@since` field absent; all others must be there. Of a `sized` structure with more
/// bytes than the description knows, the ones that it does not know are not shown.
public struct PacketTranslator: Sendable {
    let index: DescriptionIndex

    /// Makes a translator; names and numbers are indexed once, here.
    public init(_ description: ProtocolDescription) {
        index = DescriptionIndex(description)
    }

    /// The protocol whose packets are translated.
    public var description: ProtocolDescription { index.description }

    /// How deeply arrays and objects can stand in one another in what ``decode(_:from:)-(Packet,_)`` makes: what to
    /// give the parser so that it reads everything that was printed.
    public var maximumJSONDepth: Int {
        // A structure in a list is two levels; around the outermost fields stand the line and its `fields`.
        let levels = max(0, min(index.description.options.maximumDepth, 1 << 16))
        return max(JSONValue.defaultMaximumDepth, 2 * levels + 4)
    }
}

extension TypeDescription {
    /// Whether a field of this type takes all bytes to the end of the payload, so that none can follow it.
    func takesRest(in index: DescriptionIndex) -> Bool {
        switch self {
        case .string(.rest), .bytes(.rest), .list(_, .rest), .properties: return true
        case .structure(let structure):
            guard index.description.structures[structure].sizePrefix == nil else { return false }
            return index.structures[structure].fields.last?.type.takesRest(in: index) ?? false
        default: return false
        }
    }
}
