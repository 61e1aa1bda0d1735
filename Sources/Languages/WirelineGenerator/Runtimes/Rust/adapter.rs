// SPDX-License-Identifier: Apache-2.0

//! Asks generated Rust on behalf of `wire conform`: it converts JSON to messages and back. For its marks see `runtime.rs`, beside which
//! it is complete.

#![allow(dead_code, unused_imports, unused_macros)]

#[path = "runtime.rs"]
mod module;

// What follows stands for what the generator makes: the tables, and how fields are found by their number.

const TABLES: &str = "{}";

body!(Header {});
body!(Connection {});

packets!(ClientPacket {});
packets!(ServerPacket {});

// #region all
/// A value in JSON. Objects keep the order of their members, and numbers all digits.
#[derive(Debug, Clone, PartialEq)]
enum Json {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members.iter().rev().find(|member| member.0 == name).map_or(&NULL, |member| &member.1),
            _ => &NULL,
        }
    }

    fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    fn text(&self) -> &str {
        match self {
            Json::Text(text) | Json::Number(text) => text,
            _ => "",
        }
    }

    fn index(&self) -> usize {
        self.text().parse().unwrap_or(0)
    }

    fn expected<T>(value: Option<T>, path: &str) -> Result<T, Refusal> {
        value.ok_or_else(|| Refusal::new("wrong_kind", path))
    }

    fn as_text(&self, path: &str) -> Result<&str, Refusal> {
        Json::expected(if let Json::Text(text) = self { Some(text) } else { None }, path)
    }

    fn as_list(&self, path: &str) -> Result<&[Json], Refusal> {
        Json::expected(if let Json::List(items) = self { Some(items) } else { None }, path)
    }

    fn as_object(&self, path: &str) -> Result<&[(String, Json)], Refusal> {
        Json::expected(if let Json::Object(members) = self { Some(members) } else { None }, path)
    }

    fn of(text: &str) -> Json {
        Json::Text(text.to_string())
    }

    /// A number; beyond 53 bits it is a string.
    fn number(number: i128) -> Json {
        let digits = number.to_string();
        if number.abs() < 1 << 53 { Json::Number(digits) } else { Json::Text(digits) }
    }

    fn print(&self, to: &mut String) {
        match self {
            Json::Null => *to += "null",
            Json::Boolean(value) => *to += if *value { "true" } else { "false" },
            Json::Number(digits) => *to += digits,
            Json::Text(text) => quote(text, to),
            Json::List(items) => {
                to.push('[');
                for (i, item) in items.iter().enumerate() {
                    *to += if i > 0 { "," } else { "" };
                    item.print(to);
                }
                to.push(']');
            }
            Json::Object(members) => {
                to.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    *to += if i > 0 { "," } else { "" };
                    quote(name, to);
                    to.push(':');
                    value.print(to);
                }
                to.push('}');
            }
        }
    }
}

fn quote(text: &str, to: &mut String) {
    to.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => to.extend(['\\', c]),
            ' '..='~' => to.push(c),
            _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| *to += &format!("\\u{unit:04x}")),
        }
    }
    to.push('"');
}

/// Reads JSON; what is none is `None`.
struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    fn whole(text: &str) -> Option<Json> {
        let mut parser = Parser { rest: text.as_bytes() };
        let value = parser.value()?;
        parser.skip();
        parser.rest.is_empty().then_some(value)
    }

    fn skip(&mut self) {
        let count = self.rest.iter().take_while(|x| x.is_ascii_whitespace()).count();
        self.rest = &self.rest[count..];
    }

    fn take(&mut self, mark: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(mark.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Option<Json> {
        if self.take("null") {
            return Some(Json::Null);
        }
        if self.take("true") {
            return Some(Json::Boolean(true));
        }
        if self.take("false") {
            return Some(Json::Boolean(false));
        }
        if self.take("\"") {
            return self.string().map(Json::Text);
        }
        if self.take("[") {
            let mut items = Vec::new();
            while !self.take("]") {
                if !items.is_empty() && !self.take(",") {
                    return None;
                }
                items.push(self.value()?);
            }
            return Some(Json::List(items));
        }
        if self.take("{") {
            let mut members = Vec::new();
            while !self.take("}") {
                if !members.is_empty() && !self.take(",") || !self.take("\"") {
                    return None;
                }
                let name = self.string()?;
                if !self.take(":") {
                    return None;
                }
                members.push((name, self.value()?));
            }
            return Some(Json::Object(members));
        }
        let count = self.rest.iter().position(|x| !b"+-.0123456789eE".contains(x)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        (count > 0).then(|| Json::Number(String::from_utf8_lossy(digits).into_owned()))
    }

    fn string(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            let (x, rest) = self.rest.split_first()?;
            self.rest = rest;
            match *x {
                b'"' => return String::from_utf8(bytes).ok(),
                b'\\' => {
                    let (x, rest) = self.rest.split_first()?;
                    self.rest = rest;
                    match *x {
                        b'n' => bytes.push(b'\n'),
                        b't' => bytes.push(b'\t'),
                        b'r' => bytes.push(b'\r'),
                        b'b' => bytes.push(8),
                        b'f' => bytes.push(12),
                        b'u' => {
                            let mut units = vec![self.unit()?];
                            if (0xD800..0xDC00).contains(&units[0]) && self.rest.starts_with(b"\\u") {
                                self.rest = &self.rest[2..];
                                units.push(self.unit()?);
                            }
                            bytes.extend(String::from_utf16(&units).ok()?.as_bytes());
                        }
                        x => bytes.push(x),
                    }
                }
                x => bytes.push(x),
            }
        }
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = std::str::from_utf8(self.rest.get(..4)?).ok()?;
        self.rest = &self.rest[4..];
        u16::from_str_radix(digits, 16).ok()
    }
}

fn hex(bytes: &[u8]) -> Json {
    Json::Text(bytes.iter().map(|x| format!("{x:02x}")).collect())
}

fn unhex(given: &Json, path: &str) -> Result<Vec<u8>, Refusal> {
    let digits: Option<Vec<u8>> = given.as_text(path)?.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = Json::expected(digits.filter(|digits| digits.len() % 2 == 0), path)?;
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, x| bits << 8 | u32::from(*x)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            text.push(if i > chunk.len() { '=' } else { BASE64[(bits >> (18 - 6 * i)) as usize & 63] as char });
        }
    }
    text
}

