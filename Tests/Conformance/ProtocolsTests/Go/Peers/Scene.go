// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapter of Scene in the tests.

import (
	"bytes"
	"fmt"
)

func init() { questions["bytewise"] = bytewise }

// bytewise counts how often a splitter tries to read a packet of nearly 1 MiB that arrives byte by byte, and how many bytes it moves.
func bytewise() {
	packet, err := Encode(&Unknown{ID: 7, Payload: make([]byte, 1_000_000)}, nil)
	must(err == nil)
	tries, moved, found := 0, 0, 0
	splitter := NewSplitter(Client)
	for i := 0; i < 2*len(packet); i++ {
		room, wanted := cap(splitter.buffer), splitter.wanted
		splitter.Push(packet[i%len(packet) : i%len(packet)+1])
		if cap(splitter.buffer) != room {
			moved += len(splitter.buffer)
		}
		if one, _ := splitter.Next(); one != nil {
			found++
		}
		if splitter.wanted != wanted {
			tries++
		}
	}
	must(found == 2, found)
	must(tries < 20 && moved < 4*len(packet), tries, "tries,", moved, "bytes moved")
	// Many packets that are taken one at a time do not move either.
	small, err := Encode(&Unknown{ID: 7, Payload: []byte{1}}, nil)
	must(err == nil)
	moved = 0
	for i := 0; i < 2_000; i++ {
		room, start := cap(splitter.buffer), splitter.start
		splitter.Push(bytes.Repeat(small, 2))
		if cap(splitter.buffer) != room || splitter.start < start {
			moved += len(splitter.buffer)
		}
		splitter.Next()
	}
	must(moved < 100*len(small)*2_000, moved)
	fmt.Println("linear")
}
