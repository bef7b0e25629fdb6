import type { Transport, TransportRequest } from "../../src/client/transport/transport.js";

/** When a client's process dies: at this of its requests, from 1, which the server has carried out or never sees. */
export interface Death {
  readonly request: number;
  readonly done: boolean;
}

export interface MortalTransport extends Transport {
  /** How many requests were counted. */
  readonly count: number;
  readonly isDead: boolean;
}

/**
 * A transport whose process may die: the answer of its last request is lost, nothing is sent after it, and watches bring nothing
 * more. `counts` chooses the requests that are counted; default all.
 */
export function mortalTransport(
  transport: Transport,
  death?: Death,
  counts: (request: TransportRequest) => boolean = () => true,
): MortalTransport {
  let count = 0;
  let isDead = false;
  const requireLife = (): void => {
    if (isDead) throw new Error("the process has died");
  };
  return {
    get count() {
      return count;
    },
    get isDead() {
      return isDead;
    },
    close: () => transport.close(),
    async send(request) {
      requireLife();
      if (counts(request)) count += 1;
      const dies = counts(request) && count === death?.request;
      if (dies) isDead = true;
      if (dies && !death.done) requireLife();
      const answer = await transport.send(request);
      requireLife();
      return { ...answer, body: whileAlive(answer.body) };
    },
  };

  async function* whileAlive(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      requireLife();
      yield chunk;
    }
  }
}
