// The rights, files and system calls that a process gives up before it runs foreign code. Where the system lacks one of
// these means, that one is skipped without a message. Linux.
//
// The filter of system calls is made here, in a dozen lines: a library for it would have to be installed on each
// machine.
#pragma once

#include <string>
#include <vector>

namespace a2 {

struct Confinement {
    std::vector<std::string> read;   // files and folders, with what is in them; those that do not exist are skipped
    std::vector<std::string> write;  // the same, but they may also be read
    bool startsPrograms = false;     // it may start other programs, and have sockets of this machine
};

// From now on this thread, and each that it starts, can open only these files and gains no rights. The whole process
// can no longer reach other processes: no tracing, no signals, no access to their memory, no network, no name spaces,
// no mounts, no keys, no programs in the kernel.
void confine(const Confinement& to);

// No other process may look into this one: no tracing, no core.
void hideProcess();

// For root: becomes a user that no other process has, without any right. Where that is not possible or not wanted, it
// stays root without rights.
void dropRights(bool becomeOther = true);

// The folders from which this program has loaded its libraries, and those in LD_LIBRARY_PATH: a compiler may have
// libraries of its own there.
std::vector<std::string> foldersOfLibraries();

// Whether the user that dropRights() becomes can open this file.
bool isReadableWithoutRights(const std::string& path);

}  // namespace a2