fn unbase64(given: &Json, path: &str) -> Result<Vec<u8>, Refusal> {
    let text = given.as_text(path)?;
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for x in text.trim_end_matches('=').bytes() {
        let digit = Json::expected(BASE64.iter().position(|known| *known == x), path)?;
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    // Other texts for the same bytes are refused.
    refuse_unless(base64(&bytes) == text, "wrong_kind", path)?;
    Ok(bytes)
}

/// Why a line is no message.
#[derive(Debug, Clone, PartialEq)]
struct Refusal {
    kind: String,
    path: String,
}

impl Refusal {
    fn new(kind: &str, path: &str) -> Refusal {
        Refusal { kind: kind.to_string(), path: path.to_string() }
    }
}

fn refuse_unless(good: bool, kind: &str, path: &str) -> Result<(), Refusal> {
    if good { Ok(()) } else { Err(Refusal::new(kind, path)) }
}

fn tables() -> &'static Json {
    thread_local!(static TABLE: &'static Json = Box::leak(Box::new(Parser::whole(TABLES).unwrap_or(Json::Null))));
    TABLE.with(|table| *table)
}

/// A value of a field. The kind is what the tables say about its type.
trait Value: Sized {
    fn show(&self, kind: &Json) -> Json;

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal>;

    fn is_absent(&self) -> bool {
        false
    }

    fn show_all(items: &[Self], kind: &Json) -> Json {
        Json::List(items.iter().map(|item| item.show(kind.get("list"))).collect())
    }

    fn set_all(kind: &Json, given: &Json, path: &str) -> Result<Vec<Self>, Refusal> {
        let items = given.as_list(path)?.iter().enumerate();
        items.map(|(i, item)| Self::set(kind.get("list"), item, &format!("{path}[{i}]"))).collect()
    }
}

fn is_integer(text: &str) -> bool {
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    magnitude == "0" || !magnitude.is_empty() && !magnitude.starts_with('0') && magnitude.bytes().all(|x| x.is_ascii_digit())
}

/// An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits.
fn integer(given: &Json, is_wide: bool, path: &str) -> Result<i128, Refusal> {
    let digits = match given {
        Json::Number(digits) => digits,
        Json::Text(digits) if is_wide => digits,
        _ => return Err(Refusal::new("wrong_kind", path)),
    };
    refuse_unless(is_integer(digits), "not_an_integer", path)?;
    digits.parse().map_err(|_| Refusal::new("number_too_large", path))
}

/// States and IDs have no kind in the tables.
fn is_wide(kind: &Json) -> bool {
    kind == &NULL || kind.text() == "wide"
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Value for $type {
            fn show(&self, _kind: &Json) -> Json {
                Json::number(i128::from(*self))
            }

            fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
                integer(given, is_wide(kind), path)?.try_into().map_err(|_| Refusal::new("out_of_range", path))
            }
        })*
    };
}

integers!(i8 u16 i16 u32 i32 u64 i64);

impl Value for u8 {
    fn show(&self, _kind: &Json) -> Json {
        Json::number(i128::from(*self))
    }

    fn set(_kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        integer(given, false, path)?.try_into().map_err(|_| Refusal::new("out_of_range", path))
    }

    fn show_all(items: &[Self], kind: &Json) -> Json {
        match kind {
            Json::Object(_) => Json::List(items.iter().map(|item| item.show(kind)).collect()),
            _ => Json::Text(base64(items)),
        }
    }

    fn set_all(kind: &Json, given: &Json, path: &str) -> Result<Vec<Self>, Refusal> {
        match kind {
            Json::Object(_) => {
                let items = given.as_list(path)?.iter().enumerate();
                items.map(|(i, item)| Self::set(kind, item, &format!("{path}[{i}]"))).collect()
            }
            _ => unbase64(given, path),
        }
    }
}

impl Value for f64 {
    fn show(&self, _kind: &Json) -> Json {
        match self {
            v if v.is_nan() => Json::of("NaN"),
            v if v.is_infinite() => Json::of(if *v < 0.0 { "-Infinity" } else { "Infinity" }),
            v => Json::Number(format!("{v:?}")),
        }
    }

    fn set(_kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        match given {
            Json::Number(digits) => {
                let number: f64 = digits.parse().map_err(|_| Refusal::new("wrong_kind", path))?;
                refuse_unless(number.is_finite(), "number_too_large", path)?;
                Ok(number)
            }
            Json::Text(word) if word == "NaN" => Ok(f64::NAN),
            Json::Text(word) if word == "Infinity" => Ok(f64::INFINITY),
            Json::Text(word) if word == "-Infinity" => Ok(f64::NEG_INFINITY),
            _ => Err(Refusal::new("wrong_kind", path)),
        }
    }
}

