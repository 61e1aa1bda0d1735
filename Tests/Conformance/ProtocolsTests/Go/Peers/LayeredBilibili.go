// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapter of Bilibili in the tests: layers of the program, limits, and packets in packets.

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

func init() { questions["layers"] = layers }

// doubling takes the place of brotli: each byte is there twice.
type doubling struct {
	open func(content []byte, limit int) ([]byte, error)
}

func (d doubling) Open(sealed []byte, header *Header, limit int) ([]byte, error) {
	content := []byte{}
	for i, b := range sealed {
		if b != sealed[i&^1] || i == len(sealed)-1 && i%2 == 0 {
			return nil, errors.New("damaged")
		}
		if i%2 == 0 {
			content = append(content, b)
		}
	}
	if d.open != nil {
		return d.open(content, limit)
	}
	return content, nil
}

func (d doubling) Seal(content []byte, header *Header) ([]byte, error) {
	sealed := []byte{}
	for _, b := range content {
		sealed = append(sealed, b, b)
	}
	return sealed, nil
}

func with(layer Layer) *Connection {
	return &Connection{Layers: map[string]func(Sender) Layer{"brotli": func(Sender) Layer { return layer }}}
}

func refusedWith(err error, kind, path string) {
	e, ok := err.(*Error)
	must(ok && e.Kind == kind && e.Path == path && e.Offset == -1, err)
}

func headed(version Form, sequence uint32) *Header {
	header := NewHeader()
	header.Version, header.Sequence = version, sequence
	return header
}

func note(text string, sequence uint32) *Packet {
	return &Packet{Message: &Notification{Body: text}, Header: *headed(FormPlain, sequence)}
}

func layers() {
	inside := &Packet{Message: &Packets{ID: 5, Packets: []*Packet{note("b", 0), note("c", 7)}}, Header: *headed(FormZlib, 0)}
	group := &Packets{ID: 5, Packets: []*Packet{note("a", 0), {Message: &Unknown{ID: 6, Payload: []byte{1}}, Header: *NewHeader()}, inside}}
	brotli := headed(FormBrotli, 0)
	made := []Sender{}
	both := &Connection{Layers: map[string]func(Sender) Layer{"brotli": func(sender Sender) Layer {
		made = append(made, sender)
		return doubling{}
	}}}
	sealed, err := both.Encode(group, brotli)
	must(err == nil, err)
	opened, err := both.Decode(sealed, Server)
	must(err == nil && opened.Size == len(sealed), err)
	packets := opened.Message.(*Packets).Packets
	must(len(packets) == 3 && len(packets[2].Message.(*Packets).Packets) == 2)
	must(reflect.DeepEqual(made, []Sender{Server}))
	again, err := both.EncodeFrom(Server, opened.Message, &opened.Header)
	must(err == nil && bytes.Equal(again, sealed), err)

	// A splitter gives the packets in a packet in its place.
	for _, size := range []int{1, 7, 1000} {
		splitter, found := both.NewSplitter(Server), ""
		for _, piece := range pieces(append(append([]byte{}, sealed...), sealed...), size, nil) {
			splitter.Push(piece)
			for packet, err := splitter.Next(); packet != nil; packet, err = splitter.Next() {
				must(err == nil)
				if m, ok := packet.Message.(*Notification); ok {
					found += fmt.Sprint(m.Body, packet.Header.Sequence, " ")
				}
			}
		}
		must(found == "a0 b0 c7 a0 b0 c7 " && splitter.Finish() == nil, found)
	}

	// What is missing, and what is wrong.
	for _, c := range []*Connection{{}, {Layers: map[string]func(Sender) Layer{"brotli": nil}}, with(nil)} {
		_, err = c.Decode(sealed, Server)
		refusedWith(err, "layer_unavailable", "packet.brotli")
		_, err = c.Encode(group, brotli)
		refusedWith(err, "layer_unavailable", "packet.brotli")
	}
	damaged := append([]byte{}, sealed...)
	damaged[len(damaged)-1] ^= 1
	_, err = both.Decode(damaged, Server)
	refusedWith(err, "invalid_layer", "packet.brotli")
	_, err = with(doubling{func(_ []byte, limit int) ([]byte, error) { return make([]byte, limit+1), nil }}).Decode(sealed, Server)
	refusedWith(err, "inflated_too_long", "packet.brotli")
	_, err = with(doubling{func([]byte, int) ([]byte, error) { return nil, &Error{Kind: "trailing_bytes"} }}).Decode(sealed, Server)
	refusedWith(err, "trailing_bytes", "packet.brotli")
	_, err = both.Encode(group, nil)
	refusedWith(err, "presence", "packets")
	_, err = both.Encode(&Notification{}, brotli)
	refusedWith(err, "presence", "packets")
	for _, faulty := range []*Packet{nil, {}, {Message: (*Notification)(nil)}, {Message: (*Packets)(nil)}} {
		_, err = both.EncodeFrom(Server, &Packets{ID: 5, Packets: []*Packet{note("a", 0), faulty}}, brotli)
		must(err != nil && err.(*Error).Kind == "wrong_type" && strings.HasPrefix(err.(*Error).Path, "packets[1]"), err)
	}

	// Too deep, also a packet that holds itself.
	deep := &Packets{ID: 5}
	deep.Packets = []*Packet{{Message: deep, Header: *brotli}}
	_, err = both.EncodeFrom(Server, deep, brotli)
	refusedWith(err, "too_deep", "packets[0].packets[0].packets[0].packets[0]")
	_, err = both.Encode(deep, brotli)
	must(err != nil, err)

	limits(both, brotli)
	fmt.Println("as expected")
}

