import { fromFileUrl } from "@std/path";

/** The page. */
export const ROLES_PAGE = fromFileUrl(new URL("../../docs/reference/roles.md", import.meta.url));

/** `sagemaker:CreateTrainingJob` */
const ACTION = /\b(?:application-autoscaling|sagemaker|ecr|s3|logs|sts|iam|cloudwatch):[A-Z]\w+/g;

/** What a command asks for. */
export interface Permissions {
  readonly needs: readonly string[];
  /** What it can do without. */
  readonly isBetterWith: readonly string[];
}

/** The entries of the list by their commands, with those that they refer to. */
export async function permissionTable(): Promise<ReadonlyMap<string, Permissions>> {
  const [, text = ""] = (await Deno.readTextFile(ROLES_PAGE)).split(
    "## Permissions of each command",
  );
  const table = new Map<string, Permissions>();
  for (const entry of text.split(/^- \*\*/m).slice(1)) {
    const [command = ""] = entry.split("**");
    const [needs = "", ...better] = entry.split(/^ {2}- /m);
    const name = command.replaceAll("`", "");
    const base = table.get(name.split(" ")[0]!);
    const referred = table.get(/\bas for `(\w+)`/.exec(entry)?.[1] ?? "");
    table.set(name, {
      needs: [...base?.needs ?? [], ...found(needs)],
      isBetterWith: [
        ...base?.isBetterWith ?? [],
        ...referred?.isBetterWith ?? [],
        ...found(better.join("")),
      ],
    });
  }
  return table;
}

function found(text: string): readonly string[] {
  return text.match(ACTION) ?? [];
}
