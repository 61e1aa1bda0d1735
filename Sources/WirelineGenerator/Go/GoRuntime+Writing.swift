// SPDX-License-Identifier: Apache-2.0

extension GoRuntime {
    /// The writer, and how it moves.
    static let writing = #"""
        // writer writes fields into b, up to p, and keeps the first error.
        type writer struct {
        	b     []byte
        	p     int
        	depth int
        	err   *Error
        	trail
        }

        // room goes on by n bytes.
        func (w *writer) room(n int) int {
        	p := w.p
        	w.p += n
        	if w.p > len(w.b) {
        		w.grow()
        	}
        	return p
        }

        func (w *writer) grow() {
        	n := 2*len(w.b) + 64
        	if n < w.p {
        		n = w.p
        	}
        	b := make([]byte, n)
        	copy(b, w.b)
        	w.b = b
        }

        // reserve makes room for as many bytes as will probably follow.
        func (w *writer) reserve(n int) {
        	if n > MAXIMUM_SIZE {
        		n = MAXIMUM_SIZE
        	}
        	if n += w.p; n > len(w.b) {
        		w.b = make([]byte, n)
        	}
        }

        func (w *writer) textLength(v string) int { return len(v) }

        func (w *writer) blobLength(v []byte) int { return len(v) }

        func (w *writer) refuse(kind, path string) {
        	if w.err == nil {
        		w.err = &Error{kind, path, -1}
        	}
        }

        func (w *writer) require(good bool, kind, f string) {
        	if !good && w.err == nil {
        		w.refuse(kind, w.path(f))
        	}
        }

        func (w *writer) verify(good bool, kind string) {
        	if !good {
        		w.refuse(kind, "")
        	}
        }

        // verifyHeader judges a field of the header that a message fixes.
        func (w *writer) verifyHeader(good bool, kind, f string) {
        	if !good {
        		w.enter("packet")
        		w.refuse(kind, w.path(f))
        		w.leave()
        	}
        }

        func (w *writer) position() int { return w.p }

        func (w *writer) seek(place int) { w.p = w.nonNegative(place) }

        func (w *writer) deeper(f string) bool {
        	w.require(w.depth > 0, "too_deep", f)
        	w.depth--
        	return w.err == nil
        }

        func (w *writer) shallower() { w.depth++ }

        // packet is what was written from a place on.
        func (w *writer) packet(start, count int) []byte { return w.part(start, start+count) }

        // part is some of what was written; after an error it is nothing.
        func (w *writer) part(from, to int) []byte {
        	if w.err != nil {
        		return nil
        	}
        	return w.b[from:to]
        }
        """#

    static let writingNumbers = #"""
        func (w *writer) setU8(p int, v uint8, f string) { w.b[p] = v }

        func (w *writer) setU16(p int, v uint16, f string) { binary.BigEndian.PutUint16(w.b[p:p+2], v) }

        func (w *writer) setU16Little(p int, v uint16, f string) {
        	binary.LittleEndian.PutUint16(w.b[p:p+2], v)
        }

        func (w *writer) setU32(p int, v uint32, f string) { binary.BigEndian.PutUint32(w.b[p:p+4], v) }

        func (w *writer) setU32Little(p int, v uint32, f string) {
        	binary.LittleEndian.PutUint32(w.b[p:p+4], v)
        }

        func (w *writer) setU64(p int, v uint64, f string) { binary.BigEndian.PutUint64(w.b[p:p+8], v) }

        func (w *writer) setU64Little(p int, v uint64, f string) {
        	binary.LittleEndian.PutUint64(w.b[p:p+8], v)
        }

        func (w *writer) setI8(p int, v int8, f string) { w.b[p] = uint8(v) }

        func (w *writer) setI16(p int, v int16, f string) { w.setU16(p, uint16(v), f) }

        func (w *writer) setI16Little(p int, v int16, f string) { w.setU16Little(p, uint16(v), f) }

        func (w *writer) setU24(p int, v uint32, f string) {
        	w.require(v < 1<<24, "out_of_range", f)
        	w.setUint(p, uint64(v), 3, false)
        }

        func (w *writer) setU24Little(p int, v uint32, f string) {
        	w.require(v < 1<<24, "out_of_range", f)
        	w.setUint(p, uint64(v), 3, true)
        }

