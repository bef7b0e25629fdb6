import { createReadStream, createWriteStream } from "node:fs";
import { readdir, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { LogFileOptions } from "./log-file.js";

const DAY = 86_400_000;
const COMPRESSED = ".gz";

/** The name of the file that a log is renamed to at a time: audit-2026-01-02T15-04-05.000.log of audit.log, in UTC. */
export function oldLogName(path: string, time: number): string {
  const { prefix, extension } = partsOf(path);
  const stamp = new Date(time).toISOString().slice(0, -1).replaceAll(":", "-");
  return join(dirname(path), `${prefix}${stamp}${extension}`);
}

function partsOf(path: string): { readonly prefix: string; readonly extension: string } {
  const extension = extname(path);
  return { prefix: `${basename(path, extension)}-`, extension };
}

interface OldLog {
  readonly file: string;
  readonly time: number;
  readonly isCompressed: boolean;
}

/**
 * Removes old files of a log that are too many or too old, and compresses the others if the options request it. `now` is
 * milliseconds since the epoch.
 */
export async function tidyOldLogs(options: LogFileOptions, now: number): Promise<void> {
  const { path, maxAge, maxBackups, compress } = options;
  const logs = await oldLogsOf(path);
  // The two forms of a file count as one: the program may have ended while it compressed.
  const newest = [...new Set(logs.map(({ time }) => time))].slice(0, maxBackups === 0 ? undefined : maxBackups);
  const oldest = maxAge === 0 ? Number.NEGATIVE_INFINITY : now - maxAge * DAY;
  const isKept = ({ time }: OldLog): boolean => newest.includes(time) && time >= oldest;
  for (const log of logs.filter((one) => !isKept(one))) await unlink(log.file);
  if (!compress) return;
  for (const { file } of logs.filter((one) => isKept(one) && !one.isCompressed)) await compressFile(file);
}

/** The old files of a log, the newest first. */
async function oldLogsOf(path: string): Promise<readonly OldLog[]> {
  const { prefix, extension } = partsOf(path);
  const found: OldLog[] = [];
  for (const name of await readdir(dirname(path))) {
    const isCompressed = name.endsWith(extension + COMPRESSED);
    const ending = isCompressed ? extension + COMPRESSED : extension;
    if (!name.startsWith(prefix) || !name.endsWith(ending)) continue;
    const time = timeOf(name.slice(prefix.length, name.length - ending.length));
    if (time !== undefined) found.push({ file: join(dirname(path), name), time, isCompressed });
  }
  return found.sort((a, b) => b.time - a.time);
}

/** The time that {@link oldLogName} has written; undefined for any other text. */
function timeOf(stamp: string): number | undefined {
  const [, date = "", hours = "", minutes = "", seconds = ""] =
    /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp) ?? [];
  const time = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(time) ? undefined : time;
}

async function compressFile(file: string): Promise<void> {
  const packed = file + COMPRESSED;
  try {
    const { mode } = await stat(file);
    await pipeline(createReadStream(file), createGzip(), createWriteStream(packed, { mode: mode & 0o777 }));
  } catch (error) {
    await unlink(packed).catch(() => {});
    throw error;
  }
  await unlink(file);
}
