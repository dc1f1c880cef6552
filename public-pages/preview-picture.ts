import { qrAddress } from '#domain/links/qr-address.ts'
import { initialOf } from './bio/avatar.tsx'
import { themeProperties } from './colors.ts'
import type { BioPageView } from './view-models.ts'

/** Contents of the picture that other sites show beside a shared link. Colors are validated CSS colors. */
export interface PreviewPicture {
  title: string
  description: string
  /** Shown in the circle; '' shows the logo instead. */
  initial: string
  /** Address in the QR code. */
  qrCode: string
  background: string
  ink: string
  accent: string
  onAccent: string
}

export function homePicture(address: string): PreviewPicture {
  return {
    title: 'Short links, QR codes and bio pages',
    description: 'Shorten your URLs instantly and create beautiful QR codes',
    initial: '',
    qrCode: address,
    background: '#fbf8f2',
    ink: '#1c1712',
    accent: '#f97a2b',
    onAccent: '#1c1006',
  }
}

export function bioPicture({ title, description, address, theme }: BioPageView): PreviewPicture {
  const colors = themeProperties(theme)
  return {
    title: `@${title}`,
    description,
    initial: initialOf(title),
    qrCode: qrAddress(address),
    background: colors['--hp-bio-background'],
    ink: colors['--hp-bio-text'],
    accent: colors['--hp-bio-primary'],
    onAccent: colors['--hp-bio-on-primary'],
  }
}
