import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { describeTerminal, type TerminalLab, terminalLab } from "./terminal.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`wide characters are not compared: ${kubectl.missing}\n`);

const COLUMNS = "-o custom-columns=NAME:.metadata.name,说明:.data.text,SIZE:.data.size --sort-by=.data.size";

describeTerminal("the width of text on a terminal", () => {
  let lab: TerminalLab;

  beforeAll(async () => {
    lab = await terminalLab();
    const texts = ["short", "数据库的设置", "ключи", "café 🚀", "e\u0301te\u0301"];
    for (const [index, text] of texts.entries()) {
      const data = [`--from-literal=text=${text}`, `--from-literal=size=${index + 1}`];
      await lab.kubectl(["create", "configmap", `map-${index}`, ...data]);
      await lab.kubectl(["label", "configmap", `map-${index}`, "app=wide"]);
    }
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  test("a table on a terminal aligns wide characters by their columns there", async () => {
    const terminal = await lab.open();
    const { screen } = await terminal.run(`kubectl get cm -l app=wide ${COLUMNS}`);
    expect(screen).toBe(
      [
        "NAME    说明           SIZE",
        "map-0   short          1",
        "map-1   数据库的设置   2",
        "map-2   ключи          3",
        "map-3   café 🚀        4",
        "map-4   e\u0301te\u0301            5",
        "",
      ].join("\n"),
    );
  });

  test.skipIf(kubectl.missing !== undefined)("a table in a pipe aligns wide characters as kubectl does", async () => {
    const terminal = await lab.open();
    const line = `get cm -l app=wide ${COLUMNS}`;
    await terminal.run(`kubectl ${line} >ours; ${kubectl.path} ${line} >theirs`);
    const [ours, theirs] = ["ours", "theirs"].map((name) => readFileSync(join(lab.folder, name), "utf8"));
    expect(ours).toBe(theirs);
    expect(ours).toContain("数据库的设置");
  });

  test("a table is cut to the terminal, also after a resize; --fit=false leaves it whole, and without UTF-8 dots mark cuts", async () => {
    const terminal = await lab.open();
    const line = `kubectl get cm -l app=wide ${COLUMNS}`;
    expect((await terminal.run(line)).screen).toContain("map-1   数据库的设置   2\n");
    await terminal.resize(20);
    const { screen } = await terminal.run(`${line}; stty size`);
    expect(screen).toBe(
      [
        "NAME    说明    SIZE",
        "map-0   short   1",
        "map-1   数据…   2",
        "map-2   ключи   3",
        "map-3   café…   4",
        "map-4   e\u0301te\u0301     5",
        "24 20",
        "",
      ].join("\n"),
    );
    const whole = (await terminal.run(`${line} --fit=false`)).screen;
    expect(whole.replaceAll("\n", "")).toContain("map-1   数据库的设置   2");
    const dots = (await terminal.run(`LC_ALL=C ${line}`)).screen;
    expect(dots).toContain("map-1   数...   2\n");
    expect(dots).not.toContain("…");
  });

  test("a table on a terminal of 300 columns is not cut", async () => {
    const terminal = await lab.open({ columns: 300, rows: 40 });
    const { screen } = await terminal.run("kubectl get cm -l app=wide --show-labels --no-headers -o wide");
    expect(screen.match(/map-\d +2 +\d+s +app=wide/g)).toHaveLength(5);
  });

  test("a description is aligned by the displayed width of its parts", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "told" },
      spec: { containers: [{ name: "app", image: "web", env: [{ name: "WHERE", value: "北京" }] }] },
    };
    await lab.kubectl(["create", "-f", "-"], JSON.stringify(pod));
    const terminal = await lab.open({ columns: 120, rows: 60 });
    expect((await terminal.run("kubectl describe pod told")).screen).toContain("      WHERE:  北京\n");
  });
});
