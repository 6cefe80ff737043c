// What a process takes from itself before it runs code of a stranger's: rights, files, system calls. Where the system
// has no such thing, nothing is taken, and nothing is said. Linux.
//
// The list of system calls is a filter of a dozen lines made here: a library for it would be one more to install on
// each machine.
#pragma once

#include <string>
#include <vector>

namespace a2 {

struct Confinement {
    std::vector<std::string> read;   // files and folders, with what is in them; those that do not exist are passed over
    std::vector<std::string> write;  // likewise: to be read, too
    bool startsPrograms = false;     // it may start other programs, and have sockets of this machine
};

// From now on this thread, and each that it starts, opens nothing but that and gains no rights. None of this process's
// has a way to other processes: no tracing, no signals, no memory of theirs, no network, no name spaces, no mounts, no
// keys, no programs of the kernel's.
void confine(const Confinement& to);

// No other process may look into this one: no tracing, no core.
void hideProcess();

// For root: becomes a user that nobody else is, without any right; or, where that is not possible or not wanted, root
// without rights.
void dropRights(bool becomeOther = true);

// Where the libraries have come from that this program has loaded, and where LD_LIBRARY_PATH has it look for more: a
// compiler may have brought its own.
std::vector<std::string> foldersOfLibraries();

// Whether that other user can open this file.
bool isReadableWithoutRights(const std::string& path);

}  // namespace a2
