// The log of a dispatch of a2's own. Each buffer is indexed by its first binding.
#pragma once

#include "gpu/SingleDispatch.h"
#include "lint/CommandLog.h"

namespace a2 {

CommandLog logOf(const OwnDispatch& own);
Index indexOf(const OwnDispatch& own, const DeviceBuffer& buffer);  // of a bound buffer

}  // namespace a2
