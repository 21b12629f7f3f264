/** Containers as JSON, for programs and for the page: `mlcli local status --output json`. */

import type { Container } from "../../page/api.ts";
import { localTimestamp } from "../../time.ts";
import type { Stale } from "./made_of.ts";
import type { ContainerStatus } from "./status.ts";

/** What is not known is `null`. */
export function jsonStatus(status: ContainerStatus): Container {
  const { health } = status;
  const unhealthy = health.state === "unhealthy" ? health.answer : undefined;
  return {
    name: status.name,
    app: status.appName,
    role: status.role,
    port: status.port ?? null,
    state: health.state === "other" ? health.name : health.state,
    ping_status: health.state === "healthy" ? 200 : unhealthy?.status ?? null,
    ping_failure: unhealthy?.failure ?? null,
    exit_status: health.state === "other" ? health.exitStatus ?? null : null,
    created: localTimestamp(status.created, "T"),
    image: status.image,
    model_run: status.server?.modelRun ?? null,
    stale: jsonStale(status.stale),
  };
}

/** Returns the times of a server's stale parts; null if nothing is stale. */
function jsonStale(stale: Stale | undefined): Record<string, string | null> | null {
  if (stale === undefined) return null;
  const { code, model, image, credentials } = stale;
  const time = (date: Date | undefined) => date === undefined ? null : localTimestamp(date, "T");
  return {
    code_edited: time(code),
    model_trained: time(model),
    image_built: time(image),
    credentials_expire: time(credentials),
  };
}
