import type { ProgramIo } from "../program.js";

/** More of /etc/passwd or /etc/group is not read, in bytes. */
const MOST_BYTES = 64 * 1024;

/** Reads the lines of a file of users or groups, each split into fields; empty where the file does not exist. */
export function accountRows(io: ProgramIo, file: "passwd" | "group" | "hosts"): readonly (readonly string[])[] {
  const path = `/etc/${file}`;
  const node = io.files.look(path);
  if (node === undefined || node.kind === "directory") return [];
  const text = io.files.content(path, MOST_BYTES)?.toString("utf8") ?? "";
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => (file === "hosts" ? line.trim().split(/\s+/) : line.split(":")));
}

const ROOT: readonly string[] = ["root", "x", "0"];

/** root is known without a file. */
const rowsOf = (io: ProgramIo, file: "passwd" | "group"): readonly (readonly string[])[] => [
  ...accountRows(io, file),
  ROOT,
];

function idOf(io: ProgramIo, file: "passwd" | "group", text: string): number | undefined {
  const row = rowsOf(io, file).find(([name]) => name === text);
  if (row !== undefined) return Number(row[2]);
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

const nameOf = (io: ProgramIo, file: "passwd" | "group", id: number): string | undefined =>
  rowsOf(io, file).find(([, , number]) => Number(number) === id)?.[0];

/** Finds the number of a user by name or number. */
export const userId = (io: ProgramIo, text: string): number | undefined => idOf(io, "passwd", text);
export const groupId = (io: ProgramIo, text: string): number | undefined => idOf(io, "group", text);
export const userName = (io: ProgramIo, id: number): string | undefined => nameOf(io, "passwd", id);
export const groupName = (io: ProgramIo, id: number): string | undefined => nameOf(io, "group", id);
