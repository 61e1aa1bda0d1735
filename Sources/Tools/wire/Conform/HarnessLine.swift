// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// The JSON lines between `wire conform` and a program.
///
///     {"id":1,"protocol":"Scene","ask":"decode","from":"client","hex":"0000000f4e21010000000200026869"}
///     {"id":1,"reply":"ok","count":15,"line":{"message":"Cs_20001","id":20001,"header":{…},"fields":{…}}}
///     {"id":2,"protocol":"Scene","ask":"encode","from":"client","line":{"message":"Cs_20001",…}}
///     {"id":2,"reply":"ok","hex":"0000000f4e21010000000200026869"}
///     {"id":3,"reply":"more","count":4}
///     {"id":4,"reply":"error","error":"truncated","field":"Cs_20001.Line","offset":7,"text":"…"}
///     {"id":5,"reply":"skip","text":"…"}
///
/// If packets depend on states, a request has the states that are not 0: `"state":{"started":1}`. They apply only to
/// this request. Keys of layers are given in the same way: `"keys":{"session":"00ff"}`. The key `client.session` is
/// only for packets of the client.
enum HarnessLine {
    static func line(
        of request: ConformanceRequest, id: Int, protocol name: String, _ description: ProtocolDescription
    ) -> JSONValue {
        func line(
            _ ask: String, _ context: PacketContext, _ keys: [LayerKey], _ key: String, _ value: JSONValue
        ) -> JSONValue {
            let states = description.json(of: context.states).map { [JSONValue.Member("state", $0)] } ?? []
            let named = keys.map { JSONValue.Member($0.text, .string(Hexadecimal.text(of: $0.bytes))) }
            return .object(
                [
                    .init("id", .integer(Int128(id))), .init("protocol", .string(name)), .init("ask", .string(ask)),
                    .init("from", .string(context.sender.rawValue)),
                ] + states + (named.isEmpty ? [] : [.init("keys", .object(named))]) + [.init(key, value)])
        }
        return switch request {
        case .decode(let bytes, let context, let keys):
            line("decode", context, keys, "hex", .string(Hexadecimal.text(of: bytes)))
        case .encode(let value, let context, let keys): line("encode", context, keys, "line", value)
        }
    }

    /// Why a line is not a valid request or reply.
    struct Fault: Error {
        var text: String
    }

    /// Returns nil if the kind of request is unknown.
    static func request(
        _ json: JSONValue, _ description: ProtocolDescription
    ) throws(Fault) -> ConformanceRequest? {
        var sender = Sender.client
        if case .string(let text)? = json["from"] {
            guard let known = Sender(rawValue: text) else { throw Fault(text: "`from` is client or server") }
            sender = known
        }
        var context = PacketContext(from: sender)
        if let states = json["state"] {
            do throws(StateTextError) {
                context.states = try description.states(of: states)
            } catch {
                throw Fault(text: "`state`: \(error)")
            }
        }
        let keys = try keys(json, description)
        switch json["ask"] {
        case "decode"?: return .decode(try bytes(json), in: context, keys: keys)
        case "encode"?:
            guard let line = json["line"] else { throw Fault(text: "there is no `line` to encode") }
            return .encode(line, in: context, keys: keys)
        default: return nil
        }
    }

    private static func keys(_ json: JSONValue, _ description: ProtocolDescription) throws(Fault) -> [LayerKey] {
        guard let value = json["keys"] else { return [] }
        guard case .object(let members) = value else { throw Fault(text: "`keys` is an object") }
        var keys: [LayerKey] = []
        for member in members {
            guard case .string(let text) = member.value, let bytes = try? Hexadecimal.bytes(of: text),
                let key = LayerKey(member.name, bytes)
            else { throw Fault(text: "`keys` has pairs of hexadecimal digits by the keys' names") }
            keys.append(key)
        }
        var settings = LayerSettings()
        do throws(LayerKeyError) {
            try settings.setKeys(keys, in: description.layout)
        } catch {
            throw Fault(text: "`keys`: \(error)")
        }
        return keys
    }

    static func line(of reply: ConformanceReply, id: JSONValue) -> JSONValue {
        func line(_ kind: String, _ members: [JSONValue.Member]) -> JSONValue {
            .object([.init("id", id), .init("reply", .string(kind))] + members)
        }
        switch reply {
        case .packet(let byteCount, let value):
            return line("ok", [.init("count", .integer(Int128(byteCount))), .init("line", value)])
        case .bytes(let bytes): return line("ok", [.init("hex", .string(Hexadecimal.text(of: bytes)))])
        case .more(let byteCount):
            return line("more", byteCount.map { [.init("count", .integer(Int128($0)))] } ?? [])
        case .refused(let refusal, let text):
            var members: [JSONValue.Member] = []
            if case .object(let known) = refusal.json { members = known }
            return line("error", members + [.init("text", .string(text))])
        case .skipped(let text), .lost(let text), .notAsked(let text):
            return line("skip", [.init("text", .string(text))])
        }
    }

    static func reply(_ json: JSONValue, to request: ConformanceRequest) throws(Fault) -> ConformanceReply {
        switch (json["reply"], request) {
        case ("ok"?, .decode):
            guard let count = try count(json), let line = json["line"] else {
                throw Fault(text: "to `decode`, `ok` has a `count` of bytes and a `line`")
            }
            return .packet(byteCount: count, line: line)
        case ("ok"?, .encode): return .bytes(try bytes(json))
        case ("more"?, _): return .more(byteCount: try count(json))
        case ("error"?, _):
            guard let refusal = Refusal(json) else {
                throw Fault(text: "of an error, `error` and `field` are strings, and `offset` is an integer")
            }
            return .refused(refusal, text: text(json))
        case ("skip"?, _): return .skipped(text(json))
        case (let other?, _):
            throw Fault(text: "`reply` is ok, more, error or skip, not \(other.description.shortened)")
        case (nil, _): throw Fault(text: "there is no `reply`")
        }
    }

    private static func text(_ json: JSONValue) -> String {
        if case .string(let text)? = json["text"] { text } else { "" }
    }

    private static func count(_ json: JSONValue) throws(Fault) -> Int? {
        guard let value = json["count"] else { return nil }
        guard case .number(let number) = value, let count = number.integer.flatMap({ Int(exactly: $0) }), count > 0
        else {
            throw Fault(text: "`count` is an integer above 0")
        }
        return count
    }

    private static func bytes(_ json: JSONValue) throws(Fault) -> [UInt8] {
        guard case .string(let text)? = json["hex"], text.utf8.allSatisfy({ $0.isHexadecimalDigit }),
            let bytes = try? Hexadecimal.bytes(of: text)
        else { throw Fault(text: "`hex` is a string of pairs of hexadecimal digits") }
        return bytes
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit }
}
