import { useCallback } from 'react'
import { bioLimits, hasAddress } from '#domain/bio/bio-form.ts'
import { bioFieldMessages } from '#domain/texts/bio-texts.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { type LinkDraft, newLink } from './bio-draft.ts'
import type { PastedLink } from '#domain/bio/pasted-links.ts'
import type { BioFields } from './use-bio-editor.ts'
import { useFocusOnNewRow } from './use-focus-on-new-row.ts'

const isBlank = ({ kind, title, url }: LinkDraft) => hasAddress(kind) && title + url === ''

/** The rows of the links: each of their changes, and the focus on those that are new. */
export function useLinkRows({ draft: { links }, change, unfolded }: BioFields) {
  const changeRows = useCallback(
    (rowsOf: (rows: readonly LinkDraft[]) => readonly LinkDraft[]) => {
      change((now) => ({ links: rowsOf(now.links) }))
    },
    [change],
  )
  const { section, focusOn } = useFocusOnNewRow(links)

  function open(row: LinkDraft) {
    focusOn(row.key)
    unfolded.unfold([row.key])
  }

  /** Opens a new row at an index, if the page has room for it. */
  function insert(at: number, kind?: LinkDraft['kind']) {
    if (links.length >= bioLimits.links) return notifyFull()
    const row = newLink(kind)
    open(row)
    changeRows((rows) => rows.toSpliced(at, 0, row))
  }

  return {
    section,
    changeRows,
    edit: (key: string, content: Partial<LinkDraft>) =>
      changeRows((rows) => rows.map((row) => (row.key === key ? { ...row, ...content } : row))),
    add: (kind?: LinkDraft['kind']) => insert(links.length, kind),
    /** The row below: a blank one that is there, or a new one. A blank row needs no other. */
    addBelow: (index: number) => {
      const [row, below] = links.slice(index, index + 2)
      if (row === undefined || isBlank(row)) return
      if (below === undefined || !isBlank(below)) return insert(index + 1)
      open(below)
      // The focus goes to rows that were rendered after this.
      changeRows((rows) => [...rows])
    },
    /** Several links at once, in the place of a blank row or below a filled one. */
    addPasted: (index: number, pasted: readonly PastedLink[]) => {
      const row = links[index]
      if (row === undefined) return
      const taken = isBlank(row) ? 1 : 0
      const room = bioLimits.links - links.length + taken
      if (pasted.length > room) notifyFull()
      const added = pasted.slice(0, room).map((link) => ({ ...newLink(), ...link }))
      unfolded.unfold([])
      changeRows((rows) => rows.toSpliced(index + 1 - taken, taken, ...added))
    },
  }
}

function notifyFull() {
  notifyError({ title: bioFieldMessages.links })
}
