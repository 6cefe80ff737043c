// How many invocations this subgroup has; to be asked where all of them are. All subgroups of a work-group but the last have
// as many as the first, so that subgroup i begins at invocation i * width.
//
// gl_SubgroupSize can be more: in the last subgroup, and on devices that choose how wide to run a kernel (Mesa's driver for
// Intel says 32 and runs 8, 16 or 32). And gl_NumSubgroups does not count a short last one everywhere (Mesa's CPU driver).
uint subgroupWidth() { return subgroupAdd(1); }
