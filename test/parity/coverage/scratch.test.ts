import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { realTool } from "../../helpers/real-tools.js";
import { installOurs, installReal, runSession } from "../run-session.js";
import { parseSession } from "../session.js";
const name = process.env.SCRATCH ?? "";
test.skipIf(name === "")("scratch", { timeout: 600_000 }, async () => {
  const session = parseSession(
    name,
    readFileSync(process.env.SCRATCH_FILE ?? join(import.meta.dirname, `../sessions/${name}.txtar`), "utf8"),
  );
  const install = process.env.SCRATCH_OURS === undefined ? installReal(realTool("kubectl").path) : installOurs;
  for (const s of (await runSession(session, install)).steps)
    process.stdout.write(
      `$ ${s.command}  [${s.code}]\n${s.stdout}${s.stderr}${process.env.SCRATCH_REQ ? s.requests.map((r) => `   > ${r}\n`).join("") : ""}`,
    );
});