impl Value for f32 {
    fn show(&self, kind: &Json) -> Json {
        f64::from(*self).show(kind)
    }

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        let wide = f64::set(kind, given, path)?;
        let is_good = !(wide as f32).is_infinite() || matches!(given, Json::Text(_));
        refuse_unless(is_good, "number_too_large", path)?;
        Ok(wide as f32)
    }
}

impl Value for bool {
    fn show(&self, _kind: &Json) -> Json {
        Json::Boolean(*self)
    }

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        match given {
            Json::Boolean(value) => Ok(*value),
            // A state is a number.
            _ if *kind == Json::Null => Ok(given.text() == "1"),
            _ => Err(Refusal::new("wrong_kind", path)),
        }
    }
}

impl Value for String {
    fn show(&self, _kind: &Json) -> Json {
        Json::of(self)
    }

    fn set(_kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        given.as_text(path).map(str::to_string)
    }
}

/// A line of properties.
impl Value for (String, String) {
    fn show(&self, _kind: &Json) -> Json {
        Json::Null
    }

    fn set(_kind: &Json, _given: &Json, path: &str) -> Result<Self, Refusal> {
        Err(Refusal::new("wrong_kind", path))
    }

    fn show_all(items: &[Self], kind: &Json) -> Json {
        match kind {
            Json::Object(_) => Json::Null,
            _ => Json::Object(items.iter().map(|line| (line.0.clone(), Json::of(&line.1))).collect()),
        }
    }

    fn set_all(kind: &Json, given: &Json, path: &str) -> Result<Vec<Self>, Refusal> {
        given.as_object(path)?.iter().map(|member| Ok((member.0.clone(), String::set(kind, &member.1, path)?))).collect()
    }
}

impl<T: Value> Value for Vec<T> {
    fn show(&self, kind: &Json) -> Json {
        T::show_all(self, kind)
    }

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        T::set_all(kind, given, path)
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn show(&self, kind: &Json) -> Json {
        T::show_all(self, kind)
    }

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        T::set_all(kind, given, path)?.try_into().map_err(|_| Refusal::new("wrong_item_count", path))
    }
}

impl<T: Value> Value for Option<T> {
    fn show(&self, kind: &Json) -> Json {
        self.as_ref().map_or(Json::Null, |value| value.show(kind))
    }

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        if *given == Json::Null { Ok(None) } else { T::set(kind, given, path).map(Some) }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Value> Value for Box<T> {
    fn show(&self, kind: &Json) -> Json {
        (**self).show(kind)
    }

    fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
        T::set(kind, given, path).map(Box::new)
    }
}

/// The fields of a type by their numbers.
trait Fields {
    /// A field; nothing if it is absent.
    fn show_field(&self, i: usize, kind: &Json) -> Option<Json>;

    fn set_field(&mut self, i: usize, kind: &Json, given: &Json, path: &str) -> Result<(), Refusal>;
}

macro_rules! body {
    ($name:ident { $($i:literal $field:ident),* }) => {
        impl Fields for module::$name {
            fn show_field(&self, i: usize, kind: &Json) -> Option<Json> {
                let _ = kind;
                match i {
                    $($i => (!self.$field.is_absent()).then(|| self.$field.show(kind)),)*
                    _ => None,
                }
            }

            fn set_field(&mut self, i: usize, kind: &Json, given: &Json, path: &str) -> Result<(), Refusal> {
                let _ = (kind, given, path);
                match i {
                    $($i => self.$field = Value::set(kind, given, path)?,)*
                    _ => {}
                }
                Ok(())
            }
        }
    };
}
use body;

macro_rules! structure {
    ($name:ident) => {
        impl Value for module::$name {
            fn show(&self, kind: &Json) -> Json {
                show_fields(structure_fields(kind), self)
            }

            fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
                let mut made = Self::default();
                set_fields(structure_fields(kind), given, &mut made, path)?;
                Ok(made)
            }
        }
    };
}
use structure;

macro_rules! choice {
    ($name:ident) => {
        impl Value for module::$name {
            fn show(&self, kind: &Json) -> Json {
                show_choice(kind, i128::from(self.0))
            }

            fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
                set_choice(kind, given, path)?.try_into().map(Self).map_err(|_| Refusal::new("out_of_range", path))
            }
        }
    };
}
use choice;

fn structure_fields(kind: &Json) -> &'static Json {
    tables().get("structures").items().get(kind.get("structure").index()).map_or(&NULL, |known| known.get("fields"))
}

fn show_fields(fields: &Json, body: &dyn Fields) -> Json {
    let shown = fields.items().iter().enumerate().filter_map(|(i, field)| {
        body.show_field(i, field.get("type")).map(|value| (field.get("name").text().to_string(), value))
    });
    Json::Object(shown.collect())
}

fn set_fields(fields: &Json, given: &Json, body: &mut dyn Fields, path: &str) -> Result<(), Refusal> {
    let members = given.as_object(path)?;
    let is_known = |name: &String| fields.items().iter().any(|field| field.get("name").text() == name);
    refuse_unless(members.iter().all(|member| is_known(&member.0)), "unknown_key", path)?;
    for (i, field) in fields.items().iter().enumerate() {
        let name = field.get("name").text();
        let place = format!("{path}.{name}");
        let value = members.iter().rev().find(|member| member.0 == name).map(|member| &member.1);
        let is_optional = field.get("optional") == &Json::Boolean(true);
        match value {
            None | Some(Json::Null) if is_optional => body.set_field(i, field.get("type"), &Json::Null, &place)?,
            None if field.get("since") == &Json::Boolean(true) => {}
            None => return Err(Refusal::new("missing", &place)),
            Some(value) => body.set_field(i, field.get("type"), value, &place)?,
        }
    }
    Ok(())
}

