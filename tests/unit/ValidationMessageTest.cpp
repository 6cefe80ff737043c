// One line with the id first, from the texts of different releases of the layer.

#include "gpu/ValidationMessage.h"

#include <gtest/gtest.h>

namespace a2 {

TEST(ValidationMessage, OfLayersWithAHeaderIsCutToIdAndText)
{
    EXPECT_EQ(validationMessage("VUID-vkCmdDispatch-None-02706",
                                "Validation Error: [ VUID-vkCmdDispatch-None-02706 ] Object 0: handle = 0x1, type = "
                                "VK_OBJECT_TYPE_QUEUE; | MessageID = 0xa6b7 | access out of bounds | at 31"),
              "VUID-vkCmdDispatch-None-02706: access out of bounds | at 31");
    EXPECT_EQ(validationMessage("SYNC-HAZARD-READ-AFTER-WRITE",
                                "Validation Error: [ SYNC-HAZARD-READ-AFTER-WRITE ] | MessageID = 0xe4d96472\n"
                                "vkCmdDispatch(): Hazard\n"),
              "SYNC-HAZARD-READ-AFTER-WRITE: vkCmdDispatch(): Hazard");
}

TEST(ValidationMessage, OfLayersWithoutAHeaderGetsItsId)
{
    EXPECT_EQ(
        validationMessage("SYNC-HAZARD-READ-AFTER-WRITE",
                          "vkCmdDispatch(): READ_AFTER_WRITE hazard detected. \nregion 0: {\n  offset = 0\n}\n\n"),
        "SYNC-HAZARD-READ-AFTER-WRITE: vkCmdDispatch(): READ_AFTER_WRITE hazard detected. region 0: { offset = 0 "
        "}");
}

TEST(ValidationMessage, WithoutAnIdOrATextStaysWhatItIs)
{
    EXPECT_EQ(validationMessage(nullptr, "from\n  the loader"), "from the loader");
    EXPECT_EQ(validationMessage("", "from the loader"), "from the loader");
    EXPECT_EQ(validationMessage("VUID-x", "Validation Error: [ VUID-x ] | MessageID = 0x1"),
              "VUID-x: Validation Error: [ VUID-x ] | MessageID = 0x1");
    EXPECT_EQ(validationMessage("VUID-x", ""), "VUID-x: ");
}

TEST(ValidationMessage, OfWhatAKernelPrintsIsItsText)
{
    EXPECT_EQ(
        printedMessage("Validation Information: [ UNASSIGNED-DEBUG-PRINTF ] Object 0: handle = 0x5; | MessageID = "
                       "0x92394c89 | sum 7\n"),
        "sum 7");
    EXPECT_EQ(printedMessage("vkQueueSubmit(): pSubmits[0] DebugPrintf:\nsum 7\n"), "sum 7");
    EXPECT_EQ(printedMessage("sum 7"), "sum 7");
}

TEST(ValidationMessage, ThatIsLongIsCut)
{
    const std::string line = validationMessage("VUID-x", std::string(1000, 'y'));
    EXPECT_EQ(line.size(), 1004U);
    EXPECT_TRUE(line.ends_with("yy ...")) << line;
}

}  // namespace a2
