/** The AWS SDK, an optional peer of this package: loaded when the first store on S3 is used. */
import { UsageError } from "../core/errors/errors.js";

export type S3Sdk = typeof import("@aws-sdk/client-s3");
export type S3UploadSdk = typeof import("@aws-sdk/lib-storage");

/** @throws UsageError when it is not installed. */
export function loadS3Sdk(): Promise<S3Sdk> {
  return loadOptional("@aws-sdk/client-s3", () => import("@aws-sdk/client-s3"));
}

/** What uploads in parts. @throws UsageError when it is not installed. */
export function loadS3UploadSdk(): Promise<S3UploadSdk> {
  return loadOptional("@aws-sdk/lib-storage", () => import("@aws-sdk/lib-storage"));
}

/** @throws UsageError where the package itself is missing; what else fails in it is thrown as it is. */
export async function loadOptional<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(name)) throw error;
    throw new UsageError(
      `A media store on S3 needs ${name}, which is not installed: run \`npm install @aws-sdk/client-s3 @aws-sdk/lib-storage\`.`,
    );
  }
}
