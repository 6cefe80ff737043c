// Structs as JSON values, for messages between a2's own processes. For each struct one function names its fields, for
// reading and writing, so that a new field is one line:
//
//     template <class Wire> void fields(Wire& wire, Finding& one) { wire("rule", one.rule); ... }
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace a2 {

template <class Value>
nlohmann::json toWire(const Value& value);
// Throws nlohmann::json::exception if the JSON is no such value.
template <class Value>
void fromWire(const nlohmann::json& json, Value& value);
template <class Value>
Value valueFrom(const nlohmann::json& json)
{
    Value value;
    fromWire(json, value);
    return value;
}

namespace wire {

template <class Value>
constexpr bool isPlain = std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>;
template <class Value>
constexpr bool isOptional = false;
template <class Value>
constexpr bool isOptional<std::optional<Value>> = true;
template <class Value>
constexpr bool isVector = false;
template <class Value>
constexpr bool isVector<std::vector<Value>> = true;

struct Writer {
    nlohmann::json json = nlohmann::json::object();
    template <class Value>
    void operator()(const char* name, const Value& value)
    {
        json[name] = toWire(value);
    }
};

struct Reader {
    const nlohmann::json& json;
    template <class Value>
    void operator()(const char* name, Value& value) const
    {
        fromWire(json.at(name), value);
    }
};

}  // namespace wire

template <class Value>
nlohmann::json toWire(const Value& value)
{
    if constexpr (wire::isPlain<Value>) {
        return value;
    } else if constexpr (std::is_enum_v<Value>) {
        return static_cast<int>(value);
    } else if constexpr (wire::isOptional<Value>) {
        return value ? toWire(*value) : nlohmann::json();
    } else if constexpr (wire::isVector<Value>) {
        nlohmann::json all = nlohmann::json::array();
        for (const auto& one : value) all.push_back(toWire(one));
        return all;
    } else {
        wire::Writer writer;
        fields(writer, const_cast<Value&>(value));  // the writer only reads: one function serves both directions
        return std::move(writer.json);
    }
}

template <class Value>
void fromWire(const nlohmann::json& json, Value& value)
{
    if constexpr (wire::isPlain<Value>) {
        json.get_to(value);
    } else if constexpr (std::is_enum_v<Value>) {
        value = static_cast<Value>(json.get<int>());
    } else if constexpr (wire::isOptional<Value>) {
        value.reset();
        if (!json.is_null()) fromWire(json, value.emplace());
    } else if constexpr (wire::isVector<Value>) {
        value.clear();
        for (const nlohmann::json& one : json) fromWire(one, value.emplace_back());
    } else {
        wire::Reader reader{json};
        fields(reader, value);
    }
}

}  // namespace a2
