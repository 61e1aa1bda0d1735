// SPDX-License-Identifier: Apache-2.0

// The runtime of generated C++, with all that a protocol can need.
//
// Comments mark its regions, which stay for a feature of the protocol, or with an exclamation mark without it. Code that cannot
// stand beside that of a feature is in comments with a bar. Of a region with the name called the functions stay that generated
// code calls. The generator replaces the constants by their values.

// #region includes
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
// #endregion

namespace runtime {

inline constexpr std::ptrdiff_t MAXIMUM_DEPTH = 64;
inline constexpr std::ptrdiff_t MAXIMUM_SIZE = 1 << 20;
inline constexpr std::ptrdiff_t MAXIMUM_INFLATED = 1 << 20;
inline constexpr int MAXIMUM_NESTED = 8;
inline constexpr std::ptrdiff_t LONGEST_HEADER = 8;
inline constexpr std::size_t RULE_PACKETS = 1;
inline constexpr std::size_t RULE_OPAQUE = 2;
inline constexpr std::size_t RULE_COUNT = 3;
inline constexpr std::size_t FIXED_COUNT = 1;
inline constexpr std::size_t LAYER_COUNT = 1;
inline constexpr std::size_t STREAM_ROOM = 2;
inline constexpr std::size_t KEY_COUNT = 1;
inline constexpr std::size_t KEY_ROOM = 2;
inline constexpr std::size_t OWN_COUNT = 1;
inline constexpr std::size_t OWN_ROOM = 2;
inline constexpr int FRAME_START = 0x7E;
inline constexpr int FRAME_END = 0x7E;
inline constexpr std::size_t FRAME_MARK_COUNT = 1;
#define FRAME_ESCAPES {{0x7E, 0x7D, 2}, {0x7D, 0x7D, 1}}

// #region base
/// Bytes that belong to a value.
using Bytes = std::vector<std::uint8_t>;

/// Who has sent a packet.
enum class Sender { client, server };

/// Why bytes are no packet of this protocol, or why a value cannot be written.
struct Error {
    /// What is wrong, in one word: `truncated`, `out_of_range`, …
    std::string_view kind;
    /// The field, in the schema's names: `Sc_20001.items[1].count`. Empty if no field is to blame.
    std::string path;
    /// Bytes from the packet's first one; -1 if a value could not be written.
    std::ptrdiff_t offset = -1;

    /// All of it as one line.
    std::string text() const {
        std::string line = path.empty() ? std::string() : path + ": ";
        line += kind;
        return offset < 0 ? line : line + " at offset " + std::to_string(offset);
    }

    friend bool operator==(const Error& a, const Error& b) { return a.kind == b.kind && a.path == b.path && a.offset == b.offset; }

    friend bool operator!=(const Error& a, const Error& b) { return !(a == b); }
};

/// A value, an error, or neither of them: more bytes are needed.
template <class T> class Result {
public:
    Result() {}
    Result(T value) : found(std::move(value)) {}
    Result(Error error) : fault(std::move(error)) {}

    /// Puts a value with its defaults in place of what there was.
    T& emplace() {
        fault.reset();
        return found.emplace();
    }

    /// Whether there is a value.
    explicit operator bool() const { return found.has_value(); }

    bool needs_more() const { return !found && !fault; }

    bool failed() const { return fault.has_value(); }

    /// The value, which must be there.
    T& operator*() { return *found; }

    const T& operator*() const { return *found; }

    T* operator->() { return &*found; }

    const T* operator->() const { return &*found; }

    /// The error, which must be there.
    const Error& error() const { return *fault; }

private:
    std::optional<T> found;
    std::optional<Error> fault;
};
// #endregion

// #region property
/// A line of a key and its value.
struct Property {
    std::string key;
    std::string value;

    friend bool operator==(const Property& a, const Property& b) { return a.key == b.key && a.value == b.value; }

    friend bool operator!=(const Property& a, const Property& b) { return !(a == b); }
};
// #endregion

// #region union
/// One of several values, or none.
template <class... T> class Union {
public:
    // Not a default: that would fill the room with zeros.
    Union() {}

    template <class V, std::enable_if_t<(std::is_same_v<V, T> || ...), int> = 0> Union(V value) { emplace<V>(std::move(value)); }

    Union(const Union& other) { take(other); }

    Union(Union&& other) noexcept { take(std::move(other)); }

    Union& operator=(const Union& other) {
        if (this != &other) {
            clear();
            take(other);
        }
        return *this;
    }

    Union& operator=(Union&& other) noexcept {
        if (this != &other) {
            clear();
            take(std::move(other));
        }
        return *this;
    }

    ~Union() { clear(); }

    /// The number of the value's type in the list, from 1 on; 0 for none.
    std::size_t index() const { return place; }

    /// Whether it is none of them.
    bool empty() const { return place == 0; }

    /// The value, if it has a type; otherwise a null pointer.
    template <class V> const V* get_if() const { return place == placeOf<V>() ? held<V>() : nullptr; }

    template <class V> V* get_if() { return place == placeOf<V>() ? held<V>() : nullptr; }

    /// Puts a value in place of what there was.
    template <class V> V& emplace(V value = V()) {
        clear();
        V* made = new (room) V(std::move(value));
        place = placeOf<V>();
        return *made;
    }

    void clear() {
        ((place == placeOf<T>() ? held<T>()->~T() : void()), ...);
        place = 0;
    }

    friend bool operator==(const Union& a, const Union& b) { return a.place == b.place && ((a.place != placeOf<T>() || *a.template held<T>() == *b.template held<T>()) && ...); }

    friend bool operator!=(const Union& a, const Union& b) { return !(a == b); }

private:
    template <class V> static constexpr std::size_t placeOf() {
        std::size_t i = 0, found = 0;
        ((i++, found = std::is_same_v<V, T> ? i : found), ...);
        return found;
    }

    template <class V> const V* held() const { return std::launder(reinterpret_cast<const V*>(room)); }

    template <class V> V* held() { return std::launder(reinterpret_cast<V*>(room)); }

    void take(const Union& other) {
        ((other.place == placeOf<T>() ? void(new (room) T(*other.template held<T>())) : void()), ...);
        place = other.place;
    }

    void take(Union&& other) {
        ((other.place == placeOf<T>() ? void(new (room) T(std::move(*other.template held<T>()))) : void()), ...);
        place = other.place;
    }

    std::size_t place = 0;
    alignas(T...) unsigned char room[std::max({sizeof(T)...})];
};
// #endregion

// #region box
/// A value of a type that contains itself. It is never empty: what was moved from, or is new, is a value with its defaults.
template <class T> class Box {
public:
    Box() = default;
    Box(T value) : own(std::make_unique<T>(std::move(value))) {}
    Box(const Box& other) : own(other.own ? std::make_unique<T>(*other.own) : nullptr) {}
    Box(Box&&) noexcept = default;
    ~Box() = default;

    Box& operator=(Box other) noexcept {
        own = std::move(other.own);
        return *this;
    }

    /// The value, which can be changed.
    T& value() {
        if (!own) own = std::make_unique<T>();
        return *own;
    }

    operator const T&() const { return own ? *own : none(); }

    const T& operator*() const { return *this; }

    const T* operator->() const { return &**this; }

    friend bool operator==(const Box& a, const Box& b) { return *a == *b; }

private:
    static const T& none() {
        static const T value{};
        return value;
    }

    std::unique_ptr<T> own;
};
// #endregion

// #region fixes
/// The header of a packet, which is the schema's.
struct Header {
    friend bool operator==(const Header&, const Header&) { return true; }
};
// #endregion

// #region message
namespace detail {

struct Reader;
struct Writer;

/// What is known of a message's type: each has one, by its index.
template <class T> struct Traits;

struct Kind {
    int index;
    const char* name;
    std::uint64_t (*id)(const void* m);
    void (*copy)(void* to, const void* from);
    void (*move)(void* to, void* from);
    void (*destroy)(void* m);
    bool (*equal)(const void* a, const void* b);
    void (*write)(Writer& w, const void* m, const Header& h);
    // #region fixedHeaders
    void (*fix)(Writer& w, Header& h);
    // #endregion
    // #region sender
    std::optional<Sender> (*sender)(const void* m);
    // #endregion
};

/// Each message that is not too large stands in a packet itself.
inline constexpr std::size_t room = 88;

template <class T> inline constexpr bool isNear = sizeof(T) <= room && alignof(T) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<T>;

template <class T> const T* held(const void* at) {
    if constexpr (isNear<T>) return std::launder(static_cast<const T*>(at));
    else return *static_cast<T* const*>(at);
}

template <class T> T* held(void* at) {
    if constexpr (isNear<T>) return std::launder(static_cast<T*>(at));
    else return *static_cast<T**>(at);
}

template <class T, class... V> T& begin(void* at, V&&... value) {
    if constexpr (isNear<T>) return *new (at) T(std::forward<V>(value)...);
    else return **new (at) T*(new T(std::forward<V>(value)...));
}

template <class T> struct Known {
    static void copy(void* to, const void* from) { begin<T>(to, *held<T>(from)); }

    static void move(void* to, void* from) {
        if constexpr (isNear<T>) begin<T>(to, std::move(*held<T>(from)));
        else new (to) T*(std::exchange(*static_cast<T**>(from), nullptr));
    }

    static void destroy(void* m) {
        if constexpr (isNear<T>) held<T>(m)->~T();
        else delete held<T>(m);
    }

    static bool equal(const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); }

    static void write(Writer& w, const void* m, const Header& h) { Traits<T>::write(w, *static_cast<const T*>(m), h); }

    static std::uint64_t id(const void* m) { return Traits<T>::id(*static_cast<const T*>(m)); }
    // #region fixedHeaders

    static void fix(Writer& w, Header& h) { Traits<T>::fix(w, h); }
    // #endregion
    // #region sender

    static std::optional<Sender> sender(const void* m) { return Traits<T>::sender(*static_cast<const T*>(m)); }
    // #endregion

    static const void* at(const void* m) { return held<T>(m); }
};

template <class T> inline constexpr Kind kind = {
    Traits<T>::index, Traits<T>::name, &Known<T>::id, &Known<T>::copy, &Known<T>::move, &Known<T>::destroy, &Known<T>::equal, &Known<T>::write,
    // #region fixedHeaders
    &Known<T>::fix,
    // #endregion
    // #region sender
    &Known<T>::sender,
    // #endregion
};

}  // namespace detail

/// A message of any type, or none.
class Message {
public:
    // Not a default: that would fill the room with zeros.
    Message() {}

    template <class T, int = detail::Traits<T>::index> Message(T message) { emplace<T>(std::move(message)); }

    Message(const Message& other) : kind(other.kind), locate(other.locate) {
        if (kind) kind->copy(room, other.room);
    }

    Message(Message&& other) noexcept : kind(other.kind), locate(other.locate) {
        if (kind) kind->move(room, other.room);
        other.clear();
    }

    Message& operator=(Message other) noexcept {
        clear();
        kind = other.kind;
        locate = other.locate;
        if (kind) kind->move(room, other.room);
        return *this;
    }

    ~Message() { clear(); }

    /// Whether it is no message at all.
    bool empty() const { return kind == nullptr; }

    /// The schema's name; empty if the schema does not know the message.
    std::string_view name() const { return kind ? kind->name : ""; }

    std::uint64_t id() const { return kind ? kind->id(locate(room)) : 0; }

    /// The message, if it has a type; otherwise a null pointer.
    template <class T> const T* get_if() const { return kind && kind->index == detail::Traits<T>::index ? detail::held<T>(room) : nullptr; }

    template <class T> T* get_if() { return kind && kind->index == detail::Traits<T>::index ? detail::held<T>(room) : nullptr; }

    /// Puts a message in place of what there was.
    template <class T> T& emplace(T message) { return made<T>(std::move(message)); }

    template <class T> T& emplace() { return made<T>(); }

    void clear() {
        if (kind) kind->destroy(room);
        kind = nullptr;
    }

    friend bool operator==(const Message& a, const Message& b) {
        if (!a.kind || !b.kind) return a.kind == b.kind;
        return a.kind->index == b.kind->index && a.kind->equal(a.locate(a.room), b.locate(b.room));
    }

    friend bool operator!=(const Message& a, const Message& b) { return !(a == b); }

private:
    template <class T, class... V> T& made(V&&... value) {
        clear();
        T& own = detail::begin<T>(room, std::forward<V>(value)...);
        kind = &detail::kind<T>;
        locate = &detail::Known<T>::at;
        return own;
    }

    friend struct AnyMessage;
    const detail::Kind* kind = nullptr;
    const void* (*locate)(const void*) = nullptr;
    alignas(std::max_align_t) unsigned char room[detail::room];
};

/// A message as an argument. It refers to it, and copies nothing.
struct AnyMessage {
    AnyMessage(const Message& message) : kind(message.kind), value(message.kind ? message.locate(message.room) : nullptr) {}

    template <class T, int = detail::Traits<T>::index> AnyMessage(const T& message) : kind(&detail::kind<T>), value(&message) {}

    bool empty() const { return kind == nullptr; }

    const char* name() const { return kind->name; }

    std::uint64_t id() const { return kind->id(value); }

    void write(detail::Writer& w, const Header& h) const { kind->write(w, value, h); }
    // #region fixedHeaders

    void fix(detail::Writer& w, Header& h) const { kind->fix(w, h); }
    // #endregion
    // #region sender

    std::optional<Sender> sender() const { return kind->sender(value); }
    // #endregion

    /// What is known of its type; null for none.
    const detail::Kind* kind;
    const void* value;
};

/// A message that was received, with its packet's header.
struct Packet {
    Message message;
    Header header;
    /// How many bytes the packet had.
    std::size_t byte_count = 0;

    Packet() {}
    Packet(Message own, Header fields = Header(), std::size_t count = 0) : message(std::move(own)), header(std::move(fields)), byte_count(count) {}

    template <class T> const T* get_if() const { return message.get_if<T>(); }

    friend bool operator==(const Packet& a, const Packet& b) { return a.message == b.message && a.header == b.header && a.byte_count == b.byte_count; }

    friend bool operator!=(const Packet& a, const Packet& b) { return !(a == b); }
};