/// The cases of an enum or of flags, whether they are flags, and whether they have more than 53 bits.
fn cases(kind: &Json) -> (&'static [Json], bool, bool) {
    let (name, is_flags) = if kind.get("flags") == &Json::Null { ("enumerations", false) } else { ("flags", true) };
    let index = kind.get(if is_flags { "flags" } else { "enum" });
    match (index, tables().get(name).items().get(index.index())) {
        (Json::Number(_), Some(choice)) => (choice.get("cases").items(), is_flags, choice.get("wide") == &Json::Boolean(true)),
        _ => (&[], false, false),
    }
}

fn case_value(case: &Json) -> i128 {
    case.get("value").text().parse().unwrap_or(0)
}

fn show_choice(kind: &Json, value: i128) -> Json {
    let (cases, is_flags, _) = cases(kind);
    if !is_flags {
        return cases.iter().find(|case| case_value(case) == value).map_or(Json::number(value), |case| case.get("name").clone());
    }
    // The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
    let (mut found, mut shown) = (Vec::new(), 0);
    for case in cases {
        let mask = case_value(case);
        if value & mask == mask && mask & !shown != 0 {
            found.push(case.get("name").clone());
            shown |= mask;
        }
    }
    if value & !shown != 0 {
        found.push(Json::number(value & !shown));
    }
    Json::List(found)
}

fn set_choice(kind: &Json, given: &Json, path: &str) -> Result<i128, Refusal> {
    let (cases, is_flags, is_wide) = cases(kind);
    let one = |given: &Json| match (cases.iter().find(|case| case.get("name") == given), given) {
        (Some(case), _) => Ok(case_value(case)),
        (None, Json::Text(text)) if !is_integer(text) => Err(Refusal::new("unknown_name", path)),
        (None, _) => integer(given, is_wide, path),
    };
    if !is_flags {
        return one(given);
    }
    given.as_list(path)?.iter().try_fold(0, |sum, item| Ok(sum | one(item)?))
}

// Unions

trait Shows {
    fn show_as(&self, kind: &Json) -> Json;
}

impl<T: Value> Shows for T {
    fn show_as(&self, kind: &Json) -> Json {
        self.show(kind)
    }
}

fn union_table(kind: &Json) -> &'static Json {
    tables().get("unions").items().get(kind.get("union").index()).unwrap_or(&NULL)
}

fn arm_table(kind: &Json, position: usize) -> &'static Json {
    union_table(kind).get("arms").items().get(position).unwrap_or(&NULL)
}

fn arm_kind(kind: &Json, position: usize) -> &'static Json {
    arm_table(kind, position).get("type")
}

fn show_arm(kind: &Json, position: usize, value: Option<&dyn Shows>) -> Json {
    let arm = arm_table(kind, position);
    let shown = value.map_or(Json::Null, |value| value.show_as(arm.get("type")));
    Json::Object(vec![(arm.get("name").text().to_string(), shown)])
}

fn show_kept<T: Value>(kind: &Json, position: usize, tag: &T, bytes: &[u8]) -> Json {
    let kept = vec![("tag".to_string(), tag.show(union_table(kind).get("tag"))), ("bytes".to_string(), Json::Text(base64(bytes)))];
    Json::Object(vec![(arm_table(kind, position).get("name").text().to_string(), Json::Object(kept))])
}

/// The arm that an object has: its position, its value, and where that stands.
fn arm_of<'a>(kind: &Json, given: &'a Json, path: &str) -> Result<(usize, &'a Json, String), Refusal> {
    match given {
        Json::Object(members) if members.len() == 1 => {
            let arms = union_table(kind).get("arms").items();
            match arms.iter().position(|arm| arm.get("name").text() == members[0].0) {
                Some(position) => Ok((position, &members[0].1, format!("{path}.{}", members[0].0))),
                None => Err(Refusal::new("unknown_key", path)),
            }
        }
        _ => Err(Refusal::new("not_one_arm", path)),
    }
}

fn set_kept<T: Value>(kind: &Json, given: &Json, path: &str) -> Result<(T, Vec<u8>), Refusal> {
    let members = given.as_object(path)?;
    refuse_unless(members.iter().all(|member| member.0 == "tag" || member.0 == "bytes"), "unknown_key", path)?;
    for name in ["tag", "bytes"] {
        refuse_unless(members.iter().any(|member| member.0 == name), "missing", &format!("{path}.{name}"))?;
    }
    let tag = T::set(union_table(kind).get("tag"), given.get("tag"), &format!("{path}.tag"))?;
    Ok((tag, unbase64(given.get("bytes"), &format!("{path}.bytes"))?))
}

macro_rules! arm_shown {
    ($self:ident $kind:ident $i:literal $name:ident $arm:ident ()) => {
        if let module::$name::$arm = $self {
            return show_arm($kind, $i, None);
        }
    };
    ($self:ident $kind:ident $i:literal $name:ident $arm:ident (value)) => {
        if let module::$name::$arm(value) = $self {
            return show_arm($kind, $i, Some(value));
        }
    };
    ($self:ident $kind:ident $i:literal $name:ident $arm:ident {}) => {
        if let module::$name::$arm { tag, bytes } = $self {
            return show_kept($kind, $i, tag, bytes);
        }
    };
}

