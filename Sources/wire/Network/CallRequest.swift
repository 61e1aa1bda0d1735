// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

/// A packet to send, and what answers it.
struct CallRequest {
    /// The message's name, for errors.
    let name: String
    let packet: [UInt8]
    /// The reply; nil: none is awaited.
    let expectation: Expectation?
}

/// The requests of a call, in order.
enum CallRequests {
    case list([CallRequest])
    /// The lines of standard input, each made a request when it has arrived.
    case lines(InputLines, RequestMaker)
}

/// Makes requests from JSON, and numbers them.
struct RequestMaker {
    private let translator: PacketTranslator
    private let header: [UInt8]?
    private let awaitsReplies: Bool
    /// The last number that was given to a request. Messages that are not replies have sequence number 0.
    private var lastSequence: UInt64 = 0

    /// - Parameters:
    ///   - header: The header fields to set in every packet, as JSON.
    ///   - awaitsReplies: Whether requests wait for their replies.
    init(_ translator: PacketTranslator, header: [UInt8]?, awaitsReplies: Bool) {
        self.translator = translator
        self.header = header
        self.awaitsReplies = awaitsReplies
    }

    /// Returns the request with a message; see ``PacketTranslator/encode(message:parsing:header:)``.
    ///
    /// - Parameters:
    ///   - expected: The message that answers it; nil: its pair in the schema.
    ///   - awaitsAnything: Whether it waits for the first message that arrives if it has no pair.
    mutating func request(
        _ message: String, _ json: [UInt8], expecting expected: String?, awaitsAnything: Bool
    ) throws(CommandError) -> CallRequest {
        var packet = try translator.packet(of: message, json, header: header, from: .client)
        let line = try? JSONValue(parsing: json, maximumDepth: translator.maximumJSONDepth)
        if let numbered = numberedHeader(unlessChosenIn: line) {
            packet = try translator.packet(
                of: message, json, header: Array(numbered.description.utf8), from: .client)
        }
        let expectation = Expectation(of: packet, message, expecting: expected, translator)
        let waits = awaitsReplies && (expectation.name != nil || awaitsAnything)
        return CallRequest(name: message, packet: packet, expectation: waits ? expectation : nil)
    }

    /// Returns the request with the message of a line as `decode` prints it.
    ///
    /// - Parameter number: The line's number in standard input.
    mutating func request(line: [UInt8], number: Int) throws(CommandError) -> CallRequest {
        do throws(CommandError) {
            return try request(line: line)
        } catch {
            guard case .failure(let text, let hint) = error else { throw error }
            throw .failure("line \(number) of standard input: \(text)", hint: hint)
        }
    }

    private mutating func request(line text: [UInt8]) throws(CommandError) -> CallRequest {
        let line = try Self.parse(text, maximumDepth: translator.maximumJSONDepth)
        var name: String?
        if case .string(let text)? = line["message"] {
            try translator.requireMessage(text)
            name = text
        }
        let header = try header.map { text throws(CommandError) in try Self.parse(text, path: "header") }
        do throws(TranslationError) {
            var packet = try translator.encode(line: line, header: header, from: .client)
            if let numbered = numberedHeader(unlessChosenIn: line) {
                packet = try translator.encode(line: line, header: numbered, from: .client)
            }
            guard let name else {
                return CallRequest(name: "the message with an unknown ID", packet: packet, expectation: nil)
            }
            let expectation = Expectation(of: packet, name, expecting: nil, translator)
            let waits = awaitsReplies && expectation.name != nil
            return CallRequest(name: name, packet: packet, expectation: waits ? expectation : nil)
        } catch {
            throw .failure(error.description)
        }
    }

    /// Refuses header fields that are not JSON, before any line has arrived.
    func requireHeader() throws(CommandError) {
        if let header { _ = try Self.parse(header, path: "header") }
    }

    private static func parse(
        _ text: [UInt8], path: String = "", maximumDepth: Int = JSONValue.defaultMaximumDepth
    ) throws(CommandError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: text, maximumDepth: maximumDepth)
        } catch {
            throw .failure(TranslationError(.json(error), path: path).description)
        }
    }

    /// Returns the caller's header with the next sequence number; nil if not all packets have one, or the caller has
    /// chosen one.
    private mutating func numberedHeader(unlessChosenIn line: JSONValue?) -> JSONValue? {
        let layout = translator.description.layout.layout(from: .client)
        guard let field = layout.sequenceField, field.condition == nil, let limit = layout.maximumSequence else {
            return nil
        }
        var members: [JSONValue.Member] = []
        if let header, case .object(let set)? = try? JSONValue(parsing: header) { members = set }
        let isChosen = members.contains { $0.name == field.name } || line?["header"]?[field.name] != nil
        guard !isChosen else { return nil }
        lastSequence = lastSequence < limit ? lastSequence + 1 : 1
        return .object(members + [JSONValue.Member(field.name, .integer(Int128(lastSequence)))])
    }
}
