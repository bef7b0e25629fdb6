import type { CommandEntry } from "../../cli/command.js";

export const certificateEntry: CommandEntry = {
  name: "certificate",
  summary: "Approve and deny requests for certificates",
  group: {
    use: "certificate SUBCOMMAND",
    description: "Approve and deny requests for certificates.",
    bare: { stream: "out", code: 0, takesOperands: true },
  },
  children: [
    {
      name: "approve",
      summary: "Approve a request for a certificate",
      load: async () => (await import("./decide.js")).approveCommand(),
    },
    {
      name: "deny",
      summary: "Deny a request for a certificate",
      load: async () => (await import("./decide.js")).denyCommand(),
    },
  ],
};
