// SPDX-License-Identifier: Apache-2.0

import Features
import Testing
import WirelineCodec

/// How generated values print. `SensitiveTests` has the fields that are hidden.
struct PrintingTests {
    @Test func `an enum's value prints by name, and a number without a name as it is`() {
        #expect("\(Mood.angry)" == "angry")
        #expect(String(reflecting: Mood.angry) == ".angry")
        #expect("\(Mood(rawValue: 77))" == "77")
        #expect(String(reflecting: Mood(rawValue: 77)) == ".init(rawValue: 77)")
        #expect("\(Outcome.good)" == "good")
        #expect(String(reflecting: Outcome.unknown) == ".unknown")
    }

    @Test func `flags print by name, once for each bit, and the bits without a name as a number`() {
        #expect("\(Rights([]))" == "[]")
        #expect("\([.mute, .ban] as Rights)" == "[mute, ban]")
        #expect(String(reflecting: Rights.high) == "[.high]")
        #expect("\(Rights(rawValue: 0x8014))" == "[high, 20]")
        #expect(String(reflecting: Rights(rawValue: 0x11)) == "[.mute, .init(rawValue: 16)]")
    }

    @Test func `a union prints by its arm`() {
        #expect("\(Addition.mileage(12))" == "mileage(12)")
        #expect("\(Addition.nothing)" == "nothing")
        #expect("\(Addition.text("a"))" == #"text("a")"#)
        #expect("\(Addition.inner([.nothing, .level(2)]))" == "inner([.nothing, .level(2)])")
        #expect("\(Addition.other(tag: 9, bytes: [1]))" == "other(tag: 9, bytes: [1])")
        #expect(String(reflecting: Shape.point(Point(x: 1, y: 2))) == ".point(Point(x: 1, y: 2))")
        #expect("\(Drawing(number: 1, shape: .radius(1.5)))" == "Drawing(number: 1, shape: .radius(1.5))")
    }

    @Test func `bytes of a newer peer print only if there are some`() {
        #expect("\(Sc_2())" == "Sc_2()")
        #expect("\(Sc_2(trailingBytes: [1, 2]))" == "Sc_2(trailingBytes: [1, 2])")
    }
}
