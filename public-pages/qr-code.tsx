import { QRCodeSVG } from 'qrcode.react'

/** The QR code of an address, 150 px, high error correction. */
export function QrCode({ address }: { address: string }) {
  return (
    <QRCodeSVG
      value={address}
      size={150}
      level="H"
      marginSize={2}
      bgColor="#ffffff"
      fgColor="#000000"
      className="hp-qr"
      aria-label={`QR code of ${address}`}
    />
  )
}
