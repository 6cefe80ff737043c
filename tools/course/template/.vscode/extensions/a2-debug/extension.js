// Starts `a2 debug --dap` for Visual Studio Code, which asks for nothing else.
const path = require("path");
const vscode = require("vscode");

exports.activate = (context) => {
    const a2 = process.platform === "win32" ? "a2.exe" : "a2";
    const adapter = {
        createDebugAdapterDescriptor: ({ configuration, workspaceFolder }) =>
            new vscode.DebugAdapterExecutable(
                configuration.program || path.join(workspaceFolder.uri.fsPath, "build", a2), ["debug", "--dap"]),
    };
    // F5 without a launch.json.
    const open = { type: "a2", request: "launch", name: "a2 debug", kernel: "${file}" };
    const configurations = {
        resolveDebugConfiguration: (_, configuration) => (configuration.type ? configuration : open),
    };
    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory("a2", adapter),
        vscode.debug.registerDebugConfigurationProvider("a2", configurations));
};
