#include "base/BuildFacts.h"

namespace a2 {

const BuildFacts buildFacts = {A2_VERSION,    A2_COMMIT,          A2_BUILD_TYPE,  A2_COMPILER,       A2_GLSLANG,
                               A2_TARGET_ENV, A2_PROJECT_SHADERS, A2_WORKER_FILE, A2_SOLUTIONS_FILE, A2_RANKS_FILE};

}  // namespace a2
