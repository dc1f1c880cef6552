/** @param given is called once the address has been given */
export type KeepEmail = (event: SubmitEvent, given: () => void) => void

/**
 * Sends an address to Hoplet. Runs in the visitor's page, as source text like popup-script.ts. A form for another host
 * goes there itself; the form for Hoplet stays open until the address is stored.
 *
 * @param notSaved the sentence for a failure that the server does not explain
 */
export function createEmailKeeper(notSaved: string): KeepEmail {
  return (event, given) => {
    const form = event.target instanceof HTMLFormElement ? event.target : undefined
    const address = form?.dataset['keep']
    if (!form || address === undefined) return given()
    const isElsewhere = form.target === '_blank'
    const typed = form.querySelector<HTMLInputElement>('.hp-popup-email')?.value ?? ''
    const version = form.dataset['version'] ?? ''
    const problem = form.querySelector<HTMLElement>('.hp-popup-problem')
    const button = form.querySelector('button')
    let refusal = notSaved

    function origin(): string {
      const source = new URLSearchParams(window.location.search).get('utm_source')
      if (source) return source
      // Safari 16 has no `URL.canParse`.
      try {
        return new URL(document.referrer).host
      } catch {
        return ''
      }
    }

    async function send(to: string): Promise<string> {
      // The path of a scan is `/q/{name}`.
      const [, from = ''] = window.location.pathname.replace(/^\/q\/(?=.)/i, '/').split('/')
      const response = await fetch(to, {
        method: 'POST',
        keepalive: true,
        headers: { accept: 'text/plain' },
        body: new URLSearchParams({ email: typed, version, from, source: origin() }),
      })
      const text = await response.text()
      if (response.ok) return text
      // A text below 500 is Hoplet's: it names the mistake in the address, or a page that is too old.
      const isText = response.headers.get('content-type')?.startsWith('text/plain')
      if (isText && response.status < 500) refusal = text
      throw new Error(text)
    }

    if (isElsewhere) {
      send(address).catch(() => {})
      return given()
    }
    event.preventDefault()
    if (button?.disabled) return
    if (button) button.disabled = true
    send(address)
      .then((text) => {
        const note = document.querySelector<HTMLElement>('[data-thanks]')
        if (note) note.dataset['thanks'] = text
        given()
      })
      .catch(() => {
        if (!problem) return
        problem.textContent = refusal
        problem.hidden = false
      })
      .finally(() => {
        if (button) button.disabled = false
      })
  }
}
