// SPDX-License-Identifier: Apache-2.0

package main

// A part of the adapter of Features in the tests.

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
)

func init() { questions["values"] = values }

func isRefused(m Message, header *Header, kind, path string) {
	b, err := Encode(m, header)
	must(b == nil && err != nil, "nothing is refused", kind, path)
	e := err.(*Error)
	must(e.Kind == kind && e.Path == path && e.Offset == -1, err)
	before := []byte{1, 2}
	b, err = Append(before, m, header)
	must(bytes.Equal(b, before) && err != nil)
}

// values gives wrong values to the package.
func values() {
	// Numbers that their types hold, and their formats do not.
	isRefused(&Cs_1{U24: 1 << 24}, nil, "out_of_range", "Cs_1.u24")
	isRefused(&Cs_1{I24: -1<<23 - 1}, nil, "out_of_range", "Cs_1.i24")
	isRefused(&Ranges{Level: 10, Offset: 6}, nil, "out_of_range", "Ranges.level")
	isRefused(&Ranges{Level: 1, Ratio: float32(math.NaN())}, nil, "float_out_of_range", "Ranges.ratio")
	noisy := math.Float64frombits(0xFFF0000000000001)
	b, err := Encode(&Cs_1{F32: float32(noisy), F64: noisy}, nil)
	must(err == nil && bytes.Contains(b, []byte("\x00\x00\xC0\x7F\x00\x00\x00\x00\x00\x00\xF8\x7F")), b)

	// Text that is no UTF-8.
	isRefused(&Texts{Plain: "\xED\xA0\x80"}, nil, "invalid_utf8", "Texts.plain")
	isRefused(&WideText{Plain: "\xFF"}, nil, "invalid_utf8", "WideText.plain")
	isRefused(&Texts{Plain: strings.Repeat("x", 256)}, nil, "too_long", "Texts.plain")
	isRefused(&Texts{Ended: "a\x00"}, nil, "embedded_terminator", "Texts.ended")
	isRefused(&Lines{Lines: []Property{{"a", "1"}, {"a", "2"}}}, nil, "duplicate_key", "Lines.lines")
	isRefused(&Lines{Lines: []Property{{"a", "1\n"}}}, nil, "invalid_property", "Lines.lines")

	// Values that nest too deeply, and one that holds itself.
	tree := Tree{}
	for i := 0; i < 3; i++ {
		tree = Tree{Branches: []Tree{tree}}
	}
	isRefused(&Deep{Tree: tree}, nil, "too_deep", "Deep.tree.branches[0].branches[0].branches[0]")
	round := []Tree{{}, {}}
	round[0].Branches, round[1].Branches = round, round
	isRefused(&Deep{Trees: round}, nil, "too_deep", "Deep.trees[0].branches[0].branches[0].branches[0]")
	inner := AdditionInner{Value: make([]Addition, 1)}
	inner.Value[0] = inner
	isRefused(&Keeping{}, nil, "wrong_type", "Keeping.kept")
	isRefused(&Unions{Extra: inner}, nil, "too_deep", "Unions.extra.inner[0].inner[0].inner[0]")
	isRefused(&Keeping{Kept: KeptRest{Tag: 1}}, nil, "known_case", "Keeping.kept.rest")

	// What may be absent.
	isRefused(&Conditions{Named: true}, nil, "presence", "Conditions.name")
	grown := NewGrown()
	must(grown.Ratio == 1.5 && grown.Locale == "zh_CN" && grown.Mood == MoodAngry && grown.Rights == RightsHigh|RightsMute)
	grown.Campaign = new(string)
	isRefused(grown, nil, "gap_before_optional", "Grown.invited_by")

	// Messages and headers.
	var none *Cs_1
	isRefused(nil, nil, "wrong_type", "")
	isRefused(none, nil, "wrong_type", "Cs_1")
	var unknown *Unknown
	isRefused(unknown, nil, "wrong_type", "")
	isRefused(struct{ *Cs_1 }{}, nil, "unknown_message", "")
	isRefused(&Unknown{ID: 1 << 24}, nil, "invalid_message_id", "")
	header := NewHeader()
	must(header.Priority == -1)
	header.Session = 1 << 21
	isRefused(&Sc_2{}, header, "out_of_range", "packet.session")
	header.Session, header.Sequence = 0, 7
	b, err = Encode(&Sc_2{}, header)
	must(err == nil)
	packet, err := Decode(append(b, 1, 2, 3), Server)
	must(err == nil && packet.Size == len(b) && packet.Header.Sequence == 7)
	again, err := Append([]byte{9}, packet.Message, &packet.Header)
	must(err == nil && bytes.Equal(again[1:], b) && again[0] == 9)
	// What is appended does not change what stands there.
	room := make([]byte, 1, 1_000)
	again, err = Append(room, packet.Message, &packet.Header)
	must(err == nil && bytes.Equal(again[1:], b) && &again[0] == &room[0])

	// What is read is the caller's own.
	b, err = Encode(&Textual{Plain: []byte("abc"), Tail: []byte{1}}, nil)
	must(err == nil)
	packet, err = Decode(b, Server)
	must(err == nil)
	for i := range b {
		b[i] = 0xEE
	}
	textual := packet.Message.(*Textual)
	must(string(textual.Plain) == "abc" && reflect.DeepEqual(textual.Tail, []byte{1}))

	// No bytes of a peer make it fail in another way, whatever message they are for.
	for id := uint64(0); id < 0x200; id++ {
		for _, x := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
			b, err := Encode(&Unknown{ID: id, Payload: bytes.Repeat([]byte{x}, 300)}, nil)
			must(err == nil, err)
			for _, sender := range []Sender{Client, Server} {
				packet, err := Decode(b, sender)
				must((packet == nil) == (err != nil))
			}
		}
	}

	// Secrets are not printed.
	hidden := &Hidden{Password: "secret"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		must(!strings.Contains(fmt.Sprintf(format, hidden)+fmt.Sprintf(format, *hidden), "secret"))
		must(!strings.Contains(fmt.Sprintf(format, Structures{Tight: Tight{Text: "secret"}}), "secret"))
	}
	must((&Error{"truncated", "A.b", 7}).Error() == "A.b: truncated at offset 7")
	fmt.Println("as expected")
}
