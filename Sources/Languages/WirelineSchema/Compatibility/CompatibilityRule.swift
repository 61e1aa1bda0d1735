// SPDX-License-Identifier: Apache-2.0

/// The rule that a change violates; the raw value is its name in reports.
@nonexhaustive
public enum CompatibilityRule: String, CaseIterable, Equatable, Hashable, Sendable {
    // These rules concern bytes on the wire.
    case packetLayout = "PACKET_SAME_LAYOUT"
    case layer = "LAYER_SAME"
    case state = "STATE_SAME"
    case maximumPacket = "MAX_PACKET_NO_SHRINK"
    case maximumInflated = "MAX_INFLATED_NO_SHRINK"
    case maximumDepth = "MAX_DEPTH_NO_SHRINK"
    case messageDeleted = "MESSAGE_NO_DELETE"
    case messageID = "MESSAGE_SAME_ID"
    case messageDirection = "MESSAGE_SAME_DIRECTION"
    case fieldOrder = "FIELD_SAME_ORDER"
    case fieldInserted = "FIELD_NO_INSERT"
    case fieldAppended = "FIELD_NO_APPEND_REQUIRED"
    case frozenStructure = "FIELD_NO_APPEND_TO_FROZEN"
    case fieldDeleted = "FIELD_NO_DELETE"
    case fieldType = "FIELD_SAME_TYPE"
    case fieldCardinality = "FIELD_SAME_CARDINALITY"
    case fixedCount = "FIXED_ARRAY_SAME_LENGTH"
    case fieldPrefix = "FIELD_SAME_PREFIX"
    case byteOrder = "FIELD_SAME_BYTE_ORDER"
    case fieldPresence = "FIELD_OPTIONALITY"
    case fieldCondition = "FIELD_SAME_CONDITION"
    case sizedStructure = "STRUCT_SAME_SIZED"
    case unionTag = "UNION_SAME_TAG"
    case unionArm = "UNION_NO_ARM"
    case enumerationFormat = "ENUM_SAME_RAW_TYPE"
    case caseNumber = "ENUM_VALUE_SAME_NUMBER"
    case caseDeleted = "ENUM_VALUE_NO_DELETE"
    case closedEnumeration = "ENUM_CLOSED_NO_ADD"
    case flagBits = "FLAGS_SAME_BITS"
    case range = "RANGE_NO_NARROW"
    case maximumCount = "MAX_NO_SHRINK"
    // These concern only earlier or later versions, generated code, or JSON.
    case trailing = "TRAILING_NO_TIGHTEN"
    case properties = "PROPERTIES_NO_TIGHTEN"
    case varints = "VARINTS_NO_TIGHTEN"
    case reserved = "RESERVED_NO_DELETE"
    case since = "SINCE_SAME"
    case defaultValue = "DEFAULT_SAME"
    case reply = "REPLY_PAIR_SAME"
    case fieldName = "FIELD_SAME_NAME"
    case caseName = "ENUM_VALUE_SAME_NAME"
    case messageName = "MESSAGE_SAME_NAME"
    case typeName = "TYPE_SAME_NAME"
    case headerName = "HEADER_SAME_NAME"
    case alias = "ALIAS_SAME"
    /// No rule: nothing breaks.
    case addition = "ADDITION"

    /// Advice for another way; nil if there is none.
    public var alternative: String? {
        switch self {
        case .packetLayout: "leave the packet as it is, or give the new layout a port of its own"
        case .layer:
            "leave the layers as they are, or let a new value of the header choose the new ones, which old readers refuse"
        case .maximumPacket, .maximumInflated, .maximumDepth, .range, .maximumCount:
            "let readers take what they took; hold writers to the new limit in code until the old ones are gone"
        case .state: "leave the states and what sets them as they are, or give the new ones a port of their own"
        case .messageDeleted: "keep it, marked `@deprecated`; when nobody sends it any more, put its ID into `reserved`"
        case .messageID: "keep the ID, and add a new message for the new one"
        case .messageDirection: "keep the direction; add a message for the other one"
        case .fieldOrder: "put the fields back into their order: their names and numbers do not move bytes"
        case .fieldInserted: "put it at the end, `optional` or with `@since`"
        case .fieldAppended: "make it `optional`, or give it `@since` and, where zero is not right, `@default`"
        case .frozenStructure: "add a new `struct … sized(uint16)`, and a field of it at the end of the message"
        case .fieldDeleted: "keep it, marked `@deprecated`"
        case .fieldType, .fieldCardinality, .fixedCount, .fieldPrefix, .byteOrder:
            "keep the field, and append another one in the new form, `optional` or with `@since`"
        case .fieldCondition:
            "keep the condition, and append another field in the new form, `optional` or with `@since`"
        case .fieldPresence: "keep it as it was; what every packet must have belongs into a new message"
        case .sizedStructure: "keep it, and add a new one beside it"
        case .unionTag: "keep the tag, and add an arm with the new one"
        case .unionArm: "keep the arms; a `sized` union with a `default` arm can get new ones at any time"
        case .enumerationFormat: "keep the type; numbers that do not fit need a new enum and a new field"
        case .caseNumber, .flagBits: "keep the number, and add a name for the new one"
        case .caseDeleted: "keep the name, marked `@deprecated`, or put the number into `reserved`"
        case .closedEnumeration: "let all readers learn the new list first, or leave the enum open"
        case .trailing: "keep `trailing = keep`, or no message can grow any more"
        case .properties: "keep them lenient"
        case .varints: "keep `varints = any`: a program in another language may write longer forms"
        case .reserved: "keep it reserved: packets that carry it may still be on their way, or in a log"
        case .since, .defaultValue: "keep it: older packets, in logs and from older versions, mean what it says"
        case .reply: "keep the replies: a version waits only for those that it knows"
        case .fieldName, .caseName, .messageName, .typeName, .headerName, .alias:
            "keep it; where another name is wanted in code, use `@name`"
        case .addition: nil
        }
    }
}
