// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// A protocol whose messages are records of Erlang.
///
/// The plugin makes the protocols of a target conform that depends on the product `WirelineErlang`.
public protocol ErlangProtocol: PacketProtocol {
    /// The translation of its messages, made once.
    static var erlangRecords: ErlangRecords { get }
}

extension ErlangRecords {
    /// Makes a translation from the schema of generated code.
    ///
    /// - Parameters:
    ///   - name: The protocol's name.
    ///   - files: The names and texts of its `.wire` files, which the generator has checked; files with an error stop
    ///     the program.
    public init(generatedFrom name: String, _ files: [(name: String, text: String)]) {
        let sources = files.map { SourceFile(path: $0.name, bytes: Array($0.text.utf8)) }
        let result = ProtocolDescription.check(name: name, files: sources)
        guard let description = result.description else {
            preconditionFailure("the generated schema of \(name) is not valid: \(result.renderedDiagnostics())")
        }
        self.init(description)
    }
}

/// Messages of a schema as records.
///
/// A value is written as the fields of its packet, and these become the record, as in a gateway. So there is one way
/// from
/// packets to records, and messages need no code for Erlang.
extension ErlangRecord where Self: PacketMessage, Self.Definition: ErlangProtocol {
    /// Makes a message of its record; nil if the term is another one, or if one of its fields does not fit.
    public init?(_ term: ErlangTerm) {
        do throws(ErlangRecordError) {
            try self.init(record: term)
        } catch {
            return nil
        }
    }

    /// Makes a message of its record.
    ///
    /// - Throws: `ErlangRecordError`, equal to the error of `encode/2` of the generated Erlang: `not_a_message` for
    ///   another
    ///   term.
    public init(record term: ErlangTerm) throws(ErlangRecordError) {
        let payload = try Self.Definition.erlangRecords.payload(of: term, messageName: Self.messageName)
        var reader = ByteReader(payload.rawSpan, maximumDepth: Self.Definition.maximumDepth)
        do throws(CodecError) {
            try self.init(from: &reader)
        } catch {
            throw ErlangRecordError(error)
        }
    }

    /// The message's record.
    ///
    /// - Throws: `ErlangRecordError` if a field has a value that does not fit.
    public var erlangTerm: ErlangTerm {
        get throws(ErlangRecordError) {
            let bytes = try encodedErlangTerm
            var reader = ErlangTermReader(bytes.rawSpan)
            do throws(ErlangError) {
                return try reader.readTerm()
            } catch {
                throw .tooLong(bytes.count, limit: ErlangTermLimits().byteCount)
            }
        }
    }

    /// The message's record in the external format, without the version byte.
    ///
    /// - Throws: `ErlangRecordError` if a field has a value that does not fit.
    public var encodedErlangTerm: [UInt8] {
        get throws(ErlangRecordError) {
            do throws(CodecError) {
                let payload = [UInt8](byteCount: try payloadByteCount()) { writePayload(to: &$0) }
                return try Self.Definition.erlangRecords.record(ofPayload: payload, messageName: Self.messageName)
            } catch {
                throw ErlangRecordError(error)
            }
        }
    }
}

extension ErlangRecords {
    /// Returns the record of a message.
    ///
    /// - Parameters:
    ///   - payload: The message's fields, in a packet whose header has its defaults.
    ///   - messageName: The message's name in the schema.
    fileprivate func record(ofPayload payload: [UInt8], messageName: String) throws(CodecError) -> [UInt8] {
        guard let message = plan.message(named: messageName) else { throw CodecError(.invalidMessageID(0)) }
        var writer = ErlangTermWriter()
        writer.reserve(payload.count + 64)
        var fields = ByteReader(payload.rawSpan, maximumDepth: plan.maximumDepth)
        var reader = RecordReader(plan: plan, byteLimit: limits.byteCount)
        if plan.looksAtHeader[message] { reader.header = description.layout.completed(PacketHeader()) }
        try reader.readMessage(plan.messages[message], from: &fields, to: &writer)
        return writer.bytes
    }

    /// Returns the fields of a message from its record, for a packet whose header has its defaults.
    fileprivate func payload(of term: ErlangTerm, messageName: String) throws(ErlangRecordError) -> [UInt8] {
        guard let message = plan.message(named: messageName) else { throw ErlangRecordError("not_a_message") }
        let body = plan.messages[message]
        // Most terms that arrive are other messages.
        guard case .tuple(let parts) = term, parts.count == body.arity, case .atom(let name)? = parts.first,
            name.name.utf8.elementsEqual(body.atom)
        else { throw ErlangRecordError("not_a_message") }
        var bytes = ErlangTermWriter()
        do throws(ErlangError) {
            try bytes.write(term, limits: limits)
        } catch {
            throw ErlangRecordError("not_a_message")
        }
        var reader = ErlangTermReader(bytes.bytes.rawSpan)
        guard let fields = reader.enterRecord(body) else { throw ErlangRecordError("not_a_message") }
        reader = fields
        var writer = RecordWriter(plan)
        // Fields are rarely longer than their terms.
        writer.bytes.reserveCapacity(bytes.count)
        if plan.looksAtHeader[message] { writer.header = description.layout.completed(PacketHeader()) }
        try writer.writeMessage(body, from: &reader)
        return writer.bytes
    }
}
