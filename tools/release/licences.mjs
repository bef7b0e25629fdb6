// The licences of the code that other projects wrote and that a package holds.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages } from "./bundled.mjs";

const runtimes = JSON.parse(readFileSync(new URL("../executable/runtimes.json", import.meta.url), "utf8"));

const RUNTIME = `## bun ${runtimes.version}

The executable is bun's runtime with the program inside. bun is under the MIT licence, and links libraries under licences of
their own, JavaScriptCore (LGPL-2) among them: https://bun.com/docs/project/licensing
`;

/** A Markdown text with the licence of each bundled package; with `runtime`, of bun too. */
export function bundledLicences(root, { runtime = false } = {}) {
  const sections = bundledPackages(root).map(({ name, version, folder }) => {
    const { license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? "" : `\n${readFileSync(join(root, folder, file), "utf8").trim()}\n`;
    return `## ${name} ${version}\n\n${license}\n${text}`;
  });
  return ["# Licences of the code that kubets bundles\n", ...sections, ...(runtime ? [RUNTIME] : [])].join("\n");
}
