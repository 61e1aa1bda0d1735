// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// What the process `wireline` is sent.
package enum ServiceRequest: Equatable, Sendable {
    /// A packet for the members of a group but these. If `isDropped`, members of which more than half of the queue is full
    /// miss it.
    case publish(ErlangTerm, [UInt8], except: [ErlangPID], isDropped: Bool)
    /// A packet for these clients.
    case send([ErlangPID], [UInt8])
    /// A call of `gen_server`'s protocol.
    case call(ErlangCall)
}

/// Reads what the process `wireline` is sent.
struct ServiceRequestReader: ~Escapable {
    private let bytes: RawSpan
    private let settings: GatewaySettings
    private let encode: MessageEncoder

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, _ settings: GatewaySettings, _ encode: @escaping MessageEncoder) {
        self.bytes = bytes
        self.settings = settings
        self.encode = encode
    }

    func request() throws(TermRefusal) -> ServiceRequest {
        if let call = ErlangCall(content: bytes, settings) { return .call(call) }
        var scanner = TermScanner(bytes)
        if scanner.enterTuple(of: 3) {
            if scanner.takeAtom("publish") { return try publish(&scanner, hasOptions: false) }
            if scanner.takeAtom("send") { return try send(&scanner) }
        } else if scanner.enterTuple(of: 4), scanner.takeAtom("publish") {
            return try publish(&scanner, hasOptions: true)
        }
        throw unknown
    }

    private func publish(_ scanner: inout TermScanner, hasOptions: Bool) throws(TermRefusal) -> ServiceRequest {
        let group = try term(&scanner)
        let message = try skip(&scanner)
        var (except, isDropped): ([ErlangPID], Bool) = ([], false)
        if hasOptions {
            guard case .map(let options) = try term(&scanner) else { throw unknown }
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

    private func send(_ scanner: inout TermScanner) throws(TermRefusal) -> ServiceRequest {
        guard case .list(let clients) = try term(&scanner) else { throw unknown }
        let message = try skip(&scanner)
        return .send(try pids(clients), try encode(bytes.extracting(message)).get())
    }

    private func pids(_ terms: [ErlangTerm]) throws(TermRefusal) -> [ErlangPID] {
        let pids = terms.compactMap { if case .pid(let pid) = $0 { pid } else { nil } }
        guard pids.count == terms.count else { throw unknown }
        return pids
    }

    private func skip(_ scanner: inout TermScanner) throws(TermRefusal) -> Range<Int> {
        do throws(ErlangError) { return try scanner.skip() } catch { throw unknown }
    }

    private func term(_ scanner: inout TermScanner) throws(TermRefusal) -> ErlangTerm {
        let range = try skip(&scanner)
        do throws(ErlangError) {
            return try ErlangTerm(content: bytes.extracting(range), limits: settings.partLimits)
        } catch {
            throw unknown
        }
    }

    private var unknown: TermRefusal {
        .unknownAction((try? ErlangTerm(content: bytes, limits: settings.partLimits)) ?? .undefined)
    }
}
