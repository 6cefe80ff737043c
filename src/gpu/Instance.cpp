#include "gpu/Instance.h"

#include "gpu/EmulatedBackend.h"
#include "gpu/LayerSettings.h"
#include "gpu/OpenInstance.h"
#include "gpu/ValidationMessage.h"
#include "gpu/WatchedCalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

VULKAN_HPP_DEFAULT_DISPATCH_LOADER_DYNAMIC_STORAGE

namespace a2 {

namespace {

template <class Properties>
bool has(const std::vector<Properties>& all, const char* name, auto member)
{
    return std::any_of(all.begin(), all.end(),
                       [&](const Properties& one) { return std::strcmp((one.*member).data(), name) == 0; });
}

// C types, because Vulkan-Hpp has changed the parameter types of this callback from version to version.
VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    try {
        const char* const text = data->pMessage ? data->pMessage : "(no text)";
        const std::string_view id = data->pMessageIdName ? data->pMessageIdName : "";
        auto& log = *static_cast<MessageLog*>(user);
        if (id.ends_with("DEBUG-PRINTF"))
            log.addPrinted(printedMessage(text));
        else if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
            log.add(validationMessage(data->pMessageIdName, text));
    } catch (const std::exception&) {  // no memory for the message; no exception may pass through a driver
    }
    return VK_FALSE;
}

}  // namespace

OpeningError::OpeningError(const std::string& what, const vk::SystemError& error)
    : EnvironmentError(fmt::format("{} could not be opened ({}): is there memory left, and is the driver sound? `a2 "
                                   "doctor` shows the devices and drivers",
                                   what, error.what())),
      result(static_cast<vk::Result>(error.code().value()))
{
}

void MessageLog::add(std::string message)
{
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
}

std::vector<std::string> MessageLog::take()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
}

void MessageLog::addPrinted(std::string text)
{
    constexpr std::size_t most = 100000;
    const std::lock_guard lock(mutex_);
    if (printed_.size() < most) printed_.push_back(std::move(text));
}

std::vector<std::string> MessageLog::takePrinted()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(printed_, {});
}

std::string versionText(std::uint32_t version)
{
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

Instance::Instance(Validation validation, bool emulated)
    : loader_(emulated ? std::nullopt : std::optional<VulkanLoader>(std::in_place)), validation_(validation)
{
    if (loader_) opened_ = std::make_unique<OpenInstance>(watchedVulkan(loader_->getInstanceProcAddr()));
    try {
        open();
    } catch (const vk::SystemError& error) {
        throw OpeningError("Vulkan", error);
    }
}

Instance::~Instance() = default;

std::vector<vk::LayerProperties> Instance::layers() const
{
    try {
        return opened_ ? opened_->context.enumerateInstanceLayerProperties() : std::vector<vk::LayerProperties>();
    } catch (const vk::SystemError& error) {
        throw OpeningError("the list of layers", error);
    }
}

std::vector<vk::PhysicalDevice> Instance::physicalDevices() const
{
    return opened_ ? (*opened_->instance).enumeratePhysicalDevices() : std::vector<vk::PhysicalDevice>();
}

void Instance::open()
{
    loaderVersion_ = opened_ ? opened_->context.enumerateInstanceVersion() : emulatorCandidate().apiVersion;
    if (loaderVersion_ < VK_API_VERSION_1_1)
        throw EnvironmentError(
            fmt::format("the Vulkan loader is version {}, 1.1 is needed: update libvulkan1 or the graphics driver",
                        versionText(loaderVersion_)));
    if (validation_ != Validation::off && !hasValidationLayer()) {
        const std::string missing =
            "the Khronos validation layer is not installed (package vulkan-validationlayers, or the Vulkan SDK)";
        if (validation_ == Validation::required)
            throw EnvironmentError(missing + ", and --validation required asks for it");
        note_ = fmt::format("{}; running without it", missing);
        validation_ = Validation::off;
    }
    if (opened_) create();
}

bool Instance::hasValidationLayer() const
{
    return opened_ && has(opened_->context.enumerateInstanceLayerProperties(), validationLayerName,
                          &vk::LayerProperties::layerName);
}

void Instance::create()
{
    const auto available = opened_->context.enumerateInstanceExtensionProperties();
    const auto offers = [&](const char* name) { return has(available, name, &vk::ExtensionProperties::extensionName); };
    std::vector<const char*> layers, extensions;
    vk::InstanceCreateFlags flags;
    if (offers("VK_KHR_portability_enumeration")) {  // without it MoltenVK is hidden
        extensions.push_back("VK_KHR_portability_enumeration");
        flags |= static_cast<vk::InstanceCreateFlagBits>(0x1);  // eEnumeratePortabilityKHR, in headers since 1.3.207
    }
    const bool validating = validation_ != Validation::off;
    const bool debugUtils = offers(VK_EXT_DEBUG_UTILS_EXTENSION_NAME) || validating;
    if (debugUtils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

    std::optional<LayerSettings> settings;
    if (validating) {
        settings.emplace(opened_->context, validation_);
        layers.push_back(validationLayerName);
        extensions.push_back(settings->extension());
    }

    // Since Vulkan 1.3 kernels that print need no extension.
    const bool prints = validation_ == Validation::prints && loaderVersion_ >= VK_API_VERSION_1_3;
    const vk::ApplicationInfo application("a2", 1, nullptr, 0, prints ? VK_API_VERSION_1_3 : VK_API_VERSION_1_1);
    vk::InstanceCreateInfo info(flags, &application, layers, extensions);
    if (settings) info.pNext = settings->chain();
    try {
        opened_->instance = vk::raii::Instance(opened_->context, info);
    } catch (const vk::IncompatibleDriverError&) {
        throw NoDriverError(
            "no Vulkan driver on this machine: install mesa-vulkan-drivers (it has a CPU driver too) or "
            "the GPU vendor's driver; `a2 doctor` shows more, and ");
    }
    VULKAN_HPP_DEFAULT_DISPATCHER.init(opened_->context.getDispatcher()->vkGetInstanceProcAddr);
    VULKAN_HPP_DEFAULT_DISPATCHER.init(*opened_->instance);
    if (validating) listen();
}

void Instance::listen()
{
    using Severity = vk::DebugUtilsMessageSeverityFlagBitsEXT;
    VkDebugUtilsMessengerCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    info.messageSeverity = static_cast<VkDebugUtilsMessageSeverityFlagsEXT>(Severity::eWarning | Severity::eError);
    if (validation_ == Validation::prints) info.messageSeverity |= VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    info.pfnUserCallback = onMessage;
    info.pUserData = &messages_;
    opened_->messenger =
        vk::raii::DebugUtilsMessengerEXT(opened_->instance, vk::DebugUtilsMessengerCreateInfoEXT(info));
}

}  // namespace a2
