// Connects the code of a solution with the rows that name it.
#pragma once

#include <memory>

namespace a2 {

struct Given;
class Solution;

template <class Mine>
std::unique_ptr<Solution> make(const Given& given)
{
    return std::make_unique<Mine>(given);
}

// Registers a function that makes solutions, under the name that rows give. One line at the end of a solution's file:
//
//     const Factory factory("Mine", make<Mine>);
class Factory {
public:
    using Make = std::unique_ptr<Solution>(const Given& given);
    Factory(const char* name, Make* make);
};

}  // namespace a2
