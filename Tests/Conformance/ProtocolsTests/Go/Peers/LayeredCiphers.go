// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapter of Ciphers in the tests: connections whose packets share keystreams.

import (
	"fmt"
	"strings"
)

func init() { questions["keystreams"] = keystreams }

func cipherKeys() map[string][]byte {
	return map[string][]byte{
		"StreamKey": {1, 2, 3}, "blockKey": make([]byte, 32), "blockStart": make([]byte, 16), "counterKey": make([]byte, 24),
		"counterStart": []byte(strings.Repeat("\xff", 16)),
	}
}

func ciphered() *Connection {
	made := &Connection{}
	for name, key := range cipherKeys() {
		must(made.SetKey(name, key) == nil)
	}
	return made
}

func refusedWith(err error, kind, path string) {
	e, ok := err.(*Error)
	must(ok && e.Kind == kind && e.Path == path && e.Offset == -1, err)
}

func keystreams() {
	writer, reader := ciphered(), ciphered()
	streamed := NewHeader()
	streamed.Streamed = true
	send := func(text string) []byte {
		b, err := writer.EncodeFrom(Client, &Say{Text: text}, streamed)
		must(err == nil, err)
		return b
	}
	receive := func(b []byte) string {
		packet, err := reader.Decode(b, Client)
		must(err == nil && packet != nil, err)
		return packet.Message.(*Say).Text
	}
	must(receive(send("one")) == "one")
	// A packet that fails moves no keystream, neither when writing nor when reading.
	group := NewHeader()
	group.Kind = KindGroup
	part := func(text string) *Packet { return &Packet{Message: &Say{Text: text}, Header: *streamed} }
	_, err := writer.EncodeFrom(Client, &Packets{ID: 9, Packets: []*Packet{part("ok"), part(strings.Repeat("x", 70_000))}}, group)
	refusedWith(err, "too_long", "packets[1].Say.text")
	second := send("two")
	for i := range second {
		damaged := append([]byte{}, second...)
		damaged[i] ^= 64
		packet, _ := reader.Decode(damaged, Client)
		must(packet == nil, i)
	}
	must(receive(second) == "two")
	// The other side has keystreams of its own.
	answer, err := reader.EncodeFrom(Server, &Say{Text: "three"}, streamed)
	must(err == nil, err)
	packet, err := writer.Decode(answer, Server)
	must(err == nil && packet.Message.(*Say).Text == "three", err)
	// A key that is set again begins its keystream anew, for one side or for both.
	must(writer.SetKey("StreamKey", cipherKeys()["StreamKey"], Server) == nil)
	must(receive(send("four")) == "four")
	must(writer.SetKey("StreamKey", cipherKeys()["StreamKey"], Client) == nil)
	must(reader.SetKey("StreamKey", cipherKeys()["StreamKey"]) == nil)
	must(receive(send("five")) == "five")
	must(writer.SetKey("StreamKey", cipherKeys()["StreamKey"], Client) == nil)
	packet, err = reader.Decode(send("six"), Client)
	// With another keystream the ID, which is inside of the layers, is one that the schema does not have.
	must(err == nil && packet.Message.MessageName() == "", err)
	// A key of the program may change after it was given.
	key := []byte{1, 2, 3}
	must(writer.SetKey("StreamKey", key) == nil && reader.SetKey("StreamKey", key) == nil)
	key[0] = 9
	must(receive(send("seven")) == "seven")

	refusedWith(writer.SetKey("streamKey", nil), "unknown_key", "key.streamKey")
	refusedWith(writer.SetKey("blockKey", make([]byte, 17)), "wrong_key", "key.blockKey")
	refusedWith(writer.SetKey("StreamKey", nil), "wrong_key", "key.StreamKey")
	blocks := NewHeader()
	blocks.Blocks = true
	without := &Connection{}
	_, err = without.EncodeFrom(Client, &Say{}, blocks)
	refusedWith(err, "layer_unavailable", "packet.counterKey")
	must(without.SetKey("counterKey", make([]byte, 16)) == nil)
	_, err = without.EncodeFrom(Client, &Say{}, blocks)
	refusedWith(err, "layer_unavailable", "packet.counterKey")
	must(without.SetKey("counterStart", make([]byte, 16), Client) == nil)
	_, err = without.EncodeFrom(Client, &Say{}, blocks)
	refusedWith(err, "layer_unavailable", "packet.blockKey")
	_, err = without.EncodeFrom(Client, &Say{}, nil)
	must(err == nil, err)
	_, err = without.EncodeFrom(Server, &Say{}, nil)
	refusedWith(err, "layer_unavailable", "packet.counterKey")
	fmt.Println("as expected")
}
