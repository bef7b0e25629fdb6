import { withMistyped } from "../base/text/mistyped.js";
import type { Host } from "./connect/host.js";
import { goPlatform, kubernetesRelease } from "./connect/client-version.js";
import { FlagTable } from "../component/flags/flag-table.js";
import type { FlagSpec } from "../component/flags/flag-set.js";
import { parseFlags } from "../component/flags/parse-flags.js";
import { ownBuild } from "./own-build.js";

const OUTPUT: FlagSpec = { name: "output", short: "o", type: "string", usage: "One of 'yaml' or 'json'" };
const FORMS = ["json", "yaml"];

/**
 * Prints the version of kubets for `--version`, a flag that kubectl does not have, under whatever name the program runs. `words` follow the
 * flag. Sends no request. Throws for words other than -o json and -o yaml.
 */
export async function printOwnVersion(
  words: readonly string[],
  { streams, platform, arch }: Pick<Host, "streams" | "platform" | "arch">,
): Promise<void> {
  const { flags, args } = parseFlags(new FlagTable([OUTPUT]), words);
  if (args.length > 0) throw new Error(`--version stands for a command: it takes no operands, got ${args.join(" ")}`);
  const output = flags.string("output");
  if (output !== "" && !FORMS.includes(output)) {
    const error = new Error("--output must be 'yaml' or 'json'");
    throw withMistyped(error, () => ({ typed: output, known: FORMS }));
  }
  const { version, commit, date } = ownBuild;
  const facts = {
    version,
    ...(commit !== "" && { commit, date }),
    kubernetesVersion: kubernetesRelease.gitVersion,
    runtime: runtime(),
    platform: goPlatform(platform, arch),
  };
  if (output === "") {
    const lines = [`kubets ${version}`, ...buildLines(commit, date), `Kubernetes ${facts.kubernetesVersion}`];
    return void streams.out.write(
      [...lines, `${facts.runtime}, ${facts.platform}`].map((line) => `${line}\n`).join(""),
    );
  }
  const { emitYaml } = await import("../machinery/text/yaml/emit.js");
  streams.out.write(output === "json" ? `${JSON.stringify(facts, null, 2)}\n` : emitYaml(facts));
}

const buildLines = (commit: string, date: string): readonly string[] =>
  commit === "" ? [] : [`commit ${commit} of ${date}`];

/** Returns the line of `version` on a terminal: "kubets Version: 0.1.0 (6935763f)". */
export function ownVersionLine(): string {
  const { version, commit } = ownBuild;
  return `kubets Version: ${version}${commit === "" ? "" : ` (${shortened(commit)})`}`;
}

const shortened = (commit: string): string => commit.replace(/^([0-9a-f]{8})[0-9a-f]*/, "$1");

/** "node 24.1.0". */
function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `node ${node}` : `bun ${bun}`;
}
