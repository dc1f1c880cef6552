import { qrAddress } from '#domain/links/qr-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { readableUrl } from '#domain/links/readable-url.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { LinkTag } from '../link-tag.tsx'
import { TagAddress } from '../tag-address.tsx'

interface ComposePreviewProps {
  userId: string
  /** Empty for a random one. */
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
  return (
    <section
      aria-label="Preview"
      className="sticky top-7 content-start self-start [--around:var(--surface)]"
    >
      {count > 1 ? <p className="mb-2 text-sm text-ink-faint">First of {count}</p> : null}
      <LinkTag
        code={code}
        stub={
          <QrPicture
            drawing={drawQr(qrAddress(shortLinkUrl(code === '' ? 'random' : code)), look)}
            title="QR code"
            className={`mx-auto h-auto w-full max-w-36 rounded-xl ${code === '' ? 'opacity-15' : ''}`}
          />
        }
      >
        <p className="mt-2 font-mono leading-snug text-wrap wrap-anywhere">
          <TagAddress
            host={site.host}
            code={
              code === '' ? (
                <span className="text-ink-faint">
                  <span aria-hidden>••••••</span>
                  <span className="sr-only">a random code</span>
                </span>
              ) : (
                <span className="font-medium">{code}</span>
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