macro_rules! set_arm {
    ($kind:ident $value:ident $path:ident $i:literal $name:ident $arm:ident ()) => {{
        refuse_unless($value == &Json::Null, "wrong_kind", &$path)?;
        module::$name::$arm
    }};
    ($kind:ident $value:ident $path:ident $i:literal $name:ident $arm:ident (value)) => {
        module::$name::$arm(Value::set(arm_kind($kind, $i), $value, &$path)?)
    };
    ($kind:ident $value:ident $path:ident $i:literal $name:ident $arm:ident {}) => {{
        let (tag, bytes) = set_kept($kind, $value, &$path)?;
        module::$name::$arm { tag, bytes }
    }};
}

macro_rules! union {
    ($name:ident { $($i:literal $arm:ident $form:tt),* }) => {
        impl Value for module::$name {
            fn show(&self, kind: &Json) -> Json {
                $(arm_shown!(self kind $i $name $arm $form);)*
                Json::Null
            }

            fn set(kind: &Json, given: &Json, path: &str) -> Result<Self, Refusal> {
                let (position, value, path) = arm_of(kind, given, path)?;
                Ok(match position {
                    $($i => set_arm!(kind value path $i $name $arm $form),)*
                    _ => return Err(Refusal::new("unknown_key", &path)),
                })
            }
        }
    };
}
use {arm_shown, set_arm, union};

// Messages

/// What a packet holds.
enum Shown<'a, M> {
    Message(usize, &'a dyn Fields, &'a [u8]),
    Unknown(&'a module::UnknownMessage),
    // #region packets
    Packets(&'a module::InnerPackets<M>),
    // #endregion
    // #region !packets
    //| Never(&'a M),
    // #endregion
}

/// The enum of a side's messages.
trait Packets: module::Side + From<module::UnknownMessage>/*packets{*/ + Opposed/*}*/ {
    fn shown(&self) -> Shown<'_, Self>;

    fn made(index: usize, fields: &Json, given: &Json, trailing: Vec<u8>, path: &str) -> Result<Option<Self>, Refusal>;
    // #region packets

    fn holding(packets: module::InnerPackets<Self>) -> Self;
    // #endregion
}

macro_rules! packets {
    ($name:ident { $($i:literal $message:ident $($trailing:ident)?),* }) => {
        impl Packets for module::$name {
            fn shown(&self) -> Shown<'_, Self> {
                match self {
                    $(module::$name::$message(message) => {
                        let trailing: &[u8] = &[];
                        $(let trailing = &message.$trailing;)?
                        Shown::Message($i, message, trailing)
                    })*
                    module::$name::UnknownMessage(message) => Shown::Unknown(message),
                    // #region packets
                    module::$name::InnerPackets(packets) => Shown::Packets(packets),
                    // #endregion
                }
            }

            fn made(index: usize, fields: &Json, given: &Json, trailing: Vec<u8>, path: &str) -> Result<Option<Self>, Refusal> {
                let _ = (fields, given, &trailing, path);
                match index {
                    $($i => {
                        let mut message = module::$message::default();
                        set_fields(fields, given, &mut message, path)?;
                        $(message.$trailing = trailing;)?
                        Ok(Some(module::$name::$message(message)))
                    })*
                    _ => Ok(None),
                }
            }
            // #region packets

            fn holding(packets: module::InnerPackets<Self>) -> Self {
                module::$name::InnerPackets(packets)
            }
            // #endregion
        }
    };
}
use packets;

