// Starts `xylem language-server` and hands queries to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("xylem").get("command", "xylem");
  client = new LanguageClient(
    "xylem",
    "Xylem",
    { command, args: ["language-server"] },
    { documentSelector: [{ language: "xquery" }] },
  );
  return client.start();
};

exports.deactivate = () => client && client.stop();
