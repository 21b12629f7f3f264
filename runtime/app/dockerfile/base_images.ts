/**
 * The images that a Dockerfile builds upon or copies from.
 *
 * @module
 */

import { directivesOf, type Instruction } from "./instructions.ts";

/** An image that has to be there. */
export interface BaseImage {
  /** `ghcr.io/team/base:1` */
  readonly reference: string;
  /** `linux/amd64`, where the Dockerfile asks for it. */
  readonly platform?: string;
  /** Whether it is not built upon, and reads the Dockerfile: `# syntax=docker/dockerfile:1`. */
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

/**
 * The images of the stages that are built, in order. What depends on an argument without a value
 * that mlcli knows, or is no image's name, is left out: the builder knows more.
 *
 * @param given values of arguments, which win over those in the Dockerfile.
 * @param target the stage to build; default: the last one.
 */
export function baseImages(
  instructions: readonly Instruction[],
  given: Readonly<Record<string, string>>,
  target?: string,
): readonly BaseImage[] {
  const stages = readStages(instructions, given);
  const found = new Map<string, BaseImage>();
  for (const stage of neededStages(stages, target)) {
    for (const [index, image] of [stage.from, ...stage.others].entries()) {
      if (image === "scratch" || !REFERENCE.test(image)) continue;
      if (stageNamed(stages, image, stages.indexOf(stage))) continue;
      const platform = index === 0 ? stage.platform : undefined;
      const key = `${image} ${platform}`;
      found.set(key, { reference: image, ...(platform === undefined ? {} : { platform }) });
    }
  }
  return [...found.values()];
}

/**
 * The images that these stages begin with; undefined: one whose name the builder alone knows.
 *
 * @param given, target as for `baseImages`.
 */
export function startImages(
  instructions: readonly Instruction[],
  given: Readonly<Record<string, string>>,
  target?: string,
): readonly (string | undefined)[] {
  const stages = readStages(instructions, given);
  return [...neededStages(stages, target)]
    .filter((stage) => stageNamed(stages, stage.from, stages.indexOf(stage)) === undefined)
    .map(({ from }) => REFERENCE.test(from) ? from : undefined);
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

/** The stages that the target consists of. */
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

/** No image's name is as long, in characters; a few arguments made of others could be endless. */
const LONGEST_VALUE = 4_096;

/** With arguments in their places; undefined where one is not known, or something is done to it. */
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
