import { parseFloatLiteral, parseIntegerLiteral } from "../go/number-syntax.js";

const BARE = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?$/u;

/** Whether a key may not stand without quotes: for its characters, or because some YAML reader takes it for no text. */
export function needsQuotes(key: string): boolean {
  return !BARE.test(key) || isWord(key) || isNumber(key) || isTimestamp(key);
}

/** YAML 1.1's words for nothing, yes and no, in any case; `t` and `f` are Go's. */
const words = new Set(["null", "true", "y", "yes", "on", "false", "n", "no", "off", "t", "f"]);

function isWord(key: string): boolean {
  return words.has(key.toLowerCase());
}

const NOT_FINITE = /^(?:[+-]?(?:inf|infinity)|nan)$/i;
const MAX = 2n ** 63n - 1n;

function isNumber(key: string): boolean {
  const plain = key.replaceAll("_", "");
  const integer = parseIntegerLiteral(plain);
  if (integer !== undefined && integer <= MAX) return true;
  return NOT_FINITE.test(plain) || parseFloatLiteral(plain) !== undefined;
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d)))?$/;

/** Only what exists: the 30th of February is a text. Times with a space are none of the characters a bare key has. */
function isTimestamp(key: string): boolean {
  const match = TIMESTAMP.exec(key);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return isDate && hour < 24 && minute < 60 && second < 60 && zoneHour <= 24 && zoneMinute < 60;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
