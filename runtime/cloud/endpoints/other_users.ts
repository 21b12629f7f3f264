import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import { inOneLine } from "../../text.ts";
import { inParallel } from "../in_parallel.ts";
import { modelsOf, type Part } from "./parts.ts";

/** Tells the user what is looked at. */
export interface LookReport {
  /** Writes a line that stays. */
  note(line: string): void;
  /** Shows what is being done at the moment, in the place of the text before. */
  progress(text: string): void;
}

const REQUESTS_AT_ONCE = 8;

/**
 * Asks all other endpoints which of these configurations and models they use: the service would delete
 * them all the same. What the permissions do not cover is told in a note.
 *
 * @param endpoint whose parts these are: it does not count.
 * @returns the users of a part: their names, sorted.
 */
export async function findOtherUsers(
  parts: readonly Part[],
  endpoint: string,
  sagemaker: Pick<
    SageMaker,
    "listEndpoints" | "describeEndpoint" | "describeEndpointConfiguration"
  >,
  report: LookReport,
): Promise<(part: Part) => readonly string[]> {
  const namesOf = (kind: Part["kind"]): readonly string[] =>
    parts.filter((part) => part.kind === kind).map(({ name }) => name);
  const [configurations, models] = [namesOf("configuration"), namesOf("model")];
  const what = [...configurations, ...models].map(inOneLine).join(" and ");
  const users = { configuration: new Map<string, string[]>(), model: new Map<string, string[]>() };
  const known = new Map<string, Promise<readonly string[]>>();
  let asked = 0;
  let denials = 0;
  let denial: AwsError | undefined;
  const modelsIn = (configuration: string): Promise<readonly string[]> => {
    const found = known.get(configuration) ?? sagemaker.describeEndpointConfiguration(configuration)
      .then(modelsOf);
    known.set(configuration, found);
    return found;
  };
  async function ask(name: string): Promise<void> {
    report.progress(`Looking for other users of ${what}: ${++asked} endpoints`);
    try {
      const uses = configurationsOf(await sagemaker.describeEndpoint(name));
      for (const one of uses) {
        if (configurations.includes(one)) add(users.configuration, one, name);
      }
      if (models.length === 0) return;
      for (const used of new Set((await Promise.all(uses.map(modelsIn))).flat())) {
        if (models.includes(used)) add(users.model, used, name);
      }
    } catch (error) {
      // Deleted since it was listed.
      if (isRefusal(error, "not found")) return;
      if (!isRefusal(error, "denied")) throw error;
      denials++;
      denial = error;
    }
  }
  try {
    await inParallel(othersThan(endpoint, sagemaker), REQUESTS_AT_ONCE, ask);
  } catch (error) {
    if (!isRefusal(error, "denied")) throw error;
    denial = error;
  }
  if (denial && users.configuration.size + users.model.size === 0) {
    const which = denials > 0 ? `one of ${denials} endpoints` : "another endpoint";
    report.note(`Not checked whether ${which} uses ${what}: ${denial.message}`);
  }
  return ({ kind, name }) => (users[kind].get(name) ?? []).toSorted();
}

/** The error for a configuration, or a model, that others use. */
export function inUseError(
  { kind, name }: Part,
  users: readonly string[],
  remedy = "Delete the endpoints that use it first.",
): AwsError {
  const what = kind === "model" ? "model" : "endpoint config";
  return new AwsError(
    "other",
    `Cannot delete ${what}, still in use: ${name} (by ${users.map(inOneLine).join(", ")})`,
    { hint: `Nothing was deleted. ${remedy}` },
  );
}

/** The configuration that it has, and the one that it is to have. */
function configurationsOf(
  { configuration, pendingConfiguration }: EndpointDescription,
): readonly string[] {
  const all = [configuration, pendingConfiguration ?? ""].filter((name) => name !== "");
  return [...new Set(all)];
}

function add(users: Map<string, string[]>, used: string, by: string): void {
  const names = users.get(used) ?? [];
  names.push(by);
  users.set(used, names);
}

/** All endpoints except one and those being deleted, which need the configuration no more. */
async function* othersThan(
  endpoint: string,
  sagemaker: Pick<SageMaker, "listEndpoints">,
): AsyncGenerator<string> {
  for await (const page of sagemaker.listEndpoints({})) {
    for (const { name, status } of page) {
      if (name !== endpoint && status !== "Deleting") yield name;
    }
  }
}
