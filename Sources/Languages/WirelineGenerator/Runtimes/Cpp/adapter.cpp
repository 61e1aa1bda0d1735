// SPDX-License-Identifier: Apache-2.0

// Asks generated C++ on behalf of `wire conform`: it converts JSON to messages and back. For its marks see runtime.hpp, beside which it
// is complete.

#include "runtime.hpp"

// #region includes
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
// #endregion

namespace wire = runtime;

#define LAYER_NAME "layer"
#define LAYER_KIND "zlib"

namespace adapter {

const char* const pieces[] = {"{}"};

// #region values
// JSON, in which objects keep the order of their members, and integers all digits.

struct Json {
    enum class Kind { nothing, boolean, number, text, list, object };

    Kind kind = Kind::nothing;
    /// The text, or the digits of a number.
    std::string text;
    bool flag = false;
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> members;

    static Json of(std::string text) { return made(Kind::text, std::move(text)); }

    static Json number(std::string digits) { return made(Kind::number, std::move(digits)); }

    static Json of(bool flag) {
        Json json;
        json.kind = Kind::boolean;
        json.flag = flag;
        return json;
    }

    static Json made(Kind kind, std::string text = std::string()) {
        Json json;
        json.kind = kind;
        json.text = std::move(text);
        return json;
    }

    bool is(const char* other) const { return kind == Kind::text && text == other; }

    bool isTrue() const { return kind == Kind::boolean && flag; }

    /// The member with a name, if there is one.
    const Json* get(std::string_view name) const {
        for (const auto& member : members) if (member.first == name) return &member.second;
        return nullptr;
    }

    /// The member with a name; nothing if there is none.
    const Json& at(std::string_view name) const {
        static const Json none{};
        const Json* found = get(name);
        return found ? *found : none;
    }

    void add(std::string name, Json value) {
        kind = Kind::object;
        members.emplace_back(std::move(name), std::move(value));
    }
};

struct Parser {
    const std::string& text;
    std::size_t p = 0;
    bool failed = false;

    char peek() {
        while (p < text.size() && static_cast<unsigned char>(text[p]) <= ' ') p++;
        return p < text.size() ? text[p] : '\0';
    }

    bool next(char mark) {
        if (peek() != mark) return false;
        p++;
        return true;
    }

    Json parsed(int depth = 0) {
        const char c = peek();
        Json json;
        if (depth > 600) failed = true;
        if (failed) return json;
        if (c == '{') {
            json.kind = Json::Kind::object;
            for (p++; !failed && !next('}'); next(',')) {
                std::string key = string();
                if (!next(':')) failed = true;
                json.members.emplace_back(std::move(key), parsed(depth + 1));
            }
            return json;
        }
        if (c == '[') {
            json.kind = Json::Kind::list;
            for (p++; !failed && !next(']'); next(',')) json.items.push_back(parsed(depth + 1));
            return json;
        }
        if (c == '"') return Json::of(string());
        const std::size_t from = p;
        while (p < text.size() && std::string_view("{}[],: \t\r\n").find(text[p]) == std::string_view::npos) p++;
        const std::string word = text.substr(from, p - from);
        if (word == "null") return json;
        if (word == "true" || word == "false") return Json::of(word == "true");
        if (word.empty()) failed = true;
        return Json::number(word);
    }

    unsigned hex() {
        unsigned v = 0;
        for (int i = 0; i < 4 && p < text.size(); i++) v = v << 4 | static_cast<unsigned>(std::strtoul(std::string(1, text[p++]).c_str(), nullptr, 16));
        return v;
    }

    std::string string() {
        std::string value;
        if (!next('"')) failed = true;
        while (!failed) {
            if (p >= text.size()) {
                failed = true;
                break;
            }
            char c = text[p++];
            if (c == '"') break;
            if (c != '\\') {
                value += c;
                continue;
            }
            c = p < text.size() ? text[p++] : '"';
            const std::size_t escape = std::string_view("bfnrt").find(c);
            if (c != 'u') {
                value += escape == std::string_view::npos ? c : "\b\f\n\r\t"[escape];
                continue;
            }
            unsigned x = hex();
            if (x >= 0xD800 && x < 0xDC00 && text.compare(p, 2, "\\u") == 0) {
                p += 2;
                x = 0x10000 + ((x & 0x3FF) << 10 | (hex() & 0x3FF));
            }
            const auto add = [&value](unsigned byte) { value += static_cast<char>(static_cast<unsigned char>(byte)); };
            if (x < 0x80) add(x);
            if (x >= 0x80 && x < 0x800) add(0xC0 | x >> 6);
            if (x >= 0x800 && x < 0x10000) add(0xE0 | x >> 12);
            if (x >= 0x10000) {
                add(0xF0 | x >> 18);
                add(0x80 | (x >> 12 & 63));
            }
            if (x >= 0x800) add(0x80 | (x >> 6 & 63));
            if (x >= 0x80) add(0x80 | (x & 63));
        }
        return value;
    }
};

void printText(std::string_view v, std::string& out) {
    out += '"';
    for (const char c : v) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\') out += escaped;
        else out += c;
    }
    out += '"';
}

/// Whether digits are a number beyond 53 bits, which is a string in JSON.
bool isWide(const std::string& digits) {
    if (digits.find_first_not_of("-0123456789") != std::string::npos) return false;
    const std::size_t sign = digits[0] == '-' ? 1 : 0;
    return digits.size() - sign > 16 || (digits.size() - sign == 16 && digits.compare(sign, 16, "9007199254740991") > 0);
}

void print(const Json& v, std::string& out) {
    switch (v.kind) {
        case Json::Kind::nothing: out += "null"; break;
        case Json::Kind::boolean: out += v.flag ? "true" : "false"; break;
        case Json::Kind::text: printText(v.text, out); break;
        case Json::Kind::number:
            if (isWide(v.text)) printText(v.text, out);
            else out += v.text;
            break;
        case Json::Kind::list: {
            out += '[';
            for (std::size_t i = 0; i < v.items.size(); i++) {
                if (i > 0) out += ',';
                print(v.items[i], out);
            }
            out += ']';
            break;
        }
        case Json::Kind::object: {
            out += '{';
            for (std::size_t i = 0; i < v.members.size(); i++) {
                if (i > 0) out += ',';
                printText(v.members[i].first, out);
                out += ':';
                print(v.members[i].second, out);
            }
            out += '}';
            break;
        }
    }
}

