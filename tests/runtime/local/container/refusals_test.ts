import { assertEquals, assertThrows } from "@std/assert";
import type { CreateBody } from "../../../../runtime/docker/engine.ts";
import { EngineError } from "../../../../runtime/docker/errors.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { requireNetwork, resourceRefusal } from "../../../../runtime/local/container/refusals.ts";
import { it, suite } from "../../../helpers/suite.ts";

type HostConfig = CreateBody["HostConfig"];

const NOTHING: HostConfig = { AutoRemove: true, Mounts: [] };
const ALL: HostConfig = {
  ...NOTHING,
  NetworkMode: "db",
  NanoCpus: 64e9,
  DeviceRequests: [{ Count: -1, Capabilities: [["gpu"]] }],
  PortBindings: { "8080/tcp": [{ HostIp: "127.0.0.1", HostPort: "80" }] },
};

/** What engines say, and what mlcli makes of it. */
const WORDS: readonly (readonly [status: number, reason: string, message: string | undefined])[] = [
  // Docker 20.10.24; 28 (moby, daemon/container_operations.go); Podman 4.3 (libnetwork/types)
  [404, "network db not found", 'Network "db" does not exist in the Docker Engine'],
  [
    404,
    "failed to set up container networking: network db not found",
    'Network "db" does not exist in the Docker Engine',
  ],
  [
    500,
    "unable to find network with name or ID db: network not found",
    'Network "db" does not exist in the Docker Engine',
  ],
  [
    500,
    'could not select device driver "" with capabilities: [[gpu]]',
    "The Docker Engine cannot provide GPUs to containers",
  ],
  [
    500,
    "failed to create task: nvidia-container-cli: device error: 7: unknown device: unknown",
    "The Docker Engine cannot provide the requested GPUs",
  ],
  [
    400,
    "Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available",
    "The Docker Engine has fewer than 64 CPUs",
  ],
  [
    400,
    "NanoCPUs can not be set, as your kernel does not support CPU CFS scheduler or the cgroup " +
    "is not mounted",
    "The Docker Engine cannot limit CPUs",
  ],
  // rootlesskit's, in rootless Docker 20.10 and Podman 4.3
  [
    500,
    "driver failed programming external connectivity: cannot expose privileged port 80, you can " +
    "add 'net.ipv4.ip_unprivileged_port_start=80' to /etc/sysctl.conf (currently 1024)",
    "The Docker Engine is rootless, so it cannot publish port 80",
  ],
  [404, "No such image: demo:latest", undefined],
  [400, 'exec: "nope": executable file not found in $PATH: unknown', undefined],
  [500, "driver failed programming external connectivity", undefined],
];

suite("what an engine does not have", () => {
  for (const [status, reason, message] of WORDS) {
    it(`is said in the user's words: ${reason}`, () => {
      const error = new EngineError(status, reason, "POST /containers/ID/start");
      const found = resourceRefusal({ HostConfig: ALL }, error);
      assertEquals(found?.message, message);
      if (message !== undefined) {
        assertEquals([found?.quote, found?.cause], [reason, error]);
        assertEquals(typeof found?.hint, "string");
      }
      // Who did not ask for any of that is told what the engine said.
      assertEquals(resourceRefusal({ HostConfig: NOTHING }, error), undefined);
    });
  }

  it("is not taken from other errors", () => {
    assertEquals(
      resourceRefusal({ HostConfig: ALL }, new Error("network db not found")),
      undefined,
    );
  });
});

suite("SageMaker Studio's one network", () => {
  it("may be named, and each other one elsewhere alone", () => {
    for (const network of [undefined, "sagemaker"]) requireNetwork({ inStudio: true }, network);
    for (const network of ["none", "sagemaker", "db"]) requireNetwork({ inStudio: false }, network);
    assertThrows(() => requireNetwork({ inStudio: true }, "db"), MlcliError);
  });
});
