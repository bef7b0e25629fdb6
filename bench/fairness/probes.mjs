// The clients beside the flood, a process of their own so that the flood's work delays no clock of theirs. Each asks at fixed times,
// whether or not it was answered before, and what it measures begins at that time: a server that stands still hides nothing.
import { Http1Connection, requestBytes } from "../server/http1-connection.mjs";
import { percentile } from "../server/statistics.mjs";

/** How long an answer may take, in milliseconds; then it counts as an error. */
const PATIENCE = 60_000;

process.on("message", async ({ target, clients, milliseconds, warmUp }) => {
  try {
    const probes = await Promise.all(clients.map((client) => Probe.open(target, client)));
    await pause(warmUp);
    const results = await Promise.all(probes.map((probe) => probe.run(milliseconds)));
    for (const probe of probes) probe.close();
    process.send({ results });
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });

class Probe {
  #client;
  #bytes;
  #all;
  #idle;
  #took = [];
  #waiting = [];
  #counts = { refusals: 0, errors: 0 };
  #left = 0;
  #lastAnswer;
  #longestGap = 0;

  /**
   * `client` has the parts of its request, `every` so many milliseconds one, and `connections`. One with a `body` writes it, and next what it was
   * answered.
   */
  static async open(target, client) {
    const all = [];
    while (all.length < client.connections) all.push(await Http1Connection.open(target, { takesRefusals: true }));
    return new Probe(client, all);
  }

  constructor(client, all) {
    this.#client = client;
    this.#bytes = this.#request(client.body);
    this.#all = all;
    this.#idle = [...all];
  }

  async run(milliseconds) {
    const { every, name } = this.#client;
    const began = performance.now();
    this.#lastAnswer = began;
    const count = Math.floor(milliseconds / every);
    this.#left = count;
    for (let turn = 0; turn < count; turn++) {
      const due = began + turn * every;
      await pause(due - performance.now());
      this.#ask(due);
    }
    const until = performance.now() + PATIENCE;
    while (this.#left > 0 && performance.now() < until) await pause(20);
    this.#took.sort((a, b) => a - b);
    return {
      name,
      asked: count,
      answers: this.#took.length,
      ...this.#counts,
      unanswered: this.#left,
      p50: percentile(this.#took, 0.5),
      p99: percentile(this.#took, 0.99),
      longest: this.#took.at(-1),
      longestGap: this.#longestGap,
    };
  }

  close() {
    for (const connection of this.#all) connection.close();
  }

  #ask(due) {
    const connection = this.#idle.pop();
    if (connection === undefined) this.#waiting.push(due);
    else this.#send(connection, due);
  }

  #request(body) {
    const { method, path, token } = this.#client;
    return requestBytes(method, path, body, undefined, undefined, token);
  }

  #send(connection, due) {
    const done = (chunks, bodyStart, status) => {
      const now = performance.now();
      this.#left -= 1;
      if (status === 429) this.#counts.refusals += 1;
      else if (status >= 300) this.#counts.errors += 1;
      else {
        this.#took.push(now - due);
        if (this.#client.body !== undefined) {
          this.#bytes = this.#request(JSON.parse(Buffer.concat(chunks).subarray(bodyStart).toString()));
        }
        this.#longestGap = Math.max(this.#longestGap, now - this.#lastAnswer);
        this.#lastAnswer = now;
      }
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(connection);
      else this.#send(connection, next);
    };
    connection.send(this.#bytes, done, () => {
      this.#left -= 1;
      this.#counts.errors += 1;
    });
  }
}

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, Math.max(0, milliseconds)));
}
