// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// A packet to send, and its expected reply.
struct CallRequest {
    /// The name of the message, for errors.
    let name: String
    let packet: RequestPacket
    /// nil if no reply is awaited.
    let expectation: Expectation?
}

enum RequestPacket {
    case bytes([UInt8])
    /// Encodes the packet for the states of the connection at the time of sending.
    ///
    /// The closure throws if the message has no packet in these states.
    case inStates(@Sendable (PacketStates) throws(TranslationError) -> [UInt8])

    /// The connection seals the packet at the time of sending.
    case sealed(@Sendable (PacketStates) throws(TranslationError) -> PacketDraft, PacketTranslator)

    /// Returns the packet's bytes for this connection. Called on the connection's loop.
    func bytes(on connection: PacketConnection) throws(TranslationError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .inStates(let encode): return try encode(connection.states)
        case .sealed(let makeDraft, let translator):
            let draft = try makeDraft(connection.states)
            return try connection.withSealer { sealer throws(TranslationError) in
                try translator.encode(draft, with: &sealer)
            } ?? []
        }
    }
}

/// The requests of one call, in the order in which they are sent.
enum CallRequests {
    case list([CallRequest])
    /// Each line of standard input becomes a request when it arrives.
    case lines(InputLines, RequestMaker)
}

struct RequestMaker {
    private let translator: PacketTranslator
    private let header: [UInt8]?
    private let awaitsReplies: Bool
    /// The sequence number of the last request. It is never 0, which marks messages that are not replies.
    private var lastSequence: UInt64 = 0

    /// - Parameters:
    ///   - header: The header fields to set in every packet, as JSON.
    ///   - awaitsReplies: Whether requests wait for their replies.
    init(_ translator: PacketTranslator, header: [UInt8]?, awaitsReplies: Bool) {
        self.translator = translator
        self.header = header
        self.awaitsReplies = awaitsReplies
    }

    /// Makes a request; see ``PacketTranslator/encode(message:parsing:header:from:states:)``.
    ///
    /// - Parameters:
    ///   - expected: The message that answers the request; nil means the request's reply in the schema.
    ///   - awaitsAnything: Whether a request without a reply in the schema waits for the first message that arrives.
    mutating func request(
        _ message: String, _ json: [UInt8], expecting expected: String?, awaitsAnything: Bool
    ) throws(CommandError) -> CallRequest {
        let line = try? JSONValue(parsing: json, maximumDepth: translator.maximumJSONDepth)
        let packet: RequestPacket
        var expectation: Expectation
        do throws(TranslationError) {
            let numbered = numberedHeader(unlessChosenIn: line)
            let (translator, header) = (translator, numbered.map { Array($0.description.utf8) } ?? header)
            (packet, expectation) = try self.packet(message, expecting: expected) {
                states throws(TranslationError) in
                try translator.encode(message: message, parsing: json, header: header, from: .client, states: states)
            } draft: { states throws(TranslationError) in
                try translator.draft(
                    ofMessage: message, parsing: json, header: header, from: .client, states: states)
            }
        } catch {
            throw translator.description.failure(error)
        }
        let waits = awaitsReplies && (expectation.name != nil || awaitsAnything)
        return CallRequest(name: message, packet: packet, expectation: waits ? expectation : nil)
    }

    /// Makes a request from a line of `decode`.
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
            let (translator, header) = (translator, numberedHeader(unlessChosenIn: line) ?? header)
            let (packet, expectation) = try self.packet(name ?? "", expecting: nil) { states throws(TranslationError) in
                try translator.encode(line: line, header: header, from: .client, states: states)
            } draft: { states throws(TranslationError) in
                try translator.draft(of: line, header: header, from: .client, states: states)
            }
            guard let name else {
                return CallRequest(name: "the message with an unknown ID", packet: packet, expectation: nil)
            }
            let waits = awaitsReplies && expectation.name != nil
            return CallRequest(name: name, packet: packet, expectation: waits ? expectation : nil)
        } catch {
            throw translator.description.failure(error)
        }
    }

    /// Returns a request's packet and its expected reply.
    ///
    /// - Throws: `TranslationError` if it cannot be encoded in any states.
    private func packet(
        _ message: String, expecting expected: String?,
        _ encode: @escaping @Sendable (PacketStates) throws(TranslationError) -> [UInt8],
        draft: @escaping @Sendable (PacketStates) throws(TranslationError) -> PacketDraft
    ) throws(TranslationError) -> (RequestPacket, Expectation) {
        let layout = translator.description.layout
        if translator.hasContent {
            let bytes = try encode(PacketStates())
            return (.sealed(draft, translator), Expectation(of: bytes, message, expecting: expected, translator))
        }
        guard layout.hasStates else {
            let bytes = try encode(PacketStates())
            return (.bytes(bytes), Expectation(of: bytes, message, expecting: expected, translator))
        }
        let contexts = (layout.exampleContexts ?? []).filter { $0.sender == .client }
        for context in contexts {
            guard let bytes = try? encode(context.states) else { continue }
            let expectation = Expectation(
                of: bytes, message, expecting: expected, translator, states: context.states)
            return (.inStates(encode), expectation)
        }
        // Encodes the packet for a new connection, so that an error is reported at once.
        let bytes = try encode(PacketStates())
        return (.inStates(encode), Expectation(of: bytes, message, expecting: expected, translator))
    }

    /// Throws if the header is invalid, before the first line arrives.
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

    /// Returns the caller's header with the next sequence number.
    ///
    /// nil if the caller has chosen a number, or if not all packets have one.
    private mutating func numberedHeader(unlessChosenIn line: JSONValue?) -> JSONValue? {
        // In a protocol with layers, the field may be inside a layer.
        let whole = translator.description.layout
        let layout = whole.hasContent ? whole : whole.layout(from: .client)
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
