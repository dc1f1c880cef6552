import { useEffect, useRef } from 'react'
import { bookmarkletOf } from '#web/shared-page.ts'
import { site } from '#web/site.ts'
import { SettingsSection } from './settings-section.tsx'

/** A bookmark that shortens the page that is being read. */
export function BookmarkletSection() {
  const link = useRef<HTMLAnchorElement>(null)
  // React refuses addresses that are scripts; this one is for the bar of bookmarks.
  useEffect(() => link.current?.setAttribute('href', bookmarkletOf(site.publicUrl)), [])
  return (
    <SettingsSection
      title="Shorten from anywhere"
      intro="Drag this to your bookmarks bar. The bookmark shortens the page that you read. On phones, install Hoplet and share pages with it."
    >
      {/* oxlint-disable-next-line jsx-a11y/anchor-is-valid, jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- its address comes with the effect */}
      <a
        ref={link}
        draggable
        onClick={(event) => event.preventDefault()}
        className="inline-flex min-h-11 items-center rounded-full border border-line bg-surface px-4 font-medium"
      >
        Shorten this page
      </a>
    </SettingsSection>
  )
}
