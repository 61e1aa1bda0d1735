// SPDX-License-Identifier: Apache-2.0

// Asks generated Go on behalf of wire conform: it converts JSON to messages and back, and finds fields by reflection, which generated
// code does not use. For its marks see runtime.go, in whose package it is complete.
package runtime

// #region imports
import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// #endregion

const LAYER_NAME = ""

// What follows stands for the tables that the generator makes.

const tablesJSON = "{}"

var messages, structures []func() interface{}

var arms [][]interface{}

// #region all
// #region connection
func encode(sender Sender, m Message, header *Header) ([]byte, error) {
	return connection.EncodeFrom(sender, m, header)
}

var connection = &Connection{}

// connect makes the connection of a question.
func connect(states object) *Connection {
	made := &Connection{}
	for _, s := range tables.States {
		given := states.get(s.Name, nil)
		if given == nil {
			continue
		}
		own := reflect.ValueOf(made).Elem().FieldByName(s.Own)
		text := fmt.Sprint(given)
		switch own.Kind() {
		case reflect.Bool:
			own.SetBool(text == "1" || text == "true")
		case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			number, _ := strconv.ParseInt(text, 10, 64)
			own.SetInt(number)
		default:
			number, _ := strconv.ParseUint(text, 10, 64)
			own.SetUint(number)
		}
	}
	return made
}

// #endregion
// #region !connection
//| // buffer is used again for each packet.
//| var buffer = make([]byte, 64)

//| func encode(sender Sender, m Message, header *Header) ([]byte, error) {
// #region sender
//| 	packet, err := EncodeFrom(sender, m, header)
//| 	appended, _ := AppendFrom(sender, buffer[:2], m, header)
// #endregion
// #region !sender
//| 	packet, err := Encode(m, header)
//| 	appended, _ := Append(buffer[:2], m, header)
// #endregion
//| 	if string(appended[2:]) != string(packet) {
//| 		panic("Append has made another packet")
//| 	}
//| 	return packet, err
//| }

// #endregion
// #region program
// absent is a layer that this program does not have.
type absent string

func (a absent) Open(sealed []byte, header *Header, limit int) ([]byte, error) { panic(a) }

func (a absent) Seal(content []byte, header *Header) ([]byte, error) { panic(a) }

// #endregion
type field struct {
	Name, Own                 string
	Type                      interface{}
	Optional, Since, Settable bool
}

type body struct {
	Name, Other string
	Fields      []field
	Trailing    string
}

type choice struct {
	Wide  bool
	Cases []struct {
		Name  string
		Value interface{}
	}
}

type union struct {
	Tag  interface{}
	Arms []field
}

var tables struct {
	// #region connection
	Header, States       []field
	Messages, Structures []body
	Unions               []union
	Enumerations, Flags  []choice
	// #endregion
	// #region !connection
	//| Header               []field
	//| Messages, Structures []body
	//| Unions               []union
	//| Enumerations, Flags  []choice
	// #endregion
}

type refused struct{ kind, path string }

func refuse(kind, path string) { panic(refused{kind, path}) }

func load() {
	decoder := json.NewDecoder(strings.NewReader(tablesJSON))
	decoder.UseNumber()
	if err := decoder.Decode(&tables); err != nil {
		panic(err)
	}
}

func main() {
	load()
	input := bufio.NewReader(os.Stdin)
	output := bufio.NewWriter(os.Stdout)
	for {
		line, err := input.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			output.WriteString(text(reply(line)) + "\n")
			output.Flush()
		}
		if err != nil {
			return
		}
	}
}