const Json& tables() {
    static const Json all = [] {
        std::string text;
        for (const char* piece : pieces) text += piece;
        return Parser{text}.parsed();
    }();
    return all;
}

const Json& table(const char* name, const Json& index) { return tables().at(name).items[static_cast<std::size_t>(std::strtoul(index.text.c_str(), nullptr, 10))]; }

/// Why JSON is no message.
struct Refusal {
    bool failed = false;
    std::string kind;
    std::string path;

    void refuse(std::string why, std::string where) {
        if (!failed) {
            kind = std::move(why);
            path = std::move(where);
        }
        failed = true;
    }
};

Refusal refusal;

std::string hexed(const wire::Bytes& bytes) {
    std::string text;
    for (const std::uint8_t x : bytes) {
        text += "0123456789abcdef"[x >> 4];
        text += "0123456789abcdef"[x & 15];
    }
    return text;
}

wire::Bytes unhexed(const Json& v) {
    wire::Bytes bytes;
    if (v.text.size() % 2 == 1 || v.text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) refusal.refuse("wrong_kind", "");
    for (std::size_t i = 0; i + 1 < v.text.size(); i += 2) bytes.push_back(static_cast<std::uint8_t>(std::strtoul(v.text.substr(i, 2).c_str(), nullptr, 16)));
    return bytes;
}

constexpr std::string_view digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const wire::Bytes& b) {
    std::string text;
    for (std::size_t i = 0; i < b.size(); i += 3) {
        const unsigned x = static_cast<unsigned>(b[i] << 16 | (i + 1 < b.size() ? b[i + 1] << 8 : 0) | (i + 2 < b.size() ? b[i + 2] : 0));
        text += digits64[x >> 18];
        text += digits64[x >> 12 & 63];
        text += i + 1 < b.size() ? digits64[x >> 6 & 63] : '=';
        text += i + 2 < b.size() ? digits64[x & 63] : '=';
    }
    return text;
}

bool unbase64(const std::string& text, wire::Bytes& out) {
    unsigned x = 0;
    const std::size_t end = std::min(text.find('='), text.size());
    if (text.size() % 4 != 0 || text.size() - end > 2) return false;
    for (std::size_t i = 0; i < text.size(); i++) {
        const std::size_t digit = i < end ? digits64.find(text[i]) : 0;
        if (digit == std::string_view::npos || (i >= end && text[i] != '=')) return false;
        x = x << 6 | static_cast<unsigned>(digit);
        if (i % 4 != 3) continue;
        for (int k = 2; k >= 0; k--) out.push_back(static_cast<std::uint8_t>(x >> 8 * k));
        x = 0;
    }
    out.resize(out.size() - (text.size() - end));
    return true;
}

// Values to JSON.

template <class T> struct IsOptional : std::false_type {};

template <class T> struct IsOptional<std::optional<T>> : std::true_type {};

// #region unions
template <class T> struct IsUnion : std::false_type {};

template <class... T> struct IsUnion<wire::Union<T...>> : std::true_type {};

// #endregion
template <class T> struct IsList : std::false_type {};

template <class T> struct IsList<std::vector<T>> : std::true_type {};

template <class T> Json show(const Json& type, T& v);

template <class T> void read(const Json& type, const Json& v, T& target, const std::string& path);

/// A member of any type, and what converts it. So what goes through members is compiled once, and not for each type.
struct Member {
    void* value;
    bool isOptional;
    Json (*show)(const Json& type, void* value);
    void (*read)(const Json& type, const Json& v, void* target, const std::string& path);

    template <class T> explicit Member(T& member) : value(&member), isOptional(IsOptional<T>::value), show(&showAny<T>), read(&readAny<T>) {}

    template <class T> static Json showAny(const Json& type, void* value) { return adapter::show(type, *static_cast<T*>(value)); }

    template <class T> static void readAny(const Json& type, const Json& v, void* target, const std::string& path) { adapter::read(type, v, *static_cast<T*>(target), path); }
};

/// The members of a value, in the order of the tables, and its bytes after the last known field.
struct Members {
    std::vector<Member> all;
    wire::Bytes* trailing = nullptr;
};

template <class T> Members membersOf(T& m);

Json shownFields(const Json& fields, const Members& members) {
    Json shown = Json::made(Json::Kind::object);
    for (std::size_t i = 0; i < members.all.size(); i++) {
        const Json& field = fields.items[i];
        Json value = members.all[i].show(field.at("type"), members.all[i].value);
        // Only what is absent has no value at all.
        if (value.kind != Json::Kind::nothing) shown.add(field.at("name").text, std::move(value));
    }
    return shown;
}

// #region unions
Json shownArm(const Json& choice, std::size_t index, const Members& members) {
    Json shown = Json::made(Json::Kind::object), value;
    if (index == 0) return shown;
    const Json& arm = choice.at("arms").items[index - 1];
    if (arm.at("type").is("kept")) {
        value.add("tag", members.all[0].show(choice.at("tag"), members.all[0].value));
        value.add("bytes", members.all[1].show(Json::of(std::string("bytes")), members.all[1].value));
    } else if (!members.all.empty()) {
        value = members.all[0].show(arm.at("type"), members.all[0].value);
    }
    shown.add(arm.at("name").text, value);
    return shown;
}
// #endregion

Json caseName(const Json& choice, const std::string& digits) {
    for (const Json& item : choice.at("cases").items) if (item.at("value").text == digits) return item.at("name");
    return Json::number(digits);
}

/// The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
Json flagNames(const Json& flags, std::uint64_t all) {
    Json names = Json::made(Json::Kind::list);
    std::uint64_t left = all;
    for (const Json& item : flags.at("cases").items) {
        const std::uint64_t mask = std::strtoull(item.at("value").text.c_str(), nullptr, 10);
        if ((all & mask) != mask || (left & mask) == 0) continue;
        names.items.push_back(item.at("name"));
        left &= ~mask;
    }
    if (left != 0) names.items.push_back(Json::number(std::to_string(left)));
    return names;
}

