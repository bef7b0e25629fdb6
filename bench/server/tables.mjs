import { join } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { startProcess, startServer } from "./processes.mjs";
import { median } from "./statistics.mjs";

const LISTED = 10_000;
const POD_SIZE = 3000;
/** A machine that is too slow makes fewer pods. */
const FILL_SECONDS = 45;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PATH = "/api/v1/namespaces/default/pods";

/** A list of pods as a Table, such as kubectl asks for, beside the plain list of the same server. */
export async function tablesOfPods({ builds, folder, rounds, report, beside, note }) {
  const client = await startProcess("load.mjs");
  const contenders = [];
  let made = 0;
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, `tables-${name}`));
    note(`filling ${name} with pods`);
    const fill = { op: "fill", target: server.target, namespace: "default", prefix: "pod", connections: 16 };
    const { result } = await client.ask({
      ...fill,
      object: "pod",
      size: POD_SIZE,
      count: LISTED,
      seconds: FILL_SECONDS,
    });
    made = result.made;
    contenders.push({ name, server });
  }
  note("list as a Table");
  const samples = await inTurn(contenders, rounds, async ({ server }) => {
    const sample = {};
    for (const [form, accept] of Object.entries({ plain: "application/json", table: TABLE })) {
      const before = await server.usage();
      const ask = { op: "list", target: server.target, path: PATH, accept, times: 3 };
      const { result } = await client.ask(ask);
      const cpu = ((await server.usage()).cpu - before.cpu) / 1000 / result.took.length;
      sample[form] = { took: median(result.took), size: result.size, cpu };
    }
    return sample;
  });
  const of = (form) => new Map([...samples].map(([name, own]) => [name, own.map((sample) => sample[form])]));
  for (const [form, title] of Object.entries({ plain: "list", table: "Table" })) {
    for (const [who, own] of of(form)) {
      const ratio = median(samples.get(who).map(({ table, plain }) => table.took / plain.took));
      const ofPlain = form === "table" ? `${ratio.toFixed(2)} of the plain list's time, ` : "";
      const cpu = median(own.map((sample) => sample.cpu)).toFixed(0);
      report.add({
        what: `${made} pods as JSON, ${title}`,
        who,
        value: median(own.map(({ took }) => took)),
        unit: "ms",
        more: `${ofPlain}${(own[0].size / 1e6).toFixed(1)} MB, ${cpu} ms CPU each`,
      });
    }
    beside(`${made} pods as JSON, ${title}`, of(form), { took: "time" });
  }
  for (const { server } of contenders) await server.stop();
  await client.kill();
}
