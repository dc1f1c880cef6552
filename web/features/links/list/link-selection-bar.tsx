import {
  AppWindow,
  Archive,
  ArchiveRestore,
  CirclePause,
  CirclePlay,
  Download,
  FolderInput,
  QrCode,
  Tag,
  Trash2,
} from 'lucide-react'
import { useNavigate } from '@tanstack/react-router'
import { codeOfLink } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'
import type { LinkRow } from '#web/api/database.ts'
import { selectionHash } from '#web/qr/selection-hash.ts'
import { SelectionBar } from '#web/ui/selection-bar.tsx'
import { useArchiveLinks, useSetAllActive } from '../archive-links.ts'
import { exportLinks } from './export-links.ts'

interface LinkSelectionBarProps {
  links: readonly LinkRow[]
  /** How many could be selected. */
  loaded: number
  onSelectAll: () => void
  onDialog: (kind: 'tag' | 'popup' | 'move' | 'delete') => void
  /** Whether there is another account to move them to. */
  canMove: boolean
  onArchived: () => void
  onClear: () => void
}

/** Actions on the selected links. */
export function LinkSelectionBar(props: LinkSelectionBarProps) {
  const { links, loaded, canMove, onSelectAll, onDialog, onArchived, onClear } = props
  const archiveLinks = useArchiveLinks()
  const setAllActive = useSetAllActive()
  const navigate = useNavigate()
  const mayWrite = useRights()('links:write')
  const openStudio = () =>
    void navigate({
      to: routes.qrStudio.path,
      hash: selectionHash(links.map(codeOfLink)),
    })
  const ids = links.map(({ id }) => id)
  // A list has archived links or others.
  const areArchived = links.every(({ archived_at }) => archived_at !== null)
  const areOff = links.every(({ is_disabled }) => is_disabled)
  return (
    <SelectionBar
      label="Selected links"
      count={links.length}
      {...{ loaded, onSelectAll, onClear }}
      actions={
        mayWrite
          ? [
              { name: 'Tag', Icon: Tag, run: () => onDialog('tag') },
              { name: 'Popup', Icon: AppWindow, isRare: true, run: () => onDialog('popup') },
              { name: 'QR codes', Icon: QrCode, run: openStudio },
              {
                name: areOff ? 'Switch on' : 'Switch off',
                shortName: areOff ? 'On' : 'Off',
                Icon: areOff ? CirclePlay : CirclePause,
                run: () => void setAllActive(ids, areOff),
              },
              {
                name: areArchived ? 'Unarchive' : 'Archive',
                Icon: areArchived ? ArchiveRestore : Archive,
                isRare: true,
                run: () => {
                  archiveLinks(ids, !areArchived)
                  onArchived()
                },
              },
              {
                name: 'Export CSV',
                shortName: 'CSV',
                Icon: Download,
                run: () => exportLinks(links),
              },
              ...(canMove
                ? [
                    {
                      name: 'Move to…',
                      shortName: 'Move',
                      Icon: FolderInput,
                      isRare: true,
                      run: () => onDialog('move'),
                    },
                  ]
                : []),
              { name: 'Delete', Icon: Trash2, isRare: true, run: () => onDialog('delete') },
            ]
          : [
              { name: 'QR codes', Icon: QrCode, run: openStudio },
              {
                name: 'Export CSV',
                shortName: 'CSV',
                Icon: Download,
                run: () => exportLinks(links),
              },
            ]
      }
    />
  )
}
