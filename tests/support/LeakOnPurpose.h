// A device that has been given up keeps all it has: no leak that a sanitizer should report.
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

// What this thread allocates while one of these lives may stay.
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