func reply(line string) (answer object) {
	parsed, err := parse(line)
	request, ok := parsed.(object)
	if err != nil || !ok {
		return object{{"id", nil}, {"reply", "skip"}, {"text", "this is no JSON"}}
	}
	id := member{"id", request.get("id", nil)}
	defer func() {
		switch e := recover().(type) {
		case nil:
		// #region program
		case absent:
			answer = object{id, {"reply", "skip"}, {"text", "this program does not have " + string(e)}}
		// #endregion
		case refused:
			answer = object{id, {"reply", "error"}, {"error", e.kind}, {"field", e.path}}
		default:
			panic(e)
		}
	}()
	sender := Client
	if request.get("from", nil) == "server" {
		sender = Server
	}
	// #region connection
	states, _ := request.get("state", nil).(object)
	connection = connect(states)
	// #region program
	connection.Layers = map[string]func(Sender) Layer{
		// #region each
		LAYER_NAME: func(Sender) Layer { return absent(LAYER_NAME) },
		// #endregion
	}
	// #endregion
	// #region keys
	keys, _ := request.get("keys", nil).(object)
	for _, key := range keys {
		name, senders := key.name, []Sender{}
		for sender, side := range []string{"client.", "server."} {
			if strings.HasPrefix(name, side) {
				name, senders = strings.TrimPrefix(name, side), []Sender{Sender(sender)}
			}
		}
		if err := connection.SetKey(name, unhex(key.value, ""), senders...); err != nil {
			return append(object{id}, failure(err, nil)...)
		}
	}
	// #endregion
	// #endregion
	switch request.get("ask", nil) {
	case "decode":
		// #region connection
		packet, err := connection.Decode(unhex(request.get("hex", ""), ""), sender)
		// #endregion
		// #region !connection
		//| packet, err := Decode(unhex(request.get("hex", ""), ""), sender)
		// #endregion
		if err != nil {
			return append(object{id}, failure(err, nil)...)
		}
		if packet == nil {
			return object{id, {"reply", "more"}}
		}
		return object{id, {"reply", "ok"}, {"count", raw(strconv.Itoa(packet.Size))}, {"line", show(packet)}}
	case "encode":
		line, _ := request.get("line", nil).(object)
		m, header := message(line)
		b, err := encode(sender, m, header)
		if err != nil {
			return append(object{id}, failure(err, line)...)
		}
		return object{id, {"reply", "ok"}, {"hex", hex.EncodeToString(b)}}
	}
	return object{id, {"reply", "skip"}, {"text", "this question is not known"}}
}

// named is the path of a fault in a line that was to be written. A fault of the header, or of the packet as a whole, is one of
// the message.
func named(path string, line object) string {
	own, _ := line.get("message", nil).(string)
	for _, known := range tables.Messages {
		name := known.Name
		if name != own && known.Other != own {
			continue
		}
		if path == "" {
			return name
		}
		if path == "packets" || path == "opaque" || strings.HasPrefix(path, "packet.") && name != "packet" {
			return name + "." + path
		}
		return path
	}
	list, _ := line.get("packets", nil).([]interface{})
	end := strings.Index(path, "]")
	if !strings.HasPrefix(path, "packets[") || end < 0 || list == nil {
		return path
	}
	index, _ := strconv.Atoi(path[len("packets["):end])
	inner, _ := list[index].(object)
	rest := named(strings.TrimPrefix(path[end+1:], "."), inner)
	if rest != "" {
		rest = "." + rest
	}
	return path[:end+1] + rest
}

func failure(err error, line object) object {
	e := err.(*Error)
	path := named(e.Path, line)
	answer := object{{"reply", "error"}, {"error", e.Kind}}
	if path != "" {
		answer = append(answer, member{"field", path})
	}
	if e.Offset >= 0 {
		answer = append(answer, member{"offset", raw(strconv.Itoa(e.Offset))})
	}
	return append(answer, member{"text", err.Error()})
}

// Messages to JSON

