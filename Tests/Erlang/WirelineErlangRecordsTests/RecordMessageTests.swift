// SPDX-License-Identifier: Apache-2.0

import Records
import Testing
import WirelineCodec
import WirelineErlang

/// Generated messages as records.
struct RecordMessageTests {
    private static let enter = Enter(
        scene: 7, name: "Ann", mood: .angry, rights: [.read], path: [Place(x: 1.5, y: -2)], extra: .mileage(12),
        note: [1, 2])
    private static let record =
        "{enter,7,<<\"Ann\">>,angry,[read],[{place,1.5,-2.0}],{mileage,12},<<1,2>>,<<>>}"

    @Test func `a message is its record, and the record the message`() throws {
        let term = try ErlangTerm(parsing: Self.record)
        #expect(try Self.enter.erlangTerm == term)
        #expect(Enter(term) == Self.enter)
        #expect(try [131] + Self.enter.encodedErlangTerm == term.externalFormat())
    }

    @Test(arguments: ["infinity", "neg_infinity", "{nan,2143289345}", "0.5"])
    func `a float that Erlang lacks has a name`(text: String) throws {
        let term = try ErlangTerm(
            parsing: "{enter,0,<<>>,calm,[],[{place,\(text),0.0}],nothing,undefined,<<>>}")
        let enter = try Enter(record: term)
        #expect(try enter.erlangTerm == term)
        #expect(enter.note == nil)
    }

    @Test(arguments: ["infinity", "neg_infinity", "{nan,32257}", "{nan,32256}", "0.5", "-0.0", "65504.0"])
    func `a float of 16 bits that Erlang lacks has a name`(text: String) throws {
        let term = try ErlangTerm(parsing: "{measured,\(text),1.0,[\(text)],<<>>}")
        #expect(try Measured(record: term).erlangTerm == term)
    }

    @Test(
        arguments: [
            ("{measured,65520.0,1.0,[],<<>>}", "number_too_large", "Measured.value"),
            ("{measured,1.0,1.0,[1.0,-100000],<<>>}", "number_too_large", "Measured.more[1]"),
            ("{measured,1.0,2,[],<<>>}", "{float_out_of_range,2.0,0.0,1.0}", "Measured.part"),
            ("{measured,{nan,65536},1.0,[],<<>>}", "{wrong_type,float}", "Measured.value"),
        ])
    func `a term that is no float of 16 bits says why`(text: String, reason: String, path: String) throws {
        let error = try #require(throws: ErlangRecordError.self) {
            try Measured(record: try ErlangTerm(parsing: text))
        }
        #expect(error.description.contains(reason) && error.description.contains(path))
    }

    @Test(
        arguments: [
            ("ok", "not_a_message", ""), ("{entered,7,true,<<>>}", "not_a_message", ""),
            ("{enter,7}", "not_a_message", ""),
            ("{enter,300,<<>>,calm,[],[],nothing,undefined,<<>>}", "{out_of_range,300,0,255}", "Enter.scene"),
            ("{enter,0,ann,calm,[],[],nothing,undefined,<<>>}", "{wrong_type,string}", "Enter.name"),
            ("{enter,0,<<255>>,calm,[],[],nothing,undefined,<<>>}", "{invalid_utf8,unexpected_byte}", "Enter.name"),
            (
                "{enter,0,<<\"123456789012345678901\">>,calm,[],[],nothing,undefined,<<>>}", "{too_long,21,20}",
                "Enter.name"
            ),
            ("{enter,0,<<>>,cross,[],[],nothing,undefined,<<>>}", "{unknown_name,cross}", "Enter.mood"),
            ("{enter,0,<<>>,calm,[read,read],[],nothing,undefined,<<>>}", "{repeated_flag,read}", "Enter.rights"),
            (
                "{enter,0,<<>>,calm,[],[{place,1,2},{place,x,1}],nothing,undefined,<<>>}", "{wrong_type,float}",
                "Enter.path[1].x"
            ),
            ("{enter,0,<<>>,calm,[],[{place,1}],nothing,undefined,<<>>}", "{wrong_type,record}", "Enter.path[0]"),
            (
                "{enter,0,<<>>,calm,[],[],{mileage,-1},undefined,<<>>}", "{out_of_range,-1,0,4294967295}",
                "Enter.extra.mileage"
            ),
            ("{enter,0,<<>>,calm,[],[],{other,1},undefined,<<>>}", "{wrong_type,union}", "Enter.extra"),
            ("{enter,0,<<>>,calm,[],[],nothing,undefined,<<1>>}", "gap_before_optional", "Enter.note"),
        ] as [(String, String, String)])
    func `a term that is not the record says why`(text: String, reason: String, path: String) throws {
        let term = try ErlangTerm(parsing: text)
        #expect(Enter(term) == nil)
        let error = #expect(throws: ErlangRecordError.self) { try Enter(record: term) }
        #expect(error?.reason == (try ErlangTerm(parsing: reason)))
        #expect(error?.path == path)
        #expect(error?.message == (path.isEmpty ? nil : "Enter"))
    }

    @Test func `a message with a value that does not fit says why`() {
        var enter = Self.enter
        enter.name = String(repeating: "x", count: 21)
        let error = #expect(throws: ErlangRecordError.self) { try enter.erlangTerm }
        #expect(error?.reason == .tuple("too_long", 21, 20) && error?.path == "Enter.name")
        #expect(error?.description == "Enter.name: {too_long,21,20}")
        #expect(throws: ErlangRecordError.self) { try enter.encodedErlangTerm }
    }

    @Test func `a deprecated message and one of another side are records, too`() throws {
        #expect(Entered("{entered,7,true,<<>>}") == nil)
        #expect(Entered(.tuple("entered", 7, true, .binary([]))) == Entered(scene: 7, isFull: true))
        let old = RecordsProtocol.Old(number: .max)
        #expect(try old.erlangTerm == .tuple("old", ErlangTerm(UInt64.max), .binary([])))
        #expect(RecordsProtocol.Old(try old.erlangTerm) == old)
    }

    @Test func `errors of records are small, and as Erlang has them`() throws {
        #expect(MemoryLayout<ErlangRecordError>.size <= 32)
        let error = #expect(throws: ErlangRecordError.self) {
            try Entered(record: .tuple("entered", 300, true, .binary([])))
        }
        let map = "#{reason => {out_of_range,300,0,255},path => <<\"Entered.scene\">>,message => <<\"Entered\">>}"
        #expect(error?.term == (try ErlangTerm(parsing: map)))
    }

    @Test func `what sends terms needs only a protocol`() throws {
        struct Tick: ErlangRecord {
            let number: Int64
            init(number: Int64) { self.number = number }
            init?(_ term: ErlangTerm) {
                guard case .tuple(let parts) = term, parts.count == 2, parts[0] == "tick",
                    let number = parts[1].integer(as: Int64.self)
                else { return nil }
                self.number = number
            }
            var erlangTerm: ErlangTerm { .tuple("tick", .integer(number)) }
        }
        #expect(try [131] + Tick(number: 7).encodedErlangTerm == ErlangTerm.tuple("tick", 7).externalFormat())
        #expect(Tick(.tuple("tick", 7))?.number == 7)
    }
}
