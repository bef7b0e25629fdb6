import { execFile } from "node:child_process";
import { type CommandEntry, type CommandList, type FlagEntry, isExcluded } from "./kubectl-flags.js";

/** Flags that no help shows, by what the sources of kubectl and kustomize say; each command is asked whether it has them. */
const HIDDEN: readonly FlagEntry[] = [
  { name: "cpu-percent", value: "required" },
  { name: "enable-managedby-label", value: "none" },
  { name: "record", value: "none" },
  { name: "reorder", value: "required" },
];

/** Commands that no help lists. */
const UNLISTED = ["help", "options"];

/** Takes the list from the binary: help texts, and an attempt with each flag whose need of a value they do not tell. */
export async function readKubectl(kubectl: string): Promise<CommandList> {
  const run = (args: readonly string[]): Promise<{ ok: boolean; text: string }> =>
    new Promise((resolve) => {
      // Without the setting, a flag of apply is not there.
      const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", KUBECONFIG: "/nonexistent", KUBECTL_APPLYSET: "true" };
      execFile(kubectl, args, { env, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
        resolve({ ok: error === null, text: stdout + stderr }),
      );
    });

  const flagsOf = async (args: readonly string[], help: string): Promise<readonly FlagEntry[]> => {
    const flags: FlagEntry[] = [];
    for (const [, short, name = "", shown = ""] of help.matchAll(/^ {4}(?:-(\w), )?--([\w-]+)=(.*):$/gm)) {
      // Help is asked for first: what follows is parsed, nothing runs.
      const alone = shown === "true" || shown === "false" || (await run([...args, "--help", `--${name}`])).ok;
      flags.push({ name, ...(short !== undefined && { short }), value: alone ? "none" : "required" });
    }
    return flags;
  };

  const visit = async (path: string): Promise<readonly CommandEntry[]> => {
    const args = path === "" ? [] : path.split(" ");
    const { text } = await run([...args, "--help"]);
    const shown = path === "" ? await flagsOf([], (await run(["options"])).text) : await flagsOf(args, text);
    const hidden: FlagEntry[] = [];
    for (const flag of path === "" ? [] : HIDDEN) {
      if ((await run([...args, `--${flag.name}=x`, "--help"])).text.includes("unknown flag")) continue;
      hidden.push(flag);
    }
    const aliases = /^Aliases:\n *(.*)$/m.exec(text)?.[1]?.split(", ").slice(1) ?? [];
    const children: CommandEntry[] = [];
    for (const name of [...childNames(text), ...(path === "" ? UNLISTED : [])].sort()) {
      const child = path === "" ? name : `${path} ${name}`;
      if (!isExcluded(child)) children.push(...(await visit(child)));
    }
    return [{ path, aliases, flags: [...shown, ...hidden] }, ...children];
  };
  const [root, ...rest] = await visit("");
  // Every command has it, and no help lists it.
  const help: FlagEntry = { name: "help", short: "h", value: "none" };
  return root === undefined ? [] : [{ ...root, flags: [...root.flags, help] }, ...rest];
}

function childNames(help: string): readonly string[] {
  const names = new Set<string>();
  let commands = false;
  for (const line of help.split("\n")) {
    if (/^\S.*:$/.test(line)) commands = /Commands\b/.test(line);
    const name = commands ? /^ {2}([a-z][a-z-]*) {2,}\S/.exec(line)?.[1] : undefined;
    if (name !== undefined) names.add(name);
  }
  return [...names];
}
