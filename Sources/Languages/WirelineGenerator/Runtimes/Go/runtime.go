// SPDX-License-Identifier: Apache-2.0

// Package runtime is the runtime of generated Go, with all that a protocol can need.
//
// Comments mark its regions, which stay for a feature of the protocol, or with an exclamation mark without it. Code that cannot
// stand beside that of a feature is in comments with a bar; with two bars it begins in the first column. The region complete
// is only for this file. From pieces, generated code has those that it calls. A region with the name each stands once for
// every escape of frames. The generator replaces the constants by their values.
package runtime

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	MAXIMUM_DEPTH    = 32
	MAXIMUM_SIZE     = 1 << 20
	MAXIMUM_INFLATED = 1 << 20
	MAXIMUM_NESTED   = 8
	LONGEST_HEADER   = 8
	FRAME_START      = 0x7E
	FRAME_END        = 0x7E
	FRAME_MARKS      = 0x7E
	FRAME_MARK_COUNT = 1
	ESCAPE_FIRSTS    = 0x7D
	ESCAPE_FIRST     = 0x7D
	ESCAPE_SECOND    = 2
	ESCAPE_BYTE      = 0x7E
	PACKET_LIMIT     = MAXIMUM_SIZE
)

// What follows stands for what the schema makes: the header, the connection, and the functions of messages, states and layers.

type Header struct{}

func NewHeader() *Header { return &Header{} }

type Connection struct {
	Threshold *int
	Layers    map[string]func(Sender) Layer
	layers    map[layerPlace]Layer
	keys      map[keyPlace][]byte
	streams   map[stream]interface{}
}

func (c *Connection) change(sender Sender, id uint64) {}

func shapeOf(sender Sender, c *Connection, nested bool) (int, *Error) { return 0, nil }

func readMessage(r *reader, head *Packet, sender Sender) *Packet { return head }

func writeMessage(w *writer, m Message, h *Header) (*Header, uint64) { return h, m.MessageID() }

func copyIdentifiers(given, known *Header) {}

var layerings []layering

var layerNames []string

var isLasting []bool

var inflates []bool

var layerKeys map[string]struct {
	sizes  [][2]int
	layers []int
}

func (k *work) openLayer(n int, h *Header, b []byte) ([]byte, *Error) { return b, nil }

func (k *work) sealLayer(n int, h *Header, b []byte) ([]byte, *Error) { return b, nil }

// #region interface
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
	write(w *writer, h *Header)
	// #region sender
	from() (only Sender, isOne bool)
	// #endregion
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

// #region packets
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
	for depth := 0; depth <= MAXIMUM_NESTED && m != nil && len(m.Packets) > 0 && m.Packets[0] != nil; depth++ {
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

// #endregion
func (m *Unknown) write(w *writer, h *Header) {
	if m == nil {
		w.require(false, "wrong_type", "")
		return
	}
	w.reserve(w.blobLength(m.Payload))
	w.appendBlob(m.Payload, "payload")
}

// #region sender
func (m *Unknown) from() (only Sender, isOne bool) { return Client, false }

// #endregion
// Packet is a message that was received, with its packet's header.
type Packet struct {
	Message Message
	Header  Header
	// Size is the number of bytes that the packet had.
	// #region fixedHeaders
	Size   int
	id     uint64
	places []int
	// #endregion
	// #region !fixedHeaders
	//| Size int
	//| id   uint64
	// #endregion
}

// Encode is a whole packet of a message. From the header, which may be that of the packet that is answered, it takes what a program
// can set; nil is the defaults. Nothing is cut to fit.
// #region dependsOnSender
//
// A message that both sides send needs EncodeFrom, because their packets differ.
// #endregion
// #region connection
func (c *Connection) Encode(m Message, header *Header) ([]byte, error) {
	return c.Append(nil, m, header)
}

// #endregion
// #region !connection
//| func Encode(m Message, header *Header) ([]byte, error) { return Append(nil, m, header) }

// #endregion
// Append puts a packet after the bytes of a slice. After an error it gives the slice as it was.
// #region connection
func (c *Connection) Append(b []byte, m Message, header *Header) ([]byte, error) {
	// #endregion
	// #region !connection
	//|| func Append(b []byte, m Message, header *Header) ([]byte, error) {
	// #endregion
	// #region sender
	if m == nil {
		return b, &Error{"wrong_type", "", -1}
	}
	// #region dependsOnSender
	sender, isOne := m.from()
	if !isOne {
		return b, &Error{"needs_sender", "", -1}
	}
	// #endregion
	// #region !dependsOnSender
	//| sender, _ := m.from()
	// #endregion
	// #region connection
	return c.AppendFrom(sender, b, m, header)
	// #endregion
	// #region !connection
	//| return AppendFrom(sender, b, m, header)
	// #endregion
}

// EncodeFrom is a packet that one side sends.
// #region connection
func (c *Connection) EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error) {
	return c.AppendFrom(sender, nil, m, header)
}

