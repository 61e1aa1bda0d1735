// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A parsed script for `wire serve --script`, checked against a protocol.
struct Script: Sendable {
    /// The seed of random numbers; nil means a different seed each time.
    var seed: UInt64?
    /// The variables of each connection, with their initial values.
    var variables: [Variable] = []
    var sharedVariables: [Variable] = []
    var rules: [Rule] = []

    struct Variable: Sendable {
        let name: String
        let initialValue: JSONValue
    }

    /// The statements for an event. Only the first rule that matches is run.
    struct Rule: Sendable {
        let event: Event
        let condition: Expression?
        let body: [Statement]
        let span: SourceSpan
    }

    enum Event: Equatable, Sendable {
        case connect
        /// One of these messages arrived; the numbers are their indices in the protocol.
        case messages([Int])
        /// A message arrived that the client cannot send by the schema.
        case unknown
        case any
    }

    /// A random duration between two limits, both included.
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
            /// Sets a state of the connection. The layout of packets depends on it.
            case set(state: String, Expression)
            case condition(Expression, then: [Statement], otherwise: [Statement])
            case loop(count: Int, [Statement])
            case wait(Pause)
            case after(Pause, [Statement])
            case every(Pause, times: Int?, [Statement])
            /// Sends all output of the statements in one piece.
            case glue([Statement])
            /// Sends the messages of the statements in one packet.
            case bundle(Bundle, [Statement], Delivery)
            case stop, silence, endOutput, close, reset
        }
    }

    struct Message: Sendable {
        /// The index in `ProtocolDescription.messages`.
        let index: Int
        /// Whether it has the sequence number of the received message.
        let isReply: Bool
        let fields: Expression
        let header: [(name: String, value: Expression)]
        /// The header and trailer fields to overwrite after the packet is encoded, for example with a wrong checksum.
        let wrong: [(name: String, value: Expression)]
    }

    /// A packet that carries other packets.
    struct Bundle: Sendable {
        /// The packet's ID; nil means the ID of its first message.
        let id: Expression?
        let header: [(name: String, value: Expression)]
    }

    struct Delivery: Sendable {
        /// Whether one bit inside the outermost layer is flipped.
        var isDamaged = false
        /// The number of bytes to send; nil means all.
        var byteLimit: Int?
        /// The size of each piece and the pause between pieces; nil means one piece.
        var pieces: (byteCount: Int, pause: Pause)?
    }
}

extension Script {
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
            /// In `wrong`: the correct value of the field.
            case right
            case variable(index: Int, isShared: Bool)
            /// A field of an object. If `isInteger` is true, an integer written as a string is converted.
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

        /// An operator with a higher number binds more tightly.
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

/// Why a script cannot continue on a connection, with the position in its source.
struct ScriptFailure: Error, CustomStringConvertible {
    let span: SourceSpan
    let reason: String
    /// The position, for example `scene.script:12:5`.
    var place = ""

    var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
