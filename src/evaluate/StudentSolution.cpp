#include "evaluate/StudentSolution.h"

#include "a2/Error.h"
#include "evaluate/RowLimits.h"
#include "gpu/GpuState.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

namespace a2 {

namespace {

// In one line, whatever its words are.
std::string oneLine(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

struct Thrown {
    std::string what;
    bool memory = false;  // there may have been too little
};

// Of the exception that is being handled. Those that are no fault of the solution's, or say so already, go on.
Thrown look(bool deviceFailed)
{
    try {
        throw;
    } catch (const DeviceError& error) {
        if (deviceFailed) throw;
        return {fmt::format("the solution threw an exception: {}", error.what())};
    } catch (const vk::DeviceLostError&) {
        throw;
    } catch (const KernelError&) {
        throw;
    } catch (const LimitError& error) {
        return {fmt::format("the solution asked for more than there is (LimitError): {}", error.what()), true};
    } catch (const vk::OutOfDeviceMemoryError& error) {
        return {fmt::format("the solution asked for more device memory than there is ({})", error.what()), true};
    } catch (const vk::OutOfHostMemoryError& error) {
        return {fmt::format("the solution asked for more host memory than there is ({})", error.what()), true};
    } catch (const std::bad_alloc& error) {
        return {fmt::format("the solution asked for more main memory than there is ({})", error.what()), true};
    } catch (const std::exception& error) {
        return {fmt::format("the solution threw an exception: {}", error.what())};
    } catch (...) {
        return {"the solution threw something that is no std::exception"};
    }
}

}  // namespace

StudentSolution::StudentSolution(Gpu& gpu, const Task& task, const KernelShape& shape, const Buffer& input,
                                 const Buffer* blockOffsets, std::uint64_t count)
    : gpu_(gpu), task_(task), shape_(shape), count_(count)
{
    checkRow(gpu, task, shape, count);
    run("preparing", [&] { inner_ = task.prepare(gpu, shape, input, blockOffsets, count); });
    if (!inner_) throw KernelError(fmt::format("{} made no solution", task.hostFile));
}

void StudentSolution::record(vk::CommandBuffer cb)
{
    run(fmt::format("recording run {}", ++runs_), [&] { inner_->record(cb); });
}

const Buffer& StudentSolution::result() const
{
    const Buffer* result = nullptr;
    run("asked for the result", [&] { result = &inner_->result(); });
    return *result;
}

void StudentSolution::run(const std::string& phase, const std::function<void()>& code) const
{
    Thrown thrown;
    try {
        return code();
    } catch (...) {
        thrown = look(gpu_.state().failure().has_value());
    }
    if (thrown.memory) {
        inner_.reset();  // what it holds may be what is missing
        tryMemory(gpu_, task_, shape_, count_);
    }
    throw KernelError(fmt::format("{}, n = {}: {}", phase, count_, oneLine(thrown.what)));
}

}  // namespace a2
