// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: conditions of the packet that look at its sender, or at whether it is nested.
struct SenderConditionRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a sender that nobody is",
            "packet { @length(rest) uint8 l; @if(sender == sever) uint8 a; @if(sender != peer) uint8 b; }",
            """
            a.wire:1:47: error: no sender is named `sever`
            packet { @length(rest) uint8 l; @if(sender == sever) uint8 a; @if(sender != peer) uint8 b; }
                                                          ^^^^^
            help: did you mean `server`?
            a.wire:1:77: error: no sender is named `peer`
            packet { @length(rest) uint8 l; @if(sender == sever) uint8 a; @if(sender != peer) uint8 b; }
                                                                                        ^^^^
            help: it is `client` or `server`
            """),
        Refusal(
            "a number for a sender",
            "packet { @length(rest) uint8 l; @if(sender == 1) uint8 a; }",
            """
            a.wire:1:47: error: a sender is never this
            packet { @length(rest) uint8 l; @if(sender == 1) uint8 a; }
                                                          ^
            help: it is `client` or `server`
            """),
        Refusal(
            "an order of senders",
            "packet { @length(rest) uint8 l; @if(sender >= server) uint8 a; @if(sender & client) uint8 b; }",
            """
            a.wire:1:44: error: `>=` does not go with a sender
            packet { @length(rest) uint8 l; @if(sender >= server) uint8 a; @if(sender & client) uint8 b; }
                                                       ^^
            help: write `sender == client` or `sender == server`
            a.wire:1:75: error: `&` does not go with a sender
            packet { @length(rest) uint8 l; @if(sender >= server) uint8 a; @if(sender & client) uint8 b; }
                                                                                      ^
            help: write `sender == client` or `sender == server`
            """),
        Refusal(
            "a sender without a comparison",
            "packet { @length(rest) uint8 l; @if(not sender) uint8 a; }",
            """
            a.wire:1:41: error: a sender is `client` or `server`
            packet { @length(rest) uint8 l; @if(not sender) uint8 a; }
                                                    ^^^^^^
            help: write `sender == client` or `sender == server`
            """),
        Refusal(
            "nested packets that are counted",
            "packet { @length(rest) uint8 l; @if(nested > 1) uint8 a; @if(nested == client) uint8 b; }",
            """
            a.wire:1:44: error: `>` does not go with a `bool`
            packet { @length(rest) uint8 l; @if(nested > 1) uint8 a; @if(nested == client) uint8 b; }
                                                       ^
            help: write `nested` or `not nested`
            a.wire:1:72: error: a `bool` is never this
            packet { @length(rest) uint8 l; @if(nested > 1) uint8 a; @if(nested == client) uint8 b; }
                                                                                   ^^^^^^
            help: it is `true` or `false`; write `nested` or `not nested`
            """),
        Refusal(
            "the sender in a message and in a struct",
            """
            struct S { uint8 a; @if(nested) uint8 b; }
            message Cs_1 { S s; @if(sender == client) uint8 a; @if(header.sender == client) uint8 b; }
            """,
            """
            a.wire:1:25: error: no field before this one is named `nested`
            struct S { uint8 a; @if(nested) uint8 b; }
                                    ^^^^^^
            help: `nested` decides only about fields of the packet
            a.wire:2:25: error: no field before this one is named `sender`
            message Cs_1 { S s; @if(sender == client) uint8 a; @if(header.sender == client) uint8 b; }
                                    ^^^^^^
            help: `sender` decides only about fields of the packet
            a.wire:2:63: error: the packet has no field `sender`
            message Cs_1 { S s; @if(sender == client) uint8 a; @if(header.sender == client) uint8 b; }
                                                                          ^^^^^^
            """),
        Refusal(
            "a condition that holds for nobody",
            "packet { @length(rest) uint8 l; uint8 f; @if(sender == client and f > 1 and sender == server) uint8 a; }",
            """
            a.wire:1:43: error: no packet has `a`
            packet { @length(rest) uint8 l; uint8 f; @if(sender == client and f > 1 and sender == server) uint8 a; }
                                                      ^^
            help: its condition holds neither for a client nor for a server: remove the field, or correct the condition
            """),
        Refusal(
            "a sender without fields",
            "packet { @if(sender == client) @length(rest) uint8 l; @if(sender == client) uint8 a; }",
            """
            a.wire:1:1: error: a packet from a server has no fields
            packet { @if(sender == client) @length(rest) uint8 l; @if(sender == client) uint8 a; }
            ^^^^^^
            help: let a field be there if `sender == server`, too
            """),
        Refusal(
            "a misspelled word",
            "packet { @length(rest) uint8 l; @if(sendr == client) uint8 a; }",
            """
            a.wire:1:37: error: no field before this one is named `sendr`
            packet { @length(rest) uint8 l; @if(sendr == client) uint8 a; }
                                                ^^^^^
            help: did you mean `sender`?
            """),
        Refusal(
            "IDs that a sender's packets do not have",
            """
            packet { @length(rest) uint8 l; @if(sender == client) @id uint8 a; @if(sender == server) @id uint16 b; }
            @id(256) @from(server) message A {}
            @id(257) @from(both) message B {}
            @id(258) @from(client) message C {}
            """,
            """
            a.wire:3:5: error: no packet from a client can have the ID 257
            @id(257) @from(both) message B {}
                ^^^
            help: IDs from a client go from 0 to 255
            a.wire:4:5: error: no packet from a client can have the ID 258
            @id(258) @from(client) message C {}
                ^^^
            help: IDs from a client go from 0 to 255
            """),
        Refusal(
            "an ID where one sender has none",
            """
            packet { @length(rest) uint8 l; @if(sender == server) @id uint8 a; }
            @id(0) @from(client) message A {}
            @id(1) @from(both) message B {}
            """,
            """
            a.wire:3:5: error: no packet from a client can have the ID 1
            @id(1) @from(both) message B {}
                ^
            help: packets from a client have no ID field, and so the ID 0
            """),
        Refusal(
            "an ID that depends on the sender and on the header",
            """
            packet { @length(rest) uint8 l; uint8 f; @id uint8 a; @if(sender == server and a == 9) @id uint8 b; }
            @id(9) @from(both) message A {}
            """,
            """
            a.wire:2:5: error: no packet from a server can have the ID 9
            @id(9) @from(both) message A {}
                ^
            help: wherever it fits, the condition of `b` asks for other ID fields
            """),
    ]

    @Test(arguments: [
        "@if(sender == server or f) uint8 a;", "@if(not (sender != client)) uint8 a;", "@if(nested) uint8 a;",
        "@if(nested == false and sender == client) uint8 a;", "uint8 sender; @if(sender > 3) uint8 a;",
        "uint8 nested; @if(nested == 3) uint8 a;", "@if(sender == client or sender == server) uint8 a;",
        "@if(sender == client) uint8 g; @if(g > 3) uint8 a;",
    ])
    func `conditions about the sender are accepted`(fields: String) {
        let packet = "packet { @length(packet) uint8 size; uint8 f; \(fields) @id uint8 id; }\n"
        #expect(problems(packet + "@id(2) @from(both) message A {}") == "")
    }
}
