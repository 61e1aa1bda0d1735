// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapter of Minecraft in the tests: whether a content is compressed.

import (
	"fmt"
	"strings"
)

func init() { questions["threshold"] = threshold }

func threshold() {
	text := strings.Repeat("again and again ", 20)
	count := func(c *Connection, text string, header *Header) uint64 {
		b, err := c.Encode(&Chat{Text: text}, header)
		must(err == nil, err)
		packet, err := (&Connection{Compressed: true}).Decode(b, Client)
		must(err == nil && packet.Message.(*Chat).Text == text, err)
		must((len(b) < len(text)) == (len(text) > 100 && *packet.Header.DataLength > 0))
		return *packet.Header.DataLength
	}
	// Without a threshold, the program says which packets are compressed.
	plain := &Connection{Compressed: true}
	must(count(plain, text, nil) == 0)
	header := NewHeader()
	asked := uint64(1)
	header.DataLength = &asked
	must(count(plain, text, header) == 323)
	must(count(plain, "a", header) == 3)
	must(asked == 1)
	for _, most := range []int{0, 323, 324} {
		most := most
		own := &Connection{Compressed: true, Threshold: &most}
		must((count(own, text, nil) == 323) == (most <= 323), most)
		must((count(own, "a", nil) == 3) == (most == 0), most)
		none := uint64(0)
		header.DataLength = &none
		must(count(own, text, header) == 0)
	}
	fmt.Println("as expected")
}
