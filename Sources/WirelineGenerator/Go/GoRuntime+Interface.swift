// SPDX-License-Identifier: Apache-2.0

extension GoRuntime {
    /// What programs use: types, `Encode`, `Decode` and `Splitter`. All of it is always there.
    static func interface(_ parameters: GoRuntimeParameters) -> String {
        let all = [
            types(parameters), encoding(parameters), decoding(parameters), splitting(parameters), scanning(parameters),
        ]
        return
            (all + (parameters.hasConnection ? [withoutConnection] : [])
            + (parameters.layers.map { [layers(parameters, $0)] } ?? [])).joined(separator: "\n\n")
    }

    private static func types(_ parameters: GoRuntimeParameters) -> String {
        let from = parameters.takesSender
        return #"""
            // Sender is who has sent a packet.
            type Sender int

            const (
            	Client Sender = iota
            	Server
            )

            // Message is a pointer to a message of the protocol, or an *Unknown.
            type Message interface {
            	// MessageName is the schema's name; it is empty if the schema does not know the message.
            	MessageName() string
            	MessageID() uint64
            	write(w *writer, h *Header)\#(from ? "\n\tfrom() (only Sender, isOne bool)" : "")
            }

            // Unknown is a message that the schema does not know. It can be encoded, too.
            type Unknown struct {
            	ID      uint64
            	Payload []byte
            }

            func (m *Unknown) MessageName() string { return "" }

            func (m *Unknown) MessageID() uint64 {
            	if m == nil {
            		return 0
            	}
            	return m.ID
            }

            \#(parameters.layers.map { $0.hasPackets ? packetsType($0) + "\n\n" : "" } ?? "")\#
            func (m *Unknown) write(w *writer, h *Header) {
            	if m == nil {
            		w.require(false, "wrong_type", "")
            		return
            	}
            	w.reserve(w.blobLength(m.Payload))
            	w.appendBlob(m.Payload, "payload")
            }
            \#(from ? "\nfunc (m *Unknown) from() (only Sender, isOne bool) { return Client, false }\n" : "")\#

            // Packet is a message that was received, with its packet's header.
            type Packet struct {
            	Message Message
            	Header  Header
            	// Size is the number of bytes that the packet had.
            	Size \#(parameters.fixesHeader ? "  int\n\tid     uint64\n\tplaces []int" : "int\n\tid   uint64")
            }
            """#
    }

    private static func encoding(_ parameters: GoRuntimeParameters) -> String {
        let framed =
            parameters.framing == nil ? "if b == nil {\n\t\treturn packet, nil\n\t}\n\t" : "packet = framed(packet)\n\t"
        let from = parameters.takesSender
        let wrapping =
            parameters.hasConnection
            ? wrappingInConnection
            : from
                ? """
                var packet []byte
                \tif sender == Server {
                \t\tpacket = wrapServer(w, id, header)
                \t} else {
                \t\tpacket = wrapClient(w, id, header)
                \t}
                """ : "packet := wrap(w, id, header)"
        let sealing = #"""
            	if m == nil {
            		return b, &Error{"wrong_type", "", -1}
            	}
            	k := newWork(sender, c)
            	packet, err := k.seal(m, header, 0, new(uint))
            	if err != nil {
            		return b, err
            	}
            	k.commit()
            	return append(b, packet...), nil
            """#
        let one = #"""
            	if m == nil {
            		return b, &Error{"wrong_type", "", -1}
            	}
            	sender, \#(parameters.dependsOnSender ? "isOne := m.from()\n\tif !isOne {\n\t\treturn b, &Error{\"needs_sender\", \"\", -1}\n\t}" : "_ := m.from()")
            	return \#(parameters.object)AppendFrom(sender, b, m, header)
            """#
        let appending = #"""
            	if m == nil {
            		return b, &Error{"wrong_type", "", -1}
            	}
            	if header == nil {
            		header = NewHeader()
            	}
            	// The packet is made after the bytes, if there is room.
            	w := &writer{b: b[len(b):cap(b)], p: \#(parameters.lead), depth: \#(parameters.maximumDepth)}
            	header, id := writeMessage(w, m, header)
            	w.begin("packet")
            	\#(wrapping)
            	if w.err != nil {
            		return b, w.err
            	}
            \#(parameters.hasConnection ? "\tc.change(sender, m.MessageID())\n" : "")\#
            	\#(framed)return append(b, packet...), nil
            """#
        let sides = #"""


            // EncodeFrom is a packet that one side sends.
            func \#(parameters.receiver)EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error) {
            	return \#(parameters.object)AppendFrom(sender, nil, m, header)
            }

            // AppendFrom puts a packet that one side sends after the bytes of a slice. After an error it gives the slice as it was.
            func \#(parameters.receiver)AppendFrom(sender Sender, b []byte, m Message, header *Header) ([]byte, error) {
            \#(parameters.layers == nil ? appending : sealing)
            }
            """#
        return #"""
            // Encode is a whole packet of a message. From the header, which may be that of the packet that is answered, it takes what a program
            // can set; nil is the defaults. Nothing is cut to fit.\#(parameters.dependsOnSender ? "\n//\n// A message that both sides send needs EncodeFrom, because their packets differ." : "")
            func \#(parameters.receiver)Encode(m Message, header *Header) ([]byte, error) {\#(parameters.hasConnection ? "\n\treturn c.Append(nil, m, header)\n" : " return Append(nil, m, header) ")}

