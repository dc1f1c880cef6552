import { join } from 'node:path'
import type { Config } from '../config.ts'
import { createS3Store } from '../media/s3-store.ts'
import { createFileStore, type MediaStore } from '../media/store.ts'

/**
 * Where the images are. Those in S3 are part of a backup on request only: the bucket has its own versions and copies.
 *
 * @returns undefined when they are not to be read
 */
export function imagesOf(
  { media, dataDir }: Pick<Config, 'dataDir'> & { media: Pick<Config['media'], 's3'> },
  withS3: boolean,
): MediaStore | undefined {
  if (!media.s3) return createFileStore(join(dataDir, 'media'))
  return withS3 ? createS3Store(media.s3) : undefined
}
