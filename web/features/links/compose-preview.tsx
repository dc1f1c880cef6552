import { QRCodeSVG } from 'qrcode.react'
import { qrAddress } from '#domain/qr-address.ts'
import { readableUrl } from '#domain/readable-url.ts'
import { shortLinkUrl, site } from '#web/site.ts'

interface ComposePreviewProps {
  /** Empty for a random one. */
  code: string
  /** The destination as it will be stored; undefined while it is none. */
  destination: string | undefined
  popupTitle: string | undefined
}

/** The short link as people will see it. */
export function ComposePreview({ code, destination, popupTitle }: ComposePreviewProps) {
  return (
    <section
      aria-label="Preview"
      className="sticky top-7 grid content-start gap-4 self-start rounded-2xl border border-line bg-paper p-5 max-sm:hidden"
    >
      <p className="text-center font-mono leading-snug wrap-anywhere">
        <span className="text-ink-faint">{site.host}/</span>
        {code === '' ? (
          <span className="text-ink-faint">
            <span aria-hidden>••••••</span>
            <span className="sr-only">a random code</span>
          </span>
        ) : (
          <span className="font-medium">{code}</span>
        )}
      </p>
      <div className="mx-auto w-full max-w-44 rounded-xl border border-line bg-white p-2">
        <QRCodeSVG
          value={qrAddress(shortLinkUrl(code === '' ? 'random' : code))}
          level="H"
          marginSize={2}
          bgColor="#ffffff"
          title="QR code"
          className={`h-auto w-full ${code === '' ? 'opacity-15' : ''}`}
        />
      </div>
      <p className="text-center text-xs text-pretty text-ink-faint">
        {popupTitle === undefined ? null : (
          <span className="block wrap-anywhere">Shows “{popupTitle}” first.</span>
        )}
        {destination === undefined ? (
          'Leads to the destination that you enter.'
        ) : (
          <span className="line-clamp-3 wrap-anywhere">Leads to {readableUrl(destination)}</span>
        )}
      </p>
    </section>
  )
}
