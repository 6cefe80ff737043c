// Whether this is built with AddressSanitizer: then its signal handlers and its checks of the process have precedence.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define A2_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define A2_IS_SANITIZED 1
#endif
#endif
#ifndef A2_IS_SANITIZED
#define A2_IS_SANITIZED 0
#endif
