// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// What a node or one of its processes has done.
enum NodeInput {
    /// A process of ours was sent a term.
    case term([UInt8], for: ErlangPID, from: ErlangPID?)
    /// A client was sent something that was read already.
    case request(ClientRequest, for: ErlangPID, from: ErlangPID?)
    /// The process `wireline` was sent something that was read already.
    case serviceRequest(ServiceRequest)
    case exit(ErlangPID, ErlangTerm, isKill: Bool)
    case joined(ErlangDestination)
    case left(ErlangDestination)
    case down(ErlangDestination)
    case nodeUp(ErlangNodeName)
    case nodeDown(ErlangNodeName)
    case answered(ErlangNodeName)

    /// About so many bytes it takes.
    fileprivate var byteCount: Int {
        if case .term(let bytes, for: _, from: _) = self { 128 + bytes.count } else { 128 }
    }
}

/// What nodes have done since a packet is on its way to many clients. It is done after that, in its order: so what a process
/// says takes effect as it was said, and its end comes last.
struct NodeInputs {
    private var line = Line<NodeInput>()
    /// About so many bytes they take.
    private(set) var byteCount = 0

    var isEmpty: Bool { line.count == 0 }

    mutating func append(_ input: NodeInput) {
        line.append(input)
        byteCount += input.byteCount
    }

    mutating func popFirst() -> NodeInput? {
        guard let input = line.popFirst() else { return nil }
        byteCount -= input.byteCount
        return input
    }
}
