// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// An event of a node or of one of its processes.
enum NodeInput {
    /// A term for one of our processes.
    case term([UInt8], for: ErlangPID, from: ErlangPID?)
    /// A term for a client that was read before.
    case request(ClientRequest, for: ErlangPID, from: ErlangPID?)
    /// A term for the process `wireline` that was read before.
    case serviceRequest(ServiceRequest)
    case exit(ErlangPID, ErlangTerm, isKill: Bool)
    case joined(ErlangDestination)
    case left(ErlangDestination)
    case down(ErlangDestination)
    case nodeUp(ErlangNodeName)
    case nodeDown(ErlangNodeName)
    case answered(ErlangNodeName)

    /// An estimate.
    fileprivate var byteCount: Int {
        if case .term(let bytes, for: _, from: _) = self { 128 + bytes.count } else { 128 }
    }
}

/// Events of nodes that wait while a packet is being written to many clients. They keep their order: so a process's
/// messages take effect in order, and its end comes last.
struct NodeInputs {
    private var queue = FIFOQueue<NodeInput>()
    /// An estimate.
    private(set) var byteCount = 0

    var isEmpty: Bool { queue.count == 0 }

    mutating func append(_ input: NodeInput) {
        queue.append(input)
        byteCount += input.byteCount
    }

    mutating func popFirst() -> NodeInput? {
        guard let input = queue.popFirst() else { return nil }
        byteCount -= input.byteCount
        return input
    }
}
