import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PackedProject } from "../helpers/packed-project.js";
import { documentBlocks, isCode } from "./markdown-blocks.js";

/** What the author of a project has installed beside kubets. */
const BESIDE = ["vitest", "@kubernetes"];

/**
 * Compiles all code of the docs, whole programs and fragments, in one call, each as a file as it is printed: into `out`, or only to see
 * that it is right. Throws with the compiler's messages.
 */
export function compileBlocks({ folder, compile }: PackedProject, options: { readonly emits: boolean }): void {
  const code = documentBlocks().filter(isCode);
  for (const { file, text } of code) writeFileSync(join(folder, file), text);
  const installed = resolve(import.meta.dirname, "../../node_modules");
  for (const name of BESIDE) symlinkSync(join(installed, name), join(folder, "node_modules", name));
  const output = options.emits ? { outDir: "out" } : { noEmit: true };
  compile(
    code.map(({ file }) => file),
    { module: "nodenext", target: "es2022", moduleDetection: "force", allowJs: true, checkJs: true, ...output },
  );
}
