import type { Answer } from './answer.ts'

/** What a link is to a visitor. `answer` is the finished redirect, made once when the link is loaded. */
export interface LinkEntry {
  kind: 'link'
  id: string
  /** The 16 bytes of `id`, as the journal writes them. */
  idBytes: Uint8Array
  /** The stored URL, byte for byte, checked again when it was loaded. */
  destination: string
  answer: Answer
  /** The popup that the owner put in front, if the link shows one. */
  popup: { id: string; active: boolean } | undefined
}

/** A bio page: a name that answers with a page. */
export interface BioEntry {
  kind: 'bio'
  id: string
  idBytes: Uint8Array
}

/** What stands behind a name. `gone`: a link whose stored destination may not be followed. */
export type Entry = LinkEntry | BioEntry | { kind: 'gone' } | { kind: 'missing' }

export const missing: Entry = { kind: 'missing' }
export const gone: Entry = { kind: 'gone' }