// limits refuses contents that are too long before memory is taken for them.
func limits(both *Connection, brotli *Header) {
	stream := &bytes.Buffer{}
	writer := zlib.NewWriter(stream)
	for i := 0; i < 64; i++ {
		_, err := writer.Write(make([]byte, 1<<20))
		must(err == nil)
	}
	must(writer.Close() == nil)
	bomb := append(make([]byte, 16), stream.Bytes()...)
	binary.BigEndian.PutUint32(bomb, uint32(len(bomb)))
	copy(bomb[4:], []byte{0, 16, 0, 2, 0, 0, 0, 5})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := both.Decode(bomb, Server)
	runtime.ReadMemStats(&after)
	refusedWith(err, "inflated_too_long", "packet.zlib")
	// The limit is 4 MiB. A content that grows is copied into twice the room, so all copies together are three times as much.
	must(after.TotalAlloc-before.TotalAlloc < 3*4<<20+1<<18, after.TotalAlloc-before.TotalAlloc)

	// A bomb in a packet counts together with all others.
	large := func() *Packet {
		return &Packet{Message: &Packets{ID: 5, Packets: []*Packet{note(strings.Repeat("\x00", 100_000), 0)}}, Header: *headed(FormZlib, 0)}
	}
	many := &Packets{ID: 5}
	for i := 0; i < 50; i++ {
		many.Packets = append(many.Packets, large())
	}
	_, err = both.EncodeFrom(Server, many, headed(FormZlib, 0))
	must(err != nil && err.(*Error).Kind == "inflated_too_long", err)
	// No more than 65,536 packets in one.
	empty := note("", 0)
	crowd := &Packets{ID: 5, Packets: make([]*Packet, 65_537)}
	for i := range crowd.Packets {
		crowd.Packets[i] = empty
	}
	_, err = both.EncodeFrom(Server, crowd, headed(FormZlib, 0))
	refusedWith(err, "too_long", "packets")
	crowd.Packets = crowd.Packets[1:]
	_, err = both.EncodeFrom(Server, crowd, headed(FormZlib, 0))
	must(err == nil, err)
}
