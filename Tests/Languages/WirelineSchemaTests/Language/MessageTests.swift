// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct MessageTests {
    @Test func `a name of Cs_ or Sc_ and digits gives the direction and the ID`() throws {
        let messages = try describe("message Cs_0 { } message Sc_65535 { } message Cs_0012 { }").messages
        #expect(messages.map(\.id) == [0, 65535, 12])
        #expect(messages.map(\.senders) == [[.client], [.server], [.client]])
    }

    @Test func `a message with another name declares its ID and direction`() throws {
        let messages = try describe(
            """
            @id(1) @from(client) message Enter { }
            @id(1) @from(server) message Entered { }
            @id(0x10) @from(both) message Ping { }
            @id(5) message Cs_Login { }
            @id(6) @from(server) message Sc_2x { }
            """
        ).messages
        #expect(messages.map(\.id) == [1, 1, 16, 5, 6])
        #expect(messages.map(\.senders) == [[.client], [.server], [.client, .server], [.client], [.server]])
        #expect(messages.map(\.replies) == [[], [], [], [], []])
    }

    @Test func `attributes may repeat what the name says`() throws {
        let message = try describe("@id(7) @from(client) message Cs_7 { }").messages[0]
        #expect(message.id == 7)
    }

    @Test func `Cs_n and Sc_n are request and reply, in either order`() throws {
        let messages = try describe("message Sc_1 { } message Cs_1 { } message Cs_2 { } message Sc_3 { }").messages
        #expect(messages.map(\.replies) == [[], ["Sc_1"], [], []])
    }

    @Test func `a reply can be declared by either of its names, and takes precedence over the pair`() throws {
        let messages = try describe(
            """
            @reply(Sc_2) message Cs_1 { } message Sc_1 { } @name(Outcome) message Sc_2 { }
            @reply(Outcome) message Cs_3 { } message Sc_3 { }
            @id(4) @from(both) @reply(Echo) message Echo { }
            @reply(Cs_3) message Sc_5 { }
            """
        ).messages
        #expect(messages.map(\.replies) == [["Sc_2"], [], [], ["Sc_2"], [], ["Echo"], ["Cs_3"]])
    }

    @Test func `a message can have several replies, and several messages the same one`() throws {
        let messages = try describe(
            """
            @reply(Sc_1 | Failure) message Cs_1 { } message Sc_1 { }
            @reply(Failure | Busy|Sc_2) message Cs_2 { } message Sc_2 { }
            @id(9) @from(server) message Failure { } @id(8) @from(server) @name(Busy) message Sc_8 { }
            """
        ).messages
        #expect(messages.map(\.replies) == [["Sc_1", "Failure"], [], ["Failure", "Sc_8", "Sc_2"], [], [], []])
    }

    @Test func `IDs go up to the largest that the header's fields can hold`() throws {
        let text =
            "packet { @length(packet) uint32 length; @id uint16 service; @id uint16 command; } message Cs_4294967295 { }"
        #expect(try describe(text).messages[0].id == 4_294_967_295)
        #expect(problems(text.replacing("4294967295", with: "4294967296")).contains("IDs go from 0 to 4294967295"))
    }

    @Test func `an ID can use all 64 bits`() throws {
        let text = "packet { @length(packet) uint32 length; @id uint64 id; } message Cs_18446744073709551615 { }"
        #expect(try describe(text).messages[0].id == .max)
    }

    @Test func `packets without an ID carry one message in each direction`() throws {
        let messages = try describe(
            """
            packet { @length(rest) uint16 length; }
            @from(client) @reply(Answer) message Question { @rest bytes data; }
            @from(server) message Answer { @rest bytes data; }
            """
        ).messages
        #expect(messages.map(\.id) == [0, 0])
        #expect(messages.map(\.replies) == [["Answer"], []])
    }
}
