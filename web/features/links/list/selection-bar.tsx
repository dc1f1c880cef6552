import {
  AppWindow,
  Archive,
  ArchiveRestore,
  CirclePause,
  CirclePlay,
  Download,
  type LucideIcon,
  QrCode,
  Tag,
  Trash2,
  X,
} from 'lucide-react'
import { useRef } from 'react'
import type { LinkRow } from '#web/api/database.ts'
import { useArchiveLinks, useSetAllActive } from '../archive-links.ts'
import { exportLinks } from './export-links.ts'

interface SelectionBarProps {
  links: readonly LinkRow[]
  /** How many could be selected. */
  loaded: number
  onSelectAll: () => void
  onDialog: (kind: 'tag' | 'popup' | 'qr-codes' | 'delete') => void
  onArchived: () => void
  onClear: () => void
}

/** Actions on the selected rows; stays in sight while the list scrolls. */
export function SelectionBar(props: SelectionBarProps) {
  const { links, loaded, onSelectAll, onDialog, onArchived, onClear } = props
  const bar = useRef<HTMLElement>(null)
  const archiveLinks = useArchiveLinks()
  const setAllActive = useSetAllActive()
  const ids = links.map(({ id }) => id)
  // A list has archived links or others.
  const areArchived = links.every(({ archived_at }) => archived_at !== null)
  const areOff = links.every(({ is_disabled }) => is_disabled)
  return (
    <section
      ref={bar}
      tabIndex={-1}
      data-quiet-focus
      aria-label="Selected links"
      data-bottom-bar
      className="sticky bottom-4 z-[5] mx-auto mt-4 flex w-fit max-w-full animate-appear flex-wrap items-center justify-center rounded-2xl bg-ink p-1.5 text-paper shadow-lift max-rail:bottom-[calc(4.5rem+var(--safe-bottom))] low:static"
    >
      <output className="px-2.5 text-sm font-medium whitespace-nowrap tabular-nums">
        {links.length} selected
      </output>
      {links.length < loaded ? (
        <button
          type="button"
          onClick={() => {
            onSelectAll()
            // The button leaves.
            bar.current?.focus()
          }}
          className={barClass}
        >
          Select all {loaded}
        </button>
      ) : null}
      <Action name="Tag" Icon={Tag} onPress={() => onDialog('tag')} />
      <Action name="Popup" Icon={AppWindow} onPress={() => onDialog('popup')} />
      <Action name="QR codes" Icon={QrCode} onPress={() => onDialog('qr-codes')} />
      <Action
        name={areOff ? 'Switch on' : 'Switch off'}
        Icon={areOff ? CirclePlay : CirclePause}
        onPress={() => void setAllActive(ids, areOff)}
      />
      <Action
        name={areArchived ? 'Unarchive' : 'Archive'}
        Icon={areArchived ? ArchiveRestore : Archive}
        onPress={() => {
          archiveLinks(ids, !areArchived)
          onArchived()
        }}
      />
      <Action name="Export CSV" Icon={Download} onPress={() => exportLinks(links)} />
      <Action name="Delete" Icon={Trash2} onPress={() => onDialog('delete')} />
      <button type="button" aria-label="Clear" title="Clear" onClick={onClear} className={barClass}>
        <X size={17} aria-hidden />
      </button>
    </section>
  )
}

const barClass =
  'flex h-9 items-center gap-2 rounded-xl px-2.5 text-sm whitespace-nowrap transition-colors duration-150 hover:bg-paper/15 focus-visible:outline-paper pointer-coarse:h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center'

interface ActionProps {
  name: string
  Icon: LucideIcon
  onPress: () => void
}

function Action({ name, Icon, onPress }: ActionProps) {
  return (
    <button type="button" title={name} onClick={onPress} className={barClass}>
      <Icon size={17} aria-hidden />
      <span className="max-xl:sr-only">{name}</span>
    </button>
  )
}
