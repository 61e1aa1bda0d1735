// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A parsed script for `wire serve --script`, checked against a protocol.
struct Script: Sendable {
    /// The seed of random numbers; nil means a different seed each time.
    var seed: UInt64?
    /// The variables of each connection, with their initial values.
    var variables: [Variable] = []
    /// The variables that all connections share.
    var sharedVariables: [Variable] = []
    /// The rules, in the order in which they are tried.
    var rules: [Rule] = []

    struct Variable: Sendable {
        let name: String
        let initialValue: JSONValue
    }

    /// The statements for an event; the first matching rule applies.
    struct Rule: Sendable {
        let event: Event
        let condition: Expression?
        let body: [Statement]
        let span: SourceSpan
    }

    enum Event: Equatable, Sendable {
        /// A client connected.
        case connect
        /// One of these messages arrived; the numbers are their indices in the protocol.
        case messages([Int])
        /// A message arrived that the client cannot send by the schema.
        case unknown
        /// Any message arrived.
        case any
    }

    /// A duration between two limits.
    struct Pause: Sendable {
        let least: Duration
        let most: Duration
    }

    struct Statement: Sendable {
        let kind: Kind
        let span: SourceSpan

        indirect enum Kind: Sendable {
            case send(Message, Delivery)
            case echo(Delivery)
            case raw([UInt8], Delivery)
            case assign(index: Int, isShared: Bool, Expression)
            /// Sets a state of the connection, which packets depend on.
            case set(state: String, Expression)
            case condition(Expression, then: [Statement], otherwise: [Statement])
            case loop(count: Int, [Statement])
            case wait(Pause)
            case after(Pause, [Statement])
            case every(Pause, times: Int?, [Statement])
            /// Everything sent inside it is sent in one piece.
            case glue([Statement])
            /// The messages sent inside it are sent in one packet.
            case bundle(Bundle, [Statement], Delivery)
            case stop, silence, endOutput, close, reset
        }
    }

    /// A message to send.
    struct Message: Sendable {
        /// The index in the protocol.
        let index: Int
        /// Whether it has the sequence number of the received message.
        let isReply: Bool
        let fields: Expression
        /// The header fields to set, by name.
        let header: [(name: String, value: Expression)]
        /// The header and trailer fields to overwrite with wrong values.
        let wrong: [(name: String, value: Expression)]
    }

    /// A packet with messages inside.
    struct Bundle: Sendable {
        /// Its ID; nil: that of its first message.
        let id: Expression?
        /// The header fields to set, by name.
        let header: [(name: String, value: Expression)]
    }

    /// The way in which the bytes of a packet are sent.
    struct Delivery: Sendable {
        /// Whether a bit inside the outermost layer is wrong.
        var isDamaged = false
        /// The number of bytes to send; nil means all.
        var byteLimit: Int?
        /// The size of the pieces, with a pause between them; nil means one piece.
        var pieces: (byteCount: Int, pause: Pause)?
    }
}

extension Script {
    /// An expression that has a value.
    struct Expression: Sendable {
        let kind: Kind
        let span: SourceSpan

        indirect enum Kind: Sendable {
            case literal(JSONValue)
            case array([Expression])
            case object([Member])
            /// The received message: its fields, its header, its name and its ID.
            case request, header, messageName, messageID
            /// The connection's number, from 1.
            case connection
            /// How many times the rule has run on the connection, including this time.
            case count
            /// The correct value, in `wrong`.
            case right
            case variable(index: Int, isShared: Bool)
            /// A field of an object. If the schema says integer, an integer written as a string is converted.
            case member(Expression, String, isInteger: Bool)
            case item(Expression, Expression, isInteger: Bool)
            case random(Expression, Expression)
            case size(Expression)
            case not(Expression)
            case negative(Expression)
            case operation(Operator, Expression, Expression)
        }

        struct Member: Sendable {
            let name: String
            let span: SourceSpan
            let value: Expression
        }
    }

    enum Operator: String, CaseIterable, Sendable {
        case or, and
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case plus = "+"
        case minus = "-"
        case times = "*"
        case dividedBy = "/"
        case remainder = "%"

        /// Operators with a higher number bind more tightly.
        var precedence: Int {
            switch self {
            case .or: 1
            case .and: 2
            case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual: 3
            case .plus, .minus: 4
            case .times, .dividedBy, .remainder: 5
            }
        }
    }
}

/// The reason why a script cannot continue on a connection, with its position.
struct ScriptFailure: Error, CustomStringConvertible {
    let span: SourceSpan
    let reason: String
    /// For example `scene.script:12:5`.
    var place = ""

    var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
