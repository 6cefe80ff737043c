// The Vulkan instance: loader, layers, debug messages.
#pragma once

#include "a2/Error.h"
#include "a2/Vulkan.h"
#include "gpu/VulkanLoader.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

enum class Validation {
    off,
    on,        // core and synchronisation validation, where the layer is installed
    gpu,       // synchronisation and GPU-assisted validation: finds accesses outside a buffer; in old layers also core
    prints,    // synchronisation validation; instead of GPU-assisted validation, what kernels print on the device
    required,  // like on, but a missing layer is an error
};

// The driver refused to open `what`, or to list what there is.
struct OpeningError : EnvironmentError {
    OpeningError(const std::string& what, const vk::SystemError& error);
    vk::Result result;
};

// What the validation layer reported since the last take(). Driver threads write into it, too.
class MessageLog {
public:
    void add(std::string message);
    std::vector<std::string> take();
    // What kernels printed with debugPrintfEXT(): at most 100,000 texts.
    void addPrinted(std::string text);
    std::vector<std::string> takePrinted();

private:
    std::mutex mutex_;
    std::vector<std::string> messages_, printed_;
};

struct OpenInstance;

class Instance {
public:
    // emulated: makes no Vulkan instance and calls no loader, because the emulator needs no Vulkan. Throws
    // EnvironmentError without a loader or driver, or without the layer if it is `required`.
    explicit Instance(Validation validation, bool emulated = false);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    // Only if it is not emulated.
    const OpenInstance& opened() const { return *opened_; }
    bool isEmulated() const { return !loader_; }
    std::uint32_t loaderVersion() const { return loaderVersion_; }
    // The validation in force: off where the layer is missing.
    Validation validation() const { return validation_; }
    MessageLog& messages() const { return messages_; }
    // One line for the user if something that was asked for is missing; otherwise empty.
    const std::string& note() const { return note_; }

    // Throws OpeningError.
    std::vector<vk::LayerProperties> layers() const;
    // In the loader's order; none if it is emulated. Throws vk::SystemError.
    std::vector<vk::PhysicalDevice> physicalDevices() const;

private:
    bool hasValidationLayer() const;
    void open();
    void create();
    void listen();

    std::optional<VulkanLoader> loader_;
    std::uint32_t loaderVersion_ = 0;
    Validation validation_;
    std::string note_;
    mutable MessageLog messages_;
    std::unique_ptr<OpenInstance> opened_;  // null: emulated
};

constexpr const char* validationLayerName = "VK_LAYER_KHRONOS_validation";

// "1.3.239" from Vulkan's packed number.
std::string versionText(std::uint32_t version);

}  // namespace a2
