import { Link } from '@tanstack/react-router'
import { AppWindow } from 'lucide-react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { routes } from '#domain/routes.ts'
import type { LinkRow as Row } from '#web/api/database.ts'
import { shownLink } from '#web/shown-link.ts'
import { linkMarksOf } from '../link-marks.ts'

/** The title of a link, or the host of its destination without one. The whole row is its target. */
export function RowTitle({ link, hasMarks }: { link: Row; hasMarks: boolean }) {
  const code = codeOfLink(link)
  const title = link.title ?? hostOf(link.original_url)
  const marks = hasMarks ? linkMarksOf(link) : []
  return (
    <>
      <Link
        to={routes.link.path}
        params={{ code }}
        aria-label={`${title}, ${shownLink(code)}`}
        data-row-link
        aria-keyshortcuts="c e x"
        className="truncate text-[0.9375rem] leading-5 font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-[var(--focus)]"
      >
        <bdi>{title}</bdi>
      </Link>
      {link.show_popup ? <PopupMark /> : null}
      {link.is_blocked === true ? <BlockedMark /> : null}
      {link.is_disabled ? <OptionMark text="off" /> : null}
      {marks.map((text) => (
        <OptionMark key={text} text={text} />
      ))}
    </>
  )
}

function hostOf(url: string): string {
  return readableUrl(url)
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/[/?#].*$/s, '')
}

function OptionMark({ text }: { text: string }) {
  return (
    <span className="shrink-0 rounded-full bg-sunken px-2 text-xs leading-5 text-ink-soft">
      {text}
    </span>
  )
}

function PopupMark() {
  return (
    <span
      title="popup"
      className="shrink-0 rounded-full text-xs text-ink-soft lg:border lg:border-line lg:px-2 lg:leading-5"
    >
      <AppWindow size={14} aria-hidden className="lg:hidden" />
      <span className="max-lg:sr-only">popup</span>
    </span>
  )
}

function BlockedMark() {
  return (
    <span className="shrink-0 rounded-full bg-danger-wash px-2 text-xs leading-5 text-danger">
      blocked
    </span>
  )
}
