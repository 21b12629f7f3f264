/** The stages of a Dockerfile, and the images that they build upon or copy from. */

import { MlcliError } from "../../errors.ts";
import { enumerated } from "../../text.ts";
import { directivesOf, type Instruction, wordsOf } from "./instructions.ts";

/** The names of the stages, in order; undefined for those without one: `FROM image AS name`. */
function stagesOf(instructions: readonly Instruction[]): readonly (string | undefined)[] {
  return instructions.filter(({ name }) => name === "FROM").map((instruction) => {
    const [, as, name] = wordsOf(instruction);
    return as?.toLowerCase() === "as" ? name : undefined;
  });
}

/**
 * The stage with this name, in any case, or this number, from 0; spelt as in the Dockerfile, since
 * Podman is case-sensitive.
 *
 * @param shown the Dockerfile's path.
 * @throws MlcliError that lists those that there are.
 */
export function stageOf(
  instructions: readonly Instruction[],
  target: string,
  shown: string,
): string {
  const stages = stagesOf(instructions);
  const names = stages.filter((stage) => stage !== undefined);
  const named = names.find((stage) => stage.toLowerCase() === target.toLowerCase());
  if (named !== undefined) return named;
  if (/^\d+$/.test(target) && Number(target) < stages.length) return target;
  throw new MlcliError(`Stage not found: ${target}`, {
    hint: names.length === 0
      ? `Name the stage in ${shown}: FROM IMAGE AS NAME`
      : `Choose a stage of ${shown}: ${enumerated(names)}`,
  });
}

/** An image that has to be there. */
export interface BaseImage {
  /** `ghcr.io/team/base:1` */
  readonly reference: string;
  /** `linux/amd64`, where the Dockerfile asks for it. */
  readonly platform?: string;
  /** Whether a stage begins with it; files of others are copied or mounted. */
  readonly isBuiltUpon?: boolean;
  /** Whether it reads the Dockerfile: `# syntax=docker/dockerfile:1`. */
  readonly isFrontend?: boolean;
}

/** A stage: the image or the earlier stage that it begins with, and those that it copies from. */
interface Stage {
  readonly name: string | undefined;
  readonly from: string;
  readonly platform: string | undefined;
  readonly others: string[];
}

/** An image's name with tag or digest (github.com/distribution/reference, regexp.go). */
const REFERENCE =
  /^[A-Za-z0-9][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::[\w][\w.-]*)?(?:@[a-z0-9]+:[0-9a-f]+)?$/;

export interface BaseImages {
  /** In the order of the stages. */
  readonly images: readonly BaseImage[];
  /** Whether a stage begins with an image whose name depends on what the builder alone knows. */
  readonly hasUnknown: boolean;
}

/**
 * The images of the stages that are built.
 *
 * @param given values of arguments, which win over those in the Dockerfile.
 * @param target the stage to build; default: the last one.
 */
export function baseImages(
  instructions: readonly Instruction[],
  given: Readonly<Record<string, string>>,
  target?: string,
): BaseImages {
  const stages = readStages(instructions, given);
  const found = new Map<string, BaseImage>();
  let hasUnknown = false;
  for (const stage of neededStages(stages, target)) {
    for (const [index, reference] of [stage.from, ...stage.others].entries()) {
      if (reference === "scratch" || stageNamed(stages, reference, stages.indexOf(stage))) continue;
      const isFirst = index === 0;
      if (!REFERENCE.test(reference)) {
        hasUnknown ||= isFirst;
        continue;
      }
      const platform = isFirst ? stage.platform : undefined;
      const key = `${reference} ${platform}`;
      const isBuiltUpon = isFirst || found.get(key)?.isBuiltUpon === true;
      found.set(key, { reference, isBuiltUpon, ...(platform === undefined ? {} : { platform }) });
    }
  }
  return { images: [...found.values()], hasUnknown };
}

