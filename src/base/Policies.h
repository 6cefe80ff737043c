// The standard library's algorithms on one core or on all.
#pragma once

#include "base/Parallel.h"

#ifdef A2_PARALLEL_ALGORITHMS
#include <execution>
#endif
// In a build folder that is older than the installation of TBB, an old precompiled header can still say that there is
// none.
#if defined(__GLIBCXX__) && !defined(_PSTL_PAR_BACKEND_TBB) && !defined(__MINGW32__)
#error "std::execution would run on one core: install libtbb-dev, then remove the build folder and build again"
#endif

namespace a2 {

// Calls body(policy...) with the execution policy for all cores, or with no argument, which means one core. Without
// A2_PARALLEL_ALGORITHMS there is never an argument.
template <class Body>
void withPolicy(bool allCores, const Body& body)
{
#ifdef A2_PARALLEL_ALGORITHMS
    if (allCores) {
        body(std::execution::par_unseq);
        return;
    }
#endif
    static_cast<void>(allCores);
    body();
}

}  // namespace a2
