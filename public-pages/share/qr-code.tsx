import { QRCodeSVG } from 'qrcode.react'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { qrAddress } from '#domain/links/qr-address.ts'

const id = 'hp-qr'
const size = 150

/** The QR code of a short address, 150 px, high error correction. */
export function QrCode({ address }: { address: string }) {
  const { bio: texts } = useVisitorTexts()
  return (
    <QRCodeSVG
      id={id}
      value={qrAddress(address)}
      size={size}
      level="H"
      marginSize={2}
      bgColor="#ffffff"
      fgColor="#000000"
      className="hp-qr"
      aria-label={texts.qrCode({ address })}
    />
  )
}

/** The same code once more: most of the page's bytes are drawn twice and sent once. */
export function QrCodeAgain({ address }: { address: string }) {
  const { bio: texts } = useVisitorTexts()
  return (
    <svg
      width={size}
      height={size}
      className="hp-qr"
      role="img"
      aria-label={texts.qrCode({ address })}
    >
      <use href={`#${id}`} />
    </svg>
  )
}