/// A message that the schema does not know. It can be encoded, too.
struct UnknownMessage {
    std::uint64_t id = 0;
    Bytes payload;

    friend bool operator==(const UnknownMessage& a, const UnknownMessage& b) { return a.id == b.id && a.payload == b.payload; }

    friend bool operator!=(const UnknownMessage& a, const UnknownMessage& b) { return !(a == b); }
};

// #region packets
/// Whole packets in a packet, each with its header. A splitter gives them one by one in its place.
struct InnerPackets {
    std::uint64_t id = 0;
    std::vector<Packet> packets;

    friend bool operator==(const InnerPackets& a, const InnerPackets& b) { return a.id == b.id && a.packets == b.packets; }

    friend bool operator!=(const InnerPackets& a, const InnerPackets& b) { return !(a == b); }
};

// #endregion
namespace detail {

template <> struct Traits<UnknownMessage> {
    static constexpr int index = 0;
    static constexpr const char* name = "";

    static std::uint64_t id(const UnknownMessage& m) { return m.id; }

    static void write(Writer& w, const UnknownMessage& m, const Header& h);
    // #region fixedHeaders

    static void fix(Writer&, Header&) {}
    // #endregion
    // #region sender

    static std::optional<Sender> sender(const UnknownMessage&) { return std::nullopt; }
    // #endregion
};
// #region packets

template <> struct Traits<InnerPackets> {
    static constexpr int index = -1;
    static constexpr const char* name = "";

    static std::uint64_t id(const InnerPackets& m) { return m.id; }

    static void write(Writer& w, const InnerPackets& m, const Header& h);
    // #region fixedHeaders

    static void fix(Writer&, Header&) {}
    // #endregion

    /// Who sends the first message sends them all.
    static std::optional<Sender> sender(const InnerPackets& m) {
        if (m.packets.empty()) return std::nullopt;
        const AnyMessage first(m.packets[0].message);
        return first.kind ? first.kind->sender(first.value) : std::nullopt;
    }
};
// #endregion

}  // namespace detail
// #endregion

// #region layerTypes
// #region program
/// How a layer of the program has done its work.
enum class LayerOutcome {
    done,
    /// The bytes are damaged.
    damaged,
    /// The content is longer than the limit.
    too_long,
    /// Bytes follow the end of the content.
    trailing,
};

/// A layer that the program gives, such as zlib.
struct Layer {
    /// Puts what is inside of bytes into content, and stops if that has more bytes than the limit. The bytes are a stranger's.
    std::function<LayerOutcome(const Bytes& sealed, const Header& header, std::size_t limit, Bytes& content)> open;
    std::function<LayerOutcome(const Bytes& content, const Header& header, Bytes& sealed)> seal;
};

// #endregion
namespace detail {
// #region streams

/// Where a keystream goes on: how many bytes it gave, or the state of RC4.
struct Keystream {
    std::uint64_t used = 0;
    std::array<std::uint8_t, 256> s{};
    unsigned i = 0;
    unsigned j = 0;
};
// #endregion

struct Work;

}  // namespace detail
// #endregion

// What the generator prints for each protocol in its own way.

/// The states and layers of a connection.
struct Connection {
    // #region members
    // #region threshold
    /// From how many bytes on a content gets a layer that asks for its count; without it none does.
    std::optional<std::size_t> threshold;
    // #endregion

    // #region aes
    /// Encrypts or decrypts blocks of 16 bytes with AES, each for itself, in their place; false says that it cannot.
    std::function<bool(const Bytes& key, Bytes& blocks, bool encrypts)> aes;

    // #endregion
    // #region keys
    /// Sets a key for the packets of one side, or of both. Their keystreams begin anew.
    std::optional<Error> set_key(std::string_view name, Bytes key, std::optional<Sender> sender = std::nullopt);

    // #endregion
    // #region program
    /// Gives a layer of the program for the packets of one side, or of both: LAYER_NAMES.
    std::optional<Error> set_layer(std::string_view name, Layer layer, std::optional<Sender> sender = std::nullopt);

    // #endregion
    private:
    friend struct detail::Work;
    // #region streams
    std::array<std::optional<detail::Keystream>, STREAM_ROOM> streams;
    // #endregion
    // #region keys
    std::array<std::optional<Bytes>, KEY_ROOM> keys;
    // #endregion
    // #region program
    std::array<Layer, OWN_ROOM> layers;
    // #endregion
    // #endregion
};

namespace detail {

// #region view
/// Some bytes of something else.
struct View {
    const std::uint8_t* bytes;
    std::ptrdiff_t count;

    View(const std::uint8_t* at, std::ptrdiff_t n) : bytes(at), count(n) {}
    View(const char* text, std::ptrdiff_t n) : bytes(reinterpret_cast<const std::uint8_t*>(text)), count(n) {}
    View(const Bytes& all) : bytes(all.data()), count(static_cast<std::ptrdiff_t>(all.size())) {}
};
// #endregion

// #region helpers
inline std::ptrdiff_t countOf(std::string_view v) { return static_cast<std::ptrdiff_t>(v.size()); }

template <class T> std::ptrdiff_t countOf(const std::vector<T>& v) { return static_cast<std::ptrdiff_t>(v.size()); }

template <class T> typename std::vector<T>::const_reference item(const std::vector<T>& v, std::ptrdiff_t i) { return v[static_cast<std::size_t>(i)]; }

template <class T> const T& plain(const T& v) { return v; }

inline Bytes bytesOf(View v) { return Bytes(v.bytes, v.bytes + v.count); }

/// Some bits of a number, of which the first is the sign.
inline std::int64_t signedBits(std::uint64_t v, int shift, int width) { return static_cast<std::int64_t>(v >> shift << (64 - width)) >> (64 - width); }

/// The first byte that cannot be UTF-8 (Unicode 16, table 3-7), or the end.
inline std::ptrdiff_t flaw(const std::uint8_t* b, std::ptrdiff_t i, std::ptrdiff_t stop) {
    while (i < stop) {
        std::uint64_t eight;
        while (stop - i >= 8) {
            std::memcpy(&eight, b + i, 8);
            if ((eight & 0x8080808080808080U) != 0) break;
            i += 8;
        }
        if (i == stop) break;
        const int x = b[i];
        if (x < 128) {
            i++;
            continue;
        }
        const int n = x >= 0xC2 && x < 0xE0 ? 2 : x >= 0xE0 && x < 0xF0 ? 3 : x >= 0xF0 && x < 0xF5 ? 4 : 0;
        if (n == 0 || stop - i < n) return i;
        const int y = b[i + 1];
        if (y < (x == 0xE0 ? 0xA0 : x == 0xF0 ? 0x90 : 0x80) || y > (x == 0xED ? 0x9F : x == 0xF4 ? 0x8F : 0xBF)) return i;
        for (std::ptrdiff_t k = 2; k < n; k++) if ((b[i + k] & 0xC0) != 0x80) return i;
        i += n;
    }
    return i;
}
// #endregion

// #region boxes
template <class T> const T& plain(const Box<T>& v) { return *v; }
// #endregion

// #region steps
/// The names of the values that a reader or a writer is in, and the first error.
struct Steps {
    struct Step {
        const char* name;
        std::ptrdiff_t index;
    };

    bool failed = false;
    std::ptrdiff_t depth = MAXIMUM_DEPTH;
    Error error;

    /// Begins anew, in a value with a name.
    void begin(const char* name) {
        base = name;
        count = 0;
        depth = MAXIMUM_DEPTH;
    }

    void enter(const char* f) {
        if (count < near.size()) near[count] = {f, -1};
        else far.push_back({f, -1});
        count++;
    }

    void leave() {
        if (count > near.size()) far.pop_back();
        count--;
    }

    void index(std::ptrdiff_t i) { (count <= near.size() ? near[count - 1] : far.back()).index = i; }

    std::string path(const char* f) const {
        std::string text = base;
        for (std::size_t i = 0; i <= count; i++) {
            const Step step = i == count ? Step{f, -1} : i < near.size() ? near[i] : far[i - near.size()];
            if (!text.empty() && *step.name != 0) text += '.';
            text += step.name;
            if (step.index >= 0) text += '[' + std::to_string(step.index) + ']';
        }
        return text;
    }

private:
    const char* base = "packet";
    std::size_t count = 0;
    /// The first names need no memory of their own.
    std::array<Step, 8> near;
    std::vector<Step> far;
};
// #endregion

// #region reader
/// Reads values up to an end. It keeps the first error; what is read after that is 0.
struct Reader : Steps {
    // #region layers
    /// The most bytes of a packet.
    std::ptrdiff_t limit = MAXIMUM_SIZE;
    // #endregion
    const std::uint8_t* b;
    /// How many bytes the packet must have before it is worth another try.
    std::ptrdiff_t wanted = 0;

    explicit Reader(View v) : b(v.bytes), all(v.count), stop(v.count) {}

    /// Keeps an error, and goes where there are no bytes.
    void reject(const char* kind, std::string path, std::ptrdiff_t place) {
        if (!failed) error = Error{kind, std::move(path), place};
        failed = true;
        p = 0;
        stop = 0;
    }

    void fail(const char* kind, const char* f, std::ptrdiff_t place) { reject(kind, failed ? std::string() : path(f), place); }

    std::ptrdiff_t position() const { return p; }

    void seek(std::ptrdiff_t place) { if (!failed) p = place; }

    /// How many bytes are there; after an error fewer than any packet has.
    std::ptrdiff_t size() const { return failed ? -1 : all; }

    bool more() const { return p < stop; }

    void require(bool good, const char* kind, const char* f) { if (!good) fail(kind, f, mark); }

    void verify(bool good, const char* kind, const char* f, std::ptrdiff_t place) { if (!good) fail(kind, f, place); }

    /// Goes over bytes, if there are so many.
    bool go(std::int64_t n, const char* f) {
        mark = p;
        if (n > stop - p || n < 0) {
            fail("truncated", f, p);
            return false;
        }
        p += static_cast<std::ptrdiff_t>(n);
        return true;
    }

    std::ptrdiff_t take(std::ptrdiff_t n, const char* f) {
        const std::ptrdiff_t at = p;
        go(n, f);
        return at;
    }

    /// Whether fewer bytes are left.
    bool lacks(std::ptrdiff_t n) const { return stop - p < n; }

    /// Goes over numbers that are there, of which the last one has so many bytes; returns where they are.
    std::ptrdiff_t run(std::ptrdiff_t n, std::ptrdiff_t width) {
        const std::ptrdiff_t q = p;
        p = q + n;
        mark = p - width;
        return q;
    }

    /// Goes to a part of the packet.
    void bound(std::ptrdiff_t from, std::ptrdiff_t to) {
        if (failed) return;
        p = from;
        stop = to;
    }

    /// Some bytes of the packet; after an error there are none.
    View part(std::ptrdiff_t from, std::ptrdiff_t to) const { return failed ? View(b, 0) : View(b + from, to - from); }

    Bytes blob(std::int64_t n, const char* f) {
        const std::ptrdiff_t q = p;
        return go(n, f) ? Bytes(b + q, b + p) : Bytes();
    }

    std::int64_t atMost(std::ptrdiff_t place, std::int64_t n, std::int64_t most, const char* f) {
        if (most >= 0 && n > most) fail("too_long", f, place);
        return failed ? 0 : n;
    }

    std::int64_t rest(std::int64_t most, const char* f) { return atMost(p, stop - p, most, f); }

    std::uint64_t uintAt(std::ptrdiff_t q, std::ptrdiff_t n, bool little) const {
        std::uint64_t v = 0;
        for (std::ptrdiff_t i = 0; i < n; i++) v = v << 8 | b[little ? q + n - 1 - i : q + i];
        return v;
    }

    // #region called
    // Numbers.

    std::int64_t sintAt(std::ptrdiff_t q, std::ptrdiff_t n, bool little) const { return signedBits(uintAt(q, n, little), 0, static_cast<int>(8 * n)); }

    std::uint8_t u8At(std::ptrdiff_t q) const { return b[q]; }

    std::int8_t i8At(std::ptrdiff_t q) const { return static_cast<std::int8_t>(b[q]); }

    std::uint16_t u16At(std::ptrdiff_t q) const { return static_cast<std::uint16_t>(b[q] << 8 | b[q + 1]); }

    std::uint16_t u16LittleAt(std::ptrdiff_t q) const { return static_cast<std::uint16_t>(b[q] | b[q + 1] << 8); }

    std::int16_t i16At(std::ptrdiff_t q) const { return static_cast<std::int16_t>(u16At(q)); }

    std::int16_t i16LittleAt(std::ptrdiff_t q) const { return static_cast<std::int16_t>(u16LittleAt(q)); }

    std::uint32_t u24At(std::ptrdiff_t q) const { return static_cast<std::uint32_t>(uintAt(q, 3, false)); }

    std::uint32_t u24LittleAt(std::ptrdiff_t q) const { return static_cast<std::uint32_t>(uintAt(q, 3, true)); }

    std::int32_t i24At(std::ptrdiff_t q) const { return static_cast<std::int32_t>(sintAt(q, 3, false)); }

    std::int32_t i24LittleAt(std::ptrdiff_t q) const { return static_cast<std::int32_t>(sintAt(q, 3, true)); }

    std::uint32_t u32At(std::ptrdiff_t q) const { return static_cast<std::uint32_t>(b[q]) << 24 | static_cast<std::uint32_t>(b[q + 1]) << 16 | static_cast<std::uint32_t>(b[q + 2]) << 8 | b[q + 3]; }

    std::uint32_t u32LittleAt(std::ptrdiff_t q) const { return static_cast<std::uint32_t>(b[q + 3]) << 24 | static_cast<std::uint32_t>(b[q + 2]) << 16 | static_cast<std::uint32_t>(b[q + 1]) << 8 | b[q]; }

    std::int32_t i32At(std::ptrdiff_t q) const { return static_cast<std::int32_t>(u32At(q)); }

    std::int32_t i32LittleAt(std::ptrdiff_t q) const { return static_cast<std::int32_t>(u32LittleAt(q)); }

    std::uint64_t u64At(std::ptrdiff_t q) const { return static_cast<std::uint64_t>(u32At(q)) << 32 | u32At(q + 4); }

