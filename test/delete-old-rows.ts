import type { Context } from '#server/context.ts'

/** Runs the retention as it is after everything that happened before this call. */
export async function deleteOldRows({ retention }: Pick<Context, 'retention'>): Promise<void> {
  // The first call joins a run that its timer may have started meanwhile.
  await retention.run()
  await retention.run()
}
