import type { Locator } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Opens a menu and presses an item of it. A page that still moves when the item is pressed makes the press miss, which
 * closes the menu: it is opened again, as a person would.
 */
export async function pressInMenu(opener: Locator, item: Locator): Promise<void> {
  const press = async () => {
    if (!(await item.isVisible())) await opener.click()
    await item.click({ timeout: 10_000 })
  }
  await expect.poll(() => press().then(String, String)).toBe('undefined')
}

/** Chooses an entry of a link's menu: in its row, or on its page. */
export async function chooseForLink(
  of: Locator,
  action: 'Edit' | 'Duplicate' | 'Delete',
): Promise<void> {
  await pressInMenu(
    of.getByRole('button', { name: 'More actions' }),
    of.getByRole('button', { name: action, exact: true }),
  )
}

/** Opens a part of the form of a link. */
export async function openPart(
  form: Locator,
  part: 'Link' | 'Campaign' | 'Schedule' | 'Access' | 'Preview' | 'A/B and rules',
): Promise<void> {
  const button = form.getByRole('button', { name: new RegExp(`^${part}( ?\\d+ set)?$`) })
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click()
}
