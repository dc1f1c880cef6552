import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { accessNotices } from '#domain/texts/account-texts.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { type CaptchaOptions, signInOptionsQuery } from './sign-in-options.ts'

/** Common API of Turnstile and hCaptcha. */
interface CaptchaScript {
  render: (
    element: HTMLElement,
    options: {
      sitekey: string
      theme: 'light' | 'dark'
      callback: (token: string) => void
      'expired-callback': () => void
    },
  ) => string
  remove: (id: string) => void
}

declare global {
  interface Window {
    turnstile?: CaptchaScript
    hcaptcha?: CaptchaScript
  }
}

const scripts = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
} as const

interface Captcha {
  /** Belongs in the form. Null where no captcha is set up; no third-party script is loaded then. */
  widget: ReactNode
  /**
   * Captcha option of the official client's calls. Undefined, and said to the person, when the captcha is still to be solved.
   * A token is valid for one call.
   */
  take: () => { captchaToken?: string } | undefined
}

export function useCaptcha(): Captcha {
  const settings = useQuery(signInOptionsQuery).data?.captcha
  const token = useRef<string>(undefined)
  const [round, setRound] = useState(0)
  if (settings === undefined) return { widget: null, take: () => ({}) }
  return {
    widget: (
      <CaptchaWidget
        key={round}
        settings={settings}
        onToken={(given) => {
          token.current = given
        }}
      />
    ),
    take: () => {
      const captchaToken = token.current
      if (captchaToken === undefined) {
        notifyError(accessNotices.captchaMissing)
        return undefined
      }
      token.current = undefined
      setRound((before) => before + 1)
      return { captchaToken }
    },
  }
}

interface CaptchaWidgetProps {
  settings: CaptchaOptions
  onToken: (token: string | undefined) => void
}

function CaptchaWidget({ settings, onToken }: CaptchaWidgetProps) {
  const place = useRef<HTMLDivElement>(null)
  const report = useRef(onToken)
  const [failed, setFailed] = useState(false)
  const { provider, siteKey } = settings

  useEffect(() => {
    let isGone = false
    let remove = () => {}
    loadScript(provider)
      .then((script) => {
        if (isGone || place.current === null) return
        const id = script.render(place.current, {
          sitekey: siteKey,
          theme: document.documentElement.classList.contains('dark') ? 'dark' : 'light',
          callback: (token) => report.current(token),
          'expired-callback': () => report.current(undefined),
        })
        remove = () => script.remove(id)
      })
      .catch(() => setFailed(true))
    return () => {
      isGone = true
      remove()
    }
  }, [provider, siteKey])

  return failed ? (
    <p role="alert" className="text-sm text-danger">
      The check against robots could not be loaded. Allow it in your browser and reload the page.
    </p>
  ) : (
    <div ref={place} className="min-h-16" />
  )
}

async function loadScript(provider: CaptchaOptions['provider']): Promise<CaptchaScript> {
  const there = window[provider]
  if (there !== undefined) return there
  await new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = scripts[provider]
    script.async = true
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  const loaded = window[provider]
  if (loaded === undefined) throw new Error(`${provider} did not start`)
  return loaded
}
