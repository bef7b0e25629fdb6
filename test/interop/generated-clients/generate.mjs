// Generates clients as somebody would who has nothing but the server's documents. It runs beside the generators' node_modules.
//   node generate.mjs FOLDER OUTPUT
// Of FOLDER/v3.json openapi-typescript makes OUTPUT/types.ts. Of FOLDER/v3-used.json and v2.json swagger-typescript-api makes
// OUTPUT/v3/api.ts and OUTPUT/v2/api.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import { generateApi } from "swagger-typescript-api";

const [folder, output] = process.argv.slice(2);
const whole = JSON.parse(readFileSync(join(folder, "v3.json"), "utf8"));
writeFileSync(join(output, "types.ts"), astToString(await openapiTS(whole, { defaultNonNullable: false })));
for (const [name, document] of Object.entries({ v3: "v3-used.json", v2: "v2.json" })) {
  const client = join(output, name);
  await generateApi({
    input: join(folder, document),
    output: client,
    fileName: "api.ts",
    unwrapResponseData: true,
    silent: true,
  });
  // The generator turns the compiler's checks off in its output; they are what this is about.
  const file = join(client, "api.ts");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("@ts-nocheck", ""));
}
