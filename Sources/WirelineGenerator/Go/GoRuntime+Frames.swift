// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension GoRuntime {
    /// The functions for the marks around packets and their escapes.
    ///
    /// They are those of some frame if the schema has none, so that all names are known.
    static func frames(_ parameters: GoRuntimeParameters) -> String {
        let framing = parameters.framing ?? PacketFraming(start: 0, end: 0, escapes: [])
        let escapes = framing.escapes
        let firsts = Set(escapes.map(\.first)).sorted().map(String.init).joined(separator: ", ")
        let unescaping = escapes.map {
            "\t\tcase f.first == \($0.first) && x == \($0.second):\n\t\t\tf.first = -1\n\t\t\tf.add(\($0.byte))\n"
        }
        let beginning =
            framing.hasSameMarks ? "" : "\t\tcase x == \(framing.start):\n\t\t\tf.fault(\"invalid_escape\", len(f.b))\n"
        let ending = framing.hasSameMarks ? "" : "\t\t\tf.inside = false\n"
        let marking =
            firsts.isEmpty
            ? "" : "\t\tcase bytes.IndexByte([]byte{\(firsts)}, x) >= 0:\n\t\t\tf.first = int(x)\n"
        let cases = escapes.map { "\t\tcase \($0.byte):\n\t\t\tb = append(b, \($0.first), \($0.second))\n" }
        return #"""
            // frame is what has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.
            type frame struct {
            	b      []byte
            	count  int
            	inside bool
            	first  int
            	err    *Error
            }

            func newFrame() *frame { return &frame{first: -1} }

            func (f *frame) fault(kind string, place int) { f.err = &Error{kind, "packet.frame", place} }

            func (f *frame) add(x byte) {
            	if len(f.b) >= \#(parameters.maximumPacketByteCount) {
            		f.fault("packet_too_long", 0)
            	} else {
            		f.b = append(f.b, x)
            	}
            }

            // unframe reads up to the end of the next packet, and says whether it has come. Marks with nothing between them are skipped.
            func (f *frame) unframe(b []byte) bool {
            	for _, x := range b {
            		f.count++
            		switch {
            		case !f.inside && x != \#(framing.start):
            			f.fault("wrong_constant", 0)
            		case !f.inside:
            			f.inside = true
            \#(unescaping.joined())\#
            		case f.first >= 0:
            			f.fault("invalid_escape", len(f.b))
            		case x == \#(framing.end):
            			if len(f.b) > 0 {
            				return true
            			}
            \#(ending)\#(beginning)\#(marking)\#
            		default:
            			f.add(x)
            		}
            		if f.err != nil {
            			return false
            		}
            	}
            	return false
            }

            // begun says whether a stream may not end here: a mark that ends packets and begins them has begun nothing.
            func (f *frame) begun() bool { return f.inside\#(framing.hasSameMarks ? " && (len(f.b) > 0 || f.first >= 0)" : "") }

            // framed is a packet between its marks.
            func framed(packet []byte) []byte {
            	b := append(make([]byte, 0, len(packet)+2), \#(framing.start))
            	for _, x := range packet {
            		switch x {
            \#(cases.joined())\#
            		default:
            			b = append(b, x)
            		}
            	}
            	return append(b, \#(framing.end))
            }
            """#
    }
}