    std::uint64_t u64LittleAt(std::ptrdiff_t q) const { return static_cast<std::uint64_t>(u32LittleAt(q + 4)) << 32 | u32LittleAt(q); }

    std::int64_t i64At(std::ptrdiff_t q) const { return static_cast<std::int64_t>(u64At(q)); }

    std::int64_t i64LittleAt(std::ptrdiff_t q) const { return static_cast<std::int64_t>(u64LittleAt(q)); }

    template <class F, class B> static F floating(B bits) {
        F v;
        std::memcpy(&v, &bits, sizeof v);
        return v;
    }

    /// The number that 16 bits stand for.
    static double value16(std::uint16_t n) {
        const std::uint64_t exponent = n >> 10 & 31, fraction = n & 1023;
        double v = exponent == 0 ? static_cast<double>(fraction) / 16777216 : floating<double>((exponent + 1008) << 52 | fraction << 42);
        if (exponent == 31) v = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        return n < 0x8000 ? v : -v;
    }

    double f16At(std::ptrdiff_t q) const { return value16(u16At(q)); }

    double f16LittleAt(std::ptrdiff_t q) const { return value16(u16LittleAt(q)); }

    float f32At(std::ptrdiff_t q) const { return floating<float>(u32At(q)); }

    float f32LittleAt(std::ptrdiff_t q) const { return floating<float>(u32LittleAt(q)); }

    double f64At(std::ptrdiff_t q) const { return floating<double>(u64At(q)); }

    double f64LittleAt(std::ptrdiff_t q) const { return floating<double>(u64LittleAt(q)); }

    std::uint8_t u8(const char* f) { return go(1, f) ? u8At(mark) : std::uint8_t{}; }

    std::int8_t i8(const char* f) { return go(1, f) ? i8At(mark) : std::int8_t{}; }

    std::uint16_t u16(const char* f) { return go(2, f) ? u16At(mark) : std::uint16_t{}; }

    std::uint16_t u16Little(const char* f) { return go(2, f) ? u16LittleAt(mark) : std::uint16_t{}; }

    std::int16_t i16(const char* f) { return go(2, f) ? i16At(mark) : std::int16_t{}; }

    std::int16_t i16Little(const char* f) { return go(2, f) ? i16LittleAt(mark) : std::int16_t{}; }

    std::uint32_t u24(const char* f) { return go(3, f) ? u24At(mark) : 0; }

    std::uint32_t u24Little(const char* f) { return go(3, f) ? u24LittleAt(mark) : 0; }

    std::int32_t i24(const char* f) { return go(3, f) ? i24At(mark) : 0; }

    std::int32_t i24Little(const char* f) { return go(3, f) ? i24LittleAt(mark) : 0; }

    std::uint32_t u32(const char* f) { return go(4, f) ? u32At(mark) : 0; }

    std::uint32_t u32Little(const char* f) { return go(4, f) ? u32LittleAt(mark) : 0; }

    std::int32_t i32(const char* f) { return go(4, f) ? i32At(mark) : 0; }

    std::int32_t i32Little(const char* f) { return go(4, f) ? i32LittleAt(mark) : 0; }

    std::uint64_t u64(const char* f) { return go(8, f) ? u64At(mark) : 0; }

    std::uint64_t u64Little(const char* f) { return go(8, f) ? u64LittleAt(mark) : 0; }

    std::int64_t i64(const char* f) { return go(8, f) ? i64At(mark) : 0; }

    std::int64_t i64Little(const char* f) { return go(8, f) ? i64LittleAt(mark) : 0; }

    /// A number of up to 8 bytes without a sign.
    std::uint64_t uint(std::ptrdiff_t n, bool little, const char* f) { return go(n, f) ? uintAt(mark, n, little) : 0; }

    /// A number of up to 8 bytes with a sign.
    std::int64_t sint(std::ptrdiff_t n, bool little, const char* f) { return go(n, f) ? sintAt(mark, n, little) : 0; }

    double f16(const char* f) { return go(2, f) ? f16At(mark) : 0; }

    double f16Little(const char* f) { return go(2, f) ? f16LittleAt(mark) : 0; }

    float f32(const char* f) { return go(4, f) ? f32At(mark) : 0; }

    float f32Little(const char* f) { return go(4, f) ? f32LittleAt(mark) : 0; }

    double f64(const char* f) { return go(8, f) ? f64At(mark) : 0; }

    double f64Little(const char* f) { return go(8, f) ? f64LittleAt(mark) : 0; }

    bool boolean(const char* f) { return go(1, f) && boolAt(mark, f); }

    bool boolAt(std::ptrdiff_t q, const char* f) {
        const std::uint8_t x = b[q];
        if (x > 1) fail("invalid_boolean", f, q);
        return x == 1;
    }

    /// Unsigned LEB128 of at most so many bytes and 64 bits.
    std::uint64_t varint(int most, const char* f) {
        std::uint64_t v = 0;
        mark = p;
        for (int i = 0; i < most; i++) {
            if (p + i >= stop) {
                fail("truncated", f, p);
                return 0;
            }
            const std::uint8_t x = b[p + i];
            if (i == 9 && x > 1) break;
            // #region shortest
            if (x == 0 && i > 0) {
                fail("varint_not_shortest", f, p);
                return 0;
            }
            // #endregion
            v |= static_cast<std::uint64_t>(x & 127) << 7 * i;
            if (x < 128) {
                p += i + 1;
                return v;
            }
        }
        fail("varint_too_long", f, p);
        return 0;
    }

    std::int64_t zigzag(int most, const char* f) {
        const std::uint64_t v = varint(most, f);
        return static_cast<std::int64_t>(v >> 1 ^ (0 - (v & 1)));
    }

    std::int64_t varint32(int most, const char* f) {
        const std::uint64_t v = varint(most, f);
        if (v > 0xFFFFFFFFU) fail("varint_too_long", f, mark);
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(v));
    }

    /// A number without a sign as one that may have one; no length is so large.
    std::int64_t saturated(std::uint64_t v) const { return v > std::uint64_t{1} << 62 ? std::int64_t{1} << 62 : static_cast<std::int64_t>(v); }

    // Counts, and what goes into values.

    /// A count by its prefix: so many bytes, plus 16 if the least significant one is the first; 0 is a varint.
    std::int64_t count(int prefix, std::int64_t most, const char* f) {
        const std::uint64_t n = prefix > 0 ? uint(prefix & 15, prefix > 16, f) : varint(5, f);
        if (n > 0xFFFFFFFFU) fail("varint_too_long", f, mark);
        return atMost(mark, static_cast<std::int64_t>(n), most, f);
    }

    /// A count by a prefix with a sign; -1 for what is absent. 32 is a zigzag varint.
    std::int64_t countOrAbsent(int prefix, std::int64_t most, const char* f) {
        std::int64_t n = 0;
        if (prefix == 32) {
            const std::uint64_t v = varint(5, f);
            if (v > 0xFFFFFFFFU) fail("varint_too_long", f, mark);
            n = static_cast<std::int64_t>(v >> 1 ^ (0 - (v & 1)));
        } else {
            n = sint(prefix & 15, prefix > 16, f);
        }
        if (n < -1) fail("out_of_range", f, mark);
        return atMost(mark, n, most, f);
    }

    /// A count by an earlier field.
    std::int64_t counted(std::int64_t n, std::int64_t most, const char* f) {
        if (n < 0) fail("length_too_small", f, p);
        return atMost(p, n, most, f);
    }

    /// How many bytes there are up to a byte of 0.
    std::int64_t terminated(std::int64_t most, const char* f) {
        std::ptrdiff_t i = p;
        while (i < stop && b[i] != 0) i++;
        if (i == stop) fail("missing_terminator", f, p);
        return atMost(p, i - p, most, f);
    }

    std::int64_t terminatedUnits(std::int64_t most, const char* f) {
        for (std::ptrdiff_t i = p; i + 1 < stop; i += 2) if (b[i] == 0 && b[i + 1] == 0) return atMost(p, (i - p) / 2, most, f);
        fail("missing_terminator", f, p);
        return 0;
    }

    std::int64_t restUnits(std::int64_t most, const char* f) {
        const std::ptrdiff_t n = stop - p;
        atMost(p, n / 2, most, f);
        if (n % 2 == 1) fail("truncated", f, stop - 1);
        return failed ? 0 : n / 2;
    }

    /// Goes into so many bytes; returns where those around them end.
    std::ptrdiff_t inside(std::int64_t n, const char* f) {
        const std::ptrdiff_t outer = stop;
        if (!go(n, f)) return 0;
        stop = p;
        p = mark;
        return outer;
    }

    /// Leaves such bytes; what is left of them is skipped.
    void outside(std::ptrdiff_t outer) {
        if (failed) return;
        p = stop;
        stop = outer;
    }

    /// Goes into a value; deeper than the limit is an error.
    bool deeper(const char* f) {
        if (depth == 0) fail("too_deep", f, p);
        depth--;
        return !failed;
    }

    void shallower() { depth++; }

    /// How many items there can be, whatever a count announces.
    std::size_t capacity(std::int64_t n, std::ptrdiff_t least) const { return static_cast<std::size_t>(std::max<std::int64_t>(0, std::min<std::int64_t>(n, (stop - p) / least))); }

    bool hasItem(std::ptrdiff_t i, std::int64_t n) const { return i < n && !failed; }

    /// Whether an item follows in a list to the end.
    bool another(std::ptrdiff_t i, std::int64_t most) {
        if (p >= stop) return false;
        index(-1);
        atMost(p, i + 1, most, "");
        return !failed;
    }

    /// Whether an item follows in a list that a byte ends.
    bool anotherUntil(std::ptrdiff_t i, std::int64_t most, std::uint8_t end) {
        index(-1);
        if (p >= stop) fail("truncated", "", p);
        if (!failed && b[p] == end) {
            p++;
            return false;
        }
        atMost(p, i + 1, most, "");
        return !failed;
    }

    Bytes trailing() { return Bytes(b + p, b + stop); }

    void ended() { if (p < stop) fail("trailing_bytes", "", p); }

    // Text and bytes of fixed width.

    std::string utf8(std::ptrdiff_t q, std::ptrdiff_t end, const char* f) {
        const std::ptrdiff_t bad = flaw(b, q, end);
        if (bad < end) {
            fail("invalid_utf8", f, bad);
            return {};
        }
        return std::string(reinterpret_cast<const char*>(b + q), static_cast<std::size_t>(end - q));
    }

    std::string text(std::int64_t n, const char* f) { return go(n, f) ? utf8(mark, p, f) : std::string(); }

    /// Text in so many bytes, which a byte fills.
    std::string fixedText(std::ptrdiff_t n, int filler, const char* f) {
        if (!go(n, f)) return {};
        std::ptrdiff_t end = mark;
        if (filler == 0) while (end < p && b[end] != 0) end++;
        else for (end = p; end > mark && b[end - 1] == filler;) end--;
        return utf8(mark, end, f);
    }

    /// Two digits in each of so many bytes.
    std::string digits(std::ptrdiff_t n, const char* f) {
        std::string found;
        if (!go(n, f)) return found;
        for (std::ptrdiff_t i = mark; i < p; i++) {
            if (b[i] >> 4 > 9 || (b[i] & 15) > 9) {
                fail("invalid_digit", f, i);
                return {};
            }
            found += static_cast<char>('0' + (b[i] >> 4));
            found += static_cast<char>('0' + (b[i] & 15));
        }
        return found;
    }

    void constantText(std::ptrdiff_t n, View expected, const char* f) { sameBytes(take(n, f), expected, f); }

    /// Verifies bytes at a place, of which only the first ones count.
    void sameBytes(std::ptrdiff_t place, View expected, const char* f) {
        for (std::ptrdiff_t i = 0; i < expected.count && !failed; i++) {
            if (b[place + i] != expected.bytes[i]) fail("wrong_constant", f, place + i);
        }
    }

    std::string utf16(std::int64_t n, bool little, const char* f) { return go(n > stop ? -1 : 2 * n, f) ? units(mark, static_cast<std::ptrdiff_t>(n), little, f) : std::string(); }

    unsigned unit(std::ptrdiff_t q, bool little) const { return static_cast<unsigned>(little ? b[q + 1] << 8 | b[q] : b[q] << 8 | b[q + 1]); }

    /// Text of units of 16 bits; half of a surrogate pair is refused where it stands.
    std::string units(std::ptrdiff_t q, std::ptrdiff_t n, bool little, const char* f) {
        std::string found;
        for (std::ptrdiff_t i = 0; i < n; i++) {
            unsigned c = unit(q + 2 * i, little);
            const bool isLow = c >= 0xDC00 && c < 0xE000;
            if (c >= 0xD800 && c < 0xE000) {
                const unsigned low = i + 1 < n ? unit(q + 2 * i + 2, little) : 0;
                if (isLow || low < 0xDC00 || low >= 0xE000) {
                    fail("invalid_utf16", f, q + 2 * i);
                    return {};
                }
                c = 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
                i++;
            }
            const auto add = [&found](unsigned x) { found += static_cast<char>(static_cast<unsigned char>(x)); };
            if (c < 0x80) {
                add(c);
                continue;
            }
            if (c < 0x800) {
                add(0xC0 | c >> 6);
            } else {
                if (c < 0x10000) {
                    add(0xE0 | c >> 12);
                } else {
                    add(0xF0 | c >> 18);
                    add(0x80 | (c >> 12 & 63));
                }
                add(0x80 | (c >> 6 & 63));
            }
            add(0x80 | (c & 63));
        }
        return found;
    }

    std::string fixedUTF16(std::ptrdiff_t bytes, int filler, bool little, const char* f) {
        if (!go(bytes, f)) return {};
        std::ptrdiff_t n = 0;
        const unsigned pad = static_cast<unsigned>(filler);
        if (pad == 0) while (2 * n < bytes && unit(mark + 2 * n, little) != 0) n++;
        else for (n = bytes / 2; n > 0 && unit(mark + 2 * n - 2, little) == pad;) n--;
        return units(mark, n, little, f);
    }

