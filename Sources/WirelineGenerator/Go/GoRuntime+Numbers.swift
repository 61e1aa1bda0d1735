// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension GoRuntime {
    /// The functions that read numbers of fixed width.
    static let numbers = #"""
        // lacks says whether fewer bytes are left.
        func (r *reader) lacks(n int) bool { return r.end-r.p < n }

        // run goes over numbers that are there, of which the last one has so many bytes.
        func (r *reader) run(n, width int) int {
        	p := r.p
        	r.p = p + n
        	r.mark = r.p - width
        	return p
        }

        func (r *reader) u8At(p int) uint8 { return r.b[p] }

        func (r *reader) u16At(p int) uint16 { return binary.BigEndian.Uint16(r.b[p : p+2]) }

        func (r *reader) u16LittleAt(p int) uint16 { return binary.LittleEndian.Uint16(r.b[p : p+2]) }

        func (r *reader) u32At(p int) uint32 { return binary.BigEndian.Uint32(r.b[p : p+4]) }

        func (r *reader) u32LittleAt(p int) uint32 { return binary.LittleEndian.Uint32(r.b[p : p+4]) }

        func (r *reader) u64At(p int) uint64 { return binary.BigEndian.Uint64(r.b[p : p+8]) }

        func (r *reader) u64LittleAt(p int) uint64 { return binary.LittleEndian.Uint64(r.b[p : p+8]) }

        func (r *reader) i8At(p int) int8 { return int8(r.b[p]) }

        func (r *reader) i16At(p int) int16 { return int16(r.u16At(p)) }

        func (r *reader) i16LittleAt(p int) int16 { return int16(r.u16LittleAt(p)) }

        func (r *reader) u24At(p int) uint32 { return uint32(r.uintAt(p, 3, false)) }

        func (r *reader) u24LittleAt(p int) uint32 { return uint32(r.uintAt(p, 3, true)) }

        func (r *reader) i24At(p int) int32 { return int32(r.sintAt(p, 3, false)) }

        func (r *reader) i24LittleAt(p int) int32 { return int32(r.sintAt(p, 3, true)) }

        func (r *reader) i32At(p int) int32 { return int32(r.u32At(p)) }

        func (r *reader) i32LittleAt(p int) int32 { return int32(r.u32LittleAt(p)) }

        func (r *reader) i64At(p int) int64 { return int64(r.u64At(p)) }

        func (r *reader) i64LittleAt(p int) int64 { return int64(r.u64LittleAt(p)) }

        func (r *reader) f32At(p int) float32 { return math.Float32frombits(r.u32At(p)) }

        func (r *reader) f32LittleAt(p int) float32 { return math.Float32frombits(r.u32LittleAt(p)) }

        func (r *reader) f64At(p int) float64 { return math.Float64frombits(r.u64At(p)) }

        func (r *reader) f64LittleAt(p int) float64 { return math.Float64frombits(r.u64LittleAt(p)) }

        func (r *reader) uintAt(p, n int, little bool) uint64 {
        	var v uint64
        	for i, x := range r.b[p : p+n] {
        		if little {
        			v |= uint64(x) << (8 * i)
        		} else {
        			v = v<<8 | uint64(x)
        		}
        	}
        	return v
        }

        func (r *reader) sintAt(p, n int, little bool) int64 {
        	shift := 64 - 8*n
        	return int64(r.uintAt(p, n, little)<<shift) >> shift
        }

        func (r *reader) boolAt(p int, f string) bool {
        	r.verify(r.b[p] <= 1, "invalid_boolean", f, p)
        	return r.b[p] == 1
        }

        func (r *reader) u8(f string) uint8 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 1 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 1
        	return r.b[p]
        }

        func (r *reader) u16(f string) uint16 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 2 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 2
        	return binary.BigEndian.Uint16(r.b[p : p+2])
        }

        func (r *reader) u16Little(f string) uint16 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 2 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 2
        	return binary.LittleEndian.Uint16(r.b[p : p+2])
        }

        func (r *reader) u32(f string) uint32 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 4 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 4
        	return binary.BigEndian.Uint32(r.b[p : p+4])
        }

        func (r *reader) u32Little(f string) uint32 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 4 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 4
        	return binary.LittleEndian.Uint32(r.b[p : p+4])
        }

        func (r *reader) u64(f string) uint64 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 8 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 8
        	return binary.BigEndian.Uint64(r.b[p : p+8])
        }

        func (r *reader) u64Little(f string) uint64 {
        	p := r.p
        	r.mark = p
        	if r.end-p < 8 {
        		r.fail("truncated", f, p)
        		return 0
        	}
        	r.p = p + 8
        	return binary.LittleEndian.Uint64(r.b[p : p+8])
        }

        func (r *reader) i8(f string) int8 { return int8(r.u8(f)) }

        func (r *reader) i16(f string) int16 { return int16(r.u16(f)) }

        func (r *reader) i16Little(f string) int16 { return int16(r.u16Little(f)) }

        func (r *reader) u24(f string) uint32 { return uint32(r.uint(3, false, f)) }

        func (r *reader) u24Little(f string) uint32 { return uint32(r.uint(3, true, f)) }

        func (r *reader) i24(f string) int32 { return int32(r.sint(3, false, f)) }

        func (r *reader) i24Little(f string) int32 { return int32(r.sint(3, true, f)) }

        func (r *reader) i32(f string) int32 { return int32(r.u32(f)) }

        func (r *reader) i32Little(f string) int32 { return int32(r.u32Little(f)) }

        func (r *reader) i64(f string) int64 { return int64(r.u64(f)) }

        func (r *reader) i64Little(f string) int64 { return int64(r.u64Little(f)) }

        // uint reads a number of n bytes.
        func (r *reader) uint(n int, little bool, f string) uint64 {
        	r.mark = r.p
        	var v uint64
        	for i, x := range r.next(n, f) {
        		if little {
        			v |= uint64(x) << (8 * i)
        		} else {
        			v = v<<8 | uint64(x)
        		}
        	}
        	return v
        }

        func (r *reader) sint(n int, little bool, f string) int64 {
        	shift := 64 - 8*n
        	return int64(r.uint(n, little, f)<<shift) >> shift
        }

        func (r *reader) f32(f string) float32 { return math.Float32frombits(r.u32(f)) }

        func (r *reader) f32Little(f string) float32 { return math.Float32frombits(r.u32Little(f)) }

        func (r *reader) f64(f string) float64 { return math.Float64frombits(r.u64(f)) }

        func (r *reader) f64Little(f string) float64 { return math.Float64frombits(r.u64Little(f)) }

        // bit is the number of a boolean.
        func (r *reader) bit(v bool) uint64 {
        	if v {
        		return 1
        	}
        	return 0
        }

        func (r *reader) bool(f string) bool {
        	x := r.u8(f)
        	r.require(x <= 1, "invalid_boolean", f)
        	return x == 1
        }
        """#

    /// The functions for integers of variable length.
    static func varints(_ parameters: GoRuntimeParameters) -> String {
        let shortest =
            parameters.varintForms == .any
            ? "" : "\n\t\tif x == 0 && i > 0 {\n\t\t\tr.fail(\"varint_not_shortest\", f, r.mark)\n\t\t\treturn 0\n\t\t}"
        return #"""
            // varint reads at most so many bytes, and 64 bits.
            func (r *reader) varint(most int, f string) uint64 {
            	r.mark = r.p
            	var v uint64
            	for i := 0; i < most; i++ {
            		if r.p+i >= r.end {
            			r.fail("truncated", f, r.p)
            			return 0
            		}
            		x := r.b[r.p+i]
            		if i == 9 && x > 1 {
            			break
            		}\#(shortest)
            		v |= uint64(x&127) << (7 * i)
            		if x < 128 {
            			r.p += i + 1
            			return v
            		}
            	}
            	r.fail("varint_too_long", f, r.p)
            	return 0
            }

            func (r *reader) zigzag(most int, f string) int64 {
            	v := r.varint(most, f)
            	return int64(v>>1) ^ -int64(v&1)
            }

            func (r *reader) varint32(most int, f string) int64 {
            	v := r.varint(most, f)
            	if v > math.MaxUint32 {
            		r.fail("varint_too_long", f, r.mark)
            	}
            	return int64(int32(v))
            }
            """#
    }
}
