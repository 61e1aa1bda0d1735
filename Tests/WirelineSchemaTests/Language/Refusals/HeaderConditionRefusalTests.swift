// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: conditions that look at the packet's header, `@if(header.qos > 0)`.
struct HeaderConditionRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "fields of the packet that no condition can look at",
            """
            packet {
                @length(packet) uint16 size; @id uint8 id; @sequence uint8 serial; @constant(1) uint8 version;
                char[4] name; payload; uint8 end; @checksum(sum8, id..payload) uint8 sum;
            }
            message Cs_1 {
                @if(header.size) uint8 a;
                @if(header.id == 1) uint8 b;
                @if(header.serial) uint8 c;
                @if(header.version) uint8 d;
                @if(header.name) uint8 e;
                @if(header.end) uint8 f;
                @if(header.sum) uint8 g;
            }
            """,
            """
            a.wire:6:9: error: a condition cannot look at `header.size`, which is a length
                @if(header.size) uint8 a;
                    ^^^^^^^^^^^
            help: it looks at what programs set in the packet before the payload
            a.wire:7:9: error: a condition cannot look at `header.id`, which is the message's ID
                @if(header.id == 1) uint8 b;
                    ^^^^^^^^^
            help: it looks at what programs set in the packet before the payload
            a.wire:8:9: error: a condition cannot look at `header.serial`, which is the sequence number
                @if(header.serial) uint8 c;
                    ^^^^^^^^^^^^^
            help: it looks at what programs set in the packet before the payload
            a.wire:9:9: error: a condition cannot look at `header.version`, which is a constant
                @if(header.version) uint8 d;
                    ^^^^^^^^^^^^^^
            help: it looks at what programs set in the packet before the payload
            a.wire:10:9: error: a condition cannot look at `header.name`, which is text, digits or bytes
                @if(header.name) uint8 e;
                    ^^^^^^^^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:11:9: error: a condition cannot look at `header.end`, which is after the payload
                @if(header.end) uint8 f;
                    ^^^^^^^^^^
            help: it looks at what programs set in the packet before the payload
            a.wire:12:9: error: a condition cannot look at `header.sum`, which is a checksum
                @if(header.sum) uint8 g;
                    ^^^^^^^^^^
            help: it looks at what programs set in the packet before the payload
            """),
        Refusal(
            "names and values that fields of the packet do not have",
            """
            enum QoS : uint8 { at_most_once = 0; at_least_once = 1; }
            packet { @length(packet) uint16 size; @id uint8 id; QoS qos; bool dup; }
            message Cs_1 {
                @if(qos == 1) uint8 a;
                @if(header.qqos == 1) uint8 b;
                @if(header.qos == at_lest_once) uint8 c;
                @if(header.qos > 256) uint8 d;
                @if(header.dup > 0) uint8 e;
            }
            """,
            """
            a.wire:4:9: error: no field before this one is named `qos`
                @if(qos == 1) uint8 a;
                    ^^^
            help: the packet's field is `header.qos`
            a.wire:5:16: error: the packet has no field `qqos`
                @if(header.qqos == 1) uint8 b;
                           ^^^^
            help: did you mean `qos`?
            a.wire:6:23: error: `QoS` has no `at_lest_once`
                @if(header.qos == at_lest_once) uint8 c;
                                  ^^^^^^^^^^^^
            help: did you mean `at_least_once`?
            a.wire:7:22: error: the operand is never this
                @if(header.qos > 256) uint8 d;
                                 ^^^
            help: it is a name of `QoS`, or a number from 0 to 255
            a.wire:8:20: error: `>` does not go with a `bool`
                @if(header.dup > 0) uint8 e;
                               ^
            help: write `header.dup` or `not header.dup`
            """),
        Refusal(
            "a condition on a field of the packet that the message fixes",
            """
            packet { @length(packet) uint16 size; @id uint8 id; uint8 qos; uint8 dup; }
            @header(qos = 1)
            message Cs_1 {
                @if(header.dup or header.qos > 0) uint8 a;
            }
            """,
            """
            a.wire:4:23: error: `header.qos` is the same in every packet of this message
                @if(header.dup or header.qos > 0) uint8 a;
                                  ^^^^^^^^^^
            help: its `@header` says so: leave out the condition, or the field
            """),
    ]

    @Test func `a header that is wrong itself is the only problem`() {
        let source = """
            packet { @length(packet) uint16 size; @id uint8 id; uint88 qos; }
            message Cs_1 { @if(header.qos > 0) uint8 a; }
            """
        #expect(check(source).diagnostics.map(\.message) == ["a field of the packet cannot be `uint88`"])
    }
}
