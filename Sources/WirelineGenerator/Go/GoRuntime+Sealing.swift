// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension GoRuntime {
    /// The functions that seal packets with layers.
    static func sealing(_ parameters: GoRuntimeParameters, _ plan: LayerPlan) -> String {
        let packets =
            plan.hasPackets
            ? """
            	if packets, ok := m.(*Packets); ok {
            		if packets == nil {
            			return nil, &Error{"wrong_type", "", -1}
            		}
            		if depth >= \(plan.maximumDepth) {
            			return nil, &Error{"too_deep", "", -1}
            		}
            		var content []byte
            		for i, item := range packets.Packets {
            			if err := k.addPacket(); err != nil {
            				return nil, err
            			}
            			if item == nil {
            				item = &Packet{}
            			}
            			var used uint
            			inner, err := k.seal(item.Message, &item.Header, depth+1, &used)
            			if err != nil {
            				return nil, err.inPacket(i)
            			}
            			content = append(content, inner...)
            			*streams |= used
            		}
            		return k.sealed(packets.ID, content, h, "packets", depth, streams)
            	}

            """ : ""
        let presence =
            plan.hasPackets
            ? """
            	if holds != "" && (holds == "packets") != rules[len(rules)-2] {
            		return nil, &Error{"presence", "packets", -1}
            	}

            """ : ""
        return #"""
            func newWriter(base string) *writer {
            	return &writer{p: \#(parameters.lead), depth: \#(parameters.maximumDepth), trail: trail{base: base}}
            }

            // wrapped is some fields around a content.
            func wrapped(write func(w *writer, id uint64, h *Header) []byte, id uint64, content []byte, h *Header) ([]byte, *Error) {
            	w := newWriter("packet")
            	w.appendBlob(content, "")
            	b := write(w, id, h)
            	return b, w.err
            }

            // seal is a whole packet. It adds the layers whose keystream goes on that it uses.
            func (k *work) seal(m Message, h *Header, depth int, streams *uint) ([]byte, *Error) {
            	if m == nil {
            		return nil, &Error{"wrong_type", "", -1}
            	}
            	if h == nil {
            		h = NewHeader()
            	}
            \#(packets)\#
            	w := newWriter(m.MessageName())
            	h, id := writeMessage(w, m, h)
            	if w.err != nil {
            		return nil, w.err
            	}
            	holds := "message"
            	if m.MessageName() == "" {
            		holds = ""
            	}
            	return k.sealed(id, w.part(\#(parameters.lead), w.p), h, holds, depth, streams)
            }

            // known is the fields of a packet that are known before its layers are sealed, and which rules hold.
            func (shape *layering) known(id uint64, h *Header) (*part, *Error) {
            	b, err := wrapped(shape.writeFlat, id, nil, h)
            	if err != nil {
            		return nil, err
            	}
            	return readWhole(shape.readFlat, b, 0)
            }

            // written is the fields of a section and what is after them. Fields before are written for their conditions only.
            func (s *section) written(h *Header, content []byte) ([]byte, *Error) {
            	if s.write == nil {
            		return content, nil
            	}
            	b, err := wrapped(s.write, 0, content, h)
            	if err != nil {
            		return nil, err
            	}
            	p, err := readWhole(s.read, b, 0)
            	if err != nil {
            		return nil, err
            	}
            	return b[p.first:], nil
            }

            func (k *work) sealed(id uint64, payload []byte, h *Header, holds string, depth int, streams *uint) ([]byte, *Error) {
            	number, err := shapeOf(k.sender, k.c, depth > 0)
            	if err != nil {
            		return nil, err
            	}
            	shape := &layerings[number]
            	settable, counter := *h, shape.counter
            \#(plan.hasThreshold ? threshold : "")\#
            	p, err := shape.known(id, &settable)
            	if err != nil {
            		return nil, err
            	}
            	rules, known := p.rules, p.header
            \#(presence)\#
            	if holds == "message" && rules[len(rules)-1] {
            		return nil, &Error{"presence", "opaque", -1}
            	}
            	if !rules[len(rules)-2] && !rules[len(rules)-1] {
            		k.ids = append(k.ids, id)
            	}
            	given := settable
            	copyIdentifiers(&given, known)
            	content := payload
            	for i := len(shape.sections) - 1; i >= 0; i-- {
            		s := &shape.sections[i]
            		// From here on the layers are around the field.
            		if counter != nil && s.layers[0] < counter.first {
            			if err = shape.count(id, 0, &settable, &given, p); err != nil {
            				return nil, err
            			}
            			counter = nil
            		}
            		if content, err = s.written(&given, content); err != nil {
            			return nil, err
            		}
            		for j := len(s.layers) - 1; j >= 0; j-- {
            			n := s.layers[j]
            			if !rules[n] {
            				continue
            			}
            			if *streams, err = withStream(n, *streams); err != nil {
            				return nil, err
            			}
            			if counter != nil {
            				if err = shape.count(id, len(content)+counter.constant, &settable, &given, p); err != nil {
            					return nil, err
            				}
            				counter = nil
            			}
            			if err = k.inflated(n, content); err != nil {
            				return nil, err
            			}
            			if content, err = k.sealLayer(n, known, content); err != nil {
            				return nil, err
            			}
            		}
            	}
            	if counter != nil {
            		if err = shape.count(id, 0, &settable, &given, p); err != nil {
            			return nil, err
            		}
            	}
            	packet, err := wrapped(shape.writeOuter, 0, content, &given)
            	if err != nil {
            		return nil, err
            	}
            	return \#(parameters.framing == nil ? "packet" : "framed(packet)"), nil
            }

            // count sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
            func (shape *layering) count(id uint64, n int, settable, given *Header, p *part) *Error {
            	if !shape.counter.isThere(p.header) {
            		return nil
            	}
            	if int64(n) > shape.counter.most {
            		return &Error{"out_of_range", "packet." + shape.counter.name, -1}
            	}
            	tried := *settable
            	shape.counter.set(&tried, n)
            	found, err := shape.known(id, &tried)
            	if err != nil {
            		return err
            	}
            	for i, rule := range p.rules {
            		if found.rules[i] != rule {
            			return &Error{"length_too_small", "packet." + shape.counter.name, -1}
            		}
            	}
            	shape.counter.set(p.header, n)
            	shape.counter.set(given, n)
            	return nil
            }
            """#
    }

    /// The statements that choose whether a content has a layer which asks for its count.
    private static let threshold = #"""
        	if counter != nil && counter.settable && !counter.isSet(h) {
        		// Whether there is a layer depends on how much there is without one.
        		p, err := shape.known(id, &settable)
        		if err != nil {
        			return nil, err
        		}
        		if counter.isThere(p.header) {
        			counter.set(&settable, 0)
        		}
        		if counter.isThere(p.header) && k.c.Threshold != nil {
        			given := settable
        			copyIdentifiers(&given, p.header)
        			b, err := shape.sections[len(shape.sections)-1].written(&given, payload)
        			if err != nil {
        				return nil, err
        			}
        			if len(b) >= *k.c.Threshold {
        				counter.set(&settable, 1)
        			}
        		}
        	}

        """#
}
