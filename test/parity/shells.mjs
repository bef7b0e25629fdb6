import { spawn } from "node:child_process";

// The small process of shells.ts: starts a shell for each message, and answers what it printed and how it ended.
process.on("message", ({ id, command, cwd, env }) => {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.on("error", (error) => process.send({ id, error: error.message }));
  child.on("close", (code, signal) => process.send({ id, code, signal, stdout, stderr }));
});
process.on("disconnect", () => process.exit());
