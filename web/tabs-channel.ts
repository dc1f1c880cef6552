type TabsChannel = Pick<
  BroadcastChannel,
  'postMessage' | 'addEventListener' | 'removeEventListener'
>

/** A channel between the tabs of this app. Where the browser blocks site data, this tab has no others. */
export function openTabsChannel(name: string): TabsChannel {
  try {
    return new BroadcastChannel(name)
  } catch {
    return { postMessage() {}, addEventListener() {}, removeEventListener() {} }
  }
}
