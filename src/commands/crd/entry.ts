import type { CommandEntry } from "../../cli/command.js";

/** `crd` and its subcommands: kubets' own, kubectl has none of it. */
export const crdEntry: CommandEntry = {
  name: "crd",
  summary: "Work with CustomResourceDefinitions in files",
  group: {
    use: "crd SUBCOMMAND",
    description: "Work with CustomResourceDefinitions in files. No server is asked.",
    bare: { stream: "out", code: 0 },
  },
  children: [
    {
      name: "types",
      summary: "Print TypeScript types of custom resources",
      load: async () => (await import("./types/types.js")).crdTypesCommand(),
    },
  ],
};