func show(packet *Packet) object {
	header := showFields(tables.Header, true, reflect.ValueOf(packet.Header))
	id := number(strconv.FormatUint(packet.Message.MessageID(), 10))
	if m, ok := packet.Message.(*Unknown); ok {
		return object{{"message", nil}, {"id", id}, {"header", header}, {"payload", hex.EncodeToString(m.Payload)}}
	}
	// #region packets
	if m, ok := packet.Message.(*Packets); ok {
		inner := []interface{}{}
		for _, packet := range m.Packets {
			inner = append(inner, show(packet))
		}
		return object{{"message", nil}, {"id", id}, {"header", header}, {"packets", inner}}
	}
	// #endregion
	name := packet.Message.MessageName()
	for _, known := range tables.Messages {
		if known.Name != name {
			continue
		}
		v := reflect.ValueOf(packet.Message).Elem()
		line := object{{"message", name}, {"id", id}, {"header", header}, {"fields", showFields(known.Fields, false, v)}}
		if known.Trailing != "" && !v.FieldByName(known.Trailing).IsNil() {
			line = append(line, member{"trailing", hex.EncodeToString(v.FieldByName(known.Trailing).Bytes())})
		}
		return line
	}
	panic("the tables do not have " + name)
}

// showFields shows what is there; in a header any field may be absent.
func showFields(list []field, isHeader bool, v reflect.Value) object {
	shown := object{}
	for _, f := range list {
		own := v.FieldByName(f.Own)
		if own.Kind() == reflect.Ptr {
			own = own.Elem()
		}
		mayBeNil := (f.Optional || isHeader) && (own.Kind() == reflect.Slice || own.Kind() == reflect.Interface)
		if own.IsValid() && !(mayBeNil && own.IsNil()) {
			shown = append(shown, member{f.Name, showValue(f.Type, own)})
		}
	}
	return shown
}

func showValue(kind interface{}, v reflect.Value) interface{} {
	if kind, ok := kind.(map[string]interface{}); ok {
		if item, ok := kind["list"]; ok {
			items := []interface{}{}
			for i := 0; i < v.Len(); i++ {
				items = append(items, showValue(item, v.Index(i)))
			}
			return items
		}
		if i, ok := kind["structure"]; ok {
			return showFields(tables.Structures[index(i)].Fields, false, v)
		}
		if i, ok := kind["enum"]; ok {
			return showCase(tables.Enumerations[index(i)], digits(v))
		}
		if i, ok := kind["flags"]; ok {
			return showFlags(tables.Flags[index(i)], bits(v))
		}
		i := index(kind["union"])
		v = v.Elem()
		for k, arm := range tables.Unions[i].Arms {
			if v.Type() != reflect.TypeOf(arms[i][k]) {
				continue
			}
			switch arm.Type {
			case nil:
				return object{{arm.Name, nil}}
			case "kept":
				tag := showValue(tables.Unions[i].Tag, v.FieldByName("Tag"))
				kept := base64.StdEncoding.EncodeToString(v.FieldByName("Bytes").Bytes())
				return object{{arm.Name, object{{"tag", tag}, {"bytes", kept}}}}
			}
			return object{{arm.Name, showValue(arm.Type, v.FieldByName("Value"))}}
		}
		panic("no arm")
	}
	switch kind {
	case "float32", "float64":
		return showFloat(v.Float())
	case "boolean":
		return v.Bool()
	case "string":
		return v.String()
	case "bytes":
		return base64.StdEncoding.EncodeToString(v.Bytes())
	case "properties":
		lines := object{}
		for i := 0; i < v.Len(); i++ {
			lines = append(lines, member{v.Index(i).Field(0).String(), v.Index(i).Field(1).String()})
		}
		return lines
	}
	return number(digits(v))
}

func showFloat(v float64) interface{} {
	switch {
	case v != v:
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0 && math.Signbit(v):
		return raw("-0.0")
	}
	return raw(strconv.FormatFloat(v, 'g', -1, 64))
}

func showCase(enum choice, v string) interface{} {
	for _, c := range enum.Cases {
		if fmt.Sprint(c.Value) == v {
			return c.Name
		}
	}
	return number(v)
}

