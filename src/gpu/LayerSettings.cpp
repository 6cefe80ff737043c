#include "gpu/LayerSettings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace a2 {

namespace {

constexpr const char* settingsExtension = "VK_EXT_layer_settings";

#ifndef VK_EXT_LAYER_SETTINGS_EXTENSION_NAME
// Vulkan's headers have this since 1.3.272.
enum VkLayerSettingTypeEXT { VK_LAYER_SETTING_TYPE_BOOL32_EXT = 0, VK_LAYER_SETTING_TYPE_UINT32_EXT = 3 };
struct VkLayerSettingEXT {
    const char* pLayerName;
    const char* pSettingName;
    VkLayerSettingTypeEXT type;
    std::uint32_t valueCount;
    const void* pValues;
};
struct VkLayerSettingsCreateInfoEXT {
    VkStructureType sType;
    const void* pNext;
    std::uint32_t settingCount;
    const VkLayerSettingEXT* pSettings;
};
constexpr auto VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT = static_cast<VkStructureType>(1000496000);
#endif

bool understandsSettings(const vk::raii::Context& loader)
{
    const auto extensions = loader.enumerateInstanceExtensionProperties(std::string(validationLayerName));
    return std::any_of(extensions.begin(), extensions.end(), [](const vk::ExtensionProperties& one) {
        return std::strcmp(one.extensionName, settingsExtension) == 0;
    });
}

constexpr std::uint32_t printRoom = 1 << 20;  // bytes, for all that the kernels of one submit print

// By default the layer drops a message after ten repeats; every task must get its own.
void liftMessageLimit()
{
#ifdef _WIN32
    _putenv_s("VK_LAYER_DUPLICATE_MESSAGE_LIMIT", "1000000000");
#else
    setenv("VK_LAYER_DUPLICATE_MESSAGE_LIMIT", "1000000000", 0);
#endif
}

}  // namespace

struct LayerSettings::Chained {
    bool settings = false;  // true: settings; false: features
    std::vector<VkLayerSettingEXT> all;
    VkLayerSettingsCreateInfoEXT settingsInfo{};
    std::vector<vk::ValidationFeatureEnableEXT> enables;
    vk::ValidationFeaturesEXT featuresInfo;

    void ask(Validation validation);
    void askByFeatures(Validation validation);
};

// Since 1.3.272 or so, layers have a setting for each of their checks. They advise against core checks beside
// GPU-assisted ones, because both together take longer. If layers of 1.4 are asked through VkValidationFeaturesEXT,
// they do not check what shaders access.
void LayerSettings::Chained::ask(Validation validation)
{
    const bool gpuAssisted = validation == Validation::gpu;
    static constexpr VkBool32 on = VK_TRUE, off = VK_FALSE;
    const auto set = [&](const char* name, bool value) {
        all.push_back({validationLayerName, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, value ? &on : &off});
    };
    set("enable_message_limit", false);  // it drops a message after ten repeats; every task must get its own
    set("validate_core", !gpuAssisted);
    set("validate_sync", true);
    set("syncval_shader_accesses_heuristic", true);  // what dispatches access, not only copies
    set("gpuav_enable", gpuAssisted);
    set("printf_enable", validation == Validation::prints);
    static constexpr std::uint32_t room = printRoom;
    if (validation == Validation::prints)
        all.push_back({validationLayerName, "printf_buffer_size", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &room});
    settingsInfo = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, static_cast<std::uint32_t>(all.size()),
                    all.data()};
}

void LayerSettings::Chained::askByFeatures(Validation validation)
{
    liftMessageLimit();
    enables = {vk::ValidationFeatureEnableEXT::eSynchronizationValidation};
    // These layers have room for a thousand bytes of printed text, and no setting for more.
    if (validation == Validation::prints) enables.push_back(vk::ValidationFeatureEnableEXT::eDebugPrintf);
    if (validation == Validation::gpu) {
        enables.push_back(vk::ValidationFeatureEnableEXT::eGpuAssisted);
        enables.push_back(vk::ValidationFeatureEnableEXT::eGpuAssistedReserveBindingSlot);
    }
    featuresInfo.setEnabledValidationFeatures(enables);
}

LayerSettings::LayerSettings(const vk::raii::Context& loader, Validation validation)
    : chained_(std::make_unique<Chained>())
{
    chained_->settings = understandsSettings(loader);
    if (chained_->settings)
        chained_->ask(validation);
    else
        chained_->askByFeatures(validation);
}

LayerSettings::~LayerSettings() = default;

const char* LayerSettings::extension() const
{
    return chained_->settings ? settingsExtension : VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
}

const void* LayerSettings::chain() const
{
    if (chained_->settings) return &chained_->settingsInfo;
    return &chained_->featuresInfo;
}

}  // namespace a2
