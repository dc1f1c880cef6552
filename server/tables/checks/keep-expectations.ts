import type { Context } from '../../context.ts'
import type { Transaction } from '../../postgres/database.ts'
import { ifError } from '../../primitives/caught-error.ts'
import type { Identity } from '../../tokens/tokens.ts'
import { problems, ProtocolError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Answer } from '../parse/parse-headers.ts'

type Expectations = Context['expectations']
type ChangedLink = Awaited<ReturnType<Expectations['changedLinks']>>[number]
type UnmetExpectation = Awaited<ReturnType<Expectations['findUnmet']>>[number]

/** Maximum per request, all its links together. Checking one may take as long as a hundred conditions. */
const maxExpectations = 500
/** The second run leaves out those that were unmet before; one more, because others write meanwhile. */
const maxRuns = 3

/** A write that would break expectations: it is rolled back. */
export class BrokenExpectationsError extends ProtocolError {
  readonly refusals: ReadonlyMap<string, ProtocolError>
  /** The result of the write. */
  readonly result: unknown

  /** @param refusals by the id of their link */
  constructor(
    problem: ProtocolError,
    refusals: BrokenExpectationsError['refusals'],
    result: unknown,
  ) {
    super(problem.problem)
    this.refusals = refusals
    this.result = result
  }
}

/** Rolls a write back until it is known whether it broke the expectations that are not met after it. */
class UnmetExpectationsError extends Error {
  readonly unmet: readonly UnmetExpectation[]
  /** Links with too many for one request. */
  readonly unchecked: readonly ChangedLink[]
  readonly result: unknown
  constructor(
    unmet: UnmetExpectationsError['unmet'],
    unchecked: UnmetExpectationsError['unchecked'],
    result: unknown,
  ) {
    super('expectations are not met')
    this.unmet = unmet
    this.unchecked = unchecked
    this.result = result
  }
}

interface LinkWrite extends Pick<Answer, 'prefer'> {
  deps: Pick<Context, 'expectations'>
  identity: Identity
  limits: Limits
}

type Check = (db: Transaction, result: unknown) => Promise<void>

/**
 * Refuses a write that breaks expectations of links, unless the request wants the change anyway. Most writes break none. After one that
 * leaves some unmet, the state before it is read without a transaction, and the write runs again if it broke none of them: a
 * broken expectation does not refuse changes of something else.
 *
 * @param run the write in a transaction, which calls `check` before it commits
 * @throws {BrokenExpectationsError} 409 with link and name of the broken ones, 413 when they are too many to be checked
 */
export async function keepExpectations<Result>(
  { deps, identity, limits, prefer }: LinkWrite,
  run: (check: Check) => Promise<Result>,
): Promise<Result> {
  if (prefer.expectations === 'ignore') return run(async () => {})
  const { expectations } = deps
  const unmetBefore = new Set<string>()
  for (let runs = 1; ; runs++) {
    const check: Check = async (db, result) => {
      const links = await expectations.changedLinks(db, identity.role)
      if (links.length === 0) return
      const [checked, unchecked] = withinBound(links)
      if (runs === 1) limits.change(identity, countExpectations(checked))
      const found = await expectations.findUnmet(db, identity.role, checked)
      const unmet = found.filter(({ id }) => !unmetBefore.has(id))
      if (unmet.length + unchecked.length > 0)
        throw new UnmetExpectationsError(unmet, unchecked, result)
    }
    const answer = await run(check)
      .then((result) => ({ result }))
      .catch(ifError(UnmetExpectationsError, (error) => error))
    if (!(answer instanceof UnmetExpectationsError)) return answer.result
    const { unmet, unchecked, result } = answer
    const broken = runs === maxRuns ? unmet : await expectations.brokenAmong(unmet)
    if (broken.length + unchecked.length > 0) throw refusalOf(broken, unchecked, result)
    for (const { id } of unmet) unmetBefore.add(id)
  }
}

const countExpectations = (links: readonly ChangedLink[]) =>
  links.reduce((sum, link) => sum + link.expectations, 0)

/** The first links, as far as their expectations can be checked, and the others. */
function withinBound(links: readonly ChangedLink[]): [ChangedLink[], ChangedLink[]] {
  let count = 0
  const isWithin = links.map(({ expectations }) => (count += expectations) <= maxExpectations)
  return [links.filter((_, i) => isWithin[i]), links.filter((_, i) => !isWithin[i])]
}

function refusalOf(
  broken: readonly UnmetExpectation[],
  unchecked: readonly ChangedLink[],
  result: unknown,
): BrokenExpectationsError {
  const refusals = new Map<string, ProtocolError>()
  for (const { id, code } of unchecked)
    refusals.set(id, problems.tooManyExpectations(maxExpectations, code))
  for (const { linkId } of broken)
    refusals.set(linkId, problems.expectations(broken.filter((each) => each.linkId === linkId)))
  const problem =
    broken.length > 0
      ? problems.expectations(broken)
      : problems.tooManyExpectations(maxExpectations, unchecked.map(({ code }) => code).join(' '))
  return new BrokenExpectationsError(problem, refusals, result)
}
