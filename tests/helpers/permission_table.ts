import { fromFileUrl } from "@std/path";

/** The page. */
export const ROLES_PAGE = fromFileUrl(new URL("../../docs/how-to/roles.md", import.meta.url));

/** `sagemaker:CreateTrainingJob` */
const ACTION = /\b(?:sagemaker|ecr|s3|logs|sts|iam|cloudwatch):[A-Z]\w+/g;

/** What a command asks for. */
export interface Permissions {
  readonly needs: readonly string[];
  /** What it can do without. */
  readonly isBetterWith: readonly string[];
}

/** The rows of the table by their commands, with those that they refer to. */
export async function permissionTable(): Promise<ReadonlyMap<string, Permissions>> {
  const [, text = ""] = (await Deno.readTextFile(ROLES_PAGE)).split(
    "## What each command asks for",
  );
  const rows = text.split("\n").filter((line) => /^\| (`|any)/.test(line));
  const table = new Map<string, Permissions>();
  let previous: Permissions = { needs: [], isBetterWith: [] };
  for (const row of rows) {
    const [command = "", needs = "", better = ""] = row.split("|").slice(1).map((cell) =>
      cell.trim()
    );
    const name = command.replaceAll("`", "");
    const base = table.get(name.split(" ")[0]!) ??
      table.get(/^as `([\w-]+)`/.exec(needs)?.[1] ?? "");
    const isSame = (cell: string): boolean => /^the same/.test(cell);
    const own = {
      needs: [...base?.needs ?? [], ...isSame(needs) ? previous.needs : [], ...found(needs)],
      isBetterWith: [
        ...base?.isBetterWith ?? [],
        ...isSame(better) ? previous.isBetterWith : [],
        ...found(better),
      ],
    };
    table.set(name, own);
    previous = own;
  }
  return table;
}

function found(cell: string): readonly string[] {
  return cell.match(ACTION) ?? [];
}