        func (w *writer) setI24(p int, v int32, f string) {
        	w.require(v >= -1<<23 && v < 1<<23, "out_of_range", f)
        	w.setUint(p, uint64(v), 3, false)
        }

        func (w *writer) setI24Little(p int, v int32, f string) {
        	w.require(v >= -1<<23 && v < 1<<23, "out_of_range", f)
        	w.setUint(p, uint64(v), 3, true)
        }

        func (w *writer) setI32(p int, v int32, f string) { w.setU32(p, uint32(v), f) }

        func (w *writer) setI32Little(p int, v int32, f string) { w.setU32Little(p, uint32(v), f) }

        func (w *writer) setI64(p int, v int64, f string) { w.setU64(p, uint64(v), f) }

        func (w *writer) setI64Little(p int, v int64, f string) { w.setU64Little(p, uint64(v), f) }

        func (w *writer) setF32(p int, v float32, f string) { w.setU32(p, bits32(v), f) }

        func (w *writer) setF32Little(p int, v float32, f string) { w.setU32Little(p, bits32(v), f) }

        func (w *writer) setF64(p int, v float64, f string) { w.setU64(p, bits64(v), f) }

        func (w *writer) setF64Little(p int, v float64, f string) { w.setU64Little(p, bits64(v), f) }

        func (w *writer) setBool(p int, v bool) {
        	w.b[p] = 0
        	if v {
        		w.b[p] = 1
        	}
        }

        func (w *writer) putU8(v uint8, f string) { w.setU8(w.room(1), v, f) }

        func (w *writer) putI8(v int8, f string) { w.setI8(w.room(1), v, f) }

        func (w *writer) putU16(v uint16, f string) { w.setU16(w.room(2), v, f) }

        func (w *writer) putU16Little(v uint16, f string) { w.setU16Little(w.room(2), v, f) }

        func (w *writer) putI16(v int16, f string) { w.setI16(w.room(2), v, f) }

        func (w *writer) putI16Little(v int16, f string) { w.setI16Little(w.room(2), v, f) }

        func (w *writer) putU24(v uint32, f string) { w.setU24(w.room(3), v, f) }

        func (w *writer) putU24Little(v uint32, f string) { w.setU24Little(w.room(3), v, f) }

        func (w *writer) putI24(v int32, f string) { w.setI24(w.room(3), v, f) }

        func (w *writer) putI24Little(v int32, f string) { w.setI24Little(w.room(3), v, f) }

        func (w *writer) putU32(v uint32, f string) { w.setU32(w.room(4), v, f) }

        func (w *writer) putU32Little(v uint32, f string) { w.setU32Little(w.room(4), v, f) }

        func (w *writer) putI32(v int32, f string) { w.setI32(w.room(4), v, f) }

        func (w *writer) putI32Little(v int32, f string) { w.setI32Little(w.room(4), v, f) }

        func (w *writer) putU64(v uint64, f string) { w.setU64(w.room(8), v, f) }

        func (w *writer) putU64Little(v uint64, f string) { w.setU64Little(w.room(8), v, f) }

        func (w *writer) putI64(v int64, f string) { w.setI64(w.room(8), v, f) }

        func (w *writer) putI64Little(v int64, f string) { w.setI64Little(w.room(8), v, f) }

        func (w *writer) putF32(v float32, f string) { w.setF32(w.room(4), v, f) }

        func (w *writer) putF32Little(v float32, f string) { w.setF32Little(w.room(4), v, f) }

        func (w *writer) putF64(v float64, f string) { w.setF64(w.room(8), v, f) }

        func (w *writer) putF64Little(v float64, f string) { w.setF64Little(w.room(8), v, f) }

        // putUint writes a number of n bytes, which has been checked.
        func (w *writer) putUint(v uint64, n int, little bool) { w.setUint(w.room(n), v, n, little) }

        func (w *writer) setUint(p int, v uint64, n int, little bool) {
        	for i := 0; i < n; i++ {
        		if little {
        			w.b[p+i] = byte(v >> (8 * i))
        		} else {
        			w.b[p+n-1-i] = byte(v >> (8 * i))
        		}
        	}
        }

