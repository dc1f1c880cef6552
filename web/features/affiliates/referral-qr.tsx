import { Download } from 'lucide-react'
import { QRCodeSVG } from 'qrcode.react'
import { useRef } from 'react'
import { notices } from '#domain/texts/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { qrQuietModules, qrSizePixels, savePng, saveSvg } from '#web/ui/save-qr-code.ts'

const ink = '#000000'
const fileName = 'hoplet-referral'

/** The referral link as a QR code, to show and to download. It is not a link of the plan, so nothing counts it. */
export function ReferralQr({ url }: { url: string }) {
  const code = useRef<SVGSVGElement>(null)

  function download(save: typeof savePng) {
    if (code.current === null) return
    save(code.current, fileName, ink)
    notifySuccess(notices.downloaded)
  }

  return (
    <div className="grid animate-appear justify-items-center gap-5">
      <div className="rounded-xl border border-line bg-white p-2">
        <QRCodeSVG
          ref={code}
          value={url}
          size={qrSizePixels}
          level="M"
          marginSize={qrQuietModules}
          fgColor={ink}
          bgColor="#ffffff"
          title={`QR code of ${url}`}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => download(savePng)}>
          <Download size={16} aria-hidden />
          Download QR Code
        </Button>
        <Button size="small" aria-label="Download as SVG" onClick={() => download(saveSvg)}>
          SVG
        </Button>
      </div>
    </div>
  )
}
