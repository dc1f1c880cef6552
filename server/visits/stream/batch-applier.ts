import type { HitStore } from '../../analytics/store/store.ts'
import type { Logger } from '../../log.ts'
import type { Transaction } from '../../postgres/database.ts'
import { isRefusedValue } from '../../primitives/error-code.ts'
import { type Decoded, decodeClicks } from '../record/decode-clicks.ts'
import type { RunAsVisits } from '../counting/segment-applier.ts'
import { keepSources, moveMark, readMarks } from '../counting/segment-marks.ts'
import { NewerRecordsError, unknownVerdicts } from '../record/newer-records.ts'
import { type BatchPlan, planBatch } from './batch-plan.ts'
import { moveStreamPosition, type StreamPosition } from './stream-marks.ts'
import type { StreamMessage } from './stream-message.ts'

interface BatchApplierDeps {
  stream: string
  asVisits: RunAsVisits
  hits: HitStore
  log: Logger
}

/** Another process applied these messages, or the database was restored: read where the marks are. */
export class MarkMovedError extends Error {
  name = 'MarkMovedError'
}

/** About 5,000 clicks. */
const maxBatchBytes = 512 * 1024
const maxKnownSources = 10_000

/** One transaction moves the mark of the stream and of each source, and counts the records, so each counts exactly once. */
export function createBatchApplier({ stream, asVisits, hits, log }: BatchApplierDeps) {
  const totals = { applied: 0, orphaned: 0, corrupt: 0, missingBytes: 0 }
  const marks = new Map<string, number>()
  /** Whether single records are tried, to find the one that the database refuses. */
  let isSearching = false

  const learnMarks = async (messages: readonly StreamMessage[]) => {
    const sources = messages.flatMap(({ content }) => content?.source ?? [])
    const unknown = [...new Set(sources)].filter((source) => !marks.has(source))
    if (unknown.length === 0) return
    if (marks.size > maxKnownSources) marks.clear()
    const read = await asVisits((db) => readMarks(db, unknown))
    for (const [source, mark] of read) marks.set(source, mark)
  }
  const store = async (step: Step, work: Parameters<RunAsVisits>[0]) => {
    await asVisits(async (db) => {
      await moveMarks(db, stream, step)
      return work(db)
    })
    for (const [source, { to }] of step.moves) marks.set(source, to)
  }
  const apply = async (step: Step, clicks: Parameters<HitStore['prepare']>[0]) => {
    const prepared = await hits.prepare(clicks)
    const applied = { counted: 0, orphaned: 0 }
    await store(step, async (db) => Object.assign(applied, await prepared.apply(db)))
    prepared.stored()
    totals.applied += applied.counted
    totals.orphaned += applied.orphaned
  }

  /** The first message alone, and of it only the first record that is not applied. */
  const applyOneRecord = async (
    first: StreamMessage,
    at: StreamPosition,
  ): Promise<StreamPosition> => {
    const plan = planBatch([first], marks)
    const { clicks, end, newer } = decodeClicks(plan.bytes, 1, true)
    if (newer && end === 0) throw new NewerRecordsError(newer)
    const isWhole = end >= plan.bytes.length
    const step = stepToRecord(plan, at, isWhole ? plan.to : at, end)
    try {
      await apply(step, clicks)
    } catch (error) {
      if (!isRefusedValue(error)) throw error
      const [source = stream, move = { from: at.seq }] = [...step.moves][0] ?? []
      log.error(
        { err: error, source, at: move.from },
        'a click was skipped because the database refused it',
      )
      await store(step, async () => {})
      totals.corrupt++
    }
    isSearching = !isWhole
    return step.to
  }

  return {
    totals: () => ({ ...totals }),
    /** Reads the marks again. */
    forget: () => marks.clear(),
    /**
     * Applies the first of these messages, as many as make a batch.
     *
     * @param at the mark of the stream
     * @returns the new one; the same when a part of the first message is left
     * @throws {NewerRecordsError} when the next record is of a later version
     * @throws {MarkMovedError} when the marks are elsewhere, or an error of the database; nothing was applied
     */
    async applyNext(
      messages: readonly StreamMessage[],
      at: StreamPosition,
    ): Promise<StreamPosition> {
      const [first, ...more] = messages
      if (!first) return at
      await learnMarks(messages)
      if (isSearching) return applyOneRecord(first, at)
      let plan = planBatch([first, ...fitting(first, more)], marks)
      let decoded = decodeAll(plan)
      if (decoded.newer) {
        plan = planBatch([first], marks)
        decoded = decodeAll(plan)
      }
      const { newer, end } = decoded
      if (newer && end === 0) throw new NewerRecordsError(newer)
      const step = newer ? stepToRecord(plan, at, at, end) : { from: at, ...plan }
      try {
        await apply(step, decoded.clicks)
      } catch (error) {
        if (!isRefusedValue(error)) throw error
        isSearching = true
        return at
      }
      totals.missingBytes += plan.missingBytes
      totals.corrupt += decoded.corrupt + plan.foreign
      report(log, plan, decoded)
      return step.to
    },
  }
}

const decodeAll = ({ bytes }: BatchPlan): Decoded =>
  decodeClicks(bytes, Number.POSITIVE_INFINITY, true)

/** The marks that one transaction moves. */
type Step = Pick<BatchPlan, 'moves' | 'to'> & { from: StreamPosition }

async function moveMarks(
  db: Transaction,
  stream: string,
  { from, to, moves }: Step,
): Promise<void> {
  if (!(await moveStreamPosition(db, stream, from, to))) throw new MarkMovedError()
  for (const [source, move] of moves) {
    if (!(await moveMark(db, source, move.from, move.to))) throw new MarkMovedError()
  }
  await keepSources(db, [...moves.keys()])
}

/** The step over the bytes before `end` of a plan for one message. */
function stepToRecord(
  { moves, bytes }: BatchPlan,
  from: StreamPosition,
  to: StreamPosition,
  end: number,
): Step {
  const moved = [...moves].map(
    ([source, move]) => [source, { from: move.from, to: move.to - bytes.length + end }] as const,
  )
  return { from, to, moves: new Map(moved) }
}

function report(
  log: Logger,
  { missingBytes, foreign }: BatchPlan,
  { corrupt, unknown }: Decoded,
): void {
  if (missingBytes > 0)
    log.error(
      { bytes: missingBytes },
      'clicks are missing in the click stream: it has lost or deleted them',
    )
  if (foreign > 0)
    log.warn({ messages: foreign }, 'the click stream has messages that are no clicks')
  if (corrupt > 0) log.warn({ records: corrupt }, 'damaged click records were skipped')
  if (unknown > 0) log.warn({ records: unknown }, unknownVerdicts)
}

/** Those that fit into a batch with the first one. */
function fitting(first: StreamMessage, more: readonly StreamMessage[]): readonly StreamMessage[] {
  let bytes = first.content?.bytes.length ?? 0
  const end = more.findIndex(({ content }) => {
    bytes += content?.bytes.length ?? 0
    return bytes > maxBatchBytes
  })
  return end === -1 ? more : more.slice(0, end)
}
