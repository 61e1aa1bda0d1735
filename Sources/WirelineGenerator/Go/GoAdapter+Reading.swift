// SPDX-License-Identifier: Apache-2.0

extension GoAdapter {
    /// JSON to messages.
    static func reading(hasPackets: Bool) -> String {
        #"""
        // JSON to messages

        func message(line object) (m Message, header *Header) {
        	name, ok := line.get("message", nil).(string)
        \#(hasPackets ? packets : "")\#
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
        			setInteger(caseOf(tables.Enumerations[index(i)], v), to, "unknown_name", path)
        		} else if i, ok := kind["flags"]; ok {
        			setFlags(tables.Flags[index(i)], v, to, path)
        		} else {
        			setUnion(index(kind["union"]), v, to, path)
        		}
        		return
        	}
        	switch kind {
        	case "integer", "wide":
        		setInteger(v, to, "not_an_integer", path)
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

        func caseOf(list choice, v interface{}) interface{} {
        	for _, c := range list.Cases {
        		if c.Name == v {
        			return json.Number(fmt.Sprint(c.Value))
        		}
        	}
        	return v
        }

        func setFlags(flags choice, v interface{}, to reflect.Value, path string) {
        	items, ok := v.([]interface{})
        	if !ok {
        		refuse("wrong_kind", path)
        	}
        	var sum uint64
        	for _, item := range items {
        		one := reflect.New(to.Type()).Elem()
        		setInteger(caseOf(flags, item), one, "unknown_name", path)
        		sum |= one.Uint()
        	}
        	to.SetUint(sum)
        }

        // setInteger sets a number; beyond 53 bits it is a string in JSON.
        func setInteger(v interface{}, to reflect.Value, kind, path string) {
        	digits, ok := v.(string)
        	if n, isNumber := v.(json.Number); isNumber {
        		digits, ok = n.String(), true
        	}
        	if !ok {
        		refuse("wrong_kind", path)
        	}
        	if rest := strings.TrimPrefix(digits, "-"); rest == "" || strings.Trim(rest, "0123456789") != "" {
        		refuse(kind, path)
        	}
        	if isSigned(to) {
        		n, err := strconv.ParseInt(digits, 10, to.Type().Bits())
        		if err != nil {
        			refuse("out_of_range", path)
        		}
        		to.SetInt(n)
        		return
        	}
        	n, err := strconv.ParseUint(strings.Replace(digits, "-0", "0", 1), 10, to.Type().Bits())
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
        	if isNumber && math.IsInf(float64(float32(f)), 0) && to.Kind() == reflect.Float32 {
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

        """#
    }

    /// The statements for packets in a packet.
    private static let packets = #"""
        	if list, isList := line.get("packets", nil).([]interface{}); !ok && isList {
        		m := &Packets{}
        		set("wide", line.get("id", json.Number("0")), reflect.ValueOf(&m.ID).Elem(), "id")
        		for _, item := range list {
        			inner, header := message(item.(object))
        			m.Packets = append(m.Packets, &Packet{Message: inner, Header: *header})
        		}
        		return m, settable(line, "", "header.")
        	}

        """#

    /// JSON in which objects keep the order of their members, and numbers all digits.
    static let json = #"""
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

        """#
}
