/** An entry of an archive, before its content. */
export interface TarHeader {
  readonly name: string;
  readonly type: "file" | "directory" | "link" | "other";
  readonly size: number;
  readonly mode: number;
  /** Seconds since the epoch. */
  readonly mtime: number;
  /** Of a symbolic link. */
  readonly target: string;
}

export const BLOCK = 512;
const LONGEST_NAME = 100;
/** What a header of GNU tar or pax may hold: a longer name is no name. */
const LONGEST_EXTENSION = 64 * 1024;
const LARGEST_OCTAL = 8 ** 11;
const TYPES: Readonly<Record<TarHeader["type"], string>> = { file: "0", directory: "5", link: "2", other: "0" };

/** Thrown for bytes that are not a complete archive. */
export class TarFormatError extends Error {}

/** Encodes the blocks before an entry's content in GNU tar's format: a long name is an entry of its own before it. */
export function encodeHeader(header: TarHeader): Uint8Array {
  const blocks: Uint8Array[] = [];
  const name = header.type === "directory" ? `${header.name}/` : header.name;
  if (Buffer.byteLength(header.target) > LONGEST_NAME) blocks.push(longName("K", header.target));
  if (Buffer.byteLength(name) > LONGEST_NAME) blocks.push(longName("L", name));
  blocks.push(block(name, { ...header, typeflag: TYPES[header.type] }));
  return Buffer.concat(blocks);
}

interface BlockFields extends Pick<TarHeader, "size" | "mode" | "mtime" | "target"> {
  readonly typeflag: string;
}

function block(name: string, { size, mode, mtime, target, typeflag }: BlockFields): Buffer {
  const out = Buffer.alloc(BLOCK);
  Buffer.from(name).copy(out, 0, 0, LONGEST_NAME);
  out.write(octal(mode & 0o7777, 7), 100);
  out.write(octal(0, 7), 108);
  out.write(octal(0, 7), 116);
  if (size < LARGEST_OCTAL) out.write(octal(size, 11), 124);
  else {
    // GNU's form of large numbers.
    out[124] = 0x80;
    out.writeBigUInt64BE(BigInt(size), 128);
  }
  out.write(octal(mtime, 11), 136);
  out.write("        ", 148);
  out.write(typeflag, 156);
  Buffer.from(target).copy(out, 157, 0, LONGEST_NAME);
  out.write("ustar  \0", 257, "latin1");
  out.write("root", 265);
  out.write("root", 297);
  out.write(`${octal(checksumOf(out), 6)}\0 `, 148, "latin1");
  return out;
}

function longName(typeflag: "K" | "L", name: string): Buffer {
  const content = Buffer.from(`${name}\0`);
  const padded = Buffer.alloc(Math.ceil(content.length / BLOCK) * BLOCK);
  content.copy(padded);
  return Buffer.concat([
    block("././@LongLink", { size: content.length, mode: 0o644, mtime: 0, target: "", typeflag }),
    padded,
  ]);
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

function checksumOf(header: Uint8Array): number {
  let sum = 0;
  for (const byte of header) sum += byte;
  return sum;
}

/** Reads headers, with the names that extensions of GNU tar and pax bring. */
export class TarHeaderReader {
  #next: { name?: string; target?: string; size?: number; mtime?: number } = {};

  /** `read` gives so many bytes, padded to blocks. Undefined at the end of the archive. */
  async next(read: (length: number) => Promise<Buffer | undefined>): Promise<TarHeader | undefined> {
    for (;;) {
      const header = await read(BLOCK);
      if (header === undefined || header.every((byte) => byte === 0)) return undefined;
      const expected = number(header.subarray(148, 156));
      header.fill(32, 148, 156);
      if (checksumOf(header) !== expected) throw new TarFormatError("This does not look like a tar archive");
      const typeflag = String.fromCharCode(header[156] ?? 0);
      const size = number(header.subarray(124, 136));
      if ("KLxg".includes(typeflag)) {
        if (size > LONGEST_EXTENSION) throw new TarFormatError("Malformed extended header");
        const content = await read(Math.ceil(size / BLOCK) * BLOCK);
        if (content === undefined) throw new TarFormatError("Unexpected EOF in archive");
        this.#extend(typeflag, content.subarray(0, size));
        continue;
      }
      return this.#entry(header, typeflag, size);
    }
  }

  #entry(header: Buffer, typeflag: string, size: number): TarHeader {
    const next = this.#next;
    this.#next = {};
    const posix = header.toString("latin1", 257, 263) === "ustar\0";
    const prefix = posix ? text(header.subarray(345, 500)) : "";
    const plain = text(header.subarray(0, 100));
    const name = next.name ?? (prefix === "" ? plain : `${prefix}/${plain}`);
    const slashed = name.endsWith("/") && (typeflag === "0" || typeflag === "\0");
    return {
      name,
      type: slashed ? "directory" : typeOf(typeflag),
      size: next.size ?? size,
      mode: number(header.subarray(100, 108)) & 0o7777,
      mtime: next.mtime ?? number(header.subarray(136, 148)),
      target: next.target ?? text(header.subarray(157, 257)),
    };
  }

  #extend(typeflag: string, content: Buffer): void {
    if (typeflag === "L") this.#next.name = text(content);
    else if (typeflag === "K") this.#next.target = text(content);
    else if (typeflag === "x") {
      for (const [key, value] of paxRecords(content)) {
        if (key === "path") this.#next.name = value;
        else if (key === "linkpath") this.#next.target = value;
        else if (key === "size" && /^\d+$/.test(value)) this.#next.size = Number(value);
        else if (key === "mtime") this.#next.mtime = Math.floor(Number(value)) || 0;
      }
    }
  }
}

function typeOf(typeflag: string): TarHeader["type"] {
  if (typeflag === "0" || typeflag === "\0") return "file";
  if (typeflag === "5") return "directory";
  return typeflag === "2" ? "link" : "other";
}

/** Records of pax: "LENGTH KEY=VALUE\n". */
function* paxRecords(content: Buffer): Generator<readonly [string, string], void, undefined> {
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(32, at);
    const length = Number(content.toString("latin1", at, space < 0 ? at : space));
    if (!(length > 0) || at + length > content.length) return;
    const record = content.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    yield [record.slice(0, equals), record.slice(equals + 1)];
    at += length;
  }
}

function number(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(field.length - 8) & 0x1fffffffffffffn);
  return Number.parseInt(text(field).trim() || "0", 8) || 0;
}

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}