// #region unions
template <class... T> Json showUnion(const Json& choice, wire::Union<T...>& v) {
    Members members;
    ((v.template get_if<T>() ? void(members = membersOf(*v.template get_if<T>())) : void()), ...);
    return shownArm(choice, v.index(), members);
}
// #endregion
// #region boxes
template <class T> Json show(const Json& type, wire::Box<T>& v) { return show(type, v.value()); }
// #endregion

template <class T> Json show(const Json& type, T& v) {
    if constexpr (IsOptional<T>::value) {
        return v ? show(type, *v) : Json();
    } else if constexpr (std::is_same_v<T, bool>) {
        return Json::of(bool{v});
    } else if constexpr (std::is_enum_v<T>) {
        const auto number = static_cast<std::underlying_type_t<T>>(v);
        if (type.get("enum")) return caseName(table("enumerations", type.at("enum")), std::to_string(number));
        return flagNames(table("flags", type.at("flags")), static_cast<std::uint64_t>(number));
    } else if constexpr (std::is_integral_v<T>) {
        return Json::number(std::to_string(v));
    } else if constexpr (std::is_floating_point_v<T>) {
        const double number = static_cast<double>(v);
        if (std::isnan(number)) return Json::of(std::string("NaN"));
        if (std::isinf(number)) return Json::of(std::string(number < 0 ? "-Infinity" : "Infinity"));
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", number);
        // Only integers are strings beyond 53 bits.
        return Json::number(std::string_view(text).find_first_of(".e") == std::string_view::npos ? std::string(text) + ".0" : std::string(text));
    } else if constexpr (std::is_same_v<T, std::string>) {
        return Json::of(v);
        // #region properties
    } else if constexpr (std::is_same_v<T, std::vector<wire::Property>>) {
        Json shown = Json::made(Json::Kind::object);
        for (const wire::Property& item : v) shown.add(item.key, Json::of(item.value));
        return shown;
        // #endregion
        // #region unions
    } else if constexpr (IsUnion<T>::value) {
        return showUnion(table("unions", type.at("union")), v);
        // #endregion
    } else if constexpr (IsList<T>::value) {
        if constexpr (std::is_same_v<T, wire::Bytes>) if (type.is("bytes")) return Json::of(base64(v));
        Json shown = Json::made(Json::Kind::list);
        for (std::size_t i = 0; i < v.size(); i++) {
            typename T::value_type item = v[i];
            shown.items.push_back(show(type.at("list"), item));
        }
        return shown;
    } else {
        return shownFields(table("structures", type.at("structure")).at("fields"), membersOf(v));
    }
}

// JSON to values.

bool isInteger(const std::string& text) {
    const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
    const bool isZero = text.size() > sign && text[sign] == '0';
    return text.size() > sign && (!isZero || text.size() == sign + 1) && text.find_first_not_of("0123456789", sign) == std::string::npos;
}

/// An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits. What the member cannot hold is
/// refused here.
template <class T> void readInteger(const Json& v, T& target, bool isWide, const std::string& path) {
    if (v.kind != Json::Kind::number && !(isWide && v.kind == Json::Kind::text)) return refusal.refuse("wrong_kind", path);
    if (!isInteger(v.text)) return refusal.refuse("not_an_integer", path);
    const bool isNegative = v.text[0] == '-';
    const std::string digits = v.text.substr(isNegative ? 1 : 0);
    const std::string limit = isNegative ? "170141183460469231731687303715884105728" : "170141183460469231731687303715884105727";
    if (digits.size() > limit.size() || (digits.size() == limit.size() && digits > limit)) return refusal.refuse("number_too_large", path);
    std::uint64_t magnitude = 0;
    bool fits = true;
    for (const char c : digits) {
        const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
        if (magnitude > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) fits = false;
        magnitude = magnitude * 10 + digit;
    }
    const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (isNegative && magnitude > 0) fits = fits && std::is_signed_v<T> && magnitude <= most + 1;
    else fits = fits && magnitude <= most;
    if (!fits) return refusal.refuse("out_of_range", path);
    target = static_cast<T>(isNegative ? 0 - magnitude : magnitude);
}

template <class T> void readFloat(const Json& v, T& target, const std::string& path) {
    const bool isWord = v.is("NaN") || v.is("Infinity") || v.is("-Infinity");
    if (v.kind != Json::Kind::number && !isWord) return refusal.refuse("wrong_kind", path);
    const double number = std::strtod(v.text.c_str(), nullptr);
    const bool fits = std::is_same_v<T, float> ? std::fabs(number) < 0x1.ffffffp127 : !std::isinf(number);
    if (!fits && !isWord) return refusal.refuse("number_too_large", path);
    target = static_cast<T>(number);
}

template <class T> void readNamed(const Json& choice, const Json& v, T& target, const std::string& path) {
    for (const Json& item : choice.at("cases").items) {
        if (v.kind == Json::Kind::text && item.at("name").text == v.text) return readInteger(item.at("value"), target, true, path);
    }
    if (v.kind == Json::Kind::text && !isInteger(v.text)) return refusal.refuse("unknown_name", path);
    readInteger(v, target, choice.at("wide").isTrue(), path);
}

/// Sets the members of a value.
void setFields(const Json& fields, const Json& given, const Members& members, const std::string& path) {
    if (given.kind != Json::Kind::object) return refusal.refuse("wrong_kind", path);
    static const Json none{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < members.all.size(); i++) {
        const Json& field = fields.items[i];
        const Member& member = members.all[i];
        const std::string place = path + "." + field.at("name").text;
        const Json* value = given.get(field.at("name").text);
        if (value) count++;
        if (value || member.isOptional) member.read(field.at("type"), value ? *value : none, member.value, place);
        else if (!field.at("since").isTrue()) refusal.refuse("missing", place);
    }
    if (count < given.members.size()) refusal.refuse("unknown_key", path);
}

