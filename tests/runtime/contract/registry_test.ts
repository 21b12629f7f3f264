import { assertEquals, assertThrows } from "@std/assert";
import {
  type Descriptor,
  dockerManifest,
  imageFor,
  isSameRegistry,
  mayLogIn,
  parseRepository,
  readManifest,
} from "../../../runtime/contract/registry.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const ECR = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";

suite("names of repositories", () => {
  for (
    const [text, host, name] of [
      ["churn", undefined, "churn"],
      ["team/churn", undefined, "team/churn"],
      ["a/b/c_d.e-f__g--h", undefined, "a/b/c_d.e-f__g--h"],
      [`${ECR}/churn`, ECR, "churn"],
      [`${ECR}/team/churn`, ECR, "team/churn"],
      ["localhost:5000/churn", "localhost:5000", "churn"],
      ["localhost/churn", "localhost", "churn"],
      ["HOST/churn", "HOST", "churn"],
      ["docker.io/team/churn", "docker.io", "team/churn"],
      ["a".repeat(256), undefined, "a".repeat(256)],
    ] as const
  ) {
    it(`${text.slice(0, 60)} names one`, () => {
      assertEquals(parseRepository(text), { host, name });
    });
  }

  for (
    const text of [
      "",
      "a",
      "a".repeat(257),
      "Churn",
      "churn:v1",
      "churn@sha256:00",
      "churn/",
      "/churn",
      "-churn",
      "a..b",
      `${ECR}/`,
      `${ECR}/x`,
      "https://host.example/churn",
      "churn\nx",
    ]
  ) {
    it(`${JSON.stringify(text.slice(0, 60))} names none`, () => {
      assertEquals(parseRepository(text), undefined);
    });
  }
});

suite("registries", () => {
  for (
    const [one, other, is] of [
      [ECR, ECR, true],
      [ECR, "123456789012.dkr-ecr.eu-west-1.on.aws", true],
      [ECR, "123456789012.dkr.ecr-fips.eu-west-1.amazonaws.com", true],
      ["localhost:5000", "localhost:5000", true],
      ["localhost:5000", "localhost:5001", false],
      [ECR, "123456789012.dkr.ecr.eu-west-2.amazonaws.com", false],
      [ECR, "210987654321.dkr.ecr.eu-west-1.amazonaws.com", false],
      [ECR, "123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example", false],
      [ECR, "docker.io", false],
    ] as const
  ) {
    it(`${one} and ${other} are ${is ? "the same" : "different ones"}`, () => {
      assertEquals([isSameRegistry(one, other), isSameRegistry(other, one)], [is, is]);
    });
  }
});

suite("a login for a registry", () => {
  for (
    const [login, registry, may] of [
      [ECR, ECR, true],
      [ECR, "123456789012.dkr-ecr.eu-west-1.on.aws", true],
      [ECR, "evil.example", false],
      [ECR, "210987654321.dkr.ecr.eu-west-1.amazonaws.com", false],
      [ECR, `${ECR}.evil.example`, false],
      [ECR, `${ECR}:5000`, false],
      // An emulator's.
      ["localhost:4566", "000000000000.dkr.ecr.eu-west-1.localhost.localstack.cloud:4566", true],
    ] as const
  ) {
    it(`${may ? "may" : "may not"} go from ${login} to ${registry}`, () => {
      assertEquals(mayLogIn(login, registry), may);
    });
  }
});

const DOCKER = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
const OCI = "application/vnd.oci.image.manifest.v1+json";
const OCI_INDEX = "application/vnd.oci.image.index.v1+json";

const LAYER = "application/vnd.oci.image.layer.v1.tar";

function part(mediaType: string, more: Partial<Descriptor> = {}): Descriptor {
  return { mediaType, digest: "sha256:00", size: 7, ...more };
}

const CONFIG = part("application/vnd.oci.image.config.v1+json", { digest: "sha256:c0" });

function rewritten(layers: readonly Descriptor[], config = CONFIG): string {
  return dockerManifest({ kind: "image", config, layers });
}

