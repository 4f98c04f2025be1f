// What a worker with workflows of its own bundles: theirs, and the conversation. The bundler puts their path in the place of the name.
// CommonJS, because their exports are not known here by name.
const theirs: Readonly<Record<string, unknown>> = require("holdfast-workflows-beside");
const ours: { readonly conversation: unknown } = require("./index.js");

if (theirs.conversation !== undefined && theirs.conversation !== ours.conversation) {
  throw new Error(
    "The workflow type `conversation` is Holdfast's: give your workflow of that name another one.",
  );
}

module.exports = { ...theirs, conversation: ours.conversation };
