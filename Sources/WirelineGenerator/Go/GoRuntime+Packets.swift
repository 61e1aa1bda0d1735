// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime depends on the schema.
struct GoRuntimeParameters {
    var maximumDepth = 32
    var maximumPacketByteCount = 1 << 20
    /// The forms of varints that are read.
    var varintForms = VarintForms.shortest
    /// Whether packets of the two senders have different shapes.
    var dependsOnSender = false
    /// Whether messages fix fields of the header.
    var fixesHeader = false
    /// Whether packets depend on states of a connection.
    var hasConnection = false
    /// How packets are opened and sealed; nil without layers.
    var layers: LayerPlan?
    /// The bytes that the longest header has.
    var lead = 0
    /// The marks around packets.
    var framing: PacketFraming?

    /// Whether who sends a packet makes a difference: to its shape, or to the states after it.
    var takesSender: Bool { dependsOnSender || hasConnection }
    /// What stands before the name of a function that needs a connection.
    var receiver: String { hasConnection ? "(c *Connection) " : "" }
    /// What stands before a call of it.
    var object: String { hasConnection ? "c." : "" }
    /// The last parameter of other functions that need a connection, and the argument for it.
    var parameter: String { hasConnection ? ", c *Connection" : "" }
    var argument: String { hasConnection ? ", c" : "" }
}

extension GoRuntime {
    /// The functions that take packets apart and check what is around a payload.
    static func packets(_ parameters: GoRuntimeParameters) -> String {
        #"""
        // packetSize is the bytes of the whole packet, by one of its lengths.
        func (r *reader) packetSize(length int64, difference, least, place int) int {
        	if length < -1<<62 {
        		length = -1 << 62
        	}
        	size := length + int64(difference)
        	if size < int64(least) {
        		r.reject("length_too_small", "", place)
        	} else if size > \#(parameters.layers == nil ? String(parameters.maximumPacketByteCount) : "r.limit") {
        		r.reject("packet_too_long", "", place)
        	}
        	if r.err != nil {
        		return 0
        	}
        	return int(size)
        }

        // packetSizeSigned is the same for a number that could be negative, which no length is.
        func (r *reader) packetSizeSigned(length int64, difference, least, place int) int {
        	if length < 0 {
        		r.reject("length_too_small", "", place)
        	}
        	return r.packetSize(length, difference, least, place)
        }

        // atLeast is the number of bytes that are there, or a larger one.
        func (r *reader) atLeast(n int) int {
        	if n > len(r.b) {
        		return n
        	}
        	return len(r.b)
        }

        func (r *reader) sameSize(size, other int, f string, place int) int {
        	r.verify(size == other, "length_mismatch", f, place)
        	return size
        }

        // arrived says whether bytes of the header are there; if the packet surely ends before them, they are missing.
        func (r *reader) arrived(n int, f string) bool {
        	if r.end-r.p >= n {
        		return true
        	}
        	if r.end >= r.surely {
        		r.fail("truncated", f, r.p)
        	}
        	return false
        }

        // varintArrived says whether a varint of the header is there, or cannot be one.
        func (r *reader) varintArrived(most int) bool {
        	if r.err != nil {
        		return false
        	}
        	for i := 0; i < most; i++ {
        		if r.p+i >= r.end {
        			return r.end >= r.surely
        		}
        		if r.b[r.p+i] < 128 {
        			return true
        		}
        	}
        	return true
        }

        // last says that the packet surely ends after so many bytes.
        func (r *reader) last(size int) {
        	if size < r.surely {
        		r.surely = size
        	}
        	if r.end > r.surely && r.err == nil {
        		r.end = r.surely
        	}
        }

        // wants says that a packet cannot be whole before so many bytes are there.
        func (r *reader) wants(size int) { r.wanted = size }

        func (r *reader) bound(from, to int) {
        	if r.err == nil {
        		r.p, r.end = from, to
        	}
        }

        // onlyPacket refuses bytes after a packet that fills its frame.
        func (r *reader) onlyPacket(size int) {
        	if size < len(r.b) {
        		r.reject("trailing_bytes", "", size)
        	}
        }

        // part is some bytes of the packet; after an error there are none.
        func (r *reader) part(from, to int) []byte {
        	if r.err != nil {
        		return nil
        	}
        	return r.b[from:to]
        }

        // zeroed is a copy of bytes, in which some are zeros: pairs of a place and a number of bytes.
        func (r *reader) zeroed(from, to int, zeros ...int) []byte {
        	b := append([]byte{}, r.part(from, to)...)
        	for i := 0; i < len(zeros) && len(b) > 0; i += 2 {
        		for k := 0; k < zeros[i+1]; k++ {
        			b[zeros[i]-from+k] = 0
        		}
        	}
        	return b
        }

        // doesNotFit says whether lengths cannot hold a packet, so that another form of the header may.
        func (w *writer) doesNotFit() bool {
        	if w.err == nil {
        		return false
        	}
        	switch w.err.Kind {
        	case "packet_too_long", "length_too_small", "invalid_message_id":
        		return true
        	}
        	return false
        }
        """#
    }

    /// The functions that compute checksums of bytes.
    static let checksums = #"""
        func crc32IEEE(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

        func crc32Castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

        func adler32Sum(b []byte) uint32 { return adler32.Checksum(b) }

        // reflectedCRC is a CRC of 16 bits whose bytes begin with the least significant bit.
        func reflectedCRC(b []byte, polynomial, x uint16) uint16 {
        	for _, y := range b {
        		x ^= uint16(y)
        		for i := 0; i < 8; i++ {
        			x = x>>1 ^ polynomial*(x&1)
        		}
        	}
        	return x
        }

        // ccitt is a CRC of 16 bits whose bytes begin with the most significant bit.
        func ccitt(b []byte, x uint16) uint16 {
        	for _, y := range b {
        		x ^= uint16(y) << 8
        		for i := 0; i < 8; i++ {
        			x = x<<1 ^ 0x1021*(x>>15)
        		}
        	}
        	return x
        }

        func crc16ARC(b []byte) uint16 { return reflectedCRC(b, 0xA001, 0) }

        func crc16Modbus(b []byte) uint16 { return reflectedCRC(b, 0xA001, 0xFFFF) }

        func crc16Kermit(b []byte) uint16 { return reflectedCRC(b, 0x8408, 0) }

        func crc16X25(b []byte) uint16 { return reflectedCRC(b, 0x8408, 0xFFFF) ^ 0xFFFF }

        func crc16CCITTFalse(b []byte) uint16 { return ccitt(b, 0xFFFF) }

        func crc16XModem(b []byte) uint16 { return ccitt(b, 0) }

        func sum8(b []byte) uint8 {
        	var x uint8
        	for _, y := range b {
        		x += y
        	}
        	return x
        }

        func xor8(b []byte) uint8 {
        	var x uint8
        	for _, y := range b {
        		x ^= y
        	}
        	return x
        }
        """#

    /// Returns the function for a checksum.
    static func function(_ kind: ChecksumKind) -> String {
        switch kind {
        case .crc32: "crc32IEEE"
        case .crc32c: "crc32Castagnoli"
        case .adler32: "adler32Sum"
        case .crc16ARC: "crc16ARC"
        case .crc16Modbus: "crc16Modbus"
        case .crc16KERMIT: "crc16Kermit"
        case .crc16X25: "crc16X25"
        case .crc16CCITTFalse: "crc16CCITTFalse"
        case .crc16XMODEM: "crc16XModem"
        case .sum8: "sum8"
        case .xor8: "xor8"
        }
    }
}