    /// Lines of a key and a value up to the end.
    std::vector<Property> properties(bool strict, const char* f) {
        std::vector<Property> found;
        std::map<std::string_view, std::size_t> known;
        rest(65535, f);
        while (p < stop) {
            const std::ptrdiff_t at = p;
            std::ptrdiff_t end = at, colon = -1;
            for (; end < stop && b[end] != 10; end++) if (colon < 0 && b[end] == 58) colon = end;
            p = std::min(end + 1, stop);
            const std::string line = utf8(at, end, f);
            if (failed) break;
            if (colon <= at && strict) {
                fail("invalid_property", f, at);
                break;
            }
            if (colon == at || line.empty()) continue;
            const std::ptrdiff_t count = colon < 0 ? end - at : colon - at;
            const std::string_view key(reinterpret_cast<const char*>(b + at), static_cast<std::size_t>(count));
            const std::string value = colon < 0 ? std::string() : line.substr(key.size() + 1);
            const auto [place, isNew] = known.emplace(key, found.size());
            if (isNew) found.push_back({std::string(key), value});
            else found[place->second].value = value;
            if (strict && !isNew) fail("duplicate_key", f, at);
        }
        return found;
    }

    // What takes packets apart.

    /// The bytes of the whole packet, by one of its lengths.
    std::ptrdiff_t packetSize(std::int64_t length, std::ptrdiff_t difference, std::ptrdiff_t least, std::ptrdiff_t place) {
        const std::int64_t bound = std::int64_t{1} << 62;
        const std::int64_t n = std::min(std::max(length, -bound), bound) + difference;
        if (n < least) reject("length_too_small", "", place);
        else if (n > /*layers{*/limit/*}*//*!layers{MAXIMUM_SIZE}*/) reject("packet_too_long", "", place);
        return failed ? 0 : static_cast<std::ptrdiff_t>(n);
    }

    std::ptrdiff_t packetSizeSigned(std::int64_t length, std::ptrdiff_t difference, std::ptrdiff_t least, std::ptrdiff_t place) { return packetSize(length, difference, std::max(least, difference), place); }

    std::ptrdiff_t sameSize(std::ptrdiff_t n, std::ptrdiff_t other, const char* f, std::ptrdiff_t place) {
        verify(n == other, "length_mismatch", f, place);
        return n;
    }

    std::ptrdiff_t atLeast(std::ptrdiff_t n) const { return std::max(n, all); }

    /// Whether bytes of the header are there; if the packet is known to end before them, they are missing.
    bool arrived(std::ptrdiff_t n, const char* f) {
        if (stop - p >= n) return true;
        if (stop >= surely) fail("truncated", f, p);
        return false;
    }

    /// Whether a varint of the header is there, or cannot be one.
    bool varintArrived(int most) const {
        for (int i = 0; i < most && !failed; i++) {
            if (p + i >= stop) return stop >= surely;
            if (b[p + i] < 128) return true;
        }
        return !failed;
    }

    /// Lets nothing be read after the packet's end.
    void last(std::ptrdiff_t n) {
        surely = std::min(surely, n);
        if (!failed) stop = std::min(stop, surely);
    }

    void wants(std::ptrdiff_t n) { wanted = n; }

    void onlyPacket(std::ptrdiff_t total) { if (total < all) reject("trailing_bytes", "", total); }

    /// A copy of bytes in which some are zeros: pairs of a place and a count.
    Bytes zeroed(std::ptrdiff_t from, std::ptrdiff_t to, std::initializer_list<std::ptrdiff_t> zeros) const {
        Bytes copy = bytesOf(part(from, to));
        for (auto zero = zeros.begin(); zero != zeros.end() && !failed; zero += 2) std::fill_n(copy.begin() + (zero[0] - from), zero[1], std::uint8_t{0});
        return copy;
    }
    // #endregion

private:
    const std::ptrdiff_t all;
    std::ptrdiff_t p = 0;
    std::ptrdiff_t stop;
    std::ptrdiff_t mark = 0;
    /// Where the packet ends, as far as that is known.
    std::ptrdiff_t surely = std::numeric_limits<std::ptrdiff_t>::max();
};
// #endregion

// #region writer
/// Writes values after the bytes that there are already. It keeps the first error.
struct Writer : Steps {
    /// Where the packet begins, after those bytes, and how many bytes it has.
    std::ptrdiff_t start = 0;
    std::ptrdiff_t total = 0;

    /// Leaves room for a header of so many bytes.
    Writer(Bytes& bytes, std::ptrdiff_t lead) : out(bytes), base(bytes.size()), p(lead) {}

    void reject(const char* kind, std::string path) {
        if (!failed) error = Error{kind, std::move(path), -1};
        failed = true;
    }

    void require(bool good, const char* kind, const char* f) { if (!good && !failed) reject(kind, path(f)); }

    void verify(bool good, const char* kind) { if (!good) reject(kind, std::string()); }

    std::ptrdiff_t position() const { return p; }

    void seek(std::ptrdiff_t place) { p = std::max<std::ptrdiff_t>(place, 0); }

    /// Makes room for as many bytes as will probably follow.
    void reserve(std::ptrdiff_t n) {
        n = p + std::min<std::ptrdiff_t>(n, MAXIMUM_SIZE);
        if (n > size) grow(n);
    }

    std::ptrdiff_t room(std::ptrdiff_t n) {
        const std::ptrdiff_t q = p;
        p = q + n;
        if (p > size) grow(std::max(p, 2 * size + 64));
        return q;
    }

    /// Ends the packet, which is what was written from a place on.
    void packet(std::ptrdiff_t from, std::ptrdiff_t n) {
        start = from;
        total = n;
    }

    /// Leaves only the packet after the bytes that there were; after an error these alone.
    void finish() {
        if (failed) total = 0;
        else if (start > 0) std::memmove(b, b + start, static_cast<std::size_t>(total));
        const std::size_t count = base + static_cast<std::size_t>(total);
        if (out.size() != count) out.resize(count);
    }

    /// What was written from a place on.
    Bytes written(std::ptrdiff_t from) const { return failed ? Bytes() : Bytes(b + from, b + p); }

    View part(std::ptrdiff_t from, std::ptrdiff_t to) const { return failed ? View(b, 0) : View(b + from, to - from); }

    std::ptrdiff_t textLength(const std::string& v) const { return countOf(v); }

    std::ptrdiff_t blobLength(const Bytes& v) const { return countOf(v); }

    std::ptrdiff_t append(const void* v, std::ptrdiff_t n) {
        const std::ptrdiff_t q = room(n);
        if (n > 0) std::memcpy(b + q, v, static_cast<std::size_t>(n));
        return n;
    }

    std::ptrdiff_t appendBlob(const Bytes& v, const char*) { return append(v.data(), countOf(v)); }

    void putUint(std::uint64_t v, std::ptrdiff_t n, bool little) { setUint(room(n), v, n, little); }

    void setUint(std::ptrdiff_t q, std::uint64_t v, std::ptrdiff_t n, bool little) { for (std::ptrdiff_t i = 0; i < n; i++) b[little ? q + i : q + n - 1 - i] = static_cast<std::uint8_t>(v >> 8 * i); }

    // #region called
    // Numbers.

    /// Puts the bytes of a number together first, because a store of one might change where the next one goes.
    template <class T> void setBig(std::ptrdiff_t q, T v) {
        std::uint8_t bytes[sizeof v];
        for (std::size_t i = 0; i < sizeof v; i++) bytes[i] = static_cast<std::uint8_t>(v >> 8 * (sizeof v - 1 - i));
        std::memcpy(b + q, bytes, sizeof v);
    }

    template <class T> void setLittle(std::ptrdiff_t q, T v) {
        std::uint8_t bytes[sizeof v];
        for (std::size_t i = 0; i < sizeof v; i++) bytes[i] = static_cast<std::uint8_t>(v >> 8 * i);
        std::memcpy(b + q, bytes, sizeof v);
    }

    void setU8(std::ptrdiff_t q, std::uint8_t v, const char*) { b[q] = v; }

    void setI8(std::ptrdiff_t q, std::int8_t v, const char*) { b[q] = static_cast<std::uint8_t>(v); }

    void setU16(std::ptrdiff_t q, std::uint16_t v, const char*) { setBig(q, v); }

    void setU16Little(std::ptrdiff_t q, std::uint16_t v, const char*) { setLittle(q, v); }

    void setI16(std::ptrdiff_t q, std::int16_t v, const char*) { setBig(q, static_cast<std::uint16_t>(v)); }

    void setI16Little(std::ptrdiff_t q, std::int16_t v, const char*) { setLittle(q, static_cast<std::uint16_t>(v)); }

    void setU24(std::ptrdiff_t q, std::uint32_t v, const char* f) { set24(q, v, v <= 0xFFFFFF, false, f); }

    void setU24Little(std::ptrdiff_t q, std::uint32_t v, const char* f) { set24(q, v, v <= 0xFFFFFF, true, f); }

    void setI24(std::ptrdiff_t q, std::int32_t v, const char* f) { set24(q, static_cast<std::uint32_t>(v), v >= -0x800000 && v <= 0x7FFFFF, false, f); }

    void setI24Little(std::ptrdiff_t q, std::int32_t v, const char* f) { set24(q, static_cast<std::uint32_t>(v), v >= -0x800000 && v <= 0x7FFFFF, true, f); }

    void set24(std::ptrdiff_t q, std::uint32_t v, bool fits, bool little, const char* f) {
        require(fits, "out_of_range", f);
        setUint(q, v, 3, little);
    }

    void setU32(std::ptrdiff_t q, std::uint32_t v, const char*) { setBig(q, v); }

    void setU32Little(std::ptrdiff_t q, std::uint32_t v, const char*) { setLittle(q, v); }

    void setI32(std::ptrdiff_t q, std::int32_t v, const char*) { setBig(q, static_cast<std::uint32_t>(v)); }

    void setI32Little(std::ptrdiff_t q, std::int32_t v, const char*) { setLittle(q, static_cast<std::uint32_t>(v)); }

    void setU64(std::ptrdiff_t q, std::uint64_t v, const char*) { setBig(q, v); }

    void setU64Little(std::ptrdiff_t q, std::uint64_t v, const char*) { setLittle(q, v); }

    void setI64(std::ptrdiff_t q, std::int64_t v, const char*) { setBig(q, static_cast<std::uint64_t>(v)); }

    void setI64Little(std::ptrdiff_t q, std::int64_t v, const char*) { setLittle(q, static_cast<std::uint64_t>(v)); }

    /// The bits of a float; those of the quiet NaN for each NaN.
    template <class B, class F> static B bitsOf(F v, B quiet) {
        B bits;
        std::memcpy(&bits, &v, sizeof bits);
        return v != v ? quiet : bits;
    }

    /// The nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0.
    double nearest16(double v, const char* f) {
        const double a = v < 0 ? -v : v;
        require(a < 65520 || !(a <= std::numeric_limits<double>::max()), "number_too_large", f);
        if (!(a < 65520) || v == 0) return v;
        if (a < 1 / 16384.0) {
            // Nothing is lost by this product, so the rounding is the only one.
            const double units = a * 16777216;
            int n = static_cast<int>(units);
            if (units - n > 0.5 || (units - n == 0.5 && n % 2 == 1)) n++;
            const double nearest = n / 16777216.0;
            return v < 0 ? -nearest : nearest;
        }
        std::uint64_t bits = bitsOf<std::uint64_t>(v, std::uint64_t{});
        bits = (bits + 0x1FFFFFFFFFFU + (bits >> 42 & 1)) & ~0x3FFFFFFFFFFU;
        std::memcpy(&v, &bits, sizeof v);
        return v;
    }

    /// The bits of a number that has 16 of them; those of the quiet NaN for each NaN.
    static std::uint16_t bits16(double v) {
        const std::uint64_t bits = bitsOf<std::uint64_t>(v, 0x7FF8000000000000U);
        const double a = v < 0 ? -v : v;
        std::uint64_t n = v != v ? 0x7E00 : 0x7C00;
        if (a < 65520) n = a < 1 / 16384.0 ? static_cast<std::uint64_t>(a * 16777216) : (bits >> 42 & 0x1FFFFF) - 0xFC000;
        return static_cast<std::uint16_t>((bits >> 48 & 0x8000) | n);
    }

    void setF16(std::ptrdiff_t q, double v, const char* f) { setBig(q, bits16(nearest16(v, f))); }

    void setF16Little(std::ptrdiff_t q, double v, const char* f) { setLittle(q, bits16(nearest16(v, f))); }

    void setF32(std::ptrdiff_t q, float v, const char*) { setBig(q, bitsOf<std::uint32_t>(v, 0x7FC00000U)); }

    void setF32Little(std::ptrdiff_t q, float v, const char*) { setLittle(q, bitsOf<std::uint32_t>(v, 0x7FC00000U)); }

    void setF64(std::ptrdiff_t q, double v, const char*) { setBig(q, bitsOf<std::uint64_t>(v, 0x7FF8000000000000U)); }

    void setF64Little(std::ptrdiff_t q, double v, const char*) { setLittle(q, bitsOf<std::uint64_t>(v, 0x7FF8000000000000U)); }

    void putU8(std::uint8_t v, const char* f) { setU8(room(1), v, f); }

    void putI8(std::int8_t v, const char* f) { setI8(room(1), v, f); }

    void putU16(std::uint16_t v, const char* f) { setU16(room(2), v, f); }

    void putU16Little(std::uint16_t v, const char* f) { setU16Little(room(2), v, f); }

    void putI16(std::int16_t v, const char* f) { setI16(room(2), v, f); }

    void putI16Little(std::int16_t v, const char* f) { setI16Little(room(2), v, f); }

    void putU24(std::uint32_t v, const char* f) { setU24(room(3), v, f); }

    void putU24Little(std::uint32_t v, const char* f) { setU24Little(room(3), v, f); }

    void putI24(std::int32_t v, const char* f) { setI24(room(3), v, f); }

    void putI24Little(std::int32_t v, const char* f) { setI24Little(room(3), v, f); }

    void putU32(std::uint32_t v, const char* f) { setU32(room(4), v, f); }

    void putU32Little(std::uint32_t v, const char* f) { setU32Little(room(4), v, f); }

    void putI32(std::int32_t v, const char* f) { setI32(room(4), v, f); }

    void putI32Little(std::int32_t v, const char* f) { setI32Little(room(4), v, f); }

    void putU64(std::uint64_t v, const char* f) { setU64(room(8), v, f); }

