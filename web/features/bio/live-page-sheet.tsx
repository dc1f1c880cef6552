import { Download, ExternalLink, Share2 } from 'lucide-react'
import { QRCodeSVG } from 'qrcode.react'
import { useRef } from 'react'
import { notices } from '#domain/texts/texts.ts'
import { readNamedOn } from '#domain/links/link-address.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { PlatformIcon } from '#public-pages/frame/icon.tsx'
import { sharePlaces } from '#public-pages/share/share-places.ts'
import { share } from '#web/share.ts'
import { shownLink } from '#web/shown-link.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button, buttonClass, iconButtonClass } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { qrQuietModules, savePng } from '#web/ui/save-qr-code.ts'
import { CopyAddress } from './copy-address.tsx'

interface LivePageSheetProps {
  open: boolean
  /** A text of `namedOn`. */
  name: string
  onClose: () => void
}

/** After the first save: the address of the page, and ways to share it. */
export function LivePageSheet({ open, name: page, onClose }: LivePageSheetProps) {
  const url = shortLinkUrl(page)
  const code = useRef<SVGSVGElement>(null)
  return (
    <Dialog open={open} onClose={onClose} title="Your page is live">
      <div className="grid justify-items-center gap-5">
        <div className="rounded-xl border border-line bg-white p-2">
          <QRCodeSVG
            ref={code}
            value={qrAddress(url)}
            size={150}
            level="H"
            marginSize={qrQuietModules}
            title={`QR code of ${url}`}
          />
        </div>
        <p className="text-center font-mono text-lg font-medium wrap-anywhere">{shownLink(page)}</p>
        <div className="flex flex-wrap justify-center gap-2">
          <CopyAddress name={page} look="ink" />
          <Button
            size="small"
            onClick={() => {
              if (code.current === null) return
              savePng(code.current, `hoplet-${readNamedOn(page).name}`, '#000000')
              notifySuccess(notices.downloaded)
            }}
          >
            <Download size={16} aria-hidden />
            QR code
          </Button>
          {'share' in navigator ? (
            <Button size="small" onClick={() => share({ url })}>
              <Share2 size={16} aria-hidden />
              Share
            </Button>
          ) : null}
          <a href={url} target="_blank" rel="noopener" className={buttonClass('plain', 'small')}>
            <ExternalLink size={16} aria-hidden />
            Open
          </a>
        </div>
        <ul aria-label="Share on" className="flex flex-wrap justify-center">
          {sharePlaces.map(({ name, icon, href }) => (
            <li key={name}>
              <a
                href={href(encodeURIComponent(url))}
                target="_blank"
                rel="noopener noreferrer"
                aria-label={name}
                title={name}
                className={iconButtonClass}
              >
                <PlatformIcon platform={icon} size={18} />
              </a>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
