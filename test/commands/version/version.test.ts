import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { runCli } from "../../helpers/run-cli.js";

test.each(["yaml", "json"])(
  "version -o %s has the same text with --color=always as without colours",
  async (format) => {
    const plain = await runCli(["version", "--client", "-o", format]);
    const painted = await runCli(["version", "--client", "-o", format, "--color=always"]);
    expect(plain.stdout).toMatch(/gitVersion"?: "?v1\.37\.1/);
    expect(painted.stdout).not.toBe(plain.stdout);
    expect({ ...painted, stdout: stripVTControlCharacters(painted.stdout) }).toEqual(plain);
  },
);
