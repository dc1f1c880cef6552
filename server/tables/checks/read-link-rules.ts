import { randomUUID } from 'node:crypto'
import { parseRules } from '#domain/visits/parse-rules.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import { type SimulatedVisit, simulatedVisit } from '#domain/visits/simulated-visit.ts'
import { parseJson } from '../../primitives/parse-json.ts'
import { problems } from '../errors.ts'

/** The rules of a link as they are stored. @throws {ProtocolError} 23514 with the first problem as message, all as details */
export function readLinkRules(
  value: unknown,
  { ownHosts }: { ownHosts: readonly string[] },
): LinkRules {
  const parsed = parseRules(value, { ownHosts, newId: randomUUID })
  if (parsed.ok) return parsed.rules
  const [first = { path: '', message: 'Rules are a list' }] = parsed.problems
  throw problems.linkRules(first, parsed.problems)
}

/** A visit to simulate. @throws {ProtocolError} 22023 with the field and its problem */
export function readSimulatedVisit(value: unknown): SimulatedVisit {
  // A GET has the visit as text.
  const parsed = simulatedVisit.safeParse(typeof value === 'string' ? parseJson(value) : value)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'A visit is an object' }
  throw problems.simulatedVisit([...path, message].join(': '))
}
