import { execFileSync, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** Clients in processes of their own: one of Node, and one of Go where there is Go. `folder` holds the latter's program. */
export async function startDialers(folder) {
  const dialers = [dialer("node", process.execPath, [resolve(import.meta.dirname, "dialer.mjs")])];
  const program = join(folder, "dialer");
  try {
    execFileSync("go", ["build", "-o", program, "."], { cwd: resolve(import.meta.dirname, "go"), stdio: "pipe" });
    dialers.unshift(dialer("go", program, []));
  } catch (error) {
    process.stderr.write(`no client of Go: ${String(error.message).split("\n")[0]}\n`);
  }
  return dialers;
}

function dialer(name, command, args) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name,
    /** Dials `count` connections, `parallel` at a time. Answers how many were served and how long all took, in milliseconds. */
    async dial(target, options) {
      child.stdin.write(`${JSON.stringify({ ...target, ...options })}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`the client of ${name} has ended`);
      const { served, took, fault } = JSON.parse(value);
      if (served < options.count && options.parallel === 1) throw new Error(`${name}: ${fault}`);
      return { served, took };
    },
    stop: () => new Promise((done) => child.once("exit", done).stdin.end()),
  };
}
