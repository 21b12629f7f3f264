import { typedPath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import type { ScaffoldPlan } from "../runtime/image/scaffold.ts";
import { counted } from "../runtime/quantities.ts";
import { inOneLine } from "../runtime/text.ts";

/** Prints the files that `mlcli init --dry-run` would make. */
export function printPlan(
  { files, app }: ScaffoldPlan,
  { out, err }: Context,
): void {
  const made = files.filter(({ state }) => state !== "kept");
  for (const { path } of made) out.print(`${inOneLine(typedPath(app, path))}\n`);
  err.print(`Would create ${counted(made.length, "file")} for ${app.name} (dry run)\n`);
}
