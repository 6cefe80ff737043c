#include "cli/StudentFolder.h"

#include "base/PrintableText.h"
#include "cli/Options.h"
#include "cli/Subcommand.h"
#include "cli/Terminal.h"
#include "files/Project.h"
#include "worker/FolderBuild.h"

namespace a2 {

void readyFolder(const Options& options)
{
    const bool asksForSolutions = (options.command->hasRows || options.command->takesOneTask) &&
                                  options.solutions.empty() && options.recordingFile.empty() &&
                                  options.recordingsFile.empty();
    if (!installation() || !asksForSolutions) return;
    Terminal terminal(options.quiet, options.verbose);
    if (!hasProject()) {
        terminal.note("note: no folder of an assignment is here: `a2 new FOLDER` makes one, and a2 works in it");
        return;
    }
    buildFolder(projectFolder(), {[&](const std::string& what) { terminal.progress(what); },
                                  [&](const std::string& line) {
                                      terminal.clearProgress();
                                      printError(printableText(line));
                                  }});
    terminal.clearProgress();
}

}  // namespace a2
