import type { CommandEntry } from "../../cli/command.js";

export const applyEntry: CommandEntry = {
  name: "apply",
  summary: "Make resources what a file or stdin says they are",
  load: async () => (await import("./apply.js")).applyCommand(),
  children: [
    {
      name: "view-last-applied",
      summary: "Show what was applied to resources last",
      load: async () => (await import("./view-last-applied.js")).viewLastAppliedCommand(),
    },
    {
      name: "set-last-applied",
      summary: "Record a file as what was applied last",
      load: async () => (await import("./set-last-applied.js")).setLastAppliedCommand(),
    },
    {
      name: "edit-last-applied",
      summary: "Edit the record of what was applied last",
      load: async () => (await import("./edit-last-applied.js")).editLastAppliedCommand(),
    },
  ],
};
