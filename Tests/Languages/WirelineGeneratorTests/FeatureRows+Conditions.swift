// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension FeatureRows {
    static func conditions(
        mood: Mood = .calm, named: Bool = false, name: String? = nil, anger: UInt16? = nil, loud: Bool? = nil,
        volume: Double? = nil
    ) -> Conditions {
        Conditions(
            mood: mood, rights: [], named: named, level: 0, step: 0, name: name, anger: anger, loud: loud,
            volume: volume, last: 7)
    }

    static func slots(
        _ slots: [Slot] = [], extra: Extra = Extra(kind: 0, rights: .mute, code: "12"),
        absent: Absence = Absence()
    ) -> Slots {
        Slots(
            slots: slots, pair: [Slot(present: true, item: -1, amount: 9), Slot(present: false)],
            one: Slot(present: false), extra: extra, absent: absent)
    }
}

extension AcceptedRow {
    static let conditions = [
        AcceptedRow("no condition holds", FeatureRows.conditions(), "00 0000 00 00 00 07"),
        AcceptedRow(
            "every condition without a name holds",
            Conditions(
                mood: .angry, rights: .mute, named: false, level: 300, step: -4, anger: 6, place: Point(x: 1, y: -1),
                marks: [5, 6], loud: true, volume: 1.5, path: [Point(x: 3, y: 4)], last: 7),
            """
            01 0100 00 ac02 fc 0600 01000000ffffffff 020506 01 000000000000f83f 010300000004000000 07
            """),
        AcceptedRow(
            "tests that fail by one",
            Conditions(mood: .angry, rights: .both, named: true, level: 299, step: -3, name: "n", anger: 5, last: 7),
            "01 0300 01 ab02 fd 016e 0500 07"),
        AcceptedRow("a condition before the end", ConditionalTail(kind: 1, digit: 5), "01 05"),
        AcceptedRow("text to the end", ConditionalTail(kind: 2, text: "abc"), "02 616263"),
        AcceptedRow("empty text to the end", ConditionalTail(kind: 0, text: ""), "00"),
        AcceptedRow(
            "conditions in structs and a zero with a reason",
            FeatureRows.slots([Slot(present: false), Slot(present: true, item: 5)]),
            "02 00 0105 01ffffffff0f09 00 00 05 0000 0100 12 00 0000"),
        AcceptedRow(
            "conditions on fields with conditions",
            FeatureRows.slots(
                extra: Extra(kind: 0x0200, mood: .angry, result: .failed, rights: [], tail: 8),
                absent: Absence(kind: 3, note: "x")),
            "00 01ffffffff0f09 00 00 08 0200 01 0000 0000 08 03 0178"),
        AcceptedRow(
            "an operand that is 0",
            FeatureRows.slots(extra: Extra(kind: 0x0201, mood: .calm, rights: .ban, code: "99")),
            "00 01ffffffff0f09 00 00 06 0201 00 0200 99 00 0000"),
        AcceptedRow(
            "bits that are not set",
            ConditionalBits(named: false, level: 1, way: .none, quality: .once), "21"),
        AcceptedRow(
            "bits and numbers of a few bits",
            ConditionalBits(
                named: true, level: 2, way: .back, quality: .always, name: "n", reason: 0x0102, proof: [7]),
            "de 016e 0201 0107"),
        AcceptedRow(
            "a number of two bits",
            ConditionalBits(named: false, level: 3, way: .forth, quality: .never, extra: 9), "64 09"),
    ]
}

extension RefusedRow {
    static let conditions = [
        RefusedRow(
            FeatureRows.conditions(name: ""), "Conditions.name: is set, but its condition does not hold"),
        RefusedRow(
            FeatureRows.conditions(named: true), "Conditions.name: is not set, but its condition holds"),
        RefusedRow(
            FeatureRows.conditions(mood: .angry), "Conditions.anger: is not set, but its condition holds"),
        RefusedRow(
            FeatureRows.conditions(loud: true), "Conditions.loud: is set, but its condition does not hold"),
        RefusedRow(
            FeatureRows.conditions(mood: .angry, anger: 6, loud: false, volume: 1),
            "Conditions.volume: is set, but its condition does not hold"),
        RefusedRow(
            ConditionalTail(kind: 1, text: "a"), "ConditionalTail.digit: is not set, but its condition holds"),
        RefusedRow(ConditionalTail(kind: 1, digit: 10), "ConditionalTail.digit: 10 is not in 1...9"),
        RefusedRow(
            FeatureRows.slots([Slot(present: true)]), "Slots.slots[0].item: is not set, but its condition holds"),
        RefusedRow(
            FeatureRows.slots([Slot(present: false), Slot(present: true, item: 1, amount: 1)]),
            "Slots.slots[1].amount: is set, but its condition does not hold"),
        RefusedRow(
            FeatureRows.slots(extra: Extra(kind: 0)), "Slots.extra.rights: is not set, but its condition holds"),
        RefusedRow(
            FeatureRows.slots(absent: Absence(kind: 1, note: "four")), "Slots.absent.note: 4 is over the limit of 3"),
    ]
}

extension SpoiltRow {
    static let conditions = [
        SpoiltRow(
            FeatureRows.conditions(), at: 3, "01", "Conditions.name: needs 7 bytes at offset 28, 0 are left"),
        SpoiltRow(
            FeatureRows.conditions(), at: 0, "01", "Conditions.anger: needs 2 bytes at offset 27, 1 is left"),
        SpoiltRow(
            FeatureRows.conditions(), at: 3, "02", "Conditions.named: a bool is 0 or 1, the byte at offset 24 is 2"),
        SpoiltRow(
            ConditionalTail(kind: 1, digit: 5), at: 1, "05aa",
            "ConditionalTail: 1 byte after the last field at offset 23"),
        SpoiltRow(
            ConditionalTail(kind: 1, digit: 5), at: 1, "00", "ConditionalTail.digit: 0 is not in 1...9 at offset 22"),
        SpoiltRow(
            ConditionalTail(kind: 2, text: "a"), at: 1, "ff",
            "ConditionalTail.text: not UTF-8 at offset 22: a byte that cannot begin a character"),
        SpoiltRow(
            FeatureRows.slots([Slot(present: true, item: 1)]), at: 2, "ffffffffff",
            "Slots.slots[0].item: the variable-length integer at offset 23 does not fit 5 bytes or 64 bits"),
        SpoiltRow(
            FeatureRows.slots(), at: 11, "0201",
            "Slots.extra.result: 4608 is not a case of this closed enum at offset 35"),
    ]
}
