const format = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a value from outside is a UUID: PostgreSQL answers other texts with an error. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && format.test(value)
}
