// How many casts src holds: each `value as Type` and `<Type>value`, except `as const`. It prints a line for each folder of src,
// for each kind of cast that the project keeps few, and for all.
//   node tools/count-casts.mjs [FOLDER...]
import { join, relative } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const root = join(import.meta.dirname, "..");
const folders = process.argv.length > 2 ? process.argv.slice(2) : ["src"];

const api = new API({ cwd: root });
const snapshot = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] });
const [project] = snapshot.getProjects();
const casts = project.program
  .getSourceFileNames()
  .filter((path) => folders.some((folder) => path.startsWith(join(root, folder, "/"))))
  .flatMap((path) =>
    castsOf(project.program.getSourceFile(path)).map((type) => ({ path: relative(root, path), type })),
  );
api.close();

const count = (wanted) => casts.filter(wanted).length;
const folderOf = ({ path }) => path.split("/").slice(0, 2).join("/");
for (const folder of [...new Set(casts.map(folderOf))].sort()) {
  print(`${folder} ${count((cast) => folderOf(cast) === folder)}`);
}
// `value as unknown as Type` is two casts, of which the inner one is to unknown.
print(`as unknown as ${count(({ type }) => type === "unknown as")}`);
print(`as never ${count(({ type }) => type === "never")}`);
print(`all ${casts.length}`);

/** The types that the casts of a file name. */
function castsOf(file) {
  const found = [];
  const visit = (node) => {
    if (node.kind === SyntaxKind.AsExpression || node.kind === SyntaxKind.TypeAssertionExpression) {
      const type = file.text.slice(node.type.getStart(file), node.type.getEnd());
      const isInner = type === "unknown" && node.parent.kind === SyntaxKind.AsExpression;
      if (type !== "const") found.push(isInner ? "unknown as" : type);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
