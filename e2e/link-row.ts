import type { Locator } from 'playwright-core'

/** Chooses what is in the menu of a link: in its row, or on its page. */
export async function chooseForLink(of: Locator, action: 'Edit' | 'Delete'): Promise<void> {
  await of.getByRole('button', { name: 'More actions' }).click()
  await of.getByRole('button', { name: action, exact: true }).click()
}
