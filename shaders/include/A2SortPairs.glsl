// Which two keys pair `pair` of a bitonic step is made of.
//
// Blocks of 2 stride keys are two sorted runs, or lie between them. The step that starts a merge compares the keys from
// the middle of a block outwards: the last of the first run with the first of the second, and so on. All others compare
// keys that are `stride` apart. So the smaller key always goes to the lower index, and an array of any length is sorted
// as if the largest of all keys stood behind it: a pair whose second key is beyond the end has nothing to do.
uvec2 keysOf(uint pair, uint stride, bool starts)
{
    const uint inBlock = pair & (stride - 1), middle = 2 * (pair - inBlock) + stride;
    return uvec2(starts ? middle - 1 - inBlock : middle - stride + inBlock, middle + inBlock);
}
