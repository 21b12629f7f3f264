import { assertEquals } from "@std/assert";
import type { CreateBody, Engine } from "../../../runtime/docker/engine.ts";
import { withReadableLog } from "../../../runtime/serving/log.ts";
import { it, suite } from "../../helpers/suite.ts";

type LogConfig = CreateBody["HostConfig"]["LogConfig"];

const DOCKER = { isPodman: false, inStudio: false };
const BOUNDED = { Type: "json-file", Config: { "max-size": "20m", "max-file": "5" } } as const;

/** The log of a server on an engine with this default driver. */
async function logOn(
  engine: Pick<Engine, "isPodman" | "inStudio">,
  LoggingDriver?: string,
): Promise<LogConfig> {
  const body = { HostConfig: { AutoRemove: false, Mounts: [] } };
  const info = () => Promise.resolve({ LoggingDriver });
  const { HostConfig } = await withReadableLog<Pick<CreateBody, "HostConfig">>(
    body,
    { ...engine, info },
  );
  return HostConfig.LogConfig;
}

const ROWS: readonly {
  readonly name: string;
  readonly driver?: string;
  readonly engine?: Pick<Engine, "isPodman" | "inStudio">;
  readonly log: LogConfig;
}[] = [
  {
    // https://github.com/testcontainers/testcontainers-java/pull/11497: logs of none cannot be read.
    // https://github.com/moby/moby/issues/40207: a json-file without a limit fills the disk.
    name: "a json-file with a limit if the default is none",
    driver: "none",
    log: BOUNDED,
  },
  {
    // https://github.com/praekeltfoundation/seaworthy/issues/93: reading fails with 501.
    name: "a json-file with a limit if the default is fluentd",
    driver: "fluentd",
    log: BOUNDED,
  },
  {
    // https://github.com/SumoLogic/sumologic-docker-logging-driver/issues/17
    name: "a json-file with a limit if the default is a plugin",
    driver: "sumologic/docker-logging-driver:1.0.6",
    log: BOUNDED,
  },
  // The daemon's own limits of these drivers keep their effect.
  { name: "the engine's json-file", driver: "json-file", log: undefined },
  { name: "the engine's local", driver: "local", log: undefined },
  { name: "the engine's journald", driver: "journald", log: undefined },
  { name: "the engine's default if the engine does not name it", log: undefined },
  {
    // https://github.com/NERSC/podman-hpc/issues/106 and
    // https://github.com/podman-container-tools/podman/issues/15159: no logs of the default journald.
    name: "a json-file on Podman, which does not name its default",
    driver: "",
    engine: { isPodman: true, inStudio: false },
    log: { Type: "json-file" },
  },
  {
    name: "the engine's default in SageMaker Studio",
    driver: "none",
    engine: { isPodman: false, inStudio: true },
    log: undefined,
  },
];

suite("withReadableLog", () => {
  for (const { name, driver, engine = DOCKER, log } of ROWS) {
    it(`gives a server ${name}`, async () => {
      assertEquals(await logOn(engine, driver), log);
    });
  }
});