            // Append puts a packet after the bytes of a slice. After an error it gives the slice as it was.
            func \#(parameters.receiver)Append(b []byte, m Message, header *Header) ([]byte, error) {
            \#(from ? one : appending)
            }\#(from ? sides : "")
            """#
    }

    private static func decoding(_ parameters: GoRuntimeParameters) -> String {
        let unwrapping =
            parameters.hasConnection
            ? "isWhole := unwrap(shape, r, &head)"
            : parameters.dependsOnSender
                ? """
                var isWhole bool
                \tif sender == Server {
                \t\tisWhole = unwrapServer(r, &head)
                \t} else {
                \t\tisWhole = unwrapClient(r, &head)
                \t}
                """ : "isWhole := unwrap(r, &head)"
        let frame = #"""
            	f := newFrame()
            	isWhole := f.unframe(b)
            	if f.err != nil {
            		return nil, f.err
            	}
            	if !isWhole {
            		return nil, nil
            	}
            	return f.packet(sender, true\#(parameters.argument))
            """#
        let opening = #"""
            	if withMessage {
            		k := newWork(sender, c)
            		packet, wanted, err = k.open(b, 0, 0)
            		if err == nil && packet != nil {
            			k.commit()
            		}
            		return packet, wanted, err
            	}
            	shape, err := shapeOf(sender, c, false)
            	if err != nil {
            		return nil, 0, err
            	}
            	r := newReader(b, \#(parameters.maximumPacketByteCount))
            	var found part
            	if !layerings[shape].readOuter(r, &found) || r.err != nil {
            		return nil, r.wanted, r.err
            	}
            	return &Packet{Size: found.after}, 0, nil
            """#
        let unwrappingAll = #"""
            \#(parameters.hasConnection ? "\tshape, err := shapeOf(sender, c)\n\tif err != nil {\n\t\treturn nil, 0, err\n\t}\n" : "")\#
            	r := &reader{b: b, end: len(b), surely: math.MaxInt, depth: \#(parameters.maximumDepth), trail: trail{base: "packet"}}
            	var head Packet
            	\#(unwrapping)
            	if isWhole && withMessage && r.err == nil {
            		packet = readMessage(r, &head, sender)
            	} else if isWhole {
            		copied := head
            		packet = &copied
            	}
            	if r.err != nil {
            		return nil, 0, r.err
            	}
            \#(parameters.hasConnection ? "\tif packet != nil && withMessage {\n\t\tc.change(sender, packet.id)\n\t}\n" : "")\#
            	return packet, r.wanted, nil
            """#
        let plain = #"""
            	packet, _, err := receive(b, sender, true\#(parameters.argument))
            	if err != nil {
            		return nil, err
            	}
            	return packet, nil
            """#
        let unframing = #"""


            // packet is the packet in the frame, which must be whole.
            func (f *frame) packet(sender Sender, withMessage bool\#(parameters.parameter)) (*Packet, error) {
            	packet, _, err := receive(f.b, sender, withMessage\#(parameters.argument))
            	if err != nil {
            		return nil, err
            	}
            	if packet == nil {
            		return nil, &Error{"truncated", "", len(f.b)}
            	}
            	packet.Size = f.count
            	return packet, nil
            }
            """#
        return #"""
            // Decode is the packet that bytes begin with; nil without an error if it has not arrived whole. After an error, the
            // start of the next packet is unknown.
            func \#(parameters.receiver)Decode(b []byte, sender Sender) (*Packet, error) {
            \#(parameters.framing == nil ? plain : frame)
            }\#(parameters.framing == nil ? "" : unframing)

            // receive is the packet that bytes begin with, or how many bytes it needs at least.
            func receive(b []byte, sender Sender, withMessage bool\#(parameters.parameter)) (packet *Packet, wanted int, err *Error) {
            \#(parameters.layers == nil ? unwrappingAll : opening)
            }
            """#
    }

    private static func splitting(_ parameters: GoRuntimeParameters) -> String {
        let isFramed = parameters.framing != nil
        let hasPackets = parameters.layers?.hasPackets == true
        let taking = #"""
            	if s.err != nil {
            		return nil, s.err
            	}
            \#(parameters.hasConnection ? reshaping(parameters) : "")\#
            	held := len(s.buffer) - s.start
            	// A packet that has not arrived whole is not tried again before it can have.
            	if held < s.wanted {
            		return nil, nil
            	}
            	packet, wanted, err := receive(s.buffer[s.start:], s.sender, true\#(parameters.hasConnection ? ", s.c" : ""))
            	if err != nil {
            		s.err = err
            		return nil, err
            	}
            	if packet == nil {
            		s.wanted = held + 1
            		if wanted > held {
            			s.wanted = wanted
            		}
            		return nil, nil
            	}
            	s.wanted = 0
            	s.consume(packet.Size)
            	return packet, nil
            """#
        let takingFrame = #"""
            	if s.err != nil {
            		return nil, s.err
            	}
            	f := s.frame
            	before := f.count
            	isWhole := f.unframe(s.buffer[s.start:])
            	s.consume(f.count - before)
            	if f.err != nil {
            		s.err = f.err
            		return nil, f.err
            	}
            	if !isWhole {
            		return nil, nil
            	}
            	s.frame = newFrame()
            	packet, err := f.packet(s.sender, true\#(parameters.hasConnection ? ", s.c" : ""))
            	s.err = err
            	return packet, err
            """#
        return #"""
            // Splitter finds the packets in a stream, however they are merged and split. After an error it stays failed.
            type Splitter struct {
            	sender Sender
            	buffer []byte
            	start  int
            	\#(isFramed ? "frame  *frame" : "wanted int")
            	err    error\#(hasPackets ? "\n\tinner  []*Packet" : "")\#(parameters.hasConnection ? "\n\tc      *Connection" + (isFramed ? "" : "\n\tshape  int") : "")
            }

            // NewSplitter makes a splitter of what one side sends.
            func \#(parameters.receiver)NewSplitter(sender Sender) *Splitter {
            	return &Splitter{sender: sender\#(isFramed ? ", frame: newFrame()" : "")\#(parameters.hasConnection ? ", c: c" : "")}
            }

            // Push takes what has arrived; the bytes are copied.
            func (s *Splitter) Push(b []byte) {
            	held := len(s.buffer) - s.start
            	if len(s.buffer)+len(b) > cap(s.buffer) {
            		// What is held moves only if that makes much room, so that no byte moves often.
            		room := s.buffer[:held]
            		if 2*held+len(b) > cap(s.buffer) {
            			room = make([]byte, held, 2*(held+len(b))+512)
            		}
            		copy(room, s.buffer[s.start:])
            		s.buffer, s.start = room, 0
            	}
            	s.buffer = append(s.buffer, b...)
            }

            \#(hasPackets ? flattening + "\n\nfunc (s *Splitter) next() (*Packet, error) {" : "// Next is the next packet; nil without an error if more bytes are needed.\nfunc (s *Splitter) Next() (*Packet, error) {")
            \#(isFramed ? takingFrame : taking)
            }

            // Finish says that the stream has ended: that is an error inside a packet.
            func (s *Splitter) Finish() error {
            	if \#(isFramed ? "s.err == nil && s.frame.begun()" : "held := len(s.buffer) - s.start; s.err == nil && held > 0") {
            		s.err = &Error{"end_of_stream", "", \#(isFramed ? "len(s.frame.b)" : "held")}
            	}
            	return s.err
            }

            func (s *Splitter) consume(n int) {
            	s.start += n
            	if s.start < len(s.buffer) {
            		return
            	}
            	s.buffer, s.start = s.buffer[:0], 0
            	if cap(s.buffer) > 1<<16 {
            		s.buffer = nil
            	}
            }
            """#
    }

    private static func scanning(_ parameters: GoRuntimeParameters) -> String {
        let frame = #"""
            	f := newFrame()
            	if !f.unframe(data) {
            		if f.err != nil {
            			return 0, nil, f.err
            		}
            		if atEOF && f.begun() {
            			return 0, nil, &Error{"end_of_stream", "", len(f.b)}
            		}
            		if atEOF {
            			return len(data), nil, nil
            		}
            		return 0, nil, nil
            	}
            	if _, err := f.packet(sender, false\#(parameters.argument)); err != nil {
            		return 0, nil, err
            	}
            	return f.count, data[:f.count], nil
            """#
        let plain = #"""
            	if len(data) == 0 {
            		return 0, nil, nil
            	}
            	packet, _, fault := receive(data, sender, false\#(parameters.argument))
            	if fault == nil && packet == nil && atEOF {
            		fault = &Error{"end_of_stream", "", len(data)}
            	}
            	if fault != nil {
            		return 0, nil, fault
            	}
            	if packet == nil {
            		return 0, nil, nil
            	}
            	return packet.Size, data[:packet.Size], nil
            """#
        let decoding =
            parameters.hasConnection
            ? "\n//\n// Only Decode changes states: decode a packet before the next one is asked for." : ""
        let functions =
            parameters.dependsOnSender
            ? ["Client", "Server"].map { sender in
                """
                // Split\(sender) is a bufio.SplitFunc for what the \(sender.lowercased()) sends. It looks at the framing alone.\(decoding)
                func \(parameters.receiver)Split\(sender)(data []byte, atEOF bool) (advance int, token []byte, err error) {
                \treturn split(data, atEOF, \(sender)\(parameters.argument))
                }
                """
            }.joined(separator: "\n\n")
            : """
            // Split is a bufio.SplitFunc for the packets of a stream. It looks at the framing alone.\(decoding)
            func \(parameters.receiver)Split(data []byte, atEOF bool) (advance int, token []byte, err error) {
            \treturn split(data, atEOF, Client\(parameters.argument))
            }
            """
        return functions + "\n\n" + #"""
            func split(data []byte, atEOF bool, sender Sender\#(parameters.parameter)) (advance int, token []byte, err error) {
            \#(parameters.framing == nil ? plain : frame)
            }
            """#
    }
}