    void putU64Little(std::uint64_t v, const char* f) { setU64Little(room(8), v, f); }

    void putI64(std::int64_t v, const char* f) { setI64(room(8), v, f); }

    void putI64Little(std::int64_t v, const char* f) { setI64Little(room(8), v, f); }

    void putF16(double v, const char* f) { setF16(room(2), v, f); }

    void putF16Little(double v, const char* f) { setF16Little(room(2), v, f); }

    void putF32(float v, const char* f) { setF32(room(4), v, f); }

    void putF32Little(float v, const char* f) { setF32Little(room(4), v, f); }

    void putF64(double v, const char* f) { setF64(room(8), v, f); }

    void putF64Little(double v, const char* f) { setF64Little(room(8), v, f); }

    void putBool(bool v) { setBool(room(1), v); }

    void setBool(std::ptrdiff_t q, bool v) { b[q] = v ? 1 : 0; }

    std::uint64_t bit(bool v) const { return v ? 1 : 0; }

    void putVarint(std::uint64_t v) {
        for (; v > 127; v >>= 7) putUint((v & 127) | 128, 1, false);
        putUint(v, 1, false);
    }

    std::ptrdiff_t varintSize(std::uint64_t v) const {
        std::ptrdiff_t n = 1;
        for (; v > 127; v >>= 7) n++;
        return n;
    }

    std::uint64_t zigzagBits(std::int64_t v) const { return static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63); }

    void insertVarint(std::ptrdiff_t place, std::uint64_t v) {
        const std::ptrdiff_t n = varintSize(v), q = room(n), after = p;
        std::memmove(b + place + n, b + place, static_cast<std::size_t>(q - place));
        p = place;
        putVarint(v);
        p = after;
    }

    // Text, bytes and counts.

    std::ptrdiff_t limit(std::ptrdiff_t n, std::int64_t most, const char* f) {
        require(most < 0 || n <= most, "too_long", f);
        return n;
    }

    std::ptrdiff_t notLess(std::ptrdiff_t n, std::ptrdiff_t least, const char* f) {
        require(n >= least, "length_too_small", f);
        return n;
    }

    std::ptrdiff_t exactly(std::ptrdiff_t n, std::ptrdiff_t count, const char* f) {
        require(n == count, "wrong_item_count", f);
        return n;
    }

    /// A count by its prefix: so many bytes, plus 16 if the least significant one is the first; 0 and 32 are varints.
    void putCount(std::ptrdiff_t n, int prefix, std::int64_t most, const char* f) {
        limit(n, most, f);
        if ((prefix & 15) == 0) putVarint(static_cast<std::uint64_t>(prefix == 32 ? 2 * n : n));
        else putUint(static_cast<std::uint64_t>(n), prefix & 15, prefix > 16);
    }

    /// A count of the last bytes, in the room before them or moving them.
    void putPrefix(std::ptrdiff_t n, std::ptrdiff_t byteCount, int prefix, std::int64_t most, const char* f) {
        limit(n, most, f);
        const std::ptrdiff_t after = p, width = prefix & 15;
        if (width == 0) {
            insertVarint(after - byteCount, static_cast<std::uint64_t>(prefix == 32 ? 2 * n : n));
            return;
        }
        p = after - byteCount - width;
        putUint(static_cast<std::uint64_t>(n), width, prefix > 16);
        p = after;
    }

    /// The prefix of what is absent: -1.
    void putAbsent(int prefix) { putUint(prefix == 32 ? 1 : std::numeric_limits<std::uint64_t>::max(), prefix == 32 ? 1 : prefix & 15, false); }

    bool isText(const std::string& v, const char* f) {
        const bool isGood = flaw(reinterpret_cast<const std::uint8_t*>(v.data()), 0, countOf(v)) == countOf(v);
        require(isGood, "invalid_utf8", f);
        return isGood;
    }

    void putText(const std::string& v, int prefix, std::int64_t most, const char* f) {
        isText(v, f);
        const std::ptrdiff_t n = countOf(v);
        if (prefix == 2) {
            // The usual prefix and its text take one test for room.
            limit(n, most, f);
            const std::ptrdiff_t q = room(2 + n);
            setBig(q, static_cast<std::uint16_t>(n));
            if (n > 0) std::memcpy(b + q + 2, v.data(), static_cast<std::size_t>(n));
            return;
        }
        putCount(n, prefix, most, f);
        append(v.data(), n);
    }

    void putBlob(const Bytes& v, int prefix, std::int64_t most, const char* f) {
        putCount(countOf(v), prefix, most, f);
        appendBlob(v, f);
    }

    std::ptrdiff_t appendText(const std::string& v, const char* f) {
        isText(v, f);
        return append(v.data(), countOf(v));
    }

    /// Writes text, and returns the number of its units.
    std::ptrdiff_t appendUTF16(const std::string& v, bool little, const char* f) {
        if (!isText(v, f)) return 0;
        std::ptrdiff_t count = 0;
        const auto put = [&](unsigned c) {
            putUint(c, 2, little);
            count++;
        };
        for (std::size_t i = 0; i < v.size();) {
            const unsigned x = static_cast<unsigned char>(v[i++]);
            unsigned c = x < 0x80 ? x : x < 0xE0 ? x & 31 : x < 0xF0 ? x & 15 : x & 7;
            for (int left = x < 0x80 ? 0 : x < 0xE0 ? 1 : x < 0xF0 ? 2 : 3; left > 0; left--) c = c << 6 | (static_cast<unsigned char>(v[i++]) & 63U);
            if (c < 0x10000) {
                put(c);
            } else {
                put(0xD800 + ((c - 0x10000) >> 10));
                put(0xDC00 + (c & 0x3FF));
            }
        }
        return count;
    }

    int unit(std::ptrdiff_t q, std::ptrdiff_t width, bool little) const {
        if (width == 1) return b[q];
        return little ? b[q + 1] << 8 | b[q] : b[q] << 8 | b[q + 1];
    }

    /// Ends text, in which there must be no unit of 0.
    void terminate(std::ptrdiff_t n, std::ptrdiff_t width, const char* f) {
        for (std::ptrdiff_t i = 1; i <= n; i++) require(unit(p - width * i, width, false) != 0, "embedded_terminator", f);
        putUint(0, width, false);
    }

    /// Fills text with a unit that must not end it; up to a NUL it must not have one.
    void padText(std::ptrdiff_t n, std::ptrdiff_t count, int filler, std::ptrdiff_t width, bool little, const char* f) {
        limit(n, count, f);
        for (std::ptrdiff_t i = 1; i <= (filler == 0 ? n : std::min<std::ptrdiff_t>(n, 1)); i++) require(unit(p - width * i, width, little) != filler, "embedded_terminator", f);
        for (std::ptrdiff_t i = n; i < count; i++) putUint(static_cast<std::uint64_t>(filler), width, little);
    }

    /// Fills what was written with zeros, up to so many bytes.
    void fillUp(std::ptrdiff_t n, std::ptrdiff_t count, const char* f) {
        limit(n, count, f);
        putZeros(count - n);
    }

    void putZeros(std::ptrdiff_t n) {
        if (n <= 0) return;
        const std::ptrdiff_t q = room(n);
        std::memset(b + q, 0, static_cast<std::size_t>(n));
    }

    void putBytes(View v) { append(v.bytes, v.count); }

    void putDigits(const std::string& v, std::ptrdiff_t n, const char* f) {
        for (const char c : v) require(c >= '0' && c <= '9', "invalid_digit", f);
        exactly(countOf(v), 2 * n, f);
        for (std::size_t i = 0; i + 1 < v.size(); i += 2) putUint(static_cast<std::uint64_t>(((v[i] & 15) << 4) | (v[i + 1] & 15)), 1, false);
    }

    void putProperties(const std::vector<Property>& v, const char* f) {
        const std::ptrdiff_t from = p;
        std::map<std::string_view, bool> known;
        for (const Property& item : v) {
            const bool isLine = !item.key.empty() && item.key.find_first_of(":\n") == std::string::npos && item.value.find('\n') == std::string::npos;
            require(isLine, "invalid_property", f);
            require(known.emplace(item.key, true).second, "duplicate_key", f);
            if (p > from) putUint(10, 1, false);
            appendText(item.key, f);
            putUint(58, 1, false);
            appendText(item.value, f);
        }
        limit(p - from, 65535, f);
    }

    void notStop(std::ptrdiff_t place, int stop) { require(place >= p || b[place] != stop, "embedded_terminator", ""); }

    /// The first field of several that is not set, where nothing that is set may follow.
    const char* gap(const char* before, bool isSet, const char* f) {
        if (*before == 0 && !isSet) return f;
        require(*before == 0 || !isSet, "gap_before_optional", before);
        return before;
    }

    void putTrailing(const Bytes& v, const char* gap) {
        if (v.empty()) return;
        require(*gap == 0, "gap_before_optional", gap);
        append(v.data(), countOf(v));
    }

    /// Whether a condition holds; a value is set exactly then.
    bool isPresent(bool isSet, bool holds, const char* f) {
        require(isSet == holds, "presence", f);
        return isSet && holds;
    }

    /// The count of several fields, which must be the same.
    std::int64_t agreed(std::int64_t before, std::ptrdiff_t count, std::ptrdiff_t more, const char* f) {
        const std::int64_t n = static_cast<std::int64_t>(count) + more;
        require(before == -2147483648LL || before == n, "wrong_item_count", f);
        return n;
    }

    std::int64_t orZero(std::int64_t n) const { return n == -2147483648LL ? 0 : n; }

    std::ptrdiff_t nonNegative(std::ptrdiff_t n) const { return std::max<std::ptrdiff_t>(n, 0); }

    void checkLength(std::int64_t v, std::int64_t low, std::int64_t high, const char* f) {
        require(v <= high, "packet_too_long", f);
        require(v >= low, "length_too_small", f);
    }

    void verifyHeader(bool good, const char* kind, const char* f) {
        enter("packet");
        require(good, kind, f);
        leave();
    }

    /// Goes into a value; deeper than the limit is an error.
    bool deeper(const char* f) {
        require(depth > 0, "too_deep", f);
        depth--;
        return !failed;
    }

    void shallower() { depth++; }

    /// Whether lengths cannot hold a packet, so that another form of the header may.
    bool doesNotFit() const { return failed && (error.kind == "packet_too_long" || error.kind == "length_too_small" || error.kind == "invalid_message_id"); }

    /// Forgets an error, and goes back.
    void retry(std::ptrdiff_t place) {
        failed = false;
        p = place;
    }
    // #endregion

private:
    void grow(std::ptrdiff_t n) {
        out.resize(base + static_cast<std::size_t>(n));
        b = out.data() + base;
        size = n;
    }

    Bytes& out;
    const std::size_t base;
    std::uint8_t* b = nullptr;
    std::ptrdiff_t size = 0;
    std::ptrdiff_t p;
};

inline void Traits<UnknownMessage>::write(Writer& w, const UnknownMessage& m, const Header&) {
    w.reserve(w.blobLength(m.payload));
    w.appendBlob(m.payload, "payload");
}
// #region packets

inline void Traits<InnerPackets>::write(Writer& w, const InnerPackets&, const Header&) { w.require(false, "wrong_type", ""); }
// #endregion
// #endregion

// #region checksum
// #region called
inline std::uint64_t reflected(View v, std::uint32_t polynomial, std::uint32_t x) {
    for (std::ptrdiff_t i = 0; i < v.count; i++) {
        x ^= v.bytes[i];
        for (int k = 0; k < 8; k++) x = (x & 1) != 0 ? x >> 1 ^ polynomial : x >> 1;
    }
    return x;
}

inline std::uint64_t ccitt(View v, unsigned x) {
    for (std::ptrdiff_t i = 0; i < v.count; i++) {
        x ^= static_cast<unsigned>(v.bytes[i]) << 8;
        for (int k = 0; k < 8; k++) x = ((x & 0x8000) != 0 ? x << 1 ^ 0x1021 : x << 1) & 0xFFFF;
    }
    return x;
}

inline std::uint64_t tabled(View v, const std::array<std::uint32_t, 256>& table) {
    std::uint32_t x = 0xFFFFFFFFU;
    for (std::ptrdiff_t i = 0; i < v.count; i++) x = x >> 8 ^ table[(x ^ v.bytes[i]) & 255];
    return x ^ 0xFFFFFFFFU;
}

constexpr std::array<std::uint32_t, 256> crcTable(std::uint32_t polynomial) {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; i++) {
        std::uint32_t x = i;
        for (int k = 0; k < 8; k++) x = (x & 1) != 0 ? x >> 1 ^ polynomial : x >> 1;
        table[i] = x;
    }
    return table;
}

inline std::uint64_t crc32(View v) {
    static constexpr std::array<std::uint32_t, 256> table = crcTable(0xEDB88320U);
    return tabled(v, table);
}

inline std::uint64_t crc32c(View v) {
    static constexpr std::array<std::uint32_t, 256> table = crcTable(0x82F63B78U);
    return tabled(v, table);
}

inline std::uint64_t crc16_arc(View v) { return reflected(v, 0xA001, 0); }

inline std::uint64_t crc16_modbus(View v) { return reflected(v, 0xA001, 0xFFFF); }

inline std::uint64_t crc16_kermit(View v) { return reflected(v, 0x8408, 0); }

inline std::uint64_t crc16_x25(View v) { return reflected(v, 0x8408, 0xFFFF) ^ 0xFFFF; }

inline std::uint64_t crc16_ccitt_false(View v) { return ccitt(v, 0xFFFF); }

inline std::uint64_t crc16_xmodem(View v) { return ccitt(v, 0); }

inline std::uint64_t adler32(View v) {
    std::uint32_t a = 1, c = 0;
    for (std::ptrdiff_t i = 0; i < v.count; i++) {
        a = (a + v.bytes[i]) % 65521;
        c = (c + a) % 65521;
    }
    return c << 16 | a;
}

inline std::uint64_t sum8(View v) {
    unsigned x = 0;
    for (std::ptrdiff_t i = 0; i < v.count; i++) x += v.bytes[i];
    return x & 255;
}

inline std::uint64_t xor8(View v) {
    unsigned x = 0;
    for (std::ptrdiff_t i = 0; i < v.count; i++) x ^= v.bytes[i];
    return x;
}
// #endregion
// #endregion

