import { string, struct } from "../../dist/server.js";

/** What a server of notes, its one kind, is made of: objects in memory, and all rights for everybody. */
export const options = {
  resources: [
    {
      group: "bench.example.com",
      resource: "notes",
      kind: "Note",
      namespaced: true,
      versions: [{ version: "v1", schema: struct("Note", { spec: struct("NoteSpec", { text: string }) }) }],
    },
  ],
  authentication: { anonymous: true },
  authorizers: [() => ({ decision: "allow" })],
};
