import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { zoneNames } from "../../src/cli/zone-names.js";

/** Winter and summer of the north, and the same of a year that only the rule at the end of a zone's file reaches. */
const WINTER = "2026-01-15T12:00:00Z";
const SUMMER = "2026-07-15T12:00:00Z";
const FAR_WINTER = "2044-01-15T12:00:00Z";
const FAR_SUMMER = "2044-07-15T12:00:00Z";

const noDatabase = !existsSync("/usr/share/zoneinfo/Europe/Berlin");
if (noDatabase) process.stdout.write("names of zones are skipped: /usr/share/zoneinfo has no time zone database\n");

/** Minutes westwards in winter and in summer, and the names: of `TZ=<zone> date --date=<time> +%Z`, by coreutils. */
test.skipIf(noDatabase).each([
  ["Europe/Berlin", [-60, -120], ["CET", "CEST", "CET", "CEST"]],
  [":Europe/Berlin", [-60, -120], ["CET", "CEST", "CET", "CEST"]],
  ["/usr/share/zoneinfo/Europe/Berlin", [-60, -120], ["CET", "CEST", "CET", "CEST"]],
  ["America/New_York", [300, 240], ["EST", "EDT", "EST", "EDT"]],
  ["Australia/Lord_Howe", [-660, -630], ["+11", "+1030", "+11", "+1030"]],
  ["America/St_Johns", [210, 150], ["NST", "NDT", "NST", "NDT"]],
  ["Asia/Tokyo", [-540, -540], ["JST", "JST", "JST", "JST"]],
  ["Asia/Kathmandu", [-345, -345], ["+0545", "+0545", "+0545", "+0545"]],
  ["America/Sao_Paulo", [180, 180], ["-03", "-03", "-03", "-03"]],
  ["Etc/GMT+3", [180, 180], ["-03", "-03", "-03", "-03"]],
] as const)("times in %s have the abbreviations of Go's zone database", (zone, [winter, summer], names) => {
  const nameOf = zoneNames(zone, (milliseconds) => (new Date(milliseconds).getUTCMonth() === 0 ? winter : summer));
  expect([WINTER, SUMMER, FAR_WINTER, FAR_SUMMER].map((time) => nameOf(Date.parse(time)))).toEqual(names);
});

test("times without a zone file have only the offset", () => {
  const nameOf = (offset: number) => zoneNames("No/Such_Zone", () => offset)(0);
  expect([-90, 480, 0].map(nameOf)).toEqual(["+0130", "-0800", "UTC"]);
});

test.each([["UTC"], [""], [":"]])("times with TZ=%s are in UTC", (zone) => {
  expect(zoneNames(zone, () => 60)(0)).toBe("UTC");
});
