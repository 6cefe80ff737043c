"""Runs unit tests that were built for 64-bit ARM under QEMU: `under_qemu.py QEMU PACKAGES PROGRAM`. There is no Vulkan
driver for them, so tests that need one are left out; all others must pass."""

import json
import pathlib
import subprocess
import sys
import tempfile

# Tests that cannot run here, and so are left out.
UNTRIED = {
    "EmulatedRows.*:EmulatedKernels.*:EmulatorLitmus.*:SlicedRow.*:LongArrays.*": "they take minutes without QEMU",
    "Process.*": "the kernel starts no program of another processor",
}
NO_DRIVER = "`-d emulator` judges without any"
SYSTEM = "/usr/aarch64-linux-gnu"  # the C and C++ libraries of the compiler's packages


def main():
    qemu, packages, program = sys.argv[1:]
    libraries = f"{packages}/usr/lib/aarch64-linux-gnu"
    for tests, reason in UNTRIED.items():
        print(f"not tried: {tests}, because {reason}")
    with tempfile.TemporaryDirectory(prefix="a2-arm64-") as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run([qemu, "-L", SYSTEM, "-E", f"LD_LIBRARY_PATH={libraries}:{SYSTEM}/lib",
                               "-E", "VK_DRIVER_FILES=/nonexistent", program, f"--gtest_output=json:{report}",
                               f"--gtest_filter=-{':'.join(UNTRIED)}", "--gtest_brief=1"],
                              capture_output=True, text=True, errors="replace", check=False)
        if not report.is_file():
            print(done.stdout[-3000:] + done.stderr[-3000:] + f"\nno report: it ended in status {done.returncode}")
            return 1
        suites = json.loads(report.read_text())["testsuites"]
    passed, without, failed = 0, 0, []
    for suite in suites:
        for test in suite["testsuite"]:
            whys = [one["failure"] for one in test.get("failures", ())]
            if whys and all(NO_DRIVER in why for why in whys):
                without += 1
            elif whys:
                failed.append(f"{suite['name']}.{test['name']}: {whys[0]}")
            elif test.get("result") == "COMPLETED":
                passed += 1
    print("\n".join(failed))
    print(f"{passed} passed, {len(failed)} failed, {without} ask for a driver")
    return 0 if passed > 100 and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
