import { Http1Connection, requestBytes } from "../server/http1-connection.mjs";

/** How often a server is asked whether it serves a path, and how long it is waited in between. */
const TRIES = 200;
const PAUSE_MS = 50;

/** Sends requests of one user, each on a connection of its own, and resolves with the object that is answered. */
export function callerOf(target) {
  const ask = async (method, path, body) => {
    const connection = await Http1Connection.open(target);
    try {
      const bytes = requestBytes(method, path, body, undefined, undefined, target.token);
      return JSON.parse((await connection.ask(bytes)).body.toString());
    } finally {
      connection.close();
    }
  };
  ask.untilServed = async (path) => {
    for (let left = TRIES; ; left--) {
      try {
        return await ask("GET", path);
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((done) => setTimeout(done, PAUSE_MS));
      }
    }
  };
  return ask;
}
