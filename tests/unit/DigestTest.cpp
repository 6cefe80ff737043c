// The digest kernel, walked on the host: with any number of work-groups; and each of its barriers is needed.

#include "files/SourceFile.h"
#include "judge/Digest.h"
#include "judge/Poison.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

namespace a2 {

namespace {

std::string kernelText() { return textOfFile(std::filesystem::path(A2_SHADERS) / "A2Digest.comp"); }

struct DigestWalk {
    std::string findings;
    Digest digest;
};

DigestWalk walk(const std::vector<std::uint32_t>& kernel, const std::vector<std::uint32_t>& words,
                std::uint32_t workGroup, std::uint32_t groups, std::uint32_t subgroup)
{
    Specialisation given;
    given.values = {{0, workGroup}};
    EmulatedGlsl walked(kernel, given);
    walked.buffer(words).buffer(std::vector<std::uint32_t>{0, 0});
    walked.push({static_cast<std::uint32_t>(words.size()), 0, 0});
    walked.settings.subgroupSize = subgroup;
    const std::string findings = findingsText(walked.run({groups, 1, 1}));
    const std::vector<std::uint32_t> found = walked.words(1);
    return {findings, {found[0], found[1]}};
}

}  // namespace

TEST(DigestKernel, IsRightWithAnyNumberOfWorkGroups)
{
    const std::vector<std::uint32_t> kernel = compileGlsl(kernelText());
    PoisonWords random(1);
    for (const std::size_t count : {1U, 3U, 64U, 255U, 256U, 257U, 1000U, 5000U}) {
        std::vector<std::uint32_t> words(count);
        for (std::uint32_t& word : words) word = random.next();
        for (const std::uint32_t groups : {1U, 2U, 5U})
            for (const std::uint32_t workGroup : {1U, 16U, 64U}) {
                const DigestWalk found = walk(kernel, words, workGroup, groups, 8);
                EXPECT_EQ(found.findings, "");
                EXPECT_EQ(found.digest, digestOf(words)) << count << " words, " << groups << " of " << workGroup;
            }
    }
}

TEST(DigestKernel, NeedsEachOfItsBarriers)
{
    const std::string text = kernelText();
    const std::regex barrier(R"(\bbarrier\(\);)");
    std::size_t removed = 0;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), barrier); at != std::sregex_iterator(); ++at) {
        std::string less = text;
        less.replace(static_cast<std::size_t>(at->position()), static_cast<std::size_t>(at->length()), "");
        const DigestWalk found = walk(compileGlsl(less), std::vector<std::uint32_t>(1000, 1), 64, 2, 8);
        EXPECT_NE(found.findings.find("-race at line"), std::string::npos) << found.findings;
        ++removed;
    }
    EXPECT_EQ(removed, 2U);
}

}  // namespace a2