// showFlags gives the names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
func showFlags(flags choice, v uint64) []interface{} {
	found := []interface{}{}
	var shown uint64
	for _, c := range flags.Cases {
		mask, _ := strconv.ParseUint(fmt.Sprint(c.Value), 10, 64)
		if v&mask == mask && mask&^shown != 0 {
			found = append(found, c.Name)
			shown |= mask
		}
	}
	if v&^shown != 0 {
		found = append(found, number(strconv.FormatUint(v&^shown, 10)))
	}
	return found
}

func index(v interface{}) int {
	i, _ := strconv.Atoi(fmt.Sprint(v))
	return i
}

func isSigned(v reflect.Value) bool { return v.Kind() >= reflect.Int && v.Kind() <= reflect.Int64 }

func digits(v reflect.Value) string {
	if isSigned(v) {
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

func bits(v reflect.Value) uint64 {
	if isSigned(v) {
		return uint64(v.Int())
	}
	return v.Uint()
}

// JSON to messages

func message(line object) (m Message, header *Header) {
	name, ok := line.get("message", nil).(string)
	// #region packets
	if list, isList := line.get("packets", nil).([]interface{}); !ok && isList {
		m := &Packets{}
		set("wide", line.get("id", json.Number("0")), reflect.ValueOf(&m.ID).Elem(), "id")
		for _, item := range list {
			inner, header := message(item.(object))
			m.Packets = append(m.Packets, &Packet{Message: inner, Header: *header})
		}
		return m, settable(line, "", "header.")
	}
	// #endregion
	if !ok {
		m := &Unknown{Payload: unhex(line.get("payload", ""), "")}
		set("wide", line.get("id", json.Number("0")), reflect.ValueOf(&m.ID).Elem(), "id")
		return m, settable(line, "", "header.")
	}
	for i, known := range tables.Messages {
		if known.Name != name && known.Other != name {
			continue
		}
		m := messages[i]()
		v := reflect.ValueOf(m).Elem()
		setFields(known.Fields, line.get("fields", object{}), v, name)
		if trailing := line.get("trailing", nil); known.Trailing != "" && trailing != nil {
			v.FieldByName(known.Trailing).SetBytes(unhex(trailing, ""))
		}
		return m.(Message), settable(line, name+".packet.", name+".header.")
	}
	refuse("unknown_message", name)
	return
}

func settable(line object, place, path string) *Header {
	given, _ := line.get("header", object{}).(object)
	header := NewHeader()
	for _, f := range tables.Header {
		if v := given.get(f.Name, nil); f.Settable && v != nil {
			setHeader(f, v, reflect.ValueOf(header).Elem().FieldByName(f.Own), place, path)
		}
	}
	return header
}

// setHeader sets a field of the header. What its type cannot hold is told as the packet's.
func setHeader(f field, v interface{}, to reflect.Value, place, path string) {
	defer func() {
		if e := recover(); e != nil {
			if e, ok := e.(refused); ok && e.kind == "out_of_range" {
				refuse(e.kind, place+f.Name)
			}
			panic(e)
		}
	}()
	set(f.Type, v, pointed(to), path+f.Name)
}

// pointed makes what a field that may be absent points to.
func pointed(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Ptr {
		return v
	}
	v.Set(reflect.New(v.Type().Elem()))
	return v.Elem()
}

func setFields(list []field, v interface{}, to reflect.Value, path string) {
	given, ok := v.(object)
	if !ok {
		refuse("wrong_kind", path)
	}
	for _, m := range given {
		isKnown := false
		for _, f := range list {
			isKnown = isKnown || f.Name == m.name
		}
		if !isKnown {
			refuse("unknown_key", path)
		}
	}
	for _, f := range list {
		v, isThere := given.find(f.Name)
		own := to.FieldByName(f.Own)
		if f.Optional && v == nil {
			own.Set(reflect.Zero(own.Type()))
			continue
		}
		if f.Since && !isThere {
			continue
		}
		if !isThere {
			refuse("missing", path+"."+f.Name)
		}
		set(f.Type, v, pointed(own), path+"."+f.Name)
	}
}

func set(kind, v interface{}, to reflect.Value, path string) {
	if kind, ok := kind.(map[string]interface{}); ok {
		if item, ok := kind["list"]; ok {
			setList(item, v, to, path)
		} else if i, ok := kind["structure"]; ok {
			made := reflect.ValueOf(structures[index(i)]()).Elem()
			setFields(tables.Structures[index(i)].Fields, v, made, path)
			to.Set(made)
		} else if i, ok := kind["enum"]; ok {
			setCase(tables.Enumerations[index(i)], v, to, path)
		} else if i, ok := kind["flags"]; ok {
			setFlags(tables.Flags[index(i)], v, to, path)
		} else {
			setUnion(index(kind["union"]), v, to, path)
		}
		return
	}
	switch kind {
	case "integer", "wide":
		setInteger(v, to, kind == "wide", path)
	case "float32", "float64":
		setFloat(v, to, path)
	case "boolean":
		b, ok := v.(bool)
		if !ok {
			refuse("wrong_kind", path)
		}
		to.SetBool(b)
	case "bytes":
		b, err := base64.StdEncoding.DecodeString(words(v, path))
		if err != nil || base64.StdEncoding.EncodeToString(b) != v {
			refuse("wrong_kind", path)
		}
		to.SetBytes(append([]byte{}, b...))
	case "properties":
		lines, ok := v.(object)
		if !ok {
			refuse("wrong_kind", path)
		}
		to.Set(reflect.MakeSlice(to.Type(), len(lines), len(lines)))
		for i, m := range lines {
			to.Index(i).Field(0).SetString(m.name)
			to.Index(i).Field(1).SetString(words(m.value, path))
		}
	default:
		to.SetString(words(v, path))
	}
}

func words(v interface{}, path string) string {
	s, ok := v.(string)
	if !ok {
		refuse("wrong_kind", path)
	}
	return s
}

func setList(item, v interface{}, to reflect.Value, path string) {
	items, ok := v.([]interface{})
	if !ok {
		refuse("wrong_kind", path)
	}
	if to.Kind() == reflect.Slice {
		to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
	} else if to.Len() != len(items) {
		refuse("wrong_item_count", path)
	}
	for i, v := range items {
		set(item, v, to.Index(i), path+"["+strconv.Itoa(i)+"]")
	}
}

func setUnion(i int, v interface{}, to reflect.Value, path string) {
	given, ok := v.(object)
	if !ok || len(given) != 1 {
		refuse("not_one_arm", path)
	}
	for k, arm := range tables.Unions[i].Arms {
		if arm.Name != given[0].name {
			continue
		}
		made := reflect.New(reflect.TypeOf(arms[i][k])).Elem()
		path += "." + arm.Name
		switch arm.Type {
		case nil:
			if given[0].value != nil {
				refuse("wrong_kind", path)
			}
		case "kept":
			list := []field{{Name: "tag", Own: "Tag", Type: tables.Unions[i].Tag}, {Name: "bytes", Own: "Bytes", Type: "bytes"}}
			setFields(list, given[0].value, made, path)
		default:
			set(arm.Type, given[0].value, made.FieldByName("Value"), path)
		}
		to.Set(made)
		return
	}
	refuse("unknown_key", path)
}

func setCase(list choice, v interface{}, to reflect.Value, path string) {
	for _, c := range list.Cases {
		if c.Name == v {
			setInteger(json.Number(fmt.Sprint(c.Value)), to, true, path)
			return
		}
	}
	if text, ok := v.(string); ok && !isInteger(text) {
		refuse("unknown_name", path)
	}
	setInteger(v, to, list.Wide, path)
}

func setFlags(flags choice, v interface{}, to reflect.Value, path string) {
	items, ok := v.([]interface{})
	if !ok {
		refuse("wrong_kind", path)
	}
	var sum uint64
	for _, item := range items {
		one := reflect.New(to.Type()).Elem()
		setCase(flags, item, one, path)
		sum |= one.Uint()
	}
	to.SetUint(sum)
}

func isInteger(text string) bool {
	magnitude := strings.TrimPrefix(text, "-")
	return strings.Trim(magnitude, "0123456789") == "" && (magnitude == "0" || magnitude != "" && magnitude[0] != '0')
}

// setInteger sets a number; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits.
func setInteger(v interface{}, to reflect.Value, isWide bool, path string) {
	digits, ok := v.(string)
	if n, isNumber := v.(json.Number); isNumber {
		digits, isWide, ok = n.String(), true, true
	}
	if !ok || !isWide {
		refuse("wrong_kind", path)
	}
	if !isInteger(digits) {
		refuse("not_an_integer", path)
	}
	magnitude, most := strings.TrimPrefix(digits, "-"), "170141183460469231731687303715884105727"
	if magnitude != digits {
		most = "170141183460469231731687303715884105728"
	}
	if len(magnitude) > len(most) || len(magnitude) == len(most) && magnitude > most {
		refuse("number_too_large", path)
	}
	if isSigned(to) {
		n, err := strconv.ParseInt(digits, 10, to.Type().Bits())
		if err != nil {
			refuse("out_of_range", path)
		}
		to.SetInt(n)
		return
	}
	if magnitude == "0" {
		digits = "0"
	}
	n, err := strconv.ParseUint(digits, 10, to.Type().Bits())
	if err != nil {
		refuse("out_of_range", path)
	}
	to.SetUint(n)
}

func setFloat(v interface{}, to reflect.Value, path string) {
	n, isNumber := v.(json.Number)
	digits := n.String()
	if v == "NaN" || v == "Infinity" || v == "-Infinity" {
		digits = v.(string)
	} else if !isNumber {
		refuse("wrong_kind", path)
	}
	f, _ := strconv.ParseFloat(digits, 64)
	isShort := to.Kind() == reflect.Float32
	if isNumber && (math.IsInf(f, 0) || isShort && math.IsInf(float64(float32(f)), 0)) {
		refuse("number_too_large", path)
	}
	to.SetFloat(f)
}

func unhex(v interface{}, path string) []byte {
	b, err := hex.DecodeString(words(v, path))
	if err != nil {
		refuse("wrong_kind", path)
	}
	return b
}

// JSON, in which objects keep the order of their members, and numbers all digits

type member struct {
	name  string
	value interface{}
}

type object []member

// raw is printed as it is.
type raw string

func (o object) find(name string) (interface{}, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].value, true
		}
	}
	return nil, false
}