// #region unions
/// The index of the arm that is given, from 1 on; 0 if there is none.
std::size_t armOf(const Json& choice, const Json& v, const std::string& path) {
    const std::vector<Json>& arms = choice.at("arms").items;
    std::size_t i = 0;
    if (v.kind != Json::Kind::object || v.members.size() != 1) {
        refusal.refuse("not_one_arm", path);
        return 0;
    }
    while (i < arms.size() && arms[i].at("name").text != v.members[0].first) i++;
    if (i == arms.size()) {
        refusal.refuse("unknown_key", path);
        return 0;
    }
    const Json& type = arms[i].at("type");
    const Json& given = v.members[0].second;
    const bool isWrong = (type.kind == Json::Kind::nothing && given.kind != Json::Kind::nothing) || (type.is("kept") && given.kind != Json::Kind::object);
    if (isWrong) refusal.refuse("wrong_kind", path + "." + v.members[0].first);
    return isWrong ? 0 : i + 1;
}

void setArm(const Json& choice, std::size_t index, const Json& given, const Members& members, const std::string& path) {
    const Json& type = choice.at("arms").items[index - 1].at("type");
    if (type.is("kept")) {
        members.all[0].read(choice.at("tag"), given.at("tag"), members.all[0].value, path + ".tag");
        members.all[1].read(Json::of(std::string("bytes")), given.at("bytes"), members.all[1].value, path + ".bytes");
    } else if (!members.all.empty()) {
        members.all[0].read(type, given, members.all[0].value, path);
    }
}

template <class... T> void readUnion(const Json& choice, const Json& v, wire::Union<T...>& target, const std::string& path) {
    const std::size_t index = armOf(choice, v, path);
    if (index == 0) return;
    Members members;
    std::size_t i = 0;
    ((++i == index ? void(members = membersOf(target.template emplace<T>())) : void()), ...);
    setArm(choice, index, v.members[0].second, members, path + "." + v.members[0].first);
}
// #endregion
// #region boxes
template <class T> void read(const Json& type, const Json& v, wire::Box<T>& target, const std::string& path) { read(type, v, target.value(), path); }
// #endregion

template <class T> void read(const Json& type, const Json& v, T& target, const std::string& path) {
    if constexpr (IsOptional<T>::value) {
        target.reset();
        if (v.kind != Json::Kind::nothing) read(type, v, target.emplace(), path);
    } else if constexpr (std::is_same_v<T, bool>) {
        if (v.kind != Json::Kind::boolean) return refusal.refuse("wrong_kind", path);
        target = v.flag;
    } else if constexpr (std::is_enum_v<T>) {
        std::underlying_type_t<T> number{};
        if (type.get("enum")) {
            readNamed(table("enumerations", type.at("enum")), v, number, path);
        } else if (v.kind == Json::Kind::list) {
            for (const Json& item : v.items) {
                std::underlying_type_t<T> bits{};
                readNamed(table("flags", type.at("flags")), item, bits, path);
                number = static_cast<std::underlying_type_t<T>>(number | bits);
            }
        } else {
            return refusal.refuse("wrong_kind", path);
        }
        target = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T>) {
        readInteger(v, target, type.is("wide"), path);
    } else if constexpr (std::is_floating_point_v<T>) {
        readFloat(v, target, path);
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (v.kind != Json::Kind::text) return refusal.refuse("wrong_kind", path);
        target = v.text;
        // #region properties
    } else if constexpr (std::is_same_v<T, std::vector<wire::Property>>) {
        if (v.kind != Json::Kind::object) return refusal.refuse("wrong_kind", path);
        target.clear();
        for (const auto& member : v.members) target.push_back({member.first, member.second.text});
        // #endregion
        // #region unions
    } else if constexpr (IsUnion<T>::value) {
        readUnion(table("unions", type.at("union")), v, target, path);
        // #endregion
    } else if constexpr (IsList<T>::value) {
        target.clear();
        if constexpr (std::is_same_v<T, wire::Bytes>) {
            if (type.is("bytes")) {
                if (v.kind != Json::Kind::text) return refusal.refuse("wrong_kind", path);
                if (!unbase64(v.text, target)) refusal.refuse("invalid_base64", path);
                return;
            }
        }
        if (v.kind != Json::Kind::list) return refusal.refuse("wrong_kind", path);
        for (std::size_t i = 0; i < v.items.size(); i++) {
            typename T::value_type item{};
            read(type.at("list"), v.items[i], item, path + "[" + std::to_string(i) + "]");
            target.push_back(std::move(item));
        }
    } else {
        target = T();
        setFields(table("structures", type.at("structure")).at("fields"), v, membersOf(target), path);
    }
}

/// What the program needs of a message's type.
struct Type {
    /// The members of a message of this type; nothing for another one.
    std::optional<Members> (*find)(wire::Message& message);
    /// Puts a new message of this type in place of what there was.
    Members (*make)(wire::Message& message);

    template <class T> static Type of() { return {&findAny<T>, &makeAny<T>}; }

    template <class T> static std::optional<Members> findAny(wire::Message& message) {
        T* m = message.get_if<T>();
        if (!m) return std::nullopt;
        return membersOf(*m);
    }

    template <class T> static Members makeAny(wire::Message& message) { return membersOf(message.emplace<T>()); }
};
// #endregion

template <class V> void visitStates(V&, wire::Connection&) {}

template <> Members membersOf(wire::Header&) { return {}; }

const std::vector<Type>& types() {
    static const std::vector<Type> all;
    return all;
}

// #region program
// Messages to JSON.

