// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// An action that a process requests of a client's process.
package enum ClientAction: Equatable, Sendable {
    case send(ClientPacket)
    /// The messages up to this number are done.
    case confirm(UInt64)
    /// Names the owner; nil: gives the client back.
    case owner(ErlangPID?)
    /// Sets a key or a state of the connection.
    case change(ConnectionChange)
    /// Keeps a term with the client. The byte count is that of the term.
    case state(ErlangTerm, byteCount: Int)
    /// Joins a group. The byte count is that of its name.
    case join(ErlangTerm, byteCount: Int)
    case leave(ErlangTerm)
    case kick(ErlangTerm)

    var isForOwner: Bool {
        switch self {
        case .confirm, .owner, .change, .state: true
        case .send, .join, .leave, .kick: false
        }
    }

    var namesOwner: Bool { if case .owner(_?) = self { true } else { false } }
}

/// A message to a client's process.
package enum ClientRequest: Equatable, Sendable {
    /// A message for the client, as a packet.
    case message(ClientPacket)
    /// A step: one action, or a list of them.
    case step([ClientAction])
    case call(ErlangCall)
}

/// Reads messages to client processes. Packets are made at once, so that a step is checked as a whole.
struct ClientRequestReader: ~Escapable {
    private let bytes: RawSpan
    private let limits: RequestLimits
    private let encode: MessageEncoder

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, _ limits: RequestLimits, _ encode: @escaping MessageEncoder) {
        self.bytes = bytes
        self.limits = limits
        self.encode = encode
    }

    func request() throws(TermRefusal) -> ClientRequest {
        var reader = ErlangTermReader(bytes)
        if reader.enterTuple(of: 2), reader.takeAtom("wireline") { return .step(try actions(&reader)) }
        if let call = ErlangCall(content: bytes, limits) { return .call(call) }
        return .message(try encode(bytes).get())
    }

    /// Reads one action, or a list.
    private func actions(_ reader: inout ErlangTermReader) throws(TermRefusal) -> [ClientAction] {
        let start = reader.offset
        guard let count = reader.readList() else { return [try action(&reader)] }
        guard count > 0 else { return [] }
        var actions: [ClientAction] = []
        // Each action takes at least a byte, and the reader has compared the count with the bytes left.
        actions.reserveCapacity(count)
        for _ in 0..<count { actions.append(try action(&reader)) }
        guard reader.readList() == 0 else { throw .unknownAction(term(in: start..<bytes.byteCount)) }
        return actions
    }

    private func action(_ reader: inout ErlangTermReader) throws(TermRefusal) -> ClientAction {
        let start = reader.offset
        var inside = reader
        if inside.enterTuple(of: 2) {
            if inside.takeAtom("send") {
                let message = try skip(&inside, from: start)
                reader = inside
                return .send(try encode(bytes.extracting(message)).get())
            }
            if inside.takeAtom("confirm"), let number = inside.takeUnsigned() {
                reader = inside
                return .confirm(number)
            }
        }
        return try otherAction(in: try skip(&reader, from: start))
    }

    /// Reads any action except `send` and `confirm`, which are the most common.
    private func otherAction(in range: Range<Int>) throws(TermRefusal) -> ClientAction {
        let action = term(in: range)
        guard case .tuple(let parts) = action, case .atom(let word)? = parts.first
        else { throw .unknownAction(action) }
        if let change = ConnectionChange(word, parts.dropFirst()) { return .change(change) }
        guard parts.count == 2 else { throw .unknownAction(action) }
        // This leaves out the head of the tuple and its atom.
        let byteCount = range.count - 4 - word.name.utf8.count
        switch (word, parts[1]) {
        case ("owner", "none"): return .owner(nil)
        case ("owner", .pid(let pid)): return .owner(pid)
        case ("state", let state):
            try requireLength(byteCount, limits.stateByteCount, path: "state")
            return .state(state, byteCount: byteCount)
        case ("join", let group):
            try requireLength(byteCount, limits.groupByteCount, path: "join")
            guard group.isGroup else { throw .unknownAction(action) }
            return .join(group, byteCount: byteCount)
        case ("leave", let group): return .leave(group)
        case ("kick", let reason):
            // The owner gets it, and so do all processes that monitor the client.
            try requireLength(byteCount, limits.stateByteCount, path: "kick")
            return .kick(reason)
        default: throw .unknownAction(action)
        }
    }

    private func requireLength(_ byteCount: Int, _ limit: Int, path: String) throws(TermRefusal) {
        guard byteCount <= limit else { throw .tooLong(byteCount, limit: limit, path: path) }
    }

    private func skip(_ reader: inout ErlangTermReader, from start: Int) throws(TermRefusal) -> Range<Int> {
        guard let range = reader.skipRange() else { throw .unknownAction(term(in: start..<bytes.byteCount)) }
        return range
    }

    private func term(in range: Range<Int>) -> ErlangTerm {
        // A term that cannot be read cannot be shown either.
        (try? ErlangTerm(content: bytes.extracting(range), limits: limits.parts)) ?? .undefined
    }
}

extension ConnectionChange {
    /// Reads `{key, Name, Bytes}`, `{key, Name, Bytes, End}` and `{set, Name, Value}`; nil for other actions.
    fileprivate init?(_ word: ErlangAtom, _ values: ArraySlice<ErlangTerm>) {
        let values = Array(values)
        guard case .atom(let name)? = values.first, values.count >= 2 else { return nil }
        switch (word, values[1], values.count) {
        case ("key", .binary(let bytes), 2): self = .key(name.name, bytes, for: nil)
        case ("key", .binary(let bytes), 3) where values[2] == "client": self = .key(name.name, bytes, for: .client)
        case ("key", .binary(let bytes), 3) where values[2] == "server": self = .key(name.name, bytes, for: .server)
        case ("set", let value, 2):
            guard let number = value.stateNumber else { return nil }
            self = .state(name.name, number)
        default: return nil
        }
    }
}

extension ErlangTerm {
    /// The value of a state; nil unless the term is an integer or a Boolean.
    fileprivate var stateNumber: Int128? {
        switch self {
        case "false": 0
        case "true": 1
        default: integer(as: Int128.self)
        }
    }
}

extension ErlangCall {
    /// Reads `{'$gen_call', {Caller, Tag}, Request}`; nil for other terms.
    init?(content bytes: RawSpan, _ limits: RequestLimits) {
        var reader = ErlangTermReader(bytes)
        guard reader.enterTuple(of: 3), reader.takeAtom("$gen_call"),
            let term = try? ErlangTerm(content: bytes, limits: limits.terms), case .tuple(let parts) = term
        else { return nil }
        self.init(request: parts[2], from: parts[1])
    }
}

extension ErlangTerm {
    /// Whether the term may name a group. Floats and maps may not, because equal ones have several encodings.
    var isGroup: Bool {
        switch self {
        case .float, .map: false
        case .list(let elements), .tuple(let elements): elements.allSatisfy(\.isGroup)
        case .improperList(let list): list.elements.allSatisfy(\.isGroup) && list.tail.isGroup
        case .function(.closure(let closure)): closure.values.allSatisfy(\.isGroup)
        default: true
        }
    }
}
