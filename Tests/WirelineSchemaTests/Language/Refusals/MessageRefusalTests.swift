// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: IDs, directions and replies.
struct MessageRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "no ID and no direction",
            """
            message Enter { }
            """,
            """
            a.wire:1:9: error: message `Enter` has no ID and no direction
            message Enter { }
                    ^^^^^
            help: name it `Cs_<ID>` or `Sc_<ID>`, or write `@id(…) @from(client|server|both)` before it
            """),
        Refusal(
            "no ID",
            """
            @from(client) message Enter { }
            message Cs_Login { }
            """,
            """
            a.wire:1:23: error: message `Enter` has no ID
            @from(client) message Enter { }
                                  ^^^^^
            help: name it `Cs_<ID>` or `Sc_<ID>`, or write `@id(…)` before it
            a.wire:2:9: error: message `Cs_Login` has no ID
            message Cs_Login { }
                    ^^^^^^^^
            help: name it `Cs_<ID>` or `Sc_<ID>`, or write `@id(…)` before it
            """),
        Refusal(
            "no direction",
            """
            @id(3) message Enter { }
            """,
            """
            a.wire:1:16: error: message `Enter` has no direction
            @id(3) message Enter { }
                           ^^^^^
            help: name it `Cs_…` or `Sc_…`, or write `@from(client|server|both)` before it
            """),
        Refusal(
            "an ID that does not fit",
            """
            message Cs_65536 { }
            @id(65536) @from(client) message A { }
            @id(-1) @from(client) message B { }
            message Cs_99999999999999999999999999999999999999999 { }
            """,
            """
            a.wire:1:9: error: ID 65536 does not fit in the packet
            message Cs_65536 { }
                    ^^^^^^^^
            help: IDs go from 0 to 65535
            a.wire:2:5: error: ID 65536 does not fit in the packet
            @id(65536) @from(client) message A { }
                ^^^^^
            help: IDs go from 0 to 65535
            a.wire:3:5: error: ID -1 does not fit in the packet
            @id(-1) @from(client) message B { }
                ^^
            help: IDs go from 0 to 65535
            a.wire:4:9: error: ID `99999999999999999999999999999999999999999` does not fit in the packet
            message Cs_99999999999999999999999999999999999999999 { }
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: IDs go from 0 to 65535
            """),
        Refusal(
            "an ID that contradicts the name",
            """
            @id(3) message Cs_4 { }
            message Cs_3 { }
            """,
            """
            a.wire:1:5: error: `@id(3)` contradicts the name `Cs_4`
            @id(3) message Cs_4 { }
                ^
            help: the digits are the ID: rename the message, or remove `@id`
            """),
        Refusal(
            "a direction that contradicts the name",
            """
            @from(server) message Cs_4 { }
            @from(both) message Sc_4 { }
            """,
            """
            a.wire:1:7: error: `@from(server)` contradicts the name `Cs_4`
            @from(server) message Cs_4 { }
                  ^^^^^^
            help: `Cs_` is a message from the client: rename it, or remove `@from`
            a.wire:2:7: error: `@from(both)` contradicts the name `Sc_4`
            @from(both) message Sc_4 { }
                  ^^^^
            help: `Sc_` is a message from the server: rename it, or remove `@from`
            """),
        Refusal(
            "a sender that there is not",
            """
            @id(3) @from(nobody) message A { }
            """,
            """
            a.wire:1:14: error: `nobody` sends no messages
            @id(3) @from(nobody) message A { }
                         ^^^^^^
            help: it is `client`, `server` or `both`
            """),
        Refusal(
            "one ID twice",
            """
            message Cs_3 { }
            @id(3) @from(both) message A { }
            """,
            """
            a.wire:2:28: error: ID 3 from the client is used twice: by `Cs_3` in a.wire:1 and by `A`
            @id(3) @from(both) message A { }
                                       ^
            help: give one of them another ID
            """),
        Refusal(
            "one ID in two spellings",
            """
            message Cs_3 { }
            message Cs_003 { }
            """,
            """
            a.wire:2:9: error: ID 3 from the client is used twice: by `Cs_3` in a.wire:1 and by `Cs_003`
            message Cs_003 { }
                    ^^^^^^
            help: give one of them another ID
            """),
        Refusal(
            "a reserved ID",
            """
            reserved 3, 10 to 19;
            message Cs_3 { }
            message Sc_15 { }
            message Cs_20 { }
            """,
            """
            a.wire:2:9: error: ID 3 of `Cs_3` is reserved
            message Cs_3 { }
                    ^^^^
            help: choose an ID that no old program knows
            a.wire:3:9: error: ID 15 of `Sc_15` is reserved
            message Sc_15 { }
                    ^^^^^
            help: choose an ID that no old program knows
            """),
        Refusal(
            "reserved IDs that are none",
            """
            reserved -5, 5 to 3, 1.5;
            """,
            """
            a.wire:1:10: error: message IDs are not negative
            reserved -5, 5 to 3, 1.5;
                     ^^
            help: values of an enum are reserved inside it
            a.wire:1:14: error: the range 5 to 3 is upside down
            reserved -5, 5 to 3, 1.5;
                         ^^^^^^
            help: write `3 to 5`
            a.wire:1:22: error: reserved numbers are whole
            reserved -5, 5 to 3, 1.5;
                                 ^^^
            help: as in `reserved 3, 10 to 19;`
            """),
        Refusal(
            "an unknown reply",
            """
            @reply(Sc_3) message Cs_20001 { }
            @reply(Sc_2001) message Cs_5 { }
            message Sc_20001 { }
            """,
            """
            a.wire:1:8: error: unknown message `Sc_3`
            @reply(Sc_3) message Cs_20001 { }
                   ^^^^
            a.wire:2:8: error: unknown message `Sc_2001`
            @reply(Sc_2001) message Cs_5 { }
                   ^^^^^^^
            help: did you mean `Sc_20001`?
            """),
        Refusal(
            "a reply from the same side",
            """
            @reply(Cs_2) message Cs_1 { }
            message Cs_2 { }
            @id(3) @from(both) @reply(Cs_2) message A { }
            """,
            """
            a.wire:1:8: error: `Cs_2` cannot answer `Cs_1`: the server must send it
            @reply(Cs_2) message Cs_1 { }
                   ^^^^
            help: a reply comes from the other side
            a.wire:3:27: error: `Cs_2` cannot answer `A`: the client and the server must send it
            @id(3) @from(both) @reply(Cs_2) message A { }
                                      ^^^^
            help: a reply comes from the other side
            """),
        Refusal(
            "a reply that is named twice, by both of its names",
            """
            @reply(Sc_1 | Sc_2 | Outcome) message Cs_1 { }
            message Sc_1 { }
            @name(Outcome) message Sc_2 { }
            """,
            """
            a.wire:1:22: error: `Outcome` is a reply to `Cs_1` already
            @reply(Sc_1 | Sc_2 | Outcome) message Cs_1 { }
                                 ^^^^^^^
            help: name each reply once
            """),
        Refusal(
            "several replies of which one is unknown and one from the same side",
            """
            @reply(Sc_1 | Sc_9 | Cs_1) message Cs_1 { }
            message Sc_1 { }
            """,
            """
            a.wire:1:15: error: unknown message `Sc_9`
            @reply(Sc_1 | Sc_9 | Cs_1) message Cs_1 { }
                          ^^^^
            help: did you mean `Sc_1`?
            a.wire:1:22: error: `Cs_1` cannot answer `Cs_1`: the server must send it
            @reply(Sc_1 | Sc_9 | Cs_1) message Cs_1 { }
                                 ^^^^
            help: a reply comes from the other side
            """),
        Refusal(
            "several replies with a comma, and without a name",
            """
            @reply(Sc_1, Sc_2) message Cs_1 { }
            @reply(Sc_1 |) message Cs_2 { }
            @id(3) @from(client | server) message A { }
            message Sc_1 { }
            message Sc_2 { }
            """,
            """
            a.wire:1:1: error: `@reply` takes a name, or several with `|` between them
            @reply(Sc_1, Sc_2) message Cs_1 { }
            ^^^^^^^^^^^^^^^^^^
            help: write `@reply(EnterSceneReply | Failure)`
            a.wire:2:14: error: expected a name after `|`, found `)`
            @reply(Sc_1 |) message Cs_2 { }
                         ^
            a.wire:3:8: error: `@from` takes a name
            @id(3) @from(client | server) message A { }
                   ^^^^^^^^^^^^^^^^^^^^^^
            help: write `@from(client)`
            """),
        Refusal(
            "two attributes for two replies",
            """
            @reply(Sc_1) @reply(Sc_2) message Cs_1 { }
            message Sc_1 { }
            message Sc_2 { }
            """,
            """
            a.wire:1:14: error: `@reply` stands here twice
            @reply(Sc_1) @reply(Sc_2) message Cs_1 { }
                         ^^^^^^^^^^^^
            help: several replies stand in one: `@reply(EnterSceneReply | Failure)`
            """),
        Refusal(
            "an ID where the packet has none",
            """
            packet { @length(packet) uint16 length; }
            message Cs_1 { }
            @id(3) @from(server) message A { }
            """,
            """
            a.wire:2:9: error: message `Cs_1` has an ID, and so has `A`, but the packet has no field for it
            message Cs_1 { }
                    ^^^^
            help: put `@id` before a field of the `packet`, or name the message without a number
            """),
        Refusal(
            "IDs of many messages where the packet has none",
            """
            packet { @length(packet) uint16 length; }
            message Cs_1 { }
            message Cs_2 { }
            message Cs_3 { }
            """,
            """
            a.wire:2:9: error: message `Cs_1` has an ID, and so have 2 others, but the packet has no field for it
            message Cs_1 { }
                    ^^^^
            help: put `@id` before a field of the `packet`, or name the message without a number
            """),
        Refusal(
            "two messages in one direction of packets without ID",
            """
            packet { @length(packet) uint16 length; }
            @from(client) message A { }
            @from(both) message B { }
            """,
            """
            a.wire:3:21: error: a second message from the client; the first is `A` in a.wire:2
            @from(both) message B { }
                                ^
            help: packets without `@id` carry one message in each direction
            """),
    ]
}
