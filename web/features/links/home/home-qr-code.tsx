import { QRCodeSVG } from 'qrcode.react'

/** @param isFaint the code is not known yet */
export function HomeQrCode({ value, isFaint }: { value: string; isFaint: boolean }) {
  return (
    <QRCodeSVG
      value={value}
      size={112}
      level="M"
      marginSize={1}
      className={`mx-auto rounded-xl bg-white p-1.5 ${isFaint ? 'opacity-30' : ''}`}
    />
  )
}
