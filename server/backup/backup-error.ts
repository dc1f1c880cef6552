/** A backup is invalid, or cannot be made or restored; the message tells the operator. */
export class BackupError extends Error {
  name = 'BackupError'
}
