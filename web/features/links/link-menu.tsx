import {
  Archive,
  ArchiveRestore,
  CheckSquare,
  Ellipsis,
  ExternalLink,
  Pencil,
  Power,
  QrCode,
  Trash2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { shortLinkUrl } from '#web/site.ts'
import { Popover, popoverItemClass } from '#web/ui/popover.tsx'
import { ShareItems } from './share-items.tsx'

interface LinkMenuProps {
  shortCode: string
  isActive: boolean
  onActive: (isActive: boolean) => void
  isArchived: boolean
  onArchive: (isArchived: boolean) => void
  onEdit?: () => void
  onQrCode?: () => void
  onSelect?: () => void
  onDelete: () => void
  /** Whether the screen shares the link elsewhere. */
  isShared?: boolean
  /** Further items of the screen. */
  children?: ReactNode
}

/** Further actions on a link. */
export function LinkMenu(props: LinkMenuProps) {
  const { shortCode, isActive, onActive, isArchived, onArchive } = props
  const { onEdit, onQrCode, onSelect, onDelete, isShared = false, children } = props
  const ArchiveIcon = isArchived ? ArchiveRestore : Archive
  const url = shortLinkUrl(shortCode)
  return (
    <Popover label="More actions" icon={<Ellipsis size={18} aria-hidden />} className="w-64">
      <a href={url} target="_blank" rel="noopener noreferrer" className={popoverItemClass}>
        <ExternalLink size={17} aria-hidden />
        Open in a new tab
      </a>
      {onEdit === undefined ? null : (
        <button type="button" className={popoverItemClass} onClick={onEdit}>
          <Pencil size={17} aria-hidden />
          Edit
        </button>
      )}
      {onQrCode === undefined ? null : (
        <button type="button" className={popoverItemClass} onClick={onQrCode}>
          <QrCode size={17} aria-hidden />
          QR code
        </button>
      )}
      <button
        type="button"
        role="switch"
        aria-checked={isActive}
        className={popoverItemClass}
        onClick={() => onActive(!isActive)}
      >
        <Power size={17} aria-hidden />
        Active
        <span aria-hidden className="ml-auto text-xs text-ink-faint">
          {isActive ? 'On' : 'Off'}
        </span>
      </button>
      <button type="button" className={popoverItemClass} onClick={() => onArchive(!isArchived)}>
        <ArchiveIcon size={17} aria-hidden />
        {isArchived ? 'Unarchive' : 'Archive'}
      </button>
      {onSelect === undefined ? null : (
        <button type="button" className={popoverItemClass} onClick={onSelect}>
          <CheckSquare size={17} aria-hidden />
          Select
        </button>
      )}
      {children}
      {isShared ? null : (
        <div className="my-1.5 border-y border-line py-1.5">
          <p className="px-3 pb-0.5 text-xs text-ink-faint">Share</p>
          <ShareItems url={url} />
        </div>
      )}
      <button
        type="button"
        className={`${popoverItemClass} hover:bg-danger-wash! hover:text-danger!`}
        onClick={onDelete}
      >
        <Trash2 size={17} aria-hidden />
        Delete
      </button>
    </Popover>
  )
}