func (o object) get(name string, usual interface{}) interface{} {
	if v, ok := o.find(name); ok {
		return v
	}
	return usual
}

func parse(line string) (interface{}, error) {
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	return parsed(decoder)
}

func parsed(decoder *json.Decoder) (interface{}, error) {
	token, err := decoder.Token()
	switch token {
	case json.Delim('['):
		items := []interface{}{}
		for decoder.More() {
			v, err := parsed(decoder)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		_, err = decoder.Token()
		return items, err
	case json.Delim('{'):
		members := object{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			v, err := parsed(decoder)
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			members = append(members, member{name, v})
		}
		_, err = decoder.Token()
		return members, err
	}
	return token, err
}

// number is a string beyond 53 bits.
func number(digits string) interface{} {
	if n, err := strconv.ParseInt(digits, 10, 64); err != nil || n > 1<<53-1 || n < -(1<<53-1) {
		return digits
	}
	return raw(digits)
}

func text(v interface{}) string {
	switch v := v.(type) {
	case object:
		members := []string{}
		for _, m := range v {
			members = append(members, text(m.name)+":"+text(m.value))
		}
		return "{" + strings.Join(members, ",") + "}"
	case []interface{}:
		items := []string{}
		for _, item := range v {
			items = append(items, text(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	case raw:
		return string(v)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// #endregion
