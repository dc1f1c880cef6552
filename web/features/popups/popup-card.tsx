import { Link } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import type { PopupRow } from '#web/database.ts'
import { buttonClass, IconButton } from '#web/ui/button.tsx'

interface PopupCardProps {
  popup: PopupRow
  onDelete: (popup: PopupRow) => void
}

export function PopupCard({ popup, onDelete }: PopupCardProps) {
  return (
    <article
      aria-label={popup.title}
      className="grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr_auto] overflow-hidden rounded-3xl border border-line bg-surface"
    >
      {popup.image_url === null || popup.image_url === '' ? (
        <Sketch popup={popup} />
      ) : (
        <img
          src={popup.image_url}
          alt=""
          loading="lazy"
          className="aspect-5/2 w-full bg-sunken object-cover"
        />
      )}
      <div className="px-5 pt-4">
        <h2 className="truncate text-lg font-semibold tracking-tight" title={popup.title}>
          {popup.title}
        </h2>
        <p className="mt-1 line-clamp-2 leading-relaxed wrap-anywhere text-ink-soft">
          {popup.description}
        </p>
      </div>
      <div className="flex items-center justify-between gap-3 px-5 pt-4 pb-4">
        <div className="flex gap-1.5">
          <Swatch name="Background" color={popup.background_color} />
          <Swatch name="Button" color={popup.button_color} />
        </div>
        <div className="flex items-center gap-1">
          <Link
            to={routes.popupGenerator.path}
            search={{ edit: popup.id }}
            aria-label={`Edit ${popup.title}`}
            className={buttonClass('plain', 'small')}
          >
            <Pencil size={15} aria-hidden />
            Edit
          </Link>
          <IconButton label={`Delete ${popup.title}`} onClick={() => onDelete(popup)}>
            <Trash2 size={17} aria-hidden />
          </IconButton>
        </div>
      </div>
    </article>
  )
}

/** Stands where a popup has no picture: the popup in its own colors, without its words. */
function Sketch({ popup }: { popup: PopupRow }) {
  return (
    <div aria-hidden className="grid aspect-5/2 place-items-center border-b border-line bg-sunken">
      <div
        className="grid w-36 justify-items-center gap-2 rounded-lg px-4 pt-4 pb-3 shadow-lift"
        style={{ background: popup.background_color, color: popup.text_color }}
      >
        <span className="h-1.5 w-20 rounded-full bg-current" />
        <span className="h-1 w-24 rounded-full bg-current opacity-40" />
        <span className="mt-1 h-4 w-full rounded-sm" style={{ background: popup.button_color }} />
      </div>
    </div>
  )
}

function Swatch({ name, color }: { name: string; color: string }) {
  return (
    <span
      title={`${name}: ${color}`}
      className="size-7 rounded-full border border-edge"
      style={{ background: color }}
    >
      <span className="sr-only">{`${name} color ${color}`}</span>
    </span>
  )
}
