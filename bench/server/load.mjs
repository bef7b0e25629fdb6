// A client process: does what it is told by messages, answers with figures.
import { get } from "./load/get.mjs";
import { getByTokens } from "./load/get-by-tokens.mjs";
import { list } from "./load/list.mjs";
import { fill } from "./load/fill.mjs";
import { update } from "./load/update.mjs";
import { create, patch } from "./load/write.mjs";
import { stopWatching, watch, watched } from "./load/watch.mjs";
import { fetchOnce } from "./load/fetch-once.mjs";

const operations = { get, getByTokens, list, fill, update, create, patch, watch, watched, stopWatching, fetchOnce };

process.on("message", (message) => {
  const before = process.cpuUsage();
  operations[message.op](message).then(
    (result) => {
      const { user, system } = process.cpuUsage(before);
      process.send({ result: { ...result, clientCpu: user + system } });
    },
    (error) => process.send({ error: String(error?.stack ?? error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });
