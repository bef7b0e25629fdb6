import type { RestClient } from "../../client/rest/rest-client.js";

/** The connections of one webhook, which may end with the calls under way. */
export class RetiringClient {
  #underWay = 0;
  #retired = false;

  constructor(private readonly rest: RestClient) {}

  /** Calls the webhook. */
  async call<T>(use: (rest: RestClient) => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await use(this.rest);
    } finally {
      this.#underWay -= 1;
      if (this.#retired && this.#underWay === 0) void this.rest.close();
    }
  }

  /** Closes the connections once the calls under way have ended. */
  retire(): void {
    this.#retired = true;
    if (this.#underWay === 0) void this.rest.close();
  }

  /** Closes all connections, those of calls under way too. */
  close(): Promise<void> {
    return this.rest.close();
  }
}