        func bits32(v float32) uint32 {
        	if v != v {
        		return 0x7FC00000
        	}
        	return math.Float32bits(v)
        }

        func bits64(v float64) uint64 {
        	if v != v {
        		return 0x7FF8000000000000
        	}
        	return math.Float64bits(v)
        }

        func (w *writer) putBool(v bool) { w.setBool(w.room(1), v) }

        func (w *writer) putVarint(v uint64) {
        	for ; v > 127; v >>= 7 {
        		w.putU8(byte(v)|128, "")
        	}
        	w.putU8(byte(v), "")
        }

        func (w *writer) varintSize(v uint64) int {
        	n := 1
        	for ; v > 127; v >>= 7 {
        		n++
        	}
        	return n
        }

        func (w *writer) zigzagBits(v int64) uint64 { return uint64(v<<1 ^ v>>63) }
        """#

    /// The functions that write text and bytes.
    static let writingTexts = #"""
        func (w *writer) putText(v string, prefix int, most int64, f string) {
        	if !utf8.ValidString(v) {
        		w.require(false, "invalid_utf8", f)
        	}
        	if prefix == 2 {
        		// The usual prefix and its text take one test for room.
        		w.limit(len(v), most, f)
        		p := w.room(2 + len(v))
        		w.setU16(p, uint16(len(v)), f)
        		copy(w.b[p+2:], v)
        		return
        	}
        	w.putCount(len(v), prefix, most, f)
        	p := w.room(len(v))
        	copy(w.b[p:], v)
        }

        func (w *writer) putBlob(v []byte, prefix int, most int64, f string) {
        	w.putCount(len(v), prefix, most, f)
        	w.appendBlob(v, f)
        }

        func (w *writer) appendText(v, f string) int {
        	w.require(utf8.ValidString(v), "invalid_utf8", f)
        	p := w.room(len(v))
        	return copy(w.b[p:], v)
        }

        func (w *writer) appendBlob(v []byte, f string) int {
        	p := w.room(len(v))
        	return copy(w.b[p:], v)
        }

        // appendUTF16 writes text, and gives the number of its units.
        func (w *writer) appendUTF16(v string, little bool, f string) int {
        	w.require(utf8.ValidString(v), "invalid_utf8", f)
        	units := utf16.Encode([]rune(v))
        	for _, c := range units {
        		w.putUint(uint64(c), 2, little)
        	}
        	return len(units)
        }

        // putTrailing writes what follows the last known field; nothing may be missing before it.
        func (w *writer) putTrailing(v []byte, gap string) {
        	if len(v) > 0 {
        		w.putRest(v, gap)
        	}
        }

        func (w *writer) putRest(v []byte, gap string) {
        	w.require(gap == "", "gap_before_optional", gap)
        	w.appendBlob(v, "")
        }

        func (w *writer) limit(n int, most int64, f string) int {
        	if most >= 0 && int64(n) > most {
        		w.require(false, "too_long", f)
        	}
        	return n
        }

        func (w *writer) notLess(n, least int, f string) int {
        	w.require(n >= least, "length_too_small", f)
        	return n
        }

        func (w *writer) exactly(n, count int, f string) int {
        	w.require(n == count, "wrong_item_count", f)
        	return n
        }
        """#

    /// The functions that write text, digits and bytes of fixed width.
    static let writingFixedTexts = #"""
        // terminate ends n units of text, none of which may be 0.
        func (w *writer) terminate(n, width int, f string) {
        	for i := 0; i < n; i++ {
        		unit := w.b[w.p-width*(i+1):]
        		w.require(unit[0] != 0 || unit[width-1] != 0, "embedded_terminator", f)
        	}
        	w.putZeros(width)
        }

        // padText fills text of n units with a unit that must not end it; up to a 0 it must not have one.
        func (w *writer) padText(n, count int, filler uint16, width int, little bool, f string) {
        	w.limit(n, int64(count), f)
        	for i := 0; i < n; i++ {
        		b := w.b[w.p-width*(i+1):]
        		unit := uint16(b[0])
        		if width == 2 && little {
        			unit = binary.LittleEndian.Uint16(b)
        		} else if width == 2 {
        			unit = binary.BigEndian.Uint16(b)
        		}
        		w.require(unit != filler, "embedded_terminator", f)
        		if filler != 0 {
        			break
        		}
        	}
        	for ; n < count; n++ {
        		w.putUint(uint64(filler), width, little)
        	}
        }

