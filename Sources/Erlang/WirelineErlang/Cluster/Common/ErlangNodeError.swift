// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

/// Why one of our nodes could not start, or could not do what was asked.
@nonexhaustive
public indirect enum ErlangNodeError: Error, Equatable, Sendable {
    // MARK: Starting

    /// The text is no name of a node, such as `tool@10.0.0.4`.
    case invalidName(String)
    /// The cookie cannot be used.
    case cookie(ErlangCookieFault)
    /// epmd has a node of this name already.
    case nodeNameTaken(String)
    /// epmd, which must register our name, cannot be reached at this address.
    case epmd(host: String, port: UInt16, TransportError)
    /// We cannot listen for other nodes at this address.
    case listening(host: String, port: UInt16, TransportError)
    /// A node or its epmd cannot be reached.
    case transport(TransportError)

    // MARK: Sending and calling

    /// A term cannot be written, a handshake failed, or a node or epmd broke its protocol.
    case erlang(ErlangError)
    /// A message of a schema cannot be written as a record: one of its fields does not fit.
    case record(ErlangRecordError)
    /// Too many bytes wait for the node (`ErlangNodeLimits.pendingByteCount`): send less, or later.
    case busy(limit: Int)
    /// The node cannot be found: its epmd does not know it, or no connection could be made in time.
    case unreachable(ErlangNodeName)
    /// The connection to the node has ended.
    case disconnected(ErlangNodeName)
    /// The node has sent nothing for the tick time (`ErlangNodeConfiguration.tickTime`), so its connection was closed.
    case silent(ErlangNodeName)
    /// As many nodes are connected as `ErlangNodeLimits.nodeCount` allows.
    case tooManyNodes(limit: Int)
    /// A node of this name replaces its connections again and again. So there are two nodes of one name.
    case replacedTooOften(ErlangNodeName)
    /// The called process has ended, or does not exist (`noproc`), or its node is gone (`noconnection`).
    case down(reason: ErlangTerm)
    /// A remote function failed. This is the reason of `{badrpc, Reason}`.
    case badRPC(reason: ErlangTerm)
    /// No reply came in time. If it comes later, it is dropped.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled

    // MARK: Processes

    /// A process of this node has the name already.
    case nameTaken(ErlangAtom)
    /// The process has ended, for this reason.
    case ended(reason: ErlangTerm)
    /// There are as many processes as `ErlangNodeLimits.processCount` allows.
    case tooManyProcesses(limit: Int)
    /// The process has as many links or monitors as `ErlangNodeLimits` allow.
    case tooManyLinks(limit: Int)
    /// Another task already receives from this mailbox.
    case alreadyReceiving
    /// The node has been stopped.
    case stopped
}

/// Why a cookie cannot be used. No case says anything about its text.
public enum ErlangCookieFault: Equatable, Sendable {
    /// The file cannot be read; the value is `errno`.
    case unreadable(path: String, code: Int32)
    /// Others than the file's owner may read it (mode 0400 or 0600 is right). Erlang refuses it, too.
    case exposed(path: String)
    /// There is no text, or more than 255 bytes.
    case invalid
}

extension ErlangNodeError {
    /// - Parameter node: The node that should be reached; nil if the fault is not about one.
    init(_ fault: NodeFault, node: ErlangNodeName? = nil) {
        self =
            switch fault {
            case .term(let error), .failed(let error): .erlang(error)
            case .nameTaken(let name): .nameTaken(name)
            case .noProcess: .ended(reason: "noproc")
            case .tooManyProcesses(let limit): .tooManyProcesses(limit: limit)
            case .tooManyLinks(let limit): .tooManyLinks(limit: limit)
            case .busy(let limit): .busy(limit: limit)
            case .invalidNode(let name): .invalidName(name.name)
            case .tooManyNodes(let limit): .tooManyNodes(limit: limit)
            case .unreachable: node.map { .unreachable($0) } ?? .transport(.timedOut)
            case .silent: node.map { .silent($0) } ?? .transport(.timedOut)
            case .closed, .disconnected: node.map { .disconnected($0) } ?? .transport(.closed)
            case .replacedTooOften: node.map { .replacedTooOften($0) } ?? .transport(.closed)
            case .down(let reason): .down(reason: reason)
            }
    }

    init(_ error: TransportError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            default: .transport(error)
            }
    }
}

extension ErlangNodeError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        switch self {
        case .invalidName(let text): "\(ErlangTerm.text(text)) is no name of a node (name@host)"
        case .cookie(let fault): fault.description
        case .nodeNameTaken(let name): "epmd has a node \(name) already"
        case .epmd(let host, let port, let error): "no epmd at \(host):\(port): \(error)"
        case .listening(let host, let port, let error): "cannot listen for nodes on \(host):\(port): \(error)"
        case .transport(let error): error.description
        case .erlang(let error): error.description
        case .record(let error): error.description
        case .busy(let limit): "\(limit) bytes wait for the node"
        case .unreachable(let node): "\(node) cannot be reached"
        case .disconnected(let node): "the connection to \(node) has ended"
        case .silent(let node): "\(node) has sent nothing for the tick time"
        case .tooManyNodes(let limit): "\(limit) nodes are connected, which is the limit"
        case .replacedTooOften(let node): "\(node) replaces its connections again and again: are there two of them?"
        case .down(let reason): "the process is not there: \(reason)"
        case .badRPC(let reason): "the function failed: \(reason)"
        case .timedOut: "no reply came in time"
        case .cancelled: "the task was cancelled"
        case .nameTaken(let name): "a process has the name \(name) already"
        case .ended(let reason): "the process has ended: \(reason)"
        case .tooManyProcesses(let limit): "there are \(limit) processes, which is the limit"
        case .tooManyLinks(let limit): "the process has \(limit) links or monitors, which is the limit"
        case .alreadyReceiving: "another task is already receiving from this mailbox"
        case .stopped: "the node has been stopped"
        }
    }
}

extension ErlangCookieFault: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .unreadable(let path, let code): "the cookie cannot be read from \(path) (errno \(code))"
        case .exposed(let path): "others may read the cookie in \(path): chmod 400 it"
        case .invalid: "a cookie has 1 to 255 bytes"
        }
    }
}