// #endregion
// #region !connection
//| func EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error) {
//| 	return AppendFrom(sender, nil, m, header)
//| }

// #endregion
// AppendFrom puts a packet that one side sends after the bytes of a slice. After an error it gives the slice as it was.
// #region connection
func (c *Connection) AppendFrom(sender Sender, b []byte, m Message, header *Header) ([]byte, error) {
	// #endregion
	// #region !connection
	//|| func AppendFrom(sender Sender, b []byte, m Message, header *Header) ([]byte, error) {
	// #endregion
	// #endregion
	if m == nil {
		return b, &Error{"wrong_type", "", -1}
	}
	// #region layers
	k := newWork(sender, c)
	packet, err := k.seal(m, header, 0, new(uint))
	if err != nil {
		return b, err
	}
	k.commit()
	return append(b, packet...), nil
	// #endregion
	// #region !layers
	//| if header == nil {
	//| 	header = NewHeader()
	//| }
	//| // The packet is made after the bytes, if there is room.
	//| w := &writer{b: b[len(b):cap(b)], p: LONGEST_HEADER, depth: MAXIMUM_DEPTH}
	//| header, id := writeMessage(w, m, header)
	//| w.begin("packet")
	// #region connection
	//| shape, fault := shapeOf(sender, c)
	//| if w.err == nil {
	//| 	w.err = fault
	//| }
	//| packet := wrap(shape, w, id, header)
	// #endregion
	// #region !connection
	// #region sender
	//| var packet []byte
	//| if sender == Server {
	//| 	packet = wrapServer(w, id, header)
	//| } else {
	//| 	packet = wrapClient(w, id, header)
	//| }
	// #endregion
	// #region !sender
	//| packet := wrap(w, id, header)
	// #endregion
	// #endregion
	//| if w.err != nil {
	//| 	return b, w.err
	//| }
	// #region connection
	//| c.change(sender, m.MessageID())
	// #endregion
	// #region frames
	//| packet = framed(packet)
	// #endregion
	// #region !frames
	//| if b == nil {
	//| 	return packet, nil
	//| }
	// #endregion
	//| return append(b, packet...), nil
	// #endregion
}

// Decode is the packet that bytes begin with; nil without an error if it has not arrived whole. After an error, the
// start of the next packet is unknown.
// #region connection
func (c *Connection) Decode(b []byte, sender Sender) (*Packet, error) {
	// #endregion
	// #region !connection
	//|| func Decode(b []byte, sender Sender) (*Packet, error) {
	// #endregion
	// #region frames
	f := newFrame()
	isWhole := f.unframe(b)
	if f.err != nil {
		return nil, f.err
	}
	if !isWhole {
		return nil, nil
	}
	// #region connection
	return f.packet(sender, true, c)
	// #endregion
	// #region !connection
	//| return f.packet(sender, true)
	// #endregion
	// #endregion
	// #region !frames
	// #region connection
	//| packet, _, err := receive(b, sender, true, c)
	// #endregion
	// #region !connection
	//| packet, _, err := receive(b, sender, true)
	// #endregion
	//| if err != nil {
	//| 	return nil, err
	//| }
	//| return packet, nil
	// #endregion
}

// #region frames
// packet is the packet in the frame, which must be whole.
// #region connection
func (f *frame) packet(sender Sender, withMessage bool, c *Connection) (*Packet, error) {
	packet, _, err := receive(f.b, sender, withMessage, c)
	// #endregion
	// #region !connection
	//|| func (f *frame) packet(sender Sender, withMessage bool) (*Packet, error) {
	//| 	packet, _, err := receive(f.b, sender, withMessage)
	// #endregion
	if err != nil {
		return nil, err
	}
	if packet == nil {
		return nil, &Error{"truncated", "", len(f.b)}
	}
	packet.Size = f.count
	return packet, nil
}

