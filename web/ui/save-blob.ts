/** Lets the browser save a file. */
export function saveBlob(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // A large file takes the browser a moment.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
