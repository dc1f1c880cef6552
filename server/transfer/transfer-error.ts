import { archiveBounds } from './archive/archive-bounds.ts'

/** A file or service cannot be imported; the message is a sentence for the person. */
export class TransferError extends Error {
  name = 'TransferError'
}

export const damagedArchive = () => new TransferError('The archive is damaged')

/** Bounds of an import. */
export const importBounds = {
  rows: 100_000,
  fileBytes: 50 * 1024 * 1024,
  columns: 200,
  /** Maximum of a row of a file, and of an archive: a link there has its placements. */
  rowBytes: 100_000,
  archiveRowBytes: 4_000_000,
  /** Maximum of all rows of an account's imports. */
  accountBytes: 150 * 1024 * 1024,
  /** Maximum of hits of an archive, and of their texts. */
  hits: archiveBounds.hits,
  hitBytes: 512 * 1024 * 1024,
} as const
