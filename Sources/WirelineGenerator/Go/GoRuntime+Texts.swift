// SPDX-License-Identifier: Apache-2.0

extension GoRuntime {
    /// The functions that read text and bytes.
    static let texts = #"""
        func (r *reader) text(n int64, f string) string {
        	p := r.p
        	if n < 0 || n > int64(r.end-p) {
        		r.fail("truncated", f, p)
        		return ""
        	}
        	r.p = p + int(n)
        	return r.validText(r.b[p:r.p], f, p)
        }

        // validText is the text in bytes at a place.
        func (r *reader) validText(b []byte, f string, place int) string {
        	if utf8.Valid(b) {
        		return string(b)
        	}
        	for len(b) > 0 {
        		c, n := utf8.DecodeRune(b)
        		if c == utf8.RuneError && n == 1 {
        			break
        		}
        		b = b[n:]
        		place += n
        	}
        	r.fail("invalid_utf8", f, place)
        	return ""
        }

        // blob is a copy of bytes, so that it does not keep those around it.
        func (r *reader) blob(n int64, f string) []byte { return append([]byte{}, r.some(n, f)...) }
        """#

    /// The functions that read text, digits and bytes of fixed width.
    static let fixedTexts = #"""
        // fixedText is text in n bytes, which a byte fills.
        func (r *reader) fixedText(n int, filler byte, f string) string {
        	p := r.p
        	b := r.next(n, f)
        	if filler == 0 {
        		if end := bytes.IndexByte(b, 0); end >= 0 {
        			b = b[:end]
        		}
        	} else {
        		for len(b) > 0 && b[len(b)-1] == filler {
        			b = b[:len(b)-1]
        		}
        	}
        	return r.validText(b, f, p)
        }

        // digits are two digits in each of n bytes.
        func (r *reader) digits(n int, f string) string {
        	p := r.p
        	b := r.next(n, f)
        	text := make([]byte, 0, 2*len(b))
        	for i, x := range b {
        		if x>>4 > 9 || x&15 > 9 {
        			r.fail("invalid_digit", f, p+i)
        			return ""
        		}
        		text = append(text, '0'+x>>4, '0'+x&15)
        	}
        	return string(text)
        }

        // constantText goes over n bytes, of which the first ones are known.
        func (r *reader) constantText(n int, known []byte, f string) { r.sameBytes(r.take(n, f), known, f) }

        func (r *reader) sameBytes(place int, known []byte, f string) {
        	if r.err != nil {
        		return
        	}
        	for i, x := range known {
        		if place < 0 || place+i >= len(r.b) || r.b[place+i] != x {
        			r.fail("wrong_constant", f, place+i)
        			return
        		}
        	}
        }
        """#

    /// The functions that read text in UTF-16.
    static let utf16 = #"""
        // utf16 is text of n units of 16 bits.
        func (r *reader) utf16(n int64, little bool, f string) string {
        	p := r.p
        	if n > int64(r.end-r.p)/2 {
        		n = -1
        	}
        	return r.units(r.next(2*int(n), f), little, f, p)
        }

        func unit(b []byte, i int, little bool) uint16 {
        	if little {
        		return binary.LittleEndian.Uint16(b[2*i:])
        	}
        	return binary.BigEndian.Uint16(b[2*i:])
        }

        // units is the text in bytes at a place. Half of a surrogate pair is refused where it is.
        func (r *reader) units(b []byte, little bool, f string, place int) string {
        	text := make([]byte, 0, len(b)/2)
        	for i := 0; 2*i < len(b); i++ {
        		c := rune(unit(b, i, little))
        		if utf16.IsSurrogate(c) {
        			d := rune(0)
        			if 2*i+2 < len(b) {
        				d = rune(unit(b, i+1, little))
        			}
        			c = utf16.DecodeRune(c, d)
        			if c == utf8.RuneError {
        				r.fail("invalid_utf16", f, place+2*i)
        				return ""
        			}
        			i++
        		}
        		text = utf8.AppendRune(text, c)
        	}
        	return string(text)
        }

        // restUnits counts the units up to the end.
        func (r *reader) restUnits(most int64, f string) int64 {
        	n := r.end - r.p
        	r.counted(int64(n/2), most, f)
        	if n%2 == 1 {
        		r.fail("truncated", f, r.end-1)
        	}
        	return r.counted(int64(n/2), most, f)
        }

        // terminatedUnits counts the units up to one of 0.
        func (r *reader) terminatedUnits(most int64, f string) int64 {
        	b := r.b[r.p:r.end]
        	for n := 0; 2*n+1 < len(b); n++ {
        		if b[2*n] == 0 && b[2*n+1] == 0 {
        			return r.counted(int64(n), most, f)
        		}
        	}
        	r.fail("missing_terminator", f, r.p)
        	return 0
        }

        // fixedUTF16 is text in n bytes, which a unit fills.
        func (r *reader) fixedUTF16(n int, filler uint16, little bool, f string) string {
        	p := r.p
        	b := r.next(n, f)
        	count := 0
        	if filler == 0 {
        		for 2*count < len(b) && unit(b, count, little) != 0 {
        			count++
        		}
        	} else {
        		for count = len(b) / 2; count > 0 && unit(b, count-1, little) == filler; {
        			count--
        		}
        	}
        	return r.units(b[:2*count], little, f, p)
        }
        """#

    /// The functions for properties.
    static let properties = #"""
        // Property is a line of a key and its value.
        type Property struct{ Key, Value string }

        // properties are lines up to the end.
        func (r *reader) properties(strict bool, f string) []Property {
        	found := []Property{}
        	known := map[string]int{}
        	r.rest(65535, f)
        	for r.p < r.end {
        		p := r.p
        		line := r.b[p:r.end]
        		if n := bytes.IndexByte(line, '\n'); n >= 0 {
        			line = line[:n]
        			r.p++
        		}
        		r.p += len(line)
        		text := r.validText(line, f, p)
        		colon := strings.IndexByte(text, ':')
        		if colon < 1 && strict {
        			r.fail("invalid_property", f, p)
        		}
        		if colon == 0 || text == "" {
        			continue
        		}
        		key, value := text, ""
        		if colon > 0 {
        			key, value = text[:colon], text[colon+1:]
        		}
        		i, isKnown := known[key]
        		if isKnown {
        			found[i].Value = value
        		} else {
        			known[key] = len(found)
        			found = append(found, Property{key, value})
        		}
        		if isKnown && strict {
        			r.fail("duplicate_key", f, p)
        		}
        	}
        	return found
        }

        // putProperties writes lines; no key stands in two of them.
        func (w *writer) putProperties(v []Property, f string) {
        	start := w.p
        	known := map[string]bool{}
        	for i, p := range v {
        		w.require(p.Key != "" && !strings.ContainsAny(p.Key, ":\n") && !strings.Contains(p.Value, "\n"), "invalid_property", f)
        		w.require(!known[p.Key], "duplicate_key", f)
        		known[p.Key] = true
        		if i > 0 {
        			w.putU8('\n', f)
        		}
        		w.appendText(p.Key, f)
        		w.putU8(':', f)
        		w.appendText(p.Value, f)
        	}
        	w.limit(w.p-start, 65535, f)
        }
        """#
}
