// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// What `wire serve --script` does: a script that has been read and checked against a protocol.
struct Script: Sendable {
    /// What random numbers come from; nil: another number each time.
    var seed: UInt64?
    /// Variables that each connection has for itself, with what they begin with.
    var variables: [Variable] = []
    /// Variables that all connections have in common.
    var sharedVariables: [Variable] = []
    /// In the order in which they are tried.
    var rules: [Rule] = []

    struct Variable: Sendable {
        let name: String
        let initialValue: JSONValue
    }

    /// What is done when something happens; of several rules that fit, the first one is it.
    struct Rule: Sendable {
        let event: Event
        let condition: Expression?
        let body: [Statement]
        let span: SourceSpan
    }

    enum Event: Equatable, Sendable {
        /// A client has connected.
        case connect
        /// One of these messages has come, by their indices in the protocol.
        case messages([Int])
        /// A message has come that the client cannot send, by the schema.
        case unknown
        /// Any message has come.
        case any
    }

    /// How long something takes: between the two.
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
            case condition(Expression, then: [Statement], otherwise: [Statement])
            case loop(count: Int, [Statement])
            case wait(Pause)
            case after(Pause, [Statement])
            case every(Pause, times: Int?, [Statement])
            /// What is sent in it leaves in one piece.
            case glue([Statement])
            case stop, silence, endOutput, close, reset
        }
    }

    /// A message to send.
    struct Message: Sendable {
        /// Its index in the protocol.
        let index: Int
        /// Whether it has the sequence number of the message that has come.
        let isReply: Bool
        let fields: Expression
        /// Fields of the header that are set, by their names.
        let header: [(name: String, value: Expression)]
        /// Fields of the header and the trailer that are written over what is right.
        let wrong: [(name: String, value: Expression)]
    }

    /// How the bytes of a packet leave.
    struct Delivery: Sendable {
        /// How many of them do; nil: all.
        var byteLimit: Int?
        /// In pieces of so many bytes, with a pause between two; nil: in one.
        var pieces: (byteCount: Int, pause: Pause)?
    }
}

extension Script {
    /// Something that has a value.
    struct Expression: Sendable {
        let kind: Kind
        let span: SourceSpan

        indirect enum Kind: Sendable {
            case literal(JSONValue)
            case array([Expression])
            case object([Member])
            /// The message that has come: its fields, its header, its name and its ID.
            case request, header, messageName, messageID
            /// The connection's number, from 1.
            case connection
            /// How many times the rule has been followed on the connection, this time included.
            case count
            /// What would be right, in `wrong`.
            case right
            case variable(index: Int, isShared: Bool)
            /// A field of an object; an integer that is written as a string is read as one where the schema says so.
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

        /// Those with a higher number bind their operands first.
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

/// Why a script cannot go on with a connection: where, and what is wrong.
struct ScriptFailure: Error, CustomStringConvertible {
    let span: SourceSpan
    let reason: String
    /// `scene.script:12:5`
    var place = ""

    var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
