// Starts two servers of notes in this process, and prints the milliseconds that each start took, as JSON.
import { startServer } from "../../dist/server.js";
import { options } from "./note.mjs";

async function main() {
  const times = [];
  const servers = [];
  for (const name of ["first", "second"]) {
    const before = performance.now();
    servers.push(await startServer(options));
    times.push([name, performance.now() - before]);
  }
  process.stdout.write(JSON.stringify(Object.fromEntries(times)));
  for (const server of servers) await server.close();
}

// No await stands at the top: the bytecode of an executable is of CommonJS.
void main();
