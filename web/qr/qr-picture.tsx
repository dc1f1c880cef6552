import type { ReactNode } from 'react'
import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import { captionFonts } from '#domain/qr/qr-svg.ts'

interface QrPictureProps {
  drawing: QrDrawing
  /** Its name for readers of the screen. */
  title: string
  /** In pixels; without it the picture takes the width of its class. */
  width?: number
  className?: string
}

/** A QR code on the screen. */
export function QrPicture({ drawing, title, width, className }: QrPictureProps): ReactNode {
  const { shapes, logo, texts, background } = drawing
  const height = width === undefined ? undefined : (width * drawing.height) / drawing.width
  return (
    <svg
      role="img"
      aria-label={title}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      width={width}
      height={height}
      className={className}
    >
      <rect width="100%" height="100%" fill={background} />
      {shapes.map(({ d, fill }) => (
        <path key={d} fill={fill} fillRule="evenodd" d={d} />
      ))}
      {logo === undefined ? null : (
        <image href={logo.href} x={logo.x} y={logo.y} width={logo.size} height={logo.size} />
      )}
      {texts.map(({ text, x, y, size, fill }) => (
        <text
          key={y}
          x={x}
          y={y}
          textAnchor="middle"
          fontFamily={captionFonts}
          fontSize={size}
          fontWeight={600}
          fill={fill}
        >
          {text}
        </text>
      ))}
    </svg>
  )
}