// #region frame
/// A byte that is escaped, and the two that stand for it.
struct Escape {
    int byte;
    int first;
    int second;
};

inline constexpr std::initializer_list<Escape> escapes = FRAME_ESCAPES;

/// What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.
struct Frame {
    Bytes b;
    std::size_t count = 0;
    std::optional<Error> error;

    /// Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over.
    bool take(const std::uint8_t* from, std::size_t n) {
        for (std::size_t i = 0; i < n && !error; i++) {
            const int x = from[i];
            count++;
            if (!inside) {
                if (x != FRAME_START) fault("wrong_constant", 0);
                inside = true;
            } else if (first >= 0) {
                unescape(x);
            } else if (x == FRAME_END) {
                if (!b.empty()) return true;
                inside = /*sameMarks{*/true/*}*//*!sameMarks{false}*/;
            } else if (x == FRAME_START) {
                fault("invalid_escape", b.size());
            } else if (std::any_of(escapes.begin(), escapes.end(), [x](const Escape& escape) { return escape.first == x; })) {
                first = x;
            } else {
                append(x);
            }
        }
        return false;
    }

    /// Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun.
    bool isInside() const { return inside/*sameMarks{*/ && (!b.empty() || first >= 0)/*}*/; }

private:
    bool inside = false;
    int first = -1;

    void fault(const char* kind, std::size_t offset) { error = Error{kind, "packet.frame", static_cast<std::ptrdiff_t>(offset)}; }

    void append(int x) {
        if (b.size() >= MAXIMUM_SIZE) fault("packet_too_long", 0);
        else b.push_back(static_cast<std::uint8_t>(x));
    }

    void unescape(int x) {
        for (const Escape& escape : escapes) {
            if (escape.first != first || escape.second != x) continue;
            append(escape.byte);
            first = -1;
            return;
        }
        fault("invalid_escape", b.size());
    }
};

/// Puts the bytes after some others between marks.
inline void enframe(Bytes& out, std::size_t base) {
    Bytes packet(out.begin() + static_cast<std::ptrdiff_t>(base), out.end());
    out.resize(base);
    out.push_back(FRAME_START);
    for (const std::uint8_t x : packet) {
        const auto found = std::find_if(escapes.begin(), escapes.end(), [x](const Escape& escape) { return escape.byte == x; });
        if (found == escapes.end()) {
            out.push_back(x);
        } else {
            out.push_back(static_cast<std::uint8_t>(found->first));
            out.push_back(static_cast<std::uint8_t>(found->second));
        }
    }
    out.push_back(FRAME_END);
}
// #endregion

// #region opened
/// A packet whose fields were read, but not its message.
struct Opened {
    Header header;
    std::ptrdiff_t byte_count = 0;
    std::uint64_t id = 0;
    // #region fixedHeaders
    /// The places of the fields that messages fix.
    std::array<std::ptrdiff_t, FIXED_COUNT> at{};
    // #endregion
};
// #endregion

// #region part
/// Some fields of a packet: where its content, the packet and these fields are, the count of the content, and which rules hold.
struct Part {
    std::uint64_t id = 0;
    Header header;
    std::ptrdiff_t body = 0;
    std::ptrdiff_t end = 0;
    std::ptrdiff_t after = 0;
    std::ptrdiff_t first = 0;
    bool has_count = false;
    std::int64_t count = 0;
    std::ptrdiff_t place = 0;
    std::array<bool, RULE_COUNT> rules{};
    // #region fixedHeaders
    std::array<std::ptrdiff_t, FIXED_COUNT> at{};
    // #endregion
};

/// Layers, and the number of the fields inside of them; -1 for none.
struct Section {
    std::vector<std::size_t> layers;
    int part;
};

/// How packets of one shape are opened and sealed.
struct Shape {
    int outer;
    std::vector<Section> sections;
    // #region counter
    /// The field that counts the bytes inside the innermost layer; empty for none.
    const char* counter;
    std::int64_t most;
    std::int64_t constant;
    std::size_t firstLayer;
    bool isSettable;
    // #endregion
};
// #endregion

// #region reading
template <class T> void readInto(Reader& r, const Header& h, Message& message) {
    T& m = message.emplace<T>();
    r.begin(Traits<T>::name);
    Traits<T>::read(r, m, h);
}
// #region fixedHeaders

/// Verifies first the fields of the header that a message fixes.
template <class T> void verifyAndRead(Reader& r, const Header& h, const std::array<std::ptrdiff_t, FIXED_COUNT>& at, Message& message, bool& isOfHeader) {
    T& m = message.emplace<T>();
    Traits<T>::verify(r, h, at);
    isOfHeader = r.failed;
    if (r.failed) return;
    r.begin(Traits<T>::name);
    Traits<T>::read(r, m, h);
}
// #endregion
// #endregion

// What the generator prints for each protocol in its own way.

inline bool shapeOf(Sender, const Connection&, bool, Error&, std::ptrdiff_t& shape) {
    shape = 0;
    return true;
}

inline bool unwrapPart(std::ptrdiff_t, Reader&, Part&) { return true; }

inline void wrapPart(std::ptrdiff_t, Writer& w, std::uint64_t, const Header&) { w.packet(0, w.position()); }

inline void change(Connection&, Sender, std::uint64_t) {}

inline void copyIdentifiers(Header&, const Header&) {}

inline void dispatch(Reader&, const Part&, const Header&, Sender, Message&, bool&) {}

inline bool hasCount(std::ptrdiff_t, const Header&) { return false; }

inline bool isCountGiven(std::ptrdiff_t, const Header&) { return false; }

inline void setCount(std::ptrdiff_t, Header&, std::ptrdiff_t) {}

inline const std::vector<Shape>& layerings() {
    static const std::vector<Shape> all = {{0, {{{0}, -1}}, "", 0, 0, 0, false}};
    return all;
}

inline constexpr std::array<const char*, LAYER_COUNT> layerNames = {"packet.layer"};

inline constexpr std::array<bool, LAYER_COUNT> inflates = {true};

inline constexpr std::array<bool, LAYER_COUNT> lasts = {true};

inline constexpr std::array<const char*, OWN_COUNT> ownNames = {"layer"};

// #region keyFacts
/// The name of a key, the numbers of bytes that it may have, and the layers that use it.
struct KeyFacts {
    const char* name;
    std::vector<std::pair<std::size_t, std::size_t>> sizes;
    std::vector<std::size_t> layers;
};
// #endregion

inline const std::vector<KeyFacts>& keyFacts() {
    static const std::vector<KeyFacts> all = {{"key", {{1, 16}}, {0}}};
    return all;
}

Bytes openLayer(Work& work, std::size_t n, const Header& h, const Bytes& b);

Bytes sealLayer(Work& work, std::size_t n, const Header& h, const Bytes& b);

// #region work
/// Goes on through all packets in one. Only if all of it was right, the connection takes it over. It keeps the first error.
struct Work {
    bool failed = false;
    Error error;

    Work(Sender side, Connection& connection) : sender(side), c(connection)/*streams{*/, streams(connection.streams)/*}*/ {}

    void commit() {
        for (const std::uint64_t id : ids) change(c, sender, id);
        // #region streams
        c.streams = streams;
        // #endregion
    }

    /// The packet that bytes begin with, out of its layers; without an error and a packet, more bytes are needed.
    bool open(Reader& r, int depth, [[maybe_unused]] std::uint64_t used, Packet& packet) {
        std::ptrdiff_t number = 0;
        if (!shapeOf(sender, c, depth > 0, error, number)) return isFailed();
        const Shape& shape = layerings()[static_cast<std::size_t>(number)];
        Part p;
        const bool isWhole = unwrapPart(shape.outer, r, p);
        if (r.failed) return isFailed(r.error);
        if (!isWhole) return false;
        const std::ptrdiff_t after = p.after;
        Bytes data = bytesOf(r.part(0, p.body)), content = bytesOf(r.part(p.body, p.end));
        const Bytes trailer = bytesOf(r.part(p.end, after));
        std::ptrdiff_t origin = 0;
        // #region counter
        bool hasNumber = p.has_count;
        std::int64_t count = p.count;
        std::ptrdiff_t place = p.place;
        std::int64_t inside = -1;
        // #endregion
        for (const Section& section : shape.sections) {
            for (const std::size_t n : section.layers) {
                if (!p.rules[n]) continue;
                // #region counter
                if (hasNumber && *shape.counter != 0 && count - shape.constant > MAXIMUM_INFLATED) return isRefused("inflated_too_long", n);
                // #endregion
                // #region streams
                if (!withStream(n, used)) return false;
                // #endregion
                content = openLayer(*this, n, p.header, content);
                if (failed || !takeInflated(n, content.size())) return false;
                origin = countOf(data);
                // #region counter
                if (n >= shape.firstLayer) inside = countOf(content);
                // #endregion
            }
            if (section.part < 0) continue;
            Bytes whole = joined(std::move(data), content);
            if (!readWhole(section.part, whole, origin, p)) return false;
            data = Bytes(whole.begin(), whole.begin() + p.body);
            content = Bytes(whole.begin() + p.body, whole.begin() + p.end);
            // #region counter
            if (!hasNumber && p.has_count) {
                hasNumber = true;
                count = p.count;
                place = p.place - origin;
            }
            // #endregion
        }
        // #region counter
        if (hasNumber && *shape.counter != 0 && count != (inside < 0 ? 0 : inside + shape.constant)) return isFailed(Error{"length_mismatch", shape.counter, place});
        // #endregion
        const Bytes flat = joined(joined(std::move(data), content), trailer);
        if (!readWhole(shape.outer + 1, flat, origin, p)) return false;
        packet.header = p.header;
        packet.byte_count = static_cast<std::size_t>(after);
        // #region packets
        if (p.rules[RULE_PACKETS]) {
            InnerPackets group;
            group.id = p.id;
            if (!openPackets(Bytes(flat.begin() + p.body, flat.begin() + p.end), depth + 1, used, group.packets)) return false;
            packet.message.emplace<InnerPackets>(std::move(group));
            return true;
        }
        // #endregion
        // A part of a message sets no state.
        if (p.rules[RULE_OPAQUE]) {
            packet.message.emplace<UnknownMessage>({p.id, Bytes(flat.begin() + p.body, flat.begin() + p.end)});
            return true;
        }
        ids.push_back(p.id);
        Reader own(flat);
        own.bound(p.body, p.end);
        // A header field that the message fixes has a place that counts from the packet's first byte.
        bool isOfHeader = false;
        dispatch(own, p, p.header, sender, packet.message, isOfHeader);
        if (!own.failed) return true;
        return isFailed(isOfHeader ? own.error : moved(own.error, origin));
    }

    /// Puts a whole packet of a message after some bytes.
    bool seal(AnyMessage message, const Header& header, int depth, Bytes& out) {
        if (!message.kind) return isFailed(Error{"wrong_type", "", -1});
        // #region packets
        if (message.kind->index == Traits<InnerPackets>::index) return sealPackets(*static_cast<const InnerPackets*>(message.value), header, depth, out);
        // #endregion
        Bytes payload;
        Header given = header;
        Writer w(payload, 0);
        w.begin(message.kind->name);
        // #region fixedHeaders
        message.kind->fix(w, given);
        // #endregion
        message.kind->write(w, message.value, given);
        w.packet(0, w.position());
        w.finish();
        if (w.failed) return isFailed(w.error);
        return around(payload, message.kind->id(message.value), given, *message.kind->name == 0 ? Holds::any : Holds::message, depth, out);
    }

    /// Says that there is no packet.
    bool isFailed() {
        failed = true;
        return false;
    }

    bool isFailed(Error fault) {
        error = std::move(fault);
        return isFailed();
    }

    bool isRefused(std::string_view kind, std::size_t n) { return isFailed(Error{kind, layerNames[n], -1}); }
    // #region keys

    Bytes key(std::size_t k, std::size_t n) {
        const std::optional<Bytes>& key = c.keys[sender == Sender::server ? k + KEY_COUNT : k];
        if (key) return *key;
        isRefused("layer_unavailable", n);
        return {};
    }
    // #endregion
    // #region xor

    Bytes xorKey(Bytes b, const Bytes& key, std::size_t) {
        for (std::size_t i = 0; i < b.size() && !key.empty(); i++) b[i] = static_cast<std::uint8_t>(b[i] ^ key[i % key.size()]);
        return b;
    }
    // #endregion
    // #region rc4

    /// Goes on with the keystream from packet to packet.
    Bytes rc4(Bytes b, const Bytes& key, std::size_t n) {
        if (failed) return {};
        std::optional<Keystream>& stream = streams[place(n)];
        if (!stream) {
            stream.emplace();
            for (unsigned k = 0; k < 256; k++) stream->s[k] = static_cast<std::uint8_t>(k);
            unsigned j = 0;
            for (unsigned k = 0; k < 256; k++) {
                j = (j + stream->s[k] + key[k % key.size()]) & 255;
                std::swap(stream->s[k], stream->s[j]);
            }
        }
        for (std::uint8_t& x : b) {
            stream->i = (stream->i + 1) & 255;
            stream->j = (stream->j + stream->s[stream->i]) & 255;
            std::swap(stream->s[stream->i], stream->s[stream->j]);
            x = static_cast<std::uint8_t>(x ^ stream->s[(stream->s[stream->i] + stream->s[stream->j]) & 255]);
        }
        return b;
    }
    // #endregion
    // #region aes

    /// Encrypts or decrypts blocks, each for itself.
    bool cipher(const Bytes& key, Bytes& blocks, bool encrypts, std::size_t n) {
        if (failed) return false;
        const std::size_t count = blocks.size();
        return (c.aes && c.aes(key, blocks, encrypts) && blocks.size() == count) || isRefused("layer_unavailable", n);
    }

    bool isVector(const std::optional<Bytes>& start, std::size_t n) { return !failed && ((start && start->size() == 16) || isRefused("layer_unavailable", n)); }
    // #endregion
    // #region aes_ctr

