import { Agent, request } from "node:https";

const LANES = 8;

/** Fills and empties the cluster, so that no contender does it. */
export class ApiClient {
  #agent;
  #server;

  constructor({ clusters, users }) {
    const pem = (text) => Buffer.from(text, "base64");
    const { server, "certificate-authority-data": ca } = clusters[0].cluster;
    const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, maxSockets: LANES, ca: pem(ca), cert: pem(cert), key: pem(key) });
  }

  async namespace(name) {
    await this.#send("POST", "/api/v1/namespaces", { metadata: { name } }, [201, 409]);
  }

  async fill(namespace, resource, count, make) {
    let next = 0;
    const lane = async () => {
      while (next < count) {
        await this.#send("POST", `/api/v1/namespaces/${namespace}/${resource}`, make(next++), [201]);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  async clear(namespace, resource) {
    await this.#send("DELETE", `/api/v1/namespaces/${namespace}/${resource}`, undefined, [200]);
  }

  /** A pod that can be entered: it is there and its log is answered when its container runs. */
  async runningPod(namespace, name, image = "shell") {
    await this.namespace(namespace);
    const pod = { metadata: { name }, spec: { containers: [{ name: "main", image }] } };
    await this.#send("POST", `/api/v1/namespaces/${namespace}/pods`, pod, [201, 409]);
    const log = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
    while ((await this.#send("GET", log, undefined, [200, 204, 400, 404, 500])) !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  close() {
    this.#agent.destroy();
  }

  #send(method, path, object, expected) {
    return new Promise((resolve, reject) => {
      const headers = object === undefined ? {} : { "content-type": "application/json" };
      const sent = request(this.#server + path, { method, agent: this.#agent, headers }, (answer) => {
        answer.resume().on("end", () => {
          if (expected.includes(answer.statusCode)) resolve(answer.statusCode);
          else reject(new Error(`${method} ${path} was answered ${answer.statusCode}`));
        });
      });
      sent.on("error", reject).end(object && JSON.stringify(object));
    });
  }
}