        // fillUp writes zeros after n bytes.
        func (w *writer) fillUp(n, count int, f string) {
        	w.limit(n, int64(count), f)
        	w.putZeros(count - n)
        }

        func (w *writer) putDigits(v string, n int, f string) {
        	for i := 0; i < len(v); i++ {
        		w.require(v[i] >= '0' && v[i] <= '9', "invalid_digit", f)
        	}
        	w.exactly(len(v), 2*n, f)
        	for i := 0; i+1 < len(v); i += 2 {
        		w.putU8(v[i]<<4|v[i+1]&15, f)
        	}
        }

        func (w *writer) putBytes(v []byte) { w.appendBlob(v, "") }

        func (w *writer) putZeros(n int) {
        	for ; n > 0; n-- {
        		w.putU8(0, "")
        	}
        }

        // notStop refuses an item that begins with the byte that ends its list.
        func (w *writer) notStop(place int, stop byte) {
        	w.require(place >= w.p || w.b[place] != stop, "embedded_terminator", "")
        }
        """#

    /// The functions for counts, and for what may be absent.
    static let writingCounts = #"""
        // putCount writes a count that is known: see prefix.
        func (w *writer) putCount(n, prefix int, most int64, f string) {
        	w.limit(n, most, f)
        	switch prefix {
        	case 0:
        		w.putVarint(uint64(n))
        	case 32:
        		w.putVarint(2 * uint64(n))
        	case 1:
        		w.putU8(uint8(n), f)
        	case 2:
        		w.putU16(uint16(n), f)
        	default:
        		w.putUint(uint64(n), prefix&15, prefix > 15)
        	}
        }

        // putPrefix writes a count before so many bytes: into the room before them, or as a varint, which makes room.
        func (w *writer) putPrefix(n, byteCount, prefix int, most int64, f string) {
        	w.limit(n, most, f)
        	end := w.p
        	switch prefix {
        	case 0:
        		w.insertVarint(end-byteCount, uint64(n))
        	case 32:
        		w.insertVarint(end-byteCount, 2*uint64(n))
        	default:
        		w.seek(end - byteCount - prefix&15)
        		w.putUint(uint64(n), prefix&15, prefix > 15)
        		w.p = end
        	}
        }

        func (w *writer) insertVarint(place int, v uint64) {
        	n := w.varintSize(v)
        	end := w.room(n)
        	copy(w.b[place+n:], w.b[place:end])
        	w.p = place
        	w.putVarint(v)
        	w.p = end + n
        }

        // putAbsent writes the prefix of an absent value.
        func (w *writer) putAbsent(prefix int) {
        	if prefix == 32 {
        		w.putU8(1, "")
        	} else {
        		w.putUint(math.MaxUint64, prefix&15, false)
        	}
        }

        // gap is the first field of several that is not set; what is set may not follow it.
        func (w *writer) gap(before string, isSet bool, f string) string {
        	if before == "" && !isSet {
        		return f
        	}
        	w.require(before == "" || !isSet, "gap_before_optional", before)
        	return before
        }

        func (w *writer) isPresent(isSet, holds bool, f string) bool {
        	w.require(isSet == holds, "presence", f)
        	return holds && isSet
        }

        // agreed is the count of several fields, which must be the same.
        func (w *writer) agreed(before int64, count int, more int64, f string) int64 {
        	n := int64(count) + more
        	w.require(before == -2147483648 || before == n, "wrong_item_count", f)
        	return n
        }

        // orZero is such a count, or 0 if none of the fields is there.
        func (w *writer) orZero(n int64) int64 {
        	if n == -2147483648 {
        		return 0
        	}
        	return n
        }

        // bit is the number of a boolean.
        func (w *writer) bit(v bool) uint64 {
        	if v {
        		return 1
        	}
        	return 0
        }

        func (w *writer) nonNegative(n int) int {
        	if n < 0 {
        		return 0
        	}
        	return n
        }

        func (w *writer) checkLength(n, low, high int64, f string) {
        	w.require(n <= high, "packet_too_long", f)
        	w.require(n >= low, "length_too_small", f)
        }
        """#
}
