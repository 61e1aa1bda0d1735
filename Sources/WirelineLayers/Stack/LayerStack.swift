// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLibraries

/// The layers of one direction of a connection: one end seals packets with its stack, the other end opens them with its
/// own.
///
/// Packets must pass in their order, for keystreams go on from packet to packet. A stack is for opening or for sealing:
/// the keystreams of both would not be the same. After an error the connection ends; the stack is not used again.
package struct LayerStack: ~Copyable {
    private struct Layer {
        let kind: LayerKind
        /// ``LayerKind/mayInflate``, which is asked for with each packet.
        let mayInflate: Bool
        /// What does the work; nil before the first packet, and after a change of its keys.
        private var transform: (any PacketLayer)?
        /// Whether there is a transform: to ask it would copy it.
        private(set) var isMade = false

        init(_ kind: LayerKind) {
            self.kind = kind
            mayInflate = kind.mayInflate
        }

        mutating func set(_ transform: (any PacketLayer)?) {
            self.transform = transform
            isMade = transform != nil
        }

        mutating func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
            // It works in its place: a copy would copy the state of a transform that is a value.
            try transform?.open(sealed, header, limit: limit) ?? []
        }

        mutating func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
            try transform?.seal(content, header) ?? []
        }
    }

    private var layers: [Layer]
    private let sender: Sender
    private let options: LayerOptions
    private let states: CompressionStates
    private var keys: [String: SecretMemory] = [:]

    /// The most layers of a packet.
    package static let layerLimit = 4

    /// - Parameters:
    ///   - kinds: The layers, the outermost first; at most four.
    ///   - sender: Whose packets these are.
    ///   - states: Those of the thread that uses the stack (default: its own).
    package init(
        _ kinds: [LayerKind], from sender: Sender, options: LayerOptions = LayerOptions(),
        states: CompressionStates = CompressionStates()
    ) {
        precondition(kinds.count <= Self.layerLimit, "a schema has at most four layers")
        layers = kinds.map { Layer($0) }
        self.sender = sender
        self.options = options
        self.states = states
    }

    /// Sets a key. The keystreams of its layers start anew with the next packet.
    ///
    /// The stack keeps a copy, and wipes it when it is replaced or the stack is released.
    ///
    /// - Throws: ``LayerKeyError``; then the key that was set before stays.
    package mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        let uses = layers.flatMap(\.kind.keys).filter { $0.name == name }
        guard !uses.isEmpty else { throw .unknownName(name) }
        for use in uses where !use.byteCounts.allow(bytes.byteCount) {
            throw .wrongByteCount(bytes.byteCount, needed: use.byteCounts)
        }
        keys[name] = SecretMemory(copying: bytes)
        for index in layers.indices where layers[index].kind.keys.contains(where: { $0.name == name }) {
            layers[index].set(nil)
        }
    }

    /// Returns what is inside the layers of a packet.
    ///
    /// - Parameters:
    ///   - sealed: The bytes from the first layer's line to the end of the payload.
    ///   - header: The header fields before the layers.
    ///   - applying: The layers that this packet has; if there is none, the bytes are returned as they are.
    ///   - budget: What the layers may make; it is that of the outermost packet.
    /// - Throws: ``CodecError/Reason/invalidLayer(_:)``, ``CodecError/Reason/trailingBytes(count:)``,
    ///   ``CodecError/Reason/inflatedTooLong(limit:)``, ``CodecError/Reason/layerUnavailable(_:)`` or what a custom layer
    ///   throws, with the path `packet.NAME`.
    package mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, applying: LayerSet = .all, within budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        var content: [UInt8]?
        for index in layers.indices where applying.contains(.layer(at: index)) {
            if let outer = content {
                content = try open(index, outer.rawSpan, header, &budget)
            } else {
                content = try open(index, sealed, header, &budget)
            }
        }
        return content ?? [UInt8](copying: sealed)
    }

    /// Returns a packet's content inside its layers.
    ///
    /// - Parameters: As for ``open(_:_:applying:within:)``. What a peer could not open within the budget is refused.
    package mutating func seal(
        _ content: RawSpan, _ header: PacketHeader, applying: LayerSet = .all, within budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        var sealed: [UInt8]?
        for index in stride(from: layers.count - 1, through: 0, by: -1) where applying.contains(.layer(at: index)) {
            if let inner = sealed {
                sealed = try seal(index, inner.rawSpan, header, &budget)
            } else {
                sealed = try seal(index, content, header, &budget)
            }
        }
        return sealed ?? [UInt8](copying: content)
    }

    private mutating func open(
        _ index: Int, _ sealed: RawSpan, _ header: PacketHeader, _ budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        do throws(CodecError) {
            try makeTransform(at: index)
            let content = try layers[index].open(sealed, header, limit: budget.remainingByteCount)
            if layers[index].mayInflate { try budget.take(content.count) }
            return content
        } catch {
            // A layer knows only what is left; the limit is that of the packet.
            guard case .inflatedTooLong = error.reason else { throw error.prefixed(by: path(of: index)) }
            throw CodecError(.inflatedTooLong(limit: budget.limit), path: path(of: index))
        }
    }

    private mutating func seal(
        _ index: Int, _ content: RawSpan, _ header: PacketHeader, _ budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        do throws(CodecError) {
            if layers[index].mayInflate { try budget.take(content.byteCount) }
            try makeTransform(at: index)
            return try layers[index].seal(content, header)
        } catch {
            throw error.prefixed(by: path(of: index))
        }
    }

    private func path(of index: Int) -> String { "packet." + layers[index].kind.name }

    // MARK: Making transforms

    /// Makes what works for a layer, unless it is there.
    private mutating func makeTransform(at index: Int) throws(CodecError) {
        guard !layers[index].isMade else { return }
        layers[index].set(try transform(for: layers[index].kind))
    }

    private func transform(for kind: LayerKind) throws(CodecError) -> any PacketLayer {
        switch kind {
        case .zlib: return states.layer(.zlib, level: options.zlibLevel)
        case .deflate: return states.layer(.none, level: options.zlibLevel)
        case .gzip: return states.layer(.gzip, level: options.zlibLevel)
        case .brotli: return BrotliLayer(level: options.brotliLevel)
        case .xor(let name): return try XORLayer(key: key(name))
        case .rc4(let name): return try RC4Layer(key: key(name))
        case .aesCTR(let name, let vector): return try AESLayer(.ctr, key: key(name), vector: self.vector(vector))
        case .aesCBC(let name, let vector): return try AESLayer(.cbc, key: key(name), vector: self.vector(vector))
        case .custom(let name):
            guard let make = options.custom[name] else { throw CodecError(.layerUnavailable(.transform(name))) }
            return make(sender)
        }
    }

    private func key(_ name: String) throws(CodecError) -> SecretMemory {
        guard let key = keys[name] else { throw CodecError(.layerUnavailable(.key(name, of: sender))) }
        return key
    }

    private func vector(_ vector: LayerKind.Vector) throws(CodecError) -> AESLayer.Vector {
        switch vector {
        case .key(let name): .key(try key(name))
        case .field(let name): .field(name)
        }
    }
}
