import type { PopupDraft } from '#domain/popups/popup-form.ts'

/**
 * A popup as visitors see it, by the names of its columns. Texts may be empty. `cta_url` is absolute http or https, or
 * '': then the button only closes the popup. `image_url` is `/media/...` or absolute https. `trigger_delay` is in
 * seconds, 0 if the owner enabled no delay.
 */
export interface PopupView extends Omit<PopupDraft, 'name' | 'trigger_delay_enabled'> {
  id: string
  /** Version of its content, which names the consent text. */
  version: number
  /** Shows 'Made with Hoplet', because its owner is on the free plan. */
  marked: boolean
}

/** The colors of a bio page, each as `hue saturation% lightness%`. The default replaces any other value. */
export interface ThemeView {
  primary: string
  background: string
  text: string
}

/** The owner of a short link, around its popup. */
export interface OwnerView {
  title: string
  avatarUrl: string | null
  theme: ThemeView
}

/** An entry of the list of links. */
export type BioLinkView =
  | {
      kind: 'link'
      title: string
      /** The server puts the address that counts clicks here, an editor the stored one. */
      href: string
      /** A picture that was uploaded here, as a path. */
      imageUrl: string | null
    }
  | { kind: 'header'; title: string }
  | { kind: 'divider' }

export interface SocialLinkView {
  /** The id of a platform (domain/bio/platforms.ts); an unknown one is shown as a website. */
  platform: string
  href: string
}

/** A bio page as visitors see it. */
export interface BioPageView {
  title: string
  description: string
  /** The absolute address of the page, shown by the QR code and the share dialog. */
  address: string
  theme: ThemeView
  /** The id of a look (domain/bio/looks.ts); an unknown one is plain. */
  look: string
  /** A picture that was uploaded here, as a path. */
  avatarUrl: string | null
  links: readonly BioLinkView[]
  socialLinks: readonly SocialLinkView[]
  /** Shows 'Made with Hoplet', because its owner is on the free plan. */
  marked: boolean
}
