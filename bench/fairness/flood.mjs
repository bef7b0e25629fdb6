// The flood, a process of its own: connections of one user, each of which asks again as soon as it was answered. It starts with a
// message and ends with the next, which it answers with the counts in between.
import { Http1Connection, requestBytes } from "../server/http1-connection.mjs";

/** Handshakes at once. */
const DIALS = 20;
/** Between two attempts of a client that cannot connect. */
const REDIAL_MS = 100;

let running;

process.on("message", async (message) => {
  try {
    if (message.op === "start") process.send(await start(message));
    if (message.op === "stop") process.send(running.stop());
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });

/** `obeys` is whether a client that is refused waits for as long as the answer says, as client-go does. */
async function start({ target, path, connections, obeys }) {
  const bytes = requestBytes("GET", path, undefined, undefined, undefined, target.token);
  const counts = { answers: 0, refusals: 0, errors: 0 };
  const clients = [];
  const dial = async () => {
    while (clients.length < connections) {
      const client = new Client({ target, bytes, counts, obeys });
      clients.push(client);
      await client.open();
    }
  };
  await Promise.all(Array.from({ length: DIALS }, dial));
  for (const client of clients) client.ask();
  running = {
    stop() {
      for (const client of clients) client.close();
      return counts;
    },
  };
  return {};
}

/** A client of the flood. One whose connection ends opens another. */
class Client {
  #parts;
  #connection;
  #closed = false;

  constructor(parts) {
    this.#parts = parts;
  }

  async open() {
    this.#connection = await Http1Connection.open(this.#parts.target, { takesRefusals: true });
  }

  ask() {
    if (!this.#closed) this.#connection.send(this.#parts.bytes, this.#take, this.#reopen);
  }

  close() {
    this.#closed = true;
    this.#connection.close();
  }

  #take = (chunks, bodyStart, status) => {
    const { counts, obeys } = this.#parts;
    if (status < 300) counts.answers += 1;
    else if (status === 429) counts.refusals += 1;
    else counts.errors += 1;
    if (status === 429 && obeys) setTimeout(() => this.ask(), retryAfter(chunks, bodyStart));
    else this.ask();
  };

  #reopen = () => {
    this.#parts.counts.errors += 1;
    this.#connection.close();
    if (this.#closed) return;
    this.open().then(
      () => this.ask(),
      () => setTimeout(this.#reopen, REDIAL_MS),
    );
  };
}

/** Milliseconds. */
function retryAfter(chunks, bodyStart) {
  const head = Buffer.concat(chunks).toString("latin1", 0, bodyStart);
  return Number(/^retry-after: (\d+)/im.exec(head)?.[1] ?? 1) * 1000;
}
