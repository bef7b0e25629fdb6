import { posix, win32 } from "node:path";
import { describe, expect, test } from "vitest";
import { isOwnName, pathComponent } from "../../../src/base/files/path-component.js";

describe("turning a name that somebody else chose into a name of a file", () => {
  test.each([
    ["web", "web"],
    ["system:node", "system:node"],
    ["...", "..."],
    ["a..b", "a..b"],
    ["名前 x", "名前 x"],
    ["", "%"],
    [".", "%2E"],
    ["..", "%2E%2E"],
    ["../../pwned", "..%2F..%2Fpwned"],
    ["/etc/passwd", "%2Fetc%2Fpasswd"],
    ["a\u0000b\u001b[31m", "a%00b%1B[31m"],
  ])("on Linux writes %j as %j", (words, component) => {
    expect(pathComponent(words, "linux")).toBe(component);
  });

  test.each([
    ["web", "web"],
    ["system:node", "system%3Anode"],
    ["..\\..\\pwned", "..%5C..%5Cpwned"],
    ["C:\\x", "C%3A%5Cx"],
    ["con", "%63on"],
    ["NUL.txt", "%4EUL.txt"],
    ["web.", "%77eb%2E"],
    ["web ", "%77eb%20"],
  ])("on Windows writes %j as %j", (words, component) => {
    expect(pathComponent(words, "win32")).toBe(component);
  });

  test("makes one entry of the folder, whatever the name is", () => {
    const pieces = ["..", ".", "/", "\\", "a", ":", " ", "\u0000", "con", "\n", "C:", "%2F"];
    for (const one of pieces) {
      for (const other of pieces) {
        for (const third of pieces) {
          const words = one + other + third;
          expect(posix.dirname(posix.resolve("/folder", pathComponent(words, "linux"))), words).toBe("/folder");
          const name = pathComponent(words, "win32");
          expect(win32.dirname(win32.resolve("C:\\folder", name)), words).toBe("C:\\folder");
          expect(isOwnName(name, "win32"), words).toBe(true);
        }
      }
    }
  });
});
