import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const example = join(import.meta.dirname, "../../examples/api-server/server.mjs");
const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined)
  process.stdout.write(`the example of an API server is skipped: ${kubectl.missing}\n`);

const menu = (name: string, dish: object) => ({
  apiVersion: "cafe.example.com/v1",
  kind: "Menu",
  metadata: { name },
  spec: { season: "winter", dishes: [dish] },
});

describe.skipIf(kubectl.missing !== undefined)("kubectl on the example API server of a restaurant's menus", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-example-"));
  const kubeconfig = join(folder, "menus.kubeconfig");
  let program: ChildProcess;
  let real: RealKubectl;

  beforeAll(async () => {
    program = spawn(process.execPath, [example, kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
    if (program.stdout === null) throw new Error("no output");
    const [line] = (await once(createInterface(program.stdout), "line")) as [string];
    expect(line).toMatch(/^menus are served at https:\/\/127\.0\.0\.1:\d+$/);
    real = await realKubectl({ kubeconfig: () => readFileSync(kubeconfig, "utf8") });
  });

  afterAll(async () => {
    const ended = once(program, "exit");
    program.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await real[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (words: readonly string[], stdin = "") => real.run(words, stdin);

  test("applies a menu, prints the filter's warning, and reads the menu in both versions", async () => {
    const applied = await run(["apply", "-f", "-"], JSON.stringify(menu("lunch", { name: "soup", price: "4.50" })));
    expect(applied).toEqual({
      code: 0,
      stdout: "menu.cafe.example.com/lunch created\n",
      stderr: "Warning: the kitchen closes at 22:00\n",
    });
    const dishes = '"dishes":[{"name":"soup","portions":10,"price":"4.50"}]';
    const read = (resource: string) => run(["get", resource, "lunch", "-o", "jsonpath={.spec}"]);
    expect((await read("menus")).stdout).toBe(`{${dishes},"season":"winter"}`);
    expect((await read("menus.v1beta1.cafe.example.com")).stdout).toBe(`{${dishes},"theme":"winter"}`);
  });

  test("prints the resource's own columns, by its short name and its category", async () => {
    const { stdout } = await run(["get", "mn"]);
    expect(stdout).toMatch(/^NAME {4}SEASON {3}DISHES {3}AGE\nlunch {3}winter {3}1 {8}\d+s\n$/);
    expect((await run(["get", "all", "-o", "name"])).stdout).toBe("menu.cafe.example.com/lunch\n");
  });

  test("sees the author that the admission plugin adds, and is refused a dish that the house does not sell", async () => {
    const author = await run([
      "get",
      "menu",
      "lunch",
      "-o",
      "jsonpath={.metadata.annotations.cafe\\.example\\.com/author}",
    ]);
    expect(author.stdout).toBe("kubernetes-admin");
    const refused = await run(["create", "-f", "-"], JSON.stringify(menu("bad", { name: "pineapple pizza" })));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Error from server (Forbidden): error when creating "STDIN": menus.cafe.example.com "bad" is forbidden: pineapple pizza is not sold here\n',
    );
  });

  test("is refused a menu that breaks a rule, or has an unknown field", async () => {
    const none = await run(["create", "-f", "-"], JSON.stringify(menu("none", { name: "soup", portions: 0 })));
    expect(none.stderr).toContain(
      'The Menu "none" is invalid: spec.dishes[0].portions: Invalid value: 0: must be greater than 0\n',
    );
    const odd = await run(["create", "-f", "-"], JSON.stringify(menu("odd", { name: "soup", salt: true })));
    expect(odd.stderr).toContain('unknown field "spec.dishes[0].salt"');
  });

  test("explains a menu, changes it by its status and by server-side apply, and deletes it", async () => {
    expect((await run(["explain", "menus.spec.dishes"])).stdout).toMatch(
      /name\t<string> -required-[^]*portions\t<integer>/,
    );
    const status = ["patch", "menu", "lunch", "--subresource=status", "--type=merge", "-p"];
    await run([...status, '{"status":{"printedAt":"2026-01-01T12:00:00Z"}}']);
    const cake = JSON.stringify(menu("lunch", { name: "cake" }));
    const applied = await run(["apply", "--server-side", "--field-manager=baker", "-f", "-"], cake);
    expect(applied.stdout).toBe("menu.cafe.example.com/lunch serverside-applied\n");
    // kubectl hands what its client-side apply owned to the new manager, and applies again: then nothing owns the soup.
    const path = "jsonpath={.spec.dishes[*].name} {.status.printedAt} {.metadata.generation}";
    expect((await run(["get", "menu", "lunch", "-o", path])).stdout).toBe("cake 2026-01-01T12:00:00Z 3");
    expect((await run(["delete", "menu", "lunch"])).stdout).toBe(
      'menu.cafe.example.com "lunch" deleted from default namespace\n',
    );
  });
});
