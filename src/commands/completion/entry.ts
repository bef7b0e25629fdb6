import type { CommandEntry } from "../../cli/command.js";

/** kubectl has `completion SHELL` alone; the subcommands are kubets' own. */
export const completionEntry: CommandEntry = {
  name: "completion",
  summary: "Print the completion code of a shell (bash, zsh, fish or powershell), or install it",
  load: async () => (await import("./completion.js")).completionCommand(),
  children: [
    {
      name: "install",
      summary: "Install completion in a shell's start-up file",
      load: async () => (await import("./install.js")).completionInstallCommand(),
    },
    {
      name: "uninstall",
      summary: "Undo what install changed",
      load: async () => (await import("./uninstall.js")).completionUninstallCommand(),
    },
  ],
};