// #endregion
// receive is the packet that bytes begin with, or how many bytes it needs at least.
// #region connection
func receive(b []byte, sender Sender, withMessage bool, c *Connection) (packet *Packet, wanted int, err *Error) {
	// #endregion
	// #region !connection
	//|| func receive(b []byte, sender Sender, withMessage bool) (packet *Packet, wanted int, err *Error) {
	// #endregion
	// #region layers
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
	r := newReader(b, MAXIMUM_SIZE)
	var found part
	if !layerings[shape].readOuter(r, &found) || r.err != nil {
		return nil, r.wanted, r.err
	}
	return &Packet{Size: found.after}, 0, nil
	// #endregion
	// #region !layers
	// #region connection
	//| shape, err := shapeOf(sender, c)
	//| if err != nil {
	//| 	return nil, 0, err
	//| }
	// #endregion
	//| r := &reader{b: b, end: len(b), surely: math.MaxInt, depth: MAXIMUM_DEPTH, trail: trail{base: "packet"}}
	//| var head Packet
	// #region connection
	//| isWhole := unwrap(shape, r, &head)
	// #endregion
	// #region !connection
	// #region dependsOnSender
	//| var isWhole bool
	//| if sender == Server {
	//| 	isWhole = unwrapServer(r, &head)
	//| } else {
	//| 	isWhole = unwrapClient(r, &head)
	//| }
	// #endregion
	// #region !dependsOnSender
	//| isWhole := unwrap(r, &head)
	// #endregion
	// #endregion
	//| if isWhole && withMessage && r.err == nil {
	//| 	packet = readMessage(r, &head, sender)
	//| } else if isWhole {
	//| 	copied := head
	//| 	packet = &copied
	//| }
	//| if r.err != nil {
	//| 	return nil, 0, r.err
	//| }
	// #region connection
	//| if packet != nil && withMessage {
	//| 	c.change(sender, packet.id)
	//| }
	// #endregion
	//| return packet, r.wanted, nil
	// #endregion
}

// Splitter finds the packets in a stream, however they are merged and split. After an error it stays failed.
type Splitter struct {
	// #region complete
	sender Sender
	buffer []byte
	start  int
	frame  *frame
	wanted int
	err    error
	inner  []*Packet
	c      *Connection
	shape  int
	// #endregion
	// #region !complete
	//| sender Sender
	//| buffer []byte
	//| start  int
	// #region frames
	//| frame  *frame
	// #endregion
	// #region !frames
	//| wanted int
	// #endregion
	//| err    error
	// #region packets
	//| inner  []*Packet
	// #endregion
	// #region connection
	//| c      *Connection
	// #region !frames
	//| shape  int
	// #endregion
	// #endregion
	// #endregion
}

// NewSplitter makes a splitter of what one side sends.
// #region connection
func (c *Connection) NewSplitter(sender Sender) *Splitter {
	// #region frames
	return &Splitter{sender: sender, frame: newFrame(), c: c}
	// #endregion
	// #region !frames
	//| return &Splitter{sender: sender, c: c}
	// #endregion
}

// #endregion
// #region !connection
//| func NewSplitter(sender Sender) *Splitter {
// #region frames
//| 	return &Splitter{sender: sender, frame: newFrame()}
// #endregion
// #region !frames
//| 	return &Splitter{sender: sender}
// #endregion
//| }

// #endregion
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

// #region packets
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

func (s *Splitter) next() (*Packet, error) {
	// #endregion
	// #region !packets
	//|| // Next is the next packet; nil without an error if more bytes are needed.
	//|| func (s *Splitter) Next() (*Packet, error) {
	// #endregion
	if s.err != nil {
		return nil, s.err
	}
	// #region frames
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
	// #region connection
	packet, err := f.packet(s.sender, true, s.c)
	// #endregion
	// #region !connection
	//| packet, err := f.packet(s.sender, true)
	// #endregion
	s.err = err
	return packet, err
	// #endregion
	// #region !frames
	// #region connection
	//| // How much is needed depends on the packet's shape, which packets of the other side may change.
	// #region layers
	//| shape, fault := shapeOf(s.sender, s.c, false)
	// #endregion
	// #region !layers
	//| shape, fault := shapeOf(s.sender, s.c)
	// #endregion
	//| if fault != nil {
	//| 	s.err = fault
	//| 	return nil, fault
	//| }
	//| if shape != s.shape {
	//| 	s.shape, s.wanted = shape, 0
	//| }
	// #endregion
	//| held := len(s.buffer) - s.start
	//| // A packet that has not arrived whole is not tried again before it can have.
	//| if held < s.wanted {
	//| 	return nil, nil
	//| }
	// #region connection
	//| packet, wanted, err := receive(s.buffer[s.start:], s.sender, true, s.c)
	// #endregion
	// #region !connection
	//| packet, wanted, err := receive(s.buffer[s.start:], s.sender, true)
	// #endregion
	//| if err != nil {
	//| 	s.err = err
	//| 	return nil, err
	//| }
	//| if packet == nil {
	//| 	s.wanted = held + 1
	//| 	if wanted > held {
	//| 		s.wanted = wanted
	//| 	}
	//| 	return nil, nil
	//| }
	//| s.wanted = 0
	//| s.consume(packet.Size)
	//| return packet, nil
	// #endregion
}

