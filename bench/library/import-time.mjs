import { execFileSync } from "node:child_process";

/**
 * Milliseconds that `await import(specifier)` takes in a fresh process of that Node, as the process itself sees it. `folder` is
 * where the specifier is resolved.
 */
export function importTime(node, specifier, folder) {
  const program = `
    const started = performance.now();
    await import(${JSON.stringify(specifier)});
    process.stdout.write(String(performance.now() - started));`;
  const env = { ...process.env };
  // What a user's first start is, not a second one.
  delete env.NODE_COMPILE_CACHE;
  return Number(execFileSync(node, ["--input-type=module", "--eval", program], { cwd: folder, env, encoding: "utf8" }));
}
