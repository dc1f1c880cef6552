export const archiveStates = ['making', 'done', 'failed', 'expired'] as const

/** An archive as the API shows it. */
export interface ShownArchive {
  id: string
  state: (typeof archiveStates)[number]
  /** In percent. */
  progress: number
  bytes: number | null
  /** Why it failed or has expired early: a sentence. */
  notice: string | null
  left_out: { file: string; reason: string }[]
  created_at: string
  made_at: string | null
  expires_at: string | null
}
