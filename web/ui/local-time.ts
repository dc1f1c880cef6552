/** An instant as `datetime-local` fields write it, in the zone of the browser; empty for none. */
export function localTimeOf(instant: string | null | undefined): string {
  if (instant === null || instant === undefined) return ''
  const at = new Date(instant)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** For a field with a local time. */
export function zoneHint(): string {
  return `Time zone: ${new Intl.DateTimeFormat().resolvedOptions().timeZone}`
}

/** The instant of such a local time as ISO 8601; null for none. */
export function instantOf(localTime: string): string | null {
  const at = new Date(localTime)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
