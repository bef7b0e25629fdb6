import { dictionary } from "../../../base/collections/dictionary.js";
import type { PaxRecords } from "./pax-records.js";
import { invalidHeader, TarError, type TarEntryType, type TarHeader } from "./tar-entry.js";

/** A header as its block has it, before PAX records and GNU's long names. */
export interface RawHeader extends TarHeader {
  /** The character of the type: "0" a file, "5" a directory, "x" PAX records, "L" a long name... */
  readonly flag: string;
  /** Bytes that follow the block, whatever the entry is. */
  readonly length: number;
}

const REGULAR: ReadonlySet<string> = new Set(["0", "\0", "7"]);
/** Have no content, whatever their size says. */
const BARE: Readonly<Record<string, TarEntryType>> = dictionary({
  "1": "hardlink",
  "2": "symlink",
  "3": "special",
  "4": "special",
  "5": "directory",
  "6": "special",
});

/** Reads a block. Throws when its checksum or a number is wrong. */
export function readHeaderBlock(block: Uint8Array): RawHeader {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  checkSum(bytes);
  const text = (from: number, length: number): string => cString(bytes.subarray(from, from + length));
  const magic = bytes.toString("latin1", 257, 265);
  const named = magic === "ustar\x0000" || magic === "ustar  \0";
  const prefix = magic === "ustar\x0000" ? text(345, 155) : "";
  const flag = bytes.toString("latin1", 156, 157);
  const name = prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const size = number(bytes, 124, 12);
  if (size < 0) throw invalidHeader();
  const type = typeOf(flag, name);
  const bare = flag in BARE || type === "directory";
  return {
    flag,
    name,
    type,
    length: bare ? 0 : size,
    size: type === "file" ? size : 0,
    mode: number(bytes, 100, 8) & 0o7777,
    uid: number(bytes, 108, 8),
    gid: number(bytes, 116, 8),
    modified: number(bytes, 136, 12),
    linkName: text(157, 100),
    userName: named ? text(265, 32) : "",
    groupName: named ? text(297, 32) : "",
  };
}

function typeOf(flag: string, name: string): TarEntryType {
  // In the oldest archives a directory is a file whose name ends in a slash.
  if (flag === "\0" && name.endsWith("/")) return "directory";
  return REGULAR.has(flag) ? "file" : (BARE[flag] ?? "special");
}

/** Merges extended records into a header: they override the fields of the block. */
export function withRecords(header: RawHeader, records: PaxRecords): RawHeader {
  if ([...records.keys()].some((key) => key.startsWith("GNU.sparse."))) throw sparse(header.name);
  const given = (key: string): string | undefined => records.get(key) || undefined;
  const numeric = (key: string, otherwise: number): number => {
    const value = given(key);
    if (value === undefined) return otherwise;
    if (!/^-?\d{1,20}(\.\d*)?$/.test(value)) throw invalidHeader();
    return Number(value);
  };
  const size = header.type === "file" ? numeric("size", header.size) : header.size;
  if (size < 0 || !Number.isSafeInteger(size)) throw invalidHeader();
  return {
    ...header,
    name: given("path") ?? header.name,
    linkName: given("linkpath") ?? header.linkName,
    userName: given("uname") ?? header.userName,
    groupName: given("gname") ?? header.groupName,
    uid: numeric("uid", header.uid),
    gid: numeric("gid", header.gid),
    modified: numeric("mtime", header.modified),
    size,
    length: header.type === "file" ? size : header.length,
  };
}

/** Makes the error for files with holes, which programs write only with a special flag. */
export const sparse = (name: string): TarError =>
  new TarError(`archive/tar: ${JSON.stringify(name)} is a sparse file, which is not supported`);

/** Both sums are in use: of unsigned bytes, as the standard says, and of signed ones. */
function checkSum(bytes: Buffer): void {
  const stated = number(bytes, 148, 8);
  let unsigned = 0;
  let signed = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = index >= 148 && index < 156 ? 0x20 : (bytes[index] ?? 0);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  if (stated !== unsigned && stated !== signed) throw invalidHeader();
}

/** Octal digits, or a big-endian number in base 256 where the first bit is set. */
function number(bytes: Buffer, from: number, length: number): number {
  if (((bytes[from] ?? 0) & 0x80) !== 0) return binary(bytes.subarray(from, from + length));
  const digits = bytes.toString("latin1", from, from + length).replace(/^[ \0]+|[ \0]+$/g, "");
  const [octal = ""] = digits.split("\0");
  if (octal === "") return 0;
  if (!/^[0-7]+$/.test(octal)) throw invalidHeader();
  return Number.parseInt(octal, 8);
}

function binary(bytes: Buffer): number {
  const negative = ((bytes[0] ?? 0) & 0x40) !== 0;
  let value = negative ? -1n : 0n;
  for (const [index, byte] of bytes.entries()) {
    value = (value << 8n) | BigInt(index === 0 ? (negative ? byte : byte & 0x7f) : byte);
  }
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER)) throw invalidHeader();
  return Number(value);
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}
