import { useRights } from '#web/session/space/rights.ts'
import { useMemo } from 'react'
import { useArchiveLinks } from '../archive-links.ts'
import { useSetActive } from '../change-link.ts'
import type { LinkDialog } from './link-dialogs.tsx'
import type { RowActions } from './link-item.tsx'
import { useRemoveUnclicked } from '../unclicked-links.ts'

/**
 * The actions of the rows.
 *
 * @param open opens a dialog over the list
 * @param focusRest moves the focus from a row that leaves
 */
export function useRowActions(
  open: (dialog: LinkDialog) => void,
  toggle: RowActions['toggle'],
  focusRest: () => void,
): RowActions {
  const removeUnclicked = useRemoveUnclicked()
  const setActive = useSetActive()
  const archiveLinks = useArchiveLinks()
  const mayWrite = useRights()('links:write')
  return useMemo(
    () => ({
      edit: (link) => {
        if (mayWrite) open({ kind: 'edit', link })
      },
      remove: (link) => {
        if (link.click_count !== 0) return open({ kind: 'delete', links: [link] })
        removeUnclicked(link)
        focusRest()
      },
      showQrCode: (link) => open({ kind: 'qr', link }),
      setActive,
      archive: (link, isArchived) => {
        archiveLinks([link.id], isArchived)
        focusRest()
      },
      toggle,
    }),
    [mayWrite, open, toggle, removeUnclicked, focusRest, setActive, archiveLinks],
  )
}
