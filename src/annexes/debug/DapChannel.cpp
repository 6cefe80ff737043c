#include "annexes/debug/DapChannel.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

namespace a2::debug {

using nlohmann::json;

namespace {

constexpr std::size_t mostBytes = std::size_t{1} << 24, mostHeader = 4096;

// Reads a header, up to and with the empty line; empty: there is no more.
std::optional<std::size_t> readLength()
{
    std::optional<std::size_t> length;
    std::string line;
    std::size_t read = 0;
    for (int one = std::getchar(); one != EOF; one = std::getchar()) {
        if (++read > mostHeader) return {};
        if (one != '\n') {
            line += static_cast<char>(one);
            continue;
        }
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() && length) return length;
        constexpr std::string_view name = "Content-Length:";
        if (line.size() > name.size() && line.compare(0, name.size(), name) == 0) {
            const std::size_t first = line.find_first_of("0123456789");
            if (first == std::string::npos || line.size() - first > 9) return {};
            length = static_cast<std::size_t>(std::stoul(line.substr(first)));
        }
        line.clear();
    }
    return {};
}

}  // namespace

struct DapChannel::Requests {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> texts;
    bool over = false;

    void read()
    {
        while (const auto length = readLength()) {
            if (*length > mostBytes) break;
            std::string text(*length, '\0');
            if (std::fread(text.data(), 1, text.size(), stdin) != text.size()) break;
            const std::lock_guard lock(mutex);
            texts.push_back(std::move(text));
            changed.notify_one();
        }
        const std::lock_guard lock(mutex);
        over = true;
        changed.notify_one();
    }
};

DapChannel::DapChannel() : requests_(std::make_shared<Requests>())
{
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    std::thread([requests = requests_] { requests->read(); }).detach();
}
DapChannel::~DapChannel() = default;

std::optional<json> DapChannel::next()
{
    while (true) {
        std::string text;
        {
            std::unique_lock lock(requests_->mutex);
            requests_->changed.wait(lock, [this] { return requests_->over || !requests_->texts.empty(); });
            if (requests_->texts.empty()) return {};
            text = std::move(requests_->texts.front());
            requests_->texts.pop_front();
        }
        json request = json::parse(text, nullptr, false);
        const bool whole = request.is_object() && request.contains("command") && request["command"].is_string() &&
                           request.contains("seq") && request["seq"].is_number_integer();
        if (whole) {
            if (!request.contains("arguments") || !request["arguments"].is_object())
                request["arguments"] = json::object();
            return request;
        }
        refuse(request.is_object() ? request : json::object(), "this is no request");
    }
}

bool DapChannel::wantsToStop() const
{
    const std::lock_guard lock(requests_->mutex);
    if (requests_->texts.empty()) return requests_->over;
    const std::string& text = requests_->texts.front();
    // Other requests come one at a time, and wait until the walk stops.
    return std::ranges::any_of(std::initializer_list<std::string_view>{"\"pause\"", "\"disconnect\"", "\"terminate\""},
                               [&](std::string_view one) { return text.find(one) != std::string::npos; });
}

void DapChannel::send(json message)
{
    message["seq"] = ++sent_;
    const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
    fmt::print("Content-Length: {}\r\n\r\n{}", text.size(), text);
    std::fflush(stdout);
}

void DapChannel::respond(const json& request, json body)
{
    send({{"type", "response"},
          {"request_seq", request["seq"]},
          {"success", true},
          {"command", request["command"]},
          {"body", std::move(body)}});
}

void DapChannel::refuse(const json& request, const std::string& why)
{
    const auto number = request.find("seq"), command = request.find("command");
    send({{"type", "response"},
          {"request_seq", number != request.end() && number->is_number_integer() ? *number : json(0)},
          {"success", false},
          {"command", command != request.end() && command->is_string() ? *command : json("")},
          {"message", why},
          {"body", {{"error", {{"id", 1}, {"format", why}}}}}});
}

void DapChannel::tell(const std::string& event, json body)
{
    send({{"type", "event"}, {"event", event}, {"body", std::move(body)}});
}

}  // namespace a2::debug
