// A server of notes as a program.
//   node ours.mjs --secure-port=PORT [--tls-cert-file=FILE --tls-private-key-file=FILE]
import { serverCommand } from "../../dist/server.js";
import { options } from "./note.mjs";

const program = serverCommand({ name: "notes-server", description: "Serves notes.", version: "v1.0.0", options });

// No await stands at the top: the bytecode of an executable is of CommonJS.
void program.main();
