import type { Command, CommandEntry } from "../../cli/command.js";

const leaf = (name: string, summary: string, load: () => Promise<Command>): CommandEntry => ({ name, summary, load });

export const rolloutEntry: CommandEntry = {
  name: "rollout",
  summary: "Follow, pause, repeat and undo the rollout of a resource",
  group: {
    use: "rollout SUBCOMMAND",
    description: "Follow, pause, repeat and undo the rollout of deployments, daemonsets and statefulsets.",
    examples: `# Go back to what a deployment was before
{{program}} rollout undo deployment/abc

# Wait until a daemonset is rolled out
{{program}} rollout status daemonset/foo

# Start the pods of a deployment anew
{{program}} rollout restart deployment/abc

# The same for all deployments with the label app=nginx
{{program}} rollout restart deployment --selector=app=nginx`,
    bare: { stream: "out", code: 1 },
  },
  children: [
    leaf("history", "Show the revisions of a resource", async () => (await import("./history.js")).historyCommand()),
    leaf("pause", "Hold back the rollout of a resource", async () => (await import("./change.js")).pauseCommand()),
    leaf("restart", "Start the pods of a resource anew", async () => (await import("./change.js")).restartCommand()),
    leaf("resume", "Let a paused rollout go on", async () => (await import("./change.js")).resumeCommand()),
    leaf("status", "Show how far a rollout is", async () => (await import("./status.js")).statusCommand()),
    leaf("undo", "Go back to an earlier revision", async () => (await import("./undo.js")).undoCommand()),
  ],
};
