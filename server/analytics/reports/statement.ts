/** A statement with its values, as `pg` takes them. */
export interface SqlStatement {
  text: string
  values: unknown[]
}

/** Collects the values of a statement. */
export class Values {
  readonly values: unknown[] = []
  /** @returns the placeholder of the value in the text */
  bind(value: unknown, type: string): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}

/** Microseconds since 1970 as PostgreSQL reads them, without losing any. */
export function timeOf(micros: number): string {
  const ms = Math.floor(micros / 1_000)
  const rest = String(micros - ms * 1_000).padStart(3, '0')
  return new Date(ms).toISOString().replace('Z', `${rest}Z`)
}