    /// The keystream of counters from start on, of which some bytes were used before.
    Bytes aesCTR(Bytes b, const Bytes& key, const std::optional<Bytes>& start, std::uint64_t used, std::size_t n) {
        if (!isVector(start, n)) return {};
        const std::size_t skipped = static_cast<std::size_t>(used % 16);
        const std::size_t count = (skipped + b.size() + 15) / 16;
        Bytes counters(16 * count);
        for (std::size_t k = 0; k < count; k++) {
            std::uint64_t carry = used / 16 + k;
            for (std::size_t i = 16; i-- > 0; carry >>= 8) {
                carry += (*start)[i];
                counters[16 * k + i] = static_cast<std::uint8_t>(carry);
            }
        }
        if (!b.empty() && !cipher(key, counters, true, n)) return {};
        for (std::size_t i = 0; i < b.size(); i++) b[i] = static_cast<std::uint8_t>(b[i] ^ counters[skipped + i]);
        return b;
    }
    // #endregion
    // #region aes_ctr_lasting

    /// Goes on with the keystream from packet to packet.
    Bytes aesCTRLasting(const Bytes& b, const Bytes& key, const std::optional<Bytes>& start, std::size_t n) {
        if (failed) return {};
        Keystream stream = streams[place(n)].value_or(Keystream());
        Bytes made = aesCTR(b, key, start, stream.used, n);
        stream.used += b.size();
        streams[place(n)] = stream;
        return made;
    }
    // #endregion
    // #region aes_cbc

    Bytes openCBC(const Bytes& b, const Bytes& key, const std::optional<Bytes>& start, std::size_t n) {
        if (!isVector(start, n)) return {};
        Bytes made = b;
        if (b.empty() || b.size() % 16 != 0) isRefused("invalid_layer", n);
        if (!cipher(key, made, false, n)) return {};
        for (std::size_t i = 0; i < made.size(); i++) made[i] = static_cast<std::uint8_t>(made[i] ^ (i < 16 ? (*start)[i] : b[i - 16]));
        const std::size_t count = made.back();
        const bool isPadded = count >= 1 && count <= 16 && std::all_of(made.end() - static_cast<std::ptrdiff_t>(count), made.end(), [count](std::uint8_t x) { return x == count; });
        if (!isPadded) {
            isRefused("invalid_layer", n);
            return {};
        }
        made.resize(made.size() - count);
        return made;
    }

    Bytes sealCBC(Bytes b, const Bytes& key, const std::optional<Bytes>& start, std::size_t n) {
        if (!isVector(start, n)) return {};
        const std::size_t count = 16 - b.size() % 16;
        b.insert(b.end(), count, static_cast<std::uint8_t>(count));
        Bytes last = *start, made;
        for (std::size_t p = 0; p < b.size(); p += 16) {
            for (std::size_t i = 0; i < 16; i++) last[i] = static_cast<std::uint8_t>(last[i] ^ b[p + i]);
            if (!cipher(key, last, true, n)) return {};
            made.insert(made.end(), last.begin(), last.end());
        }
        return made;
    }
    // #endregion
    // #region program

    Bytes openOwn(const Bytes& b, const Header& h, std::size_t k, std::size_t n) {
        const Layer& layer = own(k);
        Bytes content;
        if (!layer.open) isRefused("layer_unavailable", n);
        else isDone(layer.open(b, h, left, content), n);
        return content;
    }

    Bytes sealOwn(const Bytes& b, const Header& h, std::size_t k, std::size_t n) {
        const Layer& layer = own(k);
        Bytes made;
        if (!layer.seal) isRefused("layer_unavailable", n);
        else isDone(layer.seal(b, h, made), n);
        return made;
    }
    // #endregion
    // #region keys

    static std::optional<Error> setKey(Connection& c, std::string_view name, const Bytes& key, std::optional<Sender> side) {
        for (std::size_t k = 0; k < KEY_COUNT; k++) {
            const KeyFacts& facts = keyFacts()[k];
            if (facts.name != name) continue;
            if (std::none_of(facts.sizes.begin(), facts.sizes.end(), [&key](const auto& size) { return key.size() >= size.first && key.size() <= size.second; })) break;
            for (std::size_t i = 0; i < 2; i++) {
                if (side && (*side == Sender::server) != (i == 1)) continue;
                c.keys[k + KEY_COUNT * i] = key;
                // #region streams
                for (const std::size_t layer : facts.layers) c.streams[layer + LAYER_COUNT * i].reset();
                // #endregion
            }
            return std::nullopt;
        }
        const bool isKnown = std::any_of(keyFacts().begin(), keyFacts().end(), [name](const KeyFacts& facts) { return facts.name == name; });
        return Error{isKnown ? "wrong_key" : "unknown_key", "key." + std::string(name), -1};
    }
    // #endregion
    // #region program

    static std::optional<Error> setLayer(Connection& c, std::string_view name, const Layer& layer, std::optional<Sender> side) {
        for (std::size_t k = 0; k < OWN_COUNT; k++) {
            if (ownNames[k] != name) continue;
            for (std::size_t i = 0; i < 2; i++) if (!side || (*side == Sender::server) == (i == 1)) c.layers[k + OWN_COUNT * i] = layer;
            return std::nullopt;
        }
        return Error{"unknown_layer", "layer." + std::string(name), -1};
    }
    // #endregion

private:
    /// What a content must be, if that is known.
    enum class Holds { any, message, packets };

    const Sender sender;
    Connection& c;
    /// The messages that change states.
    std::vector<std::uint64_t> ids;
    /// How many bytes compression may still make.
    std::size_t left = MAXIMUM_INFLATED;
    // #region packets
    int packetCount = 0;
    // #endregion
    // #region streams
    std::array<std::optional<Keystream>, STREAM_ROOM> streams;
    /// The layers whose keystream goes on that the packet to seal uses, as bits.
    std::uint64_t lasting = 0;

    std::size_t place(std::size_t n) const { return sender == Sender::server ? n + LAYER_COUNT : n; }

    /// Adds a keystream that goes on. Inner packets are sealed first and opened last, so none may use it again.
    bool withStream(std::size_t n, std::uint64_t& used) {
        if (!lasts[n]) return true;
        if ((used >> n & 1) != 0) return isRefused("invalid_layer", n);
        used |= std::uint64_t{1} << n;
        return true;
    }
    // #endregion
    // #region program

    const Layer& own(std::size_t k) const { return c.layers[sender == Sender::server ? k + OWN_COUNT : k]; }

    bool isDone(LayerOutcome outcome, std::size_t n) {
        switch (outcome) {
            case LayerOutcome::done: return true;
            case LayerOutcome::too_long: return isRefused("inflated_too_long", n);
            case LayerOutcome::trailing: return isRefused("trailing_bytes", n);
            case LayerOutcome::damaged: break;
        }
        return isRefused("invalid_layer", n);
    }
    // #endregion

    static Bytes joined(Bytes first, const Bytes& second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
    }

    /// An error whose offset counts from another place.
    static Error moved(Error error, std::ptrdiff_t origin) {
        if (error.offset >= 0) error.offset -= origin;
        return error;
    }

    /// Counts what compression has made against the limit.
    bool takeInflated(std::size_t n, std::size_t count) {
        if (!inflates[n]) return true;
        if (count > left) return isRefused("inflated_too_long", n);
        left -= count;
        return true;
    }

    /// The fields of an opened packet; offsets count from the first byte inside the innermost layer.
    bool readWhole(std::ptrdiff_t part, const Bytes& b, std::ptrdiff_t origin, Part& p) {
        Reader r(b);
        r.limit = std::numeric_limits<std::int32_t>::max();
        p = Part();
        if (!unwrapPart(part, r, p) && !r.failed) r.reject("truncated", "", countOf(b));
        return !r.failed || isFailed(moved(r.error, origin));
    }

    // #region packets
    bool countPacket() { return packetCount++ < 65536 || isFailed(Error{"too_long", "packets", -1}); }

    /// Says that there is an error in a packet inside another one.
    bool isFailedInside(std::size_t i) {
        const std::string path = "packets[" + std::to_string(i) + "]";
        error.path = error.path.empty() ? path : path + "." + error.path;
        return false;
    }

    bool openPacket(const std::uint8_t* b, std::size_t n, int depth, std::uint64_t used, Packet& packet) {
        // #region frames
        Frame frame;
        const bool isWhole = frame.take(b, n);
        if (frame.error) return isFailed(*frame.error);
        if (!isWhole) return isFailed(Error{"truncated", "", static_cast<std::ptrdiff_t>(n)});
        Reader r(frame.b);
        if (!open(r, depth, used, packet)) return failed ? false : isFailed(Error{"truncated", "", countOf(frame.b)});
        packet.byte_count = frame.count;
        // #endregion
        // #region !frames
        //| Reader r(View(b, static_cast<std::ptrdiff_t>(n)));
        //| if (!open(r, depth, used, packet)) return failed ? false : isFailed(Error{"truncated", "", static_cast<std::ptrdiff_t>(n)});
        // #endregion
        return true;
    }

    static bool isAtEnd(const Bytes& content, std::size_t p) {
        // #region frames
        // Marks with nothing between them may follow the last packet.
        static constexpr std::array<int, 2> marks = {FRAME_START, FRAME_END};
        for (std::size_t i = p; i < content.size(); i++) if (content[i] != marks[(i - p) % FRAME_MARK_COUNT]) return false;
        return (content.size() - p) % FRAME_MARK_COUNT == 0;
        // #endregion
        // #region !frames
        //| return p >= content.size();
        // #endregion
    }

    bool openPackets(const Bytes& content, int depth, std::uint64_t used, std::vector<Packet>& packets) {
        if (depth > MAXIMUM_NESTED) return isFailed(Error{"too_deep", "", -1});
        for (std::size_t p = 0; !isAtEnd(content, p); p += packets.back().byte_count) {
            if (!countPacket()) return false;
            Packet packet;
            if (!openPacket(content.data() + p, content.size() - p, depth, used, packet)) return isFailedInside(packets.size());
            packets.push_back(std::move(packet));
        }
        return true;
    }

    bool sealPackets(const InnerPackets& group, const Header& header, int depth, Bytes& out) {
        if (depth >= MAXIMUM_NESTED) return isFailed(Error{"too_deep", "", -1});
        Bytes content;
        // #region streams
        std::uint64_t all = lasting;
        // #endregion
        for (std::size_t i = 0; i < group.packets.size(); i++) {
            if (!countPacket()) return false;
            // #region streams
            lasting = 0;
            // #endregion
            if (!seal(group.packets[i].message, group.packets[i].header, depth + 1, content)) return isFailedInside(i);
            // #region streams
            all |= lasting;
            // #endregion
        }
        // #region streams
        lasting = all;
        // #endregion
        return around(content, group.id, header, Holds::packets, depth, out);
    }

    // #endregion
    /// Some fields around a content.
    bool wrapped(std::ptrdiff_t part, std::uint64_t id, const Bytes& content, const Header& h, Bytes& out) {
        Writer w(out, LONGEST_HEADER);
        w.appendBlob(content, "");
        wrapPart(part, w, id, h);
        w.finish();
        return !w.failed || isFailed(w.error);
    }

    /// The fields of a packet that are known before its layers are sealed, and which rules hold.
    bool known(const Shape& shape, std::uint64_t id, const Header& h, Part& p) {
        Bytes b;
        return wrapped(shape.outer + 1, id, {}, h, b) && readWhole(shape.outer + 1, b, 0, p);
    }

    /// Puts the fields of a section before what is after them. Fields before are written for their conditions only.
    bool written(int part, const Header& h, Bytes& content) {
        if (part < 0) return true;
        Bytes b;
        Part p;
        if (!wrapped(part, 0, content, h, b) || !readWhole(part, b, 0, p)) return false;
        content = Bytes(b.begin() + p.first, b.end());
        return true;
    }

    /// A whole packet of a content.
    bool around(Bytes content, std::uint64_t id, const Header& header, Holds holds, int depth, Bytes& out) {
        std::ptrdiff_t number = 0;
        if (!shapeOf(sender, c, depth > 0, error, number)) return isFailed();
        const Shape& shape = layerings()[static_cast<std::size_t>(number)];
        Header settable = header;
        Part p;
        // #region threshold
        if (shape.isSettable && !isCountGiven(number, header)) {
            // Whether there is a layer depends on how much there is without one.
            if (!known(shape, id, settable, p)) return false;
            if (hasCount(number, p.header)) {
                setCount(number, settable, 0);
                if (c.threshold) {
                    Header tried = settable;
                    copyIdentifiers(tried, p.header);
                    Bytes bare = content;
                    if (!written(shape.sections.back().part, tried, bare)) return false;
                    if (bare.size() >= *c.threshold) setCount(number, settable, 1);
                }
            }
        }
        // #endregion
        if (!known(shape, id, settable, p)) return false;
        // #region packets
        const bool hasPackets = p.rules[RULE_PACKETS];
        if (holds != Holds::any && (holds == Holds::packets) != hasPackets) return isFailed(Error{"presence", "packets", -1});
        // #endregion
        const bool isOpaque = /*packets{*/!hasPackets && /*}*/p.rules[RULE_OPAQUE];
        if (holds == Holds::message && isOpaque) return isFailed(Error{"presence", "opaque", -1});
        // Neither packets nor a part of a message set a state.
        if (/*packets{*/!hasPackets && /*}*/!isOpaque) ids.push_back(id);
        Header given = settable;
        copyIdentifiers(given, p.header);
        // #region counter
        bool counts = *shape.counter != 0;
        // #endregion
        for (auto section = shape.sections.rbegin(); section != shape.sections.rend(); ++section) {
            // #region counter
            // From here on the layers are around the field.
            if (counts && section->layers.front() < shape.firstLayer) {
                if (!count(number, id, 0, settable, given, p)) return false;
                counts = false;
            }
            // #endregion
            if (!written(section->part, given, content)) return false;
            for (auto layer = section->layers.rbegin(); layer != section->layers.rend(); ++layer) {
                const std::size_t n = *layer;
                if (!p.rules[n]) continue;
                // #region streams
                if (!withStream(n, lasting)) return false;
                // #endregion
                // #region counter
                if (counts && !count(number, id, countOf(content) + static_cast<std::ptrdiff_t>(shape.constant), settable, given, p)) return false;
                counts = false;
                // #endregion
                if (!takeInflated(n, content.size())) return false;
                content = sealLayer(*this, n, p.header, content);
                if (failed) return false;
            }
        }
        // #region counter
        if (counts && !count(number, id, 0, settable, given, p)) return false;
        // #endregion
        // #region frames
        const std::size_t base = out.size();
        // #endregion
        if (!wrapped(shape.outer, 0, content, given, out)) return false;
        // #region frames
        enframe(out, base);
        // #endregion
        return true;
    }
    // #region counter

