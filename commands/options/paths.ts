import { type Options, propertyName } from "./option.ts";

/**
 * Requires that no link of a repository leads a path on the command line out of that repository.
 *
 * @param cwd absolute path of the current directory.
 * @param values of the options, by property name.
 * @throws MlcliError as `requireNamed`.
 */
export async function requirePaths(
  cwd: string,
  options: Options,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [form, option] of Object.entries(options)) {
    if (!("path" in option) || option.path === undefined || option.path === "inner") continue;
    const pathIn = option.path === "typed" ? String : option.path;
    for (const value of [values[propertyName(form)] ?? []].flat()) {
      // An option's `path` and `parse` are declared together, so the value has the type that it reads.
      const path = pathIn(value as never);
      if (path === undefined) continue;
      const { requireNamed } = await import("../../runtime/app/named_path.ts");
      await requireNamed(cwd, path);
    }
  }
}
