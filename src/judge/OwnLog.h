// The log of a dispatch of a2's own, whose buffers go by the first binding that each has.
#pragma once

#include "gpu/SingleDispatch.h"
#include "lint/CommandLog.h"

namespace a2 {

CommandLog logOf(const OwnDispatch& own);
Index indexOf(const OwnDispatch& own, const DeviceBuffer& buffer);  // of one that is bound

}  // namespace a2
