// SPDX-License-Identifier: Apache-2.0

/// Why a server with ``MessageHandlers`` did not start, or ended a connection.
public enum HandlerError: Error, Equatable, Sendable {
    /// These messages have more than one handler. The server did not start.
    case handledTwice([String])
    /// These messages of the protocol have no handler. The server did not start.
    ///
    /// Handle them, or say with ``MessageHandlers/ignore(_:)`` that they are dropped.
    case unhandled([String])
    /// A client sent more messages than ``MessageHandlers/limit(_:to:per:excess:)`` allows.
    case tooManyMessages(String, limit: Int, per: Duration)
}

extension HandlerError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        switch self {
        case .handledTwice(let names): "these messages have more than one handler: \(names.joined(separator: ", "))"
        case .unhandled(let names): "these messages have no handler: \(names.joined(separator: ", "))"
        case .tooManyMessages(let name, let limit, let time): "\(name): more than \(limit) messages in \(time)"
        }
    }
}
