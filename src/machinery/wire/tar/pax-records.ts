import { invalidHeader } from "./tar-entry.js";

/** Records of a PAX extended header: `path`, `linkpath`, `size`, `mtime`... */
export type PaxRecords = ReadonlyMap<string, string>;

const SPACE = 0x20;
const NEWLINE = 0x0a;

/** Reads records of the form "LENGTH KEY=VALUE\n", where LENGTH counts the whole record in bytes. */
export function parsePaxRecords(bytes: Uint8Array): PaxRecords {
  const records = new Map<string, string>();
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(SPACE, start);
    const digits = space < 0 ? "" : textOf(bytes.subarray(start, space));
    if (!/^[1-9]\d{0,9}$/.test(digits)) throw invalidHeader();
    const end = start + Number(digits);
    if (end <= space + 1 || end > bytes.length || bytes[end - 1] !== NEWLINE) throw invalidHeader();
    const record = textOf(bytes.subarray(space + 1, end - 1));
    const equals = record.indexOf("=");
    if (equals <= 0) throw invalidHeader();
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key.includes("\0") || (NAMES.has(key) && value.includes("\0"))) throw invalidHeader();
    records.set(key, value);
    start = end;
  }
  return records;
}

const NAMES: ReadonlySet<string> = new Set(["path", "linkpath", "uname", "gname"]);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

/** Encodes the records sorted by key, as archives have them. */
export function encodePaxRecords(records: PaxRecords): Uint8Array {
  const lines = [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => record(key, value));
  return Buffer.from(lines.join(""));
}

/** The length counts its digits too. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  let total = length + String(length).length;
  total = length + String(total).length;
  return `${total}${rest}`;
}
