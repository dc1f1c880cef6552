import type { Caller, Database, Transaction } from './database.ts'

/** What a procedure wants to know of another database, as it wrote it (database/code/17_clickhouse.sql). */
export type Question = { kind: string } & Readonly<Record<string, unknown>>

/** @throws {DatabaseUnavailableError} when the other database does not answer in time */
export type AnswerQuestion = (question: Question) => Promise<unknown>

/** Answers may lead to further questions: where popups were shown, then how often that was visited. */
const maxRounds = 5

class UnansweredError extends Error {
  name = 'UnansweredError'
  readonly questions: Readonly<Record<string, Question>>
  constructor(questions: Readonly<Record<string, Question>>) {
    super('A transaction has questions')
    this.questions = questions
  }
}

/**
 * Lets procedures ask another database: a transaction of a caller with `asks` that leaves questions is rolled back, and runs again
 * with their answers, so that no transaction is open meanwhile. Others pass.
 */
export function withQuestions(database: Database, answer: AnswerQuestion): Database {
  return {
    ...database,
    async transactionAs<T>(caller: Caller, work: (db: Transaction) => Promise<T>): Promise<T> {
      if (!caller.asks) return database.transactionAs(caller, work)
      const answers: Record<string, unknown> = {}
      for (let round = 1; ; round++) {
        try {
          return await database.transactionAs(caller, (db) => asking(db, answers, work))
        } catch (error) {
          if (!(error instanceof UnansweredError) || round === maxRounds) throw error
          await Promise.all(
            Object.entries(error.questions).map(async ([key, question]) => {
              answers[key] = await answer(question)
            }),
          )
        }
      }
    },
  }
}

async function asking<T>(
  db: Transaction,
  answers: Readonly<Record<string, unknown>>,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  await db.query(`select set_config('hoplet.answers', $1, true)`, [JSON.stringify(answers)])
  const result = await work(db)
  const { rows } = await db.query<{ questions: string | null }>(
    `select nullif(current_setting('hoplet.questions', true), '') as questions`,
  )
  const questions = rows[0]?.questions
  if (questions)
    throw new UnansweredError(JSON.parse(questions) as Readonly<Record<string, Question>>)
  return result
}
