// SPDX-License-Identifier: Apache-2.0

// Compares the generated code of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
// The other code uses encoding/binary, and makes a slice for each packet. It checks what a packet of this message must be: its length
// and its ID, whether it has arrived whole, that nothing is missing or left over, and that text is UTF-8. It makes no header.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var duration time.Duration

func main() {
	milliseconds, err := strconv.Atoi(os.Args[1])
	must(err)
	duration = time.Duration(milliseconds) * time.Millisecond
	for _, size := range []int{16, 1024} {
		message := &Sc_20001{
			Res: 1, SceneID: 70000, Pos: 2, Status: 10, Type: 3, DefaultCombat: 4000000000, Message: strings.Repeat("x", size),
		}
		packet, err := Encode(message, nil)
		must(err)
		byHand, err := encodeByHand(message)
		must(err)
		require(bytes.Equal(packet, byHand), "both write the same bytes")
		read, err := Decode(packet, Server)
		must(err)
		readByHand, err := decodeByHand(packet)
		must(err)
		for _, other := range []*Sc_20001{read.Message.(*Sc_20001), readByHand} {
			require(isSame(message, other), "both read the same message")
		}
		measure("encode", size, "wireline", func() { sink, _ = Encode(message, nil) })
		measure("encode", size, "by hand", func() { sink, _ = encodeByHand(message) })
		measure("decode", size, "wireline", func() { received, _ = Decode(packet, Server) })
		measure("decode", size, "by hand", func() { decoded, _ = decodeByHand(packet) })
	}
}

// They keep the compiler from leaving work out.
var sink []byte
var decoded *Sc_20001
var received *Packet

func measure(name string, size int, implementation string, work func()) {
	for count := 1; ; {
		start := time.Now()
		for i := 0; i < count; i++ {
			work()
		}
		elapsed := time.Since(start)
		if elapsed >= duration {
			fmt.Printf("%s_%d\t%s\t%f\n", name, size, implementation, float64(elapsed.Nanoseconds())/float64(count))
			return
		}
		factor := float64(duration) * 1.1 / float64(elapsed+1000)
		if factor > 100 {
			factor = 100
		}
		if more := int(float64(count) * factor); more > count {
			count = more
		} else {
			count++
		}
	}
}

func encodeByHand(m *Sc_20001) ([]byte, error) {
	if len(m.Message) > 65535 || !utf8.ValidString(m.Message) {
		return nil, errText
	}
	b := make([]byte, 20+len(m.Message))
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	binary.BigEndian.PutUint16(b[4:], 20001)
	b[6] = m.Res
	binary.BigEndian.PutUint32(b[7:], m.SceneID)
	b[11], b[12], b[13] = m.Pos, m.Status, m.Type
	binary.BigEndian.PutUint32(b[14:], m.DefaultCombat)
	binary.BigEndian.PutUint16(b[18:], uint16(len(m.Message)))
	copy(b[20:], m.Message)
	return b, nil
}

var errLength, errID, errText = errors.New("length"), errors.New("id"), errors.New("text")

// decodeByHand returns nil without an error if the packet has not arrived whole.
func decodeByHand(b []byte) (*Sc_20001, error) {
	if len(b) < 6 {
		return nil, nil
	}
	length := binary.BigEndian.Uint32(b)
	if length < 6 || length > 1<<20 {
		return nil, errLength
	}
	if len(b) < int(length) {
		return nil, nil
	}
	if binary.BigEndian.Uint16(b[4:]) != 20001 {
		return nil, errID
	}
	b = b[:length]
	if length < 20 || int(length) != 20+int(binary.BigEndian.Uint16(b[18:])) || !utf8.Valid(b[20:]) {
		return nil, errText
	}
	return &Sc_20001{
		Res: b[6], SceneID: binary.BigEndian.Uint32(b[7:]), Pos: b[11], Status: b[12], Type: b[13],
		DefaultCombat: binary.BigEndian.Uint32(b[14:]), Message: string(b[20:]),
	}, nil
}

func isSame(a, b *Sc_20001) bool {
	return a.Res == b.Res && a.SceneID == b.SceneID && a.Pos == b.Pos && a.Status == b.Status && a.Type == b.Type &&
		a.DefaultCombat == b.DefaultCombat && a.Message == b.Message
}

func must(err error) { require(err == nil, fmt.Sprint(err)) }

func require(isTrue bool, what string) {
	if !isTrue {
		panic(what)
	}
}