    /// Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
    bool count(std::ptrdiff_t number, std::uint64_t id, std::ptrdiff_t n, const Header& settable, Header& given, Part& p) {
        if (!hasCount(number, p.header)) return true;
        const Shape& shape = layerings()[static_cast<std::size_t>(number)];
        if (n > shape.most) return isFailed(Error{"out_of_range", shape.counter, -1});
        Header tried = settable;
        setCount(number, tried, n);
        Part other;
        if (!known(shape, id, tried, other)) return false;
        if (other.rules != p.rules) return isFailed(Error{"length_too_small", shape.counter, -1});
        setCount(number, p.header, n);
        setCount(number, given, n);
        return true;
    }
    // #endregion
};
// #endregion

inline Bytes openLayer(Work&, std::size_t, const Header&, const Bytes& b) { return b; }

inline Bytes sealLayer(Work&, std::size_t, const Header&, const Bytes& b) { return b; }

}  // namespace detail

// #region interface
namespace detail {

// #region !layers
//| /// A message whose type is known where it is encoded, so that compilers can put all its code there.
//| template <class T> struct OneMessage {
//|     const T& value;

//|     bool empty() const { return false; }

//|     const char* name() const { return Traits<T>::name; }

//|     std::uint64_t id() const { return Traits<T>::id(value); }

//|     void write(Writer& w, const Header& h) const { Traits<T>::write(w, value, h); }
// #region fixedHeaders

//|     void fix(Writer& w, Header& h) const { Traits<T>::fix(w, h); }
// #endregion
// #region sender

//|     std::optional<Sender> sender() const { return Traits<T>::sender(value); }
// #endregion
//| };

// #endregion
/// Puts a whole packet after the bytes in out. After an error out is as it was.
template <class M> std::optional<Error> put(/*connection{*/Connection& connection, /*}*/Bytes& out, const M& message, const Header& header/*sender{*/, std::optional<Sender> sender/*}*/) {
    if (message.empty()) return Error{"wrong_type", "", -1};
    // #region sender
    if (!sender) sender = message.sender();
    // #region dependsOnSender
    if (!sender) return Error{"needs_sender", "", -1};
    // #endregion
    // #region !dependsOnSender
    //| if (!sender) sender = Sender::client;
    // #endregion
    // #endregion
    // #region layers
    const std::size_t before = out.size();
    Work work(*sender, connection);
    if (!work.seal(message, header, 0, out)) {
        out.resize(before);
        return std::move(work.error);
    }
    work.commit();
    // #endregion
    // #region !layers
    // #region frames
    //| const std::size_t before = out.size();
    // #endregion
    //| Writer w(out, LONGEST_HEADER);
    //| w.begin(message.name());
    // #region fixedHeaders
    //| Header h = header;
    //| message.fix(w, h);
    // #endregion
    // #region !fixedHeaders
    //| const Header& h = header;
    // #endregion
    //| message.write(w, h);
    //| w.begin("packet");
    //| const std::uint64_t id = message.id();
    // #region connection
    //| std::ptrdiff_t shape = 0;
    //| Error fault;
    //| if (!shapeOf(*sender, connection, fault, shape)) w.reject(fault.kind.data(), fault.path);
    //| else wrap(shape, w, id, h);
    // #endregion
    // #region !connection
    // #region sender
    //| if (*sender == Sender::server) wrapServer(w, id, h);
    //| else wrapClient(w, id, h);
    // #endregion
    // #region !sender
    //| wrap(w, id, h);
    // #endregion
    // #endregion
    //| w.finish();
    //| if (w.failed) return std::move(w.error);
    // #region connection
    //| change(connection, *sender, id);
    // #endregion
    // #region frames
    //| enframe(out, before);
    // #endregion
    // #endregion
    return std::nullopt;
}

}  // namespace detail

/// Puts a whole packet of a message after the bytes in out, and returns how many bytes it has. Nothing is cut to fit. After an error
/// out is as it was. From the header, which may be that of the packet that is answered, it takes what a program can set.
// #region sender
/// A message that both sides send, if their packets differ, needs the sender.
// #endregion
inline Result<std::size_t> append(/*connection{*/Connection& connection, /*}*/Bytes& out, AnyMessage message, const Header& header = Header()/*sender{*/, std::optional<Sender> sender = std::nullopt/*}*/) {
    const std::size_t before = out.size();
    if (std::optional<Error> error = detail::put(/*connection{*/connection, /*}*/out, message, header/*sender{*/, sender/*}*/)) return std::move(*error);
    return out.size() - before;
}

/// A whole packet of a message.
inline Result<Bytes> encode(/*connection{*/Connection& connection, /*}*/AnyMessage message, const Header& header = Header()/*sender{*/, std::optional<Sender> sender = std::nullopt/*}*/) {
    Result<Bytes> packet;
    if (std::optional<Error> error = detail::put(/*connection{*/connection, /*}*/packet.emplace(), message, header/*sender{*/, sender/*}*/)) packet = std::move(*error);
    return packet;
}
// #region !layers

//| template <class T, int = detail::Traits<T>::index> Result<Bytes> encode(/*connection{*/Connection& connection, /*}*/const T& message, const Header& header = Header()/*sender{*/, std::optional<Sender> sender = std::nullopt/*}*/) {
//|     Result<Bytes> packet;
//|     if (std::optional<Error> error = detail::put(/*connection{*/connection, /*}*/packet.emplace(), detail::OneMessage<T>{message}, header/*sender{*/, sender/*}*/)) packet = std::move(*error);
//|     return packet;
//| }
// #endregion

namespace detail {

/// The packet that bytes begin with, or how many bytes it needs at least.
inline Result<Packet> receive(/*connection{*/Connection& connection, /*}*/View bytes, Sender sender, std::ptrdiff_t& wanted) {
    Result<Packet> result;
    // #region layers
    Reader r(bytes);
    Work work(sender, connection);
    const bool isWhole = work.open(r, 0, 0, result.emplace());
    wanted = r.wanted;
    if (isWhole && !work.failed) work.commit();
    else if (work.failed) result = std::move(work.error);
    else result = Result<Packet>();
    return result;
    // #endregion
    // #region !layers
    //| Reader r(bytes);
    //| Opened opened;
    // #region connection
    //| std::ptrdiff_t shape = 0;
    //| Error error;
    //| if (!shapeOf(sender, connection, error, shape)) r.reject(error.kind.data(), error.path, -1);
    //| const bool isWhole = unwrap(shape, r, opened);
    // #endregion
    // #region !connection
    // #region sender
    //| const bool isWhole = sender == Sender::server ? unwrapServer(r, opened) : unwrapClient(r, opened);
    // #endregion
    // #region !sender
    //| const bool isWhole = unwrap(r, opened);
    // #endregion
    // #endregion
    //| wanted = r.wanted;
    //| if (isWhole && !r.failed) {
    //|     Packet& packet = result.emplace();
    //|     packet.header = std::move(opened.header);
    //|     packet.byte_count = static_cast<std::size_t>(opened.byte_count);
    //|     bool isOfHeader = false;
    //|     dispatch(r, opened, packet.header, sender, packet.message, isOfHeader);
    //| }
    //| if (r.failed) result = std::move(r.error);
    // #region connection
    //| if (result) change(connection, sender, opened.id);
    // #endregion
    //| return result;
    // #endregion
}
// #region frames

/// The packet in a frame, which must be whole.
inline Result<Packet> unframed(/*connection{*/Connection& connection, /*}*/const Frame& frame, Sender sender) {
    std::ptrdiff_t wanted = 0;
    Result<Packet> packet = receive(/*connection{*/connection, /*}*/frame.b, sender, wanted);
    if (packet.needs_more()) return Error{"truncated", "", countOf(frame.b)};
    if (packet) packet->byte_count = frame.count;
    return packet;
}
// #endregion

}  // namespace detail

/// The packet that bytes begin with, sent by one side. What follows it is not looked at. After an error, the start of the next packet
/// is unknown.
inline Result<Packet> decode(/*connection{*/Connection& connection, /*}*/const std::uint8_t* bytes, std::size_t count, Sender sender) {
    // #region frames
    detail::Frame frame;
    const bool isWhole = frame.take(bytes, count);
    if (frame.error) return *frame.error;
    return isWhole ? detail::unframed(/*connection{*/connection, /*}*/frame, sender) : Result<Packet>();
    // #endregion
    // #region !frames
    //| std::ptrdiff_t wanted = 0;
    //| return detail::receive(/*connection{*/connection, /*}*/detail::View(bytes, static_cast<std::ptrdiff_t>(count)), sender, wanted);
    // #endregion
}

inline Result<Packet> decode(/*connection{*/Connection& connection, /*}*/const Bytes& bytes, Sender sender) { return decode(/*connection{*/connection, /*}*/bytes.data(), bytes.size(), sender); }
// #region connection

/// A whole packet of a message, which is the first one of a connection.
inline Result<Bytes> encode(AnyMessage message, const Header& header = Header(), std::optional<Sender> sender = std::nullopt) {
    Connection connection;
    return encode(connection, message, header, sender);
}

/// The packet that bytes begin with, which is the first one of a connection.
inline Result<Packet> decode(const Bytes& bytes, Sender sender) {
    Connection connection;
    return decode(connection, bytes, sender);
}
// #endregion

/// Finds the packets in a stream, however they are merged and split. After an error it stays failed.
class Splitter {
public:
    // #region connection
    /// Finds the packets that one side sends on a connection, which must outlive it.
    Splitter(Connection& own, Sender side) : connection(&own), sender(side) {}
    // #endregion
    // #region !connection
    //| explicit Splitter(Sender side) : sender(side) {}
    // #endregion

    /// Takes what has arrived; the bytes are copied.
    void push(const std::uint8_t* bytes, std::size_t count) {
        // What is held moves only when that makes much room, so that no byte moves often.
        if (start > buffer.size() / 2) {
            buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(start));
            start = 0;
        }
        buffer.insert(buffer.end(), bytes, bytes + count);
    }

    void push(const Bytes& bytes) { push(bytes.data(), bytes.size()); }

    /// The next packet.
    Result<Packet> next() {
        // #region packets
        if (position < inner.size()) return std::move(inner[position++]);
        // #endregion
        if (failure) return *failure;
        // #region packets
        inner.clear();
        position = 0;
        while (inner.empty()) {
            Result<Packet> packet = take();
            if (!packet) return packet;
            flatten(*packet);
        }
        return std::move(inner[position++]);
        // #endregion
        // #region !packets
        //| return take();
        // #endregion
    }

    /// Says that the stream has ended: that is an error inside a packet.
    std::optional<Error> finish() {
        // #region frames
        if (!failure && frame.isInside()) failure = Error{"end_of_stream", "", static_cast<std::ptrdiff_t>(frame.b.size())};
        // #endregion
        // #region !frames
        //| if (!failure && start < buffer.size()) failure = Error{"end_of_stream", "", static_cast<std::ptrdiff_t>(buffer.size() - start)};
        // #endregion
        return failure;
    }

private:
    // #region connection
    Connection* connection;
    // #endregion
    Sender sender;
    Bytes buffer;
    std::size_t start = 0;
    std::optional<Error> failure;
    // #region frames
    detail::Frame frame;
    // #endregion
    // #region !frames
    //| std::size_t wanted = 0;
    // #region connection
    //| std::ptrdiff_t shape = -1;
    // #endregion
    // #endregion
    // #region packets
    std::vector<Packet> inner;
    std::size_t position = 0;

    /// Adds the packets in a packet, or itself.
    void flatten(Packet& packet) {
        InnerPackets* group = packet.message.get_if<InnerPackets>();
        if (!group) {
            inner.push_back(std::move(packet));
            return;
        }
        for (Packet& own : group->packets) flatten(own);
    }
    // #endregion

    Result<Packet> take() {
        Result<Packet> packet;
        // #region frames
        const std::size_t before = frame.count;
        const bool isWhole = frame.take(buffer.data() + start, buffer.size() - start);
        consume(frame.count - before);
        if (frame.error) packet = *frame.error;
        else if (isWhole) packet = detail::unframed(/*connection{*/*connection, /*}*/std::exchange(frame, detail::Frame()), sender);
        // #endregion
        // #region !frames
        // #region connection
        //| // How much is needed depends on the packet's shape, which packets of the other side may change.
        //| std::ptrdiff_t now = 0;
        //| Error error;
        //| if (!detail::shapeOf(sender, *connection/*layers{*/, false/*}*/, error, now)) now = -1;
        //| if (now != shape) wanted = 0;
        //| shape = now;
        // #endregion
        //| const std::size_t held = buffer.size() - start;
        //| // A packet that has not arrived whole is not tried again before it can have.
        //| if (held < wanted) return packet;
        //| std::ptrdiff_t more = 0;
        //| packet = detail::receive(/*connection{*/*connection, /*}*/detail::View(buffer.data() + start, static_cast<std::ptrdiff_t>(held)), sender, more);
        //| wanted = packet.needs_more() ? std::max(static_cast<std::size_t>(more), held + 1) : 0;
        //| if (packet) consume(packet->byte_count);
        // #endregion
        if (packet.failed()) failure = packet.error();
        return packet;
    }

    void consume(std::size_t count) {
        start += count;
        if (start < buffer.size()) return;
        start = 0;
        buffer.clear();
        if (buffer.capacity() > 65536) buffer.shrink_to_fit();
    }
};
// #region keys

inline std::optional<Error> Connection::set_key(std::string_view name, Bytes key, std::optional<Sender> sender) { return detail::Work::setKey(*this, name, key, sender); }
// #endregion
// #region program

inline std::optional<Error> Connection::set_layer(std::string_view name, Layer layer, std::optional<Sender> sender) { return detail::Work::setLayer(*this, name, layer, sender); }
// #endregion
// #endregion

}  // namespace runtime
