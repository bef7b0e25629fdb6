import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ours, refresh, runScript, scripts } from "./run-script.js";
import { rewriteScript } from "./script.js";

test.skipIf(refresh).concurrent.each(scripts)("kubets passes the command-line script $file", async ({ script }) => {
  expect(await runScript(script, ours)).toEqual(script.steps);
});

/** What kubectl cannot do is written down by kubets itself; the change is for a person to read. */
test.skipIf(!refresh).each(scripts.filter(({ script }) => script.kubetsOnly))(
  "the command-line script $file is written again with the output of kubets",
  async ({ path, text, script }) => writeFileSync(path, rewriteScript(text, await runScript(script, ours))),
);
