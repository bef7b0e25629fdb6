import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { compareKeys } from "../../base/collections/key-order.js";
import { errorCode } from "../../base/files/path-error.js";
import { unifiedDiff } from "../../machinery/text/text-diff/unified-diff.js";

/** Returns the output of `diff -u -N` for two folders of files; "" when they are equal. A missing file counts as empty. */
export async function compareFolders(from: string, to: string): Promise<string> {
  const names = new Set([...(await readdir(from)), ...(await readdir(to))]);
  let text = "";
  for (const name of [...names].sort(compareKeys)) {
    const [a, b] = [join(from, name), join(to, name)];
    const [before, after] = [await readVersion(a), await readVersion(b)];
    const difference = unifiedDiff(
      { label: `${a}\t${before.time}`, text: before.text },
      { label: `${b}\t${after.time}`, text: after.text },
    );
    if (difference !== "") text += `diff -u -N ${a} ${b}\n${difference}`;
  }
  return text;
}

async function readVersion(path: string): Promise<{ readonly text: string; readonly time: string }> {
  try {
    const { mtime } = await stat(path);
    return { text: await readFile(path, "utf8"), time: timeText(mtime) };
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return { text: "", time: timeText(new Date(0)) };
  }
}

/** "2026-01-31 12:00:00.123000000 +0000" */
const timeText = (time: Date): string => time.toISOString().replace("T", " ").replace("Z", "000000 +0000");
