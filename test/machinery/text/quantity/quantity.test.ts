import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  canonicalizeQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityValue,
} from "../../../../src/machinery/text/quantity/quantity.js";

describe("writing a quantity in canonical form", () => {
  const rows: readonly [what: string, input: string | number, output: string][] = [
    ["milli that is whole becomes whole", "1000m", "1"],
    ["a fraction of Gi becomes Mi", "0.5Gi", "512Mi"],
    ["1024Mi is 1Gi", "1024Mi", "1Gi"],
    ["a binary number not divisible by 8 stays as written", "1025Mi", "1025Mi"],
    ["small binary numbers lose the suffix", "1Ki", "1Ki"],
    ["a binary fraction below 1024 is decimal", "0.5Ki", "512"],
    ["exponents stay", "1e3", "1e3"],
    ["an upper-case exponent stays as written", "1E3", "1E3"],
    ["exponents that are no multiple of three move", "12e5", "1200e3"],
    ["decimals become milli", "0.5", "500m"],
    ["1.5 becomes 1500m", "1.5", "1500m"],
    ["thousands become k", "1000", "1k"],
    ["1200k keeps its text", "1200k", "1200k"],
    ["trailing thousands are folded", "1000k", "1M"],
    ["zero of any kind is 0", "0.00Mi", "0"],
    ["a number is read as its text", 2, "2"],
    ["a leading plus is kept where Go keeps its text", "+1", "+1"],
    ["less than nano rounds up", "0.1n", "1n"],
    ["negative numbers", "-0.5", "-500m"],
    ["18 and more digits", "1234567890123456789", "1234567890123456789"],
    ["leading zeros stay where Go keeps its text", "01Gi", "01Gi"],
    ["trailing zeros stay where Go keeps its text", "1.500", "1.500"],
    ["a power without a suffix loses it, as in Go", "1000E", "1"],
    ["binary that is no multiple of 1024", "1.5Ki", "1536"],
    ["a lone point is zero", ".", "0"],
    ["negative exponents", "100e-1", "10"],
    ["an exponent beyond int64", "1e19", "10e18"],
    ["binary far below one", "0.0001Ki", "102400u"],
    ["beyond int64 binary is capped", "9999999Ei", "9223372036854775807"],
  ];
  it.each(rows)("%s", (_, input, output) => {
    expect(canonicalizeQuantity(input)).toBe(output);
  });

  it.each([
    ["", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["abc", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1.2.3", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1Km", "unable to parse quantity's suffix"],
    ["5e", "unable to parse quantity's suffix"],
    ["1e999999999", "unable to parse numeric part of quantity"],
    ["1e-999999999", "unable to parse numeric part of quantity"],
    [`1e${"9".repeat(400)}`, "unable to parse numeric part of quantity"],
  ])("refuses %j in Go's words", (input, message) => {
    expect(() => parseQuantity(input)).toThrow(message);
  });

  it("leaves a canonical form unchanged", () => {
    const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "e3", "e-3"];
    fc.assert(
      fc.property(fc.integer(), fc.nat(9999), fc.constantFrom(...suffixes), (whole, fraction, suffix) => {
        const quantity = parseQuantity(`${whole}.${fraction}${suffix}`);
        const once = formatQuantity({ ...quantity, text: undefined });
        expect(canonicalizeQuantity(once)).toBe(once);
        if (!/E|e/.test(suffix)) expect(compareQuantities(parseQuantity(once), quantity)).toBe(0);
      }),
    );
  });
});

it("quantities are added and compared across suffixes", () => {
  expect(formatQuantity(addQuantities(parseQuantity("500m"), parseQuantity("1")))).toBe("1500m");
  expect(formatQuantity(addQuantities(parseQuantity("1Gi"), parseQuantity("512Mi")))).toBe("1536Mi");
  expect(compareQuantities(parseQuantity("1Gi"), parseQuantity("1G"))).toBe(1);
  expect(quantityValue(parseQuantity("1500m"))).toBe(2n);
  expect(quantityValue(parseQuantity("1.5"), -3)).toBe(1500n);
});
