import type { CommandEntry } from "../../cli/command.js";

export const authEntry: CommandEntry = {
  name: "auth",
  summary: "Look into who is allowed what",
  group: {
    use: "auth [flags]",
    description: "Look into who is allowed what, and bring roles and bindings in line with files.",
  },
  children: [
    {
      name: "can-i",
      summary: "Ask whether something is allowed",
      load: async () => (await import("./can-i.js")).canICommand(),
    },
    {
      name: "reconcile",
      summary: "Bring roles and bindings in line with a file",
      load: async () => (await import("./reconcile.js")).reconcileCommand(),
    },
    {
      name: "whoami",
      summary: "Show as whom the server knows you",
      load: async () => (await import("./whoami.js")).whoAmICommand(),
    },
  ],
};
