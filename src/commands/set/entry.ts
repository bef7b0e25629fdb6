import type { Command, CommandEntry } from "../../cli/command.js";

const leaf = (name: string, summary: string, load: () => Promise<Command>): CommandEntry => ({ name, summary, load });

export const setEntry: CommandEntry = {
  name: "set",
  summary: "Set single features of objects",
  group: {
    use: "set SUBCOMMAND",
    description: `Change one thing about objects that exist: images, resources, variables and the like.`,
  },
  children: [
    leaf("image", "Set the images of a pod template", async () => (await import("./image.js")).setImageCommand()),
    leaf("resources", "Set requests and limits in a pod template", async () =>
      (await import("./resources.js")).setResourcesCommand(),
    ),
    leaf("selector", "Set the selector of a service", async () => (await import("./selector.js")).setSelectorCommand()),
    leaf("subject", "Add users, groups and service accounts to a role binding", async () =>
      (await import("./subject.js")).setSubjectCommand(),
    ),
    {
      ...leaf("serviceaccount", "Set the service account of a pod template", async () =>
        (await import("./service-account.js")).setServiceAccountCommand(),
      ),
      aliases: ["sa"],
    },
    leaf("env", "Set environment variables in a pod template", async () => (await import("./env.js")).setEnvCommand()),
  ],
};
