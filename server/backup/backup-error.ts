/** What is wrong with a backup, or why it cannot be made or restored; the message tells the operator. */
export class BackupError extends Error {
  name = 'BackupError'
}