Json line(wire::Packet& packet) {
    Json line;
    const std::string_view name = packet.message.name();
    line.add("message", name.empty() ? Json() : Json::of(std::string(name)));
    line.add("id", Json::number(std::to_string(packet.message.id())));
    line.add("header", shownFields(tables().at("header"), membersOf(packet.header)));
    // #region packets
    if (auto* group = packet.message.get_if<wire::InnerPackets>()) {
        Json packets = Json::made(Json::Kind::list);
        for (wire::Packet& inner : group->packets) packets.items.push_back(adapter::line(inner));
        line.add("packets", packets);
        return line;
    }
    // #endregion
    if (auto* unknown = packet.message.get_if<wire::UnknownMessage>()) {
        line.add("payload", Json::of(hexed(unknown->payload)));
        return line;
    }
    for (std::size_t i = 0; i < types().size(); i++) {
        const std::optional<Members> members = types()[i].find(packet.message);
        if (!members) continue;
        line.add("fields", shownFields(tables().at("messages").items[i].at("fields"), *members));
        if (members->trailing && !members->trailing->empty()) line.add("trailing", Json::of(hexed(*members->trailing)));
    }
    return line;
}

// JSON to messages.

wire::Header headerOf(const Json& line) {
    wire::Header header;
    const Json& name = line.at("message");
    const std::string path = name.kind == Json::Kind::text ? name.text + ".header." : "header.";
    const std::vector<Member> members = membersOf(header).all;
    for (std::size_t i = 0; i < members.size(); i++) {
        // The fields of a header that a program can set.
        const Json& field = tables().at("header").items[i];
        const Json* value = field.at("settable").isTrue() ? line.at("header").get(field.at("name").text) : nullptr;
        if (value) members[i].read(field.at("type"), *value, members[i].value, path + field.at("name").text);
    }
    return header;
}

wire::Message written(const Json& line) {
    wire::Message message;
    const Json& name = line.at("message");
    if (name.kind != Json::Kind::text) {
        std::uint64_t id = 0;
        if (line.get("id")) readInteger(line.at("id"), id, true, "id");
        // #region packets
        if (line.get("packets")) {
            wire::InnerPackets& group = message.emplace<wire::InnerPackets>();
            group.id = id;
            for (const Json& item : line.at("packets").items) group.packets.push_back({written(item), headerOf(item), 0});
            return message;
        }
        // #endregion
        message.emplace<wire::UnknownMessage>({id, unhexed(line.at("payload"))});
        return message;
    }
    for (std::size_t i = 0; i < types().size() && message.empty(); i++) {
        const Json& known = tables().at("messages").items[i];
        if (known.at("name").text != name.text && known.at("other").text != name.text) continue;
        static const Json none = Json::made(Json::Kind::object);
        const Members members = types()[i].make(message);
        setFields(known.at("fields"), line.get("fields") ? line.at("fields") : none, members, name.text);
        if (members.trailing && line.get("trailing")) *members.trailing = unhexed(line.at("trailing"));
    }
    if (message.empty()) refusal.refuse("unknown_message", name.text);
    return message;
}

/// A fault of the header, or of the packet as a whole, is one of the message that was to be written.
std::string named(const std::string& path, const wire::Message& message) {
    // #region packets
    const auto* group = message.get_if<wire::InnerPackets>();
    if (group && path.compare(0, 8, "packets[") == 0) {
        const std::size_t end = path.find(']') + 1;
        const std::size_t index = static_cast<std::size_t>(std::strtoul(path.c_str() + 8, nullptr, 10));
        const std::string rest = named(path.substr(std::min(end + 1, path.size())), group->packets[index].message);
        return path.substr(0, end) + (rest.empty() ? "" : "." + rest);
    }
    // #endregion
    const std::string name(message.name());
    if (name.empty()) return path;
    if (path.empty()) return name;
    const bool isOfPacket = path == "packets" || path == "opaque" || (path.compare(0, 7, "packet.") == 0 && name != "packet");
    return isOfPacket ? name + "." + path : path;
}

// #region inflating
/// Takes bits, the least significant one of each byte first.
struct Bits {
    const wire::Bytes& b;
    std::size_t p;
    unsigned held = 0;
    unsigned count = 0;
    bool failed = false;

    unsigned take(unsigned n) {
        while (count < n) {
            if (p >= b.size()) failed = true;
            held |= (p < b.size() ? static_cast<unsigned>(b[p]) : 0U) << count;
            p++;
            count += 8;
        }
        const unsigned v = held & ((1U << n) - 1);
        held >>= n;
        count -= n;
        return v;
    }
};

/// A code of deflate, by the lengths of its words.
struct Code {
    std::array<unsigned, 16> counts{};
    std::vector<unsigned> symbols;
    bool isGood = true;

    explicit Code(const std::vector<unsigned>& lengths) : symbols(lengths.size()) {
        for (const unsigned n : lengths) counts[n]++;
        counts[0] = 0;
        std::array<unsigned, 17> starts{};
        int left = 1;
        for (std::size_t n = 1; n < 16; n++) {
            starts[n + 1] = starts[n] + counts[n];
            left = 2 * left - static_cast<int>(counts[n]);
            if (left < 0) isGood = false;
        }
        for (unsigned i = 0; i < lengths.size(); i++) if (lengths[i] > 0) symbols[starts[lengths[i]]++] = i;
    }

    unsigned read(Bits& bits) const {
        unsigned code = 0, first = 0, index = 0;
        for (std::size_t n = 1; n < 16 && !bits.failed; n++) {
            code |= bits.take(1);
            if (code - first < counts[n]) return symbols[index + code - first];
            index += counts[n];
            first = (first + counts[n]) << 1;
            code <<= 1;
        }
        bits.failed = true;
        return 0;
    }
};

