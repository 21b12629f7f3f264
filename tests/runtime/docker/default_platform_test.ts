import { assertEquals, assertThrows } from "@std/assert";
import { defaultPlatform } from "../../../runtime/docker/default_platform.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const of = (value: string | undefined) =>
  defaultPlatform((name) => name === "DOCKER_DEFAULT_PLATFORM" ? value : undefined);

suite("defaultPlatform", () => {
  for (
    const [value, platform] of [
      [undefined, undefined],
      ["", undefined],
      ["linux/amd64", "linux/amd64"],
      ["Linux/ARM64/v8", "linux/arm64/v8"],
      // https://github.com/docker/compose/issues/10041
      ["linux/x86_64", "linux/amd64"],
      ["linux/aarch64", "linux/arm64"],
      // https://github.com/moby/moby/issues/36552
      ["arm", "linux/arm"],
      ["x86_64", "linux/amd64"],
      ["linux/constructor", "linux/constructor"],
    ] as const
  ) {
    it(`is ${platform} if DOCKER_DEFAULT_PLATFORM is "${value}"`, () => {
      assertEquals(of(value), platform);
    });
  }

  for (const value of ["linux/amd64,linux/arm64", "all", "linux/", "a/b/c/d", "linux/amd64 "]) {
    it(`throws an error that names DOCKER_DEFAULT_PLATFORM if its value is "${value}"`, () => {
      const { message } = assertThrows(() => of(value), MlcliError);
      assertEquals(
        message,
        `DOCKER_DEFAULT_PLATFORM must be one platform, such as linux/amd64, but is "${value}"`,
      );
    });
  }
});
