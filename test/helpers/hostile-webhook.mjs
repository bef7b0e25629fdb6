// A server of webhooks in a thread of its own, so that making its answers costs the event loop of a test nothing. The path of a call
// says how it is answered.
import { createServer } from "node:https";
import { parentPort, workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";

const MANY = 100_000_000;
const LONG = 3_000_000;

/** Writes chunks for as long as the client takes them, at most so many bytes. */
function stream(response, chunk, bytes = Number.POSITIVE_INFINITY) {
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

const blanks = Buffer.alloc(64 * 1024, 0x20);
const bomb = gzipSync(Buffer.alloc(MANY));

const ANSWERS = {
  silent() {},
  half: (response) => response.write("{"),
  drip(response) {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  },
  endless: (response) => stream(response, blanks),
  long: (response) => stream(response, blanks, MANY),
  failing(response) {
    response.statusCode = 500;
    stream(response, blanks, MANY);
  },
  bomb(response) {
    response.setHeader("content-encoding", "gzip");
    response.end(bomb);
  },
  nested: (response) => response.end("[".repeat(LONG)),
  keys(response) {
    const keys = Array.from({ length: 250_000 }, (_, index) => `"k${index}":1`);
    response.end(`{"response":{${keys.join()}}}`);
  },
  lists: (response) => response.end(`{"a":[${"[],".repeat(LONG / 4)}[]],"response":null}`),
  text: (response) => response.end(`{"response":{"uid":"${"x".repeat(LONG)}"}}`),
  later: (response) => response.writeHead(429, { "retry-after": "1" }).end(),
};

const server = createServer(workerData, (request, response) => {
  request.resume().on("end", () => {
    const [name = ""] = (request.url ?? "").slice(1).split("?");
    response.setHeader("content-type", "application/json");
    ANSWERS[name]?.(response);
  });
  response.on("error", () => {});
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage(server.address().port));
