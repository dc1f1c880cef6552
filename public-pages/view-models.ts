/** What a popup looks like and says. Texts may be empty; addresses are '' where there is none. */
export interface PopupView {
  id: string
  title: string
  description: string
  buttonText: string
  /** Absolute http or https, or '': then the button closes the popup and does nothing else. */
  buttonUrl: string
  /** `/media/...` or absolute https, or ''. */
  imageUrl: string
  /** `#rrggbb`, as the three below. Anything else is replaced by the default. */
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
  /** Asks for an e-mail address, which the button sends to `buttonUrl`; only with an https address there. */
  collectEmail: boolean
  /** Seconds until it appears, 0 to 10; 0 when the owner enabled no delay. */
  delay: number
  /** Carries 'Made with Hoplet': its owner is on the free plan. */
  marked: boolean
}

/** The colours of a bio page, each as `hue saturation% lightness%`. Anything else is replaced by the default. */
export interface ThemeView {
  primary: string
  background: string
  text: string
}

export interface BioLinkView {
  title: string
  /** Where the link goes: the server gives the counting address here, an editor the stored one. */
  href: string
}

export interface SocialLinkView {
  /** One of the 15 platforms; an unknown one is shown as a website. */
  platform: string
  href: string
}

/** A bio page as visitors see it. */
export interface BioPageView {
  title: string
  description: string
  /** The whole address of the page, which the QR code and the share dialog show. */
  address: string
  theme: ThemeView
  links: readonly BioLinkView[]
  socialLinks: readonly SocialLinkView[]
  /** Carries 'Made with Hoplet': its owner is on the free plan. */
  marked: boolean
}
