import pg from 'pg'
import {
  type Actor,
  type Cell,
  insertBody,
  keyOf,
  lookupColumnOf,
  makeRoom,
  type Outcome,
  valueOf,
  type World,
} from './matrix.ts'

/**
 * Asks the database alone, as the role and with the claims that the door would set: row security and grants decide, without
 * the door. Runs inside a transaction that the caller has begun; every cell is rolled back.
 */
export function inSql(world: World): (actor: Actor, cell: Cell) => Promise<Outcome> {
  const { superuser } = world
  return async (actor, cell) => {
    const { role, claims } = settingsOf(world, actor)
    const settings = {
      role,
      'request.jwt.claims': JSON.stringify({ ...claims, role }),
      'hoplet.lookup': lookupOf(world, cell),
    }
    // In one round trip, because there are many thousands of cells.
    await superuser.query(
      [
        'savepoint cell',
        ...(cell.verb === 'insert' ? [makeRoom(world, cell)] : []),
        ...Object.entries(settings).map(
          ([name, value]) => `set local ${name} = ${pg.escapeLiteral(value)}`,
        ),
      ].join(';'),
    )
    try {
      return await ask(world, cell)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      // 0A000: the column is an expression, which cannot be written.
      const denied = error.code === '42501' || error.code === '0A000'
      return denied ? 'denied' : (error.code ?? 'error')
    } finally {
      await superuser.query('rollback to savepoint cell')
    }
  }
}

function settingsOf(world: World, actor: Actor): { role: string; claims: Record<string, unknown> } {
  if (actor === 'anon') return { role: 'anon', claims: {} }
  if (actor === 'service') return { role: 'service_role', claims: {} }
  return { role: 'authenticated', claims: world.accounts[actor].claims }
}

function lookupOf(world: World, { relation, verb }: Cell): string {
  // The door takes a popup's id for a look-up, whichever verb the matrix calls it.
  const asked = verb === 'lookup' || (verb === 'select' && relation === 'popups')
  return asked ? `${relation}:${world.lookups[relation]}` : ''
}

async function ask(world: World, cell: Cell): Promise<Outcome> {
  const { superuser } = world
  const { relation, verb, column } = cell
  const key = keyOf(relation)
  const values = [world.keys[relation]]
  if (verb === 'select' || verb === 'lookup') {
    const by = verb === 'select' ? key : (lookupColumnOf(relation) ?? key)
    const { rows } = await superuser.query<Record<string, unknown>>(
      `select ${column} from api.${relation} where ${by} = $1`,
      [verb === 'select' ? world.keys[relation] : world.lookups[relation]],
    )
    const [row] = rows
    if (!row) return 'none'
    return row[column] === null ? 'null' : 'row'
  }
  if (verb === 'select all') {
    const { rows } = await superuser.query<{ n: string }>(
      `select count(${column}) as n from api.${relation}`,
    )
    return String(rows[0]?.n)
  }
  if (verb === 'update all') {
    const { rowCount } = await superuser.query(`update api.${relation} set ${column} = $1`, [
      valueOf(world, relation, column),
    ])
    return String(rowCount)
  }
  if (verb === 'delete all')
    return String((await superuser.query(`delete from api.${relation}`)).rowCount)
  if (verb === 'insert') {
    const body = insertBody(world, cell)
    const columns = Object.keys(body)
    const marks = columns.map((_, index) => `$${index + 1}`)
    await superuser.query(
      `insert into api.${relation} (${columns.join(', ')}) values (${marks.join(', ')})`,
      Object.values(body),
    )
    return 'done'
  }
  const { rowCount } =
    verb === 'update'
      ? await superuser.query(`update api.${relation} set ${column} = $2 where ${key} = $1`, [
          ...values,
          valueOf(world, relation, column),
        ])
      : await superuser.query(`delete from api.${relation} where ${key} = $1`, values)
  return rowCount === 0 ? 'none' : 'done'
}
