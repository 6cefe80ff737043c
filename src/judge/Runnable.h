// Something that can be run on the device again and again: a solution's recording, or work of a2's own.
#pragma once

#include "gpu/DeviceBuffer.h"
#include "lint/CommandLog.h"

namespace a2 {

class Runnable {
public:
    virtual ~Runnable() = default;
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

    // Records the next run into a command buffer that is being recorded. Work before and after is fenced off by
    // barriers.
    virtual void record(Commands& cb) = 0;
    // What that was; before the first run, what it will be. Valid until the next record().
    virtual const CommandLog& log() const = 0;
    // Where the result of that run lies; which buffer of the log it is.
    virtual const DeviceBuffer& result() const = 0;
    virtual Index resultIndex() const = 0;

protected:
    Runnable() = default;
};

}  // namespace a2