// Finish says that the stream has ended: that is an error inside a packet.
func (s *Splitter) Finish() error {
	// #region frames
	if s.err == nil && s.frame.begun() {
		s.err = &Error{"end_of_stream", "", len(s.frame.b)}
	}
	// #endregion
	// #region !frames
	if held := len(s.buffer) - s.start; s.err == nil && held > 0 {
		s.err = &Error{"end_of_stream", "", held}
	}
	// #endregion
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

// #region dependsOnSender
// SplitClient is a bufio.SplitFunc for what the client sends. It looks at the framing alone.
// #region connection
//
// Only Decode changes states: decode a packet before the next one is asked for.
func (c *Connection) SplitClient(data []byte, atEOF bool) (advance int, token []byte, err error) {
	return split(data, atEOF, Client, c)
}

// #endregion
// #region !connection
//| func SplitClient(data []byte, atEOF bool) (advance int, token []byte, err error) {
//| 	return split(data, atEOF, Client)
//| }

// #endregion
// SplitServer is a bufio.SplitFunc for what the server sends. It looks at the framing alone.
// #region connection
//
// Only Decode changes states: decode a packet before the next one is asked for.
func (c *Connection) SplitServer(data []byte, atEOF bool) (advance int, token []byte, err error) {
	return split(data, atEOF, Server, c)
}

// #endregion
// #region !connection
//| func SplitServer(data []byte, atEOF bool) (advance int, token []byte, err error) {
//| 	return split(data, atEOF, Server)
//| }

// #endregion
// #endregion
// #region !dependsOnSender
// Split is a bufio.SplitFunc for the packets of a stream. It looks at the framing alone.
// #region connection
//
// Only Decode changes states: decode a packet before the next one is asked for.
func (c *Connection) Split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	return split(data, atEOF, Client, c)
}

// #endregion
// #region !connection
//| func Split(data []byte, atEOF bool) (advance int, token []byte, err error) {
//| 	return split(data, atEOF, Client)
//| }

// #endregion
// #endregion
// #region connection
func split(data []byte, atEOF bool, sender Sender, c *Connection) (advance int, token []byte, err error) {
	// #endregion
	// #region !connection
	//|| func split(data []byte, atEOF bool, sender Sender) (advance int, token []byte, err error) {
	// #endregion
	// #region frames
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
	// #region connection
	if _, err := f.packet(sender, false, c); err != nil {
		return 0, nil, err
	}
	// #endregion
	// #region !connection
	//| if _, err := f.packet(sender, false); err != nil {
	//| 	return 0, nil, err
	//| }
	// #endregion
	return f.count, data[:f.count], nil
	// #endregion
	// #region !frames
	//| if len(data) == 0 {
	//| 	return 0, nil, nil
	//| }
	// #region connection
	//| packet, _, fault := receive(data, sender, false, c)
	// #endregion
	// #region !connection
	//| packet, _, fault := receive(data, sender, false)
	// #endregion
	//| if fault == nil && packet == nil && atEOF {
	//| 	fault = &Error{"end_of_stream", "", len(data)}
	//| }
	//| if fault != nil {
	//| 	return 0, nil, fault
	//| }
	//| if packet == nil {
	//| 	return 0, nil, nil
	//| }
	//| return packet.Size, data[:packet.Size], nil
	// #endregion
}

// #region connection
// Encode is the first packet of a connection.
func Encode(m Message, header *Header) ([]byte, error) { return new(Connection).Encode(m, header) }

// EncodeFrom is the first packet of a connection, which one side sends.
func EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error) {
	return new(Connection).EncodeFrom(sender, m, header)
}

// Decode is the first packet of a connection, with which bytes begin; nil without an error if it has not arrived whole.
func Decode(b []byte, sender Sender) (*Packet, error) { return new(Connection).Decode(b, sender) }

// NewSplitter makes a splitter of what one side sends on a new connection.
func NewSplitter(sender Sender) *Splitter { return new(Connection).NewSplitter(sender) }

// #endregion
// #region layers
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
	k := &work{c: c, sender: sender, left: MAXIMUM_INFLATED, streams: map[stream]interface{}{}}
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

