// An object that can be run on the device repeatedly: a solution's recording, or work of a2's own.
#pragma once

#include "gpu/DeviceBuffer.h"
#include "lint/CommandLog.h"

namespace a2 {

class Runnable {
public:
    virtual ~Runnable() = default;
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

    // Records the next run into a command buffer that is being recorded. Barriers separate it from the work before and
    // after.
    virtual void record(Commands& cb) = 0;
    // The log of that run; before the first run, that of the first. Valid until the next record().
    virtual const CommandLog& log() const = 0;
    // The buffer of the log that holds that run's result.
    virtual const DeviceBuffer& result() const = 0;
    virtual Index resultIndex() const = 0;

protected:
    Runnable() = default;
};

}  // namespace a2
