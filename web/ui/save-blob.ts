/** Lets the browser save a file. */
export function saveBlob(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // A large file takes the browser a moment.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** The same for a table. The mark tells spreadsheets that it is UTF-8. */
export function saveCsv(table: BlobPart, name: string): void {
  saveBlob(new Blob(['\uFEFF', table], { type: 'text/csv;charset=utf-8' }), name)
}
