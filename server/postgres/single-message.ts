import { createHash } from 'node:crypto'
import pg from 'pg'
import { errorCode } from '../primitives/error-code.ts'
import type { Role } from './roles.ts'

/** A query that is asked so often that its round trips matter. */
export interface FrequentRead {
  /** Of the statement that each connection prepares once. */
  name: string
  /** With one parameter `$1`, a `text[]`. */
  text: string
}

/** A read under this name: letters, digits and `_`. Through a pooler, another release may have prepared another text. */
export function frequentRead(name: string, text: string): FrequentRead {
  return { name: `${name}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text }
}

interface Reader {
  role: Role
  /** In milliseconds. */
  timeout: number
}

/**
 * Runs frequent reads as a role, in separate transactions, in one message: PostgreSQL runs the statements of a simple
 * query as one transaction. Three round trips (begin, query, commit) cost both sides more than looking up a few names.
 *
 * @param onRefusal told when a pooler gives each transaction another connection, which does not know the statement
 */
export function createSingleMessages(onRefusal: (error: unknown) => void) {
  /** Which statements each connection has. */
  const prepared = new WeakMap<pg.PoolClient, Set<string>>()
  let isOff = false

  const prepare = async (client: pg.PoolClient, { role, timeout }: Reader, read: FrequentRead) => {
    const names = prepared.get(client) ?? new Set()
    prepared.set(client, names)
    if (names.has(read.name)) return
    // By itself: a statement stays prepared when later ones fail.
    const text = `set local role ${role}; prepare ${read.name} (text[]) as ${read.text}`
    await client.query({ text, query_timeout: timeout + 1_000 } as pg.QueryConfig)
    names.add(read.name)
  }
  return {
    /** @returns undefined where a pooler is in between: run it as any other transaction */
    async read<Row extends pg.QueryResultRow>(
      client: pg.PoolClient,
      reader: Reader,
      read: FrequentRead,
      values: readonly string[],
    ): Promise<Row[] | undefined> {
      if (isOff) return undefined
      try {
        await prepare(client, reader, read)
        const text = [
          'set local transaction_read_only = on',
          `set local role ${reader.role}`,
          `set local statement_timeout = ${Math.trunc(reader.timeout)}`,
          'set local plan_cache_mode = force_generic_plan',
          `execute ${read.name} (${arrayLiteral(values)})`,
        ].join(';\n')
        // With several statements the driver answers with one result each, though its types do not say so.
        const results: unknown = await client.query({
          text,
          query_timeout: reader.timeout + 1_000,
        } as pg.QueryConfig)
        return (results as pg.QueryResult<Row>[]).at(-1)?.rows ?? []
      } catch (error) {
        const code = errorCode(error)
        // 26000: the name is unknown; 42P05: it exists already.
        if (code !== '26000' && code !== '42P05') throw error
        isOff = true
        onRefusal(error)
        return undefined
      }
    },
  }
}

function arrayLiteral(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return pg.escapeLiteral(`{${quoted.join(',')}}`)
}
