// The client of the language server: it starts 'tikc lsp' for files of the language tik.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = function () {
  const settings = workspace.getConfiguration('tikc');
  const server = { command: settings.get('path'), args: ['lsp', ...settings.get('options')] };
  client = new LanguageClient('tikc', 'TIK', server, {
    documentSelector: [{ language: 'tik' }],
    synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{tik,py,npy}') },
  });
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};