fn object<const N: usize>(members: [(&str, Json); N]) -> Vec<(String, Json)> {
    members.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn show<M: Packets>(packet: &module::Packet<M>) -> Json {
    let header = show_fields(tables().get("header"), &packet.header);
    let id = Json::number(i128::from(packet.message.message_id()));
    Json::Object(match packet.message.shown() {
        Shown::Message(index, message, trailing) => {
            let known = &tables().get("messages").items()[index];
            let fields = show_fields(known.get("fields"), message);
            let mut line = object([("message", known.get("name").clone()), ("id", id), ("header", header), ("fields", fields)]);
            if !trailing.is_empty() {
                line.extend(object([("trailing", hex(trailing))]));
            }
            line
        }
        Shown::Unknown(unknown) => object([("message", Json::Null), ("id", id), ("header", header), ("payload", hex(&unknown.payload))]),
        // #region packets
        Shown::Packets(packets) => {
            let inner = packets.packets.iter().map(show).collect();
            object([("message", Json::Null), ("id", id), ("header", header), ("packets", Json::List(inner))])
        }
        // #endregion
        // #region !packets
        //| Shown::Never(_) => Vec::new(),
        // #endregion
    })
}

fn settable(line: &Json, place: &str, path: &str) -> Result<module::Header, Refusal> {
    let mut header = module::Header::default();
    for (i, field) in tables().get("header").items().iter().enumerate() {
        let name = field.get("name").text();
        let given = line.get("header").get(name);
        if field.get("settable") != &Json::Boolean(true) || *given == Json::Null {
            continue;
        }
        // What its type cannot hold is told as the packet's.
        header.set_field(i, field.get("type"), given, &format!("{path}{name}")).map_err(|refusal| {
            if refusal.kind == "out_of_range" { Refusal::new("out_of_range", &format!("{place}{name}")) } else { refusal }
        })?;
    }
    Ok(header)
}

fn message_id(line: &Json) -> Result<u64, Refusal> {
    match line {
        Json::Object(members) if members.iter().any(|member| member.0 == "id") => u64::set(&NULL, line.get("id"), "id"),
        _ => Ok(0),
    }
}

// #region packets
/// The other side of a conversation.
trait Opposed {
    type Other: Packets;
}

impl Opposed for module::ClientPacket {
    type Other = module::ServerPacket;
}

impl Opposed for module::ServerPacket {
    type Other = module::ClientPacket;
}

/// Why a packet cannot stand inside another one. The enum of its sender does not have a message of the other side, whose header is judged first.
fn foreign<M: Packets>(line: &Json, i: usize, refusal: Refusal) -> Refusal {
    match message::<M::Other>(line) {
        Ok((message, header)) if refusal.kind == "unknown_message" => match connect(&NULL).encode_from(M::SENDER, &message, &header) {
            Ok(_) => refusal,
            Err(error) => Refusal::new(error.kind, &in_packet(&i.to_string(), &named(&error.path, line))),
        },
        _ => refusal,
    }
}

// #endregion
fn message<M: Packets>(line: &Json) -> Result<(M, module::Header), Refusal> {
    // #region packets
    if let (false, Json::List(list)) = (matches!(line.get("message"), Json::Text(_)), line.get("packets")) {
        let mut packets = Vec::new();
        for (i, item) in list.iter().enumerate() {
            let (message, header) = message(item).or_else(|refusal| Err(foreign::<M>(item, i, refusal)))?;
            packets.push(module::Packet { message, header, byte_count: 0 });
        }
        let inner = module::InnerPackets { id: message_id(line)?, packets };
        return Ok((M::holding(inner), settable(line, "", "header.")?));
    }
    // #endregion
    let name = match line.get("message") {
        Json::Text(name) => name,
        _ => {
            let payload = if line.get("payload") == &Json::Null { Vec::new() } else { unhex(line.get("payload"), "")? };
            let unknown = module::UnknownMessage { id: message_id(line)?, payload };
            return Ok((unknown.into(), settable(line, "", "header.")?));
        }
    };
    for (index, known) in tables().get("messages").items().iter().enumerate() {
        if known.get("name").text() != name && known.get("other").text() != name {
            continue;
        }
        let none = Json::Object(Vec::new());
        let given = if line.get("fields") == &Json::Null { &none } else { line.get("fields") };
        let trailing = if line.get("trailing") == &Json::Null { Vec::new() } else { unhex(line.get("trailing"), "")? };
        if let Some(message) = M::made(index, known.get("fields"), given, trailing, name)? {
            return Ok((message, settable(line, &format!("{name}.packet."), &format!("{name}.header."))?));
        }
    }
    Err(Refusal::new("unknown_message", name))
}

/// The path of a fault in a line that was to be written. A fault of the header, or of the packet as a whole, is one of the message.
fn named(path: &str, line: &Json) -> String {
    let own = line.get("message").text();
    for known in tables().get("messages").items() {
        let name = known.get("name").text();
        if own.is_empty() || name != own && known.get("other").text() != own {
            continue;
        }
        if path.is_empty() {
            return name.to_string();
        }
        if path == "packets" || path == "opaque" || path.starts_with("packet.") && name != "packet" {
            return format!("{name}.{path}");
        }
        return path.to_string();
    }
    match path.strip_prefix("packets[").and_then(|rest| rest.split_once(']')) {
        Some((index, rest)) => {
            let inner = index.parse().ok().and_then(|index: usize| line.get("packets").items().get(index)).unwrap_or(&NULL);
            in_packet(index, &named(rest.strip_prefix('.').unwrap_or(rest), inner))
        }
        None => path.to_string(),
    }
}

/// The path of a fault in a packet inside another one.
fn in_packet(index: &str, path: &str) -> String {
    format!("packets[{index}]{}{path}", if path.is_empty() { "" } else { "." })
}

fn failure(error: &module::WireError, line: &Json) -> Vec<(String, Json)> {
    let path = named(&error.path, line);
    // #region program
    let is_absent = |name: &&&str| layer(name).is_none() && path.ends_with(&format!("packet.{name}"));
    if let Some(name) = PROGRAM_LAYERS.iter().find(is_absent).filter(|_| error.kind == "layer_unavailable") {
        return object([("reply", Json::of("skip")), ("text", Json::of(&format!("this program does not have {name}")))]);
    }
    // #endregion
    let mut answer = object([("reply", Json::of("error")), ("error", Json::of(error.kind))]);
    if !path.is_empty() {
        answer.extend(object([("field", Json::of(&path))]));
    }
    if let Some(offset) = error.offset {
        answer.extend(object([("offset", Json::number(offset as i128))]));
    }
    answer.extend(object([("text", Json::of(&error.to_string()))]));
    answer
}

// #region program
/// The layers that a program gives.
static PROGRAM_LAYERS: &[&str] = &[
    // #region each
    "LAYER_NAME",
    // #endregion
];

// #region inflating
/// The system's zlib: streams of zlib, of deflate, or of gzip.
mod zlib {
    use std::os::raw::{c_char, c_int, c_uint, c_ulong, c_void};

    #[repr(C)]
    struct Stream {
        next_in: *const u8,
        avail_in: c_uint,
        total_in: c_ulong,
        next_out: *mut u8,
        avail_out: c_uint,
        total_out: c_ulong,
        message: *const c_char,
        state: *mut c_void,
        allocate: *mut c_void,
        free: *mut c_void,
        own: *mut c_void,
        data_type: c_int,
        adler: c_ulong,
        reserved: c_ulong,
    }

    static VERSION: [u8; 2] = *b"1\0";

    #[link(name = "z")]
    extern "C" {
        fn inflateInit2_(stream: *mut Stream, window: c_int, version: *const c_char, size: c_int) -> c_int;
        fn inflate(stream: *mut Stream, flush: c_int) -> c_int;
        fn inflateEnd(stream: *mut Stream) -> c_int;
        fn deflateInit2_(stream: *mut Stream, level: c_int, method: c_int, window: c_int, memory: c_int, strategy: c_int, version: *const c_char, size: c_int) -> c_int;
        fn deflate(stream: *mut Stream, flush: c_int) -> c_int;
        fn deflateEnd(stream: *mut Stream) -> c_int;
    }

    /// The window, which also says what is around a stream of deflate.
    pub struct Zlib(pub c_int);

    impl super::module::Layer for Zlib {
        fn open(&mut self, sealed: &[u8], _header: &super::module::Header, limit: usize) -> Result<Vec<u8>, &'static str> {
            // SAFETY: The numbers of bytes are those of the slice and of the vector, which both outlive the stream.
            unsafe {
                let mut stream: Stream = std::mem::zeroed();
                if inflateInit2_(&mut stream, self.0, VERSION.as_ptr().cast(), std::mem::size_of::<Stream>() as c_int) != 0 {
                    return Err("layer_unavailable");
                }
                stream.next_in = sealed.as_ptr();
                stream.avail_in = sealed.len() as c_uint;
                let mut content = Vec::new();
                let mut room = [0u8; 4096];
                let outcome = loop {
                    stream.next_out = room.as_mut_ptr();
                    stream.avail_out = room.len() as c_uint;
                    let code = inflate(&mut stream, 0);
                    let count = room.len() - stream.avail_out as usize;
                    content.extend_from_slice(&room[..count]);
                    if content.len() > limit {
                        break Err("inflated_too_long");
                    }
                    if code == 1 {
                        break if stream.avail_in > 0 { Err("trailing_bytes") } else { Ok(content) };
                    }
                    if code != 0 || count == 0 && stream.avail_in == 0 {
                        break Err("invalid_layer");
                    }
                };
                inflateEnd(&mut stream);
                outcome
            }
        }

        fn seal(&mut self, content: &[u8], _header: &super::module::Header) -> Result<Vec<u8>, &'static str> {
            // SAFETY: As above; the vector has room for the longest stream.
            unsafe {
                let mut stream: Stream = std::mem::zeroed();
                if deflateInit2_(&mut stream, -1, 8, self.0, 8, 0, VERSION.as_ptr().cast(), std::mem::size_of::<Stream>() as c_int) != 0 {
                    return Err("layer_unavailable");
                }
                let mut sealed = vec![0u8; content.len() + content.len() / 100 + 100];
                stream.next_in = content.as_ptr();
                stream.avail_in = content.len() as c_uint;
                stream.next_out = sealed.as_mut_ptr();
                stream.avail_out = sealed.len() as c_uint;
                let code = deflate(&mut stream, 4);
                let count = sealed.len() - stream.avail_out as usize;
                deflateEnd(&mut stream);
                sealed.truncate(count);
                if code == 1 { Ok(sealed) } else { Err("invalid_layer") }
            }
        }
    }
}

