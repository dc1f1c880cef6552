/** Bounds of an archive (docs/archive.md). */
export const archiveBounds = {
  links: 100_000,
  hits: 5_000_000,
  images: 9_000,
  /** Unpacked bytes of all files together. 1 MB of the 2 GB is for archive.json. */
  bytes: 2 * 1024 ** 3 - 1024 ** 2,
} as const

/** The version of the format (docs/archive.md, Versions). */
export const archiveVersion = 1

export const archiveFormat = 'hoplet-archive'

/** Why a part of an archive is missing. */
export interface LeftOut {
  /** As in `files` of archive.json. */
  file: string
  /** A sentence for people. */
  reason: string
}

/** Counts the rows and unpacked bytes of the files of an archive, and names the parts that are left out. */
export class ArchiveTally {
  readonly files: Record<string, { rows: number; bytes: number }> = {}
  readonly leftOut: LeftOut[] = []
  private bytesLeft: number

  constructor(bytes: number = archiveBounds.bytes) {
    this.bytesLeft = bytes
  }

  /** Names a file, which may stay empty. */
  open(file: string): void {
    this.files[file] ??= { rows: 0, bytes: 0 }
  }

  /** Counts a part of a file. False: it finds no room, and the rest of the file is left out. */
  take(file: string, bytes: number, rows = 1): boolean {
    this.open(file)
    if (bytes > this.bytesLeft) {
      this.leaveOut(file, 'The archive has 2 GB, which is the most. The rest is left out.')
      return false
    }
    this.bytesLeft -= bytes
    const counts = this.files[file]
    if (counts) {
      counts.rows += rows
      counts.bytes += bytes
    }
    return true
  }

  leaveOut(file: string, reason: string): void {
    if (!this.leftOut.some((one) => one.file === file && one.reason === reason))
      this.leftOut.push({ file, reason })
  }
}