/// Reads a stream of deflate from a place on, and moves the place to its end.
wire::LayerOutcome inflate(const wire::Bytes& b, std::size_t& place, std::size_t limit, wire::Bytes& out) {
    static constexpr std::array<unsigned, 29> lengths = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::array<unsigned, 30> distances = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static constexpr std::array<std::size_t, 19> order = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    Bits bits{b, place};
    bool isLast = false;
    while (!isLast) {
        isLast = bits.take(1) == 1;
        const unsigned kind = bits.take(2);
        if (bits.failed || kind == 3) return wire::LayerOutcome::damaged;
        if (kind == 0) {
            bits.held = bits.count = 0;
            const unsigned n = bits.take(16), not_n = bits.take(16);
            if (bits.failed || (n ^ not_n) != 0xFFFF || bits.p + n > b.size()) return wire::LayerOutcome::damaged;
            if (out.size() + n > limit) return wire::LayerOutcome::too_long;
            out.insert(out.end(), b.begin() + static_cast<std::ptrdiff_t>(bits.p), b.begin() + static_cast<std::ptrdiff_t>(bits.p + n));
            bits.p += n;
            continue;
        }
        std::vector<unsigned> widths(288), backs(30, 5);
        if (kind == 1) {
            for (std::size_t i = 0; i < 288; i++) widths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        } else {
            const std::size_t literals = bits.take(5) + 257, others = bits.take(5) + 1, used = bits.take(4) + 4;
            std::vector<unsigned> own(19);
            for (std::size_t i = 0; i < used; i++) own[order[i]] = bits.take(3);
            const Code code(own);
            std::vector<unsigned> all;
            while (all.size() < literals + others && code.isGood && !bits.failed) {
                const unsigned symbol = code.read(bits);
                if (symbol == 16 && all.empty()) return wire::LayerOutcome::damaged;
                if (symbol < 16) all.push_back(symbol);
                else if (symbol == 16) all.insert(all.end(), 3 + bits.take(2), unsigned{all.back()});
                else all.insert(all.end(), symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7), 0U);
            }
            if (!code.isGood || bits.failed || all.size() != literals + others || literals > 286 || others > 30 || all[256] == 0) return wire::LayerOutcome::damaged;
            widths.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(literals));
            backs.assign(all.begin() + static_cast<std::ptrdiff_t>(literals), all.end());
        }
        const Code literal(widths), back(backs);
        if (!literal.isGood || !back.isGood) return wire::LayerOutcome::damaged;
        for (unsigned symbol = 0; symbol != 256;) {
            symbol = literal.read(bits);
            if (bits.failed || symbol > 285) return wire::LayerOutcome::damaged;
            if (symbol == 256) continue;
            if (symbol < 256) {
                if (out.size() >= limit) return wire::LayerOutcome::too_long;
                out.push_back(static_cast<std::uint8_t>(symbol));
                continue;
            }
            const unsigned s = symbol - 257;
            const std::size_t n = lengths[s] + (s < 8 || s == 28 ? 0 : bits.take(s / 4 - 1));
            const unsigned d = back.read(bits);
            if (bits.failed || d > 29) return wire::LayerOutcome::damaged;
            const std::size_t distance = distances[d] + (d < 4 ? 0 : bits.take(d / 2 - 1));
            if (bits.failed || distance > out.size()) return wire::LayerOutcome::damaged;
            if (out.size() + n > limit) return wire::LayerOutcome::too_long;
            for (std::size_t i = 0; i < n; i++) out.push_back(std::uint8_t{out[out.size() - distance]});
        }
    }
    if (bits.failed) return wire::LayerOutcome::damaged;
    place = bits.p - bits.count / 8;
    return wire::LayerOutcome::done;
}

/// A stream of deflate that compresses nothing.
void store(const wire::Bytes& content, wire::Bytes& out) {
    std::size_t p = 0;
    do {
        const std::size_t n = std::min<std::size_t>(content.size() - p, 65535);
        out.push_back(p + n == content.size() ? 1 : 0);
        for (const std::size_t v : {n, n ^ 0xFFFF}) {
            out.push_back(static_cast<std::uint8_t>(v));
            out.push_back(static_cast<std::uint8_t>(v >> 8));
        }
        out.insert(out.end(), content.begin() + static_cast<std::ptrdiff_t>(p), content.begin() + static_cast<std::ptrdiff_t>(p + n));
        p += n;
    } while (p < content.size());
}