// #endregion
/// A layer of a program; nothing for one that this program does not have.
fn layer(name: &str) -> Option<Box<dyn module::Layer + Send>> {
    match name {
        // #region inflating
        "zlib" => Some(Box::new(zlib::Zlib(15))),
        "deflate" => Some(Box::new(zlib::Zlib(-15))),
        "gzip" => Some(Box::new(zlib::Zlib(31))),
        // #endregion
        _ => None,
    }
}

// #endregion
// #region aes
/// AES as FIPS 197 describes it.
struct Aes;

static SUBSTITUTIONS: ([u8; 256], [u8; 256]) = Aes::substitutions();

impl Aes {
    const fn times(x: u8, mut y: u8) -> u8 {
        let (mut product, mut power) = (0, x);
        while y > 0 {
            if y & 1 == 1 {
                product ^= power;
            }
            power = power << 1 ^ if power & 0x80 == 0 { 0 } else { 0x1B };
            y >>= 1;
        }
        product
    }

    /// The bytes that take the place of others, and the way back: `power` is 3 to some power, and `inverse` is 1 / `power`.
    const fn substitutions() -> ([u8; 256], [u8; 256]) {
        let (mut forward, mut backward) = ([0x63; 256], [0; 256]);
        let (mut power, mut inverse) = (1, 1);
        loop {
            power = Aes::times(power, 3);
            inverse = Aes::times(inverse, 0xF6);
            let x = inverse ^ inverse.rotate_left(1) ^ inverse.rotate_left(2) ^ inverse.rotate_left(3) ^ inverse.rotate_left(4) ^ 0x63;
            forward[power as usize] = x;
            backward[x as usize] = power;
            if power == 1 {
                return (forward, backward);
            }
        }
    }

    fn keys(key: &[u8]) -> Vec<[u8; 16]> {
        let count = key.len() / 4;
        let mut words: Vec<[u8; 4]> = key.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]).collect();
        let mut round = 1;
        for i in count..4 * (count + 7) {
            let mut word = words[i - 1];
            if i % count == 0 {
                word.rotate_left(1);
                word = word.map(|x| SUBSTITUTIONS.0[usize::from(x)]);
                word[0] ^= round;
                round = Aes::times(round, 2);
            } else if count > 6 && i % count == 4 {
                word = word.map(|x| SUBSTITUTIONS.0[usize::from(x)]);
            }
            for k in 0..4 {
                word[k] ^= words[i - count][k];
            }
            words.push(word);
        }
        words.chunks_exact(4).map(|four| std::array::from_fn(|i| four[i / 4][i % 4])).collect()
    }

    fn add(block: &mut [u8; 16], key: &[u8; 16]) {
        block.iter_mut().zip(key).for_each(|(x, y)| *x ^= y);
    }

    fn mix(block: &mut [u8; 16], by: [u8; 4]) {
        for column in block.chunks_exact_mut(4) {
            let old = [column[0], column[1], column[2], column[3]];
            for row in 0..4 {
                column[row] = (0..4).fold(0, |sum, i| sum ^ Aes::times(old[i], by[(i + 4 - row) % 4]));
            }
        }
    }
}

