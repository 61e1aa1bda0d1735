// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension GoRuntime {
    /// The types for parts of packets with layers, and the functions that open and seal packets.
    static func layers(_ parameters: GoRuntimeParameters, _ plan: LayerPlan) -> String {
        let packets = plan.hasPackets ? [packetsInside(parameters, plan)] : []
        return ([types(plan), opening(parameters, plan)] + packets + [sealing(parameters, plan), transforms(plan)])
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func types(_ plan: LayerPlan) -> String {
        #"""
        // part is some fields of a packet: where its content begins and ends, where the packet and these fields do, and which rules hold.
        type part struct {
        	id       uint64
        	header   *Header
        	body     int
        	end      int
        	after    int
        	first    int
        	hasCount bool
        	count    int64
        	place    int
        	rules    []bool
        	places   []int
        }

        // section is layers, and the fields inside of them.
        type section struct {
        	layers []int
        	read   func(r *reader, p *part) bool
        	write  func(w *writer, id uint64, h *Header) []byte
        }

        // layering is how packets of one shape are opened and sealed.
        type layering struct {
        	readOuter  func(r *reader, p *part) bool
        	writeOuter func(w *writer, id uint64, h *Header) []byte
        	readFlat   func(r *reader, p *part) bool
        	writeFlat  func(w *writer, id uint64, h *Header) []byte
        	sections   []section
        	counter    *counter
        }

        // counter is the field that counts the bytes inside the innermost layer, of those from the first one after it on.
        type counter struct {
        	name     string
        	constant int
        	most     int64
        	first    int
        	settable bool
        	isSet    func(h *Header) bool
        	isThere  func(h *Header) bool
        	set      func(h *Header, n int)
        }

        // stream is the keystream of a layer in what one side sends.
        type stream struct {
        	sender Sender
        	layer  int
        }

        // work goes on through all packets in one. Only if all of it was right, the connection takes it over.
        type work struct {
        	c       *Connection
        	sender  Sender
        	left    int
        	packets int
        	ids     []uint64
        	streams map[stream]interface{}
        }

        func newWork(sender Sender, c *Connection) *work {
        	k := &work{c: c, sender: sender, left: \#(plan.maximumByteCount), streams: map[stream]interface{}{}}
        	for place, state := range c.streams {
        		k.streams[place] = state
        	}
        	return k
        }

        func (k *work) commit() {
        	for _, id := range k.ids {
        		k.c.change(k.sender, id)
        	}
        	k.c.streams = k.streams
        }
        """#
    }

    private static func opening(_ parameters: GoRuntimeParameters, _ plan: LayerPlan) -> String {
        let refusing = """
            \tif packet == nil {
            \t\t// A header field that the message fixes has another value. Its place counts from the packet's first byte.
            \t\treturn nil, 0, r.err
            \t}

            """
        let packets =
            plan.hasPackets
            ? """
            	if rules := p.rules; rules[len(rules)-2] {
            		inner, err := k.openPackets(content, depth+1, streams)
            		if err != nil {
            			return nil, 0, err
            		}
            		packet.Message = &Packets{ID: p.id, Packets: inner}
            		return packet, 0, nil
            	}

            """ : ""
        return #"""
            func newReader(b []byte, limit int64) *reader {
            	return &reader{b: b, end: len(b), surely: math.MaxInt, limit: limit, depth: \#(parameters.maximumDepth), trail: trail{base: "packet"}}
            }

            // readWhole is the fields of an opened packet. Offsets count from the first byte inside the innermost layer.
            func readWhole(read func(r *reader, p *part) bool, b []byte, origin int) (*part, *Error) {
            	r, p := newReader(b, math.MaxInt32), &part{}
            	if !read(r, p) && r.err == nil {
            		r.reject("truncated", "", len(b))
            	}
            	if r.err != nil {
            		return nil, r.err.moved(origin)
            	}
            	return p, nil
            }

            // invalid is the error of a layer that is damaged.
            func invalid(n int) *Error { return &Error{"invalid_layer", layerNames[n], -1} }

            // moved is an error whose offset counts from another place.
            func (e *Error) moved(origin int) *Error {
            	if e.Offset >= 0 {
            		e.Offset -= origin
            	}
            	return e
            }

            // withStream adds the keystream of a layer that goes on. Inner packets are sealed first and opened last, so none may use it again.
            func withStream(n int, streams uint) (uint, *Error) {
            	if !isLasting[n] {
            		return streams, nil
            	}
            	if streams>>uint(n)&1 != 0 {
            		return streams, invalid(n)
            	}
            	return streams | 1<<uint(n), nil
            }

            // inflated counts what compression has made against the limit.
            func (k *work) inflated(n int, content []byte) *Error {
            	if !inflates[n] {
            		return nil
            	}
            	if len(content) > k.left {
            		return &Error{"inflated_too_long", layerNames[n], -1}
            	}
            	k.left -= len(content)
            	return nil
            }

            // open is the packet that bytes begin with, out of its layers, or how many bytes it needs at least.
            func (k *work) open(b []byte, depth int, streams uint) (*Packet, int, *Error) {
            	number, err := shapeOf(k.sender, k.c, depth > 0)
            	if err != nil {
            		return nil, 0, err
            	}
            	shape, r := &layerings[number], newReader(b, \#(parameters.maximumPacketByteCount))
            	var found part
            	if !shape.readOuter(r, &found) || r.err != nil {
            		return nil, r.wanted, r.err
            	}
            	header, rules, hasCount, count, place := found.header, found.rules, found.hasCount, found.count, found.place
            	data, content, trailer := b[:found.body:found.body], b[found.body:found.end], b[found.end:found.after]
            	origin, inside := 0, -1
            	for _, s := range shape.sections {
            		for _, n := range s.layers {
            			if !rules[n] {
            				continue
            			}
            			if hasCount && shape.counter != nil && count-int64(shape.counter.constant) > \#(plan.maximumByteCount) {
            				return nil, 0, &Error{"inflated_too_long", layerNames[n], -1}
            			}
            			if streams, err = withStream(n, streams); err != nil {
            				return nil, 0, err
            			}
            			if content, err = k.openLayer(n, header, content); err != nil {
            				return nil, 0, err
            			}
            			if err = k.inflated(n, content); err != nil {
            				return nil, 0, err
            			}
            			origin = len(data)
            			if shape.counter != nil && n >= shape.counter.first {
            				inside = len(content)
            			}
            		}
            		if s.read == nil {
            			continue
            		}
            		whole := append(data, content...)
            		p, err := readWhole(s.read, whole, origin)
            		if err != nil {
            			return nil, 0, err
            		}
            		header, rules = p.header, p.rules
            		data, content = whole[:p.body:p.body], whole[p.body:p.end]
            		if !hasCount && p.hasCount {
            			hasCount, count, place = true, p.count, p.place-origin
            		}
            	}
            	if shape.counter != nil && hasCount {
            		known := 0
            		if inside >= 0 {
            			known = inside + shape.counter.constant
            		}
            		if count != int64(known) {
            			return nil, 0, &Error{"length_mismatch", "packet." + shape.counter.name, place}
            		}
            	}
            	flat := append(append(data, content...), trailer...)
            	p, err := readWhole(shape.readFlat, flat, origin)
            	if err != nil {
            		return nil, 0, err
            	}
            	packet := &Packet{Header: *p.header, Size: found.after, id: p.id\#(parameters.fixesHeader ? ", places: p.places" : "")}
            \#(packets)\#
            	if p.rules[len(p.rules)-1] {
            		packet.Message = &Unknown{ID: p.id, Payload: append([]byte{}, content...)}
            		return packet, 0, nil
            	}
            	// A part of a message sets no state.
            	k.ids = append(k.ids, p.id)
            	r = newReader(flat, 0)
            	r.bound(p.body, p.end)
            	packet = readMessage(r, packet, k.sender)
            \#(parameters.fixesHeader ? refusing : "")\#
            	if r.err != nil {
            		return nil, 0, r.err.moved(origin)
            	}
            	return packet, 0, nil
            }
            """#
    }

    private static func packetsInside(_ parameters: GoRuntimeParameters, _ plan: LayerPlan) -> String {
        let (ends, next): (String, String)
        if parameters.framing != nil {
            ends = "areMarks(content)"
            next = """
                f := newFrame()
                		isWhole := f.unframe(content)
                		err := f.err
                		if err == nil && !isWhole {
                			err = &Error{"truncated", "", len(content)}
                		}
                		var packet *Packet
                		if err == nil {
                			packet, _, err = k.open(f.b, depth, streams)
                		}
                		if err == nil && packet == nil {
                			err = &Error{"truncated", "", len(f.b)}
                		}
                		if err != nil {
                			return nil, err.inPacket(len(packets))
                		}
                		packet.Size = f.count
                """
        } else {
            ends = "len(content) == 0"
            next = """
                packet, _, err := k.open(content, depth, streams)
                		if err == nil && packet == nil {
                			err = &Error{"truncated", "", len(content)}
                		}
                		if err != nil {
                			return nil, err.inPacket(len(packets))
                		}
                """
        }
        let marks = parameters.framing.map { framing in
            let list = (framing.hasSameMarks ? [framing.start] : [framing.start, framing.end]).map(String.init)
            return """
                // areMarks says whether bytes are marks of frames with nothing between them, which may follow the last packet.
                func areMarks(b []byte) bool {
                	for i, x := range b {
                		if x != [...]byte{\(list.joined(separator: ", "))}[i%\(list.count)] {
                			return false
                		}
                	}
                	return len(b)%\(list.count) == 0
                }


                """
        }
        return (marks ?? "") + #"""
            // inPacket is an error in a packet inside another one.
            func (e *Error) inPacket(i int) *Error {
            	path := "packets[" + strconv.Itoa(i) + "]"
            	if e.Path != "" {
            		path += "." + e.Path
            	}
            	return &Error{e.Kind, path, e.Offset}
            }

            func (k *work) addPacket() *Error {
            	if k.packets >= 65536 {
            		return &Error{"too_long", "packets", -1}
            	}
            	k.packets++
            	return nil
            }

            func (k *work) openPackets(content []byte, depth int, streams uint) ([]*Packet, *Error) {
            	packets := []*Packet{}
            	if depth > \#(plan.maximumDepth) {
            		return nil, &Error{"too_deep", "", -1}
            	}
            	for !(\#(ends)) {
            		if err := k.addPacket(); err != nil {
            			return nil, err
            		}
            		\#(next)
            		packets = append(packets, packet)
            		content = content[packet.Size:]
            	}
            	return packets, nil
            }
            """#
    }

    /// The message that is whole packets.
    static func packetsType(_ plan: LayerPlan) -> String {
        #"""
        // Packets is the content of a packet that holds others, each with its header.
        type Packets struct {
        	ID      uint64
        	Packets []*Packet
        }

        func (m *Packets) MessageName() string { return "" }

        func (m *Packets) MessageID() uint64 {
        	if m == nil {
        		return 0
        	}
        	return m.ID
        }

        func (m *Packets) write(w *writer, h *Header) {
        	w.require(m != nil, "wrong_type", "")
        }

        // from is who sends the first message. What holds more packets in packets than there may be has none, for it may hold itself.
        func (m *Packets) from() (only Sender, isOne bool) {
        	for depth := 0; depth <= \#(plan.maximumDepth) && m != nil && len(m.Packets) > 0 && m.Packets[0] != nil; depth++ {
        		switch first := m.Packets[0].Message.(type) {
        		case nil:
        			return Client, false
        		case *Packets:
        			m = first
        		default:
        			return first.from()
        		}
        	}
        	return Client, false
        }
        """#
    }

    /// What gives packets in a packet one by one.
    static let flattening = #"""
        // Next is the next packet; nil without an error if more bytes are needed. Packets in a packet are given one by one in its place.
        func (s *Splitter) Next() (*Packet, error) {
        	for len(s.inner) == 0 {
        		packet, err := s.next()
        		if err != nil || packet == nil {
        			return nil, err
        		}
        		s.inner = flattened(packet, nil)
        	}
        	packet := s.inner[0]
        	s.inner = s.inner[1:]
        	return packet, nil
        }

        // flattened adds a packet, or those in it.
        func flattened(packet *Packet, to []*Packet) []*Packet {
        	m, ok := packet.Message.(*Packets)
        	if !ok {
        		return append(to, packet)
        	}
        	for _, inner := range m.Packets {
        		to = flattened(inner, to)
        	}
        	return to
        }
        """#
}