std::uint32_t adler(const wire::Bytes& v) {
    std::uint32_t a = 1, b = 0;
    for (const std::uint8_t x : v) {
        a = (a + x) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

std::uint32_t crc(const wire::Bytes& v, std::size_t count) {
    std::uint32_t x = 0xFFFFFFFFU;
    for (std::size_t i = 0; i < count; i++) {
        x ^= v[i];
        for (int k = 0; k < 8; k++) x = (x & 1) != 0 ? x >> 1 ^ 0xEDB88320U : x >> 1;
    }
    return ~x;
}

/// Where the stream of deflate begins after a head; of one that is damaged, after the last byte.
std::size_t headOf(const wire::Bytes& b, std::string_view kind) {
    const std::size_t none = b.size() + 1;
    if (kind == "deflate") return 0;
    if (kind == "zlib") {
        const unsigned head = b.size() < 2 ? 0 : static_cast<unsigned>(b[0] << 8 | b[1]);
        return head > 0 && head % 31 == 0 && (head >> 8 & 15) == 8 && head >> 12 < 8 && (head & 0x20) == 0 ? 2 : none;
    }
    if (b.size() < 10 || b[0] != 0x1F || b[1] != 0x8B || b[2] != 8 || (b[3] & 0xE0) != 0) return none;
    std::size_t p = 10;
    if ((b[3] & 4) != 0) p += b.size() < 12 ? 2 : 2 + static_cast<std::size_t>(b[10] | b[11] << 8);
    for (unsigned flag = 8; flag <= 16; flag *= 2) {
        if ((b[3] & flag) == 0) continue;
        while (p < b.size() && b[p] != 0) p++;
        p++;
    }
    if ((b[3] & 2) == 0) return p;
    return p + 2 <= b.size() && static_cast<unsigned>(b[p] | b[p + 1] << 8) == (crc(b, p) & 0xFFFF) ? p + 2 : none;
}

wire::LayerOutcome open(const wire::Bytes& b, std::size_t limit, wire::Bytes& content, std::string_view kind) {
    std::size_t p = headOf(b, kind);
    if (p > b.size()) return wire::LayerOutcome::damaged;
    const wire::LayerOutcome outcome = inflate(b, p, limit, content);
    if (outcome != wire::LayerOutcome::done) return outcome;
    const std::size_t n = kind == "deflate" ? 0 : kind == "zlib" ? 4 : 8;
    if (p + n > b.size()) return wire::LayerOutcome::damaged;
    for (std::size_t i = 0; i < n; i++) {
        const std::size_t sum = kind == "zlib" ? adler(content) >> (24 - 8 * i) : i < 4 ? crc(content, content.size()) >> 8 * i : content.size() >> 8 * (i - 4);
        if (b[p + i] != (sum & 255)) return wire::LayerOutcome::damaged;
    }
    return p + n < b.size() ? wire::LayerOutcome::trailing : wire::LayerOutcome::done;
}

void seal(const wire::Bytes& content, wire::Bytes& out, std::string_view kind) {
    if (kind == "zlib") out = {0x78, 0x9C};
    if (kind == "gzip") out = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF};
    store(content, out);
    for (unsigned i = 0; i < 4 && kind == "zlib"; i++) out.push_back(static_cast<std::uint8_t>(adler(content) >> (24 - 8 * i)));
    for (unsigned i = 0; i < 4 && kind == "gzip"; i++) out.push_back(static_cast<std::uint8_t>(crc(content, content.size()) >> 8 * i));
    for (unsigned i = 0; i < 4 && kind == "gzip"; i++) out.push_back(static_cast<std::uint8_t>(content.size() >> 8 * i));
}

// #endregion
// #region aes
std::uint8_t times(std::uint8_t a, std::uint8_t b) {
    unsigned v = 0, x = a;
    for (unsigned y = b; y > 0; y >>= 1) {
        if ((y & 1) != 0) v ^= x;
        x = x << 1 ^ (x > 127 ? 0x11B : 0);
    }
    return static_cast<std::uint8_t>(v);
}

/// The table of AES, and its inverse.
const std::array<std::uint8_t, 256>& substitutes(bool isInverse) {
    static std::array<std::uint8_t, 256> table, inverse;
    if (table[0] == 0) {
        for (unsigned i = 0; i < 256; i++) {
            std::uint8_t own = 0;
            for (unsigned k = 1; k < 256; k++) if (times(static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(k)) == 1) own = static_cast<std::uint8_t>(k);
            unsigned v = 0;
            for (unsigned k = 0; k < 5; k++) v ^= static_cast<unsigned>(own << k | own >> (8 - k));
            table[i] = static_cast<std::uint8_t>(v ^ 0x63);
        }
        for (unsigned i = 0; i < 256; i++) inverse[table[i]] = static_cast<std::uint8_t>(i);
    }
    return isInverse ? inverse : table;
}

bool aes(const wire::Bytes& key, wire::Bytes& blocks, bool encrypts) {
    const std::array<std::uint8_t, 256>& s = substitutes(false);
    const std::size_t words = key.size() / 4, rounds = words + 6;
    wire::Bytes k = key;
    std::uint8_t constant = 1;
    for (std::size_t i = words; i < 4 * (rounds + 1); i++) {
        std::array<std::uint8_t, 4> w = {k[4 * i - 4], k[4 * i - 3], k[4 * i - 2], k[4 * i - 1]};
        if (i % words == 0) {
            w = {static_cast<std::uint8_t>(s[w[1]] ^ constant), s[w[2]], s[w[3]], s[w[0]]};
            constant = times(constant, 2);
        } else if (words > 6 && i % words == 4) {
            for (std::uint8_t& x : w) x = s[x];
        }
        for (std::size_t j = 0; j < 4; j++) k.push_back(static_cast<std::uint8_t>(k[4 * (i - words) + j] ^ w[j]));
    }
    const auto mix = [](std::uint8_t* b, const std::array<std::uint8_t, 4>& by) {
        for (std::size_t c = 0; c < 16; c += 4) {
            const std::array<std::uint8_t, 4> old = {b[c], b[c + 1], b[c + 2], b[c + 3]};
            for (std::size_t i = 0; i < 4; i++) {
                unsigned v = 0;
                for (std::size_t j = 0; j < 4; j++) v ^= times(old[j], by[(j + 4 - i) % 4]);
                b[c + i] = static_cast<std::uint8_t>(v);
            }
        }
    };
    for (std::size_t p = 0; p < blocks.size(); p += 16) {
        std::uint8_t* b = blocks.data() + p;
        const auto add = [&](std::size_t round) { for (std::size_t i = 0; i < 16; i++) b[i] = static_cast<std::uint8_t>(b[i] ^ k[16 * round + i]); };
        const auto replace = [&](bool isInverse) {
            std::array<std::uint8_t, 16> moved{};
            for (std::size_t i = 0; i < 16; i++) {
                const std::size_t from = isInverse ? (i + 16 - 4 * (i % 4)) % 16 : (i + 4 * (i % 4)) % 16;
                moved[i] = substitutes(isInverse)[b[from]];
            }
            std::copy(moved.begin(), moved.end(), b);
        };
        if (encrypts) {
            add(0);
            for (std::size_t round = 1; round <= rounds; round++) {
                replace(false);
                if (round < rounds) mix(b, {2, 3, 1, 1});
                add(round);
            }
        } else {
            add(rounds);
            for (std::size_t round = rounds; round-- > 0;) {
                replace(true);
                add(round);
                if (round > 0) mix(b, {14, 11, 13, 9});
            }
        }
    }
    return true;
}

// #endregion
// #region connection
// #region program
/// Whether a packet needs a layer that this program does not have.
bool isAbsent = false;

/// Whether this program has a layer of a kind.
bool has([[maybe_unused]] std::string_view kind) {
    // #region inflating
    if (kind == "zlib" || kind == "deflate" || kind == "gzip") return true;
    // #endregion
    return false;
}

void setLayer([[maybe_unused]] wire::Connection& connection, [[maybe_unused]] const char* name, [[maybe_unused]] std::string_view kind) {
    // #region inflating
    if (!has(kind)) return;
    const auto sealing = [kind](const wire::Bytes& content, const wire::Header&, wire::Bytes& sealed) {
        seal(content, sealed, kind);
        return wire::LayerOutcome::done;
    };
    connection.set_layer(name, {[kind](const wire::Bytes& sealed, const wire::Header&, std::size_t limit, wire::Bytes& content) { return open(sealed, limit, content, kind); }, sealing});
    // #endregion
}

void noteAbsence(const wire::Error& error, std::string_view name, std::string_view kind) {
    const std::string layer = "packet." + std::string(name);
    const std::size_t start = error.path.size() - std::min(layer.size(), error.path.size());
    if (error.kind == "layer_unavailable" && !has(kind) && error.path.substr(start) == layer) isAbsent = true;
}

// #endregion
/// Sets the states of a connection.
struct StateSetter {
    const Json& given;
    std::size_t position = 0;

    template <class T> void operator()(T& member) {
        const Json& v = given.at(tables().at("states").items[position++].at("name").text);
        if (v.kind == Json::Kind::nothing) return;
        if constexpr (std::is_same_v<T, bool>) {
            member = v.isTrue() || v.text == "1";
        } else if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> number{};
            readInteger(v, number, true, "state");
            member = static_cast<T>(number);
        } else {
            readInteger(v, member, true, "state");
        }
    }
};

