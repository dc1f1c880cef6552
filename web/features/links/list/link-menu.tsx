import {
  Archive,
  ArchiveRestore,
  CheckSquare,
  CopyPlus,
  Ellipsis,
  ExternalLink,
  Pencil,
  Power,
  QrCode,
  Trash2,
} from 'lucide-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { shortLinkUrl } from '#web/site.ts'
import { MenuItem } from '#web/ui/menus/menu-item.tsx'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { ShareItems } from '../share/share-items.tsx'

interface LinkMenuProps {
  link: LinkRow
  onActive: (isActive: boolean) => void
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
  const { link, onActive, onArchive, onEdit, onQrCode, onSelect, onDelete } = props
  const { isShared = false, children } = props
  const navigate = useNavigate()
  const isActive = !link.is_disabled
  const isArchived = link.archived_at !== null
  const url = shortLinkUrl(codeOfLink(link))
  return (
    <Popover label="More actions" icon={<Ellipsis size={18} aria-hidden />} className="w-64">
      <a href={url} target="_blank" rel="noopener noreferrer" className={popoverItemClass}>
        <ExternalLink size={17} aria-hidden />
        Open in a new tab
      </a>
      {onEdit === undefined ? null : (
        <Allowed right="links:write">
          <MenuItem Icon={Pencil} name="Edit" onClick={onEdit} />
        </Allowed>
      )}
      <Allowed right="links:write">
        <MenuItem
          Icon={CopyPlus}
          name="Duplicate"
          onClick={() =>
            void navigate({
              to: '.',
              search: true,
              state: { duplicatedLink: link },
              resetScroll: false,
            })
          }
        />
      </Allowed>
      {onQrCode === undefined ? null : <MenuItem Icon={QrCode} name="QR code" onClick={onQrCode} />}
      <Allowed right="links:write">
        <MenuItem
          Icon={Power}
          name="Active"
          role="switch"
          aria-checked={isActive}
          onClick={() => onActive(!isActive)}
        >
          <span aria-hidden className="ml-auto text-xs text-ink-faint">
            {isActive ? 'On' : 'Off'}
          </span>
        </MenuItem>
        <MenuItem
          Icon={isArchived ? ArchiveRestore : Archive}
          name={isArchived ? 'Unarchive' : 'Archive'}
          onClick={() => onArchive(!isArchived)}
        />
      </Allowed>
      {onSelect === undefined ? null : (
        <MenuItem Icon={CheckSquare} name="Select" onClick={onSelect} />
      )}
      {children}
      {isShared ? null : (
        <div className="my-1.5 border-y border-line py-1.5">
          <p className="px-3 pb-0.5 text-xs text-ink-faint">Share</p>
          <ShareItems url={url} />
        </div>
      )}
      <Allowed right="links:write">
        <MenuItem
          Icon={Trash2}
          name="Delete"
          className="hover:bg-danger-wash! hover:text-danger!"
          onClick={onDelete}
        />
      </Allowed>
    </Popover>
  )
}
