// Ties the code of a solution to the rows that name it.
#pragma once

#include "a2/A2Task1.h"
#include "a2/A2Task2.h"

namespace a2 {

// Makes a factory known under the name that rows give. One line at the end of a solution's file:
//
//     static const Factory factory("KernelDecomposition", makeKernelDecomposition);
class Factory {
public:
    Factory(const char* name, A2Task1Factory* make);
    Factory(const char* name, A2Task2Factory* make);
    Factory(const char* name, A2Task2OffsetFactory* make);
};

}  // namespace a2
