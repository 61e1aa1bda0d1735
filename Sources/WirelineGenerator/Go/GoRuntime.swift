// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The runtime of generated Go, in pieces: see ``RuntimeText``.
///
/// A reader and a writer keep the first error with the path of the names that they are in. A reader gives zeros after it.
enum GoRuntime {
    /// The pieces that a file may contain.
    ///
    /// - Parameter hasNames: Whether a reader or a writer enters values, and keeps their names.
    static func text(_ parameters: GoRuntimeParameters, hasNames: Bool = true) -> RuntimeText {
        let all = [
            errors, hasNames ? trail : flatTrail, reading(parameters), counts, numbers, varints(parameters), texts,
            fixedTexts, utf16, properties,
            packets(parameters), checksums,
            writing.replacing("MAXIMUM_SIZE", with: String(parameters.maximumPacketByteCount)), writingNumbers,
            writingTexts, writingFixedTexts, writingCounts,
            frames(parameters),
        ]
        return RuntimeText(
            all.joined(separator: "\n\n"), lineComment: "//", hasKeys: false, hasMembers: true,
            isFunction: { $0.hasPrefix("func ") }, name: name)
    }

    /// Returns the name of the function, the method, the type or the variable that a line declares.
    private static func name(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let kind = words.first, ["func", "type", "var", "const"].contains(kind), words.count > 1 else {
            return nil
        }
        // A method stands after its receiver: `func (r *reader) u8(f string) uint8`.
        let name = words[1].hasPrefix("(") ? words.dropFirst(3).first : words[1]
        return name.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }

    static let errors = #"""
        // Error says why bytes are no packet of this protocol, or why a value cannot be written.
        type Error struct {
        	// Kind is what is wrong, in one word: truncated, out_of_range, …
        	Kind string
        	// Path is the field, in the schema's names: Sc_20001.items[1].count. It is empty if no field is to blame.
        	Path string
        	// Offset counts from the packet's first byte. It is -1 if a value could not be written.
        	Offset int
        }

        func (e *Error) Error() string {
        	line := e.Kind
        	if e.Path != "" {
        		line = e.Path + ": " + line
        	}
        	if e.Offset >= 0 {
        		line += " at offset " + strconv.Itoa(e.Offset)
        	}
        	return line
        }
        """#

    /// What a reader and a writer that enter values know of where they are.
    private static let trail = #"""
        // step is a name that a reader or a writer is in, with the index of an item; it is -1 for none.
        type step struct {
        	name  string
        	index int
        }

        // trail is the names that a reader or a writer is in. The first ones need no memory of their own.
        type trail struct {
        	base string
        	n    int
        	near [4]step
        	far  []step
        }

        func (t *trail) begin(base string) { t.base, t.n = base, 0 }

        func (t *trail) enter(f string) {
        	if t.n < len(t.near) {
        		t.near[t.n] = step{f, -1}
        	} else {
        		t.far = append(t.far[:t.n-len(t.near)], step{f, -1})
        	}
        	t.n++
        }

        func (t *trail) leave() { t.n-- }

        func (t *trail) index(i int) {
        	if n := t.n - 1; n < len(t.near) {
        		t.near[n].index = i
        	} else {
        		t.far[n-len(t.near)].index = i
        	}
        }

        func (t *trail) path(f string) string {
        	path := []byte(t.base)
        	for i := 0; i <= t.n; i++ {
        		s := step{f, -1}
        		if i < t.n && i < len(t.near) {
        			s = t.near[i]
        		} else if i < t.n {
        			s = t.far[i-len(t.near)]
        		}
        		if len(path) > 0 && s.name != "" {
        			path = append(path, '.')
        		}
        		path = append(path, s.name...)
        		if s.index >= 0 {
        			path = strconv.AppendInt(append(path, '['), int64(s.index), 10)
        			path = append(path, ']')
        		}
        	}
        	return string(path)
        }
        """#

    /// The same without values to enter. A packet then needs less memory on the stack, all of which would be cleared.
    private static let flatTrail = #"""
        // trail is the message that a reader or a writer is in.
        type trail struct {
        	base string
        }

        func (t *trail) begin(base string) { t.base = base }

        func (t *trail) path(f string) string {
        	if t.base == "" || f == "" {
        		return t.base + f
        	}
        	return t.base + "." + f
        }
        """#

    /// The reader, and how it moves.
    static func reading(_ parameters: GoRuntimeParameters) -> String {
        #"""
        // reader reads fields of b up to end, and knows where it is. It keeps the first error; what is read after that is zero.
        type reader struct {
        	b      []byte
        	p      int
        	end    int
        	mark   int
        	surely int
        	wanted int\#(parameters.layers == nil ? "" : "\n\tlimit  int64")
        	depth  int
        	err    *Error
        	trail
        }

        func (r *reader) fail(kind, f string, place int) {
        	if r.err == nil {
        		r.err = &Error{kind, r.path(f), place}
        	}
        	r.p, r.end = 0, 0
        }

        func (r *reader) reject(kind, path string, place int) {
        	if r.err == nil {
        		r.err = &Error{kind, path, place}
        	}
        	r.p, r.end = 0, 0
        }

        func (r *reader) position() int { return r.p }

        func (r *reader) seek(place int) {
        	if r.err == nil {
        		r.p = place
        	}
        }

        // size is the number of bytes that are there; after an error it is less than any packet has.
        func (r *reader) size() int {
        	if r.err != nil {
        		return -1
        	}
        	return len(r.b)
        }

        func (r *reader) more() bool { return r.p < r.end }

        // require judges what was read last.
        func (r *reader) require(good bool, kind, f string) {
        	if !good {
        		r.fail(kind, f, r.mark)
        	}
        }

