/**
 * Whether what an engine says has the form that its API promises: what mlcli goes on with is what the
 * types say.
 *
 * @module
 */

import { isObject } from "../text.ts";

/** What a JSON value is to be. A field of an object may be missing; others than these are let be. */
export type Shape =
  | "text"
  | "number"
  | "flag"
  /** A list of these. */
  | readonly [Shape]
  /** An object; `*` stands for all fields that are not named. */
  | { readonly [field: string]: Shape };

const TYPES = {
  text: (value: unknown) => typeof value === "string",
  number: (value: unknown) => typeof value === "number",
  flag: (value: unknown) => typeof value === "boolean",
} as const;

/** Whether a value has a form. */
export function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === "string") return TYPES[shape](value);
  if (isList(shape)) return Array.isArray(value) && value.every((one) => fits(one, shape[0]));
  return isObject(value) && Object.entries(value).every(([field, one]) => {
    const wanted = Object.hasOwn(shape, field) ? shape[field] : shape["*"];
    return wanted === undefined || fits(one, wanted);
  });
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/**
 * Parses JSON of an engine. A field that is null is left out: engines write so what is not there.
 * @throws SyntaxError
 */
export function parsedWithoutNulls(text: string): unknown {
  return JSON.parse(text, function (this: unknown, _, value: unknown) {
    return value === null && !Array.isArray(this) ? undefined : value;
  });
}

/** A row of `GET /containers/json`. */
export const CONTAINER: Shape = {
  Id: "text",
  Names: ["text"],
  Image: "text",
  State: "text",
  Status: "text",
  Created: "number",
  Labels: { "*": "text" },
  Ports: [{ IP: "text", PublicPort: "number" }],
  Mounts: [{ Source: "text", Destination: "text" }],
};

/** `GET /containers/ID/json` */
export const CONTAINER_DETAILS: Shape = { State: { Running: "flag", OOMKilled: "flag" } };

/** `POST /containers/create` */
export const CREATED: Shape = { Id: "text" };

/** `POST /containers/ID/wait` */
export const WAITED: Shape = { StatusCode: "number", Error: { Message: "text" } };

/** `GET /images/NAME/json` */
export const IMAGE: Shape = {
  Id: "text",
  Created: "text",
  Os: "text",
  Architecture: "text",
  Metadata: { LastTagTime: "text" },
  Config: { Entrypoint: ["text"], Env: ["text"], Labels: { "*": "text" }, OnBuild: ["text"] },
};

/** A row of `GET /images/json`. */
export const IMAGE_ROW: Shape = { RepoTags: ["text"] };

/** A row of `GET /networks`. */
export const NETWORK: Shape = { Name: "text" };

/** `GET /info` */
export const INFO: Shape = {
  SecurityOptions: ["text"],
  Rootless: "flag",
  MemoryLimit: "flag",
  CpuCfsQuota: "flag",
  PidsLimit: "flag",
  CgroupVersion: "text",
  Name: "text",
  DockerRootDir: "text",
};

/** `GET /version` */
export const VERSION: Shape = { Version: "text", ApiVersion: "text", Arch: "text" };

/** A line of `GET /events`. */
export const EVENT: Shape = { Action: "text" };

/** A line of what builds, pulls, pushes and imports say. `aux` differs among them. */
export const PROGRESS: Shape = {
  stream: "text",
  status: "text",
  id: "text",
  progressDetail: { current: "number", total: "number" },
  errorDetail: { message: "text", code: "number" },
  error: "text",
};
