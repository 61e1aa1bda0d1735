// SPDX-License-Identifier: Apache-2.0

import Features
import Testing
import WirelineCodec

/// The value of a `@sensitive` field is in the bytes and in the property, but not in any text that shows a message.
struct SensitiveTests {
    static let message = FeaturesProtocol.Hidden(password: "s3cret", userName: "ann", unused: 2, place: .init(x: 3))
    static let structure = Tight(text: "s3cret")

    @Test func `print and interpolation show everything except the value`() {
        let text = #"Hidden(password: (hidden), userName: "ann", unused: 2, place: Place(x: 3))"#
        #expect("\(Self.message)" == text)
        #expect(String(describing: Self.message) == text)
        #expect("\(Self.structure)" == "Tight(text: (hidden))")
    }

    @Test func `debug texts hide the value, also inside other values`() {
        #expect(String(reflecting: Self.structure) == "Tight(text: (hidden))")
        #expect("\([Self.structure])" == "[Tight(text: (hidden))]")
        #expect(String(reflecting: Self.message).contains("Hidden(password: (hidden), userName: "))
        let boxed: (any PacketMessage)? = Self.message
        #expect(!String(describing: boxed).contains("s3cret"))
    }

    @Test func `dump hides the value`() {
        var text = ""
        dump([Self.message], to: &text)
        #expect(text.contains("- password: (hidden)\n"))
        #expect(text.contains("- userName: \"ann\"\n"))
        #expect(!text.contains("s3cret"))
    }

    @Test func `a sensitive arm hides its value, and the other arms of its union do not`() {
        #expect("\(Addition.secret("s3cret"))" == "secret((hidden))")
        #expect("\([Addition.secret("s3cret"), .level(3)])" == "[.secret((hidden)), .level(3)]")
        var text = ""
        dump(Addition.inner([.secret("s3cret")]), to: &text)
        #expect(!text.contains("s3cret") && text.contains("(hidden)"))
    }

    @Test func `messages with different sensitive values are different`() throws {
        var other = Self.message
        other.password = "other"
        #expect(other != Self.message)
        #expect(try String(decoding: Self.message.encoded(), as: UTF8.self).contains("s3cret"))
    }

    @Test func `a value without a sensitive field is shown as Swift shows it`() {
        #expect("\(Point(x: 1, y: -2))" == "Point(x: 1, y: -2)")
    }
}
