// SPDX-License-Identifier: Apache-2.0

package main

// A part of each adapter in the tests. It sends streams through the generated splitter, cut in many ways. Each line of input is a stream:
// {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places ends.

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"runtime"
)

// questions are what tests ask; the program of all samples asks them.
var questions = map[string]func(){"streams": streams}

// SampleAsk answers one of them. No message is named like that.
func SampleAsk(question string) {
	load()
	questions[question]()
}

func must(good bool, about ...interface{}) {
	if !good {
		fmt.Fprintln(os.Stderr, about...)
		_, file, line, _ := runtime.Caller(1)
		fmt.Fprintln(os.Stderr, file, line)
		os.Exit(1)
	}
}

func streams() {
	input := bufio.NewReader(os.Stdin)
	count := 0
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			break
		}
		var s struct {
			From    string
			State   json.RawMessage
			Packets []string
			Ends    []int
			Bad     *string
			Seed    int64
		}
		must(json.Unmarshal(line, &s) == nil)
		sender := Client
		if s.From == "server" {
			sender = Server
		}
		packets := [][]byte{}
		for _, packet := range s.Packets {
			packets = append(packets, unhexed(packet))
		}
		var bad []byte
		if s.Bad != nil {
			bad = unhexed(*s.Bad)
		}
		check(sender, func() packetCoder { return newCoder(s.State) }, packets, s.Ends, bad, rand.New(rand.NewSource(s.Seed)))
		count++
	}
	fmt.Println(count, "streams")
}

// packetCoder is the package, or a connection of it; the file beside this one has newCoder.
type packetCoder interface {
	Decode(b []byte, sender Sender) (*Packet, error)
	EncodeFrom(sender Sender, m Message, header *Header) ([]byte, error)
	NewSplitter(sender Sender) *Splitter
	scan(data []byte, atEOF bool, sender Sender) (advance int, token []byte, err error)
}

func unhexed(s string) []byte {
	b, err := hex.DecodeString(s)
	must(err == nil)
	return b
}

// pieces cuts bytes into pieces of a size, or of random sizes.
func pieces(b []byte, size int, random *rand.Rand) [][]byte {
	var all [][]byte
	for len(b) > 0 {
		n := size
		if n == 0 {
			n = random.Intn(9)
		}
		if n > len(b) {
			n = len(b)
		}
		all = append(all, append([]byte{}, b[:n]...))
		b = b[n:]
	}
	return all
}

// splitAll is what a splitter gives for pieces; the pieces are overwritten, so that nothing may share them.
func splitAll(sender Sender, coder packetCoder, parts [][]byte) (*Splitter, []string, error) {
	splitter := coder.NewSplitter(sender)
	found := []string{}
	for _, part := range parts {
		splitter.Push(part)
		for i := range part {
			part[i] = 0xEE
		}
		for {
			packet, err := splitter.Next()
			if err != nil {
				// It stays failed.
				_, again := splitter.Next()
				must(again == err && splitter.Finish() == err)
				return splitter, found, err
			}
			if packet == nil {
				break
			}
			found = append(found, shown(packet))
		}
	}
	return splitter, found, nil
}

func shown(packet *Packet) string { return fmt.Sprint(packet.Size) + text(show(packet)) }

func check(sender Sender, begin func() packetCoder, packets [][]byte, ends []int, bad []byte, random *rand.Rand) {
	whole, coder := bytes.Join(packets, nil), begin()
	expected, starts := []string{}, []int{}
	for start := 0; start < len(whole); {
		packet, err := coder.Decode(whole[start:], sender)
		must(err == nil && packet != nil)
		expected, starts = append(expected, shown(packet)), append(starts, start)
		start += packet.Size
	}
	must(len(expected) == len(packets))
	for _, size := range []int{len(whole), 1, 0} {
		splitter, found, err := splitAll(sender, begin(), pieces(whole, size, random))
		must(err == nil && reflect.DeepEqual(found, expected) && splitter.Finish() == nil)
		if bad == nil {
			continue
		}
		faulty := append(append([]byte{}, whole...), bad...)
		if size > 1 {
			size = len(faulty)
		}
		_, found, err = splitAll(sender, begin(), pieces(faulty, size, random))
		must(reflect.DeepEqual(found, expected))
		_, alone := coder.Decode(faulty[len(whole):], sender)
		must(err != nil && alone != nil && *err.(*Error) == *alone.(*Error), err, alone)
	}
	for end := 0; end <= len(whole); end++ {
		splitter, _, err := splitAll(sender, begin(), [][]byte{append([]byte{}, whole[:end]...)})
		must(err == nil)
		mayEnd := false
		for _, known := range ends {
			mayEnd = mayEnd || known == end
		}
		fault := splitter.Finish()
		must((fault == nil) == mayEnd, end, fault)
		must(fault == nil || fault.(*Error).Kind == "end_of_stream" && fault.(*Error).Path == "", fault)
		must(fault == nil || splitter.Finish() == fault)
	}
	scan(sender, begin(), whole, len(packets), random)
	coder = begin()
	for _, packet := range packets {
		damage(sender, coder, packet, random)
	}
}

// oneByOne reads a few bytes at a time.
type oneByOne struct {
	b      []byte
	random *rand.Rand
}

func (o *oneByOne) Read(b []byte) (int, error) {
	n := 1 + o.random.Intn(5)
	if n > len(b) {
		n = len(b)
	}
	n = copy(b[:n], o.b)
	o.b = o.b[n:]
	if n == 0 {
		return 0, fmt.Errorf("the end")
	}
	return n, nil
}

// scan gives the stream to the standard library's scanner.
func scan(sender Sender, coder packetCoder, whole []byte, count int, random *rand.Rand) {
	scanner := bufio.NewScanner(&oneByOne{whole, random})
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) { return coder.scan(data, atEOF, sender) })
	var all []byte
	for scanner.Scan() {
		packet, err := coder.Decode(scanner.Bytes(), sender)
		must(err == nil && packet != nil && packet.Size == len(scanner.Bytes()))
		all = append(all, scanner.Bytes()...)
		count--
	}
	must(count == 0 && bytes.HasPrefix(whole, all), count)
	_, _, err := coder.scan(whole[:len(whole)-1], true, sender)
	must(err == nil || err.(*Error).Kind != "")
}

// damage changes a packet at random. Whatever comes of it, nothing panics, and no memory is taken for what is only announced.
func damage(sender Sender, coder packetCoder, packet []byte, random *rand.Rand) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const rounds = 300
	for i := 0; i < rounds; i++ {
		changed := append([]byte{}, packet...)
		for k := random.Intn(4); k >= 0; k-- {
			value := []byte{0, 1, 0x7F, 0x80, 0xFF, byte(random.Intn(256))}[random.Intn(6)]
			changed[random.Intn(len(changed))] = value
		}
		found, err := coder.Decode(changed[:random.Intn(len(changed)+1)], sender)
		must(found == nil || err == nil)
		if found != nil {
			// What was read can be written, or is refused.
			b, err := coder.EncodeFrom(sender, found.Message, &found.Header)
			must((b == nil) == (err != nil))
		}
	}
	runtime.ReadMemStats(&after)
	must(after.TotalAlloc-before.TotalAlloc < rounds*uint64(16_384+500*len(packet)), after.TotalAlloc-before.TotalAlloc)
}
