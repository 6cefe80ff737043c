// Notes what student code records, by standing between it and the driver.
#pragma once

#include "observe/CommandLog.h"

namespace a2 {

// While it lives, the entries of VULKAN_HPP_DEFAULT_DISPATCHER that record commands and write descriptor sets note each
// call in the log and pass it on to the driver, except calls beyond a limit of the device. Afterwards the driver's own
// functions are back in the table: nothing of this is in the way of what is timed. One at a time.
class Observing {
public:
    explicit Observing(CommandLog& log);
    ~Observing();
    Observing(const Observing&) = delete;
    Observing& operator=(const Observing&) = delete;
};

}  // namespace a2
