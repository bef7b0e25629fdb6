import { encodePaxRecords } from "./pax-records.js";
import { BLOCK, paddingOf, type TarEntryType, TarError, type TarHeader } from "./tar-entry.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

const FLAGS: Readonly<Record<Exclude<TarEntryType, "special">, string>> = {
  file: "0",
  hardlink: "1",
  symlink: "2",
  directory: "5",
};

/** The two zero blocks that end an archive. */
export const tarEnd = (): Uint8Array => new Uint8Array(2 * BLOCK);

/**
 * The blocks before an entry's content: a ustar header, and PAX records before it where ustar cannot say it (long names, names beyond
 * ASCII, files from 8 GB on). The same bytes as Go's archive/tar writes. The caller writes the content and its padding.
 */
export function tarHeaderBlocks(header: TarHeader): Uint8Array {
  if (header.type === "special") throw new TarError("archive/tar: special files are not supported");
  const records = new Map<string, string>();
  const modified = Math.round(header.modified);
  const path = splitPath(header.name);
  if (path === undefined) records.set("path", header.name);
  for (const [key, value, room] of [
    ["linkpath", header.linkName, 100],
    ["uname", header.userName, 32],
    ["gname", header.groupName, 32],
  ] as const) {
    if (!isAscii(value) || value.length > room) records.set(key, value);
  }
  for (const [key, value, digits] of [
    ["size", header.size, 11],
    ["uid", header.uid, 7],
    ["gid", header.gid, 7],
    ["mtime", modified, 11],
  ] as const) {
    if (!fits(value, digits)) records.set(key, String(value));
  }
  const flag = FLAGS[header.type];
  if (records.size === 0) return block({ ...header, modified, flag, name: path?.name ?? "", prefix: path?.prefix });
  const encoded = encodePaxRecords(records);
  const before = block({ ...NOTHING, name: recordsName(header.name), size: encoded.length, flag: "x" });
  const after = block({ ...header, modified, flag, name: shortened(header.name) });
  return Buffer.concat([before, encoded, new Uint8Array(paddingOf(encoded.length)), after]);
}

const NOTHING = { mode: 0, uid: 0, gid: 0, modified: 0, userName: "", groupName: "", linkName: "" } as const;

interface BlockFields extends Omit<TarHeader, "type"> {
  readonly flag: string;
  readonly prefix?: string | undefined;
}

function block({ name, prefix = "", flag, ...header }: BlockFields): Uint8Array {
  const bytes = Buffer.alloc(BLOCK);
  const text = (value: string, from: number, room: number): void =>
    void bytes.write(toAscii(value).slice(0, room), from, "latin1");
  const octal = (value: number, from: number, room: number): void => {
    const digits = fits(value, room - 1) ? value.toString(8) : "0";
    text(digits.padStart(room - 1, "0"), from, room);
  };
  text(name, 0, 100);
  octal(header.mode, 100, 8);
  octal(header.uid, 108, 8);
  octal(header.gid, 116, 8);
  octal(header.size, 124, 12);
  octal(header.modified, 136, 12);
  text(flag, 156, 1);
  text(header.linkName, 157, 100);
  text("ustar\x0000", 257, 8);
  text(header.userName, 265, 32);
  text(header.groupName, 297, 32);
  octal(0, 329, 8);
  octal(0, 337, 8);
  text(prefix, 345, 155);
  bytes.fill(" ", 148, 156);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return bytes;
}

/** A name as ustar holds it; undefined where it cannot. */
function splitPath(name: string): { readonly name: string; readonly prefix?: string } | undefined {
  if (!isAscii(name)) return undefined;
  if (name.length <= 100) return { name };
  // The prefix takes as much as it can. A directory's last slash stays with its name.
  const slash = name.slice(0, Math.min(156, name.length - 1)).lastIndexOf("/");
  const rest = name.slice(slash + 1);
  if (slash <= 0 || rest === "" || rest.length > 100) return undefined;
  return { name: rest, prefix: name.slice(0, slash) };
}

/** Readers that know no PAX see the beginning of the name; a file's may not end in a slash, which would make it a directory. */
function shortened(name: string): string {
  const ascii = toAscii(name);
  if (ascii.length <= 100 || ascii[99] !== "/") return ascii.slice(0, 100);
  return withoutTrailing(ascii.slice(0, 100), "/");
}

function recordsName(name: string): string {
  const slash = name.lastIndexOf("/");
  const [folder, file] = [name.slice(0, slash + 1), name.slice(slash + 1)];
  return withoutTrailing(shortened(`${folder}PaxHeaders.0/${file}`), "/");
}

const fits = (value: number, digits: number): boolean => value >= 0 && value < 8 ** digits;

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

const toAscii = (text: string): string => text.replace(/\P{ASCII}/gu, "");
