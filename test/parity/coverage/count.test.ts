import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { realTool } from "../../helpers/real-tools.js";
import { installReal, runSession } from "../run-session.js";
import { parseSession } from "../session.js";
import { countLines, type RunLine } from "./line-counts.js";
import { parseCommandList, storedCommandListText } from "./kubectl-flags.js";
const pattern = process.env.COUNT;
test.skipIf(pattern === undefined)("count", { timeout: 3_000_000 }, async () => {
  const folder = join(import.meta.dirname, "../sessions");
  const lines: RunLine[] = [];
  for (const file of readdirSync(folder).filter((f) => new RegExp(pattern ?? "").test(f))) {
    const session = parseSession(file.replace(/\.txtar$/, ""), readFileSync(join(folder, file), "utf8"));
    lines.push(...(await runSession(session, installReal(realTool("kubectl").path))).steps);
    appendFileSync("/tmp/count.progress", `${file}\n`);
  }
  appendFileSync("/tmp/count.rows", lines.map((l) => `${JSON.stringify(l)}\n`).join(""));
  for (const c of countLines(lines, parseCommandList(storedCommandListText())).filter((c) => c.good < 4 || c.wrong < 3))
    appendFileSync("/tmp/count.out", `${c.command} ${c.good} ${c.wrong}\n`);
});
