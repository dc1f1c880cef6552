import type { Database } from '../postgres/database.ts'
import { withQuestions } from '../postgres/questions.ts'
import type { ClickHouseSettings } from './clickhouse/client.ts'

/** The database, with ClickHouse for what reports ask about hits. Most servers have none, and need not load its client. */
export async function withClickHouse(
  database: Database,
  settings: ClickHouseSettings | undefined,
): Promise<Database> {
  if (!settings) return database
  const { createAnswers } = await import('./clickhouse/answers.ts')
  const { answer, close } = createAnswers(settings)
  return {
    ...withQuestions(database, answer),
    async close() {
      await close()
      await database.close()
    },
  }
}
