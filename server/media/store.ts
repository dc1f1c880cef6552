/** Where the bytes are: files or S3. Named by the hash of what they hold, so writing twice is writing once. */
export interface MediaStore {
  put(hash: string, bytes: Buffer): Promise<void>
  /** Undefined when there is none. */
  get(hash: string): Promise<Buffer | undefined>
  /** Fine also when there is none. */
  remove(hash: string): Promise<void>
}

/** The storage failed. Holds only a status: responses of storages may repeat signatures. */
export class StorageError extends Error {
  name = 'StorageError'
}
