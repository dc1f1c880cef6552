/** The look and content of a popup. Texts may be empty; an address is '' if there is none. */
export interface PopupView {
  id: string
  title: string
  description: string
  buttonText: string
  /** Absolute http or https, or '': then the button only closes the popup. */
  buttonUrl: string
  /** `/media/...` or absolute https, or ''. */
  imageUrl: string
  /** `#rrggbb`, like the next three. The default replaces any other value. */
  backgroundColor: string
  textColor: string
  buttonColor: string
  buttonTextColor: string
  /** Pixels, 0 to 24. */
  borderRadius: number
  fontStyle: 'casual' | 'professional' | 'modern' | 'elegant'
  shadowStyle: 'none' | 'soft' | 'medium' | 'bold'
  position: 'center' | 'top' | 'bottom' | 'bottom-right' | 'bottom-left'
  size: 'small' | 'medium' | 'large' | 'extra-large' | 'full-width' | 'compact' | 'tall'
  /** Asks for an email address, which the button sends to `buttonUrl`, if that is https. */
  collectEmail: boolean
  /** Seconds until it appears, 0 to 10; 0 if the owner enabled no delay. */
  delay: number
  /** Shows 'Made with Hoplet', because its owner is on the free plan. */
  marked: boolean
}

/** The colors of a bio page, each as `hue saturation% lightness%`. The default replaces any other value. */
export interface ThemeView {
  primary: string
  background: string
  text: string
}

export interface BioLinkView {
  title: string
  /** The server puts the address that counts clicks here, an editor the stored one. */
  href: string
}

export interface SocialLinkView {
  /** The id of a platform (domain/platforms.ts); an unknown one is shown as a website. */
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
  links: readonly BioLinkView[]
  socialLinks: readonly SocialLinkView[]
  /** Shows 'Made with Hoplet', because its owner is on the free plan. */
  marked: boolean
}
