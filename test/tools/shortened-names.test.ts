import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";

const { shortenedLocals } = (await import("../../tools/shortened-names.mjs" as string)) as {
  readonly shortenedLocals: () => Plugin;
};

test("the build keeps names of exported functions for stack traces, and shortens parameters and local names", async () => {
  const source = join(import.meta.dirname, "../../src/machinery/text/duration/human-duration.ts");
  const bundle = async (plugins: Plugin[]): Promise<string> => {
    const { outputFiles } = await build({
      entryPoints: [source],
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      write: false,
      plugins,
    });
    return outputFiles[0]?.text ?? "";
  };
  const [whole, shortened] = [await bundle([]), await bundle([shortenedLocals()])];
  expect(whole).toMatch(/^function humanDuration\(milliseconds\)/m);
  expect(shortened).toMatch(/^function humanDuration\(\w\)/m);
  const parametersOf = (code: string) => [...code.matchAll(/^function \w+\((\w*)/gm)].map(([, name]) => name ?? "");
  expect(parametersOf(whole).some((name) => name.length > 1)).toBe(true);
  expect(parametersOf(shortened).filter((name) => name.length > 1)).toEqual([]);
});
