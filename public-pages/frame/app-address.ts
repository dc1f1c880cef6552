import { createContext, use } from 'react'

/** Where the app is, without a trailing slash; empty: at the host of the page. A page on a domain of an account has none beside it. */
export const AppAddress = createContext('')

/** The address of a page of the app. */
export function useAppHref(path: string): string {
  return `${use(AppAddress)}${path}`
}