suite("manifests", () => {
  it("of images are read by their type", () => {
    const text = JSON.stringify({ config: CONFIG, layers: [part(LAYER)] });
    for (const type of [DOCKER, OCI]) {
      assertEquals(readManifest(text, type), {
        kind: "image",
        config: CONFIG,
        layers: [part(LAYER)],
      });
    }
  });

  it("of lists are read by their type", () => {
    const text = JSON.stringify({ manifests: [part(OCI)] });
    for (const type of [DOCKER_LIST, OCI_INDEX]) {
      assertEquals(readManifest(text, type), { kind: "list", manifests: [part(OCI)] });
    }
  });

  for (
    const [what, text, type] of [
      ["no JSON", "{", DOCKER],
      ["null", "null", DOCKER],
      ["without layers", JSON.stringify({ config: CONFIG }), DOCKER],
      ["without a configuration", JSON.stringify({ layers: [] }), OCI],
      ["with half a part", JSON.stringify({ config: CONFIG, layers: [{ size: 1 }] }), OCI],
      ["an index as an image", JSON.stringify({ manifests: [] }), OCI],
      [
        "of the first version",
        JSON.stringify({ fsLayers: [] }),
        "application/vnd.docker.distribution.manifest.v1+prettyjws",
      ],
    ] as const
  ) {
    it(`${what}: refused`, () => {
      assertThrows(() => readManifest(text, type), MlcliError, `a manifest of type ${type}`);
    });
  }
});

suite("lists of images", () => {
  const amd64 = part(OCI, { digest: "sha256:a", platform: { os: "linux", architecture: "amd64" } });
  const arm64 = part(OCI, { digest: "sha256:b", platform: { os: "linux", architecture: "arm64" } });
  const attestation = part(OCI, {
    digest: "sha256:d",
    platform: { os: "unknown", architecture: "unknown" },
  });
  const windows = part(OCI, { platform: { os: "windows", architecture: "amd64" } });

  it("give the image for SageMaker", () => {
    const all = [attestation, windows, arm64, amd64];
    assertEquals(imageFor("linux/amd64", all), amd64);
    assertEquals(imageFor("linux/arm64", all), arm64);
  });

  it("name what they are for, where it is not among them", () => {
    assertThrows(
      () => imageFor("linux/amd64", [arm64, attestation, windows, arm64]),
      MlcliError,
      "The image supports linux/arm64, windows/amd64, but not linux/amd64",
    );
    assertThrows(
      () => imageFor("linux/amd64", [attestation, part(OCI)]),
      MlcliError,
      "The image names no platform, but linux/amd64 is required",
    );
  });
});

suite("manifests for SageMaker", () => {
  it("are byte for byte what Docker writes", () => {
    assertEquals(
      rewritten([
        part(`${LAYER}+gzip`, { digest: "sha256:11", platform: { os: "linux" } }),
      ]),
      `{
   "schemaVersion": 2,
   "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
   "config": {
      "mediaType": "application/vnd.docker.container.image.v1+json",
      "size": 7,
      "digest": "sha256:c0"
   },
   "layers": [
      {
         "mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip",
         "size": 7,
         "digest": "sha256:11"
      }
   ]
}`,
    );
  });

  for (
    const [type, docker] of [
      [LAYER, "application/vnd.docker.image.rootfs.diff.tar"],
      [`${LAYER}+gzip`, "application/vnd.docker.image.rootfs.diff.tar.gzip"],
      [
        "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
        "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
      ],
      [
        "application/vnd.docker.image.rootfs.diff.tar.gzip",
        "application/vnd.docker.image.rootfs.diff.tar.gzip",
      ],
    ] as const
  ) {
    it(`have ${docker} for ${type}`, () => {
      const layers = [part(type, { urls: ["https://layers.example/"] })];
      assertEquals(JSON.parse(rewritten(layers)).layers, [
        { mediaType: docker, size: 7, digest: "sha256:00", urls: ["https://layers.example/"] },
      ]);
    });
  }

  for (const type of [`${LAYER}+zstd`, "application/vnd.docker.image.rootfs.diff.tar.zstd"]) {
    it(`cannot have ${type}`, () => {
      assertThrows(() => rewritten([part(type)]), MlcliError, "zstd layers");
    });
  }

  it("cannot hold what is no image", () => {
    assertThrows(
      () => rewritten([part("application/vnd.in-toto+json")]),
      MlcliError,
      "a layer of type application/vnd.in-toto+json",
    );
    assertThrows(
      () => rewritten([], part("application/vnd.cncf.helm.config.v1+json")),
      MlcliError,
      "a layer of type application/vnd.cncf.helm.config.v1+json",
    );
  });
});
