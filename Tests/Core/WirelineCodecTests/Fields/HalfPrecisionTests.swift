// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// Floats of 16 bits: all of them, and what stands between them.
struct HalfPrecisionTests {
    private static let format = FloatFormat.binary16

    /// The numbers with a sign, from 0 on.
    private static let positive = (UInt16(0)...0x7BFF).map { format.value(ofBits: UInt64($0)) }

    @Test(arguments: [ByteOrder.bigEndian, .littleEndian])
    func `each of them keeps all of its bits`(byteOrder: ByteOrder) throws {
        let changed = try (UInt16.min...UInt16.max).filter { bits in
            let given = [UInt8](byteCount: 2) { $0.writeInteger(bits, byteOrder) }
            let value = try Reading(given) { reader throws(CodecError) in try reader.readFloat16(byteOrder) }.value
            let written = [UInt8](byteCount: 2) { $0.writeFloat16(value, byteOrder) }
            let set = [UInt8](byteCount: 2) { writer in
                var run = writer.writeRun(byteCount: 2)
                run.setFloat16(value, at: 0, byteOrder)
            }
            return written != given || set != given
        }
        #expect(changed == [])
    }

    @Test func `each of them is the nearest one to itself, and a NaN becomes quiet`() {
        let changed = (UInt64(0)...0xFFFF).filter { bits in
            let isSignalling = bits & 0x7FFF > 0x7C00
            return Self.format.bits(of: Self.format.value(ofBits: bits)) != (isSignalling ? bits | 0x200 : bits)
        }
        #expect(changed == [])
    }

    @Test func `they ascend, from the least one to the greatest one`() {
        #expect(zip(Self.positive, Self.positive.dropFirst()).allSatisfy(<))
        #expect(Self.positive[1] == 0x1p-24 && Self.format.least == 0x1p-24)
        #expect(Self.positive[0x3C00] == 1 && Self.positive[0x400] == 0x1p-14)
        #expect(Self.positive.last == 65504 && Self.format.greatest == 65504)
    }

    @Test func `the middle of two numbers is rounded to the even one, and what is beside it to the nearer one`() {
        let wrong = (UInt64(0)...0x7BFE).filter { bits in
            let middle = (Self.positive[Int(bits)] + Self.positive[Int(bits) + 1]) / 2
            let found = [middle.nextDown, middle, middle.nextUp].flatMap { [$0, -$0] }.map(Self.format.bits)
            let even = bits + bits % 2
            return found != [bits, bits | 0x8000, even, even | 0x8000, bits + 1, bits + 1 | 0x8000]
        }
        #expect(wrong == [])
    }

    @Test func `a float beside the middle of two numbers is rounded to the nearer one`() {
        let wrong = (UInt16(0)...0x7BFE).filter { bits in
            let middle = Float((Self.positive[Int(bits)] + Self.positive[Int(bits) + 1]) / 2)
            let found = [middle.nextDown, middle.nextUp, -middle.nextUp].map { value in
                [UInt8](byteCount: 2) { $0.writeFloat16(value, .bigEndian) }
            }
            return found != [bits, bits + 1, bits + 1 | 0x8000].map { $0.bytes }
        }
        #expect(wrong == [])
    }

    @Test(
        arguments: [
            (65519.99, 0x7BFF), (65520.0.nextDown, 0x7BFF), (65520, 0x7C00), (-65520, 0xFC00), (1e300, 0x7C00),
            (.infinity, 0x7C00), (-.infinity, 0xFC00), (-0.0, 0x8000), (0x1p-1074, 0), (-0x1p-1074, 0x8000),
            (0x1p-25, 0),
            (0x1.8p-24, 2), (.nan, 0x7E00),
        ] as [(Double, UInt64)])
    func `a number has the bits of the nearest one`(value: Double, bits: UInt64) {
        #expect(Self.format.bits(of: value) == bits)
    }

    /// By way of a `Float`, it would be the middle of two numbers first, and then the even one.
    @Test func `a number just above a middle is rounded once`() {
        let value = 1 + 0x1p-11 + 0x1p-40
        #expect(Double(Float(value)) == 1 + 0x1p-11)
        #expect(Self.format.nearest(to: value) == 1 + 0x1p-10)
        #expect(Self.format.nearest(to: Double(Float(value))) == 1)
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (1.0 / 3, "0.3333"), (65504, "65504.0"), (-2050, "-2050.0"), (2047, "2047.0"),
            (0x1p-24, "6e-08"),
            (0x1p-14, "6.104e-05"), (-0.0, "-0.0"), (0, "0.0"), (0.0078125, "0.007812"), (33.34, "33.34"),
        ] as [(Double, String)])
    func `a number has the fewest digits that stand for it alone`(value: Double, digits: String) {
        #expect(Self.format.digits(of: value) == digits)
    }

    @Test func `the digits of each number stand for it`() {
        let wrong = Self.positive.filter { value in
            let digits = Self.format.digits(of: value)
            return Double(digits).map(Self.format.nearest) != value || Self.format.digits(of: -value) != "-" + digits
        }
        #expect(wrong == [])
    }

    #if !os(macOS) || !arch(x86_64)
        @Test func `bits and digits are those of Swift's own type`() {
            let wrong = (UInt16.min...UInt16.max).filter { bits in
                let own = Float16(bitPattern: bits)
                let value = Self.format.value(ofBits: UInt64(bits))
                guard own.isFinite else { return own.isNaN ? !value.isNaN : value != Double(own) }
                return value != Double(own) || Self.format.digits(of: value) != "\(own)"
            }
            #expect(wrong == [])
        }
    #endif

    @Test(arguments: [65520, -65520, 1e38] as [Float])
    func `a number of which the nearest one is infinite is refused`(value: Float) {
        #expect(throws: CodecError(.numberTooLarge(Double(value)))) {
            try FieldCheck.float16(value)
        }
    }

    @Test(arguments: [(0.1, 0.0999755859375), (65519, 65504), (.infinity, .infinity), (-1, -1)] as [(Float, Double)])
    func `the check returns what is written`(value: Float, nearest: Double) throws {
        #expect(try FieldCheck.float16(value) == nearest)
    }

    @Test func `a cut number says how many bytes are missing`() {
        let reading = Reading([1]) { reader throws(CodecError) in try reader.readFloat16(.bigEndian) }
        #expect(reading.error?.reason == .truncated(needed: 2, available: 1))
    }
}

extension UInt16 {
    fileprivate var bytes: [UInt8] { [UInt8](byteCount: 2) { $0.writeInteger(self, .bigEndian) } }
}
