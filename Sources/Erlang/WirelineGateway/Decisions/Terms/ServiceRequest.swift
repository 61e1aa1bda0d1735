// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A message to the process `wireline`.
package enum ServiceRequest: Equatable, Sendable {
    /// A packet for the members of a group except some. If `isDropped`, members whose queue is more than half full miss
    /// it.
    case publish(ErlangTerm, ClientPacket, except: [ErlangPID], isDropped: Bool)
    case send([ErlangPID], ClientPacket)
    case call(ErlangCall)
}

struct ServiceRequestReader: ~Escapable {
    private let bytes: RawSpan
    private let limits: RequestLimits
    private let encode: MessageEncoder

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, _ limits: RequestLimits, _ encode: @escaping MessageEncoder) {
        self.bytes = bytes
        self.limits = limits
        self.encode = encode
    }

    func request() throws(TermRefusal) -> ServiceRequest {
        if let call = ErlangCall(content: bytes, limits) { return .call(call) }
        var reader = ErlangTermReader(bytes)
        if reader.enterTuple(of: 3) {
            if reader.takeAtom("publish") { return try publish(&reader, hasOptions: false) }
            if reader.takeAtom("send") { return try send(&reader) }
        } else if reader.enterTuple(of: 4), reader.takeAtom("publish") {
            return try publish(&reader, hasOptions: true)
        }
        throw unknown
    }

    private func publish(_ reader: inout ErlangTermReader, hasOptions: Bool) throws(TermRefusal) -> ServiceRequest {
        let group = try term(&reader)
        let message = try skip(&reader)
        var (except, isDropped): ([ErlangPID], Bool) = ([], false)
        if hasOptions {
            guard case .map(let options) = try term(&reader) else { throw unknown }
            for option in options.pairs {
                switch (option.key, option.value) {
                case ("except", .list(let clients)): except = try pids(clients)
                case ("drop", "true"): isDropped = true
                case ("drop", "false"): isDropped = false
                default: throw unknown
                }
            }
        }
        let packet = try encode(bytes.extracting(message)).get()
        return .publish(group, packet, except: except, isDropped: isDropped)
    }

    private func send(_ reader: inout ErlangTermReader) throws(TermRefusal) -> ServiceRequest {
        guard case .list(let clients) = try term(&reader) else { throw unknown }
        let message = try skip(&reader)
        return .send(try pids(clients), try encode(bytes.extracting(message)).get())
    }

    private func pids(_ terms: [ErlangTerm]) throws(TermRefusal) -> [ErlangPID] {
        let pids = terms.compactMap { if case .pid(let pid) = $0 { pid } else { nil } }
        guard pids.count == terms.count else { throw unknown }
        return pids
    }

    private func skip(_ reader: inout ErlangTermReader) throws(TermRefusal) -> Range<Int> {
        guard let range = reader.skipRange() else { throw unknown }
        return range
    }

    private func term(_ reader: inout ErlangTermReader) throws(TermRefusal) -> ErlangTerm {
        let range = try skip(&reader)
        do throws(ErlangError) {
            return try ErlangTerm(content: bytes.extracting(range), limits: limits.parts)
        } catch {
            throw unknown
        }
    }

    private var unknown: TermRefusal {
        .unknownAction((try? ErlangTerm(content: bytes, limits: limits.parts)) ?? .undefined)
    }
}
