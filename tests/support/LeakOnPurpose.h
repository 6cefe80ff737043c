// A device that was given up keeps everything: a sanitizer must not report this as a leak.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define A2_HAS_LEAK_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define A2_HAS_LEAK_SANITIZER
#endif

#ifdef A2_HAS_LEAK_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace a2 {

// Memory that this thread allocates while one of these lives may stay allocated.
class LeakOnPurpose {
public:
#ifdef A2_HAS_LEAK_SANITIZER
    LeakOnPurpose() { __lsan_disable(); }
    ~LeakOnPurpose() { __lsan_enable(); }
#else
    LeakOnPurpose() {}  // not defaulted: an object that does nothing would be an unused one
#endif
    LeakOnPurpose(const LeakOnPurpose&) = delete;
    LeakOnPurpose& operator=(const LeakOnPurpose&) = delete;
};

}  // namespace a2
