import { expect, test } from "vitest";
import { displayWidth } from "../../../src/printers/colours/display-width.js";
import { terminalLook } from "../../../src/printers/colours/terminal-look.js";
import { headingCells, rowCells, tableColumns } from "../../../src/printers/look.js";
import { TabWriter } from "../../../src/printers/tab-writer.js";

interface Screen {
  columns: number;
}

/** A writer of tables for a terminal whose width may change, and what it has written. */
function tableOn(screen: Screen, { colour = false, ellipsis = "…" } = {}) {
  const look = terminalLook({
    isTerminal: true,
    colour,
    code: (sequence) => sequence,
    columns: () => screen.columns,
    ellipsis,
  });
  let text = "";
  const writer = new TabWriter((piece) => void (text += piece), { measure: look.measure, fit: look.fit });
  return {
    /** Writes rows below the headings, which are only announced where `headed` is false. */
    write(headings: readonly string[], rows: readonly (readonly string[])[], headed = true): readonly string[] {
      text = "";
      writer.write.table?.(tableColumns(headings, headed));
      if (headed) writer.write(`${headingCells(look, headings).join("\t")}\n`);
      for (const row of rows) writer.write(`${rowCells(look, headings, row).join("\t")}\n`);
      writer.flush();
      return text.split("\n").slice(0, -1);
    },
  };
}

const PODS = ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"];
const WEB = ["web-5d78c9869d-x7k2p", "1/1", "Running", "0", "3d4h", "10.244.0.17", "worker-1", "<none>", "<none>"];
const JOB = ["job", "0/1", "ContainerCreating", "0", "5s", "<none>", "worker-2", "<none>", "<none>"];

test("fitting a table to a terminal cuts headings before cells, and leaves a table alone that fits", () => {
  expect(tableOn({ columns: 100 }).write(PODS, [WEB])).toEqual([
    "NAME                   READY   STATUS    RESTAR…   AGE    IP            NODE       NOMINA…   READIN…",
    "web-5d78c9869d-x7k2p   1/1     Running   0         3d4h   10.244.0.17   worker-1   <none>    <none>",
  ]);
  const whole = [
    "NAME                   READY   STATUS    RESTARTS   AGE    IP            NODE       NOMINATED NODE   READINESS GATES",
    "web-5d78c9869d-x7k2p   1/1     Running   0          3d4h   10.244.0.17   worker-1   <none>           <none>",
  ];
  for (const columns of [whole[0]?.length ?? 0, 300, 0]) expect(tableOn({ columns }).write(PODS, [WEB])).toEqual(whole);
});

test.each([20, 30, 40, 60, 80, 100, 120])(
  "fitting a table makes no row wider than a terminal of %i columns, unless its names are",
  (columns) => {
    for (const ellipsis of ["…", "..."]) {
      for (const headed of [true, false]) {
        const lines = tableOn({ columns }, { ellipsis }).write(
          ["NAMESPACE", ...PODS],
          [
            ["shop", ...WEB],
            ["kube-system", ...JOB],
          ],
          headed,
        );
        const names = "NAMESPACE     ".length + (WEB[0]?.length ?? 0) + 1 + ellipsis.length;
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, names));
        expect(lines.join("\n")).toContain(`shop          ${WEB[0]}`);
        if (headed || columns < 120) expect(lines.some((line) => line.includes(ellipsis))).toBe(true);
        if (ellipsis === "...") expect(lines.join("\n")).not.toContain("…");
      }
    }
  },
);

test("fitting a table to a very narrow terminal marks where a row goes on", () => {
  expect(tableOn({ columns: 20 }).write(PODS, [["web-1", ...WEB.slice(1)]])).toEqual([
    "NAME    REA…   STAT…",
    "web-1   1/1    Runn…",
  ]);
  expect(tableOn({ columns: 10 }).write(["NAME", "DATA"], [["a-long-name", "1"]])).toEqual(["NAME …", "a-long-name …"]);
});

test("fitting a table cuts the widest cells to one width, and ends the colour of a cut cell", () => {
  const headings = ["NAME", "STATUS", "CONTAINERS", "LABELS"];
  const row = ["web", "CrashLoopBackOff", "a,b", "app=web,tier=front,team=checkout"];
  const [, plain = ""] = tableOn({ columns: 50 }).write(headings, [row]);
  expect(plain).toBe("web    CrashLoopBackOff   a,b    app=web,tier=fro…");
  const [, painted = ""] = tableOn({ columns: 40 }, { colour: true }).write(headings, [row]);
  expect(painted).toBe("web    \u001b[31mCrashLoopB…\u001b[39m   a,b    app=web,ti…");
});

test("fitting a table counts wide characters as two, and control characters by their escaped form", () => {
  const lines = tableOn({ columns: 24 }).write(
    ["NAME", "说明"],
    [
      ["map", "数据库的设置在这里很长很长"],
      ["map-2", "\u0007\u0007\u0007\u0007\u0007\u0007\u0007\u0007\u0007\u0007\u0007"],
    ],
  );
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(24);
  expect(lines[1]).toBe("map     数据库的设置在…");
});

test("fitting later rows of a watch keeps columns in place: a column grows while there is room, then cells are cut", () => {
  const table = tableOn({ columns: 60 });
  const headings = ["NAME", "STATUS", "MESSAGE"];
  table.write(headings, [["web", "Pending", "a message that is much too long for the terminal, indeed"]]);
  const starts = ["Running", "ContainerCreating", "Running", "x".repeat(80), "Running"].map((status) => {
    const [line = ""] = table.write(headings, [["web", status, "MARK"]], false);
    expect(displayWidth(line)).toBeLessThanOrEqual(60);
    return line.indexOf("MARK");
  });
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
  expect(starts[0]).toBe(17);
  expect(starts[2]).toBe(starts[1]);
});

test("fitting a table after a resize uses the new width for the next rows", () => {
  const screen = { columns: 80 };
  const table = tableOn(screen);
  const headings = ["NAME", "IMAGES"];
  const row = ["web", "registry.example.com/team/web:1.2.3@sha256:0123456789"];
  expect(table.write(headings, [row])[1]).toBe(`web    ${row[1]}`);
  screen.columns = 30;
  expect(table.write(headings, [row], false)).toEqual(["web   registry.example.com/te…"]);
  screen.columns = 80;
  expect(table.write(headings, [row], false)).toEqual([`web   ${row[1]}`]);
});
