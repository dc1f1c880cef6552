import { qrAddress } from '#domain/links/qr-address.ts'
import { namedOn, readNamedOn } from '#domain/links/link-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { readableUrl } from '#domain/links/readable-url.ts'
import { shownParts } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { LinkTag } from '../link-tag.tsx'
import { TagAddress } from '../tag-address.tsx'

interface ComposePreviewProps {
  userId: string
  /** A text of `namedOn`; its name is empty for a random one. */
  code: string
  /** The destination to store; undefined for an invalid text. */
  destination: string | undefined
  popupTitle: string | undefined
  /** How many links the form would make. */
  count: number
  note: string | undefined
}

/** The tag of the link to be. */
export function ComposePreview({
  userId,
  code,
  destination,
  popupTitle,
  count,
  note,
}: ComposePreviewProps) {
  const look = useDefaultLook(userId)
  const { host, name } = shownParts(code)
  const { domain } = readNamedOn(code)
  const drawn = namedOn({ name: name === '' ? 'random' : name, domain })
  return (
    <section
      aria-label="Preview"
      className="sticky top-7 content-start self-start [--around:var(--surface)]"
    >
      {count > 1 ? <p className="mb-2 text-sm text-ink-faint">First of {count}</p> : null}
      <LinkTag
        code={name}
        stub={
          <QrPicture
            drawing={drawQr(qrAddress(shortLinkUrl(drawn)), look)}
            title="QR code"
            className={`mx-auto h-auto w-full max-w-36 rounded-xl ${name === '' ? 'opacity-15' : ''}`}
          />
        }
      >
        <p className="mt-2 font-mono leading-snug text-wrap wrap-anywhere">
          <TagAddress
            host={host}
            code={
              name === '' ? (
                <span className="text-ink-faint">
                  <span aria-hidden>••••••</span>
                  <span className="sr-only">a random code</span>
                </span>
              ) : (
                <span className="font-medium">{name}</span>
              )
            }
          />
        </p>
        <p className="mt-2 text-xs text-pretty text-ink-soft">
          {destination === undefined ? (
            'Enter a destination.'
          ) : (
            <span className="line-clamp-3 wrap-anywhere">
              <span aria-hidden>→ </span>
              {readableUrl(destination)}
            </span>
          )}
          {popupTitle === undefined ? null : (
            <span className="mt-1 block wrap-anywhere">Popup: “{popupTitle}”</span>
          )}
        </p>
      </LinkTag>
      {note === undefined ? null : (
        <p className="mt-3 text-sm text-pretty text-ink-faint">{note}</p>
      )}
    </section>
  )
}