impl module::BlockCipher for Aes {
    fn encrypt(&self, key: &[u8], block: &mut [u8; 16]) {
        let keys = Aes::keys(key);
        Aes::add(block, &keys[0]);
        for (i, own) in keys.iter().enumerate().skip(1) {
            let old = block.map(|x| SUBSTITUTIONS.0[usize::from(x)]);
            *block = std::array::from_fn(|i| old[(i + 4 * (i % 4)) % 16]);
            if i + 1 < keys.len() {
                Aes::mix(block, [2, 3, 1, 1]);
            }
            Aes::add(block, own);
        }
    }

    fn decrypt(&self, key: &[u8], block: &mut [u8; 16]) {
        let keys = Aes::keys(key);
        for (i, own) in keys.iter().enumerate().skip(1).rev() {
            Aes::add(block, own);
            if i + 1 < keys.len() {
                Aes::mix(block, [14, 11, 13, 9]);
            }
            let old = *block;
            *block = std::array::from_fn(|i| SUBSTITUTIONS.1[usize::from(old[(i + 12 * (i % 4)) % 16])]);
        }
        Aes::add(block, &keys[0]);
    }
}

// #endregion
// #region connection
/// The connection of a question.
fn connect(states: &Json) -> module::Connection {
    let mut made = module::Connection::default();
    for (i, state) in tables().get("states").items().iter().enumerate() {
        let given = states.get(state.get("name").text());
        if *given != Json::Null {
            made.set_field(i, &NULL, given, "").expect("a state is a number");
        }
    }
    // #region program
    for name in PROGRAM_LAYERS {
        for sender in [module::Sender::Client, module::Sender::Server] {
            if let Some(layer) = layer(name) {
                made.set_layer(name, sender, layer).expect("the layer is known");
            }
        }
    }
    // #endregion
    // #region aes
    made.set_aes(Box::new(Aes));
    // #endregion
    made
}

/// Sets the keys of a question: those of both sides, or of one, such as `client.session`.
fn set_keys(connection: &mut module::Connection, keys: &Json) -> Result<Result<(), Vec<(String, Json)>>, Refusal> {
    // #region keys
    use module::Sender::{Client, Server};
    for (name, key) in keys.as_object("").unwrap_or(&[]) {
        let (name, senders) = match (name.strip_prefix("client."), name.strip_prefix("server.")) {
            (Some(name), _) => (name, vec![Client]),
            (_, Some(name)) => (name, vec![Server]),
            _ => (name.as_str(), vec![]),
        };
        if let Err(error) = connection.set_key(name, &unhex(key, "")?, &senders) {
            return Ok(Err(failure(&error, &NULL)));
        }
    }
    // #endregion
    Ok(Ok(()))
}

// #endregion
fn answer<M: Packets>(question: &Json) -> Result<Vec<(String, Json)>, Refusal> {
    // #region connection
    let mut connection = connect(question.get("state"));
    if let Err(failure) = set_keys(&mut connection, question.get("keys"))? {
        return Ok(failure);
    }
    // #endregion
    match question.get("ask").text() {
        "decode" => {
            let bytes = if question.get("hex") == &Json::Null { Vec::new() } else { unhex(question.get("hex"), "")? };
            match /*connection{*/connection.decode::<M>(&bytes)/*}*//* !connection{module::decode::<M>(&bytes)}*/ {
                Ok(None) => Ok(object([("reply", Json::of("more"))])),
                Ok(Some(packet)) => {
                    let count = Json::number(packet.byte_count as i128);
                    Ok(object([("reply", Json::of("ok")), ("count", count), ("line", show(&packet))]))
                }
                Err(error) => Ok(failure(&error, &NULL)),
            }
        }
        "encode" => {
            let line = question.get("line");
            let (message, header) = message::<M>(line)?;
            match /*connection{*/connection.encode_from(M::SENDER, &message, &header)/*}*//* !connection{module::encode(&message, &header)}*/ {
                Ok(bytes) => Ok(object([("reply", Json::of("ok")), ("hex", hex(&bytes))])),
                Err(error) => Ok(failure(&error, line)),
            }
        }
        _ => Ok(object([("reply", Json::of("skip")), ("text", Json::of("this question is not known"))])),
    }
}

fn reply(line: &str) -> Json {
    let question = match Parser::whole(line) {
        Some(question @ Json::Object(_)) => question,
        _ => return Json::Object(object([("id", Json::Null), ("reply", Json::of("skip")), ("text", Json::of("this is no JSON"))])),
    };
    let outcome = match question.get("from").text() {
        "server" => answer::<module::ServerPacket>(&question),
        _ => answer::<module::ClientPacket>(&question),
    };
    let own = match outcome {
        Ok(answer) => answer,
        Err(refusal) => object([("reply", Json::of("error")), ("error", Json::of(&refusal.kind)), ("field", Json::of(&refusal.path))]),
    };
    let mut answer = object([("id", question.get("id").clone())]);
    answer.extend(own);
    Json::Object(answer)
}

pub fn main() {
    use std::io::{BufRead, Write};
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if line.trim().is_empty() {
            continue;
        }
        let mut text = String::new();
        reply(&line).print(&mut text);
        text.push('\n');
        if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
// #endregion
