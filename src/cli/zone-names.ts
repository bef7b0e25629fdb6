import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where Go looks for the time zone database. */
const FOLDERS = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"];
const HEADER = 44;

/** Of a time in milliseconds since the epoch: minutes, counted westwards as JavaScript does. */
type OffsetOf = (milliseconds: number) => number;

const offsetOfMachine: OffsetOf = (milliseconds) => new Date(milliseconds).getTimezoneOffset();

/**
 * Returns the name of this machine's time zone at a time in milliseconds since the epoch ("CEST"). JavaScript has only localized names.
 * `zone` is the environment's TZ, undefined when that is not set. Nothing is read before the first call.
 */
export function zoneNames(
  zone: string | undefined,
  offsetOf: OffsetOf = offsetOfMachine,
): (milliseconds: number) => string {
  let names: ((milliseconds: number) => string) | undefined;
  return (milliseconds) => (names ??= namesOf(zone, offsetOf))(milliseconds);
}

function namesOf(zone: string | undefined, offsetOf: OffsetOf): (milliseconds: number) => string {
  const unnamed = (milliseconds: number) => offsetName(offsetOf(milliseconds));
  try {
    const data = zoneFile(zone);
    return data === undefined ? () => "UTC" : (readNames(data, offsetOf) ?? unnamed);
  } catch {
    return unnamed;
  }
}

/** Undefined for UTC. */
function zoneFile(zone: string | undefined): Buffer | undefined {
  if (zone === undefined) return readFileSync("/etc/localtime");
  const name = zone.replace(/^:/, "");
  if (name === "" || name === "UTC") return undefined;
  const paths = name.startsWith("/") ? [name] : FOLDERS.map((folder) => join(folder, name));
  for (const [index, path] of paths.entries()) {
    try {
      return readFileSync(path);
    } catch (error) {
      if (index === paths.length - 1) throw error;
    }
  }
  return undefined;
}

/**
 * Reads the format of RFC 8536, of which the second half has times of 64 bits and the rule for what is to come. Undefined
 * for what has no second half; throws for what is cut.
 */
function readNames(data: Buffer, offsetOf: OffsetOf): ((milliseconds: number) => string) | undefined {
  if (data.toString("latin1", 0, 4) !== "TZif" || data[4] === 0) return undefined;
  const first = counts(data, 0);
  const start =
    HEADER + first.times * 5 + first.types * 6 + first.chars + first.leaps * 8 + first.standards + first.uts;
  const { times, types, chars, leaps, standards, uts } = counts(data, start);
  const [timesAt, kindsAt] = [start + HEADER, start + HEADER + times * 8];
  const [typesAt, charsAt] = [kindsAt + times, kindsAt + times + types * 6];
  const footer = data.toString("latin1", charsAt + chars + leaps * 12 + standards + uts).trim();
  return (milliseconds) => {
    const seconds = BigInt(Math.floor(milliseconds / 1000));
    let reached = 0;
    while (reached < times && data.readBigInt64BE(timesAt + reached * 8) <= seconds) reached += 1;
    if (reached === times && footer !== "") return ruleName(footer, offsetOf(milliseconds));
    const kind = reached === 0 ? 0 : data.readUInt8(kindsAt + reached - 1);
    const from = charsAt + data.readUInt8(typesAt + kind * 6 + 5);
    return data.toString("latin1", from, data.indexOf(0, from));
  };
}

/** How many there are of what, in the order of a header. */
function counts(data: Buffer, at: number) {
  const [uts = 0, standards = 0, leaps = 0, times = 0, types = 0, chars = 0] = Array.from({ length: 6 }, (_, index) =>
    data.readUInt32BE(at + 20 + index * 4),
  );
  return { uts, standards, leaps, times, types, chars };
}

const RULE = /^(?:<([^>]+)>|([A-Za-z]+))([+-]?)(\d+)(?::(\d+))?(?::\d+)?(?:<([^>]+)>|([A-Za-z]+))?/;

/** The names of POSIX' "CET-1CEST,M3.5.0,M10.5.0/3"; which of them it is, the offset tells. */
function ruleName(rule: string, offset: number): string {
  const [, quoted, plain, sign, hours, minutes = "0", quotedSummer, plainSummer] = RULE.exec(rule) ?? [];
  const name = quoted ?? plain;
  if (name === undefined) return offsetName(offset);
  const standard = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return offset === standard ? name : (quotedSummer ?? plainSummer ?? name);
}

/** What Go writes where it knows no name: "+0130". */
function offsetName(offset: number): string {
  if (offset === 0) return "UTC";
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${offset > 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(minutes).padStart(2, "0")}`;
}
