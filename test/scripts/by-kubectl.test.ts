import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { real, refresh, runScript, scripts } from "./run-script.js";
import { rewriteScript } from "./script.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`the scripts are not run by kubectl: ${kubectl.missing}\n`);

/** What the scripts expect is what kubectl prints; UPDATE_SCRIPTS=1 writes down what it does. */
describe.skipIf(kubectl.missing !== undefined)("the real kubectl passes the command-line script", () => {
  test.concurrent.each(scripts.filter(({ script }) => !script.kubetsOnly))("$file", async ({ path, text, script }) => {
    const results = await runScript(script, real);
    if (refresh) writeFileSync(path, rewriteScript(text, results));
    else expect(results).toEqual(script.steps);
  });
});