func newReader(b []byte, limit int64) *reader {
	return &reader{b: b, end: len(b), surely: math.MaxInt, limit: limit, depth: MAXIMUM_DEPTH, trail: trail{base: "packet"}}
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
	shape, r := &layerings[number], newReader(b, MAXIMUM_SIZE)
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
			if hasCount && shape.counter != nil && count-int64(shape.counter.constant) > MAXIMUM_INFLATED {
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
	// #region fixedHeaders
	packet := &Packet{Header: *p.header, Size: found.after, id: p.id, places: p.places}
	// #endregion
	// #region !fixedHeaders
	//| packet := &Packet{Header: *p.header, Size: found.after, id: p.id}
	// #endregion
	// #region packets
	if rules := p.rules; rules[len(rules)-2] {
		inner, err := k.openPackets(content, depth+1, streams)
		if err != nil {
			return nil, 0, err
		}
		packet.Message = &Packets{ID: p.id, Packets: inner}
		return packet, 0, nil
	}
	// #endregion
	if p.rules[len(p.rules)-1] {
		packet.Message = &Unknown{ID: p.id, Payload: append([]byte{}, content...)}
		return packet, 0, nil
	}
	// A part of a message sets no state.
	k.ids = append(k.ids, p.id)
	r = newReader(flat, 0)
	r.bound(p.body, p.end)
	packet = readMessage(r, packet, k.sender)
	// #region fixedHeaders
	if packet == nil {
		// A header field that the message fixes has another value. Its place counts from the packet's first byte.
		return nil, 0, r.err
	}
	// #endregion
	if r.err != nil {
		return nil, 0, r.err.moved(origin)
	}
	return packet, 0, nil
}

// #region packets
// #region frames
// areMarks says whether bytes are marks of frames with nothing between them, which may follow the last packet.
func areMarks(b []byte) bool {
	for i, x := range b {
		if x != [...]byte{FRAME_MARKS}[i%FRAME_MARK_COUNT] {
			return false
		}
	}
	return len(b)%FRAME_MARK_COUNT == 0
}

// #endregion
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
	if depth > MAXIMUM_NESTED {
		return nil, &Error{"too_deep", "", -1}
	}
	// #region frames
	for !(areMarks(content)) {
		// #endregion
		// #region !frames
		//|| 	for !(len(content) == 0) {
		// #endregion
		if err := k.addPacket(); err != nil {
			return nil, err
		}
		// #region frames
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
		// #endregion
		// #region !frames
		//| packet, _, err := k.open(content, depth, streams)
		//| if err == nil && packet == nil {
		//| 	err = &Error{"truncated", "", len(content)}
		//| }
		//| if err != nil {
		//| 	return nil, err.inPacket(len(packets))
		//| }
		// #endregion
		packets = append(packets, packet)
		content = content[packet.Size:]
	}
	return packets, nil
}

