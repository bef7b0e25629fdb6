import { dictionary } from "../../base/collections/dictionary.js";
import { parseCidr, parseIp } from "../validation/ip.js";
import { isEmailAddress } from "./email-address.js";
import { checkRequestUri, GoUrlError } from "../text/go/go-url.js";
import { parseGoDuration } from "../../base/text/go-literals.js";

/** Whether a text has a format. */
export type FormatCheck = (text: string) => boolean;

/**
 * The formats of strings that a kube-apiserver 1.36 checks, by their names without dashes: "date-time" and "datetime" are one. Source:
 * apiextensions' supportedVersionedFormats, kube-openapi's strfmt.
 */
const CHECKS: Readonly<Record<string, FormatCheck>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmailAddress,
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && parseIp(text) !== undefined,
  ipv6: (text) => text.includes(":") && parseIp(text)?.leadingZeros === false,
  cidr: (text) => parseCidr(text) !== undefined,
  mac: isMac,
  uuid: uuid("[0-9a-f]{4}-?[0-9a-f]{4}"),
  uuid3: uuid("3[0-9a-f]{3}-?[0-9a-f]{4}"),
  uuid4: uuid("4[0-9a-f]{3}-?[89ab][0-9a-f]{3}"),
  uuid5: uuid("5[0-9a-f]{3}-?[89ab][0-9a-f]{3}"),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(rgbPattern()),
  byte: isBase64,
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && SHORT_NAME.test(text),
  k8slongname: (text) => text.length <= 253 && LONG_NAME.test(text),
};

/** Of the types of numbers; their values are checked as numbers. */
const NUMERIC: Readonly<Record<string, readonly string[]>> = dictionary({
  integer: ["int32", "int64"],
  number: ["float", "double"],
});

/** The format that is checked on values of a type ("" for an open type): "" for a format that is not. */
export function checkedFormat(format: string, type: string): string {
  if (type === "" || type === "string") return formatCheckOf(format) === undefined ? "" : format;
  return NUMERIC[type]?.includes(format) === true ? format : "";
}

/** The check for the texts of a format; undefined for an unknown format. */
export function formatCheckOf(format: string): FormatCheck | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
}

function matches(pattern: RegExp): FormatCheck {
  return (text) => pattern.test(text);
}

function uuid(middle: string): FormatCheck {
  return matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${middle}-?[0-9a-f]{12}$`, "i"));
}

function rgbPattern(): RegExp {
  const space = "[\\t\\n\\f\\r ]*";
  const part = `${space}(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])${space}`;
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`);
}

const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
// At most 253 characters are matched.
const LONG_NAME = /^[a-z0-9](-*[a-z0-9])*(\.[a-z0-9](-*[a-z0-9])*)*$/;

/**
 * Made when it is first needed, of a text: V8 checks a literal whenever it reads this file, and these classes of letters take it
 * longer than all other patterns.
 */
function hostnamePattern(): RegExp {
  return (hostname ??= new RegExp(
    String.raw`^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`,
    "u",
  ));
}
let hostname: RegExp | undefined;

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || !hostnamePattern().test(text)) return false;
  return text.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** 6, 8 or 20 bytes in pairs of digits, or in groups of four between dots. Source: Go's net.ParseMAC. */
function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)$/i.test(text);
  if (pairs) return [6, 8, 20].includes((text.length + 1) / 3);
  return /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text) && [3, 4, 10].includes((text.length + 1) / 5);
}

/** Whether a text is a URI as it may stand in a request: an absolute one, a path from the root, or "*". */
function isRequestUri(text: string): boolean {
  try {
    checkRequestUri(text);
    return true;
  } catch (error) {
    if (error instanceof GoUrlError) return false;
    throw error;
  }
}

/** Numbers of cards and books, with their check digits. Source: kube-openapi's copy of govalidator. */

const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** Whatever stands between the digits. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CARD.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

const withoutDashes = (text: string): string => text.replace(/[\t\n\f\r -]+/g, "");

function isIsbn10(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** "2006-01-02", a day that there is. */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (day === undefined) return false;
  const [number, days] = [Number(month), daysOf(Number(year), Number(month))];
  return number >= 1 && number <= 12 && Number(day) >= 1 && Number(day) <= days;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

/** RFC 3339, in either case; what follows a second "t" is not looked at. Source: kube-openapi's strfmt.IsDateTime. */
function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const [, hours = "99", minutes = "", seconds = ""] = TIME.exec(time) ?? [];
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

const PART = /(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/g;

/** Whole names of units, and what longer names begin with. */
const UNITS: ReadonlySet<string> = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const UNIT_BEGINNINGS = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
const LARGEST = 2n ** 63n - 1n;

/** As Go writes it ("1h30m"), or a text with an amount of a unit in it ("2 days"). Source: kube-openapi's strfmt.ParseDuration. */
function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  let found = false;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) {
    if (BigInt(amount) > LARGEST) return false;
    const name = unit.toLowerCase();
    if (UNITS.has(name) || UNIT_BEGINNINGS.some((beginning) => name.startsWith(beginning))) found = true;
  }
  return found;
}
