/** Opens the device's dialog for sharing, which a person may close without a choice. */
export function share(data: ShareData): void {
  navigator.share(data).catch(() => {})
}
