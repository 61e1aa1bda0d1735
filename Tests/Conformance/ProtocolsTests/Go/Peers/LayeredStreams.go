// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapter of Streams in the tests: a part of a message, which is not read, sets no state, whatever its ID; the message does.

import "fmt"

func init() { questions["parts"] = parts }

func parts() {
	sender, receiver := &Connection{}, &Connection{}
	send := func(payload []byte, kind uint8) Message {
		header := NewHeader()
		header.Kind = kind
		b, err := sender.EncodeFrom(Client, &Unknown{ID: 2, Payload: payload}, header)
		must(err == nil, err)
		packet, err := receiver.Decode(b, Client)
		must(err == nil, err)
		return packet.Message
	}
	part, ok := send([]byte("part"), 8).(*Unknown)
	must(ok && string(part.Payload) == "part" && sender.Phase == 0 && receiver.Phase == 0)
	_, ok = send(nil, 0).(*Pause)
	must(ok && sender.Phase == 1 && receiver.Phase == 1)
	fmt.Println("as expected")
}