// #endregion
func newWriter(base string) *writer {
	return &writer{p: LONGEST_HEADER, depth: MAXIMUM_DEPTH, trail: trail{base: base}}
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
	// #region packets
	if packets, ok := m.(*Packets); ok {
		if packets == nil {
			return nil, &Error{"wrong_type", "", -1}
		}
		if depth >= MAXIMUM_NESTED {
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
	// #endregion
	w := newWriter(m.MessageName())
	h, id := writeMessage(w, m, h)
	if w.err != nil {
		return nil, w.err
	}
	holds := "message"
	if m.MessageName() == "" {
		holds = ""
	}
	return k.sealed(id, w.part(LONGEST_HEADER, w.p), h, holds, depth, streams)
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
	// #region threshold
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
	// #endregion
	p, err := shape.known(id, &settable)
	if err != nil {
		return nil, err
	}
	rules, known := p.rules, p.header
	// #region packets
	if holds != "" && (holds == "packets") != rules[len(rules)-2] {
		return nil, &Error{"presence", "packets", -1}
	}
	// #endregion
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
	// #region frames
	return framed(packet), nil
	// #endregion
	// #region !frames
	//| return packet, nil
	// #endregion
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

// #region keys
// keyPlace is a key in what one side sends.
type keyPlace struct {
	sender Sender
	name   string
}

// SetKey sets a key for the packets of both sides, or of those that are given. Their keystreams begin anew.
func (c *Connection) SetKey(name string, key []byte, senders ...Sender) error {
	known, ok := layerKeys[name]
	if !ok {
		return &Error{"unknown_key", "key." + name, -1}
	}
	fits := false
	for _, n := range known.sizes {
		fits = fits || n[0] <= len(key) && len(key) <= n[1]
	}
	if !fits {
		return &Error{"wrong_key", "key." + name, -1}
	}
	if len(senders) == 0 {
		senders = []Sender{Client, Server}
	}
	if c.keys == nil {
		c.keys = map[keyPlace][]byte{}
	}
	for _, sender := range senders {
		c.keys[keyPlace{sender, name}] = append([]byte{}, key...)
		for _, n := range known.layers {
			delete(c.streams, stream{sender, n})
		}
	}
	return nil
}

func (k *work) key(name string, n int) ([]byte, *Error) {
	key, ok := k.c.keys[keyPlace{k.sender, name}]
	if !ok {
		return nil, &Error{"layer_unavailable", layerNames[n], -1}
	}
	return key, nil
}

// #endregion
// #region inflating
// inflate is the content of one whole stream. It takes memory for no more than the limit, and one byte that tells that there is more.
func (k *work) inflate(stream io.Reader, from *bytes.Reader, n int) ([]byte, *Error) {
	most, room := k.left+1, 4*from.Len()+256
	var content []byte
	for {
		if len(content) == cap(content) {
			if room > most || room < 0 {
				room = most
			}
			content = append(make([]byte, 0, room), content...)
			room *= 2
		}
		count, err := stream.Read(content[len(content):cap(content)])
		content = content[:len(content)+count]
		if len(content) == most {
			return nil, &Error{"inflated_too_long", layerNames[n], -1}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, invalid(n)
		}
	}
	if from.Len() > 0 {
		return nil, &Error{"trailing_bytes", layerNames[n], -1}
	}
	return content, nil
}

// deflater is a writer of the standard library, which is used again for other packets: a new one takes much memory.
type deflater interface {
	io.WriteCloser
	Reset(to io.Writer)
}

// deflated is the whole stream of a content. To write into memory never fails.
func deflated(writers *sync.Pool, b []byte) []byte {
	stream, to := writers.Get().(deflater), &bytes.Buffer{}
	stream.Reset(to)
	_, _ = stream.Write(b)
	_ = stream.Close()
	stream.Reset(nil)
	writers.Put(stream)
	return to.Bytes()
}

// #endregion
// #region zlib
var (
	zlibReaders sync.Pool
	zlibWriters = sync.Pool{New: func() interface{} { return zlib.NewWriter(nil) }}
)

func (k *work) openZlib(b []byte, n int) ([]byte, *Error) {
	// No stream has a dictionary, not even an empty one.
	if len(b) > 1 && b[1]&0x20 != 0 {
		return nil, invalid(n)
	}
	from := bytes.NewReader(b)
	stream, ok := zlibReaders.Get().(io.ReadCloser)
	var err error
	if ok {
		err = stream.(zlib.Resetter).Reset(from, nil)
	} else {
		stream, err = zlib.NewReader(from)
	}
	if err != nil {
		return nil, invalid(n)
	}
	defer zlibReaders.Put(stream)
	return k.inflate(stream, from, n)
}

func (k *work) sealZlib(b []byte, _ int) ([]byte, *Error) { return deflated(&zlibWriters, b), nil }

// #endregion
// #region deflate
var (
	flateReaders = sync.Pool{New: func() interface{} { return flate.NewReader(bytes.NewReader(nil)) }}
	flateWriters = sync.Pool{New: func() interface{} {
		// There is an error for a wrong level only.
		stream, _ := flate.NewWriter(nil, flate.DefaultCompression)
		return stream
	}}
)

func (k *work) openDeflate(b []byte, n int) ([]byte, *Error) {
	from, stream := bytes.NewReader(b), flateReaders.Get().(io.ReadCloser)
	defer flateReaders.Put(stream)
	if stream.(flate.Resetter).Reset(from, nil) != nil {
		return nil, invalid(n)
	}
	return k.inflate(stream, from, n)
}

func (k *work) sealDeflate(b []byte, _ int) ([]byte, *Error) { return deflated(&flateWriters, b), nil }

// #endregion
// #region gzip
var (
	gzipReaders = sync.Pool{New: func() interface{} { return new(gzip.Reader) }}
	gzipWriters = sync.Pool{New: func() interface{} { return gzip.NewWriter(nil) }}
)

func (k *work) openGzip(b []byte, n int) ([]byte, *Error) {
	from, stream := bytes.NewReader(b), gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(stream)
	// The upper three flags are reserved: what follows them is not known.
	if len(b) > 3 && b[3]&0xe0 != 0 || stream.Reset(from) != nil {
		return nil, invalid(n)
	}
	stream.Multistream(false)
	return k.inflate(stream, from, n)
}

func (k *work) sealGzip(b []byte, _ int) ([]byte, *Error) { return deflated(&gzipWriters, b), nil }

// #endregion
// #region xor
func (k *work) xorKey(b, key []byte, _ int) ([]byte, *Error) {
	out := make([]byte, len(b))
	for i, x := range b {
		out[i] = x ^ key[i%len(key)]
	}
	return out, nil
}

// #endregion
// #region rc4
// rc4 goes on with the keystream from packet to packet.
func (k *work) rc4(b, key []byte, n int) ([]byte, *Error) {
	place := stream{k.sender, n}
	held, ok := k.streams[place].(rc4.Cipher)
	if !ok {
		made, fault := rc4.NewCipher(key)
		if fault != nil {
			return nil, &Error{"layer_unavailable", layerNames[n], -1}
		}
		held = *made
	}
	out := make([]byte, len(b))
	held.XORKeyStream(out, b)
	k.streams[place] = held
	return out, nil
}

// #endregion
// #region aes_ctr
// aesCTR is the keystream of counters from start on, of which some bytes were used before.
func (k *work) aesCTR(b, key, start []byte, used, n int) ([]byte, *Error) {
	block, fault := aes.NewCipher(key)
	if fault != nil || len(start) != 16 {
		return nil, &Error{"layer_unavailable", layerNames[n], -1}
	}
	count := append([]byte{}, start...)
	for i, carry := 15, used/16; i >= 0; i-- {
		carry += int(count[i])
		count[i] = byte(carry)
		carry >>= 8
	}
	out := make([]byte, used%16+len(b))
	copy(out[used%16:], b)
	cipher.NewCTR(block, count).XORKeyStream(out, out)
	return out[used%16:], nil
}

// aesCTRLasting goes on with the keystream from packet to packet.
func (k *work) aesCTRLasting(b, key, start []byte, n int) ([]byte, *Error) {
	place := stream{k.sender, n}
	used, _ := k.streams[place].(int)
	k.streams[place] = used + len(b)
	return k.aesCTR(b, key, start, used, n)
}

// #endregion
// #region aes_cbc
// aesCBC is the block cipher of a layer, whose first block begins with start.
func (k *work) aesCBC(key, start []byte, n int) (cipher.Block, *Error) {
	block, fault := aes.NewCipher(key)
	if fault != nil || len(start) != 16 {
		return nil, &Error{"layer_unavailable", layerNames[n], -1}
	}
	return block, nil
}

func (k *work) openCBC(b, key, start []byte, n int) ([]byte, *Error) {
	block, err := k.aesCBC(key, start, n)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 || len(b)%16 != 0 {
		return nil, invalid(n)
	}
	out := make([]byte, len(b))
	cipher.NewCBCDecrypter(block, start).CryptBlocks(out, b)
	count := int(out[len(out)-1])
	if count < 1 || count > 16 {
		return nil, invalid(n)
	}
	for _, x := range out[len(out)-count:] {
		if int(x) != count {
			return nil, invalid(n)
		}
	}
	return out[:len(out)-count], nil
}

func (k *work) sealCBC(b, key, start []byte, n int) ([]byte, *Error) {
	block, err := k.aesCBC(key, start, n)
	if err != nil {
		return nil, err
	}
	count := 16 - len(b)%16
	out := append(append([]byte{}, b...), bytes.Repeat([]byte{byte(count)}, count)...)
	cipher.NewCBCEncrypter(block, start).CryptBlocks(out, out)
	return out, nil
}

// #endregion
// #region program
// Layer is a layer of the program, for what one side sends.
type Layer interface {
	// Open is what is inside of sealed bytes. It should make no more than one byte above the limit.
	Open(sealed []byte, header *Header, limit int) ([]byte, error)
	Seal(content []byte, header *Header) ([]byte, error)
}

// layerPlace is a layer of the program in what one side sends.
type layerPlace struct {
	sender Sender
	name   string
}

func (k *work) layer(name string, n int) (Layer, *Error) {
	place := layerPlace{k.sender, name}
	if layer, ok := k.c.layers[place]; ok {
		return layer, nil
	}
	var made Layer
	if maker := k.c.Layers[name]; maker != nil {
		made = maker(k.sender)
	}
	if made == nil {
		return nil, &Error{"layer_unavailable", layerNames[n], -1}
	}
	if k.c.layers == nil {
		k.c.layers = map[layerPlace]Layer{}
	}
	k.c.layers[place] = made
	return made, nil
}

// fault is the error of a layer of the program.
func fault(err error, n int) *Error {
	kind := "invalid_layer"
	if own, ok := err.(*Error); ok {
		kind = own.Kind
	}
	return &Error{kind, layerNames[n], -1}
}

func (k *work) openOwn(b []byte, h *Header, name string, n int) ([]byte, *Error) {
	layer, err := k.layer(name, n)
	if err != nil {
		return nil, err
	}
	content, wrong := layer.Open(append([]byte{}, b...), h, k.left)
	if wrong != nil {
		return nil, fault(wrong, n)
	}
	return content, nil
}

func (k *work) sealOwn(b []byte, h *Header, name string, n int) ([]byte, *Error) {
	layer, err := k.layer(name, n)
	if err != nil {
		return nil, err
	}
	sealed, wrong := layer.Seal(append([]byte{}, b...), h)
	if wrong != nil {
		return nil, fault(wrong, n)
	}
	return sealed, nil
}

// #endregion
// #endregion
// #endregion

// #region pieces
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

// #region names
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

// #endregion
// #region !names
//| // trail is the message that a reader or a writer is in.
//| type trail struct {
//| 	base string
//| }

//| func (t *trail) begin(base string) { t.base = base }

//| func (t *trail) path(f string) string {
//| 	if t.base == "" || f == "" {
//| 		return t.base + f
//| 	}
//| 	return t.base + "." + f
//| }

// #endregion
// reader reads fields of b up to end, and knows where it is. It keeps the first error; what is read after that is zero.
// #region layers
type reader struct {
	b      []byte
	p      int
	end    int
	mark   int
	surely int
	wanted int
	limit  int64
	depth  int
	err    *Error
	trail
}

// #endregion
// #region !layers
//| type reader struct {
//| 	b      []byte
//| 	p      int
//| 	end    int
//| 	mark   int
//| 	surely int
//| 	wanted int
//| 	depth  int
//| 	err    *Error
//| 	trail
//| }

// #endregion
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

// value16 is the number that 16 bits stand for.
func value16(n uint16) float64 {
	exponent, fraction := uint64(n>>10&31), uint64(n&1023)
	v := math.NaN()
	if exponent == 0 {
		v = float64(fraction) / 16777216
	} else if exponent < 31 {
		v = math.Float64frombits((exponent+1008)<<52 | fraction<<42)
	} else if fraction == 0 {
		v = math.Inf(1)
	}
	if n < 0x8000 {
		return v
	}
	return -v
}

func (r *reader) f16At(p int) float64 { return value16(r.u16At(p)) }

func (r *reader) f16LittleAt(p int) float64 { return value16(r.u16LittleAt(p)) }

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

func (r *reader) f16(f string) float64 { return value16(r.u16(f)) }

func (r *reader) f16Little(f string) float64 { return value16(r.u16Little(f)) }

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
		}
		// #region shortest
		if x == 0 && i > 0 {
			r.fail("varint_not_shortest", f, r.mark)
			return 0
		}
		// #endregion
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

// packetSize is the bytes of the whole packet, by one of its lengths.
func (r *reader) packetSize(length int64, difference, least, place int) int {
	if length < -1<<62 {
		length = -1 << 62
	}
	size := length + int64(difference)
	if size < int64(least) {
		r.reject("length_too_small", "", place)
	} else if size > PACKET_LIMIT {
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

// nearest16 is the nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0.
func (w *writer) nearest16(v float64, f string) float64 {
	a := math.Abs(v)
	w.require(a < 65520 || v != v || math.IsInf(v, 0), "number_too_large", f)
	if !(a < 65520) {
		return v
	}
	if a < 1.0/16384 {
		return math.Copysign(math.RoundToEven(a*16777216)/16777216, v)
	}
	bits := math.Float64bits(v)
	return math.Float64frombits((bits + 0x1FFFFFFFFFF + bits>>42&1) &^ 0x3FFFFFFFFFF)
}

// bits16 is the bits of a number that has 16 of them; those of the quiet NaN for each NaN.
func bits16(v float64) uint16 {
	if v != v {
		return 0x7E00
	}
	bits := math.Float64bits(v)
	sign := uint16(bits>>48) & 0x8000
	if a := math.Abs(v); a < 1.0/16384 {
		return sign | uint16(a*16777216)
	} else if a < 65520 {
		return sign | uint16(bits>>42&0x1FFFFF-0xFC000)
	}
	return sign | 0x7C00
}

func (w *writer) setF16(p int, v float64, f string) { w.setU16(p, bits16(w.nearest16(v, f)), f) }

func (w *writer) setF16Little(p int, v float64, f string) {
	w.setU16Little(p, bits16(w.nearest16(v, f)), f)
}

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

func (w *writer) putF16(v float64, f string) { w.setF16(w.room(2), v, f) }

func (w *writer) putF16Little(v float64, f string) { w.setF16Little(w.room(2), v, f) }

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
	if len(f.b) >= MAXIMUM_SIZE {
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
		case !f.inside && x != FRAME_START:
			f.fault("wrong_constant", 0)
		case !f.inside:
			f.inside = true
		// #region each
		case f.first == ESCAPE_FIRST && x == ESCAPE_SECOND:
			f.first = -1
			f.add(ESCAPE_BYTE)
		// #endregion
		case f.first >= 0:
			f.fault("invalid_escape", len(f.b))
		case x == FRAME_END:
			if len(f.b) > 0 {
				return true
			}
			// #region !sameMarks
			f.inside = false
		case x == FRAME_START:
			f.fault("invalid_escape", len(f.b))
		// #endregion
		// #region escapes
		case bytes.IndexByte([]byte{ESCAPE_FIRSTS}, x) >= 0:
			f.first = int(x)
		// #endregion
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
// #region sameMarks
func (f *frame) begun() bool { return f.inside && (len(f.b) > 0 || f.first >= 0) }

// #endregion
// #region !sameMarks
//| func (f *frame) begun() bool { return f.inside }

// #endregion
// framed is a packet between its marks.
func framed(packet []byte) []byte {
	b := append(make([]byte, 0, len(packet)+2), FRAME_START)
	for _, x := range packet {
		switch x {
		// #region each
		case ESCAPE_BYTE:
			b = append(b, ESCAPE_FIRST, ESCAPE_SECOND)
		// #endregion
		default:
			b = append(b, x)
		}
	}
	return append(b, FRAME_END)
}

// #endregion
