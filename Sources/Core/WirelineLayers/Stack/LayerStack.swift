// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLibraries

/// The layers of one direction of a connection: one end seals packets with its stack, the other end opens them with its
/// own.
///
/// Packets must pass in their order, because keystreams continue from packet to packet. A stack only opens or only
/// seals: the two would need different keystreams. After an error the connection ends, and its stack is not used again.
package struct LayerStack: ~Copyable {
    private struct Layer {
        let kind: LayerKind
        /// ``LayerKind/mayInflate``, stored because each packet needs it.
        let mayInflate: Bool
        var transform = Transform.missing

        init(_ kind: LayerKind) {
            self.kind = kind
            mayInflate = kind.mayInflate
        }
    }

    private enum Transform {
        /// Before the first packet, and after a change of the layer's keys.
        case missing
        case keystream(any KeystreamLayer)
        case compression(any CompressionLayer)
        case packetwise(any PacketLayer)
    }

    private var layers: [Layer]
    private let sender: Sender
    private let options: LayerOptions
    private let states: CompressionStates
    private var keys: [String: SecretMemory] = [:]
    /// The content that is inflated in steps, until its last step.
    private var opening: (any CompressionWork)?
    /// Whether that content was dropped, and must start anew.
    private var hasDroppedOpening = false

    package static let layerLimit = 4

    /// - Parameters:
    ///   - kinds: The layers, the outermost first; at most four.
    ///   - sender: The end that sends the packets.
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
    /// The stack keeps a copy, and wipes it when the key is replaced or the stack is released.
    ///
    /// - Throws: ``LayerKeyError``; then the earlier key stays.
    package mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        let uses = layers.flatMap(\.kind.keys).filter { $0.name == name }
        guard !uses.isEmpty else { throw .unknownName(name) }
        for use in uses where !use.byteCounts.allow(bytes.byteCount) {
            throw .wrongByteCount(bytes.byteCount, needed: use.byteCounts)
        }
        keys[name] = SecretMemory(copying: bytes)
        for index in layers.indices where layers[index].kind.keys.contains(where: { $0.name == name }) {
            layers[index].transform = .missing
        }
    }

    /// Appends the content of a packet's layers.
    ///
    /// - Parameters:
    ///   - sealed: The bytes from the first layer's line to the end of the payload.
    ///   - header: The header fields before the layers.
    ///   - applying: The layers that this packet has; if there is none, the bytes are appended as they are.
    ///   - budget: The bytes that the layers may make; it is that of the outermost packet.
    ///   - content: The bytes are appended here. After an error it may end with a part of them.
    /// - Throws: ``CodecError/Reason/invalidLayer(_:)``, ``CodecError/Reason/trailingBytes(count:)``,
    ///   ``CodecError/Reason/inflatedTooLong(limit:)``, ``CodecError/Reason/layerUnavailable(_:)`` or the error of a
    ///   custom layer, with the path `packet.NAME`.
    package mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, applying: LayerSet = .all, within budget: inout InflationBudget,
        into content: inout [UInt8]
    ) throws(CodecError) {
        var work = Work(.opening, at: content.count)
        for index in layers.indices where applying.contains(.layer(at: index)) {
            try run(index, &work, sealed, header, &budget, &content)
        }
        if !work.hasBegun { content.append(sealed) }
    }

    /// Appends a packet's content inside its layers.
    ///
    /// - Parameters: As for ``open(_:_:applying:within:into:)``. Content that a peer could not open within the budget
    ///   is refused.
    package mutating func seal(
        _ content: RawSpan, _ header: PacketHeader, applying: LayerSet = .all, within budget: inout InflationBudget,
        into sealed: inout [UInt8]
    ) throws(CodecError) {
        var work = Work(.sealing, at: sealed.count)
        for index in stride(from: layers.count - 1, through: 0, by: -1) where applying.contains(.layer(at: index)) {
            try run(index, &work, content, header, &budget, &sealed)
        }
        if !work.hasBegun { sealed.append(content) }
    }

    /// The progress of the layers of one packet.
    private struct Work {
        enum Direction {
            case opening
            case sealing
        }

        let direction: Direction
        /// The start of the layers' output.
        let start: Int
        /// Whether a layer has made output: the next layer takes that.
        var hasBegun = false

        init(_ direction: Direction, at start: Int) {
            self.direction = direction
            self.start = start
        }
    }

    /// Replaces the output of earlier layers by this layer's output.
    ///
    /// - Parameter source: The input of the first layer.
    private mutating func run(
        _ index: Int, _ work: inout Work, _ source: RawSpan, _ header: PacketHeader,
        _ budget: inout InflationBudget, _ bytes: inout [UInt8]
    ) throws(CodecError) {
        defer { work.hasBegun = true }
        do throws(CodecError) {
            try makeTransform(at: index)
            if case .keystream(let layer) = layers[index].transform {
                if work.hasBegun {
                    bytes.transform(from: work.start, by: layer)
                } else {
                    bytes.append(source, transformedBy: layer)
                }
                return
            }
            let made =
                work.hasBegun
                ? try run(index, work.direction, bytes.rawSpan.extracting(work.start...), header, &budget)
                : try run(index, work.direction, source, header, &budget)
            bytes.replaceTail(from: work.start, with: made)
        } catch {
            throw named(error, at: index, budget)
        }
    }

    private mutating func run(
        _ index: Int, _ direction: Work.Direction, _ source: RawSpan, _ header: PacketHeader,
        _ budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        if case .compression(var layer) = layers[index].transform {
            return try run(&layer, mayInflate: true, direction, source, header, &budget)
        }
        guard case .packetwise(var layer) = layers[index].transform else { return [] }
        // This function holds the only reference meanwhile: a transform that is a value keeps its state without a copy.
        layers[index].transform = .missing
        defer { layers[index].transform = .packetwise(layer) }
        return try run(&layer, mayInflate: layers[index].mayInflate, direction, source, header, &budget)
    }

    private func run(
        _ layer: inout some PacketLayer, mayInflate: Bool, _ direction: Work.Direction, _ source: RawSpan,
        _ header: PacketHeader, _ budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        switch direction {
        case .opening:
            let content = try layer.open(source, header, limit: budget.remainingByteCount)
            if mayInflate { try budget.take(content.count) }
            return content
        case .sealing:
            if mayInflate { try budget.take(source.byteCount) }
            return try layer.seal(source, header)
        }
    }

    // MARK: In steps

    /// Inflates the content of a layer, until it is whole or the work must stop.
    ///
    /// - Parameters:
    ///   - sealed: As for ``open(_:_:applying:within:into:)``; after a stop, the same bytes again.
    ///   - schedule: Decides when to stop.
    /// - Returns: The content; nil after a stop. The caller then repeats the call in a later turn.
    /// - Throws: As ``open(_:_:applying:within:into:)``.
    mutating func openCompression(
        _ sealed: RawSpan, at index: Int, within budget: inout InflationBudget, at schedule: any OpeningSchedule
    ) throws(CodecError) -> [UInt8]? {
        do throws(CodecError) {
            try makeTransform(at: index)
            guard case .compression(let layer) = layers[index].transform else { return nil }
            if hasDroppedOpening, !schedule.mayKeepUnfinished() { return nil }
            let work =
                if let opening { opening } else {
                    try layer.beginOpening(sealed.byteCount, limit: budget.remainingByteCount)
                }
            (opening, hasDroppedOpening) = (nil, false)
            while true {
                if let content = try work.step(sealed) {
                    try budget.take(content.count)
                    return content
                }
                guard !schedule.mustStop else { break }
            }
            if schedule.mayKeepUnfinished() { opening = work } else { hasDroppedOpening = true }
            return nil
        } catch {
            throw named(error, at: index, budget)
        }
    }

    /// - Returns: The work of compressing a content; nil if the layer compresses nothing.
    mutating func beginSealing(_ byteCount: Int, at index: Int) throws(CodecError) -> (any CompressionWork)? {
        try makeTransform(at: index)
        guard case .compression(let layer) = layers[index].transform else { return nil }
        return try layer.beginSealing(byteCount)
    }

    /// The memory of the content that is inflated in steps.
    var openingByteCount: Int { opening?.heldByteCount ?? 0 }

    /// Drops the content that is inflated in steps. It can start anew.
    mutating func dropOpening() {
        if opening != nil { (opening, hasDroppedOpening) = (nil, true) }
    }

    /// Forgets a packet whose opening was stopped.
    mutating func endPacket() { (opening, hasDroppedOpening) = (nil, false) }

    /// Whether a layer inflates each packet's content by itself.
    func isCompression(at index: Int) -> Bool {
        switch layers[index].kind {
        case .zlib, .deflate, .gzip, .brotli: true
        case .xor, .rc4, .aesCTR, .aesCBC, .custom: false
        }
    }

    var layerCount: Int { layers.count }

    private mutating func makeTransform(at index: Int) throws(CodecError) {
        guard case .missing = layers[index].transform else { return }
        layers[index].transform = try transform(for: layers[index].kind)
    }

    private func named(_ error: CodecError, at index: Int, _ budget: InflationBudget) -> CodecError {
        // A layer knows only the remaining bytes; the limit is the packet's.
        guard case .inflatedTooLong = error.reason else { return error.prefixed(by: path(of: index)) }
        return CodecError(.inflatedTooLong(limit: budget.limit), path: path(of: index))
    }

    private func path(of index: Int) -> String { "packet." + layers[index].kind.name }

    // MARK: Making transforms

    private func transform(for kind: LayerKind) throws(CodecError) -> Transform {
        switch kind {
        case .zlib: return .compression(states.layer(.zlib, level: options.zlibLevel))
        case .deflate: return .compression(states.layer(.none, level: options.zlibLevel))
        case .gzip: return .compression(states.layer(.gzip, level: options.zlibLevel))
        case .brotli: return .compression(BrotliLayer(level: options.brotliLevel))
        case .xor(let name): return try .keystream(XORLayer(key: key(name)))
        case .rc4(let name): return try .keystream(RC4Layer(key: key(name)))
        case .aesCTR(let name, let vector):
            return try .packetwise(AESLayer(.ctr, key: key(name), vector: self.vector(vector)))
        case .aesCBC(let name, let vector):
            return try .packetwise(AESLayer(.cbc, key: key(name), vector: self.vector(vector)))
        case .custom(let name):
            guard let make = options.custom[name] else { throw CodecError(.layerUnavailable(.transform(name))) }
            return .packetwise(make(sender))
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

extension [UInt8] {
    /// An empty array takes the new bytes without a copy.
    fileprivate mutating func replaceTail(from start: Int, with bytes: [UInt8]) {
        if start == 0 {
            self = bytes
        } else {
            replaceSubrange(start..., with: bytes)
        }
    }
}
