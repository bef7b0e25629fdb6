import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { surroundingsOf } from "../../src/client/surroundings.js";
import { fetchUrl } from "../../src/cli/fetch-url.js";
import { type BuildOptions, buildKustomization, localFiles } from "../../src/kustomize/build.js";
import { realTool, SHORT_LIVED } from "../helpers/real-tools.js";
import { filesOf, type Tree } from "./trees.js";

export const kubectl = realTool("kubectl");

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Puts the files of a tree into a new folder below `root`. */
export function writeTree(root: string, tree: Tree): string {
  const folder = mkdtempSync(join(root, "tree-"));
  for (const [path, text] of filesOf(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A short process on a busy machine: it collects no garbage and asks for one core. */
const env = { ...process.env, ...SHORT_LIVED, GOMAXPROCS: "1" };

export const buildByKubectl = (folder: string, dir = "."): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(kubectl.path, ["kustomize", dir], { cwd: folder, encoding: "utf8", env }, (error, stdout, stderr) =>
      resolve(mask({ stdout, stderr, code: typeof error?.code === "number" ? error.code : 0 })),
    );
  });

export async function buildByKubets(
  folder: string,
  dir = ".",
  given: Pick<BuildOptions, "helmCommand"> = {},
): Promise<Outcome> {
  let stderr = "";
  const options = {
    ...given,
    files: localFiles(folder, process.platform),
    fetch: (url: string) => fetchUrl(url, surroundingsOf({})),
    warn: (line: string) => void (stderr += `${line}\n`),
    log: (text: string) => void (stderr += `I1110 23:00:00.000000       1 log.go:244] ${text}`),
  };
  try {
    return mask({ stdout: (await buildKustomization(dir, options)).toYaml(), stderr, code: 0 });
  } catch (error) {
    const { message } = error as Error;
    return mask({ stdout: "", stderr: `${stderr}error: ${message}${message.endsWith("\n") ? "" : "\n"}`, code: 1 });
  }
}

/** When something was logged, and at which address of memory Go shows a thing, differ from run to run. */
const mask = ({ stderr, ...rest }: Outcome): Outcome => ({
  ...rest,
  stderr: stderr.replaceAll(/^I\d{4} [\d:.]+ +\d+ log\.go:244\] /gm, "LOG ").replaceAll(/0x[0-9a-f]+/g, "ADDRESS"),
});
