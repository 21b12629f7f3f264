import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { connectToEngine } from "../../../runtime/docker/connect.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  type BaseImageKind,
  ensureBaseImage,
  type Machine,
} from "../../../scripts/engine/base_image.ts";
import { parseSystem } from "../../../scripts/engine/debian.ts";
import { type Answers, fakeEngine, pong, refusal } from "../../helpers/fake_engine.ts";
import { it, suite } from "../../helpers/suite.ts";

const system = parseSystem("ID=debian\nVERSION_CODENAME=bookworm\n");
/** One that may not install packages, so that no test makes an image. */
const machine: Machine = { system, uid: 1000 };

const THERE = (): Response => Response.json({ Id: "sha256:1", Os: "linux" });
const MISSING = (): Response => refusal(404, "No such image");
const NO_REGISTRY = (): Response => refusal(500, "lookup registry.example: no such host");
const PULLED = (): Response => new Response('{"status":"Pulling"}\n{"status":"Done"}\n');
const BROKE_OFF = (): Response =>
  new Response('{"status":"Pulling"}\n{"errorDetail":{"message":"unexpected EOF"}}\n');

const MADE = "GET /images/mlcli-python%3Abookworm/json";
const MADE_SKLEARN = "GET /images/mlcli-python-sklearn%3Abookworm/json";
const OFFICIAL = "GET /images/python%3A3.12-slim/json";
const PULL = "POST /images/create";

/** What is found with an engine that answers so, and what it was asked. */
async function find(
  kind: BaseImageKind,
  answers: Answers,
): Promise<{ image: string; asked: readonly string[] }> {
  await using fake = await fakeEngine({ "GET /_ping": () => pong("1.41"), ...answers });
  const env = (name: string): string | undefined =>
    name === "DOCKER_HOST" ? `unix://${fake.socket}` : undefined;
  const engine = await connectToEngine({ env });
  try {
    const image = await ensureBaseImage(kind, engine, new AbortController().signal, machine);
    return { image, asked: fake.requests.map((request) => request.replace("/v1.41", "")).slice(1) };
  } finally {
    engine.close();
  }
}

suite("The base image", () => {
  it("is the one made before", async () => {
    const { image, asked } = await find("plain", { [MADE]: THERE });
    assertEquals(image, "mlcli-python:bookworm");
    assertEquals(asked, [MADE]);
  });

  it("is the official one where the engine has it", async () => {
    const { image, asked } = await find("plain", { [MADE]: MISSING, [OFFICIAL]: THERE });
    assertEquals(image, "python:3.12-slim");
    assertEquals(asked, [MADE, OFFICIAL]);
  });

  it("is the official one where a registry answers", async () => {
    const { image, asked } = await find("plain", {
      [MADE]: MISSING,
      [OFFICIAL]: MISSING,
      [PULL]: PULLED,
    });
    assertEquals(image, "python:3.12-slim");
    assertEquals(asked, [MADE, OFFICIAL, PULL]);
  });

  it("with pip is the one made before, or the official one, which has it", async () => {
    const made = "GET /images/mlcli-python-pip%3Abookworm/json";
    assertEquals((await find("pip", { [made]: THERE })).image, "mlcli-python-pip:bookworm");
    const { image, asked } = await find("pip", { [made]: MISSING, [OFFICIAL]: THERE });
    assertEquals([image, asked], ["python:3.12-slim", [made, OFFICIAL]]);
  });

  it("with scikit-learn is the one made before", async () => {
    const { image } = await find("sklearn", { [MADE_SKLEARN]: THERE });
    assertEquals(image, "mlcli-python-sklearn:bookworm");
  });

  it("with scikit-learn is the official one only where a registry answers", async () => {
    const { image, asked } = await find("sklearn", { [MADE_SKLEARN]: MISSING, [PULL]: PULLED });
    assertEquals(image, "python:3.12-slim");
    assertEquals(asked, [MADE_SKLEARN, PULL]);
  });

  for (const [what, answer] of [["refused", NO_REGISTRY], ["broken off", BROKE_OFF]] as const) {
    it(`is not there after a pull that was ${what}, for somebody who cannot make one`, async () => {
      const error = await assertRejects(
        () => find("plain", { [MADE]: MISSING, [OFFICIAL]: MISSING, [PULL]: answer }),
        MlcliError,
        "No registry answers to pull python:3.12-slim from",
      );
      assertStringIncludes(error.hint ?? "", "registry-mirrors");
    });
  }
});