        func (r *reader) verify(good bool, kind, f string, place int) {
        	if !good {
        		r.fail(kind, f, place)
        	}
        }

        // next goes over n bytes; after an error there are none.
        func (r *reader) next(n int, f string) []byte {
        	p := r.p
        	if n > r.end-p || n < 0 {
        		r.fail("truncated", f, p)
        		return nil
        	}
        	r.p = p + n
        	return r.b[p:r.p]
        }

        // take is the place of n bytes.
        func (r *reader) take(n int, f string) int {
        	p := r.p
        	r.next(n, f)
        	return p
        }

        // some goes over as many bytes as a count says.
        func (r *reader) some(n int64, f string) []byte {
        	if n > int64(r.end-r.p) {
        		n = -1
        	}
        	return r.next(int(n), f)
        }

        // inside goes into so many bytes, and gives the end of those around them.
        func (r *reader) inside(n int64, f string) int {
        	end, p := r.end, r.p
        	r.some(n, f)
        	if r.err == nil {
        		r.p, r.end = p, r.p
        	}
        	return end
        }

        // outside leaves such bytes; what is left of them is skipped.
        func (r *reader) outside(end int) {
        	if r.err == nil {
        		r.p, r.end = r.end, end
        	}
        }

        // deeper goes into a value, if it is not too deep.
        func (r *reader) deeper(f string) bool {
        	if r.depth == 0 {
        		r.fail("too_deep", f, r.p)
        	}
        	r.depth--
        	return r.err == nil
        }

        func (r *reader) shallower() { r.depth++ }

        // trailing is what the bytes end with; nil if there is nothing.
        func (r *reader) trailing() []byte {
        	if r.p >= r.end {
        		return nil
        	}
        	return r.blob(int64(r.end-r.p), "")
        }

        func (r *reader) ended() {
        	if r.p < r.end {
        		r.fail("trailing_bytes", "", r.p)
        	}
        }
        """#
    }

    /// The functions for counts and lists.
    static let counts = #"""
        // prefix reads a count of 1, 2 or 4 bytes, of which the first is the least significant one for those above 16. Without bytes it
        // is a varint, and 32 is a zigzag varint.
        func (r *reader) prefix(prefix int, f string) int64 {
        	var n uint64
        	switch prefix {
        	case 1:
        		n = uint64(r.u8(f))
        	case 2:
        		n = uint64(r.u16(f))
        	case 4:
        		n = uint64(r.u32(f))
        	case 18:
        		n = uint64(r.u16Little(f))
        	case 20:
        		n = uint64(r.u32Little(f))
        	default:
        		n = r.varint(5, f)
        		if n > math.MaxUint32 {
        			r.fail("varint_too_long", f, r.mark)
        			return 0
        		}
        	}
        	return int64(n)
        }

        func (r *reader) count(prefix int, most int64, f string) int64 {
        	n := r.prefix(prefix, f)
        	if most >= 0 && n > most {
        		r.fail("too_long", f, r.mark)
        		return 0
        	}
        	return n
        }

        // countOrAbsent reads a count with a sign; -1 is an absent value.
        func (r *reader) countOrAbsent(prefix int, most int64, f string) int64 {
        	n := r.prefix(prefix, f)
        	switch prefix & 15 {
        	case 0:
        		n = n>>1 ^ -(n & 1)
        	case 1:
        		n = int64(int8(n))
        	case 2:
        		n = int64(int16(n))
        	default:
        		n = int64(int32(n))
        	}
        	if n < -1 {
        		r.fail("out_of_range", f, r.mark)
        		return 0
        	}
        	if most >= 0 && n > most {
        		r.fail("too_long", f, r.mark)
        		return 0
        	}
        	return n
        }

        // counted is a count that an earlier field has.
        func (r *reader) counted(n, most int64, f string) int64 {
        	if n < 0 {
        		r.fail("length_too_small", f, r.p)
        	} else if most >= 0 && n > most {
        		r.fail("too_long", f, r.p)
        	}
        	if r.err != nil {
        		return 0
        	}
        	return n
        }

        // rest counts the bytes up to the end.
        func (r *reader) rest(most int64, f string) int64 { return r.counted(int64(r.end-r.p), most, f) }

        // terminated counts the bytes up to one of 0.
        func (r *reader) terminated(most int64, f string) int64 {
        	n := bytes.IndexByte(r.b[r.p:r.end], 0)
        	if n < 0 {
        		r.fail("missing_terminator", f, r.p)
        		return 0
        	}
        	return r.counted(int64(n), most, f)
        }

        // capacity is room for no more items than the bytes can hold, whatever their count announces.
        func (r *reader) capacity(n int64, least int) int {
        	if most := int64((r.end - r.p) / least); n > most {
        		return int(most)
        	}
        	return int(n)
        }

        // hasItem says whether one of n items follows.
        func (r *reader) hasItem(i int, n int64) bool { return int64(i) < n && r.err == nil }

        // another says whether an item follows in a list that goes to the end.
        func (r *reader) another(i int, most int64) bool {
        	if r.p >= r.end {
        		return false
        	}
        	if most >= 0 && int64(i) >= most {
        		r.index(-1)
        		r.fail("too_long", "", r.p)
        	}
        	return r.err == nil
        }

        // anotherUntil says whether an item follows in a list that a byte ends, and goes over that byte.
        func (r *reader) anotherUntil(i int, most int64, stop byte) bool {
        	if r.p >= r.end {
        		r.index(-1)
        		r.fail("truncated", "", r.p)
        		return false
        	}
        	if r.b[r.p] == stop {
        		r.p++
        		return false
        	}
        	return r.another(i, most)
        }

        func (r *reader) saturated(n uint64) int64 {
        	if n > 1<<62 {
        		return 1 << 62
        	}
        	return int64(n)
        }
        """#
}
