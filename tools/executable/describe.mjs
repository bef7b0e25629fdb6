// What kind of program a file is, as its first bytes say (ELF, Mach-O and PE headers).
import { closeSync, openSync, readSync } from "node:fs";

const ELF = { 0x3e: "x64", 0xb7: "arm64" };
const MACH_O = { 0x01000007: "x64", 0x0100000c: "arm64" };
const PE = { 0x8664: "x64", 0xaa64: "arm64" };

/**
 * @param {string} file
 * @returns {{ format: "ELF" | "Mach-O" | "PE" | "unknown", architecture: string }}
 */
export function describeExecutable(file) {
  const head = Buffer.alloc(4096);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  if (head.readUInt32BE(0) === 0x7f454c46) return known("ELF", ELF[head.readUInt16LE(18)]);
  if (head.readUInt32LE(0) === 0xfeedfacf) return known("Mach-O", MACH_O[head.readUInt32LE(4)]);
  if (head.toString("latin1", 0, 2) === "MZ") {
    const at = head.readUInt32LE(0x3c);
    if (at + 6 <= head.length && head.toString("latin1", at, at + 4) === "PE\0\0") {
      return known("PE", PE[head.readUInt16LE(at + 4)]);
    }
  }
  return known("unknown", undefined);
}

const known = (format, architecture = "unknown") => ({ format, architecture });