/// A new connection, with the keys and the states of a request.
wire::Connection connectionOf(const Json& request) {
    wire::Connection made;
    // #region aes
    made.aes = aes;
    // #endregion
    // #region keys
    for (const auto& key : request.at("keys").members) {
        const bool isOfServer = key.first.compare(0, 7, "server.") == 0, isOfOne = isOfServer || key.first.compare(0, 7, "client.") == 0;
        std::optional<wire::Sender> sender;
        if (isOfOne) sender = isOfServer ? wire::Sender::server : wire::Sender::client;
        const std::optional<wire::Error> error = made.set_key(key.first.substr(isOfOne ? 7 : 0), unhexed(key.second), sender);
        if (error) refusal.refuse(std::string(error->kind), error->path);
    }
    // #endregion
    // #region program
    // #region each
    setLayer(made, LAYER_NAME, LAYER_KIND);
    // #endregion
    // #endregion
    StateSetter setter{request.at("state")};
    visitStates(setter, made);
    return made;
}

// #endregion
void tell(const wire::Error& error, const std::string& path, Json& answer) {
    // #region connection
    // #region program
    // #region each
    noteAbsence(error, LAYER_NAME, LAYER_KIND);
    // #endregion
    // #endregion
    // #endregion
    answer.add("reply", Json::of(std::string("error")));
    answer.add("error", Json::of(std::string(error.kind)));
    if (!path.empty()) answer.add("field", Json::of(path));
    if (error.offset >= 0) answer.add("offset", Json::number(std::to_string(error.offset)));
    answer.add("text", Json::of(error.text()));
}

void decode(const Json& request, wire::Sender sender, Json& answer) {
    const wire::Bytes bytes = unhexed(request.at("hex"));
    // #region connection
    wire::Connection connection = connectionOf(request);
    wire::Result<wire::Packet> packet = wire::decode(connection, bytes, sender);
    // #endregion
    // #region !connection
    //| wire::Result<wire::Packet> packet = wire::decode(bytes, sender);
    // #endregion
    if (refusal.failed) return;
    if (packet.failed()) return tell(packet.error(), packet.error().path, answer);
    answer.add("reply", Json::of(std::string(packet ? "ok" : "more")));
    if (!packet) return;
    answer.add("count", Json::number(std::to_string(packet->byte_count)));
    answer.add("line", line(*packet));
}

void encode(const Json& request, [[maybe_unused]] wire::Sender sender, Json& answer) {
    const wire::Message message = written(request.at("line"));
    const wire::Header header = headerOf(request.at("line"));
    // #region connection
    wire::Connection connection = connectionOf(request);
    if (refusal.failed) return;
    const wire::Result<wire::Bytes> made = wire::encode(connection, message, header, sender);
    // #endregion
    // #region !connection
    //| if (refusal.failed) return;
    //| // It is used again for each packet, also after errors.
    //| static wire::Bytes kept;
    //| const std::size_t before = kept.size() > 100000 ? 0 : kept.size();
    //| kept.resize(before);
    // #region sender
    //| const wire::Result<wire::Bytes> made = wire::encode(message, header, sender);
    //| const wire::Result<std::size_t> count = wire::append(kept, message, header, sender);
    // #endregion
    // #region !sender
    //| const wire::Result<wire::Bytes> made = wire::encode(message, header);
    //| const wire::Result<std::size_t> count = wire::append(kept, message, header);
    // #endregion
    //| if (kept.size() - before != (made ? made->size() : 0) || (made && !std::equal(made->begin(), made->end(), kept.begin() + static_cast<std::ptrdiff_t>(before)))) {
    //|     refusal.refuse("another_packet", "");
    //| }
    //| if (made && *count != made->size()) refusal.refuse("another_count", "");
    // #endregion
    if (made.failed()) return tell(made.error(), named(made.error().path, message), answer);
    answer.add("reply", Json::of(std::string("ok")));
    answer.add("hex", Json::of(hexed(*made)));
}

std::string reply(const std::string& text) {
    Parser parser{text};
    const Json request = parser.parsed();
    Json answer;
    refusal = Refusal();
    answer.add("id", request.at("id"));
    const wire::Sender sender = request.at("from").is("server") ? wire::Sender::server : wire::Sender::client;
    if (!parser.failed && request.at("ask").is("decode")) decode(request, sender, answer);
    else if (!parser.failed && request.at("ask").is("encode")) encode(request, sender, answer);
    else answer.add("reply", Json::of(std::string("skip")));
    // #region connection
    // #region program
    if (std::exchange(isAbsent, false)) {
        answer = Json();
        answer.add("id", request.at("id"));
        answer.add("reply", Json::of(std::string("skip")));
    }
    // #endregion
    // #endregion
    if (refusal.failed) {
        answer = Json();
        answer.add("id", request.at("id"));
        answer.add("reply", Json::of(std::string("error")));
        answer.add("error", Json::of(refusal.kind));
        answer.add("field", Json::of(refusal.path));
    }
    std::string out;
    print(answer, out);
    return out;
}

}  // namespace adapter

int main() {
    std::string text;
    while (std::getline(std::cin, text)) {
        std::cout << adapter::reply(text) << "\n";
        std::cout.flush();
    }
}
// #endregion