/** Returns the instructions of the stages that are built. Its parameters are those of `baseImages`. */
export function builtInstructions(
  instructions: readonly Instruction[],
  given: Readonly<Record<string, string>>,
  target?: string,
): readonly Instruction[] {
  const stages = readStages(instructions, given);
  const needed = neededStages(stages, target);
  let index = -1;
  return instructions.filter(({ name }) => {
    if (name === "FROM") index++;
    return index < 0 || needed.has(stages[index]!);
  });
}

/** The image that a Dockerfile names to be read by, in the directives at its top. */
export function frontendImage(dockerfile: string): BaseImage | undefined {
  const reference = directivesOf(dockerfile.split(/\r?\n/)).get("syntax");
  return reference !== undefined && REFERENCE.test(reference)
    ? { reference, isFrontend: true }
    : undefined;
}

function readStages(
  instructions: readonly Instruction[],
  given: Readonly<Record<string, string>>,
): readonly Stage[] {
  /** Those before the first stage are for all FROM. */
  const values = new Map<string, string>();
  const stages: Stage[] = [];
  for (const { name, flags, text } of instructions) {
    if (name === "ARG" && stages.length === 0) {
      for (const word of text.split(" ")) {
        const [, key = "", value] = /^(\w+)(?:=(.*))?$/.exec(word) ?? [];
        const known = given[key] ?? (value && unquoted(value));
        if (known !== undefined) values.set(key, substituted(known, values) ?? "$");
      }
    } else if (name === "FROM") {
      const [image = "", as = "", stage] = text.split(" ");
      const platform = flagOf(flags, "platform");
      stages.push({
        name: as.toUpperCase() === "AS" ? stage?.toLowerCase() : undefined,
        from: substituted(unquoted(image), values) ?? "",
        platform: platform === undefined ? undefined : substituted(platform, values),
        others: [],
      });
    } else {
      stages.at(-1)?.others.push(...othersOf(name, flags));
    }
  }
  return stages;
}

/** Images and stages that an instruction takes files from. */
function othersOf(name: string, flags: readonly string[]): readonly string[] {
  const from = flagOf(flags, "from");
  if (name === "COPY" && from !== undefined) return [from];
  if (name !== "RUN") return [];
  return flags.flatMap((flag) => /^--mount=(?:.*,)?from=([^,]+)/.exec(flag)?.[1] ?? []);
}

function flagOf(flags: readonly string[], name: string): string | undefined {
  return flags.find((flag) => flag.startsWith(`--${name}=`))?.slice(name.length + 3);
}

/** The stages that the target is built from. */
function neededStages(stages: readonly Stage[], target: string | undefined): ReadonlySet<Stage> {
  const last = target === undefined ? stages.at(-1) : stageNamed(stages, target, stages.length);
  const needed = new Set<Stage>();
  const open = last ? [last] : [];
  for (let stage = open.pop(); stage !== undefined; stage = open.pop()) {
    if (needed.has(stage)) continue;
    needed.add(stage);
    for (const image of [stage.from, ...stage.others]) {
      const other = stageNamed(stages, image, stages.indexOf(stage));
      if (other) open.push(other);
    }
  }
  return new Set(stages.filter((stage) => needed.has(stage)));
}

/** The stage of that name or number before another stage. */
function stageNamed(stages: readonly Stage[], name: string, before: number): Stage | undefined {
  const earlier = stages.slice(0, before);
  return earlier.findLast((stage) => stage.name === name.toLowerCase()) ??
    (/^\d+$/.test(name) ? earlier[Number(name)] : undefined);
}

/** In characters: no image's name is as long, and arguments made of arguments grow fast. */
const LONGEST_VALUE = 4_096;

/** With the values of arguments; undefined where one is not known, or is changed (`${X%y}`). */
function substituted(text: string, values: ReadonlyMap<string, string>): string | undefined {
  const result = text.replace(
    /\$(?:(\w+)|\{(\w+)(?::?-([^{}$]*))?\})/g,
    (whole, plain, braced, fallback) => (values.get(plain ?? braced) || fallback) ?? whole,
  );
  return result.includes("$") || result.length > LONGEST_VALUE ? undefined : result;
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, "$2");
}
