// The scan of one number of each invocation, in shared memory (Hillis and Steele, 1986): two halves take turns, so that
// one barrier is enough for each step.
shared uint scanned[2 * gl_WorkGroupSize.x];

// The sum of the values of the invocations before this one. All of the work-group come here together, once.
uint sumOfThoseBefore(uint value)
{
    const uint me = gl_LocalInvocationID.x;
    uint from = 0;  // the half that holds the sums
    scanned[me] = value;
    barrier();
    for (uint stride = 1; stride < gl_WorkGroupSize.x; stride *= 2) {
        const uint sum = scanned[from + me] + (me >= stride ? scanned[from + me - stride] : 0);
        from = gl_WorkGroupSize.x - from;
        scanned[from + me] = sum;
        barrier();
    }
    return scanned[from + me] - value;
}
